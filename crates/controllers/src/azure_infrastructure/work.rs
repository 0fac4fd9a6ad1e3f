//! What is done about one resource in one run.

mod boot;
mod claimed;
mod held;
mod plan;
mod removal;

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_aso::core::{Object, Outcome};
use landfall_engine_aso::desired::{Mode, Need};
use landfall_engine_aso::detect::{self, Report, Wanted, detect, running_cloud};
use landfall_engine_aso::drive::{self, Drive, Work, listed};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds::Kind;
use landfall_kube::objects::ObjectRef;
use landfall_model::catalogue::Catalogue;
use tokio::time::Instant;

use self::boot::{Sources, Told};
use self::plan::Verdict;
use super::booting::Booting;
use super::inputs::Digests;
use super::resource::{AdoptPolicy, MachineZones, Resource, Status};
use super::status::{
    OPERATOR, PROGRESSING, READY, Said, UPDATE, VALIDATED, progress, readiness, with_foreign, with_waiting,
};
use super::step::{self, Stepped};
use super::store::Cluster;
use super::{AzureInfrastructure, anchor, now, planning, status};
use crate::{Failed, Key};

/// How long the sources of a plan and the credentials are not read again.
const FRESH: Duration = Duration::from_mins(1);

/// How long calls that were asked to end are waited for before it is looked again.
const SHORTLY: Duration = Duration::from_secs(1);

/// The version of this landfall.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is remembered of a resource between two runs. All of it can be done without.
#[derive(Default)]
pub(super) struct Memory {
    driving: step::Memory,
    /// The last plan, while it is carried out.
    plan: Option<Box<Planned>>,
    /// The creation of what machines start from.
    booting: Booting,
    /// The removal of its images.
    clearing: Booting,
    /// Whether the operator could be used last.
    was_usable: bool,
    /// The other operator that was reported to work on the resource.
    rival: String,
    /// The other operator from which the resource was taken over.
    taken_from: String,
    /// When the status was written last.
    pub(super) told: Option<Instant>,
}

#[cfg(test)]
impl Memory {
    /// Whether the plan is kept.
    pub(super) fn has_plan(&self) -> bool {
        self.plan.is_some()
    }
}

/// A plan, with the time at which its sources were read.
struct Planned {
    generation: i64,
    /// When that was read.
    read: Instant,
    drive: Drive,
    cloud: String,
    hash: String,
    /// Digests of what the plan was made from.
    inputs: Digests,
    /// The release that was planned.
    release: String,
    region: String,
    machine_types: Vec<String>,
    zones: Vec<String>,
    machines: Vec<MachineZones>,
    /// Whether only another landfall makes the plan another one, which the owner has not accepted.
    held: bool,
    /// What the resource does not give that machines wait for.
    lacking: String,
    /// What landfall creates for the machines.
    sources: Option<Box<Sources>>,
    said: Vec<Said>,
}

/// One run.
pub(super) struct Run<'a> {
    controller: &'a AzureInfrastructure,
    place: &'a ObjectRef,
    namespace: &'a str,
    resource: &'a Resource,
    memory: &'a mut Memory,
    status: Status,
    said: Vec<Said>,
    /// Whether no status is written: the resource is gone or another operator's, or is read again first.
    is_silent: bool,
    /// Whether the resource was written and has another version than is known. The watch brings that.
    is_marked: bool,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        controller: &'a AzureInfrastructure,
        place: &'a ObjectRef,
        resource: &'a Resource,
        memory: &'a mut Memory,
    ) -> Self {
        Self {
            controller,
            place,
            namespace: place.namespace.as_deref().unwrap_or_default(),
            resource,
            memory,
            status: anchor::remembered(resource),
            said: Vec::new(),
            is_silent: false,
            is_marked: false,
        }
    }

    /// Does the work, and says when it is due again; none where only a change helps.
    pub(super) async fn work(&mut self) -> Result<Option<Duration>, Failed> {
        if !self.claims().await? {
            return Ok(None);
        }
        if self.resource.has_stale_mark() {
            anchor::unmark(&*self.controller.objects, self.place, self.resource).await?;
            // The watch brings the next run.
            return Ok(None);
        }
        // From then on the other management cluster works on it.
        if self.resource.has_moved() {
            self.is_silent = true;
            anchor::release(&*self.controller.objects, self.place, self.resource).await?;
            return Ok(None);
        }
        if self.keep_protection().await? {
            // The watch brings the next run.
            self.is_silent = true;
            return Ok(None);
        }
        if self.resource.spec.adopt_policy != AdoptPolicy::Skip {
            self.status.dry_run = None;
        }
        let is_at_rest = self.resource.is_being_deleted() || self.resource.is_paused();
        if is_at_rest && self.gives_place_back().await? {
            // The watch brings the next run.
            return Ok(None);
        }
        let goes_on = self.resource.is_paused() && !self.memory.clearing.halt();
        if goes_on || is_at_rest && !self.memory.booting.halt() {
            self.say(Said::new(PROGRESSING, true, "InProgress", "waiting for calls to Azure to end"));
            return Ok(Some(SHORTLY));
        }
        if self.resource.is_being_deleted() {
            return self.remove().await;
        }
        if self.resource.is_paused() {
            return self.pause().await;
        }
        let made = self.make().await;
        // What only a change helps is not under way.
        if made.as_ref().is_err_and(waits_for_change) && !self.is_marked {
            self.gives_place_back().await?;
        }
        made
    }

    /// The new status; none if it is not to be written.
    pub(super) fn told(mut self, outcome: &Result<Option<Duration>, Failed>) -> Option<Status> {
        if self.is_silent {
            return None;
        }
        if let Err(failed) = outcome {
            self.say(Said::failed(READY, failed));
            let waits = waits_for_change(failed);
            let (reason, message) = match (waits, failed.retry) {
                (false, _) => ("Retrying", "landfall tries again"),
                (true, true) => {
                    ("Failed", "waiting for a change: what the spec refers to is read again within a minute")
                }
                (true, false) => ("Failed", "waiting for a change"),
            };
            self.say(Said::new(PROGRESSING, !waits, reason, message));
        }
        let (generation, now) = (self.resource.metadata.generation, now());
        self.status.say(&self.said, generation, &now);
        self.status.sum_up(generation, &now);
        Some(self.status)
    }

    /// Says something, in place of what was said of the same before.
    fn say(&mut self, said: Said) {
        self.said.retain(|earlier| earlier.kind != said.kind);
        self.said.push(said);
    }

    /// Says of a failure that because of it something does not hold.
    fn because<T>(&mut self, kind: &'static str, result: Result<T, Failed>) -> Result<T, Failed> {
        if let Err(failed) = &result {
            self.say(Said::failed(kind, failed));
        }
        result
    }

    fn cluster(&self, infra_id: &str) -> Cluster {
        let cluster = Cluster { namespace: self.namespace.to_owned(), infra_id: infra_id.to_owned() };
        self.controller.driver.store.belongs(&cluster, &self.key());
        cluster
    }

    fn key(&self) -> Key {
        Key { namespace: Some(self.namespace.to_owned()), name: self.place.name.clone() }
    }

    /// The other resource of this namespace that the cluster belongs to.
    fn other_here(&self, infra_id: &str) -> Option<Key> {
        self.controller.claims.other_here(&self.key(), infra_id)
    }

    /// The refusal of an infrastructure ID that another resource has. Who that is in another namespace is not
    /// for everybody.
    fn taken(&self, infra_id: &str, other: &Key) -> Failed {
        let whose = if other.namespace.as_deref() == Some(self.namespace) {
            format!("AzureInfrastructure {}", other.name)
        } else {
            "a cluster in another namespace, in the same subscription".to_owned()
        };
        Failed::terminal("infra-id-taken", format!("spec.infraID: `{infra_id}` belongs to {whose}"))
    }

    /// Brings the cluster to what the resource asks for.
    async fn make(&mut self) -> Result<Option<Duration>, Failed> {
        let whole = self.resource.is_whole();
        self.because(VALIDATED, whole)?;
        let mut plan = match self.plan().await? {
            Verdict::Planned(plan) => plan,
            Verdict::Rejected { infra_id, why } => return self.stay(&infra_id, &why).await,
        };
        for said in &plan.said {
            self.say(said.clone());
        }
        self.status.infra_id.clone_from(&plan.drive.infra_id);
        self.keep_machines(&plan)?;
        let losses = self.losses(&plan);
        if !losses.is_empty() {
            self.hold_losses(&plan, &losses).await?;
            return self.look_on(&plan.drive.infra_id, Some(&plan.cloud)).await.map(|()| None);
        }
        if plan.held && !self.takes_turn(&plan).await? {
            return self.look_on(&plan.drive.infra_id, Some(&plan.cloud)).await.map(|()| None);
        }
        plan.held = false;
        self.status.retract(UPDATE);
        let adopt_policy = self.resource.spec.adopt_policy;
        plan.drive.policy_changes = self.status.applies(adopt_policy);
        // A dry run carries nothing out: what a cluster that was restored had before stays noted.
        let keeps = adopt_policy == AdoptPolicy::Skip && !self.status.plan_hash.is_empty();
        if !keeps {
            self.status.plan_hash.clone_from(&plan.hash);
            self.status.inputs_hash.clone_from(&plan.inputs.whole);
            self.status.owner_inputs_hash.clone_from(&plan.inputs.owner);
            VERSION.clone_into(&mut self.status.planned_by);
        }
        self.status.release.clone_from(&plan.release);
        self.status.region.clone_from(&plan.region);
        self.status.machine_types.clone_from(&plan.machine_types);
        self.status.zones.clone_from(&plan.zones);
        self.status.machines.clone_from(&plan.machines);
        self.complete(&mut plan)?;
        let usable = self.check_plan(&mut plan).await;
        let cluster = self.cluster(&plan.drive.infra_id);
        let usable = usable.and_then(|()| self.apart(&cluster, &plan.drive));
        let goal = if plan.drive.dry_run { "looking for the cluster" } else { "creating the cluster" };
        let stepped = match usable {
            Ok(()) => self.step(&cluster, &plan.drive, goal).await,
            Err(failed) => Err(failed),
        };
        let booted = match &stepped {
            Ok(stepped) => self.boot(&plan, &stepped.step).await?,
            Err(_) => None,
        };
        let lacking = plan.lacking.clone();
        let is_done = stepped.as_ref().is_ok_and(|stepped| stepped.step.outcome() == Outcome::Done);
        // A cluster at rest is seldom looked at, and then its sources are read again: nothing is kept for that.
        self.memory.plan = (!is_done).then_some(plan);
        let Stepped { step, rest, unseen, outputs, .. } = stepped?;
        if let Some(outputs) = outputs.filter(|_| adopt_policy != AdoptPolicy::Skip) {
            self.status.outputs = outputs;
        }
        if is_done {
            self.status.adopt_policy_changing = false;
        }
        // Where Azure keeps all, nothing is to be protected.
        let deletes = adopt_policy == AdoptPolicy::Manage;
        if is_done && !self.is_marked {
            let declines = anchor::declines_protection(self.resource);
            let protects = deletes && !declines && !self.status.deletion_protection_added;
            let objects = &*self.controller.objects;
            self.is_marked |=
                anchor::finish(objects, self.place, self.resource, &self.status, protects).await?;
            // Who takes the protection away does not find it there again.
            self.status.deletion_protection_added |= protects;
        }
        self.leave_rollout(is_done, step.outcome() == Outcome::TerminalError).await?;
        let ready = with_boot(readiness(&step), lacking, booted.as_ref());
        self.say(with_waiting(with_foreign(ready, &step), &step));
        if is_done && adopt_policy == AdoptPolicy::Skip {
            let found = self.status.count_dry_run(&step);
            for said in status::dry_run(found) {
                self.say(said);
            }
        }
        // Whoever should have looked may be gone.
        self.memory.was_usable &= !unseen;
        // A terminal error may be fixed by another credential, for which there is no watch.
        let look = (step.outcome() == Outcome::TerminalError).then_some(FRESH);
        let boot = booted.and_then(|booted| booted.rest);
        Ok([rest, look, boot].into_iter().flatten().min())
    }

    /// Makes sure that nothing changes in Azure because of the cluster, and then allows the move.
    async fn pause(&mut self) -> Result<Option<Duration>, Failed> {
        let Some(infra_id) = self.resource.chosen_id().map(str::to_owned) else {
            self.say(Said::new(PROGRESSING, false, "Paused", "nothing was created yet"));
            return Ok(None);
        };
        if let Some(other) = self.other_here(&infra_id) {
            let taken = self.taken(&infra_id, &other);
            return self.because(VALIDATED, Err(taken));
        }
        let drive = Drive::new(&infra_id, anchor::owner(self.place, self.resource), Work::Pause);
        let cluster = self.cluster(&infra_id);
        // Objects are paused in whatever state they are: how the cluster stands is what was seen last.
        let counts = self.status.counts;
        let stepped = self.step(&cluster, &drive, "pausing the cluster").await;
        self.status.counts = counts;
        let Stepped { step, rest, others, .. } = stepped?;
        if step.outcome() == Outcome::Done {
            let objects = &*self.controller.objects;
            let users: Vec<Need> = others.waited_for.into_iter().chain(others.removed).collect();
            if !users.is_empty() {
                let note = format!(
                    "it is paused, and must not be moved by clusterctl: that deletes, also in Azure, what uses the \
                     cluster's objects: {}",
                    listed(&users)
                );
                self.say(Said::new(PROGRESSING, false, removal::IN_USE, note));
                return Ok(rest);
            }
            anchor::mark(objects, self.place, self.resource, (infra_id.as_str(), None), false).await?;
            self.say(Said::new(PROGRESSING, false, "Paused", "nothing changes until the pause ends"));
        }
        Ok(rest)
    }

    /// Refuses a plan whose objects are another cluster's of the namespace: with the same name and base domain, both have
    /// the same objects for DNS.
    fn apart(&self, cluster: &Cluster, planned: &Drive) -> Result<(), Failed> {
        let Work::Make(translation) = &planned.work else { return Ok(()) };
        let world = self.controller.driver.store.world(cluster, drive::now());
        let taken = translation.objects.iter().filter(|desired| desired.hints.mode != Mode::Byo).find_map(
            |desired| {
                let need = Need { kind: desired.kind.kind, name: desired.name.clone() };
                let id = Object(world.get(&need)?).label(keys::CLUSTER)?.to_owned();
                (id != planned.infra_id)
                    .then(|| format!("{}/{} belongs to cluster `{id}`", need.kind, need.name))
            },
        );
        let Some(taken) = taken else { return Ok(()) };
        let note = format!(
            "{taken} of this namespace, which has the same name and base domain: change metadata.name in the install \
             config, or use another namespace"
        );
        Err(Failed::transient("cluster-name-taken", note))
    }

    /// One step towards the desired state, reported in the status.
    async fn step(&mut self, cluster: &Cluster, drive: &Drive, goal: &str) -> Result<Stepped, Failed> {
        let driver = &self.controller.driver;
        let stepped = driver.step(cluster, drive, self.place, &mut self.memory.driving).await?;
        self.status.count(&stepped.step);
        self.say(progress(&stepped.step, goal));
        Ok(stepped)
    }

    /// Checks that the operator supports this plan, and writes its objects in the served versions.
    async fn check_plan(&mut self, plan: &mut Planned) -> Result<(), Failed> {
        let Work::Make(translation) = &mut plan.drive.work else { return Ok(()) };
        let kinds = each_once(translation.objects.iter().map(|desired| desired.kind));
        let report = self.check_operator(Some(&plan.cloud), &kinds, false).await?;
        drive::served(translation, &report.versions);
        Ok(())
    }

    /// Checks that the operator supports these kinds, in this cloud or, where that is not known, in the one that the
    /// operator is for. Where a cluster `stays` as it is, what only an update needs is said and is no failure.
    async fn check_operator(
        &mut self,
        cloud: Option<&str>,
        kinds: &[&'static Kind],
        stays: bool,
    ) -> Result<Report, Failed> {
        let seen = self.controller.operator.seen(self.memory.was_usable).await;
        let seen = self.because(OPERATOR, seen)?;
        self.memory.was_usable = false;
        if !seen.denied.is_empty() {
            let denied = Failed::transient("permission-denied", planning::told(&seen.denied));
            let denied = self.because(OPERATOR, Err(denied));
            return if stays { Ok(Report::default()) } else { denied };
        }
        let clouds = &Catalogue::embedded().azure;
        let cloud = cloud.or_else(|| running_cloud(&seen.cluster, clouds)).unwrap_or_default();
        let report = detect(&seen.cluster, &Wanted { cloud, namespace: self.namespace, kinds }, clouds);
        if report.findings.iter().any(Finding::is_error) {
            let help = format!("`landfall aso check --namespace {}` prints what is needed", self.namespace);
            let note = format!("{}; {help}", planning::told(&report.findings));
            let unusable = Failed::transient("operator-unusable", note);
            let unusable = self.because(OPERATOR, Err(unusable));
            let runs_on = stays && report.verdict == detect::Verdict::Incompatible;
            return if runs_on { Ok(report) } else { unusable };
        }
        let warnings: Vec<&str> = report.warnings().collect();
        self.say(Said::new(OPERATOR, true, "Usable", warnings.join("; ")));
        self.memory.was_usable = true;
        Ok(report)
    }
}

/// Whether only a change helps. A rejected config, or a Secret with another subscription, is read again all the same.
fn waits_for_change(failed: &Failed) -> bool {
    !failed.retry || [plan::REJECTED, plan::SUBSCRIPTION_CHANGED].contains(&failed.reason)
}

/// Whether a cluster is Ready, with what its machines wait for where its objects say nothing, and in any case with what
/// is wrong with that.
fn with_boot(ready: Said, lacking: String, booted: Option<&Told>) -> Said {
    match booted {
        Some(booted) if ready.message.is_empty() => booted.said.clone(),
        Some(booted) if booted.is_failure() => {
            Said { message: format!("{}; {}", ready.message, booted.said.message), ..ready }
        }
        None if ready.message.is_empty() => Said { message: lacking, ..ready },
        _ => ready,
    }
}

/// Each of these kinds once.
fn each_once(all: impl Iterator<Item = &'static Kind>) -> Vec<&'static Kind> {
    let mut kinds: Vec<&'static Kind> = Vec::new();
    for kind in all {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}
