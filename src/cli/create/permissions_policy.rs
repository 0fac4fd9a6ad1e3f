//! `landfall create permissions-policy`.

use std::path::{Path, PathBuf};

use super::manifests::BasisArgs;
use super::outcome;
use crate::assets;
use crate::cli::input::Reading;
use crate::cli::{Exit, Settings};
use crate::platform::Offline;
use crate::prepare::{Basis, Environment, Error, Refusal, examine};
use crate::verdict::active;

/// Print the permissions that installing this very config takes, as a policy of its cloud
///
/// Least privilege: only what this config needs, limited to the cluster's own names where the cloud can limit
/// it so. No cloud is asked.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,
}

/// Prints the policy of the cluster directory's config.
///
/// # Errors
/// Standard output cannot be written, or a file cannot be read.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    match policy(args, &directory) {
        Ok(policy) => {
            settings.printer.data(&policy)?;
            Ok(Exit::Done)
        }
        Err(refusal) => outcome::refused(refusal, settings),
    }
}

fn policy(args: &Args, directory: &Path) -> Result<String, Refusal> {
    let basis = Basis::new(&(&args.basis).into(), directory)?;
    let examined = examine(directory, &basis, args.reading.into())?;
    let credentials = assets::credentials(&examined.config, &Environment);
    let offline = Offline {
        config: &examined.config,
        catalogue: &basis.catalogue,
        release: &basis.release,
        credentials: &credentials,
    };
    let policy = active(&examined.config).and_then(|platform| platform.policy(&offline));
    let policy = policy.ok_or_else(|| Error::NoPolicy { platform: examined.platform() })?;
    // The value is JSON already.
    let mut text = serde_json::to_string_pretty(&policy).unwrap_or_default();
    text.push('\n');
    Ok(text)
}
