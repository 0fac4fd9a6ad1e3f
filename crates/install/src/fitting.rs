//! The module of a stage for the release of the provider that there is.
//!
//! Arguments differ between releases of a provider, and no module fits all. Where `init` finds no release for the one
//! in the directory, those for other releases are tried.

#![allow(clippy::disallowed_methods, reason = "the module of a stage is read here")]

use landfall_engine_terraform::{Cause, Stage};
use landfall_model::plan;
use landfall_render::modules;

use super::{Fault, Site};

/// What terraform and `OpenTofu` say where no release of a provider is one that the module takes.
const NO_RELEASE: &[&str] = &["no available releases match", "does not match configured version constraint"];

impl Site<'_> {
    /// Replaces the module of a stage by one for another release of its provider, if no release is available that the
    /// module takes. Gives whether the module is another one now.
    ///
    /// # Errors
    /// The module cannot be read or written. What else keeps providers from being installed is told by the work.
    pub(super) async fn fit(&mut self, stage: &plan::Stage) -> Result<bool, Fault> {
        let others = modules::joined_alternatives(self.platform.name(), stage);
        if others.is_empty() {
            return Ok(false);
        }
        let (folder, log) = (self.files().folder(stage), self.cluster.logs());
        let described =
            Stage { name: stage.name, folder: &folder, variables: &[], environment: &[], log: &log };
        let Err(fault) = self.terraform.init(&described, self.stop).await else { return Ok(false) };
        if !lacks_release(&fault) {
            return Ok(false);
        }
        let path = self.files().module(stage);
        let own = std::fs::read(&path).map_err(|cause| landfall_workdir::Error::Read(path, cause))?;
        let standard = modules::joined(self.platform.name(), stage);
        for other in others.iter().chain([&standard]).filter(|other| other.bytes != own) {
            // As if a person had chosen it: later runs keep it.
            self.cluster.edit(&standard.path, &other.bytes)?;
            if self.terraform.init(&described, self.stop).await.is_ok() {
                return Ok(true);
            }
        }
        self.cluster.edit(&standard.path, &own)?;
        Ok(false)
    }
}

fn lacks_release(fault: &landfall_engine_terraform::Fault) -> bool {
    let landfall_engine_terraform::Fault::Init(failed) = fault else { return false };
    failed.troubles.iter().any(|trouble| {
        trouble.cause == Cause::Provider && NO_RELEASE.iter().any(|words| trouble.said.contains(words))
    })
}
