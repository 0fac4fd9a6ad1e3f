//! `landfall schema`.

use super::{Exit, Settings};

/// Print the JSON Schema of the install config, for editors and other tools
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Prints the schema.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(_: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    settings.printer.data(&format!("{:#}\n", crate::config::schema::schema()))?;
    Ok(Exit::Done)
}
