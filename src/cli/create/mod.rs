//! `landfall create`.

mod fleet;
mod manifests;
mod outcome;
mod permissions_policy;

pub use manifests::BasisArgs;
pub use outcome::{judged, refused, said};

use super::{Exit, Settings};

/// Make the files of a cluster, and what installing it takes
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Manifests(manifests::Args),
    PermissionsPolicy(permissions_policy::Args),
}

/// Makes what the arguments name.
///
/// # Errors
/// A stream cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    match &args.what {
        What::Manifests(args) => manifests::run(args, settings),
        What::PermissionsPolicy(args) => permissions_policy::run(args, settings),
    }
}
