//! `landfall destroy`.

mod aso;
mod bootstrap;
mod cluster;
mod consent;
mod earlier;
mod find;
mod flags;
mod shown;

pub use super::engine::ended;
pub use aso::at_home;

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_model::config::InstallConfig;
use landfall_model::plan::Engine;
use landfall_platform::cloud::{Asking, Patience};
use landfall_platform::{Platform, World};

use super::engine::{note, note_given};
use super::whereabouts::Whereabouts;
use super::{Ended, Exit, Settings, signals};
use crate::prepare::target::{Named, pages};
use crate::prepare::{Basis, BasisOptions, Refusal};
use crate::workdir;

/// Destroy clusters and bootstrap machines
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Cluster(Box<cluster::Args>),
    Bootstrap(bootstrap::Args),
    Find(find::Args),
}

pub use bootstrap::{Args as BootstrapArgs, run as bootstrap};

/// Removes what the arguments name.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    match &args.what {
        What::Cluster(args) => cluster::run(args, settings),
        What::Bootstrap(args) => bootstrap::run(args, settings),
        What::Find(args) => find::run(args, settings),
    }
}

/// The longest that a connection may take.
const CONNECT: Duration = Duration::from_secs(10);
/// The longest that one call may take with all its repetitions.
const CALL: Duration = Duration::from_mins(1);

/// What a removal needs, with so many requests at a time. Connections and calls end before the run does, so
/// that a run with little time reports what they met.
fn asking<'a>(
    config: &'a InstallConfig,
    basis: &'a Basis,
    world: &'a (dyn World + Sync),
    parallel: u16,
    run: Duration,
) -> Asking<'a> {
    let patience = Patience {
        connect: CONNECT.min(run * 2 / 5),
        call: CALL.min(run * 4 / 5),
        at_once: usize::from(parallel),
    };
    Asking {
        config,
        given: config,
        catalogue: &basis.catalogue,
        release: &basis.release,
        installed: true,
        own_records: &[],
        checked: false,
        engine: Engine::default(),
        world,
        patience,
    }
}

/// What is known of clouds, with an overlay.
///
/// # Errors
/// The overlay cannot be read or is not valid.
pub fn basis(overlay: Option<&PathBuf>, directory: &Path) -> Result<Basis, Refusal> {
    Basis::new(&BasisOptions { overlay: overlay.cloned(), ..BasisOptions::default() }, directory)
}

/// What the work gives; none where the program is asked to stop before.
async fn unless_stopped<T>(work: impl Future<Output = T>) -> Option<T> {
    tokio::select! {
        biased;
        () = signals::asked() => None,
        result = work => Some(result),
    }
}

/// Where a cluster is, and what created it. What its journal says is that of its own directory only.
fn whereabouts(named: &Named, account: Option<String>, directory: &Path) -> Whereabouts {
    let steps = workdir::steps(directory).unwrap_or_default();
    let release = steps.release().filter(|_| named.is_local()).unwrap_or_default();
    Whereabouts {
        noun: named.platform.account_noun(),
        account: account.or_else(|| named.target.account.clone()),
        region: named.target.text("region").to_owned(),
        release: release.to_owned(),
        engine: named.engine().map(|engine| engine.name).unwrap_or_default(),
    }
}

/// That landfall cannot ask the cloud of a platform.
fn no_cloud(platform: &dyn Platform) -> Ended {
    Ended::finding(pages::no_cloud(platform.name()), Exit::Failed)
}
