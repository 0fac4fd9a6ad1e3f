//! `landfall create manifests --fleet`: many clusters from one process.

#![allow(clippy::disallowed_methods, reason = "the directories of the fleet are listed here")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::prelude::*;
use serde_json::json;

use super::manifests::warn_of;
use super::outcome;
use crate::cli::{Exit, Output, Settings};
use crate::prepare::{Basis, BasisOptions, Environment, INSTALL_CONFIG, Options, Prepared, Refusal, prepare};
use crate::ui::counted;

/// Clusters whose results are kept until they are told, so that a fleet of any size takes no more memory.
const BATCH: usize = 64;

/// Writes the files of every cluster, in the order of their names, and goes on past those that cannot be
/// made.
///
/// # Errors
/// The directory cannot be listed, or standard output cannot be written.
pub(super) fn run(
    fleet: &Path,
    basis: &Basis,
    wanted: &BasisOptions,
    options: &Options<'_>,
    settings: &Settings,
) -> anyhow::Result<Exit> {
    let directories = directories(fleet)?;
    let mut worst = Exit::Done;
    let (mut made, mut refused) = (0, 0);
    for batch in directories.chunks(BATCH) {
        let results: Vec<(&PathBuf, Result<Prepared, Refusal>)> =
            batch.par_iter().map(|path| (path, one(path, (fleet, basis), wanted, options))).collect();
        for (directory, result) in results {
            let own = wanted.within(directory).profile.filter(|_| wanted.profile.is_none());
            warn_of(own.as_ref(), settings);
            match result {
                Ok(prepared) => {
                    made += 1;
                    if settings.output != Output::Json {
                        outcome::said(&prepared.said, settings);
                    }
                    settings.printer.data(&outcome::shown(directory, &prepared, settings))?;
                }
                Err(refusal) => {
                    refused += 1;
                    worst = worst.max(tell(directory, refusal, settings)?);
                }
            }
        }
    }
    let told = format!("{} written, {refused} refused\n", counted(made, "cluster"));
    settings.printer.aside(&told);
    Ok(worst)
}

/// One cluster of the fleet. Its directory may have a catalogue overlay, a cloud profile and a release of its own.
fn one(
    directory: &Path,
    (fleet, basis): (&Path, &Basis),
    wanted: &BasisOptions,
    options: &Options<'_>,
) -> Result<Prepared, Refusal> {
    let own = wanted.within(directory);
    let is_same = BasisOptions { release: wanted.release.clone(), ..own.clone() } == *wanted;
    if !is_same || own.release.as_ref().is_some_and(|release| *release != basis.release) {
        return prepare(directory, &Basis::new(&own, fleet)?, options, Environment);
    }
    prepare(directory, basis, options, Environment)
}

/// The sub-directories with an install config, sorted.
fn directories(fleet: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(fleet).with_context(|| format!("cannot list {}", fleet.display()))?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.with_context(|| format!("cannot list {}", fleet.display()))?.path();
        if path.join(INSTALL_CONFIG).is_file() {
            found.push(path);
        }
    }
    found.sort();
    anyhow::ensure!(!found.is_empty(), "no sub-directory of {} has an {INSTALL_CONFIG}", fleet.display());
    Ok(found)
}

/// Says why a cluster was not made, and goes on: also where something outside of the input went wrong.
fn tell(directory: &Path, refusal: Refusal, settings: &Settings) -> anyhow::Result<Exit> {
    let exit = match refusal {
        Refusal::Failed(fault) => {
            settings.printer.fault(&fault);
            if settings.output == Output::Json {
                let line = json!({ "dir": directory.display().to_string(), "error": fault.to_string() });
                settings.printer.data(&format!("{line}\n"))?;
            }
            Exit::Failed
        }
        refusal => outcome::refused(refusal, settings)?,
    };
    if settings.output != Output::Json {
        settings.printer.data(&format!("{}: refused\n", directory.display()))?;
    }
    Ok(exit)
}
