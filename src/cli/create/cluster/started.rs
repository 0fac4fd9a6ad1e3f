//! What the machines start with that Azure Service Operator makes.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use landfall_diagnostics::Span;
use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::drive::pages;
use landfall_engine_aso::translate::{self, is_pointer};
use landfall_install_config::verdict::Outcome;

use super::{Ended, Going, INSTALLER, Job};
use crate::cli::Exit;
use crate::cli::aso::{bytes, silent};
use crate::prepare::{Error, Refusal};

/// The file of the control plane's machines.
const MASTER: &str = "master.ign";

/// Ignition configs of machines, as far as they are known. That of the bootstrap machine is not while landfall is still
/// to upload the whole one.
#[derive(Default)]
pub(super) struct Configs {
    /// That of the bootstrap machine.
    pub(super) bootstrap: Option<Secret<String>>,
    /// That of the control plane's machines.
    pub(super) control_plane: Option<Secret<String>>,
}

impl Job<'_> {
    /// Whether landfall itself creates what the operator's machines start from.
    pub(super) fn creates_boot_sources(&self) -> bool {
        self.machines && self.args.aso.pointer().is_none() && self.needs_bootstrap()
    }

    /// The ignition configs of the machines that the operator makes; none where it makes none. That of the control
    /// plane is missing only where the OpenShift installer is still to make it.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(super) fn configs(&self) -> Going<Configs> {
        if !self.machines {
            return Ok(Configs::default());
        }
        let pointer = self.args.aso.pointer();
        let bootstrap = pointer.map(|path| config(path, "bootstrap machine")).transpose()?;
        let path = self.master();
        let control_plane = match config(&path, "control plane's machines") {
            Err(Refusal::Failed(Error::Read { source, .. })) if source.kind() == ErrorKind::NotFound => None,
            config => Some(config?),
        };
        if control_plane.is_none() && !self.has_installer() {
            let finding = pages::control_plane_ignition(&path.display().to_string());
            return Err(Ended::finding(finding, Exit::Unfit));
        }
        Ok(Configs { bootstrap, control_plane })
    }

    /// Whether the OpenShift installer makes the ignition files.
    fn has_installer(&self) -> bool {
        self.args.ignition.as_ref().is_some_and(|word| word.as_os_str() == INSTALLER)
    }

    /// Where the config of the control plane's machines is.
    fn master(&self) -> PathBuf {
        let named = self.args.ignition.as_deref().filter(|_| !self.has_installer());
        named.unwrap_or(self.directory).join(MASTER)
    }
}

/// The ignition config in a file, which must be one that everybody may read who reads objects.
fn config(path: &Path, whose: &str) -> Result<Secret<String>, Refusal> {
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    if is_pointer(&text) {
        return Ok(Secret::new(text));
    }
    let finding = translate::pages::pointer(whose).span(Span::default());
    Err(Refusal::Unfit(Box::new(silent(path, Outcome::Rejected, vec![finding]))))
}
