//! What stands against work on a cluster's objects, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity};

use super::api::Failure;
use super::ground::Ground;
use super::{Step, What};

/// The pages of the driver.
pub static PAGES: &[&Page] = &[
    &CALL,
    &FAILED,
    &TIME,
    &LEASE,
    &CREDENTIAL,
    &NOT_THERE,
    &PAUSED,
    &GOING,
    &OTHERS,
    &BY_TAG,
    &IGNITION,
    &ENGINE,
];

const fn page(code: &'static str, title: &'static str, text: &'static str) -> Page {
    Page { code, title, text, severity: Severity::Error, fields: &[], base: Base::Whole, bad: "", good: "" }
}

static CALL: Page = page(
    "LF1532",
    "the management cluster does what the engine asks",
    "Namespace, anchor, credential and lease are looked at and written before any object. What the \
     management cluster refuses there ends the run; what it refuses of an object is told with that object.",
);
static FAILED: Page = page(
    "LF1533",
    "no resource fails for good",
    "The operator says of every object how its resource does. With the severity Error it tries no more until \
     the object, its credential or the plan changes. The other objects go on as far as they can without it.",
);
static TIME: Page = page(
    "LF1534",
    "the objects are as they are to be in time",
    "The work ends after an hour, or after what --timeout says. The objects stay, and the operator goes on \
     with them; the same command looks at them again.",
);
static LEASE: Page = page(
    "LF1535",
    "only one engine works on a cluster",
    "Whoever works on a cluster holds a lease in its namespace and renews it. Who cannot renew it ends before \
     somebody else may take it.",
);
static CREDENTIAL: Page = page(
    "LF1536",
    "the operator can be given the credentials",
    "The operator makes the cluster with credentials of its own, from a Secret beside the objects: the secret \
     or the certificate of an application, a workload identity, or a managed identity. What a person's log-in \
     gives cannot be put there.",
);
static NOT_THERE: Page = page(
    "LF1537",
    "the cluster is in the management cluster",
    "A cluster stands below its anchor, a ConfigMap named after its infrastructure id, in its namespace.",
);
static PAUSED: Page = page(
    "LF1538",
    "the cluster is not paused",
    "In a paused cluster the operator only reads, and the engine changes nothing, so that the cluster can be \
     moved.",
);
static GOING: Page = page(
    "LF1539",
    "the cluster is not being removed or moved away",
    "An anchor that is being deleted, or that is marked as one that a move leaves behind, has nothing made \
     below it any more.",
);
static OTHERS: Page = page(
    "LF1540",
    "the anchor and the credential are the cluster's own",
    "The anchor and the Secret with the credential carry the label of their cluster. One of the same name \
     without it is somebody else's, and is not touched.",
);
static BY_TAG: Page = Page {
    severity: Severity::Warning,
    ..page(
        "LF1541",
        "a cluster is removed through the management cluster that it is in",
        "Without a management cluster the resources are found by their tags and removed through Azure itself. \
         An operator that still has the objects makes the resources again.",
    )
};
static IGNITION: Page = page(
    "LF1542",
    "machines that the operator makes have a pointer to their ignition config",
    "An object can be read by everybody who can read the namespace, so that only a small config goes into it, \
     which names where the machine gets the whole one.",
);
static ENGINE: Page = page(
    "LF1543",
    "a cluster stays with the engine that began it",
    "What one engine made, the other does not know of, and would make once more.",
);

/// A call that failed.
#[must_use]
pub fn failure(failure: &Failure) -> Finding {
    let message = format!("a call of the management cluster failed: {}", failure.fault.why());
    let kind = if failure.code() == Some(403) { Kind::Forbidden } else { Kind::Invalid };
    Finding::error(&CALL, kind, "", message)
        .help("see that the management cluster answers and permits it, and run the same command again")
}

/// Every object that failed for good.
#[must_use]
pub fn failed(step: &Step) -> Vec<Finding> {
    let failed = step.objects.iter().filter(|planned| planned.action.what == What::TerminalError);
    let finding = |planned: &super::Planned| {
        let line = planned.action.message.lines().collect::<Vec<_>>().join(" ");
        let message = format!("{}/{}: {line}", planned.object.kind, planned.object.name);
        Finding::error(&FAILED, Kind::Invalid, "", message.trim_end_matches('.').to_owned())
            .help("mend what is said, and run the same command again")
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
    let message = format!("the time is over with {} objects left{}", left.len(), first.unwrap_or_default());
    Finding::error(&TIME, Kind::Invalid, "", message).help("run the same command again to go on")
}

/// The lease is lost.
#[must_use]
pub fn lease_lost() -> Finding {
    let message = "the lease of the cluster is lost, and somebody else may work on it";
    Finding::error(&LEASE, Kind::Invalid, "", message)
        .help("see that nobody else works on the cluster, and run the same command again")
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
        "set AZURE_TENANT_ID, AZURE_CLIENT_ID and one of AZURE_CLIENT_SECRET, AZURE_CLIENT_CERTIFICATE_PATH and \
         AZURE_FEDERATED_TOKEN_FILE; for a managed identity, AZURE_CLIENT_ID alone",
    )
}

/// There is no such cluster.
#[must_use]
pub fn not_there(ground: &Ground) -> Finding {
    let Ground { infra_id, namespace } = ground;
    let message = format!("there is no cluster `{infra_id}` in namespace `{namespace}`");
    Finding::error(&NOT_THERE, Kind::Required, "", message)
        .help("name another --kubeconfig, --infra-id or --namespace")
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
    Finding::error(&GOING, Kind::Forbidden, "", message).help("name the kubeconfig of that one")
}

pub(super) fn not_ours(ground: &Ground) -> Finding {
    let Ground { infra_id, namespace } = ground;
    let message = format!("anchor or credential in namespace `{namespace}` is not that of `{infra_id}`");
    Finding::error(&OTHERS, Kind::Forbidden, "", message).help("name another namespace")
}

/// A removal without the management cluster.
#[must_use]
pub fn by_tag() -> Finding {
    let message = "Azure Service Operator made this cluster, and no management cluster is named";
    Finding::warning(&BY_TAG, Kind::Required, "", message).help(
        "name it with --kubeconfig; without it the resources are removed by their tags, and objects that are \
         left in a management cluster make them again",
    )
}

/// Machines without a pointer to their config.
#[must_use]
pub fn ignition() -> Finding {
    let message = "machines are to be made by the operator, and there is no pointer to the bootstrap config";
    Finding::error(&IGNITION, Kind::Required, "", message).help(
        "put bootstrap.ign where machines can get it, and name a pointer to it with --aso-ignition-pointer",
    )
}

/// Machines of the control plane without a config; the file that is not there.
#[must_use]
pub fn control_plane_ignition(file: &str) -> Finding {
    let message =
        format!("machines are to be made by the operator, and {file} is missing, for the control plane");
    Finding::error(&IGNITION, Kind::Required, "", message).help(
        "put master.ign of `openshift-install create ignition-configs` into the cluster directory, name its \
         folder with --ignition DIR, or have that program make it with --ignition openshift-install",
    )
}

/// Another engine than the one that began; their names.
#[must_use]
pub fn other_engine(began: &str, asked: &str) -> Finding {
    let message = format!("the cluster was begun with engine {began}, and {asked} is asked for");
    Finding::error(&ENGINE, Kind::Invalid, "", message).help(format!("leave --engine {asked} out"))
}

/// Another namespace than the one that the cluster is in; their names.
#[must_use]
pub fn other_namespace(noted: &str, asked: &str) -> Finding {
    let message = format!("the cluster is in namespace `{noted}`, and namespace `{asked}` is asked for");
    Finding::error(&ENGINE, Kind::Invalid, "", message).help("leave --namespace out")
}

/// Machines that are to be left to somebody else, after the operator was to make them.
#[must_use]
pub fn other_machines() -> Finding {
    let message = "the operator makes the machines of this cluster, and none are asked of it";
    Finding::error(&ENGINE, Kind::Invalid, "", message).help("leave --aso-machines out")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::{Need, Planned};
    use super::*;
    use crate::core::{Action, What};
    use landfall_kube::Fault;

    #[test]
    fn each_fault_has_a_page_of_its_own() {
        let ground = Ground { infra_id: "demo-x7k2p".to_owned(), namespace: "demo".to_owned() };
        let action = Action { what: What::TerminalError, policy: None, message: "no\nquota.".to_owned() };
        let object = Need { kind: "RouteTable", name: "demo".to_owned() };
        let step = Step { objects: vec![Planned { object, action, behind: Vec::new() }] };
        let failed = failed(&step).remove(0);
        assert!(
            failed.message.contains("RouteTable/demo") && failed.message.ends_with("no quota"),
            "{failed:?}"
        );
        let findings = [
            (failure(&Fault::Forbidden("it is not permitted".to_owned()).into()), "LF1532"),
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
            (ignition(), "LF1542"),
            (control_plane_ignition("demo/master.ign"), "LF1542"),
            (other_engine("aso", "terraform"), "LF1543"),
            (other_namespace("demo", "other"), "LF1543"),
            (other_machines(), "LF1543"),
        ];
        for (finding, code) in &findings {
            assert_eq!(finding.page.code, *code, "{finding:?}");
            assert!(!finding.message.is_empty() && finding.help.is_some(), "{finding:?}");
        }
        let codes: BTreeSet<&str> = findings.iter().map(|(_, code)| *code).collect();
        assert_eq!(codes, PAGES.iter().map(|page| page.code).collect());
    }
}
