//! `landfall operator crds`.

use landfall_controllers::operator::{crds, documents};

use super::super::{Exit, Settings};

/// Print the controllers' CRDs
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
