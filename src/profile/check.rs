//! Whether a profile in a file would be taken by the API of a cluster, as findings that point into the file.

pub mod pages;

use jiff::Timestamp;

use super::admission::{ProfileKind, Refusal, Request, Stage, Verdict, Why, review};
use super::document::Document;
use super::outcome::outcome;
use super::render::DIFFERS;
use super::types::{CloudProfile, Conflict, NamespacedCloudProfileSpec, PrivateCloudProfileSpec};
use crate::finding::{Finding, Kind, Page};

/// What stands against a profile that inherits, and where its parent is preferred. Without a parent, it is
/// judged by itself.
#[must_use]
pub fn check(profile: &Document, parent: Option<&CloudProfile>, now: Timestamp) -> Vec<Finding> {
    let Some(kind) = ProfileKind::of(profile.kind) else {
        return Vec::new();
    };
    let named = kind.parent(&profile.object);
    let fitting = parent.filter(|parent| named == Some(parent.name()));
    let request =
        Request { kind, object: &profile.object, old: None, parent: fitting.map(|parent| &parent.spec), now };
    let misfits = misfits(profile, kind);
    // Admission refuses what is of another type as well, with less to say of it.
    let is_told = |refusal: &Refusal| {
        let is_at = |misfit: &Finding| {
            misfit.field.starts_with(&refusal.field) || refusal.field.starts_with(&misfit.field)
        };
        refusal.why == Why::Invalid && misfits.iter().any(is_at)
    };
    let mut findings: Vec<Finding> = match review(&request) {
        Verdict::Refused { stage, refusals } if stage == Stage::Validation || parent.is_some() => {
            let page = if stage == Stage::Validation { &pages::ENTRY } else { &pages::PARENT };
            let others = refusals.into_iter().filter(|refusal| !is_told(refusal));
            others.map(|refusal| refused(page, refusal)).collect()
        }
        Verdict::Refused { .. } | Verdict::Accepted => Vec::new(),
    };
    findings.extend(misfits);
    if let Some(Ok(outcome)) = fitting.map(|parent| outcome(profile, parent, now)) {
        // What the parent lacks is refused already.
        let differing = outcome.conflicts.iter().filter(|conflict| conflict.reason == DIFFERS);
        findings.extend(conflicts(profile, &differing.cloned().collect::<Vec<Conflict>>()));
    }
    if let (Some(parent), None) = (parent, fitting) {
        for finding in findings.iter_mut().filter(|finding| finding.page.code == pages::PARENT.code) {
            finding.help = Some(another(parent));
        }
    }
    profile.placed(findings)
}

/// What of the spec is of another type than its field.
fn misfits(profile: &Document, kind: ProfileKind) -> Vec<Finding> {
    let read = match kind {
        ProfileKind::Private => profile.part::<PrivateCloudProfileSpec>("spec").map(drop),
        ProfileKind::Released => profile.part::<NamespacedCloudProfileSpec>("spec").map(drop),
    };
    read.err().unwrap_or_default()
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
    format!("the parent that was given is `{}`: name the file of the profile's own parent", parent.name())
}

/// Warnings about the parts of a profile that have no effect.
#[must_use]
pub fn conflicts(profile: &Document, conflicts: &[Conflict]) -> Vec<Finding> {
    let warning = |conflict: &Conflict| {
        let finding = Finding::warning(&pages::CONFLICT, Kind::Invalid, &*conflict.path, &*conflict.message);
        finding.at(profile.numbered(&conflict.path)).help("leave it out: it has no effect")
    };
    profile.placed(conflicts.iter().map(warning).collect())
}

fn refused(page: &'static Page, refusal: Refusal) -> Finding {
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
    Finding::error(page, kind, refusal.field, message)
}

#[cfg(test)]
mod tests {
    use super::super::types::{CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE};
    use super::*;

    const PARENT: &str = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {name: base}\n\
                          spec:\n  type: aws\n  kubernetes: {versions: [{version: 1.28.6}]}\n  machineTypes:\n  \
                          - {name: m5.large, cpu: '2'}\n";
    const PRIVATE: &str = "apiVersion: core.gardener.cloud/v1beta1\nkind: PrivateCloudProfile\n\
                           metadata: {name: own, namespace: team}\nspec:\n  parent: base\n  machineTypes:\n  \
                           - {name: m5.large, cpu: '4'}\n";

    fn found(text: &str, parent: Option<&str>) -> Result<Vec<(&'static str, String)>, Vec<Finding>> {
        let parent =
            parent.map(|text| Document::read(text, &[CLOUD_PROFILE])?.cloud_profile()).transpose()?;
        let profile = Document::read(text, &[PRIVATE_CLOUD_PROFILE])?;
        let findings = check(&profile, parent.as_ref(), Timestamp::UNIX_EPOCH);
        let shown =
            |finding: &Finding| finding.span.and_then(|span| text.get(span.range())).map(str::to_owned);
        Ok(findings.iter().map(|finding| (finding.page.code, shown(finding).unwrap_or_default())).collect())
    }

    #[test]
    fn points_at_what_is_refused_and_at_conflicts() -> Result<(), Vec<Finding>> {
        assert_eq!(found(PRIVATE, None)?, []);
        assert_eq!(found(PRIVATE, Some(PARENT))?, [("LF1454", "name: m5.large".to_owned())]);
        let unknown = PRIVATE.replace("  parent: base\n", "  parent: base\n  type: aws\n");
        assert_eq!(found(&unknown, None)?.first().map(|(code, _)| *code), Some("LF1452"));
        let lacking =
            PRIVATE.replace("parent: base\n", "parent: base\n  kubernetes: {versions: [{version: 9.9.9}]}\n");
        let codes: Vec<&str> = found(&lacking, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
        assert!(codes.contains(&"LF1453") && codes.contains(&"LF1454"), "{codes:?}");
        assert_eq!(found(&lacking, None)?, []);
        let number =
            PRIVATE.replace("base\n", "base\n  machineImages: [{name: a, versions: [{version: 16.4}]}]\n");
        let codes: Vec<&str> = found(&number, Some(PARENT))?.into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, ["LF1451"]);
        let elsewhere = PARENT.replace("name: base", "name: other");
        assert_eq!(found(PRIVATE, Some(&elsewhere))?, [("LF1453", "base".to_owned())]);
        Ok(())
    }
}
