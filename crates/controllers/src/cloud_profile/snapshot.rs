//! Profiles from the watches, reduced to the fields that are used.

use std::borrow::Cow;

use ::kube::Resource;
use ::kube::api::{ApiResource, ObjectMeta};
use ::kube::core::DynamicResourceScope;
use landfall_cloud_profile::types::Condition;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::digest::Digest;

/// The generation in the status of a profile that no controller has seen. By kstatus, it is in progress.
pub(crate) const UNSEEN: i64 = -1;

/// An object of the API.
#[derive(Clone, Debug, Deserialize)]
#[serde(bound = "S: DeserializeOwned")]
pub(super) struct Seen<S> {
    /// Name and the like.
    #[serde(default)]
    pub(super) metadata: ObjectMeta,
    /// What is wanted; none where it cannot be read.
    #[serde(default, deserialize_with = "readable")]
    pub(super) spec: Option<S>,
    /// What came of it.
    #[serde(default, deserialize_with = "readable")]
    pub(super) status: Option<Standing>,
}

/// What the status of a profile says, as far as it must be known.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Standing {
    cloud_profile: Digest,
    cloud_profile_spec: Digest,
    conflicts: Digest,
    /// The conditions.
    pub(super) conditions: Vec<Condition>,
    /// The generation that was joined.
    observed_generation: Option<i64>,
}

impl Standing {
    /// What a status says.
    pub(super) fn of(status: &Value) -> Self {
        Self::deserialize(status).unwrap_or_default()
    }

    /// The same with other conditions, for a profile that the controller has seen.
    pub(super) fn with(&self, conditions: Vec<Condition>) -> Self {
        let observed_generation = self.observed_generation.filter(|_| !self.is_unseen());
        Self { conditions, observed_generation, ..self.clone() }
    }

    /// Whether the status is the one that the API server fills in.
    pub(super) fn is_unseen(&self) -> bool {
        self.observed_generation == Some(UNSEEN)
    }
}

/// One object that cannot be read must not keep the others from being seen.
fn readable<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<Option<T>, D::Error> {
    Value::deserialize(deserializer).map(|value| serde_json::from_value(value).ok())
}

impl<S> Resource for Seen<S> {
    type DynamicType = ApiResource;
    type Scope = DynamicResourceScope;

    fn kind(resource: &ApiResource) -> Cow<'_, str> {
        resource.kind.as_str().into()
    }

    fn group(resource: &ApiResource) -> Cow<'_, str> {
        resource.group.as_str().into()
    }

    fn version(resource: &ApiResource) -> Cow<'_, str> {
        resource.version.as_str().into()
    }

    fn plural(resource: &ApiResource) -> Cow<'_, str> {
        resource.plural.as_str().into()
    }

    fn meta(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }
}
