//! What stands against the use of an operator, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, shortened};
use semver::Version;

use super::super::kinds::Kind as ObjectKind;
use super::cloud::Other;
use super::seen::{DEPLOYMENT, Deployment, Installer, SETTINGS, crd_name};
use super::version::{MINIMUM, TESTED};

/// The pages of what is looked at before anything is written.
pub static PAGES: &[&Page] = &[
    &CLOUD,
    &ABSENT,
    &UNHEALTHY,
    &VERSION,
    &KINDS,
    &WATCHED,
    &OTHER_CLOUD,
    &DENIED,
    &UPGRADE,
    &STORED,
    &UNTESTED,
    &UNREADABLE,
    &RELEASE,
];

const fn page(code: &'static str, title: &'static str, text: &'static str) -> Page {
    Page { code, title, text, severity: Severity::Error, fields: &[], base: Base::Whole, bad: "", good: "" }
}

static CLOUD: Page = page(
    "LF1520",
    "the cloud is one that Azure Service Operator serves",
    "The operator asks for versions of Azure's interfaces that a Stack Hub does not have, and the German \
     cloud is closed. Terraform makes clusters on a Stack Hub.",
);
static ABSENT: Page = page(
    "LF1521",
    "Azure Service Operator is installed in the management cluster",
    "It is there if a CRD carries its label or a Deployment has its name. landfall uses an installation as \
     it is and changes nothing of it. The operator needs cert-manager, and adds the CRDs that its \
     --crd-pattern names.",
);
static UNHEALTHY: Page = page(
    "LF1522",
    "Azure Service Operator runs",
    "CRDs alone do nothing: without an operator nobody would ever look at the objects, nor take their \
     finalizers away. So nothing is written until a replica of its Deployment is available.",
);
static VERSION: Page = page(
    "LF1523",
    "the version of Azure Service Operator will do",
    "The version is that of the operator's image, or the one that its CRDs are labelled with. Older \
     releases lack versions of the kinds; another major version may mean something else by the same words.",
);
static KINDS: Page = page(
    "LF1524",
    "the management cluster serves the kinds that the cluster is made of",
    "Of each kind one version is used, which the operator has written as `v1api` with a date, and now \
     writes as `v` with the same date. Either will do. An operator only adds CRDs that its --crd-pattern \
     names.",
);
static WATCHED: Page = page(
    "LF1525",
    "exactly one operator watches the namespace of the cluster",
    "An operator watches all namespaces, or those that AZURE_TARGET_NAMESPACES of its settings names; one \
     that runs for webhooks alone watches none. Two that watch the same would write over each other in \
     Azure.",
);
static OTHER_CLOUD: Page = page(
    "LF1526",
    "the operator is set up for the cloud of the install config",
    "The cloud is a property of the operator, not of an object: authority, resource manager and audience \
     stand in its settings, where nothing means the public cloud. For another cloud there must be another \
     operator.",
);
static DENIED: Page = page(
    "LF1527",
    "the management cluster permits what the engine does",
    "Everything that the engine will have to do is asked of the cluster before the first object is written, \
     so that no half of a cluster is left where a right is missing.",
);
static UPGRADE: Page = page(
    "LF1528",
    "the operator is upgraded by who installed it, one minor version at a time",
    "Each release converts what the one before it wrote, and drops old versions some releases later. A step \
     over a release may leave objects behind that nobody can read.",
);
static STORED: Page = page(
    "LF1529",
    "a new release of the operator has the versions in which objects are stored",
    "A CRD remembers in `status.storedVersions` every version in which it ever stored an object. A release \
     without such a version cannot be installed. A CRD that has objects is never deleted: Azure's resources \
     would go with them.",
);
static UNTESTED: Page = Page {
    severity: Severity::Warning,
    ..page(
        "LF1530",
        "the version of Azure Service Operator was tested",
        "Newer releases keep the versions of the kinds for a while, so that the operator is used; what it \
         changes in how it works was not looked at.",
    )
};
static UNREADABLE: Page = Page {
    severity: Severity::Warning,
    ..page(
        "LF1531",
        "the settings of the operator can be read",
        "They say which cloud the operator serves and which namespaces it watches. Where they cannot be \
         read, it is taken to watch all namespaces, and the cloud to be the right one.",
    )
};

static RELEASE: Page = page(
    "LF1560",
    "the CRDs of a new release can be read",
    "Which versions objects may be stored in is compared with the CRDs of the release, which it comes with as \
     YAML documents. Nothing of a file that is something else is shown.",
);

/// The CRDs of a release cannot be read; why.
#[must_use]
pub fn release(why: &str) -> Finding {
    Finding::error(&RELEASE, Kind::Parse, "", format!("the CRDs of the release cannot be read: {why}"))
        .help("name azureserviceoperator_customresourcedefinitions_vX.Y.Z.yaml of the release")
}

pub(super) fn cloud(name: &str) -> Finding {
    let message = format!("cloud {} is not supported by the aso engine", shortened(name));
    Finding::error(&CLOUD, Kind::NotSupported, "platform.azure.cloudName", message)
        .help("make this cluster with `--engine terraform`")
}

pub(super) fn absent(pattern: &str) -> Finding {
    let message = "Azure Service Operator is not installed";
    Finding::error(&ABSENT, Kind::Required, "", message).help(format!(
        "install cert-manager and a release from {MINIMUM} to {}, with --crd-pattern='{pattern}'",
        tested()
    ))
}

pub(super) fn no_operator() -> Finding {
    let message = "CRDs are present but no operator runs";
    Finding::error(&UNHEALTHY, Kind::Required, "", message)
        .help(format!("install the operator that the CRDs are of: there is no Deployment `{DEPLOYMENT}`"))
}

pub(super) fn not_available(operator: &Deployment) -> Finding {
    let Deployment { namespace, name, .. } = operator;
    let message = format!("operator has no available replica: Deployment {namespace}/{name}");
    Finding::error(&UNHEALTHY, Kind::Invalid, "", message)
        .help(format!("see why with `kubectl -n {namespace} describe deployment,pods`"))
}

pub(super) fn too_old(version: &Version, installer: Installer) -> Finding {
    let message = format!("version {version} is older than {MINIMUM}");
    Finding::error(&VERSION, Kind::NotSupported, "", message)
        .help(format!("upgrade the operator, one minor version at a time; {}", installer.advice()))
}

pub(super) fn unknown_major(version: &Version, installer: Installer) -> Finding {
    let message = format!("version {version} is not supported: its major version is not {}", TESTED.0);
    Finding::error(&VERSION, Kind::NotSupported, "", message).help(format!(
        "use a release from {MINIMUM} to {}, or a newer landfall; {}",
        tested(),
        installer.advice()
    ))
}

pub(super) fn untested(version: &Version) -> Finding {
    let message = format!("version {version} is newer than the last tested {}", tested());
    Finding::warning(&UNTESTED, Kind::NotSupported, "", message)
}

pub(super) fn no_version() -> Finding {
    let message = "the version of the operator is neither in the tag of its image nor on its CRDs";
    Finding::warning(&UNTESTED, Kind::Required, "", message)
}

pub(super) fn missing(crds: &[String], pattern: &str) -> Finding {
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
    let message = format!("no operator watches namespace {namespace}");
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
        "leave the namespace to one of them: AZURE_TARGET_NAMESPACES in the Secret `{SETTINGS}` says what \
         each watches"
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
        _ => "use a management cluster whose operator is set up for this cloud".to_owned(),
    };
    Finding::error(&OTHER_CLOUD, Kind::Invalid, "platform.azure.cloudName", message).help(help)
}

/// The same findings for somebody who has no install config at hand.
pub fn without_config(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| finding.page.code == OTHER_CLOUD.code) {
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
    let message = format!("{SETTINGS} is not there in {namespace}: cloud and namespaces are not checked");
    Finding::warning(&UNREADABLE, Kind::Required, "", message)
        .help("make the Secret, with empty values where the operator is to have no credential of its own")
}

pub(super) fn denied(verbs: &str, about: &str) -> Finding {
    let message = format!("the management cluster does not permit to {verbs} {about}");
    Finding::error(&DENIED, Kind::Forbidden, "", message)
}

pub(super) fn not_ours(installer: Installer) -> Finding {
    let message = "the operator is not landfall's to upgrade";
    Finding::warning(&UPGRADE, Kind::Forbidden, "", message).help(installer.advice())
}

pub(super) fn from_unknown(to: &Version) -> Finding {
    let message =
        format!("the step to version {to} cannot be judged, as the operator's version is not known");
    Finding::error(&UPGRADE, Kind::Required, "", message)
        .help("use an image of the operator whose tag is its version")
}

pub(super) fn other_major(from: &Version, to: &Version) -> Finding {
    let message = format!("from version {from} to {to} is another major version");
    Finding::error(&UPGRADE, Kind::NotSupported, "", message).help("stay within the major version")
}

pub(super) fn backwards(from: &Version, to: &Version) -> Finding {
    let message = format!("from version {from} to {to} is a step back");
    Finding::error(&UPGRADE, Kind::NotSupported, "", message)
        .help("keep the newer version: an older one cannot read what it has stored")
}

pub(super) fn too_far(from: &Version, to: &Version) -> Finding {
    let next = format!("{}.{}", from.major, from.minor.saturating_add(1));
    let message = format!("from version {from} to {to} is more than one minor version: {next} comes first");
    Finding::error(&UPGRADE, Kind::NotSupported, "", message).help(format!("upgrade to {next}, and then on"))
}

pub(super) fn stored(crd: &str, gone: &[&str], objects: usize) -> Finding {
    let gone = gone.join(", ");
    if objects == 0 {
        let message = format!("{crd} has stored versions that the new release lacks ({gone}), and no object");
        return Finding::warning(&STORED, Kind::Invalid, "", message)
            .help("take these versions out of its `status.storedVersions`: `asoctl clean crds` does that");
    }
    let message =
        format!("{crd} has stored versions that the new release lacks ({gone}), and {objects} objects");
    Finding::error(&STORED, Kind::Invalid, "", message).help(
        "let `asoctl clean crds` write the objects anew and take these versions out of \
         `status.storedVersions`; do not delete the CRD",
    )
}

fn tested() -> String {
    let (major, minor) = TESTED;
    format!("{major}.{minor}")
}
