//! Where ignition files come from, and the first look there.

use std::path::{Path, PathBuf};

use landfall_model::plan::ignition_pages as pages;

use super::files::{self, BOOTSTRAP, Files};
use super::{program, refusal};
use crate::{Refusal, inputs};

/// Where the ignition files of a cluster come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum IgnitionFrom {
    /// Nowhere: no machine is going to be started.
    #[default]
    None,
    /// A directory with `bootstrap.ign`, `master.ign` and `worker.ign`.
    Directory(PathBuf),
    /// This program, which is openshift-install, run over the cluster's manifests.
    OpenshiftInstall(PathBuf),
}

impl IgnitionFrom {
    /// Looks whether there are ignition files that are some, or a program to make them, for the cluster of a
    /// directory. Whether they are of the cluster and valid for long enough is seen when they are taken.
    /// Nothing is written or run.
    ///
    /// # Errors
    /// They are missing or cannot be used, or the program does not exist.
    pub fn look(&self, cluster: &Path) -> Result<(), Refusal> {
        match self {
            Self::None => Ok(()),
            Self::Directory(directory) => whole(directory, cluster).map(|_| ()),
            // What it made before may be used again.
            Self::OpenshiftInstall(_) if inputs::is_there(&cluster.join(BOOTSTRAP)) => Ok(()),
            Self::OpenshiftInstall(program) if program::is_there(program) => Ok(()),
            Self::OpenshiftInstall(program) => {
                let name = program.display().to_string();
                Err(refusal(cluster, vec![pages::not_started(&name, "the program does not exist")]))
            }
        }
    }
}

/// The files in a directory, for the cluster of a cluster directory.
///
/// # Errors
/// Everything that is wrong with them.
pub(super) fn whole(directory: &Path, cluster: &Path) -> Result<Files, Refusal> {
    files::read(directory, files::found(directory)).map_err(|faults| {
        let mut findings = faults.findings;
        if !faults.missing.is_empty() {
            let (from, cluster) = (directory.display().to_string(), cluster.display().to_string());
            findings.push(pages::missing(&faults.missing, &from, &cluster));
        }
        refusal(directory, findings)
    })
}
