//! What stands against work on a cluster's objects, each with its page.

use landfall_diagnostics::{Code, Finding, Kind};

use super::api::Failure;
use super::ground::Ground;
use super::{Need, Step, What};

static CALL: Code = Code::new("LF1532");
static FAILED: Code = Code::new("LF1533");
static TIME: Code = Code::new("LF1534");
static LEASE: Code = Code::new("LF1535");
static CREDENTIAL: Code = Code::new("LF1536");
static NOT_THERE: Code = Code::new("LF1537");
static PAUSED: Code = Code::new("LF1538");
static GOING: Code = Code::new("LF1539");
static OTHERS: Code = Code::new("LF1540");
static BY_TAG: Code = Code::new("LF1541");
static IGNITION: Code = Code::new("LF1542");
static ENGINE: Code = Code::new("LF1543");

/// A call that failed.
#[must_use]
pub fn failure(failure: &Failure) -> Finding {
    let message = format!("a call to the management cluster failed: {}", failure.fault.why());
    let kind = if failure.code() == Some(403) { Kind::Forbidden } else { Kind::Invalid };
    Finding::error(&CALL, kind, "", message).help(
        "check that the management cluster answers and permits the call, and run the same command again",
    )
}

/// The other management cluster refuses an object, so that a move was not begun.
pub(super) fn not_taken(object: &Need, failure: &Failure) -> Finding {
    let Need { kind, name } = object;
    let message = format!("the other management cluster refuses {kind}/{name}: {}", failure.fault.why());
    let fault = if failure.code() == Some(403) { Kind::Forbidden } else { Kind::Invalid };
    Finding::error(&CALL, fault, "", message).help(
        "nothing was paused; install the same release of Azure Service Operator in both management clusters",
    )
}

/// Every object that failed for good.
#[must_use]
pub fn failed(step: &Step) -> Vec<Finding> {
    let failed = step.objects.iter().filter(|planned| planned.action.what == What::TerminalError);
    let finding = |planned: &super::Planned| {
        let line = planned.action.message.lines().collect::<Vec<_>>().join(" ");
        let message = format!("{}/{}: {line}", planned.object.kind, planned.object.name);
        Finding::error(&FAILED, Kind::Invalid, "", message.trim_end_matches('.').to_owned())
            .help("fix the reason, and run the same command again")
    };
    failed.map(finding).collect()
}

/// The time is over; what was waited for.
#[must_use]
pub fn late(step: &Step) -> Finding {
    let open = |planned: &&super::Planned| !matches!(planned.action.what, What::None | What::Leave);
    let left: Vec<&super::Planned> = step.objects.iter().filter(open).collect();
    let first = left.first().map(|planned| {
        format!(", the first of which is {}/{}: ", planned.object.kind, planned.object.name)
            + planned.action.message.lines().next().unwrap_or_default()
    });
    let message = format!("timed out with {} objects left{}", left.len(), first.unwrap_or_default());
    Finding::error(&TIME, Kind::Invalid, "", message).help("run the same command again to continue")
}

/// The lease is lost.
#[must_use]
pub fn lease_lost() -> Finding {
    let message = "the lease of the cluster is lost, and another process may work on it";
    Finding::error(&LEASE, Kind::Invalid, "", message)
        .help("check that no other process works on the cluster, and run the same command again")
}

/// There are no credentials at all.
#[must_use]
pub fn no_credential() -> Finding {
    unusable_credential("there are no credentials for the operator".to_owned())
}

/// Credentials that cannot be given away; what they are.
#[must_use]
pub fn credential(whose: &str) -> Finding {
    unusable_credential(format!("the operator cannot be given {whose}"))
}

fn unusable_credential(message: String) -> Finding {
    Finding::error(&CREDENTIAL, Kind::NotSupported, "", message).help(
        "set AZURE_TENANT_ID, AZURE_CLIENT_ID and one of AZURE_CLIENT_SECRET, \
         AZURE_CLIENT_CERTIFICATE_PATH and AZURE_FEDERATED_TOKEN_FILE; for a managed identity, \
         AZURE_CLIENT_ID only",
    )
}

/// There is no such cluster.
#[must_use]
pub fn not_there(ground: &Ground) -> Finding {
    let Ground { infra_id, namespace } = ground;
    let message = format!("there is no cluster `{infra_id}` in namespace `{namespace}`");
    Finding::error(&NOT_THERE, Kind::Required, "", message)
        .help("use another --kubeconfig, --infra-id or --namespace")
}

pub(super) fn is_paused(ground: &Ground) -> Finding {
    let message = format!("cluster `{}` is paused", ground.infra_id);
    Finding::error(&PAUSED, Kind::Forbidden, "", message).help("end the pause with `landfall aso resume`")
}

pub(super) fn is_going(ground: &Ground) -> Finding {
    let message = format!("cluster `{}` is being removed", ground.infra_id);
    Finding::error(&GOING, Kind::Forbidden, "", message)
        .help("end its removal with `landfall destroy cluster`")
}

pub(super) fn moves_away(ground: &Ground) -> Finding {
    let message = format!("cluster `{}` is moving to another management cluster", ground.infra_id);
    Finding::error(&GOING, Kind::Forbidden, "", message).help("use the kubeconfig of that one")
}

pub(super) fn not_ours(ground: &Ground) -> Finding {
    let Ground { infra_id, namespace } = ground;
    let message = format!("anchor or credential in namespace `{namespace}` does not belong to `{infra_id}`");
    Finding::error(&OTHERS, Kind::Forbidden, "", message).help("use another namespace")
}

/// A removal without the management cluster.
#[must_use]
pub fn by_tag() -> Finding {
    let message = "Azure Service Operator created this cluster, and no management cluster is set";
    Finding::warning(&BY_TAG, Kind::Required, "", message).help(
        "set it with --kubeconfig; without it the resources are removed by their tags, and objects that \
         remain in a management cluster create them again",
    )
}

/// Machines of the control plane without a config; the file that is not there.
#[must_use]
pub fn control_plane_ignition(file: &str) -> Finding {
    let message = format!("the operator creates the machines, and {file} for the control plane is missing");
    Finding::error(&IGNITION, Kind::Required, "", message).help(
        "put master.ign of `openshift-install create ignition-configs` into the cluster directory, set its \
         folder with --ignition DIR, or run that program with --ignition openshift-install",
    )
}

/// An object whose resource is somebody else's, where machines are to start from what lies in it.
#[must_use]
pub fn foreign_source(need: &Need) -> Finding {
    let message = format!(
        "{}/{} exists in Azure without the cluster's tag, so that landfall puts neither image nor ignition config there",
        need.kind, need.name
    );
    Finding::error(&IGNITION, Kind::Invalid, "", message).help(
        "if it is this cluster's, give it the tag `kubernetes.io_cluster.<infrastructure id>: owned`; else upload the \
         files yourself, and use --aso-ignition-pointer",
    )
}

/// A patch that leads away from where landfall puts image and ignition config.
#[must_use]
pub fn patched_source(kind: &str, name: &str, field: &str) -> Finding {
    let message = format!(
        "the patch of {kind}/{name} sets {field}, which landfall does not follow for image and config"
    );
    Finding::error(&IGNITION, Kind::NotSupported, "", message)
        .help("remove it from the patch, or upload the files yourself and use --aso-ignition-pointer")
}

/// Another engine than the one that began; their names.
#[must_use]
pub fn other_engine(began: &str, asked: &str) -> Finding {
    let message = format!("the cluster was created with engine {began}, not {asked}");
    Finding::error(&ENGINE, Kind::Invalid, "", message).help(format!("remove --engine {asked}"))
}

/// Another namespace than the one that the cluster is in; their names.
#[must_use]
pub fn other_namespace(noted: &str, asked: &str) -> Finding {
    let message = format!("the cluster is in namespace `{noted}`, not `{asked}`");
    Finding::error(&ENGINE, Kind::Invalid, "", message).help("remove --namespace")
}

/// Machines that are to be left to somebody else, after the operator was to make them.
#[must_use]
pub fn other_machines() -> Finding {
    let message = "the operator created the machines of this cluster, and --aso-machines excludes them";
    Finding::error(&ENGINE, Kind::Invalid, "", message).help("remove --aso-machines")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Need, Planned};
    use super::*;
    use crate::core::{Action, What};
    use landfall_kube::Fault;
    use landfall_testing::codes_between;

    #[test]
    fn each_fault_has_a_page_of_its_own() {
        let ground = Ground { infra_id: "demo-x7k2p".to_owned(), namespace: "demo".to_owned() };
        let need = Need { kind: "StorageAccount", name: "demox7k2psa".to_owned() };
        let action = Action {
            what: What::TerminalError,
            policy: None,
            message: "no\nquota.".to_owned(),
            dry_run: None,
        };
        let object = Need { kind: "RouteTable", name: "demo".to_owned() };
        let step = Step { objects: vec![Planned { object, action, behind: Vec::new() }] };
        let failed = failed(&step).remove(0);
        assert!(
            failed.message.contains("RouteTable/demo") && failed.message.ends_with("no quota"),
            "{failed:?}"
        );
        let findings = [
            (failure(&Fault::Forbidden("it is not permitted".to_owned()).into()), "LF1532"),
            (not_taken(&need, &Fault::NotFound.into()), "LF1532"),
            (failed, "LF1533"),
            (late(&step), "LF1534"),
            (lease_lost(), "LF1535"),
            (credential("the log-in to the Azure CLI"), "LF1536"),
            (no_credential(), "LF1536"),
            (not_there(&ground), "LF1537"),
            (is_paused(&ground), "LF1538"),
            (is_going(&ground), "LF1539"),
            (moves_away(&ground), "LF1539"),
            (not_ours(&ground), "LF1540"),
            (by_tag(), "LF1541"),
            (control_plane_ignition("demo/master.ign"), "LF1542"),
            (foreign_source(&need), "LF1542"),
            (patched_source("StorageAccount", "a", "spec.azureName"), "LF1542"),
            (other_engine("aso", "terraform"), "LF1543"),
            (other_namespace("demo", "other"), "LF1543"),
            (other_machines(), "LF1543"),
        ];
        for (finding, code) in &findings {
            assert_eq!(finding.code.as_str(), *code, "{finding:?}");
            assert!(!finding.message.is_empty() && finding.help.is_some(), "{finding:?}");
        }
        let codes: BTreeSet<&str> = findings.iter().map(|(_, code)| *code).collect();
        assert_eq!(codes, codes_between("LF1532", "LF1543").into_iter().collect());
    }
}
