//! `landfall create cluster --engine aso`: the infrastructure as objects of a management cluster.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use serde_json::{Value, json};

use super::{Ended, EngineName, Going, Job};
use crate::assets;
use crate::cli::aso::credential::handed_over;
pub(super) use crate::cli::aso::management::refuse as refused;
use crate::cli::aso::management::{
    self, KubeconfigArgs, Management, Shown, identity, judged, limits, outcome as word, stopping,
};
use crate::cli::create::closing::{self, Stood};
use crate::cli::create::outcome;
use crate::cli::destroy::at_home;
use crate::cli::{Exit, Output, engine};
use crate::engine::aso::anchor::{self, Credential};
use crate::engine::aso::core::{Outcome, Owner, PLAN_LIMIT, Stage};
use crate::engine::aso::detect::{Report, Wanted, permissions};
use crate::engine::aso::drive::{self, Ground, Place, Step, Worked, at_work, pages};
use crate::engine::aso::kinds::Kind;
use crate::engine::aso::translate::{Domains, Ignition, Input, Translation, translate};
use crate::finding::{Finding, Findings};
use crate::plan::{self, Identity, Plan};
use crate::platform::World as _;
use crate::platform::cloud::Asking;
use crate::prepare::{self, Environment, FactsFrom, Options, Prepared, Refusal};
use crate::secret::{REDACTED, Secret};
use crate::stop::Stop;
use crate::ui::{counted, json as json_form};
use crate::workdir::{self, BOOTSTRAP_REMOVAL, ClusterDir, Step as Noted, StepResult};

/// The name of the engine.
pub(super) const NAME: &str = "aso";
/// The step in the journal.
const STEP: &str = "aso.apply";

/// How Azure Service Operator makes the cluster.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "With --engine aso")]
pub(super) struct AsoArgs {
    #[command(flatten)]
    kubeconfig: KubeconfigArgs,

    /// Namespace of the cluster's objects; named like the infrastructure id unless given
    #[arg(long, value_name = "NAME")]
    namespace: Option<String>,

    /// Who makes the machines
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Machines::None)]
    aso_machines: Machines,

    /// File with the ignition config that points the bootstrap machine at the whole one
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    aso_ignition_pointer: Option<PathBuf>,
}

/// Who makes the machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Machines {
    /// Another engine
    None,
    /// The operator
    Aso,
}

impl AsoArgs {
    /// The engine as it is noted for a cluster.
    pub(super) fn noted(&self) -> prepare::Engine {
        prepare::Engine { name: NAME.to_owned(), namespace: self.namespace.clone().unwrap_or_default() }
    }
}

impl From<EngineName> for plan::Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Terraform => Self::Terraform,
            EngineName::Aso => Self::Aso,
        }
    }
}

/// The engine of a run: the one that is asked for, which must be the one that began the cluster.
///
/// # Errors
/// Another one began it.
pub(super) fn chosen(asked: Option<EngineName>, directory: &Path) -> Result<EngineName, Box<Finding>> {
    let noted = prepare::target::of_cluster(directory).ok().and_then(|named| named.engine());
    let is_noted = noted.is_some_and(|engine| engine.name == NAME);
    match asked {
        Some(EngineName::Terraform) if is_noted => Err(Box::new(pages::other_engine(NAME, "terraform"))),
        Some(asked) => Ok(asked),
        None if is_noted => Ok(EngineName::Aso),
        None => Ok(EngineName::Terraform),
    }
}

/// The cluster, ready to be made.
struct Ready {
    ground: Ground,
    translation: Translation,
    anchor: Value,
    credential: Credential,
}

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
    pub(super) fn aso(&self, asking: &Asking<'_>, ask: &prepare::Ask<'_>) -> anyhow::Result<Going<Exit>> {
        if let Some(finding) = self.other_namespace() {
            return refused(&[finding], Exit::Failed, self.settings).map(Ok);
        }
        let management = if self.args.plan {
            None
        } else {
            // Connections belong to the runtime.
            let _within = self.runtime.enter();
            match Management::of(self.args.aso.kubeconfig.kubeconfig.as_deref()) {
                Ok(management) => Some(management),
                Err((finding, exit)) => return refused(&[*finding], exit, self.settings).map(Ok),
            }
        };
        let facts = match self.facts(asking, ask)? {
            Ok(facts) => facts,
            Err(ended) => return Ok(Err(ended)),
        };
        ask.watcher.over();
        match management {
            Some(management) => self.make_objects(&management, facts),
            None => self.show_objects(facts),
        }
    }

    fn show_objects(&self, facts: FactsFrom<'static>) -> anyhow::Result<Going<Exit>> {
        let options = self.options(facts);
        let outlook = prepare::outlook(self.directory, self.basis, self.examined, &options, Environment);
        let outlook = match outlook {
            Ok(outlook) => outlook,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let ground = self.ground(&outlook.plan);
        let translation = match self.translation(&outlook.plan) {
            Ok(translation) => translation,
            Err(findings) => return Ok(Err(self.unfit(findings))),
        };
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
            value["findings"] = json_form::findings(&outcome::judged(&outlook.said)).into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(Ok(Exit::Done));
        }
        outcome::said(&outlook.said, self.settings);
        let lines = objects.map(|object| format!("{}/{}\n", object.kind.kind, object.name));
        let text: String = lines.collect();
        self.settings.printer.data(&text)?;
        let count = counted(translation.objects.len(), "object");
        self.settings.printer.talk(&format!("{count} in namespace {}", ground.namespace));
        Ok(Ok(Exit::Done))
    }

    fn make_objects(
        &self,
        management: &Management,
        facts: FactsFrom<'static>,
    ) -> anyhow::Result<Going<Exit>> {
        let options = self.options(facts);
        let outlook = prepare::outlook(self.directory, self.basis, self.examined, &options, Environment);
        let outlook = match outlook {
            Ok(outlook) => outlook,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        let ready = match self.ready(&outlook.plan) {
            Ok(ready) => ready,
            Err(findings) => return Ok(Err(self.unfit(findings))),
        };
        if let Ok(named) = prepare::target::of_cluster(self.directory) {
            let home = at_home(&named, &management.live, &ready.ground);
            if let Err((findings, exit)) = self.runtime.block_on(home) {
                return refused(&findings, exit, self.settings).map(Ok);
            }
        }
        let Usable { report, kinds, known } = match self.usable(management, &outlook.plan, &ready) {
            Ok(usable) => usable,
            Err(findings) => return refused(&findings, Exit::Unfit, self.settings).map(Ok),
        };
        management::warn(&report, self.settings);
        let mut cluster = ClusterDir::open(self.directory)?;
        if self.standing(&cluster) > 0 {
            let finding = pages::other_engine("terraform", NAME);
            return refused(&[finding], Exit::Failed, self.settings).map(Ok);
        }
        // The files are those of the cluster that was looked for.
        let Identity { infra_id, cluster_id } = outlook.plan.identity;
        let options = Options { infra_id: Some(infra_id), cluster_id: Some(cluster_id), ..options };
        let prepared = prepare::prepare_in(&mut cluster, self.basis, self.examined, &options, Environment);
        let prepared = match prepared {
            Ok(prepared) => prepared,
            Err(refusal) => return Ok(Err(refusal.into())),
        };
        outcome::told(self.directory, &prepared, self.settings);
        // Machines start from ignition configs, which are among the files.
        let mut ready = match self.ready(&prepared.plan) {
            Ok(ready) => ready,
            Err(findings) => return Ok(Err(self.unfit(findings))),
        };
        drive::served(&mut ready.translation, &report.versions);
        let Ground { infra_id, namespace } = &ready.ground;
        let count = counted(ready.translation.objects.len(), "object");
        if !self.args.yes {
            let question = format!("Make {infra_id} as {count} in namespace {namespace}?");
            if let Some(exit) = engine::consent(&question, self.settings)? {
                self.settings.printer.talk("nothing was made; the files are written");
                return Ok(Err(Ended::Said(exit)));
            }
        }
        note(&cluster, StepResult::Began, &count)?;
        let ground = ready.ground.clone();
        let worked = self.apply(management, &prepared.plan, ready, &kinds, &known);
        self.worked(&cluster, &prepared, &ground, &worked).map(Ok)
    }

    /// Makes the objects, and waits until they are as they should be.
    fn apply(
        &self,
        management: &Management,
        plan: &Plan,
        ready: Ready,
        kinds: &[&'static Kind],
        known: &Report,
    ) -> Worked {
        let Ready { ground, translation, anchor, credential } = ready;
        let needed = kinds_of(&translation);
        let wanted = Wanted { cloud: cloud_of(plan), namespace: &ground.namespace, kinds: &needed };
        let (machines, clouds) = (self.makes_machines(), &self.basis.catalogue);
        let checks = || {
            let checked = management.check(&wanted, &ground.infra_id, machines, clouds);
            checked.map(|checked| checked.err().unwrap_or_default()).boxed()
        };
        let (shown, stop) = (Shown::new(self.settings).checking(&checks), Stop::default());
        let secret = |owner: &Owner| credential.secret(&ground.infra_id, owner, true);
        let place = Place {
            api: &management.live,
            kinds,
            ground: &ground,
            identity: identity(),
            limits: limits(PLAN_LIMIT),
            watcher: &shown,
            stop: &stop,
        };
        let stage = if self.needs_bootstrap() { Stage::Bootstrap } else { Stage::Install };
        let job = drive::Job::Make { translation, anchor: &anchor, secret: &secret, stage };
        self.runtime.block_on(async {
            let mut feed = management.feed(kinds, known, &ground);
            stopping(&stop, at_work(&place, &mut feed, job)).await
        })
    }

    /// What the management cluster is good for, before anything is written anywhere.
    fn usable(&self, management: &Management, plan: &Plan, ready: &Ready) -> Result<Usable, Vec<Finding>> {
        let machines = self.makes_machines();
        let needed = kinds_of(&ready.translation);
        let Ground { infra_id, namespace } = &ready.ground;
        let wanted = Wanted { cloud: cloud_of(plan), namespace, kinds: &needed };
        self.runtime.block_on(async {
            let report = management.check(&wanted, infra_id, machines, &self.basis.catalogue).await?;
            // What an earlier plan left over may be of kinds that this one does not need.
            let (kinds, known) = management.served(&permissions::kinds(machines), namespace).await?;
            Ok::<_, Vec<Finding>>(Usable { report, kinds, known })
        })
    }

    fn makes_machines(&self) -> bool {
        self.args.aso.aso_machines == Machines::Aso
    }

    /// Whether the operator makes the bootstrap machine: not again, once its removal began.
    fn needs_bootstrap(&self) -> bool {
        let steps = workdir::steps(self.directory);
        self.makes_machines() && steps.is_ok_and(|steps| steps.last(BOOTSTRAP_REMOVAL).is_none())
    }

    fn ground(&self, plan: &Plan) -> Ground {
        let infra_id = plan.identity.infra_id.clone();
        let noted = prepare::target::of_cluster(self.directory).ok().and_then(|named| named.engine());
        let noted = noted.map(|engine| engine.namespace).filter(|namespace| !namespace.is_empty());
        let namespace = self.args.aso.namespace.clone().or(noted).unwrap_or_else(|| infra_id.clone());
        Ground { infra_id, namespace }
    }

    /// What stands against the namespace that is asked for: that the cluster is in another one.
    fn other_namespace(&self) -> Option<Finding> {
        let asked = self.args.aso.namespace.as_deref()?;
        let noted = prepare::target::of_cluster(self.directory).ok()?.engine()?.namespace;
        (asked != noted).then(|| pages::other_namespace(&noted, asked))
    }

    fn translation(&self, plan: &Plan) -> Result<Translation, Vec<Finding>> {
        let cloud = self.basis.catalogue.azure.cloud(cloud_of(plan)).map(|(_, cloud)| cloud);
        let pointer = self.args.aso.aso_ignition_pointer.as_ref();
        let pointer = pointer.and_then(|path| Environment.file(&path.to_string_lossy()));
        let pointer = pointer.and_then(|bytes| String::from_utf8(bytes).ok()).map(Secret::new);
        if self.needs_bootstrap() && pointer.is_none() {
            return Err(vec![pages::ignition()]);
        }
        let master = Environment.file(&self.directory.join("master.ign").to_string_lossy());
        let master = master.and_then(|bytes| String::from_utf8(bytes).ok()).map(Secret::new);
        translate(&Input {
            plan,
            cloud: Domains {
                public_addresses: cloud.map_or("", |cloud| cloud.public_ip_dns_suffix.as_str()),
                key_vaults: cloud.map_or("", |cloud| cloud.key_vault_dns_suffix.as_str()),
            },
            machines: self.makes_machines(),
            bootstrap: self.needs_bootstrap(),
            api_internal_ip: None,
            ignition: Ignition {
                bootstrap: pointer.as_ref().map(|config| config.expose().as_str()),
                control_plane: master.as_ref().map(|config| config.expose().as_str()),
            },
            patches: &BTreeMap::new(),
        })
    }

    fn ready(&self, plan: &Plan) -> Result<Ready, Vec<Finding>> {
        let ground = self.ground(plan);
        let translation = self.translation(plan)?;
        let credentials = assets::credentials(&self.examined.config, &Environment);
        let credential = handed_over(plan, &credentials, &Environment).map_err(|finding| vec![*finding])?;
        let anchor = anchor::anchor(plan, &ground.namespace).unwrap_or_default();
        Ok(Ready { ground, translation, anchor, credential })
    }

    /// The refusal of a plan, with the places of what stands against it.
    fn unfit(&self, findings: Vec<Finding>) -> Ended {
        let mut out = Findings::default();
        for finding in findings {
            out.push(finding);
        }
        let findings = assets::placed(out, &self.examined.config, &self.examined.said.text);
        let outcome = crate::verdict::Outcome::Rejected;
        let said = prepare::Said { outcome, findings, ..self.examined.said.again() };
        Ended::Refused(Refusal::Unfit(Box::new(said)))
    }

    /// Says how it ended.
    fn worked(
        &self,
        cluster: &ClusterDir,
        prepared: &Prepared,
        ground: &Ground,
        worked: &Worked,
    ) -> anyhow::Result<Exit> {
        let (findings, exit) = judged(worked, ground);
        let none = Step::default();
        let step = if let Worked::Ended(_, step) = worked { step } else { &none };
        let is_done = |planned: &&drive::Planned| Outcome::of(&planned.action.what) == Outcome::Done;
        let standing = step.objects.iter().filter(is_done).count();
        let result = match exit {
            Exit::Done => StepResult::Done,
            Exit::Interrupted => StepResult::Interrupted,
            _ => StepResult::Failed,
        };
        let detail = format!("{standing} of {}", counted(step.objects.len(), "object"));
        note(cluster, result, &detail)?;
        if self.settings.output == Output::Json {
            let mut value = self.head(word(exit), &prepared.plan);
            value["engine"] = json!({ "name": NAME, "namespace": ground.namespace });
            value["work"] = step.objects.iter().map(management::described).collect::<Vec<Value>>().into();
            value["resources"] = standing.into();
            let mut all: Vec<Value> = json_form::findings(&outcome::judged(&prepared.said));
            all.extend(json_form::placeless(&findings));
            value["findings"] = all.into();
            self.settings.printer.data(&format!("{value}\n"))?;
            return Ok(exit);
        }
        engine::report(&findings, self.settings);
        if exit == Exit::Done {
            let text = if self.makes_machines() {
                closing::next_steps(&ground.infra_id, standing, !self.needs_bootstrap(), self.directory)
            } else {
                closing::without_machines(&ground.infra_id, standing, self.directory)
            };
            self.settings.printer.data(&text)?;
        } else {
            let stood = match worked {
                Worked::Refused(_) => Stood::Untouched,
                _ if step.objects.is_empty() => Stood::Unknown,
                _ => Stood::So(standing, step.objects.len()),
            };
            let text = closing::objects_again(stood, exit, !findings.is_empty(), self.directory);
            self.settings.printer.talk(&text);
        }
        Ok(exit)
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

fn cloud_of(plan: &Plan) -> &str {
    plan.platform.azure.as_ref().map_or("", |azure| azure.cloud.name.as_str())
}

fn note(cluster: &ClusterDir, result: StepResult, detail: &str) -> anyhow::Result<()> {
    let (step, detail) = (STEP.to_owned(), detail.to_owned());
    cluster.note(&Noted { time: prepare::now(), step, result, detail, inputs: String::new() })?;
    Ok(())
}
