//! The facts of a config alone, without the checks that they do not rest on.

use futures::future::join;
use landfall_diagnostics::{Finding, Kind};
use landfall_model::facts::Facts;
use landfall_platform::cloud::{Session, Verdict};
use landfall_platform::pages;

use super::{Pace, Runner, Watcher};

/// The facts, and what is worth saying of them.
#[derive(Debug)]
pub struct Known {
    /// The facts.
    pub facts: Facts,
    /// What was found that stands in nobody's way.
    pub warnings: Vec<Finding>,
}

/// Why there are no facts: what the cloud refused, and what stands in the way to it.
#[derive(Debug)]
pub struct Missing {
    /// The findings; never empty.
    pub findings: Vec<Finding>,
}

/// Asks the cloud for all facts.
///
/// # Errors
/// Anything that planning needs could not be learned, or what all else rests on has a fault: a plan for a
/// subscription that is disabled is of no use, however much is known of it.
pub async fn gather(session: &dyn Session, pace: Pace, watcher: &dyn Watcher) -> Result<Known, Missing> {
    let runner = Runner::new(pace, watcher);
    let (foundations, (gathered, _)) = join(runner.all(session.foundations()), runner.facts(session)).await;
    // A warning does not stop a run that has another reason to stop, but may be that reason.
    let mut findings: Vec<Finding> = foundations.into_iter().filter_map(|checked| checked.finding).collect();
    let Some(gathered) = gathered else {
        if !findings.iter().any(Finding::is_error) {
            findings.push(pages::late("", pace.deadline));
        }
        return Err(Missing { findings });
    };
    if gathered.gaps.is_empty() {
        return if findings.iter().any(Finding::is_error) {
            Err(Missing { findings })
        } else {
            Ok(Known { facts: gathered.facts, warnings: findings })
        };
    }
    let mut skipped = Vec::new();
    for gap in gathered.gaps {
        match gap.why {
            Verdict::Found(finding) => findings.push(*finding),
            Verdict::Unanswered(why) => {
                let finding = pages::not_gathered(gap.part, &why);
                skipped.push(Finding { kind: Kind::InternalError, ..finding });
            }
            Verdict::Skipped(why) | Verdict::Passed(why) => skipped.push(pages::not_gathered(gap.part, &why)),
        }
    }
    // What is skipped has its reason in a finding, as a rule; where it has not, it is told itself.
    if !findings.iter().any(Finding::is_error) {
        findings.extend(skipped);
    }
    Err(Missing { findings })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Unwatched;
    use super::*;
    use landfall_model::plan::Plan;
    use landfall_platform::cloud::{
        Answer, Asked, Check, EngineNeeds, Gathered, Judged, PublicZone, Session, Waiting,
    };

    /// A session that gives all facts, and an answer to the one question that they rest on.
    struct Founded(Answer);

    impl Session for Founded {
        fn foundations(&self) -> Vec<Check<'_>> {
            let answer = self.0.clone();
            vec![Check::new("subscription", "", async move { answer })]
        }

        fn checks(&self) -> Vec<Check<'_>> {
            Vec::new()
        }

        fn facts(&self) -> Waiting<'_, Gathered> {
            Box::pin(async { Gathered::default() })
        }

        fn judged(&self) -> &'static [Judged] {
            &[]
        }

        fn checks_of_plan<'s>(&'s self, _: &'s Plan) -> Vec<Check<'s>> {
            Vec::new()
        }

        fn checks_without_plan(&self) -> Vec<(String, String)> {
            Vec::new()
        }

        fn public_zones(&self) -> Waiting<'_, Asked<Vec<PublicZone>>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn adopt<'s>(&'s self, _: &'s Plan) -> Waiting<'s, Asked<Vec<String>>> {
            Box::pin(async { Ok(Vec::new()) })
        }

        fn engine<'s>(&'s self, _: &'s str, _: &'s str) -> Waiting<'s, Asked<EngineNeeds>> {
            Box::pin(async { Ok(EngineNeeds::default()) })
        }
    }

    /// The codes of the warnings, or of what stands against the facts.
    async fn told(answer: Answer) -> Result<Vec<&'static str>, Vec<&'static str>> {
        let pace = Pace { parallel: 1, deadline: Duration::from_secs(30) };
        let session = Founded(answer);
        let codes = |findings: Vec<Finding>| findings.iter().map(|finding| finding.code.as_str()).collect();
        match gather(&session, pace, &Unwatched).await {
            Ok(known) => Ok(codes(known.warnings)),
            Err(missing) => Err(codes(missing.findings)),
        }
    }

    #[tokio::test]
    async fn a_fault_of_what_facts_rest_on_stands_against_them_and_a_warning_is_told() {
        let late = pages::late("", Duration::from_secs(1));
        assert_eq!(told(Answer::found(late.clone())).await, Err(vec![late.code.as_str()]));
        let warning = Finding::warning(late.code, Kind::Invalid, "", "it may be disabled soon");
        assert_eq!(told(Answer::found(warning)).await, Ok(vec![late.code.as_str()]));
        assert_eq!(told(Answer::passed("there")).await, Ok(Vec::new()));
        assert_eq!(told(Answer::skipped("nobody knows")).await, Ok(Vec::new()));
    }
}
