//! `landfall facts --prices`.

use std::path::Path;

use landfall_diagnostics::Findings;
use landfall_install_config::assets;
use landfall_model::prices::Prices;

use super::asking::{AskArgs, Live};
use super::create::{BasisArgs, said};
use super::input::Reading;
use super::{Ended, Exit, Settings};
use crate::preflight::Watcher as _;
use crate::prepare::{Refusal, Said, examine, prices_of_cloud};

/// Prints the prices of what the cluster directory's plan is charged for.
pub(super) fn run(
    directory: &Path,
    (basis, reading, asking): (&BasisArgs, Reading, &AskArgs),
    live: &Live<'_>,
    settings: &Settings,
) -> Result<Exit, Ended> {
    let gathered = gathered(directory, (basis, reading, asking), live, settings);
    live.over();
    let (prices, warned) = gathered?;
    said(&warned, settings);
    settings.printer.data(&prices.to_text())?;
    Ok(Exit::Done)
}

fn gathered(
    directory: &Path,
    (basis, reading, asking): (&BasisArgs, Reading, &AskArgs),
    live: &Live<'_>,
    settings: &Settings,
) -> Result<(Prices, Said), Refusal> {
    let basis = basis.basis(directory, settings)?;
    let examined = examine(directory, &basis, reading.into())?;
    let mut out = Findings::default();
    let prices = prices_of_cloud(directory, &examined, &basis, &asking.ask(live), &mut out)?;
    let findings = assets::placed(out, &examined.config, &examined.said.text);
    Ok((prices, Said { findings, ..examined.said }))
}
