//! A plan that differs although only landfall or the cloud profile changed: held back, until its owner accepts it or
//! its turn in a rollout comes. What a plan removes waits for its owner in any case.

use std::time::Duration;

use landfall_engine_aso::core::{Object, Status};
use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::{self, listed};
use landfall_engine_aso::kinds::KINDS;

use super::super::resource::{AdoptPolicy, Counts, Machines};
use super::super::rollout::{ROLLOUT, Refusal, Taking};
use super::{Planned, Run, VERSION, each_once};
use crate::Failed;
use crate::azure_infrastructure::anchor;
use crate::azure_infrastructure::inputs::Digests;
use crate::azure_infrastructure::status::{PROGRESSING, READY, Said, UPDATE, VALIDATED, shortened};

/// Value of the annotation with the accepted plan: no rollout has the cluster.
const NEVER: &str = "never";

impl Run<'_> {
    /// Whether a plan is another one than the last although its owner changed nothing, but landfall or the
    /// cloud profile did. A cluster that was never Ready is finished with the new plan, unless its owner said
    /// never.
    pub(super) fn is_held(&self, hash: &str, inputs: &Digests) -> bool {
        let status = &self.status;
        let waits = match self.accepted_plan() {
            Some(NEVER) => true,
            Some(plan) if plan == hash => false,
            _ => anchor::was_ready(self.resource),
        };
        self.is_unchanged(inputs) && !status.plan_hash.is_empty() && status.plan_hash != hash && waits
    }

    /// Whether the owner has changed nothing since the last plan. Earlier versions noted only the digest of all inputs,
    /// and before that none: then the generation counts.
    pub(super) fn is_unchanged(&self, inputs: &Digests) -> bool {
        let status = &self.status;
        if status.inputs_hash.is_empty() && status.owner_inputs_hash.is_empty() {
            return status.observed_generation == self.resource.metadata.generation;
        }
        status.owner_inputs_hash == inputs.owner || status.inputs_hash == inputs.whole
    }

    /// Refuses to leave machines to another engine that Azure Service Operator created: they would be removed.
    pub(super) fn keep_machines(&mut self, plan: &Planned) -> Result<(), Failed> {
        if self.resource.spec.machines == Machines::Aso {
            return Ok(());
        }
        let world = self.controller.driver.store.world(&self.cluster(&plan.drive.infra_id), drive::now());
        let machines = plan.drive.machines(&world);
        if machines.is_empty() {
            return Ok(());
        }
        // What was held is not what its owner wants now.
        self.status.retract(UPDATE);
        let note = format!(
            "spec.machines: {} of the control plane would be removed: set `machines: aso` again, or delete the cluster",
            listed(&machines)
        );
        self.because(VALIDATED, Err(Failed::terminal("machines-exist", note)))
    }

    /// What Azure would lose with this plan although the cluster was Ready and its owner did not accept the plan.
    pub(super) fn losses(&self, plan: &Planned) -> Vec<Need> {
        if !anchor::was_ready(self.resource) || self.accepted_plan() == Some(plan.hash.as_str()) {
            return Vec::new();
        }
        plan.drive
            .losses(&self.controller.driver.store.world(&self.cluster(&plan.drive.infra_id), drive::now()))
    }

    /// Changes nothing, and says which resources the plan would remove from Azure. No rollout takes it.
    pub(super) async fn hold_losses(&mut self, plan: &Planned, losses: &[Need]) -> Result<(), Failed> {
        let note = format!(
            "the new plan removes {} from Azure: nothing changes until it keeps them, or the annotation {} is {}",
            listed(losses),
            anchor::ACCEPTED_PLAN,
            plan.hash
        );
        if plan.held {
            self.note_held(plan);
        }
        self.say(Said::new(UPDATE, true, "PlanRemoves", &note));
        self.say(Said::new(PROGRESSING, false, "Held", note));
        self.leave_held().await
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
        let has_begun = anchor::rollout_plan(self.resource) == Some(&plan.hash);
        let has_place = self.rollout_label().is_some();
        let is_never = self.accepted_plan() == Some(NEVER) && !(has_place && has_begun);
        let turn = if is_never || !has_place && !self.is_settled() {
            Err(Refusal::ByHand)
        } else {
            self.controller.rollout.begin(&self.key(), has_begun)
        };
        // A resource that was just written has another version; its watch brings the next run.
        let is_writable = !self.is_marked;
        if let Err(refusal) = turn {
            self.hold_back(plan, refusal);
            if has_place && is_writable {
                self.label(None, None).await?;
            }
            return Ok(false);
        }
        if !has_begun || !has_place {
            if !is_writable {
                return Ok(false);
            }
            self.label(Some(Taking::Updating), Some(&plan.hash)).await?;
        }
        Ok(true)
    }

    /// Whether the last look at the objects found all of them as they are to be. A failure since then, such as of a
    /// call, says nothing of them.
    fn is_settled(&self) -> bool {
        let counts = &self.status.counts;
        self.resource.spec.adopt_policy != AdoptPolicy::Skip
            && counts.total > 0
            && counts.done == counts.total
    }

    /// Changes nothing, and says that this landfall, or the edited cloud profile, plans the cluster in another way.
    fn hold_back(&mut self, plan: &Planned, refusal: Refusal) {
        let has_profile = self.resource.spec.cloud_profile_ref.is_some();
        let cause = if self.status.planned_by == VERSION && has_profile {
            "the edited cloud profile changes the plan of this cluster".to_owned()
        } else {
            format!("landfall {VERSION} plans this cluster in another way than {}", self.before())
        };
        let until = match refusal {
            Refusal::ByHand => "nothing changes until",
            Refusal::Full => "this cluster waits for its turn in the rollout, or until",
            Refusal::Stopped => {
                "the rollout stopped since a cluster failed; nothing changes until it goes on, or"
            }
        };
        let note = format!(
            "{cause}: {until} the spec does, or the annotation {} is {}",
            anchor::ACCEPTED_PLAN,
            plan.hash
        );
        self.note_held(plan);
        self.say(Said::new(UPDATE, true, "PlanChanged", &note));
        self.say(Said::new(PROGRESSING, false, "Held", note));
    }

    /// Notes what its owner decided for a plan that is held: from now on, whatever else changes does not count.
    fn note_held(&mut self, plan: &Planned) {
        self.status.owner_inputs_hash.clone_from(&plan.inputs.owner);
        // What the plan uses is kept by its cloud profile, also of a cluster that an earlier version planned.
        if self.status.region.is_empty() {
            self.status.region.clone_from(&plan.region);
            self.status.machine_types.clone_from(&plan.machine_types);
            self.status.machines.clone_from(&plan.machines);
        }
        if self.status.zones.is_empty() {
            self.status.zones.clone_from(&plan.zones);
        }
    }

    /// Keeps a cluster as it is whose inputs are rejected although its owner did not change them, and says so.
    pub(super) async fn stay(&mut self, infra_id: &str, why: &str) -> Result<Option<Duration>, Failed> {
        let rejects = if self.status.planned_by == VERSION {
            "the cloud profile no longer permits this cluster".to_owned()
        } else {
            format!("landfall {VERSION} rejects the inputs that {} accepted", self.before())
        };
        let note = format!("{rejects}: nothing changes until the spec, or what it refers to, does: {why}");
        self.say(Said::new(UPDATE, true, "PlanRejected", &note));
        self.say(Said::new(PROGRESSING, false, "Held", note));
        self.leave_held().await?;
        self.look_on(infra_id, None).await.map(|()| None)
    }

    /// Gives the place in the rollout back where nothing changes until the owner decides. A cluster that
    /// failed keeps its place, so that no other begins.
    async fn leave_held(&mut self) -> Result<(), Failed> {
        if !self.is_marked && self.rollout_label() != Some(Taking::Failed.name()) {
            self.gives_place_back().await?;
        }
        Ok(())
    }

    /// Says how a cluster does that stays as it is: whether the operator can be used, and whether its objects are Ready.
    /// Nothing is written to them.
    pub(super) async fn look_on(&mut self, infra_id: &str, cloud: Option<&str>) -> Result<(), Failed> {
        let cluster = self.cluster(infra_id);
        let world = self.controller.driver.store.world(&cluster, drive::now());
        let owner = anchor::owner(self.place, self.resource);
        let own = world.iter().filter(|(_, object)| owner.owns(Object(object), infra_id));
        let own: Vec<_> = own.map(|(id, object)| (id, Object(object))).collect();
        let kinds =
            each_once(own.iter().filter_map(|(id, _)| KINDS.iter().find(|kind| kind.kind == id.kind)));
        self.check_operator(cloud, &kinds, true).await?;
        // A dry run says what it found.
        if self.resource.spec.adopt_policy == AdoptPolicy::Skip {
            return Ok(());
        }
        let mut conditions = self.status.conditions.iter();
        let was_ready = conditions.any(|one| one.kind == READY && one.status == "True");
        // What was lost with the status is not what failed.
        let was_settled = self.is_settled() || self.status.counts.total == 0;
        let is_ready = was_settled && !own.is_empty() && own.iter().all(|(_, object)| object.is_ready());
        if self.status.counts.total == 0 && is_ready {
            let total = i64::try_from(own.len()).unwrap_or(i64::MAX);
            self.status.counts = Counts { done: total, total, ..Counts::default() };
        }
        if let Some(failed) = own.iter().find_map(|(id, object)| failure(id, *object)) {
            self.say(failed);
        } else if is_ready && !was_ready {
            self.say(Said::new(READY, true, "Done", ""));
        } else if !was_ready {
            self.say(Said::new(READY, false, "Held", "not all objects of the cluster are Ready"));
        }
        Ok(())
    }

    /// The version that made the last plan.
    fn before(&self) -> &str {
        match self.status.planned_by.as_str() {
            "" => "an earlier version",
            version => version,
        }
    }

    /// Gives the place in the rollout back, as nothing is carried out. Whether it had one.
    pub(super) async fn gives_place_back(&mut self) -> Result<bool, Failed> {
        let has_place = self.rollout_label().is_some();
        if has_place {
            self.label(None, None).await?;
        }
        Ok(has_place)
    }

    /// Gives the place in the rollout back where the cluster is done, and stops the rollout where it failed.
    pub(super) async fn leave_rollout(&mut self, is_done: bool, has_failed: bool) -> Result<(), Failed> {
        let failed = Taking::Failed.name();
        match self.rollout_label() {
            // The run that began wrote the label, and after it the plan into the status.
            Some(_) if self.is_marked => Ok(()),
            Some(_) if is_done => self.label(None, None).await,
            Some(label) if has_failed && label != failed => {
                let plan = self.status.plan_hash.clone();
                self.label(Some(Taking::Failed), Some(&plan)).await
            }
            _ => Ok(()),
        }
    }

    async fn label(&mut self, taking: Option<Taking>, plan: Option<&str>) -> Result<(), Failed> {
        let (objects, label) = (&*self.controller.objects, taking.map(Taking::name));
        anchor::label_rollout(objects, self.place, self.resource, label, plan).await?;
        self.is_marked = true;
        self.controller.rollout.sees(&self.key(), label);
        Ok(())
    }
}

/// That a cluster is not Ready because of this object, if the operator has given up on it.
fn failure(id: &Need, object: Object<'_>) -> Option<Said> {
    let ready = object.ready();
    let has_failed = ready.status == Status::False && ready.severity == Some("Error");
    let note = format!("{}/{}: resource is not Ready: {}", id.kind, id.name, ready.said());
    has_failed.then(|| Said::new(READY, false, "Failed", shortened(&note)))
}
