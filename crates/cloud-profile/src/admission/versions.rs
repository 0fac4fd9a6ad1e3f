//! Versions of Kubernetes and of machine images.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use landfall_diagnostics::shortened;
use serde_json::Value;

use super::{ProfileKind, Refusal, Why, names};
use crate::instant::instant;
use crate::order::semantic;
use crate::released::lifecycle::{EXPIRED, Expirable};
use crate::types::{MachineImage, MachineImageVersion, Version};

/// How far a version may be said to be supported.
const CLASSIFICATIONS: &[&str] = &["preview", SUPPORTED, "deprecated"];
/// The classification that one version of each minor version may have.
const SUPPORTED: &str = "supported";
/// The container runtimes that workers can have.
const RUNTIMES: &[&str] = &["containerd"];
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
            (ProfileKind::Released, Some(given)) => {
                let message = "only the parent can set the classification of a Kubernetes version";
                refusals.push(Refusal::new(&field, Why::Forbidden, message));
                if given != EXPIRED {
                    check_listed(field, given, CLASSIFICATIONS, refusals);
                }
            }
            (ProfileKind::Released, None) => {}
        }
    }
}

/// Machine images, each once, with their versions.
pub(super) fn check_images(images: &[Arc<MachineImage>], kind: ProfileKind, refusals: &mut Vec<Refusal>) {
    let (mut seen, mut versions) = (BTreeSet::new(), BTreeSet::new());
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
        // In the released kind, a version can also be the duplicate of one in another entry of the image.
        if kind == ProfileKind::Private {
            versions.clear();
        }
        check_image_versions(&at, image, kind, &mut versions, refusals);
    }
}

/// The versions of an image; `seen` are those before them, each with the name of its image.
fn check_image_versions<'a>(
    at: &str,
    image: &'a MachineImage,
    kind: ProfileKind,
    seen: &mut BTreeSet<(&'a str, &'a str)>,
    refusals: &mut Vec<Refusal>,
) {
    for (i, version) in image.versions.iter().enumerate() {
        let at = format!("{at}.versions[{i}]");
        let text = shortened(&version.version);
        if version.version.is_empty() {
            refusals.push(Refusal::new(format!("{at}.version"), Why::Required, "a version must be given"));
        }
        if !is_semantic(&version.version, kind)
            && (!version.version.is_empty() || kind == ProfileKind::Released)
        {
            let message = format!("`{text}` is not a semantic version of one to three numbers");
            refusals.push(Refusal::new(format!("{at}.version"), Why::Invalid, message));
        }
        if !version.version.is_empty() && !seen.insert((&image.name, &version.version)) {
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
        if kind == ProfileKind::Released {
            check_compatibility(&at, version, refusals);
        }
    }
}

/// With which versions an image version works, which only the released kind reads.
fn check_compatibility(at: &str, version: &MachineImageVersion, refusals: &mut Vec<Refusal>) {
    let updates = version.in_place_updates.as_ref();
    let least = updates.and_then(|updates| updates.min_version_for_update.as_deref()).unwrap_or_default();
    if !least.is_empty() && semantic(least).is_none() {
        let text = shortened(least);
        let message = format!("`{text}` in `inPlaceUpdates.minVersionForUpdate` is not a semantic version");
        // Gardener reports this field, which does not exist.
        refusals.push(Refusal::new(format!("{at}.minVersionForInPlaceUpdate"), Why::Invalid, message));
    }
    let constraint = version.kubelet_version_constraint.as_deref().unwrap_or_default();
    if !constraint.is_empty() && !is_constraint(constraint) {
        let message = format!("`{}` is not a constraint such as `>= 1.30, < 1.32`", shortened(constraint));
        refusals.push(Refusal::new(format!("{at}.kubeletVersionConstraint"), Why::Invalid, message));
    }
}

/// The container runtimes of a version of an image: at least one, each once, with types of runtimes.
pub(super) fn check_runtimes(
    at: &str,
    image: &str,
    version: &MachineImageVersion,
    refusals: &mut Vec<Refusal>,
) {
    if version.cri.is_empty() {
        let (image, version) = (shortened(image), shortened(&version.version));
        let message = format!("the version `{version}` of the image `{image}` needs a container runtime");
        refusals.push(Refusal::new(format!("{at}.cri"), Why::Required, message));
    }
    let mut seen = BTreeSet::new();
    for (i, runtime) in version.cri.iter().enumerate() {
        let at = format!("{at}.cri[{i}]");
        if !seen.insert(&runtime.name) {
            let message = format!("`{}` is listed twice", shortened(&runtime.name));
            refusals.push(Refusal::new(&at, Why::Duplicate, message));
        }
        if !RUNTIMES.contains(&runtime.name.as_str()) {
            refusals.push(not_listed(format!("{at}.name"), &runtime.name, RUNTIMES));
        }
        let mut types = BTreeSet::new();
        for (i, low_level) in runtime.container_runtimes.iter().enumerate() {
            let field = format!("{at}.containerRuntimes[{i}].type");
            let name = low_level.get("type").and_then(Value::as_str).unwrap_or_default();
            let text = shortened(name);
            if !names::is_name(name) {
                let message = format!("`{text}` is not a runtime type: letters, digits, `-`, `_`, `.`");
                refusals.push(Refusal::new(&field, Why::Invalid, message));
            }
            if !types.insert(name) {
                refusals.push(Refusal::new(field, Why::Duplicate, format!("`{text}` is listed twice")));
            }
        }
    }
}

/// Of each minor version, one version at most is classified as supported. One that has expired is not refused, but
/// those beside it are.
pub(super) fn check_supported<T: Expirable>(
    field: &str,
    versions: &[T],
    now: Timestamp,
    refusals: &mut Vec<Refusal>,
) {
    let mut minors: BTreeMap<(u64, u64), Vec<(usize, semver::Version)>> = BTreeMap::new();
    for (i, version) in versions.iter().enumerate() {
        if let Some(number) =
            semantic(version.version()).filter(|_| version.classification() == Some(SUPPORTED))
        {
            minors.entry((number.major, number.minor)).or_default().push((i, number));
        }
    }
    for ((major, minor), entries) in minors {
        let Some((_, first)) = entries.first() else { continue };
        // `1.2` and `1.2.0` are the same version.
        if entries.iter().all(|(_, one)| one.cmp_precedence(first) == Ordering::Equal) {
            continue;
        }
        let message = format!("several versions of {major}.{minor} are classified as supported");
        let indexes = entries.iter().map(|(i, _)| *i);
        let valid = indexes.filter(|i| versions.get(*i).is_some_and(|version| !version.is_expired(now)));
        refusals
            .extend(valid.map(|i| Refusal::new(format!("{field}[{i}]"), Why::Forbidden, message.clone())));
    }
}

/// Whether an image has a version that the released kind cannot compare with others.
pub(super) fn has_odd_version(images: &[Arc<MachineImage>]) -> bool {
    let mut versions = images.iter().flat_map(|image| &image.versions);
    versions.any(|version| semantic(&version.version).is_none())
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

/// Whether a text is constraints of versions as Gardener reads them: comparisons with spaces or commas between them,
/// ranges such as `1.2 - 1.4`, and `||` between alternatives. `==`, which its examples contain, is accepted, too.
fn is_constraint(text: &str) -> bool {
    text.split("||").all(|alternative| alternative.split(',').all(are_comparisons))
}

fn are_comparisons(text: &str) -> bool {
    const OPERATORS: &[&str] = &["", "=", "==", "!=", ">", "<", ">=", "=>", "<=", "=<", "~", "~>", "^"];
    let is_pattern = |version: &str| {
        let (core, rest) = version.split_at(version.find(['-', '+']).unwrap_or(version.len()));
        let number = |part| if matches!(part, "x" | "X" | "*") { "0" } else { part };
        let core: Vec<&str> = core.split('.').map(number).collect();
        semantic(&format!("{}{rest}", core.join("."))).is_some()
    };
    let mut words = text.split_whitespace().peekable();
    let is_any = words.peek().is_some();
    while let Some(word) = words.next() {
        let is_sign = |c: char| "=!<>~^".contains(c);
        let (operator, version) = word.split_at(word.find(|c| !is_sign(c)).unwrap_or(word.len()));
        let version = if version.is_empty() { words.next().unwrap_or_default() } else { version };
        let is_range = operator.is_empty() && words.next_if_eq(&"-").is_some();
        let is_ended = !is_range || words.next().is_some_and(is_pattern);
        if !OPERATORS.contains(&operator) || !is_pattern(version) || !is_ended {
            return false;
        }
    }
    is_any
}

/// Whether a text is a semantic version, of which the last numbers may be left out.
fn is_semantic(text: &str, kind: ProfileKind) -> bool {
    if kind == ProfileKind::Released {
        return semantic(text).is_some();
    }
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
        let image = MachineImage { versions: ["a", "a"].map(image).to_vec(), ..MachineImage::default() };
        check_image_versions("i", &image, ProfileKind::Private, &mut BTreeSet::new(), &mut refusals);
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
        let kinds = [ProfileKind::Private, ProfileKind::Released];
        for version in ["1", "15.4", "1.2.3", "18.04.20240101", "1.0.0-rc.1", "1.2+build.7"] {
            assert!(kinds.iter().all(|kind| is_semantic(version, *kind)), "{version}");
        }
        for version in
            ["", "a.b.c", "1.2.3.4", "1.", "1.2.3-", "1..2", "1.2.3-rc_1", "-1", "latest", "vv1", "+1"]
        {
            assert!(!kinds.iter().any(|kind| is_semantic(version, *kind)), "{version}");
        }
        // Each kind in its way.
        assert_eq!(kinds.map(|kind| is_semantic("v1.1.0", kind)), [false, true]);
        assert_eq!(kinds.map(|kind| is_semantic("99999999999999999999.1", kind)), [true, false]);
    }

    #[test]
    fn constraints_of_versions() {
        for text in [
            "1",
            ">= 1.26",
            ">=1.26.0",
            "==1.30.0",
            "=1.2.3",
            ">1.2 <1.4",
            ">= 1.2 , < 1.4",
            "~1.2",
            "~> 1.2",
            "^v1.2.3-rc.1",
            "*",
            "1.x",
            "1.2 - 1.4",
            "1.2 - 1.4, != 1.3.1",
            "=> 1 || =< 0.9",
        ] {
            assert!(is_constraint(text), "{text}");
        }
        for text in [
            "foo",
            "",
            ">=",
            ">= 1.2,",
            ", 1",
            "1 ||",
            "1 | 2",
            ">> 1",
            ">=1.2<1.4",
            "1.2.3.4",
            "> >1",
            "1 -",
            ">1 - 2",
            "1 - >2",
        ] {
            assert!(!is_constraint(text), "{text}");
        }
    }
}
