//! What stands against a release of the operator, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, few};
use semver::Version;

use crate::detect::{Installer, MINIMUM, TESTED, pages as detected};

static UNREADABLE: Code = Code::new("LF1562");
static PLACE: Code = Code::new("LF1563");
static CERT_MANAGER: Code = Code::new("LF1564");
static REFUSED: Code = Code::new("LF1565");
static UNHEALTHY: Code = Code::new("LF1566");

/// The most objects that one message names.
const NAMED: usize = 5;

/// What was given is not a release of the operator; why.
#[must_use]
pub fn unreadable(why: &str) -> Finding {
    Finding::error(&UNREADABLE, Kind::Parse, "", format!("the release of the operator cannot be used: {why}"))
        .help("use azureserviceoperator_vX.Y.Z.yaml of the release with --manifest, or its Helm chart with --chart")
}

/// Versions that landfall does not support, or was not tested with.
pub(super) fn unusable(version: &Version) -> Vec<Finding> {
    let tested = (version.major, version.minor);
    if (tested.0, tested.1, version.patch) < (MINIMUM.major, MINIMUM.minor, MINIMUM.patch) {
        vec![detected::too_old(version, Installer::Landfall)]
    } else if tested.0 != TESTED.0 {
        vec![detected::unknown_major(version, Installer::Landfall)]
    } else if tested > TESTED {
        vec![detected::untested(version)]
    } else {
        Vec::new()
    }
}

pub(super) fn installed(version: Option<&Version>, namespace: &str) -> Finding {
    let version = version.map(|version| format!(" {version}")).unwrap_or_default();
    let place = if namespace.is_empty() { String::new() } else { format!(" in {namespace}") };
    Finding::error(
        &PLACE,
        Kind::Duplicate,
        "",
        format!("Azure Service Operator{version} is installed already{place}"),
    )
    .help(
        "upgrade it with `landfall aso upgrade` if landfall installed it: `landfall aso check` says who did",
    )
}

pub(super) fn not_installed() -> Finding {
    Finding::error(&PLACE, Kind::Required, "", "Azure Service Operator is not installed")
        .help("install it with `landfall aso install`")
}

pub(super) fn only_crds() -> Finding {
    Finding::error(
        &PLACE,
        Kind::Required,
        "",
        "the CRDs of Azure Service Operator exist, and no operator runs",
    )
    .help("install the release with `landfall aso install`; deleting a CRD would delete all of its objects")
}

pub(super) fn unserved(kind: &str) -> Finding {
    Finding::error(&REFUSED, Kind::NotSupported, "", format!("the cluster does not serve {kind}"))
        .help("install what brings this kind, or leave its objects out of the release")
}

pub(super) fn elsewhere(release: &str, running: &str) -> Finding {
    let message = format!("the release is for namespace {release}, and the operator runs in {running}");
    Finding::error(&PLACE, Kind::Invalid, "", message)
        .help("use the manifest or chart with the namespace of the running operator")
}

pub(super) fn not_ours(installer: Installer) -> Finding {
    Finding::error(&PLACE, Kind::Forbidden, "", "landfall does not upgrade this operator")
        .help(installer.advice())
}

pub(super) fn no_cert_manager() -> Finding {
    let message = "cert-manager does not run: Deployment cert-manager-webhook has no available replica";
    Finding::error(&CERT_MANAGER, Kind::Required, "", message)
        .help("install cert-manager first: the operator's webhooks get their certificate from it")
}

pub(super) fn refused(object: &str, why: &str) -> Finding {
    Finding::error(&REFUSED, Kind::Invalid, "", format!("{object} cannot be applied: {why}"))
        .help("correct what the server says, and run the same command again: what was applied stays")
}

/// How the message of [`unhealthy`] begins, before the reason.
pub(super) const LATE: &str = "the operator is not usable in time: ";

pub(super) fn unhealthy(why: &str) -> Finding {
    Finding::error(&UNHEALTHY, Kind::InternalError, "", format!("{LATE}{why}")).help(
        "see `kubectl describe deployment,pods` in its namespace; run the same command again to wait on, or go back \
         with `kubectl rollout undo`",
    )
}

pub(super) fn not_ready(objects: &[String]) -> Finding {
    let message = format!("objects that were Ready before the upgrade are not: {}", few(objects, NAMED));
    Finding::error(&UNHEALTHY, Kind::InternalError, "", message)
        .help("see the condition Ready of these objects; go back with `kubectl rollout undo` if the new release is at fault")
}
