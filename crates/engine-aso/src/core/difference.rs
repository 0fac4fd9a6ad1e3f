//! An object as it is to be, and what of it differs from the one that was read.

use serde_json::{Value, json};

use super::{Case, Context, Object, Owner, extra, merge_patch, tags};
use crate::desired::{Desired, Mode, Policy};
use crate::keys;

/// An annotation with the value that it is to have; none where it is to go.
pub(super) type Annotation<'a> = (&'static str, Option<&'a str>);

/// What a patch changes.
pub(super) struct Change {
    /// The merge patch.
    pub patch: Value,
    /// The policy annotation afterwards.
    pub policy: Option<String>,
}

impl Change {
    fn between(object: Object<'_>, target: &Value) -> Option<Self> {
        let patch = merge_patch::difference(object.0, target)?;
        Some(Self { patch, policy: Object(target).policy_as_written().map(str::to_owned) })
    }

    /// The names of the fields that change, without their values.
    pub(super) fn fields(&self) -> String {
        let sections = self.patch.as_object().into_iter().flatten();
        let named = sections.flat_map(|(section, below)| {
            below.as_object().into_iter().flatten().map(move |(field, _)| format!("{section}.{field}"))
        });
        named.collect::<Vec<String>>().join(", ")
    }
}

/// Sets or removes annotations.
pub(super) fn annotate(target: &mut Value, annotations: &[Annotation<'_>]) {
    for (key, value) in annotations {
        // Removing what is not there must not leave an empty map behind.
        if value.is_none() && Object(target).annotation(key).is_none() {
            continue;
        }
        json_patch::merge(target, &json!({"metadata": {"annotations": {(*key): value}}}));
    }
}

/// The change of nothing but annotations.
pub(super) fn annotated(object: Object<'_>, annotations: &[Annotation<'_>]) -> Option<Change> {
    let mut target = object.0.clone();
    annotate(&mut target, annotations);
    Change::between(object, &target)
}

/// The change that makes the object as the plan wants it, with these annotations; none where it is so already.
///
/// What the plan does not name stays. Under a policy that only reads, the spec is not touched: nothing of it
/// would reach Azure, and what is the user's is not the engine's to write.
pub(super) fn planned(
    case: &Case<'_>,
    desired: &Desired,
    annotations: &[Annotation<'_>],
) -> Result<Option<Change>, String> {
    let mut target = case.object.0.clone();
    annotate(&mut target, annotations);
    // What is the user's is only read, whatever was written into its object.
    if desired.hints.mode == Mode::Byo && Object(&target).policy() != Policy::Skip {
        annotate(&mut target, &[(keys::POLICY, Some(Policy::Skip.name()))]);
    }
    let spec_untouched = Object(&target).policy() == Policy::Skip;
    if !spec_untouched {
        replace_fields(&mut target, desired);
    }
    complete(&mut target, desired, case.owner, case.context, spec_untouched)?;
    Ok(Change::between(case.object, &target))
}

/// The object as it is first made: only read, so that nothing of a user's that has its name in Azure is
/// overwritten.
pub(super) fn created(desired: &Desired, owner: &Owner, context: &Context) -> Result<Value, String> {
    let mut target = json!({
        "apiVersion": desired.api_version,
        "kind": desired.kind.kind,
        "metadata": {"name": desired.name, "namespace": owner.namespace},
        "spec": desired.spec,
    });
    annotate(&mut target, &[(keys::POLICY, Some(Policy::Skip.name()))]);
    complete(&mut target, desired, owner, context, desired.hints.mode != Mode::Managed)?;
    Ok(target)
}

/// Puts every field of the plan in place of the object's; tags are merged later.
fn replace_fields(target: &mut Value, desired: &Desired) {
    json_patch::merge(target, &json!({"spec": {}}));
    if let Some(spec) = target.get_mut("spec").and_then(Value::as_object_mut) {
        let carrier = desired.hints.tags.field();
        let fields = desired.spec.iter().filter(|(field, _)| Some(field.as_str()) != carrier);
        spec.extend(fields.map(|(field, value)| (field.clone(), value.clone())));
    }
}

/// What follows the fields of the plan: the user's patches, tags, owner, labels and annotations.
fn complete(
    target: &mut Value,
    desired: &Desired,
    owner: &Owner,
    context: &Context,
    spec_untouched: bool,
) -> Result<(), String> {
    extra::apply(target, &desired.hints.patches, spec_untouched)?;
    if !spec_untouched {
        tags::apply(target, desired, context)?;
    }
    if let Some(references) = owner.references(Object(target)) {
        json_patch::merge(target, &json!({"metadata": {"ownerReferences": references}}));
    }
    json_patch::merge(target, &json!({"metadata": {"labels": {(keys::CLUSTER): context.infra_id}}}));
    let mode = desired.hints.mode;
    annotate(
        target,
        &[
            (keys::CREDENTIAL_FROM, Some(context.credential_secret.as_str())),
            (keys::MODE, (mode != Mode::Managed).then(|| mode.name())),
        ],
    );
    Ok(())
}
