//! What all stages of a review say, so that one answer names all that is to be corrected.

use super::misfit::is_within;
use super::{Refusal, Request, Stage, Verdict, beside_parent, merge_result, review};

/// The field with the parent, or the field that holds it.
const PARENT: &str = "spec.parent";

/// All that stands against a profile: what [`review`] refuses and, where it stops at an early stage, what the later
/// ones would refuse besides. What may be a consequence of something that is refused is left out.
#[must_use]
pub fn refusals(request: &Request<'_>) -> Vec<Refusal> {
    let Verdict::Refused { stage, mut refusals } = review(request) else { return Vec::new() };
    // What a profile comes to beside a parent that is refused says nothing.
    if stage == Stage::MergeResult || refusals.iter().any(|known| is_within(&known.field, PARENT)) {
        return refusals;
    }
    if stage == Stage::Validation {
        let more = beside_parent(request);
        extend(&mut refusals, more, |one| one.field.clone());
    }
    let more = merge_result(request);
    extend(&mut refusals, more, |one| place(request, one));
    refusals
}

/// Adds those at whose place nothing is refused yet.
fn extend(known: &mut Vec<Refusal>, mut more: Vec<Refusal>, place: impl Fn(&Refusal) -> String) {
    more.retain(|one| {
        let place = place(one);
        !known.iter().any(|known| is_within(&known.field, &place))
    });
    known.extend(more);
}

/// The list of the profile that a refusal of the result is about, or the spec if the profile has no such list.
fn place(request: &Request<'_>, refusal: &Refusal) -> String {
    let list = refusal.field.split('.').nth(2).unwrap_or_default();
    let list = list.split('[').next().unwrap_or_default();
    let is_own = request.object.get("spec").and_then(|spec| spec.get(list)).is_some();
    if is_own { format!("spec.{list}") } else { "spec".to_owned() }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::admission::ProfileKind;
    use crate::types::CloudProfileSpec;

    fn fields(kind: ProfileKind, old: Option<&Value>, spec: &Value) -> serde_json::Result<Vec<String>> {
        let object = |spec: &Value| {
            json!({
                "apiVersion": "core.gardener.cloud/v1beta1",
                "kind": kind.name(),
                "metadata": { "name": "c", "namespace": "n" },
                "spec": spec,
            })
        };
        let parent: CloudProfileSpec = serde_json::from_value(json!({
            "type": "x",
            "kubernetes": { "versions": [{ "version": "1.2.3" }] },
            "machineTypes": [{ "name": "m" }],
        }))?;
        let (object, old) = (object(spec), old.map(object));
        let now = Timestamp::UNIX_EPOCH;
        let request = Request { kind, object: &object, old: old.as_ref(), parent: Some(&parent), now };
        let mut fields: Vec<String> = refusals(&request).into_iter().map(|refusal| refusal.field).collect();
        fields.sort();
        Ok(fields)
    }

    #[test]
    fn what_is_wrong_beside_the_parent_is_told_with_what_is_wrong_alone() -> serde_json::Result<()> {
        let date = "2999-01-01T00:00:00Z";
        let versions = json!({ "versions": [{ "version": "9.9.9", "expirationDate": date }] });
        let spec = json!({ "parent": "p", "kubernetes": versions, "limits": { "maxNodesTotal": 0 } });
        assert_eq!(
            fields(ProfileKind::Private, None, &spec)?,
            ["spec.kubernetes.versions[0]", "spec.limits.maxNodesTotal"]
        );
        let parent = json!({ "kind": "CloudProfile", "name": "p" });
        let spec = json!({ "parent": parent, "kubernetes": versions, "limits": { "maxNodesTotal": -1 } });
        let found = fields(ProfileKind::Released, None, &spec)?;
        assert!(found.iter().any(|field| field.starts_with("spec.kubernetes.versions[0]")), "{found:?}");
        assert!(found.iter().any(|field| field == "spec.limits.maxNodesTotal"), "{found:?}");
        // Without a fault there is nothing to say.
        assert!(fields(ProfileKind::Private, None, &json!({ "parent": "p" }))?.is_empty());
        Ok(())
    }

    #[test]
    fn beside_a_parent_that_is_refused_nothing_is_compared() -> serde_json::Result<()> {
        let date = "2999-01-01T00:00:00Z";
        let versions = json!({ "versions": [{ "version": "9.9.9", "expirationDate": date }] });
        let old = json!({ "parent": "other" });
        let spec = json!({ "parent": "p", "kubernetes": versions });
        assert_eq!(fields(ProfileKind::Private, Some(&old), &spec)?, ["spec.parent"]);
        Ok(())
    }
}
