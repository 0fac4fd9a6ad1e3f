//! `landfall operator crds`.

use super::super::{Exit, Settings};
use crate::controllers::operator::{crds, documents};

/// Print the definitions of the kinds that the controllers bring along, as YAML for `kubectl apply`
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(_: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let definitions = crds();
    if definitions.is_empty() {
        settings.printer.talk("these controllers bring no kinds of their own");
    }
    settings.printer.data(&documents(&definitions))?;
    Ok(Exit::Done)
}
