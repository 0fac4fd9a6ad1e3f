//! The two kinds of profiles that inherit, as far as the controller must distinguish them.

use std::fmt::Debug;

use jiff::Timestamp;
use landfall_cloud_profile::admission::ProfileKind;
use landfall_cloud_profile::clean::clean;
use landfall_cloud_profile::render::render;
use landfall_cloud_profile::types::{
    Condition, NamespacedCloudProfileSpec, NamespacedCloudProfileStatus, PrivateCloudProfile,
    PrivateCloudProfileSpec, PrivateCloudProfileStatus,
};
use landfall_cloud_profile::{released, status};
use landfall_kube::kinds::ProfileKinds;
use landfall_kube::objects::Kind;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::snapshot::Standing;
use super::store::Parent;

/// A profile beside its spec.
pub(super) struct About<'a> {
    /// Group and version of its kind.
    pub(super) api_version: String,
    /// Its name.
    pub(super) name: &'a str,
    /// The generation of its spec.
    pub(super) generation: Option<i64>,
    /// What its status says.
    pub(super) standing: &'a Standing,
    /// Whether admission is missing; none if that is unknown.
    pub(super) is_unprotected: Option<bool>,
    /// The time.
    pub(super) now: Timestamp,
}

/// What the status of a profile is to say.
pub(super) struct Told {
    /// The status.
    pub(super) status: Value,
    /// Whether it is all of it; else what is not in it stays.
    pub(super) is_whole: bool,
    /// What the status says then.
    pub(super) standing: Standing,
}

/// A profile without what has expired.
pub(super) struct Left<S> {
    /// What is left.
    pub(super) spec: S,
    /// The merge patch of the spec that leads there.
    pub(super) patch: Value,
    /// What is gone.
    pub(super) removed: Vec<String>,
}

/// A profile at an instant.
pub(super) struct Swept<S> {
    /// What is left, where something has expired.
    pub(super) left: Option<Left<S>>,
    /// When something else expires.
    pub(super) next: Option<Timestamp>,
}

/// The spec of a profile that inherits.
pub(super) trait DerivedProfile: Clone + Debug + DeserializeOwned + Send + Sync + 'static {
    /// The name of the controller.
    const CONTROLLER: &'static str;
    /// The kind of the profile.
    const PROFILE: ProfileKind;

    /// The kind of its objects, among those of a group.
    fn kind(kinds: &'static ProfileKinds) -> &'static Kind;

    /// The name of the parent.
    fn parent(&self) -> &str;

    /// What has expired of it at an instant; with `images`, versions of images expire as well.
    fn swept(&self, now: Timestamp, images: bool) -> Swept<Self>;

    /// What its status is to say with this parent; none where it has nothing to say.
    fn told(&self, about: &About<'_>, parent: &Parent) -> Option<Told>;
}

impl DerivedProfile for PrivateCloudProfileSpec {
    const CONTROLLER: &'static str = "private-cloud-profile";
    const PROFILE: ProfileKind = ProfileKind::Private;

    fn kind(kinds: &'static ProfileKinds) -> &'static Kind {
        &kinds.private
    }

    fn parent(&self) -> &str {
        &self.parent
    }

    fn swept(&self, now: Timestamp, images: bool) -> Swept<Self> {
        let cleaned = clean(self, now, images);
        let left = (!cleaned.removed.is_empty()).then(|| {
            let spec = serde_json::to_value(&cleaned.spec).unwrap_or_default();
            let part = |name: &str| spec.get(name).cloned().unwrap_or_default();
            let patch = json!({ "kubernetes": part("kubernetes"), "machineImages": part("machineImages") });
            Left { spec: cleaned.spec, patch, removed: cleaned.removed }
        });
        Swept { left, next: cleaned.next_check }
    }

    fn told(&self, about: &About<'_>, parent: &Parent) -> Option<Told> {
        // The other fields of the status need not be known to compute it.
        let profile = PrivateCloudProfile {
            api_version: about.api_version.clone(),
            metadata: [
                ("name".to_owned(), about.name.into()),
                ("generation".to_owned(), about.generation.into()),
            ]
            .into_iter()
            .collect(),
            spec: Self { parent: self.parent.clone(), ..Self::default() },
            status: Some(PrivateCloudProfileStatus {
                conditions: about.standing.conditions.clone(),
                ..PrivateCloudProfileStatus::default()
            }),
            ..PrivateCloudProfile::default()
        };
        let mut status = match parent {
            Parent::There(parent) => {
                let mut status = status::rendered(&profile, render(parent, self));
                protect(&mut status.conditions, about);
                date(&mut status.conditions, about.now);
                return Some(whole(serde_json::to_value(status).ok()?));
            }
            Parent::Missing => status::parent_not_found(&profile),
            Parent::Unreadable => status::parent_unreadable(&profile),
        };
        protect(&mut status.conditions, about);
        date(&mut status.conditions, about.now);
        let mut changes = json!({ "conditions": status.conditions });
        if about.standing.is_unseen() {
            changes["observedGeneration"] = Value::Null;
        }
        Some(Told { status: changes, is_whole: false, standing: about.standing.with(status.conditions) })
    }
}

impl DerivedProfile for NamespacedCloudProfileSpec {
    const CONTROLLER: &'static str = "namespaced-cloud-profile";
    const PROFILE: ProfileKind = ProfileKind::Released;

    fn kind(kinds: &'static ProfileKinds) -> &'static Kind {
        &kinds.namespaced
    }

    fn parent(&self) -> &str {
        &self.parent.name
    }

    /// Nothing is taken out of what is stored.
    fn swept(&self, _: Timestamp, _: bool) -> Swept<Self> {
        Swept { left: None, next: None }
    }

    /// This kind has no place to say what is wrong with its parent. What the profile leaves open counts as
    /// filled in, even where it is older than the webhook.
    fn told(&self, about: &About<'_>, parent: &Parent) -> Option<Told> {
        let Parent::There(parent) = parent else { return None };
        let status = NamespacedCloudProfileStatus {
            cloud_profile_spec: Some(released::render(parent, &released::default(self))),
            observed_generation: about.generation,
        };
        Some(whole(serde_json::to_value(status).ok()?))
    }
}

fn whole(status: Value) -> Told {
    Told { standing: Standing::of(&status), status, is_whole: true }
}

/// Adds that admission is missing, if it is. Where that is unknown, the condition stays as it was.
fn protect(conditions: &mut Vec<Condition>, about: &About<'_>) {
    let before = &about.standing.conditions;
    let was = || before.iter().any(|before| before.kind == status::PROTECTED);
    if about.is_unprotected.unwrap_or_else(was) {
        conditions.push(status::unprotected(before, about.generation));
    }
}

/// Dates the conditions that did not stand before.
fn date(conditions: &mut [Condition], now: Timestamp) {
    for condition in conditions {
        let since = &mut condition.last_transition_time;
        since.get_or_insert_with(|| now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    }
}
