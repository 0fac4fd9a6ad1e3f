//! Whether a profile in a file would be taken by the API of a cluster, as findings that point into the file.

mod apart;
pub(super) mod cloud_profile;
mod expired;
mod form;
pub(super) mod members;
pub mod pages;

use std::borrow::Cow;
use std::collections::HashMap;

use jiff::Timestamp;
use landfall_diagnostics::{Code, Finding, Kind, Severity, sort};
use serde_json::Value;

use self::apart::apart;
use super::admission::{
    ProfileKind, Refusal, Request, Stage, Verdict, Why, beside_parent, merge_result, misfit, review, shape_of,
};
use super::document::Document;
use super::outcome::outcome;
use super::render::DIFFERS;
use super::types::{
    CLOUD_PROFILE, CloudProfile, CloudProfileSpec, Conflict, NamespacedCloudProfile,
    NamespacedCloudProfileSpec, PRIVATE_CLOUD_PROFILE, PrivateCloudProfile, PrivateCloudProfileSpec,
};

/// What stands against a profile, and where its parent is preferred and versions have expired. Without a parent, and
/// if it is a cloud profile, it is judged by itself.
#[must_use]
pub fn check(profile: &Document, parent: Option<&CloudProfile>, now: Timestamp) -> Vec<Finding> {
    let Some(kind) = ProfileKind::of(profile.kind) else {
        let mut findings = cloud_profile::faults(profile);
        findings.extend(parent.map(|_| without_parent()));
        return profile.placed(findings);
    };
    let named = kind.parent(&profile.object);
    let fitting = parent.filter(|parent| named == Some(parent.name()));
    let type_errors = unreadable(profile);
    let object = &*readable(profile, &type_errors);
    let request = Request { kind, object, old: None, parent: fitting.map(|parent| &parent.spec), now };
    let verdict = review(&request);
    let stage = match &verdict {
        Verdict::Refused { stage, .. } => Some(*stage),
        Verdict::Accepted => None,
    };
    let mut findings: Vec<Finding> = match verdict {
        Verdict::Refused { stage: Stage::MergeResult, refusals } => {
            refusals.into_iter().map(|refusal| of_both(profile, refusal)).collect()
        }
        Verdict::Refused { stage: Stage::Validation, refusals } => {
            others(&pages::ENTRY, refusals, &type_errors)
        }
        Verdict::Refused { stage: Stage::Admission, refusals } if parent.is_some() => {
            others(&pages::PARENT, refusals, &type_errors)
        }
        Verdict::Refused { .. } | Verdict::Accepted => Vec::new(),
    };
    // A cluster stops at the first stage that refuses; whoever mends a file wants to know all of it.
    if fitting.is_some() && stage == Some(Stage::Validation) {
        let more = others(&pages::PARENT, beside_parent(&request), &type_errors);
        let is_told =
            |one: &Finding| findings.iter().any(|known| misfit::is_within(&known.field, &one.field));
        let more: Vec<Finding> = more.into_iter().filter(|one| !is_told(one)).collect();
        findings.extend(more);
    }
    if fitting.is_some() && matches!(stage, Some(Stage::Validation | Stage::Admission)) {
        let more = merge_result(&request).into_iter().map(|refusal| of_both(profile, refusal));
        // What comes of a list with a fault may be a consequence of it.
        let known: Vec<&Finding> = findings.iter().chain(&type_errors).collect();
        let more =
            more.filter(|one| !known.iter().any(|known| misfit::is_within(&known.field, placed_at(one))));
        let more: Vec<Finding> = more.collect();
        findings.extend(more);
    }
    findings.extend(type_errors);
    add_strays(profile, &mut findings);
    if let Some(Ok(outcome)) = fitting.map(|parent| outcome(profile, parent, now)) {
        // What the parent lacks is refused already.
        let differing = outcome.conflicts.iter().filter(|conflict| conflict.reason == DIFFERS);
        let differing: Vec<Conflict> = differing.cloned().collect();
        findings.extend(conflicts(profile, &apart(profile, &differing, &findings)));
    }
    findings.extend(expired::expired(profile, now));
    if let (Some(parent), None) = (parent, fitting) {
        for finding in findings.iter_mut().filter(|finding| *finding.code == pages::PARENT) {
            finding.help = Some(another(parent));
        }
    }
    profile.placed(findings)
}

/// What keeps a profile that inherits from being read: values of another type than their fields have, or that there
/// is no spec.
#[must_use]
pub fn unreadable(profile: &Document) -> Vec<Finding> {
    let read = match profile.kind {
        PRIVATE_CLOUD_PROFILE => profile.part::<PrivateCloudProfileSpec>("spec").map(drop),
        _ => profile.part::<NamespacedCloudProfileSpec>("spec").map(drop),
    };
    let mut found = read.err().unwrap_or_default();
    if let Some(finding) = form::parent(profile) {
        found.retain(|misfit| !misfit::is_within(&misfit.field, form::PARENT));
        found.extend(profile.placed(vec![finding]));
    }
    found.extend(form::names(profile));
    sort(&mut found);
    found
}

/// The object without values of another type than their fields have, so that the others can be judged.
fn readable<'a>(profile: &'a Document, type_errors: &[Finding]) -> Cow<'a, Value> {
    let mut object = Cow::Borrowed(&profile.object);
    if type_errors.is_empty() {
        return object;
    }
    let shape = match profile.kind {
        PRIVATE_CLOUD_PROFILE => shape_of::<PrivateCloudProfileSpec>(),
        _ => shape_of::<NamespacedCloudProfileSpec>(),
    };
    misfit::remove(object.to_mut(), &shape, type_errors.iter().map(|misfit| misfit.field.as_str()));
    object
}

/// Where a finding is placed in the file, if that is another place than its field.
fn placed_at(finding: &Finding) -> &str {
    finding.at.as_deref().unwrap_or(&finding.field)
}

/// Refusals as findings, but for those of values that are of another type than their fields: of these, more is said.
fn others(code: &'static Code, refusals: Vec<Refusal>, type_errors: &[Finding]) -> Vec<Finding> {
    let is_told =
        |refusal: &Refusal| type_errors.iter().any(|misfit| misfit::follows(refusal, &misfit.field));
    refusals.into_iter().filter(|refusal| !is_told(refusal)).map(|refusal| refused(code, refusal)).collect()
}

/// Adds what of a profile its kind does not have; where a finding tells of it already, what to do about it.
fn add_strays(profile: &Document, findings: &mut Vec<Finding>) {
    let places = findings.iter().enumerate().map(|(i, finding)| (finding.field.clone(), i));
    let places: HashMap<String, usize> = places.collect();
    for stray in strays(profile) {
        match places.get(&stray.field).and_then(|i| findings.get_mut(*i)) {
            Some(told) => told.help = told.help.take().or(stray.help),
            None => findings.push(stray),
        }
    }
}

fn without_parent() -> Finding {
    let message = format!("a {CLOUD_PROFILE} has no parent");
    let finding = Finding::error(&pages::OBJECT, Kind::Forbidden, "kind", message);
    finding.help("remove `--parent`, or use the file of a profile with a parent")
}

/// What of a profile its kind does not have.
fn strays(profile: &Document) -> Vec<Finding> {
    let mut found = match profile.kind {
        CLOUD_PROFILE => return members::strays::<CloudProfile>("", &profile.object),
        PRIVATE_CLOUD_PROFILE => members::strays::<PrivateCloudProfile>("", &profile.object),
        _ => members::strays::<NamespacedCloudProfile>("", &profile.object),
    };
    let inherited = members::names::<CloudProfileSpec>();
    for stray in &mut found {
        if stray.field.strip_prefix("spec.").is_some_and(|name| inherited.iter().any(|known| known == name)) {
            stray.help = Some("remove it: it is inherited from the parent".to_owned());
        }
    }
    found
}

/// Warnings about a cloud profile that others are joined with: what of it does not count, and what cannot be.
#[must_use]
pub fn passed_over(profile: &Document) -> Vec<Finding> {
    profile.placed(softened(cloud_profile::faults(profile)))
}

/// Warnings about a profile that is joined with its parent whatever a cluster says of it: what a cluster would
/// refuse, and where the parent is preferred.
#[must_use]
pub fn remarks(
    profile: &Document,
    parent: &CloudProfile,
    noted: &[Conflict],
    now: Timestamp,
) -> Vec<Finding> {
    let mut findings = check(profile, Some(parent), now);
    // A noted conflict is reported as a conflict. A date does not help a version that the parent lacks.
    let mut paths: Vec<String> = noted.iter().map(|conflict| profile.numbered(&conflict.path)).collect();
    let lacking = noted.iter().filter(|conflict| conflict.reason != DIFFERS);
    paths.extend(lacking.map(|conflict| format!("{}.expirationDate", profile.numbered(&conflict.path))));
    let is_noted = |finding: &Finding| {
        let is_of = |code: &Code| finding.code == code;
        is_of(&pages::CONFLICT) || (is_of(&pages::PARENT) && paths.contains(&finding.field))
    };
    findings.retain(|finding| !is_noted(finding));
    let noted = apart(profile, noted, &findings);
    let mut findings = softened(findings);
    findings.extend(conflicts(profile, &noted));
    sort(&mut findings);
    findings
}

fn softened(mut findings: Vec<Finding>) -> Vec<Finding> {
    for finding in findings.iter_mut().filter(|finding| finding.is_error()) {
        finding.severity = Severity::Warning;
        finding.help.get_or_insert_with(|| "correct it: the API of a cluster would reject it".to_owned());
    }
    findings
}

/// The finding of a profile that does not inherit from the parent that was given.
#[must_use]
pub fn another_parent(profile: &Document, kind: ProfileKind, parent: &CloudProfile) -> Vec<Finding> {
    let named = kind.parent(&profile.object).unwrap_or_default();
    let field = match kind {
        ProfileKind::Private => "spec.parent",
        ProfileKind::Released => "spec.parent.name",
    };
    let message = format!("the profile inherits from `{named}`, not from `{}`", parent.name());
    profile.placed(vec![Finding::error(&pages::PARENT, Kind::Invalid, field, message).help(another(parent))])
}

fn another(parent: &CloudProfile) -> String {
    format!("the given parent is `{}`: use the file of the profile's parent", parent.name())
}

/// Warnings about the parts of a profile that have no effect.
#[must_use]
pub fn conflicts(profile: &Document, conflicts: &[Conflict]) -> Vec<Finding> {
    let warning = |conflict: &Conflict| {
        let at = profile.numbered(&conflict.path);
        let finding = Finding::warning(&pages::CONFLICT, Kind::Invalid, &*conflict.path, &*conflict.message);
        let fields = beside_date(profile.value(&at), conflict);
        let Some(first) = fields.first() else {
            return finding.at(at).help("remove it: it has no effect");
        };
        let named: Vec<String> = fields.iter().map(|field| format!("`{field}`")).collect();
        let help = format!("remove {}: only the date of this entry has an effect", named.join(", "));
        finding.at(format!("{at}.{first}")).help(help)
    };
    profile.placed(conflicts.iter().map(warning).collect())
}

/// The fields that a conflict names of an entry whose date is taken all the same; none where there is no date.
fn beside_date<'a>(entry: Option<&Value>, conflict: &'a Conflict) -> &'a [&'static str] {
    let date = entry.and_then(|entry| entry.get("expirationDate")).and_then(Value::as_str);
    if date.is_none_or(str::is_empty) { &[] } else { &conflict.fields }
}

/// A refusal of what comes of a profile and its parent, at the list of the profile that it is about.
fn of_both(profile: &Document, refusal: Refusal) -> Finding {
    let list = refusal.field.split('.').nth(2).unwrap_or_default();
    let list = list.split('[').next().unwrap_or_default();
    let own = format!("spec.{list}");
    let place = if profile.value(&own).is_some() { own } else { "spec".to_owned() };
    refused(&pages::PARENT, refusal).at(place).help(
        "this is in the merged profile: correct the profile or its parent; `landfall profile diff` shows \
         what the profile sets",
    )
}

/// A refusal of admission as a finding.
pub(super) fn refused(code: &'static Code, refusal: Refusal) -> Finding {
    let kind = match refusal.why {
        Why::Required => Kind::Required,
        Why::Duplicate => Kind::Duplicate,
        Why::Forbidden | Why::Immutable | Why::InUse | Why::VerbMissing => Kind::Forbidden,
        Why::NotSupported => Kind::NotSupported,
        Why::UnknownField => Kind::Unknown,
        Why::Invalid
        | Why::NotFound
        | Why::NotInParent
        | Why::InPast
        | Why::OtherHierarchy
        | Why::NotParentOrChild
        | Why::MachineImageMissing
        | Why::MachineTypeMissing
        | Why::VolumeTypeMissing => Kind::Invalid,
    };
    let message = match refusal.field.as_str() {
        "" => refusal.message,
        field => format!("`{field}`: {}", refusal.message),
    };
    Finding::error(code, kind, refusal.field, message)
}

#[cfg(test)]
mod tests;
