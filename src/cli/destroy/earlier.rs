//! What the journal of a directory knows of earlier runs that created or destroyed its cluster.

use std::path::Path;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use landfall_platform::removal::{Account, Target};

use crate::workdir::{StepResult, fingerprint, steps};

/// How long the lists of a cloud may lack what was created.
const LISTED_WITHIN: SignedDuration = SignedDuration::from_mins(5);
/// When the cloud is asked again for what it may not have listed yet.
pub(super) const LISTED_LATER: Duration = Duration::from_secs(30);
/// What is said meanwhile.
pub(super) const UNLISTED: &str =
    "no resource was found, but some were created a moment ago: looking again in 30 s";

/// Where a run removes a cluster, as the journal remembers it.
pub(super) fn place(target: &Target, account: &Account) -> String {
    let texts = [target.infra_id.as_str(), account.id.as_str(), target.text("region")];
    fingerprint(texts.map(str::as_bytes))
}

/// Whether an earlier run of a step began in the same place and did not end with nothing left. It began only once
/// it was sure of the place.
pub(super) fn has_begun(directory: &Path, step: &str, place: &str) -> bool {
    // What the journal does not say, the cloud is asked for.
    let Ok(steps) = steps(directory) else { return false };
    let known = steps.iter().rev().filter(|known| known.step == step);
    let mut since = known.take_while(|known| known.result != StepResult::Done);
    since.any(|known| known.result == StepResult::Began && known.inputs == place)
}

/// Whether another step than this one was noted so short a time ago that the lists of the cloud may lack what it created.
pub(super) fn was_just_creating(directory: &Path, step: &str, now: &str) -> bool {
    let (Ok(steps), Ok(now)) = (steps(directory), now.parse::<Timestamp>()) else { return false };
    let times = steps.iter().filter(|known| known.step != step).filter_map(|known| known.time.parse().ok());
    times.max().is_some_and(|last: Timestamp| now.duration_since(last) < LISTED_WITHIN)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "the test has a directory of its own")]
mod tests {
    use super::*;
    use crate::workdir::{ClusterDir, Step};

    const STEP: &str = "cluster.destroy";

    #[test]
    fn an_earlier_run_counts_for_its_own_place_until_one_is_done() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let cluster = ClusterDir::open(directory.path())?;
        let note = |result: StepResult, inputs: &str| {
            let (time, step) = ("2026-01-01T00:00:00Z".to_owned(), STEP.to_owned());
            cluster.note(&Step { time, step, result, detail: String::new(), inputs: inputs.to_owned() })
        };
        let begun = |place: &str| has_begun(directory.path(), STEP, place);
        assert!(!begun("here"));
        note(StepResult::Began, "")?;
        assert!(!begun("here"));
        note(StepResult::Began, "here")?;
        note(StepResult::Interrupted, "")?;
        assert!(begun("here") && !begun("there"));
        note(StepResult::Done, "")?;
        assert!(!begun("here"));
        Ok(())
    }

    #[test]
    fn what_was_created_a_moment_ago_may_not_be_listed() -> Result<(), Box<dyn std::error::Error>> {
        let directory = tempfile::tempdir()?;
        let cluster = ClusterDir::open(directory.path())?;
        let note = |time: &str, step: &str| {
            let (time, step) = (time.to_owned(), step.to_owned());
            let (detail, inputs) = (String::new(), String::new());
            cluster.note(&Step { time, step, result: StepResult::Began, detail, inputs })
        };
        let just = |now: &str| was_just_creating(directory.path(), STEP, now);
        assert!(!just("2026-01-01T00:00:00Z"));
        note("2026-01-01T00:00:00Z", "cluster.apply/vpc/vpc")?;
        note("2026-01-01T01:00:00Z", STEP)?;
        assert!(just("2026-01-01T00:04:59Z") && !just("2026-01-01T00:05:00Z"));
        assert!(!just("2026-01-01T01:00:00Z"), "a removal creates nothing");
        Ok(())
    }

    #[test]
    fn a_place_is_that_of_one_cluster_in_one_account_and_region() {
        let target = |id: &str, region: &str| Target {
            infra_id: id.to_owned(),
            platform: serde_json::Map::from_iter([("region".to_owned(), region.into())]),
            ..Target::default()
        };
        let account = |id: &str| Account { id: id.to_owned(), caller: String::new() };
        let here = place(&target("demo-bcd24", "eu-west-1"), &account("1"));
        assert_eq!(here, place(&target("demo-bcd24", "eu-west-1"), &account("1")));
        for other in [
            place(&target("demo-bcd24", "eu-central-1"), &account("1")),
            place(&target("demo-bcd24", "eu-west-1"), &account("2")),
            place(&target("demo-x7k2p", "eu-west-1"), &account("1")),
        ] {
            assert_ne!(here, other);
        }
    }
}
