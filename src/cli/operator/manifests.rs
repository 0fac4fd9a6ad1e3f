//! `landfall operator manifests`.

use super::super::{Exit, Settings};
use super::Common;
use crate::controllers::operator::{Deployed, documents, manifests};

/// Print everything that it takes to deploy the operator, as YAML for `kubectl apply -f -`
///
/// The namespace, the account with the rights that the chosen controllers need and no others, the deployment
/// with two replicas of which one leads, and the service with its metrics.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,

    /// The image that holds this program; `deploy/Dockerfile` makes one
    #[arg(long, value_name = "IMAGE", default_value = concat!("landfall:", env!("CARGO_PKG_VERSION")))]
    image: String,

    /// The release that the operator belongs to, which `cloud-config-sync` reports; `unknown` unless given
    #[arg(long, value_name = "VERSION")]
    release_version: Option<String>,
}

/// Prints them.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let deployed = Deployed {
        image: args.image.clone(),
        namespace: args.common.namespace.clone(),
        target_namespace: args.common.target_namespace.clone(),
        release: args.release_version.clone(),
        clean_images: args.common.clean_machine_images,
        controllers: args.common.controllers(),
    };
    settings.printer.data(&documents(&manifests(&deployed)))?;
    Ok(Exit::Done)
}
