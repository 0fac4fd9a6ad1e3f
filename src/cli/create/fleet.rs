//! `landfall create manifests --fleet`: many clusters from one process.

#![allow(clippy::disallowed_methods, reason = "the directories of the fleet are listed here")]

use std::path::{Path, PathBuf};

use anyhow::Context;
use rayon::prelude::*;

use super::outcome;
use crate::cli::{Exit, Output, Settings};
use crate::prepare::{Basis, Environment, INSTALL_CONFIG, Options, Prepared, Refusal, prepare};
use crate::ui::{counted, json, text};

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
    options: &Options,
    settings: &Settings,
) -> anyhow::Result<Exit> {
    let directories = directories(fleet)?;
    let mut worst = Exit::Done;
    let (mut made, mut refused) = (0, 0);
    for batch in directories.chunks(BATCH) {
        let results: Vec<(&PathBuf, Result<Prepared, Refusal>)> = batch
            .par_iter()
            .map(|directory| (directory, prepare(directory, basis, options, Environment)))
            .collect();
        for (directory, result) in results {
            match result {
                Ok(prepared) => {
                    made += 1;
                    if settings.output != Output::Json {
                        outcome::said(&prepared.said, settings);
                    }
                    settings.printer.data(&outcome::summary(directory, &prepared, settings.output))?;
                }
                Err(refusal) => {
                    refused += 1;
                    worst = worst.max(tell(directory, refusal, settings)?);
                }
            }
        }
    }
    let told = format!("{} made, {refused} refused\n", counted(made, "cluster"));
    settings.printer.aside(&told);
    Ok(worst)
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

fn tell(directory: &Path, refusal: Refusal, settings: &Settings) -> anyhow::Result<Exit> {
    let (said, exit) = match refusal {
        Refusal::Invalid(said) => (said, Exit::NotValid),
        Refusal::Usage(said) => (said, Exit::Usage),
        Refusal::Unfit(said) => (said, Exit::Unfit),
        Refusal::Failed(fault) => {
            settings.printer.fault(&fault);
            return Ok(Exit::Failed);
        }
    };
    if settings.output == Output::Json {
        settings.printer.data(&json::render(&outcome::judged(&said)))?;
    } else {
        settings.printer.report(&text::render(&outcome::judged(&said), settings.printer.colours().talk));
        settings.printer.data(&format!("{}: refused\n", directory.display()))?;
    }
    Ok(exit)
}
