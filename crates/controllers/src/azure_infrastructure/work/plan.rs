//! The plan for a resource: from what it refers to, to the objects of its cluster.

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_aso::anchor::Credential;
use landfall_engine_aso::drive::boot_sources::{is_held, patched};
use landfall_engine_aso::drive::{self, Drive, Work};
use landfall_engine_aso::keys;
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::is_infra_id;
use tokio::time::{Instant, sleep};

use super::{FRESH, Planned, Run, boot};
use crate::Failed;
use crate::azure_infrastructure::anchor;
use crate::azure_infrastructure::inputs::{self, Given, Origin, Texts};
use crate::azure_infrastructure::planning::{self, Judged, Known, Target};
use crate::azure_infrastructure::resource::AdoptPolicy;
use crate::azure_infrastructure::status::{CREDENTIALS, Said, UPDATE, VALIDATED};
use crate::azure_infrastructure::store::Cluster;

/// How long the watches have to tell who else has taken an infrastructure ID.
const CLAIMING: Duration = Duration::from_secs(2);

/// The inputs of a cluster are rejected.
pub(super) const REJECTED: &str = "config-rejected";

/// The inputs name another subscription than the one that the cluster is in.
pub(super) const SUBSCRIPTION_CHANGED: &str = "subscription-changed";

/// What the inputs of a cluster come to.
pub(super) enum Verdict {
    /// A plan.
    Planned(Box<Planned>),
    /// They are rejected although the owner of the cluster did not change them: what runs stays as it is.
    Rejected {
        /// The infrastructure ID.
        infra_id: String,
        /// The findings.
        why: String,
    },
}

impl Run<'_> {
    /// The plan for the resource: the last one, unless its sources have changed.
    pub(super) async fn plan(&mut self) -> Result<Verdict, Failed> {
        let generation = self.resource.metadata.generation;
        let last = self.memory.plan.take().filter(|plan| plan.generation == generation);
        let is_marked = anchor::has_finalizer(self.resource) && self.is_blocked();
        if is_marked
            && let Some(plan) = last
            && plan.read.elapsed() < FRESH
        {
            return Ok(Verdict::Planned(plan));
        }
        Box::pin(self.new_plan()).await
    }

    fn is_blocked(&self) -> bool {
        self.resource.metadata.annotations.contains_key(keys::BLOCK_MOVE)
    }

    async fn new_plan(&mut self) -> Result<Verdict, Failed> {
        let objects = &*self.controller.objects;
        let spec = &self.resource.spec;
        let texts = self.texts().await?;
        let judged = planning::catalogue(texts.profile.as_deref())
            .and_then(|catalogue| Ok((planning::judged(&texts.config, &catalogue)?, catalogue)));
        let judged = match judged {
            Err(found) if !self.may_stay() => return self.reject(&found),
            judged => judged,
        };
        let name = judged.as_ref().map_or("", |(judged, _)| judged.config.metadata.name.as_str());
        let infra_id = self.infra_id(name);
        let infra_id = self.because(VALIDATED, infra_id)?;
        self.renew_validated();
        let given = self.given(&infra_id).await;
        let given = self.because(CREDENTIALS, given)?;
        let credential = given.credential(spec);
        let credential = self.because(CREDENTIALS, credential)?;
        let credential = self.in_its_subscription(&infra_id, credential);
        let credential = self.because(VALIDATED, credential)?;
        let subscription = credential.subscription_id.as_str();
        let taken = self.controller.claims.take(&self.key(), &infra_id, subscription);
        let taken = taken.map_err(|other| self.taken(&infra_id, &other));
        self.because(VALIDATED, taken)?;
        let cluster = (infra_id.as_str(), Some(subscription));
        let is_new = !self.resource.metadata.labels.contains_key(keys::CLUSTER);
        self.is_marked |= anchor::mark(objects, self.place, self.resource, cluster, true).await?;
        if is_new && (self.controller.claims.has_others() || self.controller.labels.is_some()) {
            // Another operator may have taken the ID at the same time: the watches tell both.
            sleep(CLAIMING).await;
            let taken = self.controller.claims.take(&self.key(), &infra_id, subscription);
            let taken = taken.map_err(|other| self.taken(&infra_id, &other));
            self.because(VALIDATED, taken)?;
        }
        self.status.infra_id.clone_from(&infra_id);
        subscription.clone_into(&mut self.status.subscription_id);
        let ids = inputs::ids(&credential);
        let source = credential.source();
        let generation = self.resource.metadata.generation;
        let origin = Origin { generation, spec, infra_id: &infra_id, ids: &ids, source };
        let inputs = texts.digests(&origin);
        let target = judged.and_then(|(judged, catalogue)| {
            let target = self.target(&judged, &catalogue, &texts, &origin)?;
            Ok((target, noted(&judged)))
        });
        let (target, noted) = match target {
            Ok(target) => target,
            Err(found) if self.may_stay() && self.is_unchanged(&inputs) => {
                // Its credential may be another one, without which what runs fails.
                let held = self.hold(&given, &credential, &infra_id, None).await;
                self.because(CREDENTIALS, held)?;
                self.say(Said::new(CREDENTIALS, true, "Available", given.noted()));
                let note = "what runs was accepted before";
                self.say(Said::new(VALIDATED, true, "Accepted", note));
                self.status.owner_inputs_hash = inputs.owner;
                return Ok(Verdict::Rejected { infra_id, why: planning::told(&found) });
            }
            Err(found) => return self.reject(&found),
        };
        let accepted = Said::new(VALIDATED, true, "Accepted", noted);
        self.say(accepted.clone());
        let held = self.hold(&given, &credential, &infra_id, Some(&target.cloud)).await;
        self.because(CREDENTIALS, held)?;
        let hash = boot::digest_of(&target.translation, &texts.ignition);
        let sources = self.sources(target.plan, &hash, &texts.ignition, &credential);
        let held = self.is_held(&hash, &inputs);
        let owner = anchor::owner(self.place, self.resource);
        let mut drive = Drive::new(&infra_id, owner, Work::Make(target.translation));
        drive.stage = spec.stage.into();
        drive.dry_run = spec.adopt_policy == AdoptPolicy::Skip;
        drive.keeps_azure = self.resource.keeps_azure();
        Ok(Verdict::Planned(Box::new(Planned {
            generation,
            read: Instant::now(),
            drive,
            cloud: target.cloud,
            hash,
            inputs,
            release: target.release,
            region: target.region,
            machine_types: target.machine_types,
            zones: target.zones,
            machines: target.machines,
            held,
            lacking: texts.ignition.lacking(spec),
            sources,
            said: vec![accepted, Said::new(CREDENTIALS, true, "Available", given.noted())],
        })))
    }

    /// The texts that the resource refers to. Where one is missing, so may be the credentials: both are said at once.
    async fn texts(&mut self) -> Result<Texts, Failed> {
        let (objects, spec) = (&*self.controller.objects, &self.resource.spec);
        let texts = inputs::texts(objects, self.controller.profiles, self.namespace, spec).await;
        let failed = match self.because(VALIDATED, texts) {
            Ok(texts) => return Ok(texts),
            Err(failed) => failed,
        };
        let given = inputs::credentials(objects, self.namespace, spec).await;
        if let Err(other) = self.because(CREDENTIALS, given.and_then(|given| given.credential(spec))) {
            return Err(inputs::together([failed, other]));
        }
        // They are complete; whether they are of the right cloud is not known yet.
        if self.status.is_false(CREDENTIALS) {
            self.status.retract(CREDENTIALS);
        }
        Err(failed)
    }

    /// Says in place of what was wrong with the inputs that they were read.
    fn renew_validated(&mut self) {
        if self.status.is_false(VALIDATED) {
            let note = "the inputs were read; planning needs the credentials";
            self.say(Said::new(VALIDATED, false, "CredentialsRequired", note));
        }
    }

    /// What an accepted config comes to.
    fn target(
        &self,
        judged: &Judged,
        catalogue: &Catalogue,
        texts: &Texts,
        origin: &Origin<'_>,
    ) -> Result<Target, Vec<Finding>> {
        let Origin { spec, infra_id, ids, source, .. } = *origin;
        // What was planned once stays at its release.
        let pinned = [
            spec.release.as_str(),
            self.resource.status.release.as_str(),
            anchor::noted_release(self.resource),
        ];
        let release = pinned.into_iter().find(|release| !release.is_empty());
        let (facts, ignition) = (texts.facts.as_deref(), &texts.ignition);
        let known = Known { spec, catalogue, release, infra_id, ids, source, facts, ignition };
        let mut target = planning::planned(judged, &known)?;
        boot::held(&mut target.translation, &texts.ignition, spec);
        let is_held = target.translation.objects.iter().any(is_held);
        let patched = if is_held { patched(&target.translation) } else { Vec::new() };
        if patched.is_empty() { Ok(target) } else { Err(patched) }
    }

    /// Whether a cluster may stay as it is where its config is rejected now: it was planned, and was Ready.
    fn may_stay(&self) -> bool {
        let is_known = self.resource.chosen_id().is_some();
        is_known && !self.status.plan_hash.is_empty() && anchor::was_ready(self.resource)
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

    /// A credential, unless it is for another subscription than the one that the cluster was planned in: there would be a
    /// second cluster, and the first would be lost. What the status or a note in the resource says counts, or what this
    /// process knows of one that was removed: `kubectl replace` takes notes away, and a move the status.
    pub(super) fn in_its_subscription(
        &self,
        infra_id: &str,
        credential: Credential,
    ) -> Result<Credential, Failed> {
        let noted = [self.status.subscription_id.as_str(), anchor::noted_subscription(self.resource)];
        let known = noted.into_iter().find(|noted| !noted.is_empty()).map(str::to_owned);
        let known = known.or_else(|| self.controller.claims.subscription(&self.key())).unwrap_or_default();
        if known.is_empty() || known.eq_ignore_ascii_case(&credential.subscription_id) {
            return Ok(credential);
        }
        // Before the first plan, nothing was created.
        let cluster = Cluster { namespace: self.namespace.to_owned(), infra_id: infra_id.to_owned() };
        let world = self.controller.driver.store.world(&cluster, drive::now());
        if self.status.plan_hash.is_empty() && world.iter().next().is_none() {
            return Ok(credential);
        }
        let is_in_secret = self.resource.spec.subscription_id.is_empty();
        let field = if is_in_secret {
            "AZURE_SUBSCRIPTION_ID of spec.credentialsSecretRef"
        } else {
            "spec.subscriptionID"
        };
        let note = format!("{field}: the cluster is in subscription `{known}`, and this cannot be changed");
        Err(Failed { retry: is_in_secret, reason: SUBSCRIPTION_CHANGED, note })
    }

    /// Refuses a config. One that is referred to may change without the resource.
    fn reject(&mut self, findings: &[Finding]) -> Result<Verdict, Failed> {
        // What was held is not what its owner wants now.
        self.status.retract(UPDATE);
        let spec = &self.resource.spec;
        let refers = [
            spec.install_config_ref.is_some(),
            spec.facts_ref.is_some(),
            spec.cloud_profile_ref.is_some(),
            spec.ignition_secret_ref.is_some(),
        ];
        let retry = refers.contains(&true);
        self.because(VALIDATED, Err(Failed { retry, reason: REJECTED, note: planning::told(findings) }))
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
        cloud: Option<&str>,
    ) -> Result<(), Failed> {
        let objects = &*self.controller.objects;
        if let Some((name, cloud)) = cloud.and_then(|cloud| Catalogue::embedded().azure.cloud(cloud)) {
            given.check_cloud(name, cloud)?;
        }
        given.protect(objects, infra_id).await?;
        let owner = anchor::owner(self.place, self.resource);
        if inputs::keep_copy(objects, credential, infra_id, &owner).await? {
            self.memory.driving.pace.forget();
            self.memory.booting.retry();
        }
        let name = &self.resource.spec.credentials_secret_ref.name;
        let before = &self.resource.status.credentials_secret;
        if before != name {
            inputs::release(objects, self.namespace, before, infra_id).await?;
        }
        self.status.credentials_secret.clone_from(name);
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
