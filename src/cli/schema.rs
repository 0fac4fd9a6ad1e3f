//! `landfall schema`.

use clap::ValueEnum;
use landfall_model::{catalogue, config, facts, prices};

use super::{Exit, Settings};

/// Print the JSON Schema of a file
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Kind of file
    #[arg(value_enum, value_name = "KIND", default_value_t = Kind::InstallConfig)]
    kind: Kind,
}

/// Kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// install-config.yaml
    InstallConfig,
    /// facts.json, what a cloud answered
    Facts,
    /// A catalogue overlay
    Catalogue,
    /// A price file
    Prices,
}

/// Prints the schema.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let schema = match args.kind {
        Kind::InstallConfig => config::schema::schema(),
        Kind::Facts => facts::schema(),
        Kind::Catalogue => catalogue::schema(),
        Kind::Prices => prices::schema(),
    };
    settings.printer.data(&format!("{schema:#}\n"))?;
    Ok(Exit::Done)
}
