//! Compute machines that Cluster API manages, where the config asks for it.

use landfall_diagnostics::Findings;
use landfall_model::aws::config::MachinePool;

use super::{Planning, pages};
use crate::EDGE;

/// Whether Cluster API is to manage the machines of a pool. What it cannot manage is refused.
pub(super) fn is_wanted(
    planning: &Planning<'_>,
    path: &str,
    settings: &MachinePool,
    out: &mut Findings,
) -> bool {
    // A default chooses it with the feature gate; the machine API then manages these machines as well.
    let mut asked = planning.case.given.pools();
    if !asked.any(|(known, pool)| known == path && pool.management == "ClusterAPI") {
        return false;
    }
    let mut pools = planning.case.config.pools();
    let Some((_, pool)) = pools.find(|(known, _)| known == path) else { return false };
    let image = &settings.ami_id;
    let is_published = planning.case.catalogue.image(
        planning.case.release,
        &pool.architecture,
        crate::NAME,
        planning.region(),
    );
    let faults = [
        (pool.name == EDGE, "Cluster API machines in local zones, as their nodes cannot have taints"),
        (settings.host_placement.is_some(), "Cluster API machines on dedicated hosts"),
        (
            image.is_empty() && is_published.is_none(),
            "Cluster API machines of a copied image, which they cannot find by its tags: name an `amiID`",
        ),
    ];
    for (_, what) in faults.iter().filter(|(is_fault, _)| *is_fault) {
        out.push(pages::not_made(&format!("{path}.management"), what));
    }
    true
}
