//! `landfall operator crds`.

use landfall_controllers::operator::{crds, documents};

use super::super::{Exit, Settings};
use super::ProfileGroup;

/// Print the controllers' CRDs
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    profiles: ProfileGroup,
}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    settings.printer.data(&documents(&crds(args.profiles.profiles)))?;
    Ok(Exit::Done)
}
