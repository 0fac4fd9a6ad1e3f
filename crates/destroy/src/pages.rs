//! The findings of destroying a cluster, whichever cloud it is in.

use std::time::Duration;

use jiff::SignedDuration;
use landfall_diagnostics::{Code, Finding, Kind};
use landfall_platform::removal::{Account, Elsewhere, Target};
use serde_json::Value;

static OTHER_ACCOUNT: Code = Code::new("LF1300");
static NOTHING_THERE: Code = Code::new("LF1301");
pub(super) static NO_ACCOUNT: Code = Code::new("LF1302");
static NOT_ALL_SEEN: Code = Code::new("LF1303");
static TIMED_OUT: Code = Code::new("LF1304");
static LEFT: Code = Code::new("LF1305");
static BROKEN_OFF: Code = Code::new("LF1306");

static ELSEWHERE: Code = Code::new("LF1307");
static MAYBE_ELSEWHERE: Code = Code::new("LF1308");

/// That the cluster is in another place.
pub(super) fn elsewhere(target: &Target, elsewhere: &Elsewhere) -> Finding {
    let found = elsewhere.found.iter();
    let told: Vec<String> = found.clone().map(|one| format!("{} ({})", one.place, one.evidence)).collect();
    let message =
        format!("cluster `{}` is not in {}, but in {}", target.infra_id, elsewhere.here, told.join(" and "));
    let helps: Vec<&str> = found.map(|one| one.help.as_str()).collect();
    Finding::error(&ELSEWHERE, Kind::Invalid, "", message)
        .help(format!("{}; nothing was changed", helps.join(", or ")))
}

/// That the cluster may be in another place.
pub(super) fn maybe_elsewhere(target: &Target, elsewhere: &Elsewhere) -> Finding {
    let message = format!(
        "it is not proven that cluster `{}` is in {}: everything that was found there is also visible from \
         other regions or subscriptions, and not all of those could be read",
        target.infra_id, elsewhere.here
    );
    Finding::error(&MAYBE_ELSEWHERE, Kind::Invalid, "", message).help(
        "grant the missing permissions, or restore the connection, and run the same command again; if this \
         is the right place, confirm with --confirm-gone; nothing was changed",
    )
}

/// That the credentials are another account's.
pub(super) fn other_account(target: &Target, recorded: &str, account: &Account) -> Finding {
    let message = format!(
        "cluster `{}` was created in account {recorded}, and these credentials belong to account {}{}",
        target.infra_id,
        account.id,
        caller(account)
    );
    Finding::error(&OTHER_ACCOUNT, Kind::Forbidden, "", message)
        .help(format!("use credentials for account {recorded}; nothing was changed"))
}

/// Nothing was found, and account or region are not confirmed.
pub(super) fn nothing_there(target: &Target, account: &Account) -> Finding {
    let place = match region(target) {
        Some(region) => format!("account {}, region {region}", account.id),
        None => format!("account {}", account.id),
    };
    let message = format!(
        "no resources of cluster `{}` were found in {place}, and the cluster's account was never recorded",
        target.infra_id
    );
    let help = format!(
        "if the cluster was in {place}, it is gone: confirm with --confirm-gone; else use the credentials \
         and the region of the cluster"
    );
    Finding::error(&NOTHING_THERE, Kind::Required, "", message).help(help)
}

/// The account of the credentials is unknown.
pub(super) fn no_account(why: &str) -> Finding {
    Finding::error(&NO_ACCOUNT, Kind::Invalid, "", format!("the account could not be read: {why}")).help(
        "run the same command again; if it fails every time, check the network and which server \
            answers there",
    )
}

/// Whether a finding only says that nothing proves that a cluster is gone, as others say why.
#[must_use]
pub fn is_proof(finding: &Finding) -> bool {
    *finding.code == NOT_ALL_SEEN
}

/// That something could not be looked at.
pub(super) fn not_all_seen(unseen: &[Finding]) -> Finding {
    let first = unseen.first().map(|finding| format!(": {}", finding.message)).unwrap_or_default();
    let more = match unseen.len() {
        0 | 1 => String::new(),
        parts => format!(", and {} more", parts - 1),
    };
    let message = format!("it is not proven that the cluster is gone{first}{more}");
    Finding::error(&NOT_ALL_SEEN, Kind::Invalid, "", message)
        .help("grant the missing read permissions, and run the same command again")
}

/// That the time is over.
pub(super) fn timed_out(limit: Duration, left: usize) -> Finding {
    let limit = span(limit);
    let message = match left {
        0 => format!("after {limit} some lists could not be read, so resources of the cluster may remain"),
        1 => format!("after {limit} one resource of the cluster remains"),
        left => format!("after {limit} {left} resources of the cluster remain"),
    };
    Finding::error(&TIMED_OUT, Kind::Invalid, "", message)
        .help("fix the reason given for each, and run the same command again; --timeout sets a longer time")
}

/// That something was refused, and how much is left for it.
pub(super) fn refused(left: usize) -> Finding {
    let message = match left {
        1 => "one resource of the cluster remains, because the cloud refuses to remove it".to_owned(),
        left => format!("{left} resources of the cluster remain, because the cloud refuses to remove them"),
    };
    Finding::error(&LEFT, Kind::Forbidden, "", message).help(
        "get the permission, or ask somebody else to remove the refused resources, and run the same \
         command again",
    )
}

/// That a look ended before it was over.
pub(super) fn broken_off() -> Finding {
    Finding::error(&BROKEN_OFF, Kind::InternalError, "", "the scan of the cloud ended with an internal error")
        .help("run the same command again, and report it if it happens again")
}

/// Where the cluster is, as far as somebody says it.
fn region(target: &Target) -> Option<&str> {
    target.platform.get("region").and_then(Value::as_str).filter(|region| !region.is_empty())
}

/// `, of arn:...`
fn caller(account: &Account) -> String {
    if account.caller.is_empty() { String::new() } else { format!(" ({})", account.caller) }
}

/// A time such as `20m`, to the second where it has any.
fn span(limit: Duration) -> String {
    let seconds =
        Duration::from_secs(limit.as_secs().saturating_add(u64::from(limit.subsec_millis() >= 500)));
    let limit = if limit < Duration::from_secs(1) { limit } else { seconds };
    SignedDuration::try_from(limit)
        .map_or_else(|_| format!("{} s", limit.as_secs()), |span| format!("{span:#}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::assert_names;

    #[test]
    fn what_is_left_is_counted() {
        let [none, one, more] = [0, 1, 7].map(|left| timed_out(Duration::from_hours(1), left));
        assert_names(&none.message, &["1h"]);
        assert_names(&one.message, &["1h", "one"]);
        assert_names(&more.message, &["1h", "7"]);
        let refused = [refused(1), refused(2)];
        assert_names(&refused[0].message, &["one"]);
        assert_names(&refused[1].message, &["2"]);
        landfall_testing::assert_findings("destroy-left", [&none, &one, &more, &refused[0], &refused[1]]);
    }

    #[test]
    fn the_first_look_that_failed_is_reported_and_the_others_are_counted() {
        let finding = not_all_seen(&[no_account("denied"), broken_off()]);
        assert_eq!(finding.code.as_str(), "LF1303");
        assert_names(&finding.message, &["denied", "1 more"]);
        assert!(!finding.message.contains(&broken_off().message), "{}", finding.message);
        landfall_testing::assert_findings("destroy-not-seen", [&finding]);
    }
}
