//! Tags: what others set survives, what the user set is put back, and what the user dropped goes.
//!
//! Azure takes keys that differ in case only for the same; so does this.

use serde_json::{Map, Value, json};

use super::difference::annotate;
use super::{Context, Object};
use crate::desired::Desired;
use crate::keys;

/// Brings the tags of an object up to date, together with the record of the user's.
pub(super) fn apply(target: &mut Value, desired: &Desired, context: &Context) -> Result<(), String> {
    let Some(field) = desired.hints.tags.field() else {
        return Ok(());
    };
    let object = Object(target);
    let last = recorded(object.annotation(keys::LAST_APPLIED_TAGS))?;
    let mut tags = object.map("spec", field).cloned().unwrap_or_default();

    let mut base = desired.spec.get(field).and_then(Value::as_object).cloned().unwrap_or_default();
    set(&mut base, &keys::ownership_tag(&context.infra_id), keys::OWNED.into());
    let user = &desired.hints.additional_tags;
    for (key, value) in &base {
        set(&mut tags, key, value.clone());
    }
    for (key, value) in user {
        set(&mut tags, key, value.as_str().into());
    }
    let kept = |key: &str| user.keys().chain(base.keys()).any(|other| same(other, key));
    for dropped in last.keys().filter(|key| !kept(key)) {
        tags.retain(|key, _| !same(key, dropped));
    }

    if let Some(spec) = target.get_mut("spec").and_then(Value::as_object_mut) {
        spec.insert(field.to_owned(), Value::Object(tags));
    }
    let record = json!(user).to_string();
    annotate(target, &[(keys::LAST_APPLIED_TAGS, Some(record.as_str()))]);
    Ok(())
}

/// Whether tags, as Azure shows them, prove that this cluster owns the resource.
pub(super) fn prove_ownership(tags: Option<&Map<String, Value>>, infra_id: &str) -> bool {
    let proofs = keys::ownership_tags(infra_id);
    tags.into_iter().flatten().any(|(key, value)| {
        value.as_str() == Some(keys::OWNED) && proofs.iter().any(|proof| same(proof, key))
    })
}

pub(super) fn same(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Sets a tag under the spelling that it has, and leaves it under no other.
fn set(tags: &mut Map<String, Value>, key: &str, value: Value) {
    let other = tags.keys().find(|known| same(known, key)).filter(|_| !tags.contains_key(key)).cloned();
    tags.retain(|known, _| !same(known, key));
    tags.insert(other.unwrap_or_else(|| key.to_owned()), value);
}

fn recorded(record: Option<&str>) -> Result<Map<String, Value>, String> {
    let unreadable = |_| format!("annotation {} cannot be parsed", keys::LAST_APPLIED_TAGS);
    record.map_or_else(|| Ok(Map::new()), |text| serde_json::from_str(text).map_err(unreadable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_ownership_tag_of_this_cluster_is_proof() {
        let proves = |tags: Value| prove_ownership(tags.as_object(), "demo-x7k2p");
        assert!(proves(json!({"kubernetes.io_cluster.demo-x7k2p": "owned"})));
        assert!(proves(
            json!({"a": "b", "Sigs.k8s.io_Cluster-API-Provider-Azure_cluster_demo-x7k2p": "owned"})
        ));
        assert!(!proves(json!({"kubernetes.io_cluster.demo-x7k2p": "Owned"})));
        assert!(!proves(json!({"kubernetes.io_cluster.demo-x7k2p": "shared"})));
        assert!(!proves(json!({"kubernetes.io_cluster.demo-x7k2": "owned"})));
        assert!(!proves(json!(null)));
    }

    #[test]
    fn a_tag_keeps_its_spelling() {
        let mut tags = Map::new();
        set(&mut tags, "Team", "a".into());
        set(&mut tags, "team", "b".into());
        assert_eq!(Value::Object(tags.clone()), json!({"Team": "b"}));
        tags.insert("team".to_owned(), "c".into());
        set(&mut tags, "team", "d".into());
        assert_eq!(Value::Object(tags), json!({"team": "d"}));
    }

    #[test]
    fn a_record_is_a_map_or_absent() {
        assert_eq!(recorded(None), Ok(Map::new()));
        assert_eq!(recorded(Some("{}")), Ok(Map::new()));
        for broken in ["", "{", "[]", "null"] {
            let said = "annotation aso.landfall.dev/last-applied-tags cannot be parsed";
            assert_eq!(recorded(Some(broken)), Err(said.to_owned()));
        }
    }
}
