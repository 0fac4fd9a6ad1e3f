//! Whether the resource providers of a cluster are registered in the subscription.

use futures::future::join_all;
use landfall_platform::cloud::{Answer, Check, check};

use super::{findings, not_proven};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Provider;
use crate::cloud::fault::Sort;
use crate::cloud::gather::{PLATFORM, is_hub, resource};
use crate::cloud::session::Session;

/// The providers, and whether a Stack Hub has each.
const PROVIDERS: &[(&str, bool)] = &[
    ("Microsoft.Authorization", true),
    ("Microsoft.Compute", true),
    ("Microsoft.ManagedIdentity", false),
    ("Microsoft.Network", true),
    ("Microsoft.Resources", true),
    ("Microsoft.Storage", true),
];

/// The states of a provider that can be used, and of one that soon can be.
const REGISTERED: &str = "Registered";
const REGISTERING: &str = "Registering";

/// A check of all providers.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    vec![check("azure.providers", PLATFORM, registered(session))]
}

async fn registered(session: &Session<'_>) -> Result<Answer, Answer> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let hub = is_hub(session);
    let mut calls = Vec::new();
    for (name, _) in PROVIDERS.iter().filter(|(_, on_hub)| *on_hub || !hub) {
        let path = resource::provided(&subscription, name);
        calls.push(Box::pin(async move { (*name, arm.find::<Provider>(Api::PROVIDERS, &path, &[]).await) }));
    }
    let mut states = Vec::new();
    for (name, answer) in join_all(calls).await {
        let found = answer.map_err(|fault| match fault.sort {
            Sort::Denied => not_proven(&fault),
            _ => fault.answer(PLATFORM),
        })?;
        states.push((name, found.map(|provider| provider.registration_state).unwrap_or_default()));
    }
    Ok(judged(&states))
}

/// What the states of the providers come to.
fn judged(states: &[(&str, String)]) -> Answer {
    let in_state = |wanted: fn(&str) -> bool| -> Vec<&str> {
        states.iter().filter(|(_, state)| wanted(state)).map(|(name, _)| *name).collect()
    };
    let is_on_the_way = |state: &str| state.eq_ignore_ascii_case(REGISTERING);
    let is_missing = |state: &str| ![REGISTERED, REGISTERING].iter().any(|s| state.eq_ignore_ascii_case(s));
    let (missing, coming) = (in_state(is_missing), in_state(is_on_the_way));
    let answer = match (missing.as_slice(), coming.as_slice()) {
        ([], []) => Answer::passed(format!("all {} resource providers are registered", states.len())),
        ([], coming) => Answer::found(findings::registering(PLATFORM, coming)),
        (missing, _) => Answer::found(findings::not_registered(PLATFORM, missing)),
    };
    states.iter().fold(answer, |answer, (name, state)| answer.with(name, state.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;

    fn found(states: &[(&str, &str)]) -> (&'static str, String) {
        let states: Vec<(&str, String)> =
            states.iter().map(|(name, state)| (*name, (*state).to_owned())).collect();
        match judged(&states).verdict {
            Verdict::Found(finding) => (finding.code.as_str(), finding.help.unwrap_or_default()),
            _ => ("", String::new()),
        }
    }

    #[test]
    fn every_provider_must_be_registered() {
        let compute = ("Microsoft.Compute", "Registered");
        assert_eq!(found(&[compute]).0, "");
        let (code, help) = found(&[compute, ("Microsoft.Storage", "NotRegistered"), ("Microsoft.X", "")]);
        assert_eq!(code, "LF1143");
        assert!(help.contains("az provider register --namespace Microsoft.Storage"), "{help}");
        assert!(help.contains("--namespace Microsoft.X") && !help.contains("Microsoft.Compute"), "{help}");
    }

    #[test]
    fn a_registration_that_is_under_way_is_a_warning() {
        assert_eq!(found(&[("Microsoft.Storage", "Registering")]).0, "LF1144");
        assert_eq!(found(&[("Microsoft.Storage", "Registering"), ("Microsoft.Network", "")]).0, "LF1143");
    }
}
