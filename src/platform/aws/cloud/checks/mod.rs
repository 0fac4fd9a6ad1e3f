//! Checks of what facts do not hold: images, keys, roles, permissions, quotas. All of them only read.

mod iam;
mod images;
mod kms;
pub(super) mod pages;
mod permissions;
mod quota_limits;
mod quota_needs;
mod quota_use;
mod quotas;
mod settings;
mod simulation;
mod vpc;

pub(super) use quota_limits::{Limits, look_ahead};

use super::session::Session;
use crate::plan::Plan;
use crate::platform::cloud::{Answer, Check, Verdict};

/// The checks that need no plan.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    session.limits.want();
    let mut all = images::checks(session);
    all.extend(vpc::checks(session));
    all.extend(kms::checks(session));
    all.extend(iam::checks(session));
    all.extend(permissions::checks(session));
    all
}

/// The checks of what the plan uses up.
pub(super) fn of_plan<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    quotas::checks(session, plan)
}

/// The checks that would be made of a plan if there were one: id and field.
pub(super) fn without_plan() -> Vec<(String, String)> {
    quotas::without_plan()
}

/// A check whose work may end early with an answer.
fn check<'s>(
    id: impl Into<String>,
    field: impl Into<String>,
    run: impl Future<Output = Result<Answer, Answer>> + Send + 's,
) -> Check<'s> {
    Check::new(id, field, async move { run.await.unwrap_or_else(|answer| answer) })
}

/// Skips a check as something that it rests on is not there; the reason is told elsewhere as well, or is of
/// no weight for the installation.
fn skipped(what: &str, why: &Verdict) -> Answer {
    let why = match why {
        Verdict::Found(finding) => finding.message.as_str(),
        Verdict::Skipped(why) | Verdict::Passed(why) => why.as_str(),
    };
    Answer::skipped(format!("{what}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::FutureExt;

    #[test]
    fn a_check_can_end_early() {
        let early = check("aws.x", "x", async { Err(Answer::skipped("no endpoint")) });
        let answer = early.run.now_or_never().map(|answer| answer.verdict);
        assert!(matches!(answer, Some(Verdict::Skipped(why)) if why == "no endpoint"));
    }

    #[test]
    fn the_reason_of_a_skip_is_told() {
        let answer = skipped("not proven", &Verdict::Skipped("nobody knows".to_owned()));
        assert!(matches!(answer.verdict, Verdict::Skipped(why) if why == "not proven: nobody knows"));
    }
}
