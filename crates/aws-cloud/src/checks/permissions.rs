//! Whether the caller may do what an installation does, and whether its operators get their credentials.

use std::sync::Arc;

use landfall_diagnostics::Finding;
use landfall_model::plan::infra_id_prefix;
use landfall_platform::cloud::{Answer, Asking, Check, check};
use tokio::sync::OnceCell;

use super::simulation::{Principal, Shown, principal, simulated};
use super::{iam, kms, pages};
use crate::session::Session;
use landfall_aws::permissions::{Question, mint, needed, passthrough, questions};

/// The field that findings about the caller's rights point at.
const FIELD: &str = "platform.aws";

/// The field that says how operators get their credentials.
const MODE: &str = "credentialsMode";

/// Whose rights are looked at; found out once for both checks.
type Whose = Arc<OnceCell<Result<Principal, Answer>>>;

/// The checks of the caller's rights.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    let whose = Whose::default();
    vec![
        check("aws.permissions", FIELD, installing(session, Arc::clone(&whose))),
        check("aws.permissions.credentials-mode", MODE, operating(session, whose)),
    ]
}

async fn known(session: &Session<'_>, whose: &Whose) -> Result<Principal, Answer> {
    whose.get_or_init(|| Box::pin(principal(session))).await.clone()
}

/// The rights that an installation needs, whatever the cluster's operators are given.
async fn installing(session: &Session<'_>, whose: Whose) -> Result<Answer, Answer> {
    let Asking { config, catalogue, release, engine, .. } = session.asking;
    let account = &session.caller().await?.account;
    if needed(config, catalogue, release).is_empty() {
        return Err(unlisted(release));
    }
    let arn = match known(session, &whose).await? {
        // The check of the account warns of this caller.
        Principal::Root => return Ok(Answer::passed("the root user has all permissions")),
        Principal::Arn(arn) => arn,
    };
    let mut real = iam::arns(session).await;
    real.extend(kms::arns(session).await);
    let questions = questions(engine, config, catalogue, release, account, &real);
    let asked = questions.iter().map(|question| question.actions.len()).sum::<usize>();
    let shown = simulated(session, &arn, &questions, Some(session.region())).await?;
    let answer = |answer: Answer| answer.with("principal", arn.as_str()).with("asked", asked);
    if shown.denied.is_empty() {
        shown.settled().map_err(answer)?;
        return Ok(answer(Answer::passed(format!("all {asked} actions that this config needs are allowed"))));
    }
    Ok(answer(short_of(pages::denied(FIELD, &shown.denied, asked), shown)))
}

/// The rights that operators live on: to make credentials for each of them, or else to be shared by all.
async fn operating(session: &Session<'_>, whose: Whose) -> Result<Answer, Answer> {
    let Asking { config, catalogue, release, .. } = session.asking;
    let mode = config.credentials_mode.as_str();
    if mode == "Manual" {
        return Err(Answer::skipped("credentialsMode is Manual: operators get credentials from the user"));
    }
    let (mint, passthrough) = (mint(catalogue, release), passthrough(catalogue, release));
    if mint.is_empty() || passthrough.is_empty() {
        return Err(unlisted(release));
    }
    if let Some(found) = session.found().await.ok().filter(|found| found.temporary) {
        return Ok(Answer::found(pages::temporary(MODE, mode, &found.provider)).with("mode", mode));
    }
    let arn = match known(session, &whose).await? {
        Principal::Root => return Ok(Answer::passed("the root user has all permissions")),
        Principal::Arn(arn) => arn,
    };
    let answer = |answer: Answer| answer.with("principal", arn.as_str()).with("mode", mode);
    let mut missing = Shown::default();
    if mode != "Passthrough" {
        // Operators that are not told to make credentials do so only if it is allowed for all users.
        let told = (mode == "Mint").then(|| example_user(&arn, &config.metadata.name));
        let resources = told.into_iter().collect();
        let question = Question { actions: mint, resources, partly: false };
        missing = simulated(session, &arn, &[question], None).await?;
        if missing.denied.is_empty() {
            missing.settled().map_err(answer)?;
            return Ok(answer(Answer::passed("landfall can mint credentials for operators")));
        }
        if mode == "Mint" {
            let finding = pages::mode(MODE, "to mint credentials for operators", &missing.denied);
            return Ok(answer(short_of(finding, missing)));
        }
    }
    let question = Question { actions: passthrough, resources: Vec::new(), partly: false };
    let shared = simulated(session, &arn, &[question], Some(session.region())).await?;
    if shared.denied.is_empty() {
        shared.settled().map_err(answer)?;
        return Ok(answer(Answer::passed("the caller's credentials can be passed through to operators")));
    }
    let what = if missing.denied.is_empty() {
        "to be passed through to operators"
    } else {
        "to mint credentials for operators, nor to be passed through to them"
    };
    missing.add(shared);
    Ok(answer(short_of(pages::mode(MODE, what, &missing.denied), missing)))
}

/// A finding of what is denied, which also says of what nothing is known.
fn short_of(mut finding: Finding, shown: Shown) -> Answer {
    if !shown.open.is_empty() {
        let (count, first) = (shown.open.len(), shown.open.first().map(String::as_str).unwrap_or_default());
        finding.message = format!("{}; {count} more are not proven, such as {first}", finding.message);
    }
    let answer = Answer::found(finding).with("denied", shown.denied);
    if shown.open.is_empty() { answer } else { answer.with("unproven", shown.open) }
}

/// A user such as operators make, in the account of the caller.
fn example_user(arn: &str, cluster: &str) -> String {
    let mut parts = arn.split(':').skip(1);
    let partition = parts.next().unwrap_or_default();
    let account = parts.nth(2).unwrap_or_default();
    format!("arn:{partition}:iam::{account}:user/{}preflight", infra_id_prefix(cluster))
}

fn unlisted(release: &str) -> Answer {
    Answer::skipped(format!("the catalogue does not list the permissions that release {release} needs"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;

    #[test]
    fn what_is_not_proven_is_told_beside_what_is_denied() {
        let shown = Shown { denied: vec!["ec2:A".to_owned()], open: vec!["ec2:B".to_owned()], why: None };
        let answer = short_of(pages::denied(FIELD, &shown.denied, 2), shown);
        assert_eq!(answer.evidence.get("unproven"), Some(&serde_json::json!(["ec2:B"])));
        let told = match answer.verdict {
            Verdict::Found(finding) => finding.message,
            Verdict::Passed(what) | Verdict::Skipped(what) | Verdict::Unanswered(what) => what,
        };
        assert!(told.contains("ec2:A") && told.contains("; 1 more ") && told.ends_with(" ec2:B"), "{told}");
    }

    #[test]
    fn an_example_user_is_in_the_account_of_the_caller() {
        assert_eq!(
            example_user("arn:aws-cn:iam::123456789012:role/a/admin", "test"),
            "arn:aws-cn:iam::123456789012:user/test-preflight"
        );
    }
}
