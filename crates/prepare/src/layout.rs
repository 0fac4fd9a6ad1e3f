//! The layout of existing infrastructure: names and groups that depend on the release.

use std::path::Path;

use landfall_install_config::verdict::{Outcome, active};
use landfall_model::plan::{Plan, is_from, pages};
use landfall_platform::{LayoutMarks, Platform};
use landfall_workdir::steps;

use super::inputs::{created_natively, is_installed};
use super::{Refusal, Said};

/// Refuses a plan in another layout than that of the existing infrastructure.
pub(super) fn keep(root: &Path, plan: &Plan, said: &Said) -> Result<(), Refusal> {
    let Some(layouts) = active(&plan.config).and_then(Platform::layouts) else { return Ok(()) };
    let is_newer = plan.has(layouts.since);
    let stage = root.join("terraform/cluster");
    let resources = landfall_engine_terraform::resources(&stage).unwrap_or_default();
    let has = |marks: LayoutMarks| {
        resources.iter().any(|address| marks.addresses.contains(&address.as_str()))
            || created_natively(root, marks.name)
    };
    let (own, other) = if is_newer { (layouts.newer, layouts.older) } else { (layouts.older, layouts.newer) };
    // A run may have stopped before what tells them apart.
    let is_noted_other = || {
        let noted = steps(root).ok().and_then(|steps| Some(is_from(steps.release()?, layouts.since)));
        is_installed(root) && noted.is_some_and(|newer| newer != is_newer)
    };
    if !has(other) && (has(own) || !is_noted_other()) {
        return Ok(());
    }
    let mut said = said.again();
    said.findings.push(pages::other_layout(&plan.release));
    said.outcome = Outcome::Rejected;
    Err(Refusal::Unfit(Box::new(said)))
}
