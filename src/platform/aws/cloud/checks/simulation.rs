//! What the caller may do, as IAM simulates it: nothing is tried out.

use std::collections::BTreeSet;

use aws_sdk_iam::Client;
use aws_sdk_iam::types::{
    ContextEntry, ContextKeyTypeEnum, EvaluationResult, PolicyEvaluationDecisionType as Decision,
};
use futures::stream::{self, StreamExt};

use crate::platform::aws::cloud::fault::{Fault, Sort};
use crate::platform::aws::cloud::session::Session;
use crate::platform::aws::facts::Caller;
use crate::platform::aws::permissions::Question;
use crate::platform::cloud::Answer;

/// The most actions that one call takes.
const MOST_ACTIONS: usize = 100;

/// IAM answers an account a few calls a second.
const AT_A_TIME: usize = 4;

/// Whose rights the caller has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Principal {
    /// The owner of the account, who may do everything.
    Root,
    /// The user or role with this ARN.
    Arn(String),
}

/// Who the caller is, as its ARN says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who<'a> {
    Root,
    User,
    /// Somebody who took over the role of this name.
    Role(&'a str),
    Other,
}

fn who(caller: &Caller) -> Who<'_> {
    let resource = caller.arn.splitn(6, ':').nth(5).unwrap_or_default();
    if resource == "root" || (!caller.account.is_empty() && caller.account == caller.user_id) {
        return Who::Root;
    }
    let mut parts = resource.split('/');
    match (parts.next(), parts.next()) {
        (Some("user"), Some(_)) => Who::User,
        (Some("assumed-role"), Some(name)) if !name.is_empty() => Who::Role(name),
        _ => Who::Other,
    }
}

/// The user or role whose policies decide what the caller may do.
///
/// # Errors
/// The answer of a check that rests on it.
pub(super) async fn principal(session: &Session<'_>) -> Result<Principal, Answer> {
    let caller = session.caller().await?;
    match who(caller) {
        Who::Root => Ok(Principal::Root),
        Who::User => Ok(Principal::Arn(caller.arn.clone())),
        Who::Role(name) => role(session, caller, name).await.map(Principal::Arn),
        Who::Other => {
            let why = format!("not proven: what {} may do cannot be simulated", caller.arn);
            Err(Answer::skipped(why))
        }
    }
}

/// The ARN of a role. That of a session leaves the role's path out, so IAM is asked for it.
async fn role(session: &Session<'_>, caller: &Caller, name: &str) -> Result<String, Answer> {
    const CALL: &str = "iam:GetRole";
    let iam = session.iam().await?;
    match Box::pin(iam.get_role().role_name(name).send()).await {
        Ok(answer) => {
            let arn = answer.role().map(|role| role.arn().to_owned());
            Ok(arn.unwrap_or_else(|| without_path(caller, name)))
        }
        Err(error) => {
            let fault = session.fault(CALL, &error);
            if fault.sort == Sort::Denied { Ok(without_path(caller, name)) } else { Err(not_proven(&fault)) }
        }
    }
}

/// The ARN that a role has unless it was given a path.
fn without_path(caller: &Caller, name: &str) -> String {
    let partition = caller.arn.split(':').nth(1).unwrap_or_default();
    format!("arn:{partition}:iam::{}:role/{name}", caller.account)
}

/// The actions that a user or role may not do, sorted. With a region, each is asked for there.
///
/// # Errors
/// The answer of a check that rests on it: the simulation is not allowed, or does not answer.
pub(super) async fn denied(
    session: &Session<'_>,
    arn: &str,
    questions: &[Question],
    region: Option<&str>,
) -> Result<Vec<String>, Answer> {
    let iam = session.iam().await?;
    let mut calls = Vec::new();
    for question in questions {
        for actions in question.actions.chunks(MOST_ACTIONS) {
            let subject = Subject { arn, actions, resources: &question.resources, region };
            calls.push(Box::pin(simulated(session, iam, subject)));
        }
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let mut results = Vec::new();
    for found in answers {
        results.extend(found?);
    }
    let actions: Vec<&str> =
        questions.iter().flat_map(|question| &question.actions).map(String::as_str).collect();
    judged(&actions, &results)
}

/// What one call asks.
#[derive(Clone, Copy)]
struct Subject<'a> {
    arn: &'a str,
    actions: &'a [String],
    /// All resources where there are none.
    resources: &'a [String],
    region: Option<&'a str>,
}

async fn simulated(
    session: &Session<'_>,
    iam: &Client,
    subject: Subject<'_>,
) -> Result<Vec<EvaluationResult>, Answer> {
    const CALL: &str = "iam:SimulatePrincipalPolicy";
    let mut request = iam.simulate_principal_policy().policy_source_arn(subject.arn);
    request = request.set_action_names(Some(subject.actions.to_vec()));
    if !subject.resources.is_empty() {
        request = request.set_resource_arns(Some(subject.resources.to_vec()));
    }
    if let Some(region) = subject.region {
        let context = ContextEntry::builder()
            .context_key_name("aws:RequestedRegion")
            .context_key_values(region)
            .context_key_type(ContextKeyTypeEnum::String);
        request = request.context_entries(context.build());
    }
    let results = request.into_paginator().items().send().try_collect().await;
    results.map_err(|error| not_proven(&session.fault(CALL, &error)))
}

fn not_proven(fault: &Fault) -> Answer {
    fault.attach(Answer::skipped(format!("not proven: {}", fault.sentence())))
}

/// The actions that are not allowed, or a skip where IAM did not judge all of them.
fn judged(actions: &[&str], results: &[EvaluationResult]) -> Result<Vec<String>, Answer> {
    let denied: BTreeSet<&str> =
        results.iter().filter(|result| !is_allowed(result)).map(EvaluationResult::eval_action_name).collect();
    let answered: BTreeSet<String> =
        results.iter().map(|result| result.eval_action_name().to_ascii_lowercase()).collect();
    let open = actions.iter().filter(|action| !answered.contains(&action.to_ascii_lowercase())).count();
    if denied.is_empty() && open > 0 {
        let why = format!("not proven: IAM gave no answer for {open} of {} actions", actions.len());
        return Err(Answer::skipped(why));
    }
    Ok(denied.into_iter().map(str::to_owned).collect())
}

/// Whether an action is allowed on every resource that was named.
fn is_allowed(result: &EvaluationResult) -> bool {
    let mut each = result.resource_specific_results().iter();
    *result.eval_decision() == Decision::Allowed
        && each.all(|on| *on.eval_resource_decision() == Decision::Allowed)
}

#[cfg(test)]
mod tests {
    use aws_sdk_iam::types::ResourceSpecificResult;

    use super::*;

    fn caller(arn: &str, user_id: &str) -> Caller {
        Caller { account: "123456789012".to_owned(), arn: arn.to_owned(), user_id: user_id.to_owned() }
    }

    #[test]
    fn knows_whose_rights_a_caller_has() {
        let who_is = |arn: &str| format!("{:?}", who(&caller(arn, "AIDA")));
        assert_eq!(who_is("arn:aws:iam::123456789012:user/a/b"), "User");
        assert_eq!(who_is("arn:aws:iam::123456789012:root"), "Root");
        assert_eq!(who_is("arn:aws-cn:sts::123456789012:assumed-role/admin/me"), "Role(\"admin\")");
        assert_eq!(who_is("arn:aws:sts::123456789012:federated-user/me"), "Other");
        assert_eq!(who_is(""), "Other");
        assert_eq!(who(&caller("", "123456789012")), Who::Root);
    }

    #[test]
    fn a_role_without_a_path_is_in_the_callers_partition() {
        let caller = caller("arn:aws-us-gov:sts::123456789012:assumed-role/admin/me", "AROA");
        assert_eq!(without_path(&caller, "admin"), "arn:aws-us-gov:iam::123456789012:role/admin");
    }

    fn result(action: &str, decision: Decision) -> Vec<EvaluationResult> {
        let result = EvaluationResult::builder().eval_action_name(action).eval_decision(decision);
        result.build().into_iter().collect()
    }

    #[test]
    fn everything_but_allowed_is_denied() {
        let mut results = result("ec2:A", Decision::Allowed);
        results.extend(result("ec2:C", Decision::ImplicitDeny));
        results.extend(result("EC2:B", Decision::ExplicitDeny));
        let denied = judged(&["ec2:A", "ec2:B", "ec2:C"], &results).unwrap_or_default();
        assert_eq!(denied, ["EC2:B", "ec2:C"]);
    }

    #[test]
    fn what_is_denied_on_one_resource_is_denied() {
        let on = |decision: Decision| {
            let on = ResourceSpecificResult::builder().eval_resource_name("arn");
            on.eval_resource_decision(decision).build().ok()
        };
        let of = |other: Decision| {
            let both = [on(Decision::Allowed), on(other)].into_iter().flatten().collect();
            let result = EvaluationResult::builder()
                .eval_action_name("iam:GetRole")
                .eval_decision(Decision::Allowed)
                .set_resource_specific_results(Some(both));
            result.build().is_ok_and(|result| is_allowed(&result))
        };
        assert!(of(Decision::Allowed));
        assert!(!of(Decision::ImplicitDeny));
    }

    #[test]
    fn what_iam_does_not_answer_is_not_proven() {
        let some = result("ec2:a", Decision::Allowed);
        assert!(judged(&["ec2:A", "ec2:B"], &some).is_err());
        assert!(judged(&["ec2:A"], &[]).is_err());
        assert!(judged(&["ec2:A"], &some).is_ok_and(|denied| denied.is_empty()));
    }
}
