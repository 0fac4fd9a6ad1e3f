//! `landfall operator crds`.

use landfall_controllers::operator::{crds, documents};

use super::super::{Exit, Settings};

/// Print the definitions of the kinds that the controllers bring along, as YAML for `kubectl apply`
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(_: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    settings.printer.data(&documents(&crds()))?;
    Ok(Exit::Done)
}
