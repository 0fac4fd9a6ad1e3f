//! `landfall create cluster --engine aso`: the infrastructure as objects of a management cluster.

mod boot;
mod choice;
mod ending;
mod losses;

use std::sync::Mutex;

use futures::FutureExt as _;
use serde_json::{Value, json};

use super::begun::{other_machines, other_namespace};
use super::started::Configs;
use super::{Ended, Going, Job};
use crate::cli::aso::credential::handed_over;
use crate::cli::aso::management::{ASKING, Management, Shown, stopping};
use crate::cli::aso::{cloud_of, management, patches, without_object};
use crate::cli::create::closing::Stood;
use crate::cli::create::{closing, outcome};
use crate::cli::destroy::at_home;
use crate::cli::{Exit, Output, engine};
use crate::install::Fault;
use crate::prepare::{Environment, FactsFrom, Options};
use crate::ui::{counted, json as json_form, watched};
use crate::workdir::{BOOTSTRAP_REMOVAL, ClusterDir, StepResult};
use crate::{install, prepare, workdir};
use boot::Boot;
use choice::Choice;
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::REDACTED;
use landfall_engine_aso::anchor::Credential;
use landfall_engine_aso::core::{Owner, PLAN_LIMIT, Stage};
use landfall_engine_aso::detect::{Report, Wanted, permissions, unserved};
use landfall_engine_aso::drive::{Ground, Worked, at_work, boot_sources, obstacle, pages};
use landfall_engine_aso::kinds::Kind;
use landfall_engine_aso::translate::{Creator, Domains, Ignition, Input, Translation, translate};
use landfall_engine_aso::{anchor, drive};
use landfall_install_config::assets;
use landfall_model::plan::{Identity, Plan};
use landfall_net::stop::Stop;
use landfall_platform::cloud::Asking;
use landfall_platform::native::{BootSources, Secrets};

/// The name of the engine.
pub(super) const NAME: &str = "aso";
/// The step in the journal.
pub(super) const STEP: &str = "aso.apply";

/// The cluster, ready to be made.
struct Ready {
    ground: Ground,
    translation: Translation,
    anchor: Value,
}

/// What differs from the plan of what machines start from, or why that was not created.
type Booted = Result<Vec<Finding>, Fault>;

/// A management cluster that can make it.
struct Usable {
    /// What was found of the operator.
    report: Report,
    /// The kinds of which there can be objects.
    kinds: Vec<&'static Kind>,
    /// The versions of these.
    known: Report,
}

impl Job<'_> {
    /// Makes the cluster, or shows what would be made.
    pub(super) fn aso(&self, asking: &Asking<'_>, ask: &prepare::Ask<'_>) -> Going<Exit> {
        let other = other_namespace(self.directory, self.args.aso.namespace.as_deref());
        if let Some(finding) = other.or_else(|| other_machines(self.directory, self.machines)) {
            return Err(Ended::finding(finding, Exit::Failed));
        }
        let azure = self.examined.config.platform.azure.as_ref();
        let cloud = azure.and_then(|azure| unserved(&azure.cloud_name, &self.basis.catalogue.azure));
        if let Some(finding) = cloud {
            return Err(self.unfit(vec![finding]));
        }
        // What is wrong here is known at once; the cloud takes a while.
        if !self.args.plan {
            self.ignition().look(self.directory)?;
        }
        let configs = self.configs()?;
        let choice = self.choice()?;
        let management = if self.args.plan {
            None
        } else {
            // Connections belong to the runtime.
            let _within = self.runtime.enter();
            Some(Management::of(self.args.aso.kubeconfig.kubeconfig.as_deref())?)
        };
        let facts = self.facts(asking, ask)?;
        ask.watcher.over();
        match management {
            Some(management) => self.make_objects(&management, facts, &configs, &choice),
            None => self.show_objects(facts, &configs, &choice),
        }
    }

    fn show_objects(&self, facts: FactsFrom<'static>, configs: &Configs, choice: &Choice) -> Going<Exit> {
        let options = self.options(facts);
        let outlook = prepare::outlook(self.directory, self.basis, self.examined, &options, Environment)?;
        let ground = self.ground(&outlook.plan);
        let translation =
            self.translation(&outlook.plan, configs, choice).map_err(|findings| self.unfit(findings))?;
        let sources =
            self.boot_sources(&outlook.plan, &translation).map_err(|findings| self.unfit(findings))?;
        let direct = sources.as_ref().map(without_object::names).unwrap_or_default();
        let objects = translation.objects.iter();
        if self.settings.output == Output::Json {
            let mut value = self.head("planned", &outlook.plan);
            let shown = objects.map(|object| {
                let mut spec = Value::from(object.spec.clone());
                if let Some(pointer) = spec.pointer_mut("/osProfile/customData") {
                    // It may hold a signature that gives access.
                    *pointer = REDACTED.into();
                }
                json!({
                    "apiVersion": object.api_version,
                    "kind": object.kind.kind,
                    "name": object.name,
                    "waitsFor": object.hints.late_bound,
                    "spec": spec,
                })
            });
            value["namespace"] = ground.namespace.into();
            value["objects"] = shown.collect::<Vec<Value>>().into();
            value["withoutObject"] = direct.into();
            self.add_cost(&mut value, &outlook.plan);
            value["findings"] = json_form::findings(&outcome::judged(&outlook.said)).into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(Exit::Done);
        }
        outcome::said(&self.left_to_tell(&outlook.said), self.settings);
        let lines = objects.map(|object| format!("{}/{}\n", object.kind.kind, object.name));
        let without = direct.iter().map(|name| format!("{name} (without an object)\n"));
        let text: String = lines.chain(without).collect();
        let cost = self.cost_text(&outlook.plan, self.settings.printer.styles().data);
        self.settings.printer.data(&(text + &cost))?;
        let count = counted(translation.objects.len(), "object");
        self.settings.printer.talk(&format!("{count} in namespace {}", ground.namespace));
        if self.machines && configs.control_plane.is_none() {
            let line = "the control plane's machines are left out until master.ign exists";
            self.settings.printer.talk(line);
        }
        self.stands_for(&outlook);
        Ok(Exit::Done)
    }

    fn make_objects(
        &self,
        management: &Management,
        facts: FactsFrom<'static>,
        configs: &Configs,
        choice: &Choice,
    ) -> Going<Exit> {
        let options = self.options(facts);
        let outlook = prepare::outlook(self.directory, self.basis, self.examined, &options, Environment)?;
        let ready = self.ready(&outlook.plan, configs, choice)?;
        self.boot_sources(&outlook.plan, &ready.translation).map_err(|findings| self.unfit(findings))?;
        if let Ok(named) = prepare::target::of_cluster(self.directory) {
            self.runtime.block_on(at_home(&named, &management.live, &ready.ground))?;
        }
        let usable = self.usable(management, &outlook.plan, &ready);
        let Ready { ground, translation: mut planned, .. } = ready;
        let (Usable { report, kinds, known }, credential) = match (usable, self.credential(&outlook.plan)) {
            (Ok(usable), Ok(credential)) => (usable, credential),
            (usable, credential) => {
                let mut findings = usable.err().unwrap_or_default();
                findings.extend(credential.err().map(|finding| *finding));
                return self.unusable(&findings);
            }
        };
        management::warn(&report, self.settings);
        drive::served(&mut planned, &report.versions);
        let mut cluster = ClusterDir::open(self.directory)?;
        if self.standing(&cluster) > 0 {
            return Err(Ended::finding(pages::other_engine("terraform", NAME), Exit::Failed));
        }
        // The files are those of the cluster that was looked for.
        let Identity { infra_id, cluster_id } = outlook.plan.identity;
        let options = Options { infra_id: Some(infra_id), cluster_id: Some(cluster_id), ..options };
        let prepared = prepare::prepare_in(&mut cluster, self.basis, self.examined, &options, Environment)?;
        self.note_accepted(&cluster)?;
        prepare::target::note_decided(&mut cluster, &choice.decided)?;
        outcome::told(self.directory, &prepared, &self.left_to_tell(&prepared.said), self.settings);
        // Machines start from ignition configs, which are among the files.
        let mut configs = self.configs()?;
        if configs.bootstrap.is_some() {
            let machine = boot::machine(&management.live, &planned, &ground.namespace);
            let machine = self
                .runtime
                .block_on(machine)
                .map_err(|failure| Ended::finding(management.unanswered(&failure), Exit::PartWay))?;
            // A machine that exists starts with no other.
            if let Some(machine) = machine {
                configs.bootstrap = Some(machine.pointer);
            }
        }
        let mut ready = self.ready(&prepared.plan, &configs, choice)?;
        drive::served(&mut ready.translation, &report.versions);
        self.consented(management, &ready, (&kinds, &known), &prepared)?;
        let count = counted(ready.translation.objects.len(), "object");
        engine::note(&cluster, STEP, StepResult::Began, &count)?;
        let ground = ready.ground.clone();
        let all = (ready, &credential);
        let secrets = install::secrets(self.directory)?;
        let from = (&prepared.plan, &configs, choice, &secrets);
        let worked = self.apply(management, &cluster, from, all, (&kinds, &known));
        let (worked, booted) = worked.map_err(|findings| self.unfit(findings))?;
        self.worked(&cluster, &prepared, &ground, (&worked, booted))
    }

    /// Makes the objects with what machines start from, and waits until they are as they should be.
    ///
    /// # Errors
    /// The plan has no boot sources.
    fn apply(
        &self,
        management: &Management,
        cluster: &ClusterDir,
        (plan, configs, choice, secrets): (&Plan, &Configs, &Choice, &Secrets),
        (ready, credential): (Ready, &Credential),
        (kinds, known): (&[&'static Kind], &Report),
    ) -> Result<(Worked, Booted), Vec<Finding>> {
        let Ready { ground, translation, anchor } = ready;
        let sources = self.boot_sources(plan, &translation)?;
        let needed = kinds_of(&translation);
        let wanted = Wanted { cloud: cloud_of(plan), namespace: &ground.namespace, kinds: &needed };
        let (machines, clouds) = (self.machines, &self.basis.catalogue);
        let checks = || {
            let checked = management.check(&wanted, &ground.infra_id, machines, clouds);
            checked.map(|checked| checked.err().unwrap_or_default()).boxed()
        };
        let (shown, stop) = (Shown::new(self.settings, PLAN_LIMIT).checking(&checks), Stop::default());
        let secret = |owner: &Owner| credential.secret(&ground.infra_id, owner, true);
        let place = management.place(kinds, &ground, &shown, &stop);
        let stage = self.stage();
        let held = translation.clone();
        let boot = sources.as_ref().map(|sources| Boot {
            platform: self.platform.name(),
            session: self.session,
            live: &management.live,
            namespace: &ground.namespace,
            held: &held,
            cluster,
            sources,
            secrets,
            input: self.input(plan, configs, choice),
            versions: &known.versions,
            shown: &shown,
            stop: &stop,
            needs: boot_sources::needs(&translation),
            result: Mutex::new(Ok(Vec::new())),
        });
        let boots = boot.as_ref().map(|boot| boot as &dyn drive::Boot);
        let job = drive::Job::Make { translation, anchor: &anchor, secret: &secret, stage, boot: boots };
        let worked = self.runtime.block_on(async {
            let mut feed = management.feed(kinds, known, &ground);
            shown.during(stopping(&stop, at_work(&place, &mut feed, job))).await
        });
        Ok((worked, boot.map_or(Ok(Vec::new()), Boot::result)))
    }

    /// What machines start from that wait for it; none where none do.
    fn boot_sources(
        &self,
        plan: &Plan,
        translation: &Translation,
    ) -> Result<Option<BootSources>, Vec<Finding>> {
        if !translation.objects.iter().any(boot_sources::is_held) {
            return Ok(None);
        }
        let patched = boot_sources::patched(translation);
        if !patched.is_empty() {
            return Err(patched);
        }
        self.platform.boot_sources(plan, &self.basis.catalogue)
    }

    /// What the management cluster is good for, before anything is written anywhere.
    fn usable(&self, management: &Management, plan: &Plan, ready: &Ready) -> Result<Usable, Vec<Finding>> {
        let machines = self.machines;
        let needed = kinds_of(&ready.translation);
        let Ground { infra_id, namespace } = &ready.ground;
        let wanted = Wanted { cloud: cloud_of(plan), namespace, kinds: &needed };
        let asked = async {
            let report = management.check(&wanted, infra_id, machines, &self.basis.catalogue).await?;
            // What an earlier plan left over may be of kinds that this one does not need.
            let (kinds, known) = management.served(&permissions::kinds(machines), namespace).await?;
            match obstacle(&management.live, &ready.ground).await {
                Ok(None) => Ok(Usable { report, kinds, known }),
                Ok(Some(finding)) => Err(vec![finding]),
                Err(failure) => Err(vec![pages::failure(&failure)]),
            }
        };
        self.runtime.block_on(watched(&self.settings.printer, ASKING, None, asked))
    }

    /// Says what stands against the use of a management cluster.
    fn unusable(&self, findings: &[Finding]) -> Going<Exit> {
        let exit = engine::ended("refused", findings, Exit::Unfit, self.settings)?;
        let text = closing::objects_again(Stood::Untouched, exit, true, self.directory);
        self.settings.printer.talk(&text);
        Ok(exit)
    }

    /// Whether the operator makes the bootstrap machine: not again, once its removal began.
    pub(super) fn needs_bootstrap(&self) -> bool {
        let steps = workdir::steps(self.directory);
        self.machines && steps.is_ok_and(|steps| steps.last(BOOTSTRAP_REMOVAL).is_none())
    }

    fn stage(&self) -> Stage {
        if self.needs_bootstrap() { Stage::Bootstrap } else { Stage::Install }
    }

    fn ground(&self, plan: &Plan) -> Ground {
        let infra_id = plan.identity.infra_id.clone();
        let noted = prepare::target::of_cluster(self.directory).ok().and_then(|named| named.engine());
        let noted = noted.map(|engine| engine.namespace).filter(|namespace| !namespace.is_empty());
        let namespace = self.args.aso.namespace.clone().or(noted).unwrap_or_else(|| infra_id.clone());
        Ground { infra_id, namespace }
    }

    fn translation(
        &self,
        plan: &Plan,
        configs: &Configs,
        choice: &Choice,
    ) -> Result<Translation, Vec<Finding>> {
        let mut translation = translate(&self.input(plan, configs, choice))?;
        if self.creates_boot_sources() {
            boot_sources::hold(&mut translation);
        }
        Ok(translation)
    }

    fn input<'i>(&'i self, plan: &'i Plan, configs: &'i Configs, choice: &'i Choice) -> Input<'i> {
        Input {
            plan,
            cloud: Domains::of(&self.basis.catalogue.azure, cloud_of(plan)),
            machines: self.machines,
            bootstrap: self.needs_bootstrap(),
            api_internal_ip: choice.decided.api_internal_ip,
            ignition: Ignition {
                bootstrap: configs.bootstrap.as_ref().map(|config| config.expose().as_str()),
                control_plane: configs.control_plane.as_ref().map(|config| config.expose().as_str()),
            },
            patches: &choice.patches,
            creator: Creator::Operator,
        }
    }

    fn ready(&self, plan: &Plan, configs: &Configs, choice: &Choice) -> Going<Ready> {
        let ground = self.ground(plan);
        let translation = self.translation(plan, configs, choice).map_err(|findings| self.unfit(findings))?;
        let anchor = anchor::anchor(plan, &ground.namespace).unwrap_or_default();
        Ok(Ready { ground, translation, anchor })
    }

    /// The credential for the operator.
    fn credential(&self, plan: &Plan) -> Result<Credential, Box<Finding>> {
        let credentials = assets::credentials(&self.examined.config, &Environment);
        handed_over(plan, &credentials, &Environment)
    }

    /// The refusal of a plan, with the places of what stands against it.
    fn unfit(&self, findings: Vec<Finding>) -> Ended {
        patches::unfit(self.args.aso.aso_patches.as_deref(), findings, self.examined).into()
    }
}

/// The kinds of the objects of a plan.
fn kinds_of(translation: &Translation) -> Vec<&'static Kind> {
    let mut kinds: Vec<&'static Kind> = Vec::new();
    for desired in &translation.objects {
        if !kinds.contains(&desired.kind) {
            kinds.push(desired.kind);
        }
    }
    kinds
}
