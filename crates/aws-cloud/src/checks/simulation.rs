//! What the caller may do, as IAM simulates it: nothing is tried out.

use aws_sdk_iam::Client;
use aws_sdk_iam::types::{
    ContextEntry, ContextKeyTypeEnum, EvaluationResult, PolicyEvaluationDecisionType as Decision,
};
use futures::stream::{self, StreamExt};
use landfall_model::aws::facts::Caller;
use landfall_platform::cloud::Answer;

use crate::fault::{Fault, Sort};
use crate::session::Session;
use landfall_aws::permissions::{PASSED_TO, Question};

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
    match session.answer(CALL, iam.get_role().role_name(name).send()).await {
        Ok(answer) => {
            let arn = answer.role().map(|role| role.arn().to_owned());
            Ok(arn.unwrap_or_else(|| without_path(caller, name)))
        }
        Err(fault) if fault.sort == Sort::Denied => Ok(without_path(caller, name)),
        Err(fault) => Err(not_proven(&fault)),
    }
}

/// The ARN that a role has unless it was given a path.
fn without_path(caller: &Caller, name: &str) -> String {
    let partition = caller.arn.split(':').nth(1).unwrap_or_default();
    format!("arn:{partition}:iam::{}:role/{name}", caller.account)
}

/// What a simulation shows of the actions that were asked for.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// Those that are not allowed, sorted.
    pub(super) denied: Vec<String>,
    /// Those of which nothing is known, sorted.
    pub(super) open: Vec<String>,
    /// Why nothing is known of them; none where IAM just gave no answer.
    pub(super) why: Option<Fault>,
}

impl Shown {
    /// Those that are denied, if that is all there is to know.
    ///
    /// # Errors
    /// The answer of a check that rests on it: nothing is denied, and not all is known.
    pub(super) fn settled(self) -> Result<Vec<String>, Answer> {
        if !self.denied.is_empty() || self.open.is_empty() {
            return Ok(self.denied);
        }
        let count = self.open.len();
        let answer = match &self.why {
            Some(fault) => {
                fault.attach(Answer::skipped(format!("not proven for {count} actions: {}", fault.sentence())))
            }
            None => Answer::skipped(format!("not proven: IAM gave no answer for {count} actions")),
        };
        Err(answer.with("unproven", self.open))
    }

    /// Adds what another simulation shows.
    pub(super) fn add(&mut self, other: Self) {
        let add = |own: &mut Vec<String>, others: Vec<String>| {
            own.extend(others);
            own.sort();
            own.dedup();
        };
        add(&mut self.denied, other.denied);
        add(&mut self.open, other.open);
    }

    /// Takes in what one call showed of its actions.
    fn take(&mut self, actions: &[String], answered: Answered, may_deny: bool) {
        let Answered { results, fault } = answered;
        let allowed = |action: &str| {
            let mut own =
                results.iter().filter(|result| result.eval_action_name().eq_ignore_ascii_case(action));
            own.next().map(|first| is_allowed(first) && own.all(is_allowed))
        };
        for action in actions {
            match allowed(action) {
                Some(true) => {}
                Some(false) if may_deny => self.denied.push(action.clone()),
                _ => self.open.push(action.clone()),
            }
        }
        self.why = self.why.take().or(fault);
    }
}

/// What a user or role may not do. With a region, each action is asked for there.
///
/// # Errors
/// The answer of a check that rests on it: nothing can be simulated.
pub(super) async fn simulated(
    session: &Session<'_>,
    arn: &str,
    questions: &[Question],
    region: Option<&str>,
) -> Result<Shown, Answer> {
    let iam = session.iam().await?;
    let mut calls = Vec::new();
    for question in questions {
        for actions in question.actions.chunks(MOST_ACTIONS) {
            let subject = Subject { arn, actions, question, region };
            calls.push(Box::pin(in_parts(session, iam, subject)));
        }
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let mut shown = Shown::default();
    for (actions, answered, may_deny) in answers.into_iter().flatten() {
        shown.take(actions, answered, may_deny);
    }
    shown.denied.sort();
    shown.open.sort();
    Ok(shown)
}

/// What one call asks.
#[derive(Clone, Copy)]
struct Subject<'a> {
    arn: &'a str,
    actions: &'a [String],
    /// Where the actions are from, with their resources; all resources where there are none.
    question: &'a Question,
    region: Option<&'a str>,
}

/// What IAM answered to a call, as far as it did.
#[derive(Debug, Default)]
struct Answered {
    results: Vec<EvaluationResult>,
    fault: Option<Fault>,
}

/// The actions of one call, what came of them, and whether a denial of them proves anything.
type Part<'a> = (&'a [String], Answered, bool);

/// Asks for all actions at once or, where IAM would not take them together, for ever smaller parts of them.
async fn in_parts<'a>(session: &Session<'_>, iam: &Client, subject: Subject<'a>) -> Vec<Part<'a>> {
    /// The most calls for what was meant to be one.
    const MOST_CALLS: usize = 64;
    let mut parts = Vec::new();
    let mut waiting = vec![subject.actions];
    let mut calls = 0;
    while let Some(actions) = waiting.pop() {
        calls += 1;
        let answered = Box::pin(answered(session, iam, Subject { actions, ..subject })).await;
        let differ = answered.fault.as_ref().is_some_and(do_not_go_together);
        if differ && actions.len() > 1 && calls + waiting.len() < MOST_CALLS {
            let (first, second) = actions.split_at(actions.len() / 2);
            waiting.extend([second, first]);
        } else {
            parts.push((actions, answered, !subject.question.partly));
        }
    }
    parts
}

/// Whether IAM wants actions in calls of their own, as they are on resources of different kinds.
fn do_not_go_together(fault: &Fault) -> bool {
    let message = fault.message.to_ascii_lowercase();
    fault.is("InvalidInput") && message.contains("different authorization information")
}

async fn answered(session: &Session<'_>, iam: &Client, subject: Subject<'_>) -> Answered {
    const CALL: &str = "iam:SimulatePrincipalPolicy";
    let mut request = iam.simulate_principal_policy().policy_source_arn(subject.arn);
    request = request.set_action_names(Some(subject.actions.to_vec()));
    if !subject.question.resources.is_empty() {
        request = request.set_resource_arns(Some(subject.question.resources.clone()));
    }
    if let Some(region) = subject.region {
        // Roles are passed to machines.
        let machines = session.asking.catalogue.aws.ec2_service_principal(region);
        for (key, value) in [("aws:RequestedRegion", region), (PASSED_TO, machines.as_str())] {
            let context = ContextEntry::builder().context_key_name(key).context_key_values(value);
            request = request.context_entries(context.context_key_type(ContextKeyTypeEnum::String).build());
        }
    }
    let mut items = request.into_paginator().items().send();
    let mut answered = Answered::default();
    while let Some(item) = items.next().await {
        match item {
            Ok(result) => answered.results.push(result),
            Err(error) => {
                answered.fault = Some(session.fault(CALL, &error));
                break;
            }
        }
    }
    answered
}

fn not_proven(fault: &Fault) -> Answer {
    fault.attach(Answer::skipped(format!("not proven: {}", fault.sentence())))
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

    fn shown(actions: &[&str], results: Vec<EvaluationResult>, may_deny: bool) -> Shown {
        let actions: Vec<String> = actions.iter().map(|action| (*action).to_owned()).collect();
        let mut shown = Shown::default();
        shown.take(&actions, Answered { results, fault: None }, may_deny);
        shown
    }

    fn fault(code: &str, message: &str) -> Fault {
        Fault {
            call: "iam:SimulatePrincipalPolicy".to_owned(),
            sort: Sort::Service,
            code: Some(code.to_owned()),
            message: message.to_owned(),
            request_id: None,
            status: Some(400),
        }
    }

    #[test]
    fn everything_but_allowed_is_denied() {
        let mut results = result("ec2:A", Decision::Allowed);
        results.extend(result("ec2:C", Decision::ImplicitDeny));
        results.extend(result("EC2:B", Decision::ExplicitDeny));
        let shown = shown(&["ec2:A", "ec2:B", "ec2:C"], results, true);
        assert_eq!(shown.denied, ["ec2:B", "ec2:C"]);
        assert!(shown.open.is_empty());
    }

    #[test]
    fn a_call_that_failed_takes_nothing_from_the_others() {
        let mut shown = shown(&["ec2:A"], result("ec2:A", Decision::ImplicitDeny), true);
        let failed = Answered { results: Vec::new(), fault: Some(fault("ServiceFailure", "")) };
        shown.take(&["ec2:B".to_owned()], failed, true);
        assert_eq!(shown.open, ["ec2:B"]);
        assert!(shown.settled().is_ok_and(|denied| denied == ["ec2:A"]));
    }

    #[test]
    fn where_resources_are_not_known_a_denial_proves_nothing() {
        let denied = shown(&["kms:A"], result("kms:A", Decision::ImplicitDeny), false);
        assert_eq!((denied.denied.len(), denied.open.len()), (0, 1));
        let allowed = shown(&["kms:A"], result("kms:A", Decision::Allowed), false);
        assert!(allowed.settled().is_ok());
    }

    #[test]
    fn knows_when_actions_do_not_go_together() {
        let told = "Invalid Input: actions on the list require different authorization information";
        assert!(do_not_go_together(&fault("InvalidInput", told)));
        assert!(!do_not_go_together(&fault("InvalidInput", "no such action")));
        assert!(!do_not_go_together(&fault("NoSuchEntity", told)));
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
        let some = || result("ec2:a", Decision::Allowed);
        assert!(shown(&["ec2:A", "ec2:B"], some(), true).settled().is_err());
        assert!(shown(&["ec2:A"], Vec::new(), true).settled().is_err());
        assert!(shown(&["ec2:A"], some(), true).settled().is_ok_and(|denied| denied.is_empty()));
    }
}
