//! What stands against the use of an operator, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, shortened};
use semver::Version;

use super::super::kinds::Kind as ObjectKind;
use super::cloud::Other;
use super::seen::{DEPLOYMENT, Deployment, Installer, SETTINGS, crd_name};
use super::version::{MINIMUM, TESTED};

static CLOUD: Code = Code::new("LF1520");
static ABSENT: Code = Code::new("LF1521");
static UNHEALTHY: Code = Code::new("LF1522");
static VERSION: Code = Code::new("LF1523");
static KINDS: Code = Code::new("LF1524");
static WATCHED: Code = Code::new("LF1525");
static OTHER_CLOUD: Code = Code::new("LF1526");
static DENIED: Code = Code::new("LF1527");
static UPGRADE: Code = Code::new("LF1528");
static STORED: Code = Code::new("LF1529");
static UNTESTED: Code = Code::new("LF1530");
static UNREADABLE: Code = Code::new("LF1531");

static RELEASE: Code = Code::new("LF1560");

/// The CRDs of a release cannot be read; why.
#[must_use]
pub fn release(why: &str) -> Finding {
    Finding::error(&RELEASE, Kind::Parse, "", format!("the CRDs of the release cannot be read: {why}"))
        .help("name azureserviceoperator_customresourcedefinitions_vX.Y.Z.yaml of the release")
}

/// Whether a finding says that an operator serves another cloud.
#[must_use]
pub fn is_other_cloud(finding: &Finding) -> bool {
    finding.code == &OTHER_CLOUD
}

pub(crate) fn cloud(name: &str) -> Finding {
    let message = format!("cloud {} is not supported by the aso engine", shortened(name));
    Finding::error(&CLOUD, Kind::NotSupported, "platform.azure.cloudName", message).help(
        "use a cloud that Azure Service Operator serves; for an Azure Stack Hub, write the manifests with \
             `landfall create manifests` and create the infrastructure with other tools",
    )
}

pub(super) fn absent(pattern: &str) -> Finding {
    let message = "Azure Service Operator is not installed";
    Finding::error(&ABSENT, Kind::Required, "", message).help(format!(
        "install cert-manager and a release from {MINIMUM} to {}, with --crd-pattern='{pattern}'",
        tested()
    ))
}

pub(super) fn no_operator() -> Finding {
    let message = "Azure Service Operator: CRDs are present but no operator runs";
    Finding::error(&UNHEALTHY, Kind::Required, "", message)
        .help(format!("install the operator that the CRDs belong to: there is no Deployment `{DEPLOYMENT}`"))
}

pub(super) fn not_available(operator: &Deployment) -> Finding {
    let Deployment { namespace, name, .. } = operator;
    let message = format!("Azure Service Operator has no available replica: Deployment {namespace}/{name}");
    Finding::error(&UNHEALTHY, Kind::Invalid, "", message)
        .help(format!("find the reason with `kubectl -n {namespace} describe deployment,pods`"))
}

pub(crate) fn too_old(version: &Version, installer: Installer) -> Finding {
    let message = format!("version {version} is older than {MINIMUM}");
    Finding::error(&VERSION, Kind::NotSupported, "", message)
        .help(format!("upgrade the operator, one minor version at a time; {}", installer.advice()))
}

pub(crate) fn unknown_major(version: &Version, installer: Installer) -> Finding {
    let message = format!("version {version} is not supported: its major version is not {}", TESTED.0);
    Finding::error(&VERSION, Kind::NotSupported, "", message).help(format!(
        "use a release from {MINIMUM} to {}, or a newer landfall; {}",
        tested(),
        installer.advice()
    ))
}

pub(crate) fn untested(version: &Version) -> Finding {
    let message = format!("version {version} is newer than the last tested {}", tested());
    Finding::warning(&UNTESTED, Kind::NotSupported, "", message)
}

pub(super) fn no_version() -> Finding {
    let message = "the version of the operator is neither in the tag of its image nor on its CRDs";
    Finding::warning(&UNTESTED, Kind::Required, "", message)
}

pub(crate) fn missing(crds: &[String], pattern: &str) -> Finding {
    let message = format!("missing CRDs: {}", crds.join(", "));
    Finding::error(&KINDS, Kind::Required, "", message).help(format!(
        "start the operator with --crd-pattern='{pattern}', or install the CRDs of its release"
    ))
}

pub(super) fn unserved(kinds: &[&ObjectKind]) -> Finding {
    let each = kinds.iter().map(|kind| {
        let [listed, plain] = kind.versions;
        format!("{} does not serve {listed} or {plain}", crd_name(kind))
    });
    let message = each.collect::<Vec<_>>().join(", ");
    Finding::error(&KINDS, Kind::NotSupported, "", message)
        .help("use a release of the operator whose CRDs serve these versions, and its own CRDs")
}

pub(super) fn nobody_watches(namespace: &str) -> Finding {
    let message = format!("Azure Service Operator: no operator watches namespace {namespace}");
    Finding::error(&WATCHED, Kind::Required, "", message).help(format!(
        "add the namespace to AZURE_TARGET_NAMESPACES in the Secret `{SETTINGS}` of an operator that does \
         not run for webhooks alone, and restart it"
    ))
}

pub(super) fn several_watch(operators: &[&Deployment], namespace: &str) -> Finding {
    let count = if operators.len() == 2 { "two".to_owned() } else { operators.len().to_string() };
    let places: Vec<&str> = operators.iter().map(|operator| operator.namespace.as_str()).collect();
    let message = format!("{count} operators watch namespace {namespace}: {}", places.join(", "));
    Finding::error(&WATCHED, Kind::Duplicate, "", message).help(format!(
        "let only one of them watch it: AZURE_TARGET_NAMESPACES in the Secret `{SETTINGS}` sets what each \
         watches"
    ))
}

/// Who wants another cloud than the operator's.
const BY_CONFIG: &str = "install-config asks for";

pub(super) fn other_cloud(other: &Other<'_>, wanted: &str) -> Finding {
    let (of, differing): (String, &[(&str, &str)]) = match other {
        Other::Known(name) => ((*name).to_owned(), &[][..]),
        Other::Unknown(differing) => {
            let keys: Vec<&str> = differing.iter().map(|(key, _)| *key).collect();
            (format!("a cloud with other settings ({})", keys.join(", ")), differing.as_slice())
        }
    };
    let message = format!("operator is set up for {of}, {BY_CONFIG} {wanted}");
    let help = match differing {
        // All but this is right.
        [(key, value)] => {
            format!("set {key}={value} in the Secret `{SETTINGS}` of the operator, and restart it")
        }
        _ => "use a management cluster whose operator is configured for this cloud".to_owned(),
    };
    Finding::error(&OTHER_CLOUD, Kind::Invalid, "platform.azure.cloudName", message).help(help)
}

/// The same findings for somebody who has no install config at hand.
pub fn without_config(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| *finding.code == OTHER_CLOUD) {
        finding.message = finding.message.replace(BY_CONFIG, "and is to serve");
        finding.field = String::new();
    }
}

pub(super) fn settings_refused(namespace: &str) -> Finding {
    let message = format!("{SETTINGS} cannot be read in {namespace}: cloud and namespaces are not checked");
    Finding::warning(&UNREADABLE, Kind::Forbidden, "", message)
        .help(format!("permit `get` on the Secret `{SETTINGS}` in namespace `{namespace}`"))
}

pub(super) fn no_settings(namespace: &str) -> Finding {
    let message = format!("{SETTINGS} does not exist in {namespace}: cloud and namespaces are not checked");
    Finding::warning(&UNREADABLE, Kind::Required, "", message)
        .help("create the Secret, with empty values if the operator has no global credential")
}

pub(super) fn denied(verbs: &str, about: &str) -> Finding {
    let message = format!("the management cluster does not permit to {verbs} {about}");
    Finding::error(&DENIED, Kind::Forbidden, "", message)
}

pub(super) fn not_ours(installer: Installer) -> Finding {
    let message = "landfall does not manage this operator";
    Finding::warning(&UPGRADE, Kind::Forbidden, "", message).help(installer.advice())
}

pub(super) fn from_unknown(to: &Version) -> Finding {
    let message =
        format!("the upgrade to version {to} cannot be checked, because the operator's version is unknown");
    Finding::error(&UPGRADE, Kind::Required, "", message)
        .help("use an image of the operator whose tag is its version")
}

pub(super) fn other_major(from: &Version, to: &Version) -> Finding {
    let message = format!("from version {from} to {to} is another major version");
    Finding::error(&UPGRADE, Kind::NotSupported, "", message).help("stay within the major version")
}

pub(super) fn backwards(from: &Version, to: &Version) -> Finding {
    let message = format!("from version {from} to {to} is a downgrade");
    Finding::error(&UPGRADE, Kind::NotSupported, "", message)
        .help("keep the newer version: an older one cannot read what it has stored")
}

pub(super) fn too_far(from: &Version, to: &Version) -> Finding {
    let next = format!("{}.{}", from.major, from.minor.saturating_add(1));
    let message = format!("from version {from} to {to} is more than one minor version: {next} comes first");
    Finding::error(&UPGRADE, Kind::NotSupported, "", message).help(format!("upgrade to {next} first"))
}

pub(super) fn stored(crd: &str, gone: &[&str], objects: usize) -> Finding {
    let gone = gone.join(", ");
    if objects == 0 {
        let message = format!("{crd} has stored versions that the new release lacks ({gone}), and no object");
        return Finding::warning(&STORED, Kind::Invalid, "", message)
            .help("remove these versions from its `status.storedVersions`: `asoctl clean crds` does that");
    }
    let message =
        format!("{crd} has stored versions that the new release lacks ({gone}), and {objects} objects");
    Finding::error(&STORED, Kind::Invalid, "", message).help(
        "run `asoctl clean crds` to rewrite the objects and remove these versions from \
         `status.storedVersions`; do not delete the CRD",
    )
}

fn tested() -> String {
    let (major, minor) = TESTED;
    format!("{major}.{minor}")
}
