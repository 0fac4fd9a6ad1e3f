//! What a plan no longer has, so that Azure would lose it while the cluster runs.

use serde_json::Value;

use super::at_work::{Place, Worked, broken};
use super::relocate::heard;
use super::{Drive, Feed, ObservedState, Step, Work, text};
use crate::core::{Object, Stage};
use crate::desired::{Mode, Need, Policy};
use crate::keys;
use crate::translate::{Translation, is_of_bootstrap};

/// The kind of machines.
const MACHINE: &str = "VirtualMachine";
/// The kinds of objects that a machine is made of.
const OF_MACHINES: [&str; 3] = [MACHINE, "NetworkInterface", "Disk"];

impl Drive {
    /// The objects that the plan no longer has and whose resources Azure deletes with them. What the cluster
    /// has for its bootstrap machine alone does not count, nor what is being deleted already.
    #[must_use]
    pub fn losses(&self, world: &ObservedState) -> Vec<Need> {
        let Work::Make(plan) = &self.work else { return Vec::new() };
        if self.paused || self.dry_run || self.keeps_azure {
            return Vec::new();
        }
        let is_lost = |id: &Need, object: &Value| {
            !Object(object).is_being_deleted() && deletes(Object(object)) && !self.is_temporary(id, object)
        };
        let left_over = self.left_over(plan, world).into_iter();
        left_over.filter(|id| world.get(id).is_some_and(|object| is_lost(id, object))).cloned().collect()
    }

    /// The machines of the cluster that have an object, but for its bootstrap machine.
    #[must_use]
    pub fn machines(&self, world: &ObservedState) -> Vec<Need> {
        let machines = self.own(world).filter(|(id, _)| id.kind == MACHINE);
        machines.filter(|(id, object)| !self.is_temporary(id, object)).map(|(id, _)| id.clone()).collect()
    }

    fn is_temporary(&self, id: &Need, object: &Value) -> bool {
        is_of_bootstrap(&self.infra_id, id, text(object, "/spec/azureName"))
    }
}

impl Place<'_> {
    /// The objects of a cluster that this plan no longer has and whose resources Azure deletes with them; none where
    /// there is no such cluster yet.
    ///
    /// # Errors
    /// How the look ended instead.
    pub async fn losses(&self, feed: Feed, plan: Translation, stage: Stage) -> Result<Vec<Need>, Worked> {
        let anchor = self.ground.find(self.api).await.map_err(|failure| broken(&failure))?;
        let Some(anchor) = anchor.filter(|anchor| anchor.is_of(&self.ground.infra_id)) else {
            return Ok(Vec::new());
        };
        let Some(world) = heard(feed, self).await else { return Err(self.cut_off(Step::default())) };
        let drive = Drive::new(&self.ground.infra_id, self.ground.owner(&anchor), Work::Make(plan));
        Ok(Drive { stage, ..drive }.losses(&world))
    }
}

/// Whether an object is one that a machine is made of.
pub(super) fn is_of_machine(id: &Need) -> bool {
    OF_MACHINES.contains(&id.kind)
}

/// Whether Azure deletes a resource whose object goes: a policy that is remembered is restored first.
fn deletes(object: Object<'_>) -> bool {
    let remembered = object.annotation(keys::HANDOVER).or(object.annotation(keys::PRE_PAUSE));
    let policy = remembered.map_or_else(|| object.policy(), |before| Policy::of(Some(before)));
    policy == Policy::Manage && object.annotation(keys::MODE) != Some(Mode::Byo.name())
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::anchor::owner;
    use crate::translate::Translation;

    const ID: &str = "demo-x7k2p";

    fn world(objects: &[(&'static str, &str, Value)]) -> ObservedState {
        let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
        for &(kind, name, ref annotations) in objects {
            let metadata =
                json!({ "name": name, "labels": { (keys::CLUSTER): ID }, "annotations": annotations });
            world.insert(kind, json!({ "metadata": metadata, "spec": { "azureName": name } }));
        }
        world
    }

    fn drive(plan: Translation) -> Drive {
        Drive::new(ID, owner(ID, ID, "uid"), Work::Make(plan))
    }

    fn names(ids: &[Need]) -> Vec<&str> {
        ids.iter().map(|id| id.name.as_str()).collect()
    }

    #[test]
    fn what_azure_would_lose_is_named() {
        let manage = || json!({ (keys::POLICY): "manage" });
        let world = world(&[
            ("PrivateDnsZone", "zone", manage()),
            ("LoadBalancer", "handed-over", json!({ (keys::POLICY): "skip", (keys::HANDOVER): "manage" })),
            ("RouteTable", "detached", json!({ (keys::POLICY): "detach-on-delete" })),
            ("VirtualNetwork", "found", json!({ (keys::POLICY): "skip" })),
            ("PublicIPAddress", "brought", json!({ (keys::MODE): "byo" })),
            ("VirtualMachine", "demo-x7k2p-bootstrap", manage()),
            ("NetworkInterface", "demo-x7k2p-bootstrap-nic", manage()),
            ("LoadBalancersInboundNatRule", "demo-x7k2p_ssh_in", manage()),
            ("VirtualMachine", "demo-x7k2p-master-0", manage()),
        ]);
        let lost = drive(Translation::default());
        let names_of_all = ["handed-over", "zone", "demo-x7k2p-master-0"];
        assert_eq!(names(&lost.losses(&world)), names_of_all);
        assert_eq!(names(&lost.machines(&world)), ["demo-x7k2p-master-0"]);
        for nothing in [
            Drive { dry_run: true, ..lost.clone() },
            Drive { paused: true, ..lost.clone() },
            Drive { keeps_azure: true, ..lost.clone() },
            Drive { work: Work::Remove, ..lost },
        ] {
            assert_eq!(nothing.losses(&world), Vec::new());
        }
    }

    #[test]
    fn machines_that_a_plan_leaves_out_for_want_of_a_config_stay() {
        let world = world(&[
            ("VirtualMachine", "demo-x7k2p-master-0", json!({})),
            ("NetworkInterface", "demo-x7k2p-master-0-nic", json!({})),
            ("RouteTable", "table", json!({})),
        ]);
        let touched = |keeps_machines: bool| {
            let step = drive(Translation { keeps_machines, ..Translation::default() }).step(&world);
            step.objects.into_iter().map(|planned| planned.object.kind).collect::<Vec<_>>()
        };
        assert_eq!(touched(true), ["RouteTable"]);
        assert_eq!(touched(false).len(), 3);
    }
}
