//! The files of the stages of terraform: modules, variables and outputs.

#![allow(clippy::disallowed_methods, reason = "the modules and variables of the stages are read here")]

use std::path::{Path, PathBuf};

use landfall_engine_terraform::Work;
use landfall_model::plan;
use landfall_platform::Platform;
use serde_json::{Map, Value};

use super::Fault;
use landfall_workdir::fingerprint;

/// The folder of all stages.
pub(super) const FOLDER: &str = "terraform";
/// The module in the folder of a stage.
const MODULE: &str = "main.tf";
/// What terraform makes in the folder of a stage before all else.
const DATA: &str = ".terraform";
/// The variables that all stages get, in the order in which later ones win.
const VARIABLES: &[&str] =
    &["terraform.tfvars.json", "terraform.platform.auto.tfvars.json", "landfall.auto.tfvars.json"];

/// The files of all stages of a cluster.
#[derive(Clone, Copy)]
pub(super) struct Files<'a> {
    /// The cluster directory.
    pub(super) root: &'a Path,
    /// The platform of the cluster.
    pub(super) platform: &'static dyn Platform,
}

impl Files<'_> {
    /// The folder of a stage.
    pub(super) fn folder(&self, stage: &plan::Stage) -> PathBuf {
        self.root.join(FOLDER).join(stage.name)
    }

    /// The module of a stage.
    pub(super) fn module(&self, stage: &plan::Stage) -> PathBuf {
        self.folder(stage).join(MODULE)
    }

    /// The files with variables of a stage: the cluster's, and the outputs of the stages before it.
    pub(super) fn variables(&self, stage: &plan::Stage) -> Vec<PathBuf> {
        let stages = self.platform.stages();
        self.of(stages.iter().take_while(|earlier| earlier.name != stage.name))
    }

    /// The files with variables of a stage that is removed: those of all stages, as its own outputs may be
    /// variables of its module.
    pub(super) fn variables_of_all(&self) -> Vec<PathBuf> {
        self.of(self.platform.stages().iter())
    }

    fn of<'s>(&self, stages: impl Iterator<Item = &'s plan::Stage>) -> Vec<PathBuf> {
        let folder = self.root.join(FOLDER);
        let names = VARIABLES.iter().map(|name| (*name).to_owned()).chain(stages.map(outputs_file));
        names.map(|name| folder.join(name)).filter(|path| path.is_file()).collect()
    }

    /// What a stage is made of, as a fingerprint.
    ///
    /// # Errors
    /// There is no module of it, or a file cannot be read.
    pub(super) fn inputs(&self, stage: &plan::Stage, variables: &[PathBuf]) -> Result<String, Fault> {
        let module = self.module(stage);
        if !module.is_file() {
            return Err(Fault::NoModule { path: module });
        }
        let mut texts = Vec::new();
        for path in std::iter::once(&module).chain(variables) {
            let bytes =
                std::fs::read(path).map_err(|cause| landfall_workdir::Error::Read(path.clone(), cause))?;
            texts.push(bytes);
        }
        Ok(fingerprint(texts.iter().map(Vec::as_slice)))
    }

    /// Whether the module of a stage is there, and terraform has never run in its folder.
    pub(super) fn is_untouched(&self, stage: &plan::Stage) -> bool {
        let folder = self.folder(stage);
        folder.join(MODULE).is_file() && !folder.join(DATA).exists()
    }

    /// Whether the outputs of a stage are there.
    pub(super) fn keeps_outputs(&self, stage: &plan::Stage) -> bool {
        self.root.join(FOLDER).join(outputs_file(stage)).is_file()
    }
}

/// The variables in files, of which later ones win.
pub(super) fn values(variables: &[PathBuf]) -> Result<Map<String, Value>, Fault> {
    let mut all = Map::new();
    for path in variables {
        let bytes =
            std::fs::read(path).map_err(|cause| landfall_workdir::Error::Read(path.clone(), cause))?;
        all.extend(serde_json::from_slice::<Map<String, Value>>(&bytes).unwrap_or_default());
    }
    Ok(all)
}

/// The name of a step.
pub(super) fn step(stage: &plan::Stage, work: Work) -> String {
    format!("{}.{}", stage.name, work.name())
}

/// The file with the outputs of a stage.
pub(super) fn outputs_file(stage: &plan::Stage) -> String {
    format!("{}.tfvars.json", stage.name)
}
