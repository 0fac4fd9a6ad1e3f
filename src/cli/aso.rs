//! `landfall aso`.

#![allow(clippy::disallowed_methods, reason = "the config and settings are read here")]

mod check;
pub mod credential;
mod install;
mod manage;
pub mod management;
pub mod patches;
pub mod reached;
mod roles;
mod settings;
pub mod without_object;

pub use settings::silent;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use landfall_azure::credentials::{SUBSCRIPTION_ID, TENANT_ID};
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Findings, Severity};
use landfall_engine_aso::anchor::Credential;
use landfall_engine_aso::core::{Context, Op, Stage as CoreStage, What as Done, decide};
use landfall_engine_aso::desired::Desired;
use landfall_engine_aso::detect::{Cluster, Deployment, Wanted};
use landfall_engine_aso::install::Step;
use landfall_engine_aso::translate::patches::by_object;
use landfall_engine_aso::translate::{Creator, Domains, Ignition, Input, pages, translate};
use landfall_engine_aso::{anchor, detect};
use landfall_install_config::assets;
use landfall_model::config::InstallConfig;
use landfall_model::plan::{Engine, Plan};
use serde_json::Value;

use super::create::{BasisArgs, said};
use super::input::Reading;
use super::namespace::namespace;
use super::{Ended, Exit, Output, Settings};
use crate::prepare::{self, Basis, Environment, Error, FactsFrom, INSTALL_CONFIG, Options, Refusal};
use settings::{EngineSettings, Machines, Stage, of_operator, uuid};

/// Manage clusters with Azure Service Operator
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Check(check::Args),
    /// Install Azure Service Operator in a management cluster
    ///
    /// Applies a release that you give, as a manifest or a Helm chart, and waits until it is usable. Needs
    /// cert-manager. Writes nothing if another operator is installed already.
    Install(install::Args),
    /// Upgrade an Azure Service Operator that landfall installed
    ///
    /// Checks the step and the stored versions, applies a release that you give, and waits until it is usable and all
    /// objects of clusters that were Ready are Ready again.
    Upgrade(install::Args),
    Roles(roles::Args),
    Render(Box<RenderArgs>),
    /// Pause a cluster: Azure is not changed
    Pause(manage::Args),
    /// Resume a paused cluster
    Resume(manage::Args),
    /// Hand over resources that the cluster edits itself
    Handover(manage::Args),
    Move(manage::MoveArgs),
}

/// Print a cluster's objects for Azure Service Operator
///
/// Calls neither a cloud nor a management cluster: plans with the catalogue, or with facts that were gathered
/// before. Prints the objects in an order in which they can be created. An invalid SSH key is only a warning
/// here.
#[derive(Debug, clap::Args)]
struct RenderArgs {
    /// Install config; default: from the cluster directory
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: Option<PathBuf>,

    /// Infrastructure ID; default: that of metadata.json, else a placeholder
    #[arg(long, value_name = "ID")]
    infra_id: Option<String>,

    /// Subscription to install into; default: from the environment's credentials
    #[arg(long, value_name = "ID", value_parser = uuid)]
    subscription_id: Option<String>,

    /// Tenant of the subscription; default: from the environment's credentials
    #[arg(long, value_name = "ID", value_parser = uuid)]
    tenant_id: Option<String>,

    /// Namespace of the objects; default: as in an earlier run, else the infrastructure ID
    #[arg(long, value_name = "NAME", value_parser = namespace)]
    namespace: Option<String>,

    /// Who creates the machines; default: as in an earlier run, else none
    #[arg(long, value_enum, value_name = "WHO")]
    machines: Option<Machines>,

    /// Stage of the cluster [default: install]
    #[arg(long, value_enum, value_name = "STAGE")]
    stage: Option<Stage>,

    /// Internal address of the API; default in an existing network: chosen by Azure
    #[arg(long, value_name = "ADDRESS")]
    api_internal_ip: Option<Ipv4Addr>,

    /// Patch file for objects: a YAML list of `kind`, `name` and `patch` (JSON merge patch)
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    aso_patches: Option<PathBuf>,

    /// UID of the anchor; default: empty
    #[arg(long, value_name = "UID", value_parser = uuid)]
    anchor_uid: Option<String>,

    /// File with values for these flags; flags override it
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    engine_settings: Option<PathBuf>,

    /// File with the operator's Secret `aso-controller-settings`; must be for the same cloud
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    controller_settings: Option<PathBuf>,

    /// Facts file from `landfall facts`
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    facts: Option<PathBuf>,

    /// Print the credential instead of a placeholder
    #[arg(long)]
    show_secrets: bool,

    #[command(flatten)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,
}

/// Does what the arguments name.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let args = match &args.what {
        What::Render(args) => args,
        What::Check(args) => return check::run(args, settings),
        What::Install(args) => return install::run(args, Step::Install, settings),
        What::Upgrade(args) => return install::run(args, Step::Upgrade, settings),
        What::Roles(args) => return roles::run(args, settings),
        What::Pause(args) => return manage::run(args, manage::Change::Pause, settings),
        What::Resume(args) => return manage::run(args, manage::Change::Resume, settings),
        What::Handover(args) => return manage::run(args, manage::Change::HandOver, settings),
        What::Move(args) => return manage::relocate(args, settings),
    };
    let documents = render(args, settings)?;
    settings.printer.data(&written(&documents, settings.output)?)?;
    Ok(Exit::Done)
}

/// An object, and what must be known before it is created.
struct Document {
    object: Value,
    waits_for: Vec<String>,
}

impl From<Value> for Document {
    fn from(object: Value) -> Self {
        Self { object, waits_for: Vec::new() }
    }
}

/// Stands for the pointer to the bootstrap machine's config, which is known once that is stored.
const STAND_IN: &str = r#"{"ignition":{"version":"3.2.0"}}"#;

fn render(args: &RenderArgs, settings: &Settings) -> Result<Vec<Document>, Refusal> {
    let own = EngineSettings::of(args)?;
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let path = args.file.clone().unwrap_or_else(|| directory.join(INSTALL_CONFIG));
    // Standard input is in no directory.
    let directory = match &args.file {
        Some(file) if file.as_path() == Path::new("-") => directory.as_path(),
        _ => path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
    };
    let basis = Basis::new(&args.basis.options()?, directory)?;
    args.basis.warn_of_profile(directory, settings);
    let examined = prepare::examine_but(&path, &basis, args.reading.into(), is_for_machines)?;
    let mut credentials = assets::credentials(&examined.config, &Environment);
    for (key, id) in [(SUBSCRIPTION_ID, &own.subscription_id), (TENANT_ID, &own.tenant_id)] {
        if let Some(id) = id {
            credentials.insert(key, Secret::new(id.clone()));
        }
    }
    let facts = if let Some(path) = &args.facts {
        FactsFrom::File(path.clone())
    } else {
        let mut out = Findings::default();
        let facts = prepare::facts_of_catalogue(&examined.config, &basis, &credentials, &mut out);
        FactsFrom::Given(Box::new(facts))
    };
    let options = Options {
        strictness: args.reading.into(),
        infra_id: own.infra_id.clone(),
        engine: Some(prepare::Engine {
            name: Engine::Aso.name().to_owned(),
            namespace: String::new(),
            machines: own.makes_machines(),
        }),
        ..Options::reading(facts)
    };
    let outlook = prepare::outlook(directory, &basis, &examined, &options, Environment)?;
    let infra_id = &outlook.plan.identity.infra_id;
    let own = match prepare::target::of_cluster(directory) {
        Ok(named) if named.target.infra_id == *infra_id => own.or_noted(&named),
        _ => own,
    };
    let patched_by = args.aso_patches.as_deref().or(args.engine_settings.as_deref());
    let refuse = &|findings: Vec<Finding>| patches::unfit(patched_by, findings, &examined);
    let objects = objects(&outlook.plan, &basis, &own).map_err(refuse)?;
    check_operator(&outlook.plan, &basis, args.controller_settings.as_deref(), refuse)?;
    let credential = credential::foreseen(&outlook.plan, &credentials, &Environment);
    let credential = credential.map_err(|finding| refuse(vec![*finding]))?;
    let documents =
        documents(objects, &outlook.plan, &own, &credential, args.show_secrets).map_err(refuse)?;
    // Only now it is certain that nothing refuses it.
    said(&outlook.said, settings);
    if !outlook.id_is_fixed {
        let line = format!("{infra_id} is a placeholder for the infrastructure ID; set it with --infra-id");
        settings.printer.talk(&line);
    }
    if own.makes_machines() && own.is_bootstrap() {
        settings.printer.talk(
            "the control plane's machines are left out until their ignition config is known; the bootstrap \
             machine's is a placeholder with a version only",
        );
    }
    Ok(documents)
}

/// The code of an SSH key that is none.
const SSH_KEY: &str = "LF0106";

/// Whether only a machine would trip over a finding: an SSH key that is written as a public one is printed as
/// it is. What may be a private key, or anything else, is not.
fn is_for_machines(finding: &Finding, config: &InstallConfig) -> bool {
    const TYPES: [&str; 3] = ["ssh-", "ecdsa-", "sk-"];
    let is_public = |line: &str| {
        let mut words = line.split_whitespace();
        let is_type = |word: &str| TYPES.iter().any(|beginning| word.starts_with(beginning));
        words.next().is_some_and(is_type) && words.next().is_some_and(|data| data.starts_with("AAAA"))
    };
    let lines = config.ssh_key.expose().lines().map(str::trim);
    let keys: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    finding.code.as_str() == SSH_KEY && !keys.is_empty() && keys.into_iter().all(is_public)
}

/// The bytes of a file that the command line names.
///
/// # Errors
/// It cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    prepare::named(path)
}

/// The name of the cloud of a plan; empty for a platform other than Azure.
#[must_use]
pub fn cloud_of(plan: &Plan) -> &str {
    plan.platform.azure.as_ref().map_or("", |azure| azure.cloud.name.as_str())
}

/// The operator's objects.
fn objects(plan: &Plan, basis: &Basis, own: &EngineSettings) -> Result<Vec<Desired>, Vec<Finding>> {
    let input = Input {
        plan,
        cloud: Domains::of(&basis.catalogue.azure, cloud_of(plan)),
        machines: own.makes_machines(),
        bootstrap: own.is_bootstrap(),
        api_internal_ip: own.api_internal_ip,
        ignition: Ignition { bootstrap: Some(STAND_IN), control_plane: None },
        patches: &by_object(own.patches.iter().cloned()),
        creator: Creator::Operator,
    };
    Ok(translate(&input)?.objects)
}

/// Refuses a cloud that no operator serves, and an operator whose settings are for another cloud.
fn check_operator(
    plan: &Plan,
    basis: &Basis,
    secret: Option<&Path>,
    refuse: &dyn Fn(Vec<Finding>) -> Refusal,
) -> Result<(), Refusal> {
    let cloud = cloud_of(plan);
    // All but the settings is taken to be as it must be: nobody was asked.
    let operator = Deployment { name: detect::DEPLOYMENT.to_owned(), available: 1, ..Deployment::default() };
    let mut settings = BTreeMap::new();
    if let Some(path) = secret {
        let read =
            detect::Settings { endpoints: of_operator(path)?.endpoints, ..detect::Settings::default() };
        settings.insert(operator.namespace.clone(), detect::Reading::Read(read));
    }
    let cluster = Cluster { deployments: vec![operator], settings, ..Cluster::default() };
    let report =
        detect::detect(&cluster, &Wanted { cloud, namespace: "", kinds: &[] }, &basis.catalogue.azure);
    let errors = report.findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<Finding> = errors.collect();
    if errors.is_empty() { Ok(()) } else { Err(refuse(errors)) }
}

/// All documents in the order of creation, or which objects cannot be as the user's patches have them.
fn documents(
    objects: Vec<Desired>,
    plan: &Plan,
    own: &EngineSettings,
    credential: &Credential,
    shown: bool,
) -> Result<Vec<Document>, Vec<Finding>> {
    let infra_id = plan.identity.infra_id.as_str();
    let namespace = own.namespace.as_deref().unwrap_or(infra_id);
    let owner = anchor::owner(infra_id, namespace, own.anchor_uid.as_deref().unwrap_or_default());
    let mut documents: Vec<Document> = vec![anchor::namespace(infra_id, namespace).into()];
    documents.extend(anchor::anchor(plan, namespace).map(Document::from));
    documents.push(credential.secret(infra_id, &owner, shown).into());
    let stage = if own.is_bootstrap() { CoreStage::Bootstrap } else { CoreStage::Install };
    let context = Context { stage, ..Context::new(infra_id, Timestamp::UNIX_EPOCH) };
    let mut faults = Vec::new();
    for mut desired in objects {
        let waits_for = std::mem::take(&mut desired.hints.late_bound);
        // Nothing is there, and nothing is waited for: it is created.
        let action = decide(Op::Reconcile(&desired), None, &owner, &context);
        match action.what {
            Done::Create(object) => documents.push(Document { object, waits_for }),
            _ => faults.push(pages::unusable_patch(desired.kind.kind, &desired.name, &action.message)),
        }
    }
    if faults.is_empty() { Ok(documents) } else { Err(faults) }
}

fn written(documents: &[Document], output: Output) -> anyhow::Result<String> {
    let mut text = String::new();
    for Document { object, waits_for } in documents {
        if output == Output::Json {
            let _ = writeln!(text, "{object}");
            continue;
        }
        text += "---\n";
        for words in waits_for {
            let _ = writeln!(text, "# created once {words} is known");
        }
        text += &super::defaults::yaml(object)?;
    }
    Ok(text)
}
