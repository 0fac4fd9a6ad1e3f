//! The layout of existing infrastructure: names and groups that a newer build of landfall makes otherwise.

use std::path::Path;

use landfall_install_config::verdict::Outcome;
use landfall_model::plan::{Plan, Since, pages};

use super::{Refusal, Said};

/// Refuses a plan in the layout of 4.16 for infrastructure that an earlier build of landfall made in the older one:
/// groups, subnets and machines would be replaced.
pub(super) fn keep(root: &Path, plan: &Plan, said: &Said) -> Result<(), Refusal> {
    const OLDER: &str = "aws_security_group.master";
    if !plan.has(Since::ClusterApi) {
        return Ok(());
    }
    let stage = root.join("terraform/cluster");
    let resources = landfall_engine_terraform::resources(&stage).unwrap_or_default();
    if resources.iter().all(|address| address != OLDER) {
        return Ok(());
    }
    let mut said = said.again();
    said.findings.push(pages::older_layout(&plan.release));
    said.outcome = Outcome::Rejected;
    Err(Refusal::Unfit(Box::new(said)))
}
