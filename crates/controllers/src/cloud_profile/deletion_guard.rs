//! Protects cloud profiles from deletion while other profiles or clusters refer to them, and cleans them up where that
//! is switched on.

use ::kube::Client;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use landfall_cloud_profile::admission::{ProfileKind, Shoot, cloud_profile_deletion};
use landfall_cloud_profile::types::CLOUD_PROFILE;
use landfall_kube::objects::ObjectRef;
use serde_json::{Map, Value};

use super::clean_up::CleanUp;
use super::finalizer::{self, Held, unlisted};
use super::{Access, Expiry};
use crate::{Controller, Failed, Key, Next, fetch, watch};

/// Whoever refers to a profile is looked for until so many are found.
const ENOUGH: usize = 5;

/// Keeps the finalizer of cloud profiles, and removes what has expired of them.
pub(super) struct Guard {
    access: Access,
    expiry: Expiry,
}

impl Guard {
    pub(super) fn new(access: Access, expiry: Expiry) -> Self {
        Self { access, expiry }
    }

    async fn run(&self, key: &Key) -> Result<Next, Failed> {
        let objects = &*self.access.objects;
        let place = ObjectRef::in_cluster(&self.access.kinds.cloud, key.name.as_str());
        let Some(object) = fetch::object(objects, &place, "profile-unreadable").await? else {
            return Ok(Next::Settled);
        };
        let metadata = object.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        let version = metadata.get("resourceVersion").and_then(Value::as_str).unwrap_or_default();
        let finalizers = metadata.get("finalizers").and_then(Value::as_array).into_iter().flatten();
        let finalizers: Vec<String> = finalizers.filter_map(Value::as_str).map(str::to_owned).collect();
        let held = Held { place: &place, version, finalizers: &finalizers };
        match (metadata.contains_key("deletionTimestamp"), held.is_held()) {
            (false, true) if self.expiry.cloud_profiles => {
                let spec = object.get("spec").unwrap_or(&Value::Null);
                CleanUp { access: &self.access, images: self.expiry.images }.run(&held, spec).await
            }
            (false, true) | (true, false) => Ok(Next::Settled),
            (false, false) => held.hold(objects).await,
            (true, true) => self.leave(&held, &metadata).await,
        }
    }

    async fn leave(&self, held: &Held<'_>, metadata: &Map<String, Value>) -> Result<Next, Failed> {
        let children = self.children(&held.place.name).await?;
        let mut shoots = Vec::new();
        // One sort of holders is enough to stay.
        if children.is_empty() {
            let mut taker = |shoot: Shoot| {
                shoots.extend(Some(shoot).filter(|shoot| shoot.refers_to(CLOUD_PROFILE, &held.place.name)));
                shoots.len() < ENOUGH
            };
            finalizer::shoots(&self.access, None, &mut taker).await?;
        }
        let deletion = cloud_profile_deletion(metadata, &children, &shoots);
        held.release(&*self.access.objects, &*self.access.events, &deletion).await
    }

    /// The profiles that inherit from a cloud profile, or some of them.
    async fn children(&self, parent: &str) -> Result<Vec<String>, Failed> {
        let mut children = Vec::new();
        let derived_profiles = [
            (ProfileKind::Private, &self.access.kinds.private),
            (ProfileKind::Released, &self.access.kinds.namespaced),
        ];
        for (profile, kind) in derived_profiles {
            let mut taker = |object: Value| {
                if profile.parent(&object) == Some(parent) {
                    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
                    children.push(format!("{}/{}", text("/metadata/namespace"), text("/metadata/name")));
                }
                children.len() < ENOUGH
            };
            let listed = self.access.questions.each(kind, None, &mut taker).await;
            listed.map_err(|fault| Failed::transient("profiles-unreadable", unlisted(kind.kind, &fault)))?;
        }
        Ok(children)
    }
}

impl Controller for Guard {
    fn name(&self) -> &'static str {
        "cloud-profile"
    }

    fn triggers(&self, client: &Client) -> BoxStream<'static, Key> {
        watch::changes(client, &self.access.kinds.cloud, None, None)
    }

    fn reconcile<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        Box::pin(self.run(key))
    }
}
