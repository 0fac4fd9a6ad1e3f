//! `landfall destroy`.

mod bootstrap;

use super::{Exit, Settings};

/// Remove what landfall made
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Bootstrap(bootstrap::Args),
}

/// Removes what the arguments name.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    match &args.what {
        What::Bootstrap(args) => bootstrap::run(args, settings),
    }
}
