//! What an object names: the one that owns it, others by kind and name, and the Secrets and config maps from
//! which it takes values.

use serde_json::Value;

use super::{ObservedState, id_of};
use crate::core::Object;
use crate::desired::{Desired, Need};
use crate::kinds;
use crate::translate::Translation;

/// What ends the name of a field that takes its value from a config map; all others take theirs from a Secret.
const FROM_CONFIG_MAP: &str = "FromConfig";

/// What the operator says where it misses a Secret.
const SECRET_NOT_FOUND: &str = "SecretNotFound";

/// An object that is named by group, kind and name.
#[derive(Clone, Copy)]
struct Reference<'v> {
    group: &'v str,
    kind: &'v str,
    name: &'v str,
}

impl Reference<'_> {
    /// The object, if it is of a kind that is known.
    fn need(self) -> Option<Need> {
        let kind = kinds::find(self.group, self.kind)?.kind;
        Some(Need { kind, name: self.name.to_owned() })
    }
}

fn references(value: &Value) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    collect(value, &mut found);
    found
}

fn collect<'v>(value: &'v Value, found: &mut Vec<Reference<'v>>) {
    match value {
        Value::Object(fields) => {
            let text = |field: &str| fields.get(field).and_then(Value::as_str);
            if let (Some(group), Some(kind), Some(name)) = (text("group"), text("kind"), text("name")) {
                found.push(Reference { group, kind, name });
            }
            fields.values().for_each(|value| collect(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| collect(value, found)),
        _ => {}
    }
}

/// Whether a spec names an object as its owner, or by kind and name anywhere.
pub(super) fn mentions(spec: &Value, id: &Need) -> bool {
    let refers = || references(spec).into_iter().filter_map(Reference::need).any(|need| need == *id);
    spec.get("owner").is_some_and(|owner| is_owner(owner, id)) || refers()
}

/// An owner is named without its kind where there is only one that it can be of.
pub(super) fn is_owner(owner: &Value, id: &Need) -> bool {
    let text = |field: &str| owner.get(field).and_then(Value::as_str);
    text("name") == Some(id.name.as_str()) && text("kind").is_none_or(|kind| kind == id.kind)
}

/// The objects that an object of the plan needs only because the user's patches name them: others of the plan,
/// and what stands besides. That something else is missing is for the operator to say.
pub(super) fn of_patches(desired: &Desired, plan: &Translation, world: &ObservedState) -> Vec<Need> {
    let itself = id_of(desired);
    let patches = desired.hints.patches.iter().filter_map(|patch| serde_json::from_str::<Value>(patch).ok());
    let patches: Vec<Value> = patches.collect();
    let specs = patches.iter().filter_map(|patch| patch.get("spec"));
    let mut needs: Vec<Need> = specs.flat_map(references).filter_map(Reference::need).collect();
    needs.retain(|need| {
        let is_there = has(plan, need) || world.get(need).is_some();
        is_there && *need != itself && !desired.needs.contains(need)
    });
    needs.sort();
    needs.dedup();
    needs
}

/// Whether what the operator misses of an object as it stands comes with the plan.
pub(super) fn comes(existing: &Value, plan: &Translation, world: &ObservedState) -> bool {
    let Some(spec) = existing.get("spec") else { return true };
    match Object(existing).ready().reason {
        "WaitingForOwner" => {
            let owner = spec.get("owner").unwrap_or(&Value::Null);
            let stands = world.iter().any(|(id, _)| is_owner(owner, id));
            stands || plan.objects.iter().any(|desired| is_owner(owner, &id_of(desired)))
        }
        "ReferenceNotFound" => {
            let mut missing = references(spec);
            missing.retain(|reference| reference.need().is_none_or(|need| world.get(&need).is_none()));
            let comes = |reference: &Reference<'_>| reference.need().is_some_and(|need| has(plan, &need));
            missing.is_empty() || missing.iter().any(comes)
        }
        SECRET_NOT_FOUND => !world.lacks_credential && are_made(spec, plan, Source::Secret),
        "ConfigMapNotFound" => are_made(spec, plan, Source::ConfigMap),
        _ => true,
    }
}

/// Whether the operator misses a Secret of any object.
pub(super) fn lack_a_secret(world: &ObservedState) -> bool {
    world.iter().any(|(_, object)| Object(object).ready().reason == SECRET_NOT_FOUND)
}

fn has(plan: &Translation, id: &Need) -> bool {
    plan.objects.iter().any(|desired| super::is(desired, id))
}

/// From what a value can be taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    Secret,
    ConfigMap,
}

/// Whether all Secrets, or config maps, that a spec takes values from are made with the plan.
fn are_made(spec: &Value, plan: &Translation, source: Source) -> bool {
    let part = match source {
        Source::Secret => "secrets",
        Source::ConfigMap => "configMaps",
    };
    let made = |name: &str| {
        let fields = plan.objects.iter().filter_map(|desired| desired.spec.get("operatorSpec")?.get(part));
        let mut places = fields.filter_map(Value::as_object).flat_map(|fields| fields.values());
        places.any(|place| place.get("name").and_then(Value::as_str) == Some(name))
    };
    let mut names = Vec::new();
    sources("", spec, source, &mut names);
    names.into_iter().all(made)
}

/// The names of the Secrets, or config maps, from which a field takes its value.
fn sources<'v>(field: &str, value: &'v Value, source: Source, names: &mut Vec<&'v str>) {
    match value {
        Value::Object(fields) => {
            let text = |field: &str| fields.get(field).and_then(Value::as_str);
            let is_map = field.ends_with(FROM_CONFIG_MAP);
            if let (Some(name), Some(_)) = (text("name"), text("key"))
                && is_map == (source == Source::ConfigMap)
            {
                names.push(name);
            }
            // What stands there is written by the operator.
            for (field, value) in fields.iter().filter(|(field, _)| *field != "operatorSpec") {
                sources(field, value, source, names);
            }
        }
        Value::Array(items) => items.iter().for_each(|value| sources(field, value, source, names)),
        _ => {}
    }
}
