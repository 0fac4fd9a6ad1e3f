//! Which of several operators works on a resource: the one that claims it, while it holds its lease and works on
//! resources like this one.

use landfall_kube::Fault;
use landfall_kube::kinds::LEASE;
use landfall_kube::objects::{ClusterEvent, EventType, ObjectRef};

use super::Run;
use crate::Failed;
use crate::azure_infrastructure::{NAME, anchor};
use crate::operator::works_on;

/// Another operator works on the resource as well.
const CONFLICT: &str = "OperatorConflict";
/// The lease of another operator cannot be read.
const UNREADABLE: &str = "lease-unreadable";

impl Run<'_> {
    /// Whether the resource is this operator's to work on. If it is not, no status is written: the resource belongs to
    /// another operator, or was just claimed, and the watch brings the next run.
    pub(super) async fn claims(&mut self) -> Result<bool, Failed> {
        let (own, claim) = (self.controller.claimant.as_str(), anchor::claimed_by(self.resource));
        if own.is_empty() || claim == own {
            return Ok(true);
        }
        self.is_silent = true;
        let objects = &*self.controller.objects;
        if let Some((namespace, name)) = claim.split_once('/') {
            let place = ObjectRef::in_namespace(&LEASE, namespace, name);
            let lease = match objects.get(&place).await {
                Ok(lease) => lease,
                // The other operator gives way if it may read the lease of this one.
                Err(Fault::Forbidden(_)) => None,
                Err(fault) => return Err(Failed::call(UNREADABLE, &place, "read", &fault)),
            };
            let labels = &self.resource.metadata.labels;
            if lease.is_some_and(|lease| works_on(&lease, NAME, self.namespace, labels)) {
                self.report_rival(claim).await;
                self.controller.rollout.sees(&self.key(), None);
                return Ok(false);
            }
            if self.memory.taken_from == claim {
                // Neither sees the lease of the other. Claiming it in turns would keep both from their work.
                self.report_rival(claim).await;
                self.is_silent = false;
                return Ok(true);
            }
            tracing::info!(controller = NAME, key = %self.key(), from = claim, "taking over from another operator");
            claim.clone_into(&mut self.memory.taken_from);
        }
        anchor::claim(objects, self.place, self.resource, own).await?;
        Ok(false)
    }

    /// Reports once that another operator works on the resource.
    async fn report_rival(&mut self, rival: &str) {
        if self.memory.rival == rival {
            return;
        }
        rival.clone_into(&mut self.memory.rival);
        let note = format!(
            "the operator {rival} works on this resource, which {} selects as well: no two operators may select the \
             same resources with --watch-namespace and --watch-label-selector",
            self.controller.claimant
        );
        tracing::warn!(controller = NAME, key = %self.key(), "{note}");
        let about = self.place.clone();
        let event = ClusterEvent { about, event_type: EventType::Warning, reason: CONFLICT, note };
        self.controller.driver.events.report(event).await;
    }
}
