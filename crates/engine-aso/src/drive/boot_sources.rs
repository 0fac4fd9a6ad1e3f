//! What machines start from and the operator has no kinds for, an image and an ignition config: which objects it needs,
//! which machines wait for it, and what a machine that exists was created with.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use serde_json::Value;

use super::{ObservedState, Step, pages};
use crate::core::{FOREIGN, Object};
use crate::desired::{Desired, Need, Policy};
use crate::translate::Translation;

/// The kind of machines.
const MACHINE: &str = "VirtualMachine";
/// The kind in whose resource an image and an ignition config lie.
const ACCOUNT: &str = "StorageAccount";
/// What machines wait for.
const SOURCES: &str = "image and ignition config";
/// Where an object of a machine has its ignition config, in base64.
const CUSTOM_DATA: &str = "/spec/osProfile/customData";
/// The kinds of objects that boot sources lie in or need.
const NEEDED: &[&str] =
    &["ResourceGroup", ACCOUNT, "StorageAccountsBlobServicesContainer", "UserAssignedIdentity"];

/// A machine, as far as Azure has it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its ignition config. Azure does not change that of a machine.
    pub pointer: Secret<String>,
    /// Whether it runs, so that all exists that it starts from.
    pub is_ready: bool,
}

/// The bootstrap machine among the objects of a cluster, if it has one.
#[must_use]
pub fn bootstrap(translation: &Translation) -> Option<&Desired> {
    translation.objects.iter().find(|object| is_machine(object) && object.name.ends_with("-bootstrap"))
}

fn is_machine(object: &Desired) -> bool {
    object.kind.kind == MACHINE
}

/// A machine by its object, if Azure has it with an ignition config and the object is not being deleted.
#[must_use]
pub fn machine(object: &Value) -> Option<Machine> {
    let text = text_in(object, CUSTOM_DATA).filter(|_| is_in_azure(object))?;
    let config = STANDARD.decode(text).ok()?;
    let pointer = Secret::new(String::from_utf8(config).ok()?);
    Some(Machine { pointer, is_ready: Object(object).is_ready() })
}

/// Whether Azure has a machine whose object is not being deleted.
fn is_in_azure(object: &Value) -> bool {
    // The operator notes the id once Azure has created the machine.
    let has_id = text_in(object, "/status/id").or_else(|| text_in(object, "/status/vmId")).is_some();
    has_id && !Object(object).is_being_deleted()
}

fn text_in<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// Has machines that exist keep the ignition configs that they were created with: Azure refuses to change these.
pub fn keep_configs(translation: &mut Translation, world: &ObservedState) {
    for object in translation.objects.iter_mut().filter(|object| is_machine(object)) {
        let existing = world.get(&Need { kind: object.kind.kind, name: object.name.clone() });
        let config = existing.filter(|existing| is_in_azure(existing));
        let config = config.and_then(|existing| text_in(existing, CUSTOM_DATA));
        let profile = object.spec.get_mut("osProfile").and_then(Value::as_object_mut);
        if let (Some(config), Some(profile)) = (config, profile) {
            profile.insert("customData".to_owned(), config.into());
        }
    }
}

/// The same objects without the ignition configs of their machines.
#[must_use]
pub fn without_configs(translation: &Translation) -> Translation {
    let mut translation = translation.clone();
    for object in translation.objects.iter_mut().filter(|object| is_machine(object)) {
        if let Some(profile) = object.spec.get_mut("osProfile").and_then(Value::as_object_mut) {
            profile.remove("customData");
        }
    }
    translation
}

/// Has all machines wait for what they start from, and for the objects that this needs: without one of these, nothing
/// is to come.
pub fn hold(translation: &mut Translation) {
    let needs = needs(translation);
    for object in translation.objects.iter_mut().filter(|object| is_machine(object)) {
        object.hints.late_bound = vec![SOURCES.to_owned()];
        object.needs.extend(needs.iter().cloned());
        object.needs.sort();
        object.needs.dedup();
    }
}

/// Whether an object is a machine that waits for what it starts from.
#[must_use]
pub fn is_held(object: &Desired) -> bool {
    object.hints.late_bound.iter().any(|value| value == SOURCES)
}

/// The objects of a translation that must be Ready before boot sources are created.
#[must_use]
pub fn needs(translation: &Translation) -> Vec<Need> {
    let needed = translation.objects.iter().filter(|object| NEEDED.contains(&object.kind.kind));
    needed.map(|object| Need { kind: object.kind.kind, name: object.name.clone() }).collect()
}

/// What is said of patches that lead away from where landfall puts the boot sources.
#[must_use]
pub fn patched(translation: &Translation) -> Vec<Finding> {
    const FIELDS: &[(&str, &str)] = &[
        ("/spec/azureName", "spec.azureName"),
        ("/spec/owner", "spec.owner"),
        ("/spec/allowSharedKeyAccess", "spec.allowSharedKeyAccess"),
    ];
    let needed = translation.objects.iter().filter(|object| NEEDED.contains(&object.kind.kind));
    let mut found = Vec::new();
    for object in needed {
        for patch in &object.hints.patches {
            let patch: Value = serde_json::from_str(patch).unwrap_or_default();
            let fields = FIELDS.iter().filter(|(pointer, _)| patch.pointer(pointer).is_some());
            found.extend(
                fields.map(|(_, field)| pages::patched_source(object.kind.kind, &object.name, field)),
            );
        }
    }
    found
}

/// Whether boot sources can be created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// All is there that they need.
    Ready,
    /// Some of it is not Ready yet.
    Waits,
    /// The resource of this object is somebody else's: nothing is put into it.
    Foreign(Need),
}

/// Whether boot sources can be created that need these objects, as a step and the objects themselves tell.
#[must_use]
pub fn basis(needs: &[Need], step: &Step, world: &ObservedState) -> Basis {
    // What is created lies in the account, so that it must be the cluster's.
    let account = step.objects.iter().find(|planned| {
        planned.object.kind == ACCOUNT
            && planned.action.message.contains(FOREIGN)
            && needs.contains(&planned.object)
    });
    if let Some(account) = account {
        return Basis::Foreign(account.object.clone());
    }
    let is_usable = |need: &Need| {
        let object = world.get(need).map(Object).filter(|object| object.is_ready());
        object.is_some_and(|object| need.kind != ACCOUNT || object.policy() != Policy::Skip)
    };
    if needs.iter().all(is_usable) { Basis::Ready } else { Basis::Waits }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::desired::Hints;
    use crate::kinds::named;

    fn object(status: &Value, metadata: &Value) -> Value {
        let mut object = json!({
            "metadata": metadata,
            "spec": { "osProfile": { "customData": STANDARD.encode("{}") } },
            "status": { "conditions": [{ "type": "Ready", "status": "True" }] },
        });
        json_patch::merge(&mut object["status"], status);
        object
    }

    #[test]
    fn a_machine_is_known_once_azure_has_it() {
        let id = json!({ "id": "/subscriptions/s/x" });
        let found = machine(&object(&id, &json!({})));
        assert!(found.is_some_and(|machine| machine.is_ready && machine.pointer.expose() == "{}"));
        // One that Azure has refused gets an address that is still valid.
        assert!(machine(&object(&json!({}), &json!({}))).is_none());
        let going = json!({ "deletionTimestamp": "2026-11-28T00:00:00Z" });
        assert!(machine(&object(&id, &going)).is_none());
        let unready = json!({ "id": "/subscriptions/s/x", "conditions": [] });
        assert!(machine(&object(&unready, &json!({}))).is_some_and(|machine| !machine.is_ready));
        let mut without = object(&id, &json!({}));
        without["spec"] = json!({});
        assert!(machine(&without).is_none());
    }

    #[test]
    fn a_machine_that_exists_keeps_its_config() {
        let kind = named(MACHINE);
        assert!(kind.is_some());
        let Some(kind) = kind else { return };
        let desired = |name: &str| Desired {
            kind,
            api_version: String::new(),
            name: name.to_owned(),
            spec: [("osProfile".to_owned(), json!({ "customData": "bmV3" }))].into_iter().collect(),
            hints: Hints::of(kind),
            needs: Vec::new(),
        };
        let objects = vec![desired("there"), desired("refused"), desired("new")];
        let mut translation = Translation { objects, ..Translation::default() };
        let mut world = ObservedState::default();
        world.insert(kind.kind, object(&json!({ "id": "/s/x" }), &json!({ "name": "there" })));
        world.insert(kind.kind, object(&json!({}), &json!({ "name": "refused" })));
        keep_configs(&mut translation, &world);
        let config = |object: &Desired| object.spec["osProfile"]["customData"].clone();
        let configs: Vec<Value> = translation.objects.iter().map(config).collect();
        assert_eq!(configs, [json!(STANDARD.encode("{}")), json!("bmV3"), json!("bmV3")]);
        let bare = without_configs(&translation);
        assert!(bare.objects.iter().all(|object| config(object).is_null()));
    }
}
