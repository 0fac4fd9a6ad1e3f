//! `landfall destroy bootstrap` of a cluster that landfall itself created.

use std::time::Duration;

use landfall_engine_terraform::Stop;
use landfall_platform::native::Secrets;
use landfall_platform::removal::Target;

use super::{Args, agreed, config, finish, temporary};
use crate::cli::destroy::{asking, basis, no_cloud};
use crate::cli::engine::Shown;
use crate::cli::{Ended, Exit, Settings, engine};
use crate::install::NativeRemoval;
use crate::prepare::Environment;
use crate::prepare::target::Named;
use crate::workdir::ClusterDir;
use crate::{install, prepare};

/// The most requests at a time.
const PARALLEL: u16 = 24;
/// The longest that the removal of the machine may take.
const LONGEST: Duration = Duration::from_mins(30);

const STOPPING: [&str; 2] = [
    "stopping: landfall finishes the calls in progress, and starts no other",
    "still stopping: landfall finishes the calls in progress",
];

/// Removes the resources of the stages that only the installation needs.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub(super) fn remove(args: &Args, named: &Named, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| ".".into());
    let (platform, target): (_, &Target) = (named.platform, &named.target);
    let cloud = platform.cloud().ok_or_else(|| no_cloud(platform))?;
    let cluster = ClusterDir::open(&directory)?;
    match install::is_bootstrap_unknown(&cluster, platform) {
        Ok(false) => {}
        Ok(true) => return finish(args, Ok(()), &[], target, settings),
        Err(fault) => return finish(args, Err(fault), &[], target, settings),
    }
    agreed(args, named, temporary(platform, &install::existing_native(&directory, platform)), settings)?;
    let world = Environment;
    let known = config(args, &directory, settings);
    let (basis, config) = if let Some((basis, examined)) = known {
        (basis, examined.config)
    } else {
        let config = platform.config_of(target);
        let config = config.map_err(|finding| Ended::finding(*finding, Exit::Failed))?;
        (basis(None, &directory)?, config)
    };
    let asking = asking(&config, &basis, &world, PARALLEL, LONGEST);
    let (session, removal) = (cloud.session(asking), cloud.removal(asking, target));
    let secrets = Secrets::new();
    let api = session.api(&target.infra_id, &secrets).ok_or_else(|| no_cloud(platform))?;
    let runtime = prepare::runtime()?;
    let shown = Shown::new(settings);
    let stop = Stop::default();
    let mut done = Vec::new();
    let site = NativeRemoval {
        cluster: &cluster,
        platform,
        api: &*api,
        removal: &*removal,
        target,
        watcher: &shown,
        stop: &stop,
        now: prepare::now,
    };
    let work = install::destroy_native_bootstrap(&site, &mut done);
    let result = runtime.block_on(engine::stoppable(work, &stop, &shown, STOPPING));
    drop(shown);
    runtime.shutdown_background();
    finish(args, result, &done, target, settings)
}
