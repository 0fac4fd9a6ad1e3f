//! Removes expired versions that are not in use from a cloud profile.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use landfall_cloud_profile::admission::{ProfileKind, Shoot};
use landfall_cloud_profile::clean::{InUse, clean_cloud_profile};
use landfall_cloud_profile::types::CLOUD_PROFILE;
use landfall_kube::objects::Part;
use serde_json::{Value, json};

use super::finalizer::{self, AGAIN, Held, is_overtaken, unlisted, written};
use super::{Access, clean_up_refused, cleaned_up, next};
use crate::{Failed, Next};

/// After how long it is looked again whether an expired version is still in use: no watch tells.
const PERIOD: SignedDuration = SignedDuration::from_hours(1);

/// The clean-up of cloud profiles.
pub(super) struct CleanUp<'a> {
    pub(super) access: &'a Access,
    /// Whether versions of machine images expire as well.
    pub(super) images: bool,
}

impl CleanUp<'_> {
    /// Removes what has expired of a cloud profile with this spec, and says when to look again.
    pub(super) async fn run(&self, held: &Held<'_>, spec: &Value) -> Result<Next, Failed> {
        let now = Timestamp::now();
        let mut cleaned = clean_cloud_profile(spec, now, self.images, &InUse::default());
        if cleaned.patch.is_some() {
            // What is in use is a question to the whole cluster, and asked only where something has expired.
            let in_use = self.in_use(&held.place.name).await?;
            cleaned = clean_cloud_profile(spec, now, self.images, &in_use);
        }
        if let Some(patch) = cleaned.patch {
            let patch = json!({ "metadata": { "resourceVersion": held.version }, "spec": patch });
            let saved = self.access.objects.merge(held.place, patch, Part::Whole).await;
            if let Err(fault) = &saved {
                if is_overtaken(fault) {
                    return Ok(Next::Again(AGAIN));
                }
                if let Some(refusal) = clean_up_refused(held.place, fault) {
                    self.access.events.report(refusal).await;
                }
            }
            let is_saved = saved.is_ok();
            written(held.place, saved)?;
            if is_saved {
                self.access.events.report(cleaned_up(held.place, &cleaned.removed)).await;
            }
        }
        let later = if cleaned.is_in_use { now.checked_add(PERIOD).ok() } else { None };
        Ok(next([cleaned.next_check, later].into_iter().flatten().min(), now))
    }

    /// The versions that profiles name which inherit from a cloud profile, and those that clusters run which refer to
    /// one of them or to the cloud profile.
    async fn in_use(&self, name: &str) -> Result<InUse, Failed> {
        let (access, mut in_use) = (self.access, InUse::default());
        let mut family = BTreeSet::new();
        let kinds = [
            (ProfileKind::Private, &access.kinds.private),
            (ProfileKind::Released, &access.kinds.namespaced),
        ];
        for (profile, kind) in kinds {
            let mut taker = |object: Value| {
                if profile.parent(&object) == Some(name) {
                    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default();
                    let (namespace, name) = (text("/metadata/namespace"), text("/metadata/name"));
                    family.insert((profile.name(), namespace.to_owned(), name.to_owned()));
                    in_use.add_profile(&object);
                }
                true
            };
            let listed = access.questions.each(kind, None, &mut taker).await;
            listed.map_err(|fault| Failed::transient("profiles-unreadable", unlisted(kind.kind, &fault)))?;
        }
        let mut taker = |shoot: Shoot| {
            let is_child = |kind: &str, namespace: &str, name: &str| {
                family.iter().any(|(of, place, child)| *of == kind && place == namespace && child == name)
            };
            let is_user = shoot.profile.as_ref().is_some_and(|to| {
                to.is_to(CLOUD_PROFILE, name) || is_child(&to.kind, &shoot.namespace, &to.name)
            });
            if is_user {
                in_use.add_cluster(&shoot);
            }
            true
        };
        finalizer::shoots(access, None, &mut taker).await?;
        Ok(in_use)
    }
}
