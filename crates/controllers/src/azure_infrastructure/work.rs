//! What is done about one resource in one run.

mod held;
mod removal;

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_aso::anchor::Credential;
use landfall_engine_aso::core::Outcome;
use landfall_engine_aso::detect::{Wanted, detect};
use landfall_engine_aso::drive;
use landfall_engine_aso::drive::{Drive, Work};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds::Kind;
use landfall_engine_aso::translate::Ignition;
use landfall_kube::objects::ObjectRef;
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::is_infra_id;
use tokio::time::Instant;

use super::inputs::{self, Digests, Given, Origin};
use super::planning::{self, Judged, Known};
use super::resource::{AdoptPolicy, Resource, Status};
use super::status::{
    CREDENTIALS, OPERATOR, PROGRESSING, READY, Said, UPDATE, VALIDATED, progress, readiness,
};
use super::step::{self, Stepped};
use super::store::Cluster;
use super::{AzureInfrastructure, anchor, now, status};
use crate::{Failed, Key};

/// How long the sources of a plan and the credentials are not read again.
const FRESH: Duration = Duration::from_mins(1);

const REJECTED: &str = "config-rejected";
/// The version of this landfall.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What is remembered of a resource between two runs. All of it can be done without.
#[derive(Default)]
pub(super) struct Memory {
    driving: step::Memory,
    plan: Option<Planned>,
    /// Whether the operator could be used last.
    was_usable: bool,
    /// When the status was written last.
    pub(super) told: Option<Instant>,
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
    /// Whether only another landfall makes the plan another one, which the owner has not accepted.
    held: bool,
    /// What the resource does not give that machines wait for.
    lacking: String,
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
    /// Whether the resource is gone, so that it has no status.
    is_gone: bool,
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
            is_gone: false,
            is_marked: false,
        }
    }

    /// Does the work, and says when it is due again; none where only a change helps.
    pub(super) async fn work(&mut self) -> Result<Option<Duration>, Failed> {
        if self.resource.spec.adopt_policy != AdoptPolicy::Skip {
            self.status.dry_run = None;
        }
        let is_at_rest = self.resource.is_being_deleted() || self.resource.is_paused();
        if is_at_rest && self.gives_place_back().await? {
            // The watch brings the next run.
            return Ok(None);
        }
        if self.resource.is_being_deleted() {
            return self.remove().await;
        }
        if self.resource.is_paused() {
            return self.pause().await;
        }
        let made = self.make().await;
        // What only a change helps is not under way.
        if made.as_ref().is_err_and(|failed| !failed.retry) && !self.is_marked {
            self.gives_place_back().await?;
        }
        made
    }

    /// The new status; none if the resource is gone.
    pub(super) fn told(mut self, outcome: &Result<Option<Duration>, Failed>) -> Option<Status> {
        if self.is_gone {
            return None;
        }
        if let Err(failed) = outcome {
            self.say(Said::failed(READY, failed));
            let (reason, message) = if failed.retry {
                ("Retrying", "landfall tries again")
            } else {
                ("Failed", "waiting for a change")
            };
            self.say(Said::new(PROGRESSING, failed.retry, reason, message));
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
        let mut plan = self.plan().await?;
        for said in &plan.said {
            self.say(said.clone());
        }
        self.status.infra_id.clone_from(&plan.drive.infra_id);
        if plan.held && !self.takes_turn(&plan).await? {
            self.memory.plan = Some(plan);
            return Ok(None);
        }
        plan.held = false;
        self.status.retract(UPDATE);
        let adopt_policy = self.resource.spec.adopt_policy;
        plan.drive.policy_changes = self.status.applies(adopt_policy);
        self.status.plan_hash.clone_from(&plan.hash);
        self.status.inputs_hash.clone_from(&plan.inputs.whole);
        self.status.owner_inputs_hash.clone_from(&plan.inputs.owner);
        self.status.release.clone_from(&plan.release);
        self.status.region.clone_from(&plan.region);
        self.status.machine_types.clone_from(&plan.machine_types);
        VERSION.clone_into(&mut self.status.planned_by);
        let usable = self.check_operator(&mut plan).await;
        let cluster = self.cluster(&plan.drive.infra_id);
        let goal = if plan.drive.dry_run { "looking for the cluster" } else { "creating the cluster" };
        let stepped = match usable {
            Ok(()) => self.step(&cluster, &plan.drive, goal).await,
            Err(failed) => Err(failed),
        };
        let lacking = plan.lacking.clone();
        self.memory.plan = Some(plan);
        let Stepped { step, rest, unseen, outputs, .. } = stepped?;
        if let Some(outputs) = outputs {
            self.status.outputs = outputs;
        }
        let is_done = step.outcome() == Outcome::Done;
        if is_done {
            self.status.adopt_policy_changing = false;
        }
        // Where Azure keeps all, nothing is to be protected.
        let deletes = adopt_policy == AdoptPolicy::Manage;
        if is_done && !self.is_marked {
            let protects = deletes && !self.status.deletion_protection_added;
            let objects = &*self.controller.objects;
            self.is_marked |=
                anchor::finish(objects, self.place, self.resource, &self.status, protects).await?;
            // Who takes the protection away does not find it there again.
            self.status.deletion_protection_added |= protects;
        }
        self.leave_rollout(is_done, step.outcome() == Outcome::TerminalError).await?;
        let ready = readiness(&step);
        self.say(if ready.message.is_empty() { Said { message: lacking, ..ready } } else { ready });
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
        Ok([rest, look].into_iter().flatten().min())
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
        let Stepped { step, rest, .. } = stepped?;
        if step.outcome() == Outcome::Done {
            let objects = &*self.controller.objects;
            anchor::mark(objects, self.place, self.resource, (infra_id.as_str(), None), false).await?;
            self.say(Said::new(PROGRESSING, false, "Paused", "nothing changes until the pause ends"));
        }
        Ok(rest)
    }

    /// One step towards the desired state, reported in the status.
    async fn step(&mut self, cluster: &Cluster, drive: &Drive, goal: &str) -> Result<Stepped, Failed> {
        let driver = &self.controller.driver;
        let stepped = driver.step(cluster, drive, self.place, &mut self.memory.driving).await?;
        self.status.count(&stepped.step);
        self.say(progress(&stepped.step, goal));
        Ok(stepped)
    }

    /// The plan for the resource: the last one, unless its sources have changed.
    async fn plan(&mut self) -> Result<Planned, Failed> {
        let generation = self.resource.metadata.generation;
        let last = self.memory.plan.take().filter(|plan| plan.generation == generation);
        let is_marked = anchor::has_finalizer(self.resource) && self.is_blocked();
        // What is held is looked at again at once when it is accepted.
        if is_marked
            && let Some(plan) = last.filter(|plan| !plan.held)
            && plan.read.elapsed() < FRESH
        {
            return Ok(plan);
        }
        Box::pin(self.new_plan()).await
    }

    fn is_blocked(&self) -> bool {
        self.resource.metadata.annotations.contains_key(keys::BLOCK_MOVE)
    }

    async fn new_plan(&mut self) -> Result<Planned, Failed> {
        let objects = &*self.controller.objects;
        let spec = &self.resource.spec;
        let texts = inputs::texts(objects, self.controller.profiles, self.namespace, spec).await;
        let texts = self.because(VALIDATED, texts)?;
        let catalogue = planning::catalogue(texts.profile.as_deref()).map_err(|found| self.rejected(&found));
        let catalogue = self.because(VALIDATED, catalogue)?;
        let judged = planning::judged(&texts.config, &catalogue).map_err(|found| self.rejected(&found));
        let judged = self.because(VALIDATED, judged)?;
        let infra_id = self.infra_id(&judged.config.metadata.name);
        let infra_id = self.because(VALIDATED, infra_id)?;
        let given = self.given(&infra_id).await;
        let given = self.because(CREDENTIALS, given)?;
        let credential = given.credential(spec);
        let credential = self.because(CREDENTIALS, credential)?;
        let subscription = credential.subscription_id.as_str();
        let taken = self.controller.claims.take(&self.key(), &infra_id, subscription);
        let taken = taken.map_err(|other| self.taken(&infra_id, &other));
        self.because(VALIDATED, taken)?;
        let cluster = (infra_id.as_str(), Some(subscription));
        self.is_marked |= anchor::mark(objects, self.place, self.resource, cluster, true).await?;
        self.status.infra_id.clone_from(&infra_id);
        let ids = inputs::ids(&credential);
        let ignition =
            Ignition { bootstrap: texts.bootstrap.as_deref(), control_plane: texts.control_plane.as_deref() };
        let (source, facts) = (credential.source(), texts.facts.as_deref());
        // What was planned once stays at its release.
        let pinned = [
            spec.release.as_str(),
            self.resource.status.release.as_str(),
            anchor::noted_release(self.resource),
        ];
        let release = pinned.into_iter().find(|release| !release.is_empty());
        let (catalogue, infra_id_text) = (&*catalogue, infra_id.as_str());
        let known =
            Known { spec, catalogue, release, infra_id: infra_id_text, ids: &ids, source, facts, ignition };
        let target = planning::planned(&judged, &known).map_err(|found| self.rejected(&found));
        let target = self.because(VALIDATED, target)?;
        let held = self.hold(&given, &credential, &infra_id, &target.cloud).await;
        self.because(CREDENTIALS, held)?;
        let hash = planning::digest_of(&target.translation);
        let generation = self.resource.metadata.generation;
        let origin = Origin { generation, spec, infra_id: &infra_id, ids: &ids, source };
        let inputs = texts.digests(&origin);
        let held = self.is_held(&hash, &inputs);
        let owner = anchor::owner(self.place, self.resource);
        let mut drive = Drive::new(&infra_id, owner, Work::Make(target.translation));
        drive.stage = spec.stage.into();
        drive.dry_run = spec.adopt_policy == AdoptPolicy::Skip;
        drive.keeps_azure = self.resource.keeps_azure();
        Ok(Planned {
            generation,
            read: Instant::now(),
            drive,
            cloud: target.cloud,
            hash,
            inputs,
            release: target.release,
            region: target.region,
            machine_types: target.machine_types,
            held,
            lacking: inputs::lacking(spec, &texts),
            said: vec![
                Said::new(VALIDATED, true, "Accepted", noted(&judged)),
                Said::new(CREDENTIALS, true, "Available", ""),
            ],
        })
    }

    /// The infrastructure ID: the one that was chosen before, the one that is wished, or a new one.
    fn infra_id(&self, name: &str) -> Result<String, Failed> {
        let wished = self.resource.spec.infra_id.as_str();
        let chosen = self.resource.chosen_id();
        match chosen {
            Some(chosen) if !wished.is_empty() && chosen != wished => Err(Failed::terminal(
                "infra-id-changed",
                format!("spec.infraID: the cluster is `{chosen}`, and this cannot be changed"),
            )),
            None if wished.is_empty() => Ok(planning::new_id(name)),
            known => {
                let id = known.unwrap_or(wished);
                let unusable = || {
                    let note = "spec.infraID: use at most 27 lower-case letters, digits and hyphens";
                    Failed::terminal("infra-id-unusable", note)
                };
                is_infra_id(id).then(|| id.to_owned()).ok_or_else(unusable)
            }
        }
    }

    /// The refusal of a config. One that is referred to may change without the resource.
    fn rejected(&self, findings: &[Finding]) -> Failed {
        let spec = &self.resource.spec;
        let refers =
            [spec.install_config_ref.is_some(), spec.facts_ref.is_some(), spec.cloud_profile_ref.is_some()];
        let retry = refers.contains(&true);
        Failed { retry, reason: REJECTED, note: planning::told(findings) }
    }

    async fn given(&self, infra_id: &str) -> Result<Given, Failed> {
        let spec = &self.resource.spec;
        if spec.credentials_secret_ref.name == keys::credential_name(infra_id) {
            let note = "spec.credentialsSecretRef.name: this Secret is created from the one named here";
            return Err(Failed::terminal("credentials-unusable", note));
        }
        inputs::credentials(&*self.controller.objects, self.namespace, spec).await
    }

    /// Holds the user's Secret, gives the operator its copy, and lets go of the one that was named before.
    async fn hold(
        &mut self,
        given: &Given,
        credential: &Credential,
        infra_id: &str,
        cloud: &str,
    ) -> Result<(), Failed> {
        let objects = &*self.controller.objects;
        if let Some((name, cloud)) = Catalogue::embedded().azure.cloud(cloud) {
            given.check_cloud(name, cloud)?;
        }
        given.protect(objects, infra_id).await?;
        let owner = anchor::owner(self.place, self.resource);
        if inputs::keep_copy(objects, credential, infra_id, &owner).await? {
            self.memory.driving.pace.forget();
        }
        let name = &self.resource.spec.credentials_secret_ref.name;
        let before = &self.resource.status.credentials_secret;
        if before != name {
            inputs::release(objects, self.namespace, before, infra_id).await?;
        }
        self.status.credentials_secret.clone_from(name);
        Ok(())
    }

    /// Checks that the operator supports this plan, and writes its objects in the served versions.
    async fn check_operator(&mut self, plan: &mut Planned) -> Result<(), Failed> {
        let seen = self.controller.operator.seen(self.memory.was_usable).await;
        let seen = self.because(OPERATOR, seen)?;
        self.memory.was_usable = false;
        if !seen.denied.is_empty() {
            let denied = Failed::transient("permission-denied", planning::told(&seen.denied));
            return self.because(OPERATOR, Err(denied));
        }
        let Work::Make(translation) = &mut plan.drive.work else { return Ok(()) };
        let mut kinds: Vec<&'static Kind> = Vec::new();
        for desired in &translation.objects {
            if !kinds.contains(&desired.kind) {
                kinds.push(desired.kind);
            }
        }
        let wanted = Wanted { cloud: &plan.cloud, namespace: self.namespace, kinds: &kinds };
        let report = detect(&seen.cluster, &wanted, &Catalogue::embedded().azure);
        if report.findings.iter().any(Finding::is_error) {
            let unusable = Failed::transient("operator-unusable", planning::told(&report.findings));
            return self.because(OPERATOR, Err(unusable));
        }
        drive::served(translation, &report.versions);
        let warnings: Vec<&str> = report.warnings().collect();
        self.say(Said::new(OPERATOR, true, "Usable", warnings.join("; ")));
        self.memory.was_usable = true;
        Ok(())
    }
}

/// What is worth knowing of an accepted config, in a sentence.
fn noted(judged: &Judged) -> String {
    match judged.warnings.len() {
        0 => String::new(),
        warnings => format!("with {warnings} warnings: see `landfall validate`"),
    }
}
