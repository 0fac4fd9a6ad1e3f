//! What was begun in a cluster directory: with which engine, and in which namespace.

use std::path::Path;

use landfall_diagnostics::Finding;
use landfall_engine_aso::drive::pages;
use landfall_model::plan;

use super::EngineName;
use super::aso::STEP;
use crate::prepare::target::Unnamed;
use crate::prepare::{Engine, target};
use crate::{prepare, workdir};

/// The engine that is noted for the cluster of a directory.
///
/// # Errors
/// What is noted cannot be read.
pub(super) fn engine(directory: &Path) -> Result<Option<Engine>, Unnamed> {
    match target::of_cluster(directory) {
        Ok(named) => Ok(named.engine()),
        Err(Unnamed::Nowhere(_)) => Ok(None),
        Err(why) => Err(why),
    }
}

/// The engine of a run: the one that is asked for, which must be the one that began the cluster; without one, that which
/// began it or is noted. The engine that other flags imply counts until something was begun.
///
/// # Errors
/// Another one began it.
pub(super) fn chosen(
    asked: Option<EngineName>,
    implied: Option<EngineName>,
    noted: Option<&Engine>,
    directory: &Path,
) -> Result<EngineName, Box<Finding>> {
    let is_begun = prepare::is_begun(directory);
    let noted = noted.and_then(|engine| plan::Engine::named(&engine.name));
    let earlier = prepare::engine_of(directory, noted);
    let is_free = !is_begun && earlier != Some(plan::Engine::Aso);
    let Some(asked) = asked.or(implied.filter(|_| is_free)) else {
        return Ok(earlier.unwrap_or_default().into());
    };
    match earlier {
        // What the operator was given is in a management cluster.
        Some(earlier) if earlier != asked.into() && (is_begun || earlier == plan::Engine::Aso) => {
            Err(Box::new(pages::other_engine(earlier.name(), plan::Engine::from(asked).name())))
        }
        _ => Ok(asked),
    }
}

/// What stands against the namespace that is asked for: that something of the cluster is in another one.
pub(super) fn other_namespace(directory: &Path, asked: Option<&str>) -> Option<Finding> {
    let asked = asked?;
    let noted = kept(directory)?.namespace;
    (asked != noted).then(|| pages::other_namespace(&noted, asked))
}

/// What stands against leaving the machines to somebody else: that the operator may have made some.
pub(super) fn other_machines(directory: &Path, machines: bool) -> Option<Finding> {
    (!machines && kept(directory)?.machines).then(pages::other_machines)
}

/// The engine that is noted for the cluster of a directory, once something may have been made with it.
fn kept(directory: &Path) -> Option<Engine> {
    let named = target::of_cluster(directory).ok()?;
    let is_untouched = workdir::steps(directory).is_ok_and(|steps| steps.last(STEP).is_none());
    let is_free = is_untouched && named.management_cluster().is_none();
    named.engine().filter(|_| !is_free)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a cluster directory is made here")]

    use std::fs;

    use super::*;
    use crate::workdir::{ClusterDir, Step, StepResult};

    fn noted(landfall: &str) -> Option<tempfile::TempDir> {
        let root = tempfile::tempdir().ok()?;
        let metadata = format!(r#"{{"infraID":"demo-x7k2p","azure":{{}},"landfall":{{{landfall}}}}}"#);
        fs::write(root.path().join("metadata.json"), metadata).ok()?;
        Some(root)
    }

    #[test]
    fn a_namespace_is_kept_once_something_may_be_in_it() -> Result<(), workdir::Error> {
        let engine = r#""engine":"aso","namespace":"bad""#;
        let Some(root) = noted(engine) else { return Ok(()) };
        assert!(other_namespace(root.path(), Some("good")).is_none());
        let cluster = ClusterDir::open(root.path())?;
        cluster.note(&Step {
            time: prepare::now(),
            step: STEP.to_owned(),
            result: StepResult::Began,
            detail: String::new(),
            inputs: String::new(),
        })?;
        let code = other_namespace(root.path(), Some("good")).map(|finding| finding.code.as_str());
        assert_eq!(code, Some("LF1543"));
        assert!(other_namespace(root.path(), Some("bad")).is_none());
        assert!(other_namespace(root.path(), None).is_none());

        // What was moved here by hand has no journal.
        let Some(moved) = noted(&format!(r#"{engine},"managementCluster":"a""#)) else { return Ok(()) };
        assert!(other_namespace(moved.path(), Some("good")).is_some());
        Ok(())
    }

    #[test]
    fn machines_stay_with_who_makes_them() -> Result<(), workdir::Error> {
        let Some(root) = noted(r#""engine":"aso","namespace":"a","machines":true"#) else { return Ok(()) };
        assert!(engine(root.path()).ok().flatten().is_some_and(|engine| engine.machines));
        assert!(other_machines(root.path(), false).is_none());
        let cluster = ClusterDir::open(root.path())?;
        cluster.note(&Step {
            time: prepare::now(),
            step: STEP.to_owned(),
            result: StepResult::Began,
            detail: String::new(),
            inputs: String::new(),
        })?;
        let code = other_machines(root.path(), false).map(|finding| finding.code.as_str());
        assert_eq!(code, Some("LF1543"));
        assert!(other_machines(root.path(), true).is_none());
        Ok(())
    }

    #[test]
    fn an_engine_that_cannot_be_read_is_not_taken_for_none() {
        let Some(root) = noted(r#""engine":"aso","namespace":"a""#) else { return };
        let noted = engine(root.path()).ok().flatten();
        let implied = Some(EngineName::Terraform);
        assert_eq!(chosen(None, implied, noted.as_ref(), root.path()).ok(), Some(EngineName::Aso));
        for asked in [EngineName::Terraform, EngineName::Native] {
            assert!(chosen(Some(asked), None, noted.as_ref(), root.path()).is_err());
        }
        assert_eq!(fs::write(root.path().join("metadata.json"), "{").ok(), Some(()));
        assert!(matches!(engine(root.path()), Err(Unnamed::Invalid(_))));
        assert_eq!(fs::remove_file(root.path().join("metadata.json")).ok(), Some(()));
        assert!(matches!(engine(root.path()), Ok(None)));
    }

    #[test]
    fn who_began_a_cluster_continues_it() -> Result<(), workdir::Error> {
        use EngineName::{Aso, Native, Terraform};
        let Ok(root) = tempfile::tempdir() else { return Ok(()) };
        let with = |asked, implied, noted: Option<plan::Engine>| {
            let noted = noted.map(Engine::here);
            chosen(asked, implied, noted.as_ref(), root.path()).map_err(|finding| finding.code.as_str())
        };
        let chosen = |asked, noted| with(asked, None, noted);
        let engines = [None, Some(Native), Some(Terraform), Some(Aso)];
        // An engine that was only chosen can still be changed.
        let noted = Some(plan::Engine::Terraform);
        assert_eq!(
            engines.map(|asked| chosen(asked, None)),
            [Ok(Native), Ok(Native), Ok(Terraform), Ok(Aso)]
        );
        assert_eq!(chosen(None, noted), Ok(Terraform));
        assert_eq!(chosen(Some(Native), noted), Ok(Native));
        assert_eq!(with(None, Some(Terraform), Some(plan::Engine::Native)), Ok(Terraform));
        // Earlier versions did not note that it was terraform.
        let cluster = ClusterDir::open(root.path())?;
        let (time, step, inputs) = (prepare::now(), "vnet.apply".to_owned(), String::new());
        cluster.note(&Step { time, step, result: StepResult::Began, detail: String::new(), inputs })?;
        for noted in [None, noted] {
            let all = engines.map(|asked| chosen(asked, noted));
            assert_eq!(all, [Ok(Terraform), Err("LF1543"), Ok(Terraform), Err("LF1543")]);
        }
        let of_native = [Ok(Native), Ok(Native), Err("LF1543"), Err("LF1543")];
        assert_eq!(engines.map(|asked| chosen(asked, Some(plan::Engine::Native))), of_native);
        assert_eq!(with(None, Some(Terraform), Some(plan::Engine::Native)), Ok(Native));

        // A state of terraform, made by hand, says more than a run that was declined.
        let stage = root.path().join("terraform/vnet");
        assert_eq!(fs::create_dir_all(&stage).ok(), Some(()));
        assert_eq!(fs::write(stage.join("terraform.tfstate"), "{}").ok(), Some(()));
        let all = engines.map(|asked| chosen(asked, Some(plan::Engine::Native)));
        assert_eq!(all, [Ok(Terraform), Err("LF1543"), Ok(Terraform), Err("LF1543")]);
        // A resource that landfall created says most, whatever metadata has.
        let step = "vnet.apply/subnet/a".to_owned();
        let (time, inputs) = (prepare::now(), String::new());
        cluster.note(&Step { time, step, result: StepResult::Done, detail: String::new(), inputs })?;
        for noted in [None, noted] {
            assert_eq!(engines.map(|asked| chosen(asked, noted)), of_native);
        }
        Ok(())
    }
}
