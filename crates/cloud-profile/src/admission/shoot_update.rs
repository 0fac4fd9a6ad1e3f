//! Whether a cluster may refer to another profile than before.

use std::borrow::Cow;

use landfall_diagnostics::shortened;

use super::shoots::{Shoot, Worker};
use super::{Refusal, Why};
use crate::released;
use crate::types::{CLOUD_PROFILE, CloudProfileSpec, NamespacedCloudProfile, PRIVATE_CLOUD_PROFILE};

/// The field that holds the reference.
const FIELD: &str = "spec.cloudProfile";

/// The profile that a reference leads to.
#[derive(Clone, Debug)]
pub struct Referred<'a> {
    /// The name of the cloud profile at the root.
    root: &'a str,
    /// What clusters may use, as far as it is known.
    offer: Option<Cow<'a, CloudProfileSpec>>,
}

impl<'a> Referred<'a> {
    /// A cloud profile.
    #[must_use]
    pub fn cloud_profile(name: &'a str, spec: &'a CloudProfileSpec) -> Self {
        Self { root: name, offer: Some(Cow::Borrowed(spec)) }
    }

    /// A profile of the kind that was proposed, with this parent. What the cluster uses is not compared with it here,
    /// but by [`super::Loss`].
    #[must_use]
    pub fn private(parent: &'a str) -> Self {
        Self { root: parent, offer: None }
    }

    /// A profile of the kind that was released. One that was never rendered offers what will be rendered of
    /// it.
    #[must_use]
    pub fn released(profile: &'a NamespacedCloudProfile, parent: Option<&'a CloudProfileSpec>) -> Self {
        let rendered = profile.status.as_ref().and_then(|status| status.cloud_profile_spec.as_ref());
        let offer = rendered.map(Cow::Borrowed);
        let to_come = || Some(Cow::Owned(released::render(parent?, &profile.spec)));
        Self { root: &profile.spec.parent.name, offer: offer.or_else(to_come) }
    }
}

/// What stands against a cluster that refers to another profile than before: the first thing that does.
/// `from` and `to` are what the old and the new reference lead to, if anything.
#[must_use]
pub fn shoot_update(
    old: &Shoot,
    new: &Shoot,
    from: Option<&Referred<'_>>,
    to: Option<&Referred<'_>>,
) -> Option<Refusal> {
    if old.profile == new.profile {
        return None;
    }
    let refused = |why, message: String| Some(Refusal::new(FIELD, why, message));
    let (Some(target), Some(to)) = (&new.profile, to) else {
        let name = new.profile.as_ref().map(|target| target.name.as_str()).unwrap_or_default();
        return refused(Why::NotFound, format!("there is no profile `{}`", shortened(name)));
    };
    let source = old.profile.as_ref()?;
    let known = from.map(|from| from.root);
    let root = known.or_else(|| (source.kind == CLOUD_PROFILE).then_some(source.name.as_str()));
    if root != Some(to.root) {
        let message = "the profile does not belong to the same cloud profile as the one before";
        return refused(Why::OtherHierarchy, message.to_owned());
    }
    let kinds = [source.kind.as_str(), target.kind.as_str()];
    if kinds.contains(&PRIVATE_CLOUD_PROFILE) {
        let message = "a cluster goes from one private profile to another by way of their parent";
        let are_siblings = !kinds.contains(&CLOUD_PROFILE);
        return are_siblings.then(|| Refusal::new(FIELD, Why::NotParentOrChild, message));
    }
    let offer = to.offer.as_deref()?;
    let before = from.and_then(|from| from.offer.as_deref());
    new.workers.iter().find_map(|worker| {
        let (why, message) = lost(worker, before, offer)?;
        refused(why, format!("worker `{}`: {message}", shortened(&worker.name)))
    })
}

/// What of a worker a profile does not offer. An image version that was not offered before either does not
/// count.
fn lost(
    worker: &Worker,
    before: Option<&CloudProfileSpec>,
    offer: &CloudProfileSpec,
) -> Option<(Why, String)> {
    if let Some((name, version)) = &worker.image
        && before.is_some_and(|before| has_image(before, name, version))
        && !has_image(offer, name, version)
    {
        let message =
            format!("version `{}` of image `{}` is not offered", shortened(version), shortened(name));
        return Some((Why::MachineImageMissing, message));
    }
    let machine = worker.machine_type.as_ref();
    if let Some(machine) =
        machine.filter(|machine| offer.machine_types.iter().all(|one| one.name != **machine))
    {
        let message = format!("machine type `{}` is not offered", shortened(machine));
        return Some((Why::MachineTypeMissing, message));
    }
    let volume = worker.volume_type.as_ref();
    let volume = volume.filter(|volume| offer.volume_types.iter().all(|one| one.name != **volume))?;
    Some((Why::VolumeTypeMissing, format!("volume type `{}` is not offered", shortened(volume))))
}

fn has_image(spec: &CloudProfileSpec, name: &str, version: &str) -> bool {
    let mut versions =
        spec.machine_images.iter().filter(|image| image.name == name).flat_map(|image| &image.versions);
    versions.any(|offered| offered.version == version)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::types::NAMESPACED_CLOUD_PROFILE;

    /// A cluster whose worker has the machine type `m`.
    fn shoot(kind: &str, name: &str) -> Shoot {
        Shoot::of(&json!({
            "metadata": { "name": "s", "namespace": "n" },
            "spec": {
                "cloudProfile": { "kind": kind, "name": name },
                "provider": { "workers": [{ "name": "w", "machine": { "type": "m" } }] },
            },
        }))
    }

    #[test]
    fn workers_count_for_the_released_kind_only() -> serde_json::Result<()> {
        let parent = CloudProfileSpec::default();
        let object = |kind: &str, parent: Value| {
            let spec = json!({ "parent": parent, "machineTypes": [{ "name": "m" }] });
            json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": "c" }, "spec": spec })
        };
        let reference = json!({ "kind": CLOUD_PROFILE, "name": "p" });
        let released: NamespacedCloudProfile =
            serde_json::from_value(object(NAMESPACED_CLOUD_PROFILE, reference))?;
        let plain = (shoot(CLOUD_PROFILE, "p"), Referred::cloud_profile("p", &parent));
        let private = (shoot(PRIVATE_CLOUD_PROFILE, "c"), Referred::private("p"));
        let released = (shoot(NAMESPACED_CLOUD_PROFILE, "c"), Referred::released(&released, Some(&parent)));
        let why = |from: &(Shoot, Referred<'_>), to: &(Shoot, Referred<'_>)| {
            shoot_update(&from.0, &to.0, Some(&from.1), Some(&to.1)).map(|refusal| refusal.why)
        };
        // The parent does not offer the machine type.
        assert_eq!(why(&private, &plain), None);
        assert_eq!(why(&plain, &private), None);
        assert_eq!(why(&released, &plain), Some(Why::MachineTypeMissing));
        assert_eq!(why(&plain, &released), None);
        assert_eq!(why(&private, &released), Some(Why::NotParentOrChild));
        Ok(())
    }
}
