//! The layout of existing infrastructure: names and groups that depend on the release.

use std::path::Path;

use landfall_install_config::verdict::Outcome;
use landfall_model::plan::{Plan, Since, pages};

use super::inputs::created_natively;
use super::{Refusal, Said};

/// Resources that one layout has and the other has not, by their addresses in a state of terraform.
const OLDER: &[&str] = &["aws_security_group.master", "aws_security_group.nodes[\"master\"]"];
const NEWER: &[&str] = &["aws_security_group.nodes[\"controlplane\"]"];
/// The same in the journal of the native engine.
const OLDER_NATIVE: &str = "security-group/master";
const NEWER_NATIVE: &str = "security-group/controlplane";

/// Refuses a plan in the layout of 4.16 for infrastructure in the older one, and the other way round: groups, subnets
/// and machines would be replaced, or exist beside others.
pub(super) fn keep(root: &Path, plan: &Plan, said: &Said) -> Result<(), Refusal> {
    let (others, native) =
        if plan.has(Since::ClusterApi) { (OLDER, OLDER_NATIVE) } else { (NEWER, NEWER_NATIVE) };
    let stage = root.join("terraform/cluster");
    let resources = landfall_engine_terraform::resources(&stage).unwrap_or_default();
    let is_other = resources.iter().any(|address| others.contains(&address.as_str()));
    if !is_other && !created_natively(root, native) {
        return Ok(());
    }
    let mut said = said.again();
    said.findings.push(pages::other_layout(&plan.release));
    said.outcome = Outcome::Rejected;
    Err(Refusal::Unfit(Box::new(said)))
}
