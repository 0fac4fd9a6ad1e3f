//! The facts of a config alone, without the checks that they do not rest on.

use futures::future::join;

use super::{Pace, Runner, Watcher};
use crate::facts::Facts;
use crate::finding::Finding;
use crate::platform::cloud::{Session, Verdict};
use crate::platform::pages;

/// Why there are no facts: what the cloud refused, and what stands in the way to it.
#[derive(Debug)]
pub struct Missing {
    /// The findings; never empty.
    pub findings: Vec<Finding>,
}

/// Asks the cloud for all facts.
///
/// # Errors
/// Anything that planning needs could not be learned.
pub async fn gather(session: &dyn Session, pace: Pace, watcher: &dyn Watcher) -> Result<Facts, Missing> {
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
        return Ok(gathered.facts);
    }
    let mut skipped = Vec::new();
    for gap in gathered.gaps {
        match gap.why {
            Verdict::Found(finding) => findings.push(*finding),
            Verdict::Skipped(why) | Verdict::Passed(why) => skipped.push((gap.part, why)),
        }
    }
    Err(missing(findings, &skipped))
}

/// What is skipped has its reason in a finding, as a rule; where it has not, it is told itself.
fn missing(mut findings: Vec<Finding>, skipped: &[(&str, String)]) -> Missing {
    if !findings.iter().any(Finding::is_error) {
        findings.extend(skipped.iter().map(|(part, why)| pages::not_gathered(part, why)));
    }
    Missing { findings }
}
