//! What the cluster costs, where the user gives prices.

use std::path::{Path, PathBuf};

use landfall_install_config::verdict::active;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Plan;
use landfall_model::prices::{Estimate, Prices};

use super::Job;
use crate::prepare::Refusal;
use crate::{prepare, ui};

/// The prices that a run counts with.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct PricesArgs {
    /// Price file from `landfall facts --prices`, or your own: show what the cluster costs
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    prices: Option<PathBuf>,
}

impl PricesArgs {
    /// The prices of the file that is named, if one is.
    pub(super) fn read(&self, config: &InstallConfig) -> Result<Option<Prices>, Refusal> {
        let Some(path) = &self.prices else {
            return Ok(None);
        };
        let region = active(config).map(|platform| platform.placement(config).region).unwrap_or_default();
        let platform = active(config).map_or("", |platform| platform.name());
        prepare::prices(Path::new(path), platform, &region).map(Some)
    }
}

impl Job<'_> {
    /// What a plan costs, without the stages that earlier runs removed; none without prices.
    pub(super) fn cost(&self, plan: &Plan) -> Option<Estimate> {
        let prices = self.prices.as_ref()?;
        let estimate = Estimate::of(self.platform.charges(plan), prices);
        let removed = |name: &str| {
            let stages = crate::install::standing_so_far(self.directory, self.platform);
            let is_it = |(stage, standing): &(landfall_model::plan::Stage, crate::install::Standing)| {
                stage.name == name && matches!(standing, crate::install::Standing::Removed { .. })
            };
            stages.is_ok_and(|stages| stages.iter().any(is_it))
        };
        Some(estimate.without(removed))
    }

    /// Adds it to what a program gets.
    pub(super) fn add_cost(&self, value: &mut serde_json::Value, plan: &Plan) {
        if let Some(estimate) = self.cost(plan) {
            value["cost"] = ui::cost::json(&estimate);
        }
    }

    /// The same as a table after an empty line; empty without prices.
    pub(super) fn cost_text(&self, plan: &Plan, style: ui::Style) -> String {
        let text = self.cost(plan).map(|estimate| ui::cost::text(&estimate, style));
        text.map(|text| format!("\n{text}")).unwrap_or_default()
    }
}
