//! Whether the caller may do what an installation does, and whether its operators get their credentials.

use std::sync::Arc;

use tokio::sync::OnceCell;

use super::simulation::{Principal, denied, principal};
use super::{check, pages};
use crate::plan::infra_id_prefix;
use crate::platform::aws::cloud::session::Session;
use crate::platform::aws::permissions::{Question, mint, passthrough, questions};
use crate::platform::cloud::{Answer, Asking, Check};

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
    let Asking { config, catalogue, release, .. } = session.asking;
    let account = &session.caller().await?.account;
    let questions = questions(config, catalogue, release, account);
    let asked = questions.iter().map(|question| question.actions.len()).sum::<usize>();
    if asked == 0 {
        return Err(unlisted(release));
    }
    let arn = match known(session, &whose).await? {
        Principal::Root => return Ok(Answer::found(pages::root(FIELD))),
        Principal::Arn(arn) => arn,
    };
    let denied = denied(session, &arn, &questions, Some(session.region())).await?;
    let answer = if denied.is_empty() {
        Answer::passed(format!("all {asked} actions that this config needs are allowed"))
    } else {
        Answer::found(pages::denied(FIELD, &denied, asked)).with("denied", denied)
    };
    Ok(answer.with("principal", arn).with("asked", asked))
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
    let arn = match known(session, &whose).await? {
        Principal::Root => return Ok(Answer::passed("the owner of the account may do everything")),
        Principal::Arn(arn) => arn,
    };
    let answer = |answer: Answer| answer.with("principal", arn.as_str()).with("mode", mode);
    let mut missing = Vec::new();
    if mode != "Passthrough" {
        // Operators that are not told to make credentials do so only if it is allowed for all users.
        let told = (mode == "Mint").then(|| example_user(&arn, &config.metadata.name));
        let resources = told.into_iter().collect();
        missing = denied(session, &arn, &[Question { actions: mint, resources }], None).await?;
        if missing.is_empty() {
            return Ok(answer(Answer::passed("operators can be given credentials of their own")));
        }
        if mode == "Mint" {
            let finding = pages::mode(MODE, "to make credentials for operators", &missing);
            return Ok(answer(Answer::found(finding).with("denied", missing)));
        }
    }
    let question = Question { actions: passthrough, resources: Vec::new() };
    let shared = denied(session, &arn, &[question], Some(session.region())).await?;
    if shared.is_empty() {
        return Ok(answer(Answer::passed("operators can share the credentials of the caller")));
    }
    let what = if missing.is_empty() {
        "to be shared by operators"
    } else {
        "to make credentials for operators, nor to be shared by them"
    };
    missing.extend(shared);
    missing.sort();
    missing.dedup();
    Ok(answer(Answer::found(pages::mode(MODE, what, &missing)).with("denied", missing)))
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

    #[test]
    fn an_example_user_is_in_the_account_of_the_caller() {
        assert_eq!(
            example_user("arn:aws-cn:iam::123456789012:role/a/admin", "test"),
            "arn:aws-cn:iam::123456789012:user/test-preflight"
        );
    }
}
