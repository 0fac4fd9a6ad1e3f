//! The findings of waiting, each with its page.

use std::fmt::Write;
use std::time::Duration;

use jiff::SignedDuration;
use landfall_diagnostics::{Code, Finding, Kind};
use landfall_kube::{Bad, BadKubeconfig, Fault};
use landfall_net::{Broken, Sort, Step};

use super::Operator;

/// The advice with which the help of a wait ends that did not last long enough.
pub const AGAIN: &str = "to wait longer, run the same command again";

static MISSING: Code = Code::new("LF1240");
static INVALID: Code = Code::new("LF1241");
static INSECURE: Code = Code::new("LF1242");
static REFUSED: Code = Code::new("LF1243");
static CERTIFICATE: Code = Code::new("LF1244");
static NO_ANSWER: Code = Code::new("LF1245");
static BOOTSTRAP: Code = Code::new("LF1246");
static INSTALLATION: Code = Code::new("LF1247");

/// That a kubeconfig cannot be used.
#[must_use]
pub fn kubeconfig(refused: &BadKubeconfig) -> Finding {
    let (page, kind, help) = match refused.bad {
        Bad::Unreadable => (
            &MISSING,
            Kind::Required,
            "set the file with --kubeconfig, or the cluster directory with --dir; `openshift-install create \
             ignition-configs` writes it as auth/kubeconfig",
        ),
        Bad::Invalid => {
            (&INVALID, Kind::Invalid, "use the kubeconfig that was created with the cluster's ignition files")
        }
        Bad::Insecure => (
            &INSECURE,
            Kind::Forbidden,
            "use an https server URL, remove insecure-skip-tls-verify, and set the server's CA in \
             certificate-authority-data",
        ),
    };
    Finding::error(page, kind, "", format!("the kubeconfig {}", refused.why)).help(help)
}

/// That calls cannot be made with what the kubeconfig or the environment says.
#[must_use]
pub fn setup(why: &str) -> Finding {
    Finding::error(&INVALID, Kind::Invalid, "", format!("the cluster cannot be queried: {why}"))
        .help("check the user of the kubeconfig's current context, its proxy-url, and HTTPS_PROXY")
}

/// That the server turns the user away.
pub(super) fn refused(fault: &Fault) -> Finding {
    Finding::error(&REFUSED, Kind::Forbidden, "", fault.why()).help(
        "use the kubeconfig that was created with this cluster's ignition files; if it is this one, check \
         whether its certificate or token has expired",
    )
}

/// That the server is not the one of the kubeconfig.
pub(super) fn certificate(why: &str) -> Finding {
    let message = format!("the API server is not the one that the kubeconfig trusts: {why}");
    Finding::error(&CERTIFICATE, Kind::Invalid, "", message).help(
        "check that the kubeconfig belongs to this cluster and that its server name resolves to it; behind \
         a proxy that intercepts TLS, add the name to NO_PROXY",
    )
}

/// That the API does not answer; the step of the way is told where it is known.
pub(super) fn no_answer(limit: Duration, broken: Option<&Broken>, fault: Option<&Fault>) -> Finding {
    let why = match (broken, fault) {
        (Some(broken), _) => format!("{}: {}", place(broken.step), broken.why),
        (None, Some(fault)) => fault.why(),
        (None, None) => "no response in time".to_owned(),
    };
    let sort = match (broken, fault) {
        (Some(broken), _) => Some(broken.sort),
        (None, Some(Fault::Way { sort, .. })) => Some(*sort),
        _ => None,
    };
    let message = format!("the API does not answer after {}: {why}", span(limit));
    Finding::error(&NO_ANSWER, Kind::Invalid, "", message).help(help(sort))
}

/// That the bootstrap is not complete.
pub(super) fn bootstrap(limit: Duration, how: &str) -> Finding {
    let message = format!("the bootstrap is not complete after {}: {how}", span(limit));
    Finding::error(&BOOTSTRAP, Kind::Invalid, "", message).help(
        "read the journal of the bootstrap machine: `landfall gather --ssh-key FILE` collects it, or run `ssh \
         core@MACHINE journalctl -b -u release-image -u bootkube`; to wait longer, run the same command again",
    )
}

/// That the cluster is not installed: what its version says, and each operator that is not as it should be.
pub(super) fn installation(limit: Duration, words: &str, operators: &[Operator]) -> Finding {
    let bad: Vec<&Operator> = operators.iter().filter(|o| !o.ready || o.degraded).collect();
    let mut message = format!("the cluster is not installed after {}", span(limit));
    if !bad.is_empty() {
        let names: Vec<&str> = bad.iter().map(|operator| operator.name.as_str()).collect();
        let _ = write!(message, ": {} of {} operators: {}", bad.len(), operators.len(), names.join(", "));
    } else if !words.is_empty() {
        let _ = write!(message, ": {words}");
    }
    let mut help = String::new();
    if !words.is_empty() && !bad.is_empty() {
        let _ = writeln!(help, "the release reports: {words}");
    }
    for operator in bad {
        let _ = writeln!(help, "{}", line(operator));
    }
    help.push_str("inspect them with `oc get clusteroperators`; to wait longer, run the same command again");
    Finding::error(&INSTALLATION, Kind::Invalid, "", message).help(help)
}

/// `console: not available, degraded: no route`.
fn line(operator: &Operator) -> String {
    let states = [
        (!operator.available, "not available"),
        (operator.degraded, "degraded"),
        (operator.progressing, "still changing"),
    ];
    let mut states: Vec<&str> = states.iter().filter(|(so, _)| *so).map(|(_, state)| *state).collect();
    if states.is_empty() {
        states.push("changed a moment ago");
    }
    let mut line = format!("{}: {}", operator.name, states.join(", "));
    if !operator.message.is_empty() {
        let _ = write!(line, ": {}", operator.message);
    }
    line
}

fn place(step: Step) -> &'static str {
    match step {
        Step::Name => "during the DNS lookup",
        Step::Connect => "connecting",
        Step::Proxy => "at the proxy",
        Step::Tls => "during the TLS handshake",
        Step::Http => "during the request",
    }
}

fn help(sort: Option<Sort>) -> &'static str {
    match sort {
        Some(Sort::NameUnknown | Sort::NameFailed) => {
            "check that the record api of the cluster's domain exists; the name of a private cluster \
             resolves only inside its network"
        }
        Some(Sort::Refused | Sort::Closed | Sort::Unreachable | Sort::TimedOut) => {
            "check that the bootstrap machine runs, that it is a healthy target of the load balancer, and \
             that no firewall is between this machine and it; to wait longer, run the same command again"
        }
        Some(sort) => sort.help(),
        None => AGAIN,
    }
}

/// A time such as `20m`.
fn span(limit: Duration) -> String {
    SignedDuration::try_from(limit)
        .map_or_else(|_| format!("{} s", limit.as_secs()), |span| format!("{span:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    fn operator(name: &str, ready: bool, degraded: bool, message: &str) -> Operator {
        Operator {
            name: name.to_owned(),
            ready,
            available: ready,
            progressing: false,
            degraded,
            message: message.to_owned(),
        }
    }

    #[test]
    fn operators_that_are_not_ready_are_named_with_their_words() {
        let operators = [
            operator("authentication", false, true, "no route"),
            operator("dns", true, false, ""),
            operator("ingress", true, true, "one replica"),
        ];
        let finding = installation(Duration::from_mins(40), "56% complete", &operators);
        assert_eq!(finding.code.as_str(), "LF1247");
        assert_names(&finding.message, &["40m", "2 of 3", "authentication, ingress"]);
        let help = finding.help.clone().unwrap_or_default();
        let lines: Vec<&str> = help.lines().collect();
        let said = [" 56% complete", ": no route", ": one replica"];
        assert!(lines.iter().zip(said).all(|(line, said)| line.ends_with(said)), "{lines:?}");
        let named = ["authentication: ", "ingress: "];
        assert!(lines.iter().skip(1).zip(named).all(|(line, name)| line.starts_with(name)), "{lines:?}");
        assert_eq!(lines.len(), 4);
        let without = installation(Duration::from_secs(90), "56% complete", &[]);
        assert_eq!(without.code.as_str(), "LF1247");
        assert_names(&without.message, &["1m 30s", "56% complete"]);
        landfall_testing::assert_findings("wait-installation", [&finding, &without]);
    }

    #[test]
    fn the_step_that_fails_is_told() {
        let broken = Broken {
            step: Step::Connect,
            sort: Sort::Refused,
            why: "connection refused".to_owned(),
            help: String::new(),
        };
        let finding = no_answer(Duration::from_mins(20), Some(&broken), None);
        assert_eq!(finding.code.as_str(), "LF1245");
        assert_names(&finding.message, &["20m", "connecting", "connection refused"]);
        assert!(finding.help.as_ref().is_some_and(|help| help.contains("bootstrap machine")));
        let fault = Fault::Answer { status: 503, why: String::new() };
        let answered = no_answer(Duration::from_mins(20), None, Some(&fault));
        assert_eq!(answered.code.as_str(), "LF1245");
        assert_names(&answered.message, &["20m", "503"]);
        let others = [setup("x"), refused(&Fault::Unauthorized), certificate("expired")];
        landfall_testing::assert_findings("wait-api", [&finding, &answered].into_iter().chain(&others));
    }

    #[test]
    fn a_kubeconfig_is_told_by_what_is_wrong_with_it() {
        let of = |bad: Bad| kubeconfig(&BadKubeconfig { bad, why: "is so".to_owned() }).code.as_str();
        assert_eq!([Bad::Unreadable, Bad::Invalid, Bad::Insecure].map(of), ["LF1240", "LF1241", "LF1242"]);
    }

    #[test]
    fn who_is_turned_away_is_told_why() {
        let codes = [setup("x"), refused(&Fault::Unauthorized), certificate("expired")];
        assert_eq!(codes.map(|finding| finding.code.as_str()), ["LF1241", "LF1243", "LF1244"]);
        assert_eq!(bootstrap(Duration::from_mins(45), "under way").code.as_str(), "LF1246");
    }
}
