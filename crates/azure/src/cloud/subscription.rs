//! The subscription: whether it is named, seen, enabled, and of the tenant of the credentials.

use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_platform::cloud::{Answer, Check};
use serde::Deserialize;

use super::api_versions::Api;
use super::arm::Arm;
use super::fault::{Fault, Sort};
use super::gather::resource;
use super::identity::Caller;
use super::pages;
use super::session::Session;

/// The check of the subscription.
pub(super) const CHECK: &str = "azure.subscription";

/// The most subscriptions in a sentence.
const MOST: usize = 5;

const VARIABLE: &str = "set AZURE_SUBSCRIPTION_ID";

/// A subscription, as far as the caller may see it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Subscription {
    /// Its id.
    #[serde(rename = "subscriptionId")]
    pub(super) id: String,
    /// Its name for people.
    display_name: String,
    /// Whether something can be made in it.
    state: String,
    /// The tenant that it belongs to.
    tenant_id: String,
    /// Why the caller may not see more than the id.
    #[serde(skip)]
    hidden: Option<String>,
}

/// Finds the subscription, or what to say where there is none.
pub(super) async fn find(session: &Session<'_>) -> Result<Subscription, Answer> {
    let arm = session.arm().await?;
    let id = session.given().subscription.as_str();
    if id.is_empty() {
        return only(arm).await;
    }
    match arm.get::<Subscription>(Api::SUBSCRIPTIONS, &resource::subscription(id), &[]).await {
        Ok(found) => Ok(Subscription { id: id.to_owned(), ..found }),
        Err(fault) if fault.sort == Sort::Denied => {
            let hidden = Some(fault.sentence());
            Ok(Subscription { id: id.to_owned(), hidden, ..Subscription::default() })
        }
        Err(fault) => Err(unseen(&fault, id)),
    }
}

/// The one subscription that the credentials can see.
async fn only(arm: &Arm) -> Result<Subscription, Answer> {
    let listed = arm.list::<Subscription>(Api::SUBSCRIPTIONS, "/subscriptions", &[]).await;
    let seen = listed.map_err(|fault| fault.answer(""))?;
    choose(seen)
}

fn choose(seen: Vec<Subscription>) -> Result<Subscription, Answer> {
    let usable: Vec<Subscription> = seen.into_iter().filter(|one| !is_disabled(&one.state)).collect();
    let (message, help) = match <[Subscription; 1]>::try_from(usable) {
        Ok([subscription]) => return Ok(subscription),
        Err(none) if none.is_empty() => (
            "no subscription is set, and the credentials can see none".to_owned(),
            format!("{VARIABLE}, and assign the caller a role on that subscription"),
        ),
        Err(many) => {
            let names: Vec<String> = many
                .iter()
                .take(MOST)
                .map(|one| format!("{} ({})", one.id, shortened(&one.display_name)))
                .collect();
            let message = format!("no subscription is set, and the credentials can see {}", many.len());
            (message, format!("{VARIABLE} to one of them, such as {}", names.join(", ")))
        }
    };
    let finding = Finding::error(&pages::SUBSCRIPTION, Kind::Required, "", message);
    Err(Answer::found(finding.help(help)))
}

/// What to say of a subscription that the caller cannot see.
fn unseen(fault: &Fault, id: &str) -> Answer {
    let id = shortened(id);
    let finding = if fault.is("InvalidAuthenticationTokenTenant") {
        let message = format!(
            "the subscription `{id}` belongs to another tenant than the credentials: {}",
            fault.sentence()
        );
        let help = "use credentials of the tenant that the subscription is in, or another subscription";
        Finding::error(&pages::TENANT, Kind::Invalid, "", message).help(help)
    } else if fault.sort == Sort::NotFound || fault.lacks_subscription() {
        let message = format!("the credentials cannot see the subscription `{id}`: {}", fault.sentence());
        let help = "check AZURE_SUBSCRIPTION_ID, that the subscription is in this cloud, and that the \
            caller has a role on it";
        Finding::error(&pages::NO_SUBSCRIPTION, Kind::Invalid, "", message).help(help)
    } else {
        return fault.answer("");
    };
    fault.attach(Answer::found(finding))
}

/// The check of the subscription.
pub(super) fn check<'s>(session: &'s Session<'_>) -> Check<'s> {
    Check::new(CHECK, "", async move {
        let (subscription, caller) = match (session.found_subscription().await, session.caller().await) {
            (Ok(subscription), Ok(caller)) => (subscription, caller),
            (Err(answer), _) => return answer.clone(),
            (_, Err(unready)) => return unready.into(),
        };
        let answer = judge(subscription, caller).with("subscription", subscription.id.clone());
        let seen = [
            ("name", &subscription.display_name),
            ("state", &subscription.state),
            ("tenant", &subscription.tenant_id),
        ];
        let seen = seen.into_iter().filter(|(_, value)| !value.is_empty());
        seen.fold(answer, |answer, (name, value)| answer.with(name, value.clone()))
    })
}

/// Whether a cluster can be made in a subscription.
fn judge(subscription: &Subscription, caller: &Caller) -> Answer {
    let Subscription { id, display_name, state, tenant_id, hidden } = subscription;
    if let Some(why) = hidden {
        return Answer::skipped(format!("the caller may not read the subscription itself: {why}"));
    }
    let of_another =
        is_id(tenant_id) && is_id(&caller.tenant) && !tenant_id.eq_ignore_ascii_case(&caller.tenant);
    if of_another {
        let message = format!(
            "the subscription `{id}` belongs to the tenant {tenant_id}, and the credentials to {}",
            caller.tenant
        );
        let help = "use credentials of the tenant that the subscription is in, or another subscription";
        return Answer::found(Finding::error(&pages::TENANT, Kind::Invalid, "", message).help(help));
    }
    if is_disabled(state) {
        let message = format!("the subscription `{id}` is not enabled: its state is {}", shortened(state));
        let help = "enable it in the Azure portal, or use another subscription";
        return Answer::found(Finding::error(&pages::DISABLED, Kind::Invalid, "", message).help(help));
    }
    if !state.is_empty() && !state.eq_ignore_ascii_case("Enabled") {
        let message =
            format!("the subscription `{id}` may soon be disabled: its state is {}", shortened(state));
        let help = "check its billing in the Azure portal";
        return Answer::found(Finding::warning(&pages::UNPAID, Kind::Invalid, "", message).help(help));
    }
    let name =
        if display_name.is_empty() { String::new() } else { format!(" ({})", shortened(display_name)) };
    Answer::passed(format!("subscription {id}{name}"))
}

/// Whether nothing can be made in a subscription of this state.
fn is_disabled(state: &str) -> bool {
    ["Disabled", "Deleted"].iter().any(|known| state.eq_ignore_ascii_case(known))
}

/// Whether a text is an id of the directory, and not a domain of a tenant or another name.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 36 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use super::super::scripted::{Scripted, scripted};
    use super::*;
    use landfall_platform::cloud::Verdict;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const OURS: &str = "00000000-0000-0000-0000-00000000000a";
    const THEIRS: &str = "00000000-0000-0000-0000-00000000000b";

    /// The code of what was found, with its message; no code where nothing was.
    fn found(answer: Answer) -> (&'static str, String) {
        match answer.verdict {
            Verdict::Found(finding) => (finding.code.as_str(), finding.message),
            Verdict::Passed(what) => ("", what),
            Verdict::Skipped(why) | Verdict::Unanswered(why) => ("skipped", why),
        }
    }

    fn judged(state: &str, tenant: &str) -> (&'static str, String) {
        let subscription = Subscription {
            id: "s".to_owned(),
            display_name: "Team".to_owned(),
            state: state.to_owned(),
            tenant_id: tenant.to_owned(),
            hidden: None,
        };
        found(judge(&subscription, &Caller { tenant: OURS.to_owned(), ..Caller::default() }))
    }

    #[test]
    fn a_subscription_must_be_enabled_and_of_the_tenant() {
        let passed = ("", "subscription s (Team)".to_owned());
        assert_eq!(judged("Enabled", OURS), passed);
        assert_eq!(judged("Enabled", &OURS.to_uppercase()), passed);
        assert_eq!(judged("", "example.onmicrosoft.com"), passed);
        let cases =
            [("Disabled", OURS, "LF1118"), ("PastDue", OURS, "LF1119"), ("Enabled", THEIRS, "LF1120")];
        for (state, tenant, code) in cases {
            let (found, message) = judged(state, tenant);
            assert_eq!(found, code, "{message}");
            let names_reason = [state, tenant].iter().any(|reason| message.contains(reason));
            assert!(message.contains("`s`") && names_reason, "{message}");
        }
    }

    #[tokio::test]
    async fn the_only_subscription_needs_no_name() -> Outcome {
        const TWO: &str = r#"{"value": [{"subscriptionId": "a", "displayName": "A", "state": "Enabled"},
            {"subscriptionId": "b", "displayName": null, "state": "Disabled"}]}"#;
        const THREE: &str = r#"{"value": [{"subscriptionId": "a"}, {"subscriptionId": "b"}]}"#;
        const NONE: Scripted = (200, &[], r#"{"value": []}"#);
        let (arm, _) = scripted(&[(200, &[], TWO), (200, &[], THREE), NONE])?;
        assert_eq!(only(&arm).await.map(|found| found.id).map_err(found), Ok("a".to_owned()));
        for count in ["2", "none"] {
            let (code, message) = only(&arm).await.err().map(found).unwrap_or_default();
            assert_eq!(code, "LF1116");
            assert!(message.ends_with(count), "{message}");
        }
        Ok(())
    }

    #[test]
    fn what_cannot_be_seen_says_why() {
        let fault = |sort, code: &str| Fault {
            call: "GET subscriptions/s".to_owned(),
            sort,
            code: Some(code.to_owned()),
            message: "no".to_owned(),
            correlation_id: None,
        };
        let cases = [
            (Sort::NotFound, "SubscriptionNotFound", "LF1117"),
            (Sort::Credentials, "InvalidAuthenticationTokenTenant", "LF1120"),
            (Sort::Service, "InternalServerError", "LF1121"),
        ];
        for (sort, answered, code) in cases {
            let (found, message) = found(unseen(&fault(sort, answered), "s"));
            assert_eq!(found, code, "{message}");
            assert!(message.contains("subscriptions/s") || message.contains("`s`"), "{message}");
        }
    }
}
