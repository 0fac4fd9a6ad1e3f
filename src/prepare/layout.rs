//! The layout of existing infrastructure: names and groups that depend on the release.

use std::path::Path;

use landfall_install_config::verdict::Outcome;
use landfall_model::plan::{Plan, Since, is_from, pages};
use landfall_workdir::steps;

use super::inputs::{created_natively, is_installed};
use super::{Refusal, Said};

/// Security groups that one layout has and the other has not: their addresses in a state of terraform, and their names
/// in the journal of the native engine.
const OLDER: (&[&str], &str) =
    (&["aws_security_group.master", "aws_security_group.nodes[\"master\"]"], "security-group/master");
const NEWER: (&[&str], &str) =
    (&["aws_security_group.nodes[\"controlplane\"]"], "security-group/controlplane");

/// Refuses a plan in the layout of 4.16 for infrastructure in the older one, and the other way round: groups, subnets
/// and machines would be replaced, or exist beside others.
pub(super) fn keep(root: &Path, plan: &Plan, said: &Said) -> Result<(), Refusal> {
    let is_newer = plan.has(Since::ClusterApi);
    let stage = root.join("terraform/cluster");
    let resources = landfall_engine_terraform::resources(&stage).unwrap_or_default();
    let has = |(addresses, name): (&[&str], &str)| {
        resources.iter().any(|address| addresses.contains(&address.as_str())) || created_natively(root, name)
    };
    let (own, other) = if is_newer { (NEWER, OLDER) } else { (OLDER, NEWER) };
    // A run may have stopped before any group.
    let is_noted_other = || {
        let noted = steps(root).ok().and_then(|steps| Some(is_from(steps.release()?, Since::ClusterApi)));
        plan.platform.aws.is_some() && is_installed(root) && noted.is_some_and(|newer| newer != is_newer)
    };
    if !has(other) && (has(own) || !is_noted_other()) {
        return Ok(());
    }
    let mut said = said.again();
    said.findings.push(pages::other_layout(&plan.release));
    said.outcome = Outcome::Rejected;
    Err(Refusal::Unfit(Box::new(said)))
}
