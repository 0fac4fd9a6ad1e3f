//! `landfall version`.

use serde::Serialize;

use super::{Exit, Output, Settings};

/// Print the version
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Serialize)]
struct Version {
    name: &'static str,
    version: &'static str,
}

/// Prints name and version.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(_: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let version = Version { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };
    let shown = match settings.output {
        Output::Json => serde_json::to_string(&version)?,
        _ => format!("{} {}", version.name, version.version),
    };
    settings.printer.data(&format!("{shown}\n"))?;
    Ok(Exit::Done)
}
