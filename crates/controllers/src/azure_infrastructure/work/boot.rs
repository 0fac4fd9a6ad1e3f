//! What the machines of a cluster start from, where the resource has ignition files and no pointer.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::anchor::{Credential, Proof};
use landfall_engine_aso::drive::boot_sources::{
    Basis, basis, bootstrap, hold, is_held, keep_configs, machine, needs, without_configs,
};
use landfall_engine_aso::drive::{self, Step, Work, pages};
use landfall_engine_aso::translate::{Ignition, Translation};
use landfall_model::plan::Plan;
use serde_json::json;

use super::{Planned, Run};
use crate::Failed;
use crate::azure_infrastructure::booting::{BootOrder, BootRemoval, LOOK, Progress};
use crate::azure_infrastructure::inputs::Configs;
use crate::azure_infrastructure::planning;
use crate::azure_infrastructure::resource::{Machines, Spec, Stage};
use crate::azure_infrastructure::status::{CREDENTIALS, READY, Said, VALIDATED};
use crate::azure_infrastructure::{NAME, anchor};

/// Reasons why a cluster is not Ready.
const FAILED: &str = "BootSourcesFailed";
const POINTERS: &str = "PointersRequired";

/// What machines wait for.
const WAITING: &str = "machines wait for image and ignition config";

/// How long after the work has ended its outcome is used.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Why a program cannot call Azure.
const UNABLE: &str = "this operator is built without the feature `azure`";

/// Cloud and resource group of a plan's images; empty where they go with the group.
fn images_of(plan: &Plan) -> String {
    let azure = plan.platform.azure.as_deref().filter(|azure| !azure.groups.existing.is_empty());
    azure.map(|azure| format!("{}/{}", azure.cloud.name, azure.groups.existing)).unwrap_or_default()
}

/// What landfall creates for the machines of a plan.
pub(super) struct Sources {
    plan: Arc<Plan>,
    credential: Credential,
    /// The bootstrap machine's whole config.
    bootstrap: Secret<String>,
    /// What the control plane's machines start with.
    control_plane: Secret<String>,
    /// Why landfall cannot create it, and what to do.
    refusal: Option<String>,
    /// Tells one order from another.
    print: String,
}

/// What is said of boot sources, and when they are looked at again.
pub(super) struct Told {
    pub(super) said: Said,
    pub(super) rest: Option<Duration>,
}

impl Told {
    fn new(reason: &str, message: impl Into<String>, rest: Option<Duration>) -> Self {
        Self { said: Said::new(READY, false, reason, message), rest }
    }

    /// Whether something is wrong.
    pub(super) fn is_failure(&self) -> bool {
        self.said.reason != "InProgress"
    }
}

/// Has the machines wait that landfall creates image and ignition config for, or would if no file were missing.
pub(super) fn held(translation: &mut Translation, configs: &Configs, spec: &Spec) {
    let (bootstrap, master) = configs.files();
    let is_bootstrapping = spec.machines == Machines::Aso && spec.stage == Stage::Bootstrap;
    if is_bootstrapping && configs.bootstrap.is_none() && (bootstrap || master) {
        hold(translation);
    }
}

/// The digest of what is wanted, without ignition files: machines that exist keep those that they started with.
pub(super) fn digest_of(translation: &Translation, configs: &Configs) -> String {
    if configs.has_master_file() {
        planning::digest_of(&without_configs(translation))
    } else {
        planning::digest_of(translation)
    }
}

impl Run<'_> {
    /// What landfall creates for the machines of a plan; none where it is the user's.
    pub(super) fn sources(
        &self,
        plan: Plan,
        hash: &str,
        configs: &Configs,
        credential: &Credential,
    ) -> Option<Box<Sources>> {
        let spec = &self.resource.spec;
        let bootstrap = configs.to_upload(spec)?.clone();
        let control_plane = Secret::new(configs.control_plane(&plan)?.into_owned());
        let print = planning::digest(&json!([hash, bootstrap.expose()]).to_string());
        let refusal = self.refusal(credential);
        let (plan, credential) = (Arc::new(plan), credential.clone());
        Some(Box::new(Sources { plan, credential, bootstrap, control_plane, refusal, print }))
    }

    /// Why landfall cannot create what the machines of a plan start from, and what to do.
    fn refusal(&self, credential: &Credential) -> Option<String> {
        let why = match (&self.controller.boots, &credential.proof) {
            (None, _) => UNABLE,
            (_, Proof::Secret(_) | Proof::Certificate { .. } | Proof::ManagedIdentity) => return None,
            (Some(boots), Proof::WorkloadIdentity) if boots.has_token() => return None,
            (_, Proof::WorkloadIdentity) => {
                "the credentials are a workload identity, for which this operator has no token (print its \
                 manifests with --workload-identity-audience)"
            }
        };
        let secret = self.resource.spec.ignition_secret_ref.as_ref().map_or("", |named| named.name.as_str());
        Some(format!(
            "{WAITING}, which landfall cannot create: {why}. Upload them, and put pointers into the Secret {secret} of \
             spec.ignitionSecretRef, keys bootstrap and controlPlane"
        ))
    }

    /// Completes the objects of a plan with what its machines start from, as far as that exists.
    pub(super) fn complete(&mut self, plan: &mut Planned) -> Result<(), Failed> {
        let spec = &self.resource.spec;
        if spec.machines == Machines::None {
            return Ok(());
        }
        let world = self.controller.driver.store.world(&self.cluster(&plan.drive.infra_id), drive::now());
        let Work::Make(translation) = &mut plan.drive.work else { return Ok(()) };
        if let Some(sources) = &plan.sources {
            let existing = bootstrap(translation).and_then(|desired| {
                let mut objects = world.iter().filter(|(id, _)| id.kind == desired.kind.kind);
                objects.find(|(id, _)| id.name == desired.name).and_then(|(_, object)| machine(object))
            });
            let pointer = match existing {
                // All exists that it started from.
                Some(machine) if machine.is_ready => Some(machine.pointer),
                existing => {
                    let pointer = self.memory.booting.pointer(&sources.print);
                    pointer.map(|pointer| existing.map_or(pointer, |machine| machine.pointer))
                }
            };
            let ignition = Ignition {
                bootstrap: pointer.as_ref().map(|pointer| pointer.expose().as_str()),
                control_plane: Some(sources.control_plane.expose()),
            };
            let translated = planning::translated(&sources.plan, spec, ignition)
                .map_err(|findings| Failed::transient("config-rejected", planning::told(&findings)));
            *translation = match translated {
                Ok(translated) => translated,
                Err(failed) => return self.because(VALIDATED, Err(failed)),
            };
            if pointer.is_none() {
                hold(translation);
            }
        }
        keep_configs(translation, &world);
        Ok(())
    }

    /// Has what machines start from be created once all is there that it needs, and says how far that is; none where no
    /// machine waits for it.
    pub(super) async fn boot(&mut self, plan: &Planned, step: &Step) -> Result<Option<Told>, Failed> {
        let sources = plan.sources.as_deref().filter(|_| !plan.drive.dry_run);
        let Work::Make(translation) = &plan.drive.work else { return Ok(None) };
        let Some(sources) = sources else {
            self.memory.booting.halt();
            return Ok(None);
        };
        if !translation.objects.iter().any(is_held) {
            return Ok(None);
        }
        if let Some(refusal) = &sources.refusal {
            return Ok(Some(Told::new(POINTERS, refusal, None)));
        }
        let world = self.controller.driver.store.world(&self.cluster(&plan.drive.infra_id), drive::now());
        match basis(&needs(translation), step, &world) {
            Basis::Foreign(need) => {
                return Ok(Some(Told::new(FAILED, pages::foreign_source(&need).message, None)));
            }
            Basis::Waits => return Ok(Some(Told::new("InProgress", WAITING, None))),
            Basis::Ready => {}
        }
        let images = images_of(&sources.plan);
        if anchor::noted_images(self.resource) != images {
            // What does not go with the group has to be known before it exists.
            if !self.is_marked {
                let objects = &*self.controller.objects;
                self.is_marked = anchor::note_images(objects, self.place, self.resource, &images).await?;
            }
            return Ok(Some(Told::new("InProgress", WAITING, Some(AT_ONCE))));
        }
        let Some(creator) = self.controller.boots.as_ref() else { return Ok(None) };
        let key = self.key();
        let progress = self.memory.booting.advance(&sources.print, |stop| {
            let cluster = &plan.drive.infra_id;
            tracing::info!(controller = NAME, %key, %cluster, "creating image and ignition config");
            creator.create(BootOrder {
                plan: Arc::clone(&sources.plan),
                credential: sources.credential.clone(),
                bootstrap: sources.bootstrap.clone(),
                stop,
            })
        });
        Ok(Some(match progress {
            Progress::Running => {
                Told::new("InProgress", format!("{WAITING}, which landfall creates"), Some(LOOK))
            }
            Progress::Done => Told::new("InProgress", WAITING, Some(AT_ONCE)),
            Progress::Failed(why, pause) => {
                Told::new(FAILED, format!("{WAITING}, which landfall could not create: {why}"), Some(pause))
            }
        }))
    }

    /// Removes the images that landfall created in a resource group which stays. Goes on once they are gone; else says when
    /// to look again.
    pub(super) fn remove_images(
        &mut self,
        infra_id: &str,
        credential: Result<Credential, Failed>,
    ) -> Result<ControlFlow<Option<Duration>>, Failed> {
        let noted = anchor::noted_images(self.resource);
        let Some((cloud_name, group)) = noted.split_once('/').filter(|_| !self.resource.keeps_azure()) else {
            return Ok(ControlFlow::Continue(()));
        };
        let credential = self.because(CREDENTIALS, credential)?;
        let (why, rest) = match &self.controller.boots {
            None => (UNABLE.to_owned(), None),
            Some(creator) => {
                let progress = self.memory.clearing.advance(noted, |stop| {
                    let [infra_id, cloud_name, group] = [infra_id, cloud_name, group].map(str::to_owned);
                    creator.remove(BootRemoval { infra_id, cloud_name, group, credential, stop })
                });
                match progress {
                    Progress::Done => return Ok(ControlFlow::Continue(())),
                    Progress::Running => {
                        let note = format!("the cluster's image gallery in {group} is being removed");
                        self.say(Said::new(READY, false, "Removing", note));
                        return Ok(ControlFlow::Break(Some(LOOK)));
                    }
                    Progress::Failed(why, pause) => (why, Some(pause)),
                }
            }
        };
        let note = format!(
            "the cluster's image gallery in {group} could not be removed: {why}. To leave it there, remove the \
             annotation {}",
            anchor::IMAGES
        );
        self.say(Said::new(READY, false, FAILED, note));
        Ok(ControlFlow::Break(rest))
    }
}
