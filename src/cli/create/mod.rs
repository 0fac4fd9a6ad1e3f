//! `landfall create`.

mod closing;
mod cluster;
mod fleet;
mod install_config;
mod manifests;
mod outcome;
mod permissions_policy;
mod profile_ref;
mod summary;

pub use manifests::{BasisArgs, CloudArgs, FactsArgs};
pub use outcome::{judged, refused, said};

use super::{Ended, Exit, Settings};

/// Create a cluster's files and infrastructure
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    InstallConfig(Box<install_config::Args>),
    Cluster(Box<cluster::Args>),
    Manifests(manifests::Args),
    PermissionsPolicy(permissions_policy::Args),
}

/// Makes what the arguments name.
///
/// # Errors
/// A stream cannot be written.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    match &args.what {
        What::InstallConfig(args) => install_config::run(args, settings),
        What::Cluster(args) => cluster::run(args, settings),
        What::Manifests(args) => manifests::run(args, settings),
        What::PermissionsPolicy(args) => permissions_policy::run(args, settings),
    }
}
