//! What earlier runs have left of each stage, and so what a run has still to make.

use std::path::Path;

use landfall_engine_terraform::Work;
use landfall_model::plan::Stage;
use landfall_platform::Platform;

use super::Fault;
use super::files::{Files, step};
use landfall_workdir::{ClusterDir, Step, StepResult, Steps};

/// The step that notes that the cloud has what Terraform created.
const VERIFY: &str = "cluster.verify";

/// What earlier runs have left of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing, or not all of it: it is to be made.
    Due,
    /// It was made, of files that may have changed since.
    Made {
        /// When, as RFC 3339 writes it.
        time: String,
    },
    /// It stands as its files describe it: there is nothing to do.
    Unchanged {
        /// Since when, as RFC 3339 writes it.
        time: String,
    },
    /// It was removed and is not made again.
    Removed {
        /// When, as RFC 3339 writes it.
        time: String,
    },
}

/// What earlier runs have left of each stage, in their order, now that all files are written.
///
/// # Errors
/// The removal of a stage has begun and not ended, or a file cannot be read.
pub fn standing(
    cluster: &ClusterDir,
    platform: &'static dyn Platform,
) -> Result<Vec<(Stage, Standing)>, Fault> {
    let steps = cluster.steps()?;
    let files = Files { root: cluster.root(), platform };
    let mut all = Vec::new();
    // What a stage is given may come of the one before.
    let mut due = false;
    for stage in platform.stages() {
        let one = if let Some(time) = removed(&steps, stage)? {
            Standing::Removed { time }
        } else {
            let inputs = files.inputs(stage, &files.variables(stage))?;
            match done_before(&steps, &files, stage, &inputs).filter(|_| !due) {
                Some(time) => Standing::Unchanged { time },
                None => Standing::Due,
            }
        };
        due |= one == Standing::Due;
        all.push((*stage, one));
    }
    Ok(all)
}

/// As [`standing`], of a directory whose files are not written yet: whether they change anything is not known.
/// Nothing is written or locked.
///
/// # Errors
/// As [`standing`].
pub fn standing_so_far(
    directory: &Path,
    platform: &'static dyn Platform,
) -> Result<Vec<(Stage, Standing)>, Fault> {
    let steps = landfall_workdir::steps(directory)?;
    let mut all = Vec::new();
    for stage in platform.stages() {
        let apply = step(stage, Work::Apply);
        let last = steps.last(&apply);
        let one = match (removed(&steps, stage)?, last) {
            (Some(time), _) => Standing::Removed { time },
            (None, Some(last)) if last.result == StepResult::Done => {
                Standing::Made { time: last.time.clone() }
            }
            (None, _) => Standing::Due,
        };
        all.push((*stage, one));
    }
    Ok(all)
}

/// Whether a run, this one or an earlier one, has begun to create something with Terraform.
///
/// # Errors
/// The journal of steps cannot be read.
pub fn has_begun(cluster: &ClusterDir, platform: &'static dyn Platform) -> Result<bool, Fault> {
    let steps = cluster.steps()?;
    let mut stages = platform.stages().iter();
    Ok(stages.any(|stage| steps.last(&step(stage, Work::Apply)).is_some()))
}

/// What is known of the resources that earlier runs created with Terraform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// They were read after the last run that created any, and exist.
    Done,
    /// They were not read since.
    Due,
    /// They were not read since, and runs failed or were cut short: what Terraform reports may be wrong.
    DueAfterFailures,
}

/// Whether the resources that earlier runs created were read afterwards, as the journal of steps tells.
///
/// # Errors
/// The journal of steps cannot be read.
pub fn verification(cluster: &ClusterDir, platform: &'static dyn Platform) -> Result<Verification, Fault> {
    let steps = cluster.steps()?;
    let names: Vec<String> = platform.stages().iter().map(|stage| step(stage, Work::Apply)).collect();
    let since = steps.iter().rev().take_while(|known| known.step != VERIFY);
    let applied: Vec<&Step> = since.filter(|known| names.contains(&known.step)).collect();
    let count = |result| applied.iter().filter(|known| known.result == result).count();
    Ok(if applied.is_empty() {
        Verification::Done
    } else if count(StepResult::Began) == count(StepResult::Done) {
        Verification::Due
    } else {
        Verification::DueAfterFailures
    })
}

/// Notes that the cloud has all that Terraform created.
///
/// # Errors
/// The journal of steps cannot be written.
pub fn note_verified(cluster: &ClusterDir, time: String) -> Result<(), Fault> {
    let (step, detail, inputs) = (VERIFY.to_owned(), String::new(), String::new());
    Ok(cluster.note(&Step { time, step, result: StepResult::Done, detail, inputs })?)
}

/// Whether nothing was ever made of the stages that only the installation needs, neither by landfall nor by hand.
///
/// # Errors
/// The journal of steps or the state of a stage cannot be read.
pub fn never_begun(cluster: &ClusterDir, platform: &'static dyn Platform) -> Result<bool, Fault> {
    let steps = cluster.steps()?;
    let files = Files { root: cluster.root(), platform };
    for stage in platform.stages().iter().filter(|stage| stage.only_for_bootstrap) {
        let names = [step(stage, Work::Apply), step(stage, Work::Destroy)];
        if !files.is_untouched(stage) || steps.iter().any(|known| names.contains(&known.step)) {
            return Ok(false);
        }
        let stands = landfall_engine_terraform::resources(&files.folder(stage))
            .map_err(|fault| Fault::Engine { stage: stage.name.to_owned(), fault: Box::new(fault) })?;
        if !stands.is_empty() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// When a stage that only the installation needs was removed; none when it was not, or was made again since.
///
/// # Errors
/// Its removal has begun and not ended.
pub(super) fn removed(steps: &Steps, stage: &Stage) -> Result<Option<String>, Fault> {
    if !stage.only_for_bootstrap {
        return Ok(None);
    }
    let names = [step(stage, Work::Apply), step(stage, Work::Destroy)];
    let last = steps.iter().rev().find(|known| names.contains(&known.step));
    match last.filter(|last| last.step == names[1]) {
        Some(last) if last.result == StepResult::Done => Ok(Some(last.time.clone())),
        Some(last) => Err(Fault::BootstrapGoes { since: last.time.clone() }),
        None => Ok(None),
    }
}

/// When a stage was made of just these inputs; none when it was not, or not to its end.
pub(super) fn done_before(steps: &Steps, files: &Files<'_>, stage: &Stage, inputs: &str) -> Option<String> {
    let last = steps.last(&step(stage, Work::Apply));
    let done = last.filter(|last| {
        last.result == StepResult::Done && last.inputs == inputs && files.keeps_outputs(stage)
    });
    done.map(|done| done.time.clone())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "cluster directories are made here")]
mod tests {
    use std::error::Error as Any;
    use std::fs;

    use super::*;
    use landfall_install_config::platforms;
    use landfall_workdir::Durability;

    type Outcome = Result<(), Box<dyn Any>>;

    /// A cluster directory with the modules of both stages.
    struct Fixture(tempfile::TempDir);

    impl Fixture {
        fn new() -> Result<Self, Box<dyn Any>> {
            let fixture = Self(tempfile::tempdir()?);
            for stage in ["cluster", "bootstrap"] {
                fs::create_dir_all(fixture.0.path().join("terraform").join(stage))?;
                fs::write(fixture.0.path().join(format!("terraform/{stage}/main.tf")), stage)?;
            }
            Ok(fixture)
        }

        fn cluster(&self) -> Result<ClusterDir, landfall_workdir::Error> {
            ClusterDir::open_with(self.0.path(), Durability::Process)
        }

        /// Notes the end of a step; of one that makes, with its inputs and outputs.
        fn note(&self, stage: &str, work: Work, time: &str, result: StepResult) -> Outcome {
            let platform = platforms::named("aws").ok_or("no such platform")?;
            let known = platform.stages().iter().find(|known| known.name == stage).ok_or("no such stage")?;
            let files = Files { root: self.0.path(), platform };
            let inputs = files.inputs(known, &files.variables(known))?;
            if work == Work::Apply {
                fs::write(self.0.path().join(format!("terraform/{stage}.tfvars.json")), "{}")?;
            }
            let (time, step, detail) = (time.to_owned(), step(known, work), String::new());
            self.cluster()?.note(&Step { time, step, result, detail, inputs })?;
            Ok(())
        }

        fn standing(&self) -> Result<Vec<Standing>, Box<dyn Any>> {
            let platform = platforms::named("aws").ok_or("no such platform")?;
            let all = standing(&self.cluster()?, platform)?;
            Ok(all.into_iter().map(|(_, standing)| standing).collect())
        }

        fn so_far(&self) -> Result<Vec<Standing>, Box<dyn Any>> {
            let platform = platforms::named("aws").ok_or("no such platform")?;
            let all = standing_so_far(self.0.path(), platform)?;
            Ok(all.into_iter().map(|(_, standing)| standing).collect())
        }
    }

    fn unchanged(time: &str) -> Standing {
        Standing::Unchanged { time: time.to_owned() }
    }

    fn removed_at(time: &str) -> Standing {
        Standing::Removed { time: time.to_owned() }
    }

    #[test]
    fn what_was_made_stands_until_its_files_change() -> Outcome {
        let fixture = Fixture::new()?;
        assert_eq!(fixture.standing()?, [Standing::Due, Standing::Due]);
        fixture.note("cluster", Work::Apply, "one", StepResult::Done)?;
        fixture.note("bootstrap", Work::Apply, "two", StepResult::Failed)?;
        assert_eq!(fixture.standing()?, [unchanged("one"), Standing::Due]);
        fixture.note("bootstrap", Work::Apply, "three", StepResult::Done)?;
        assert_eq!(fixture.standing()?, [unchanged("one"), unchanged("three")]);
        // What the second stage is given may be another thing then.
        fs::write(fixture.0.path().join("terraform/cluster/main.tf"), "changed")?;
        assert_eq!(fixture.standing()?, [Standing::Due, Standing::Due]);
        let made = |time: &str| Standing::Made { time: time.to_owned() };
        assert_eq!(fixture.so_far()?, [made("one"), made("three")]);
        Ok(())
    }

    #[test]
    fn what_was_removed_is_told_with_its_time() -> Outcome {
        let fixture = Fixture::new()?;
        fixture.note("cluster", Work::Apply, "one", StepResult::Done)?;
        fixture.note("bootstrap", Work::Apply, "two", StepResult::Done)?;
        fixture.note("bootstrap", Work::Destroy, "three", StepResult::Began)?;
        assert!(fixture.standing().is_err() && fixture.so_far().is_err());
        fixture.note("bootstrap", Work::Destroy, "four", StepResult::Done)?;
        assert_eq!(fixture.standing()?, [unchanged("one"), removed_at("four")]);
        assert_eq!(fixture.so_far()?.last(), Some(&removed_at("four")));
        Ok(())
    }

    #[test]
    fn what_was_created_is_verified_once() -> Outcome {
        use StepResult::{Began, Done, Failed};
        let fixture = Fixture::new()?;
        let platform = platforms::named("aws").ok_or("no such platform")?;
        let apply = |results: &[StepResult]| {
            results.iter().try_for_each(|result| fixture.note("cluster", Work::Apply, "one", *result))
        };
        let known =
            || -> Result<Verification, Box<dyn Any>> { Ok(verification(&fixture.cluster()?, platform)?) };
        assert_eq!(known()?, Verification::Done);
        apply(&[Began, Done])?;
        assert_eq!(known()?, Verification::Due);
        note_verified(&fixture.cluster()?, "two".to_owned())?;
        fixture.note("bootstrap", Work::Destroy, "three", Done)?;
        assert_eq!(known()?, Verification::Done);
        for failing in [&[Began, Failed, Began, Done][..], &[Began, Began, Done]] {
            apply(failing)?;
            assert_eq!(known()?, Verification::DueAfterFailures);
            note_verified(&fixture.cluster()?, "four".to_owned())?;
            assert_eq!(known()?, Verification::Done);
        }
        Ok(())
    }

    #[test]
    fn what_nobody_began_never_stood() -> Outcome {
        let platform = platforms::named("aws").ok_or("no such platform")?;
        let is_new = |fixture: &Fixture| -> Result<bool, Box<dyn Any>> {
            Ok(never_begun(&fixture.cluster()?, platform)?)
        };
        let noted = Fixture::new()?;
        assert!(is_new(&noted)?);
        noted.note("cluster", Work::Apply, "one", StepResult::Done)?;
        assert!(is_new(&noted)?);
        noted.note("bootstrap", Work::Apply, "two", StepResult::Failed)?;
        assert!(!is_new(&noted)?);
        let by_hand = Fixture::new()?;
        fs::create_dir(by_hand.0.path().join("terraform/bootstrap/.terraform"))?;
        assert!(!is_new(&by_hand)?);
        // Whose module is not there was made by another program.
        let elsewhere = Fixture::new()?;
        fs::remove_file(elsewhere.0.path().join("terraform/bootstrap/main.tf"))?;
        assert!(!is_new(&elsewhere)?);
        Ok(())
    }

    #[test]
    fn looking_at_a_directory_leaves_nothing_in_it() -> Outcome {
        let root = tempfile::tempdir()?;
        let platform = platforms::named("aws").ok_or("no such platform")?;
        let all = standing_so_far(root.path(), platform)?;
        assert!(all.iter().all(|(_, standing)| *standing == Standing::Due) && all.len() == 2);
        assert_eq!(fs::read_dir(root.path())?.count(), 0);
        Ok(())
    }
}
