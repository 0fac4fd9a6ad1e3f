//! Versions of Kubernetes and of machine images.

use std::collections::BTreeSet;
use std::sync::Arc;

use landfall_diagnostics::shortened;

use super::{ProfileKind, Refusal, Why, names};
use crate::instant::instant;
use crate::released::lifecycle::{EXPIRED, Expirable};
use crate::types::{MachineImage, MachineImageVersion, Version};

/// How far a version may be said to be supported.
const CLASSIFICATIONS: &[&str] = &["preview", "supported", "deprecated"];
/// The processor architectures that there are.
const ARCHITECTURES: &[&str] = &["amd64", "arm64"];
/// To which versions machines may be updated.
const STRATEGIES: &[&str] = &["patch", "minor", "major"];

/// Versions of Kubernetes, each once. What is said of their support is the parent's alone in the released
/// kind.
pub(super) fn check_kubernetes(versions: &[Version], kind: ProfileKind, refusals: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (i, version) in versions.iter().enumerate() {
        let at = format!("spec.kubernetes.versions[{i}]");
        let text = shortened(&version.version);
        if !is_numbers(&version.version, 3..=3) {
            let message = format!("`{text}` is not a Kubernetes version: three numbers with dots");
            refusals.push(Refusal::new(&at, Why::Invalid, message));
        }
        if !version.version.is_empty() && !seen.insert(&version.version) {
            let message = format!("`{text}` is listed twice");
            refusals.push(Refusal::new(format!("{at}.version"), Why::Duplicate, message));
        }
        check_life(&at, version, refusals);
        let field = format!("{at}.classification");
        let classification = version.classification.as_deref().filter(|given| !given.is_empty());
        match (kind, classification) {
            (ProfileKind::Private, _) => check_classification(field, classification, refusals),
            (ProfileKind::Released, Some(_)) => {
                let message = "only the parent can set the classification of a Kubernetes version";
                refusals.push(Refusal::new(field, Why::Forbidden, message));
            }
            (ProfileKind::Released, None) => {}
        }
    }
}

/// Machine images, each once, with their versions.
pub(super) fn check_images(images: &[Arc<MachineImage>], refusals: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (i, image) in images.iter().enumerate() {
        let at = format!("spec.machineImages[{i}]");
        names::check(&format!("{at}.name"), &image.name, refusals);
        if !image.name.is_empty() && !seen.insert(&image.name) {
            let message = format!("`{}` is listed twice", shortened(&image.name));
            refusals.push(Refusal::new(&at, Why::Duplicate, message));
        }
        if let Some(strategy) = &image.update_strategy {
            check_listed(format!("{at}.updateStrategy"), strategy, STRATEGIES, refusals);
        }
        check_image_versions(&at, &image.versions, refusals);
    }
}

fn check_image_versions(at: &str, versions: &[MachineImageVersion], refusals: &mut Vec<Refusal>) {
    let mut seen = BTreeSet::new();
    for (i, version) in versions.iter().enumerate() {
        let at = format!("{at}.versions[{i}]");
        let text = shortened(&version.version);
        if version.version.is_empty() {
            refusals.push(Refusal::new(format!("{at}.version"), Why::Required, "a version must be given"));
        } else if !is_semantic(&version.version) {
            let message = format!("`{text}` is not a semantic version of one to three numbers");
            refusals.push(Refusal::new(format!("{at}.version"), Why::Invalid, message));
        }
        if !version.version.is_empty() && !seen.insert(&version.version) {
            refusals.push(Refusal::new(&at, Why::Duplicate, format!("`{text}` is listed twice")));
        }
        check_life(&at, version, refusals);
        check_classification(format!("{at}.classification"), version.classification.as_deref(), refusals);
        for (i, architecture) in version.architectures.iter().enumerate() {
            let field = format!("{at}.architectures[{i}]");
            if architecture.is_empty() {
                refusals.push(not_listed(field, architecture, ARCHITECTURES));
            } else {
                check_architecture(field, architecture, refusals);
            }
        }
    }
}

/// Whether an image has a version that cannot be compared with others.
pub(super) fn has_odd_version(images: &[Arc<MachineImage>]) -> bool {
    let mut versions = images.iter().flat_map(|image| &image.versions).map(|version| &version.version);
    versions.any(|version| !version.is_empty() && !is_semantic(version))
}

/// Refuses an architecture that there is not.
pub(super) fn check_architecture(field: String, architecture: &str, refusals: &mut Vec<Refusal>) {
    check_listed(field, architecture, ARCHITECTURES, refusals);
}

/// The dates of a version must be times, and the stages of its life must be known ones.
fn check_life(at: &str, version: &impl Expirable, refusals: &mut Vec<Refusal>) {
    let dates = version.date().map(|date| (format!("{at}.expirationDate"), date));
    let starts = version.stages().iter().enumerate().filter_map(|(i, stage)| {
        Some((format!("{at}.lifecycle[{i}].startTime"), stage.start_time.as_deref()?))
    });
    for (field, date) in dates.into_iter().chain(starts) {
        if instant(date).is_none() {
            let message = format!("`{}` is not a time such as 2030-01-31T12:00:00Z", shortened(date));
            refusals.push(Refusal::new(field, Why::Invalid, message));
        }
    }
    for (i, stage) in version.stages().iter().enumerate() {
        if stage.classification != EXPIRED && !CLASSIFICATIONS.contains(&stage.classification.as_str()) {
            let field = format!("{at}.lifecycle[{i}].classification");
            refusals.push(not_listed(field, &stage.classification, &[CLASSIFICATIONS, &[EXPIRED]].concat()));
        }
    }
}

fn check_classification(field: String, classification: Option<&str>, refusals: &mut Vec<Refusal>) {
    match classification {
        Some(EXPIRED) => {
            let message = "a version expires on its date; its classification cannot be `expired`";
            refusals.push(Refusal::new(field, Why::Forbidden, message));
        }
        Some(given) => check_listed(field, given, CLASSIFICATIONS, refusals),
        None => {}
    }
}

/// Refuses a text that is none of those accepted; an empty one counts as not given.
fn check_listed(field: String, text: &str, accepted: &[&str], refusals: &mut Vec<Refusal>) {
    if !text.is_empty() && !accepted.contains(&text) {
        refusals.push(not_listed(field, text, accepted));
    }
}

fn not_listed(field: String, text: &str, accepted: &[&str]) -> Refusal {
    let message = format!("`{}` is not accepted; accepted: {}", shortened(text), accepted.join(", "));
    Refusal::new(field, Why::NotSupported, message)
}

/// What stands against a version of Kubernetes that the parent lacks.
pub(super) fn not_in_parent(at: String, version: &str) -> Refusal {
    Refusal::new(at, Why::NotInParent, format!("the parent has no version `{}`", shortened(version)))
}

/// What stands against a version without a date.
pub(super) fn without_date(at: &str) -> Refusal {
    let message = "a date must be given: all that a profile says of a version is how long it is offered";
    Refusal::new(format!("{at}.expirationDate"), Why::Required, message)
}

/// Whether a text is so many numbers with dots between them.
fn is_numbers(text: &str, count: std::ops::RangeInclusive<usize>) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    count.contains(&text.split('.').count()) && text.split('.').all(is_number)
}

/// Whether a text is a semantic version, of which the last numbers may be left out.
fn is_semantic(text: &str) -> bool {
    let (core, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    is_numbers(core, 1..=3) && semver::Version::parse(&format!("0.0.0{rest}")).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::LifecycleStage;

    #[test]
    fn stages_of_a_life_are_known_ones() {
        let stage = |classification: &str| LifecycleStage {
            classification: classification.to_owned(),
            ..LifecycleStage::default()
        };
        let classifications = ["preview", "supported", "deprecated", "expired", "retired", "", "Supported"];
        let version = Version {
            version: "1.2.3".to_owned(),
            lifecycle: classifications.map(stage).to_vec(),
            ..Version::default()
        };
        for kind in [ProfileKind::Private, ProfileKind::Released] {
            let mut refusals = Vec::new();
            check_kubernetes(std::slice::from_ref(&version), kind, &mut refusals);
            let found: Vec<(&str, Why)> = refusals.iter().map(|one| (one.field.as_str(), one.why)).collect();
            let expected =
                [4, 5, 6].map(|i| format!("spec.kubernetes.versions[0].lifecycle[{i}].classification"));
            let expected: Vec<(&str, Why)> =
                expected.iter().map(|field| (field.as_str(), Why::NotSupported)).collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn what_is_listed_twice_is_told_of_odd_versions_as_well() {
        let named = |version: &str| Version { version: version.to_owned(), ..Version::default() };
        let mut refusals = Vec::new();
        check_kubernetes(&["1.28", "1.28", "", ""].map(named), ProfileKind::Private, &mut refusals);
        let image = |version: &str| MachineImageVersion {
            version: version.to_owned(),
            architectures: vec![String::new()],
            ..MachineImageVersion::default()
        };
        check_image_versions("i", &["a", "a"].map(image), &mut refusals);
        let found: Vec<(&str, Why)> = refusals.iter().map(|one| (one.field.as_str(), one.why)).collect();
        assert_eq!(
            found,
            [
                ("spec.kubernetes.versions[0]", Why::Invalid),
                ("spec.kubernetes.versions[1]", Why::Invalid),
                ("spec.kubernetes.versions[1].version", Why::Duplicate),
                ("spec.kubernetes.versions[2]", Why::Invalid),
                ("spec.kubernetes.versions[3]", Why::Invalid),
                ("i.versions[0].version", Why::Invalid),
                ("i.versions[0].architectures[0]", Why::NotSupported),
                ("i.versions[1].version", Why::Invalid),
                ("i.versions[1]", Why::Duplicate),
                ("i.versions[1].architectures[0]", Why::NotSupported),
            ]
        );
    }

    #[test]
    fn semantic_versions_may_be_short() {
        for version in ["1", "15.4", "1.2.3", "18.04.20240101", "1.0.0-rc.1", "1.2+build.7"] {
            assert!(is_semantic(version), "{version}");
        }
        for version in ["", "a.b.c", "1.2.3.4", "1.", "1.2.3-", "1..2", "1.2.3-rc_1", "-1", "latest"] {
            assert!(!is_semantic(version), "{version}");
        }
    }
}
