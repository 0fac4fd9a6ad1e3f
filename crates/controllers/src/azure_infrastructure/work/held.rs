//! A plan that differs although only landfall changed: held back, until its owner accepts it or its turn in a
//! rollout comes.

use super::super::rollout::{ROLLOUT, Refusal, Taking};
use super::{Planned, Run, VERSION};
use crate::Failed;
use crate::azure_infrastructure::anchor;
use crate::azure_infrastructure::status::{PROGRESSING, READY, Said, UPDATE};

/// Value of the annotation with the accepted plan: no rollout has the cluster.
const NEVER: &str = "never";

impl Run<'_> {
    /// Whether a plan is another one than the last although all that it was made from is the same.
    pub(super) fn is_held(&self, hash: &str, inputs: &str) -> bool {
        let (status, metadata) = (&self.resource.status, &self.resource.metadata);
        // A status without the digest was written by an earlier version.
        let same = if status.inputs_hash.is_empty() {
            status.observed_generation == metadata.generation
        } else {
            status.inputs_hash == inputs
        };
        let accepted = self.accepted_plan().is_some_and(|plan| plan == hash);
        same && !status.plan_hash.is_empty() && status.plan_hash != hash && !accepted
    }

    fn accepted_plan(&self) -> Option<&str> {
        self.resource.metadata.annotations.get(anchor::ACCEPTED_PLAN).map(String::as_str)
    }

    fn rollout_label(&self) -> Option<&str> {
        self.resource.metadata.labels.get(ROLLOUT).map(String::as_str)
    }

    /// Whether the cluster may take a held plan now: its turn in the rollout has come, and its label says so. If not,
    /// says what it waits for, and changes nothing.
    pub(super) async fn takes_turn(&mut self, plan: &Planned) -> Result<bool, Failed> {
        let is_ready = self.status.conditions.iter().any(|one| one.kind == READY && one.status == "True");
        let is_manual = self.accepted_plan() == Some(NEVER) || !is_ready;
        let turn = if is_manual && self.rollout_label().is_none() {
            Err(Refusal::ByHand)
        } else {
            self.controller.rollout.begin(&self.key())
        };
        if let Err(refusal) = turn {
            self.hold_back(plan, refusal);
            return Ok(false);
        }
        if self.rollout_label().is_none() {
            // A resource that was just written has another version; its watch brings the next run.
            if self.is_marked {
                return Ok(false);
            }
            self.label(Some(Taking::Updating)).await?;
        }
        Ok(true)
    }

    /// Changes nothing, and says that this landfall plans the cluster in another way than the one before.
    fn hold_back(&mut self, plan: &Planned, refusal: Refusal) {
        let before = match self.status.planned_by.as_str() {
            "" => "an earlier version",
            version => version,
        };
        let until = match refusal {
            Refusal::ByHand => "nothing changes until",
            Refusal::Full => "this cluster waits for its turn in the rollout, or until",
            Refusal::Stopped => {
                "the rollout stopped since a cluster failed; nothing changes until it goes on, or"
            }
        };
        let note = format!(
            "landfall {VERSION} plans this cluster in another way than {before}: {until} the spec does, or the \
             annotation {} is {}",
            anchor::ACCEPTED_PLAN,
            plan.hash
        );
        self.say(Said::new(UPDATE, true, "PlanChanged", &note));
        self.say(Said::new(PROGRESSING, false, "Held", note));
    }

    /// Gives the place in the rollout back where the cluster is done, and stops the rollout where it failed.
    pub(super) async fn leave_rollout(&mut self, is_done: bool, has_failed: bool) -> Result<(), Failed> {
        let failed = Taking::Failed.name();
        match self.rollout_label() {
            // The run that began wrote the label, and after it the plan into the status.
            Some(_) if self.is_marked => Ok(()),
            Some(_) if is_done => self.label(None).await,
            Some(label) if has_failed && label != failed => self.label(Some(Taking::Failed)).await,
            _ => Ok(()),
        }
    }

    async fn label(&mut self, taking: Option<Taking>) -> Result<(), Failed> {
        let (objects, label) = (&*self.controller.objects, taking.map(Taking::name));
        anchor::label_rollout(objects, self.place, self.resource, label).await?;
        self.is_marked = true;
        self.controller.rollout.sees(&self.key(), label);
        Ok(())
    }
}
