//! Compute machines that Cluster API manages, where the config asks for it.

use landfall_model::plan::{Since, is_from};

use super::Planning;
use crate::EDGE;

/// Whether Cluster API is to manage the machines of a pool. The machine API manages the others: those for which a
/// default chose Cluster API with the feature gate, and those of local zones before Cluster API gives their nodes the
/// taint that keeps ordinary workloads away, as with openshift-install.
pub(super) fn is_wanted(planning: &Planning<'_>, path: &str, name: &str) -> bool {
    let mut asked = planning.case.given.pools();
    let is_asked = asked.any(|(known, pool)| known == path && pool.management == "ClusterAPI");
    is_asked && (name != EDGE || is_from(planning.case.release, Since::MachineTaints))
}
