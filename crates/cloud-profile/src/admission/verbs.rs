//! The verbs that a change of a profile needs beside the usual ones.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ProfileKind, Refusal, Why};
use crate::equivalence::Meaning;
use crate::types::{Kubernetes, MachineImage};

/// A verb that guards a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verb {
    /// The field.
    pub field: &'static str,
    /// The verb, as a role names it.
    pub name: &'static str,
}

impl Verb {
    /// What stands against the request of someone who lacks the verb.
    #[must_use]
    pub fn refusal(self) -> Refusal {
        let message = format!("the verb `{}` on this resource is needed to change this field", self.name);
        Refusal::new(self.field, Why::VerbMissing, message)
    }
}

const KUBERNETES: Verb = Verb { field: "spec.kubernetes", name: "modify-spec-kubernetes" };
const PRIVATE_IMAGES: Verb = Verb { field: "spec.machineImages", name: "modify-spec-machineImages" };
const RELEASED_IMAGES: Verb = Verb { field: "spec.machineImages", name: "modify-spec-machineimages" };
const PROVIDER_CONFIG: Verb = Verb { field: "spec.providerConfig", name: "modify-spec-providerconfig" };

/// The verbs that whoever writes `new` needs, where `old` stands or nothing does, in the order in which they
/// are to be asked for. Each one that is lacking refuses the request.
#[must_use]
pub fn verbs(kind: ProfileKind, old: Option<&Value>, new: &Value) -> Vec<Verb> {
    let field = |object: &Value, path: &str| object.pointer(path).cloned().unwrap_or_default();
    let both = |path: &str| (old.map(|old| field(old, path)).unwrap_or_default(), field(new, path));
    let kubernetes = both("/spec/kubernetes");
    let images = both("/spec/machineImages");
    let config = both("/spec/providerConfig");
    let images_differ = differ::<Option<Vec<MachineImage>>>(&images.0, &images.1);
    let needed = match kind {
        ProfileKind::Private => [(images_differ, PRIVATE_IMAGES), (false, PROVIDER_CONFIG)],
        ProfileKind::Released => [(images_differ, RELEASED_IMAGES), (config.0 != config.1, PROVIDER_CONFIG)],
    };
    let kubernetes = (differ::<Kubernetes>(&kubernetes.0, &kubernetes.1), KUBERNETES);
    let needed = [kubernetes].into_iter().chain(needed);
    needed.filter(|(is_needed, _)| *is_needed).map(|(_, verb)| verb).collect()
}

/// Whether two values of a type mean something else; as JSON, where one is not of the type.
fn differ<T: Meaning + DeserializeOwned>(old: &Value, new: &Value) -> bool {
    match (T::deserialize(old), T::deserialize(new)) {
        (Ok(old), Ok(new)) => !old.same(&new),
        _ => old != new,
    }
}
