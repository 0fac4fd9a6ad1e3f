//! `landfall facts`.

use std::path::{Path, PathBuf};

use landfall_diagnostics::Findings;
use landfall_install_config::assets;
use landfall_install_config::verdict::active;
use landfall_model::facts::Facts;

use super::asking::{AskArgs, Live};
use super::create::{BasisArgs, said};
use super::input::Reading;
use super::{Ended, Exit, Settings, prices};
use crate::prepare::{Environment, Error, Refusal, Said, examine, facts_of_catalogue, facts_of_cloud};

/// Print facts about the cloud
///
/// The output is a facts file for `create manifests --facts`, to plan without access to the cloud, or to
/// repeat a plan. `landfall schema facts` describes its fields.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the catalogue's facts; the cloud is not called
    #[arg(long)]
    offline: bool,

    /// Print the prices of what the cluster is charged for, for `create cluster --prices`
    #[arg(long, conflicts_with = "offline")]
    prices: bool,

    #[command(flatten)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    asking: AskArgs,
}

/// Prints the facts of the cluster directory's config.
///
/// # Errors
/// Something outside of the input and the cloud went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let live =
        Live::new(if args.prices { "prices" } else { "facts" }, Some(args.asking.limit()), &settings.printer);
    if args.prices {
        let given = (&args.basis, args.reading, &args.asking);
        return prices::run(&directory, given, &live, settings);
    }
    let (facts, warned) = gathered(args, &directory, &live, settings)?;
    drop(live);
    said(&warned, settings);
    settings.printer.data(&facts.to_text())?;
    Ok(Exit::Done)
}

/// The facts, and what is worth saying of what they rest on.
fn gathered(
    args: &Args,
    directory: &Path,
    live: &Live<'_>,
    settings: &Settings,
) -> Result<(Facts, Said), Refusal> {
    let basis = args.basis.basis(directory, settings)?;
    let examined = examine(directory, &basis, args.reading.into())?;
    if active(&examined.config).is_none_or(|platform| platform.stages().is_empty()) {
        return Err(Error::NoCloud { platform: examined.platform() }.into());
    }
    let mut out = Findings::default();
    let facts = if args.offline {
        let credentials = assets::credentials(&examined.config, &Environment);
        facts_of_catalogue(&examined.config, &basis, &credentials, &mut Findings::default())
    } else {
        facts_of_cloud(directory, &examined, &basis, &args.asking.ask(live), &mut out)?
            .ok_or_else(|| Error::NoCloud { platform: examined.platform() })?
    };
    let findings = assets::placed(out, &examined.config, &examined.said.text);
    Ok((facts, Said { findings, ..examined.said }))
}
