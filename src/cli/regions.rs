//! `landfall regions`.

use std::fmt::Write;
use std::path::PathBuf;

use landfall_model::catalogue;
use serde_json::json;

use super::create::BasisArgs;
use super::{Ended, Exit, Output, Settings};
use crate::prepare::Basis;
use crate::ui::layout::grid;

/// List the known regions
///
/// A region is known when an image of the machines is published for it or the catalogue lists it. You can use
/// any other region: set its endpoints in the install config, or add it with a catalogue overlay. With a
/// cloud profile, only its regions are listed.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only regions of this platform
    #[arg(long, value_name = "PLATFORM", value_parser = clap::builder::PossibleValuesParser::new(catalogue::PLATFORMS))]
    platform: Option<String>,

    #[command(flatten)]
    basis: BasisArgs,
}

/// Prints the regions.
///
/// # Errors
/// Standard output cannot be written, or a file cannot be read.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = Basis::new(&args.basis.options()?, &directory)?;
    args.basis.warn_of_profile(&directory, settings);
    if let Some(words) = basis.catalogue.restriction() {
        settings.printer.talk(&words);
    }
    let wanted = |platform: &&str| args.platform.as_deref().is_none_or(|name| name == *platform);
    let mut text = String::new();
    let mut rows = Vec::new();
    for platform in catalogue::PLATFORMS.iter().copied().filter(wanted) {
        for region in basis.catalogue.known_regions(platform, &basis.release) {
            let reasons: Vec<String> = region.reasons.iter().map(ToString::to_string).collect();
            if settings.output == Output::Json {
                let line = json!({ "platform": platform, "region": region.id, "name": region.name, "reasons": reasons });
                let _ = writeln!(text, "{line}");
            } else {
                rows.push(
                    [platform, region.id, region.name, &reasons.join(", ")].map(str::to_owned).to_vec(),
                );
            }
        }
    }
    if settings.output != Output::Json {
        let header = ["PLATFORM", "REGION", "NAME", "KNOWN BECAUSE"];
        text = grid(&header, &[], &rows, settings.printer.styles().data);
    }
    settings.printer.data(&text)?;
    Ok(Exit::Done)
}
