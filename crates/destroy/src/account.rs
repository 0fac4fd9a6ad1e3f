//! Whose cloud it is that a cluster is looked for in.

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_platform::cloud::Verdict;
use landfall_platform::removal::{Account, Discovered, Removal, Target};
use tokio::time::{Instant, sleep, timeout_at};

use super::pages;

/// Why nothing can be said of a cluster.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Fault {
    /// The credentials' account is unknown, and a retry does not help.
    #[error("{}", .0.message)]
    Account(Box<Finding>),
    /// The cloud gave no usable answer to that question; another time it may.
    #[error("{}", .0.message)]
    Unanswered(Box<Finding>),
}

impl Fault {
    /// The finding for it.
    #[must_use]
    pub fn into_finding(self) -> Finding {
        match self {
            Self::Account(finding) | Self::Unanswered(finding) => *finding,
        }
    }

    /// Whether the same question may be answered another time.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unanswered(_))
    }
}

/// How long to wait before the cloud is asked again whose credentials these are.
const PAUSES: [Duration; 2] = [Duration::from_secs(6); 2];

/// Whose credentials these are. An answer that cannot be used is asked for again, as long as `limit` allows; the last
/// failure is returned before it has passed.
///
/// # Errors
/// The cloud does not say it.
pub async fn account(removal: &dyn Removal, limit: Duration) -> Result<Account, Fault> {
    let end = Instant::now() + limit * 9 / 10;
    let mut asked = once(removal).await;
    for pause in PAUSES {
        match &asked {
            Err(fault) if fault.may_pass() && Instant::now() + pause < end => sleep(pause).await,
            _ => return asked,
        }
        match timeout_at(end, once(removal)).await {
            Ok(again) => asked = again,
            Err(_) => return asked,
        }
    }
    asked
}

async fn once(removal: &dyn Removal) -> Result<Account, Fault> {
    removal.account().await.map_err(|why| match why {
        Verdict::Found(finding) => Fault::Account(finding),
        Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => {
            Fault::Unanswered(Box::new(pages::no_account(&why)))
        }
    })
}

/// Checks that the caller's account is that of the cluster. If it was not recorded, there is nothing to compare.
///
/// # Errors
/// It is another one.
pub fn same_account(target: &Target, account: &Account) -> Result<(), Box<Finding>> {
    match recorded(target) {
        Some(recorded) if !recorded.eq_ignore_ascii_case(account.id.trim()) => {
            Err(Box::new(pages::other_account(target, recorded, account)))
        }
        _ => Ok(()),
    }
}

/// Checks that a first scan without results proves that the cluster is gone: the scan was complete, in the
/// account that was recorded when the cluster was created, or the user `confirmed` it.
///
/// # Errors
/// It does not: region or account may be wrong.
pub fn nothing_found(
    target: &Target,
    account: &Account,
    found: &Discovered,
    confirmed: bool,
) -> Result<(), Box<Finding>> {
    same_account(target, account)?;
    if !found.unseen.is_empty() {
        return Err(Box::new(pages::not_all_seen(&found.unseen)));
    }
    if recorded(target).is_none() && !confirmed {
        return Err(Box::new(pages::nothing_there(target, account)));
    }
    Ok(())
}

fn recorded(target: &Target) -> Option<&str> {
    target.account.as_deref().map(str::trim).filter(|account| !account.is_empty())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::{Map, Value};

    use super::*;
    use landfall_diagnostics::Kind;
    use landfall_platform::cloud::{Asked, Waiting};
    use landfall_platform::removal::{FoundClusters, Holder, Outcome, Resource};

    fn target(account: Option<&str>) -> Target {
        let region = Value::from("us-gov-west-1");
        Target {
            infra_id: "demo-bcd24".to_owned(),
            account: account.map(ToOwned::to_owned),
            platform: Map::from_iter([("region".to_owned(), region)]),
            ..Target::default()
        }
    }

    fn caller() -> Account {
        Account { id: "123456789012".to_owned(), caller: "arn:aws:iam::123456789012:user/x".to_owned() }
    }

    fn code(result: Result<(), Box<Finding>>) -> Option<&'static str> {
        result.err().map(|finding| finding.code.as_str())
    }

    #[test]
    fn another_account_is_refused_and_both_are_named() {
        assert_eq!(code(same_account(&target(None), &caller())), None);
        assert_eq!(code(same_account(&target(Some(" ")), &caller())), None);
        assert_eq!(code(same_account(&target(Some("123456789012")), &caller())), None);
        let refused = same_account(&target(Some("999999999999")), &caller()).err();
        assert_eq!(refused.as_ref().map(|finding| finding.code.as_str()), Some("LF1300"));
        let message = refused.map(|finding| finding.message).unwrap_or_default();
        assert!(["999999999999", "123456789012", "demo-bcd24"].iter().all(|word| message.contains(word)));
        // Subscriptions are UUIDs, which are equal in any case.
        let (upper, lower) = ("6E0F5A1C-0000-4000-8000-00000000000A", "6e0f5a1c-0000-4000-8000-00000000000a");
        let caller = Account { id: lower.to_owned(), caller: String::new() };
        assert_eq!(code(same_account(&target(Some(upper)), &caller)), None);
    }

    #[test]
    fn finding_nothing_is_no_success_by_itself() {
        let nothing = Discovered::default();
        let of = |account, confirmed| nothing_found(&target(account), &caller(), &nothing, confirmed);
        assert_eq!(code(of(Some("123456789012"), false)), None);
        assert_eq!(code(of(Some("999999999999"), true)), Some("LF1300"));
        assert_eq!(code(of(None, true)), None);
        let refused = of(None, false).err();
        assert_eq!(refused.as_ref().map(|finding| finding.code.as_str()), Some("LF1301"));
        let told = refused.map(|f| f.message + &f.help.unwrap_or_default()).unwrap_or_default();
        for word in ["123456789012", "us-gov-west-1", "--confirm-gone"] {
            assert!(told.contains(word), "{told}");
        }
    }

    #[test]
    fn who_could_not_look_everywhere_has_not_found_nothing() {
        let denied = pages::nothing_there(&target(None), &caller());
        let blind = Discovered { unseen: vec![denied], ..Discovered::default() };
        assert_eq!(code(nothing_found(&target(None), &caller(), &blind, true)), Some("LF1303"));
    }

    /// A cloud that gives no usable answer some times.
    struct Garbled(AtomicUsize, usize);

    impl Removal for Garbled {
        fn account(&self) -> Waiting<'_, Asked<Account>> {
            let before = self.0.fetch_add(1, Ordering::Relaxed);
            let why = "unexpected response: this is not an AWS endpoint but HTTP 200, text/html".to_owned();
            let answer = if before < self.1 { Err(Verdict::Skipped(why)) } else { Ok(caller()) };
            Box::pin(async { answer })
        }

        fn discover(&self) -> Waiting<'_, Discovered> {
            Box::pin(async { Discovered::default() })
        }

        fn remove<'s>(&'s self, _: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
            Box::pin(async { Vec::new() })
        }

        fn look<'s>(&'s self, _: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
            Box::pin(async { Vec::new() })
        }

        fn holders<'s>(&'s self, _: &'s Resource) -> Waiting<'s, Vec<Holder>> {
            Box::pin(async { Vec::new() })
        }

        fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
            Box::pin(async { Ok(FoundClusters::default()) })
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_cannot_be_used_is_asked_for_again() {
        for (times, known) in [(0, true), (1, true), (2, true), (3, false)] {
            let asked = account(&Garbled(AtomicUsize::new(0), times), Duration::from_mins(1)).await;
            assert_eq!(asked.is_ok(), known, "{times}");
            assert!(
                asked.err().is_none_or(|fault| fault.may_pass() && fault.to_string().contains("text/html"))
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn with_little_time_the_last_failure_is_returned_before_it_is_over() {
        let began = Instant::now();
        let limit = Duration::from_secs(10);
        let cloud = Garbled(AtomicUsize::new(0), 3);
        let asked = account(&cloud, limit).await;
        assert!(began.elapsed() < limit, "{:?}", began.elapsed());
        assert!(asked.is_err_and(|fault| fault.to_string().contains("text/html")));
        assert_eq!(cloud.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_fault_is_reported_in_its_own_words() {
        let finding = Finding::error(&pages::NO_ACCOUNT, Kind::Invalid, "", "the token has expired");
        let fault = Fault::Account(Box::new(finding));
        assert_eq!(fault.to_string(), "the token has expired");
        assert_eq!(fault.into_finding().code.as_str(), "LF1302");
    }
}
