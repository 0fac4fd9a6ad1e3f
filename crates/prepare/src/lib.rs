//! From a cluster directory with an install config to all of its files: the work behind every `create`.
//!
//! ```
//! use landfall_prepare::{Basis, BasisOptions};
//!
//! let basis = Basis::new(&BasisOptions::default(), "a-new-directory".as_ref());
//! let clouds = basis.map(|basis| basis.catalogue.azure.clouds.clone()).unwrap_or_default();
//! assert!(clouds.contains_key("AzurePublicCloud"));
//! ```
//!
//! An edge: reads files and the environment, asks the cloud, makes keys and random ids, and writes through
//! [`landfall_workdir`]. What is decided and rendered comes from [`landfall_install_config::assets`].

mod ask;
pub mod draft;
mod edits;
mod host;
mod identity;
mod ignition;
mod inputs;
mod keys;
mod layout;
mod refusal;
pub mod target;
pub mod wizard;
mod world;
pub mod zones;

pub use ask::{Ask, asking, cloud, facts_of_cloud, likely_identity, preflight, prices_of_cloud, runtime};
pub use ignition::{IgnitionFrom, completed_bootstrap, hide_secrets};
pub use inputs::{
    Basis, BasisOptions, OVERLAYS, ProfileFrom, catalogue, engine_of, is_begun, named, prices,
    profile_warnings, release, restricted,
};
pub use refusal::{Error, Refusal};
pub use world::{Environment, Profiled, now};

use std::path::{Path, PathBuf};

use landfall_diagnostics::{Finding, Findings, Severity, sort};
use landfall_install_config::assets;
use landfall_install_config::verdict::{Outcome, Strictness, active, judge_keeping};
use landfall_model::config::InstallConfig;
use landfall_model::facts::{Facts, Source, VERSION};
use landfall_model::plan::{self, Case, Identity, Plan};
use landfall_platform::Offline;

pub use landfall_render::Engine;
use landfall_render::{Credentials, Extras, File};
use landfall_source::Mask;
use landfall_workdir::{ClusterDir, Durability, FileSet, Report};

/// Name of the user's file in a cluster directory.
pub const INSTALL_CONFIG: &str = "install-config.yaml";
/// Name of the facts' file in a cluster directory.
pub const FACTS: &str = "facts.json";
/// The secret with the cluster's cloud credentials.
pub const CREDENTIALS: &str = "openshift/99_cloud-creds-secret.yaml";
/// The step that makes the files, in the journal of a cluster directory.
const STEP: &str = "manifests";

/// Where the facts of a run come from.
#[derive(Clone, Debug)]
pub enum FactsFrom<'w> {
    /// A file.
    File(PathBuf),
    /// The catalogue alone.
    Catalogue,
    /// These, which the cloud was asked for already.
    Given(Box<Facts>),
    /// The cloud; the file that an earlier run kept in the cluster directory where landfall cannot ask the
    /// cloud.
    Cloud(Ask<'w>),
}

/// What the user wants of a run.
#[derive(Clone, Debug)]
pub struct Options<'w> {
    /// How strictly the config is read.
    pub strictness: Strictness,
    /// Where the facts come from.
    pub facts: FactsFrom<'w>,
    /// The infrastructure id, if the user fixes it.
    pub infra_id: Option<String>,
    /// The UUID of the cluster, if the user fixes it.
    pub cluster_id: Option<String>,
    /// Where the ignition files come from.
    pub ignition: IgnitionFrom,
    /// The engine that makes the cluster; what an earlier run noted unless given. Without a namespace it has
    /// the one that was noted, or one named like the infrastructure id.
    pub engine: Option<Engine>,
    /// What a crash must not undo.
    pub durability: Durability,
}

impl<'w> Options<'w> {
    /// Those of a run that writes nothing, with these facts.
    #[must_use]
    pub fn reading(facts: FactsFrom<'w>) -> Self {
        Self {
            strictness: Strictness::default(),
            facts,
            infra_id: None,
            cluster_id: None,
            ignition: IgnitionFrom::None,
            engine: None,
            durability: Durability::Process,
        }
    }
}

/// A text with what is to be said of it. It cannot be printed for debugging: the text may hold secrets.
pub struct Said {
    /// Name of the file.
    pub file: String,
    /// Its text.
    pub text: String,
    /// What became of it.
    pub outcome: Outcome,
    /// Findings, sorted by place.
    pub findings: Vec<Finding>,
    /// What of the text must not be shown.
    pub mask: Mask,
}

impl Said {
    /// The same of the same text, for a second refusal.
    #[must_use]
    pub fn again(&self) -> Self {
        Self {
            file: self.file.clone(),
            text: self.text.clone(),
            outcome: self.outcome,
            findings: self.findings.clone(),
            mask: self.mask.clone(),
        }
    }
}

/// What came of a directory whose files stand.
pub struct Prepared {
    /// The plan that was rendered.
    pub plan: Plan,
    /// What was done with each file.
    pub report: Report,
    /// What is worth saying of the config.
    pub said: Said,
    /// Where the facts came from.
    pub facts: Source,
    /// Whether the cluster gets a secret with cloud credentials of its own.
    pub with_credentials: bool,
    /// Manifests that the user put beside ours.
    pub added: Vec<String>,
    /// Id of the account or subscription of the cluster; none where it is not known.
    pub account: Option<String>,
}

/// An install config that was read and accepted.
pub struct Examined {
    /// What is worth saying of it.
    pub said: Said,
    /// The completed config.
    pub config: InstallConfig,
    /// The config as it was given.
    pub given: InstallConfig,
    /// Names of DNS records that earlier runs from the directory created.
    pub own_records: Vec<String>,
}

impl Examined {
    /// The name of the config's platform.
    #[must_use]
    pub fn platform(&self) -> String {
        self.config.platform.present().first().copied().unwrap_or_default().to_owned()
    }
}

/// Reads and judges the install config of a cluster directory.
///
/// # Errors
/// There is none, or it is not valid.
pub fn examine(directory: &Path, basis: &Basis, strictness: Strictness) -> Result<Examined, Refusal> {
    let path = directory.join(INSTALL_CONFIG);
    if !inputs::is_there(&path) {
        return Err(Error::NoConfig { directory: directory.to_owned() }.into());
    }
    let examined = examine_file(&path, basis, strictness)?;
    let own_records = inputs::own_records(directory, &examined.config);
    Ok(Examined { own_records, ..examined })
}

/// Reads and judges an install config, wherever it is.
///
/// # Errors
/// It cannot be read, or it is not valid.
pub fn examine_file(path: &Path, basis: &Basis, strictness: Strictness) -> Result<Examined, Refusal> {
    examine_but(path, basis, strictness, |_, _| false)
}

/// As [`examine_file`], but where `spared` says so of a finding and the config, an error is a warning.
///
/// # Errors
/// It cannot be read, or it is not valid.
pub fn examine_but(
    path: &Path,
    basis: &Basis,
    strictness: Strictness,
    spared: impl Fn(&Finding, &InstallConfig) -> bool,
) -> Result<Examined, Refusal> {
    let bytes = inputs::named(path)?;
    let mut verdict = judge_keeping(&bytes, strictness.of_release(&basis.release), &basis.catalogue);
    if let Some(config) = verdict.config.as_ref().filter(|_| verdict.outcome == Outcome::Rejected) {
        for finding in verdict.findings.iter_mut().filter(|finding| spared(finding, config)) {
            finding.severity = Severity::Warning;
        }
        if !verdict.findings.iter().any(Finding::is_error) {
            verdict.outcome = Outcome::Accepted;
        }
    }
    let said = Said {
        file: path.display().to_string(),
        text: String::from_utf8_lossy(&bytes).into_owned(),
        outcome: verdict.outcome,
        findings: verdict.findings,
        mask: verdict.mask,
    };
    match (verdict.config, verdict.given) {
        (Some(config), Some(given)) if said.outcome == Outcome::Accepted => {
            Ok(Examined { said, config, given, own_records: Vec::new() })
        }
        _ => Err(Refusal::Invalid(Box::new(said))),
    }
}

/// Makes every file of the cluster in `directory`, or says why not. Nothing is written before the plan
/// stands.
///
/// # Errors
/// See [`Refusal`].
pub fn prepare(
    directory: &Path,
    basis: &Basis,
    options: &Options<'_>,
    world: Environment,
) -> Result<Prepared, Refusal> {
    let examined = examine(directory, basis, options.strictness)?;
    let mut out = host::findings(&examined.config, &basis.release, &world);
    let credentials = assets::credentials(&examined.config, &world);
    let facts = facts(directory, &examined, basis, options, &credentials, &mut out)?;
    let mut cluster = ClusterDir::open_with(directory, options.durability)?;
    let known = Known { examined: &examined, basis, facts, credentials };
    write(&mut cluster, known, out, options, world)
}

/// As [`prepare`], of a config that was examined before, in a directory that stays open.
///
/// # Errors
/// See [`Refusal`].
pub fn prepare_in(
    cluster: &mut ClusterDir,
    basis: &Basis,
    examined: &Examined,
    options: &Options<'_>,
    world: Environment,
) -> Result<Prepared, Refusal> {
    let mut out = Findings::default();
    let credentials = assets::credentials(&examined.config, &world);
    let facts = facts(cluster.root(), examined, basis, options, &credentials, &mut out)?;
    write(cluster, Known { examined, basis, facts, credentials }, out, options, world)
}

/// What a directory would become.
pub struct Outlook {
    /// The plan.
    pub plan: Plan,
    /// What is worth saying of the config.
    pub said: Said,
    /// Whether the next run that writes files has the same infrastructure id.
    pub id_is_fixed: bool,
}

/// The plan of a config, without writing a file.
///
/// # Errors
/// See [`Refusal`].
pub fn outlook(
    directory: &Path,
    basis: &Basis,
    examined: &Examined,
    options: &Options<'_>,
    world: Environment,
) -> Result<Outlook, Refusal> {
    let mut out = Findings::default();
    let credentials = assets::credentials(&examined.config, &world);
    let facts = facts(directory, examined, basis, options, &credentials, &mut out)?;
    let metadata = inputs::read_if_there(&directory.join(identity::METADATA))?;
    let (identity, id_is_fixed) =
        identity::foreseen(metadata.as_deref(), directory, &examined.config, options)?;
    let engine = identity::engine(directory, metadata.as_deref(), &identity, options.engine.clone());
    let known = Known { examined, basis, facts, credentials };
    let (plan, said) = planned(&known, &identity, engine.as_ref(), inputs::is_installed(directory), out)?;
    layout::keep(directory, &plan, &said)?;
    Ok(Outlook { plan, said, id_is_fixed })
}

/// All that planning starts from, but the identity.
struct Known<'a> {
    examined: &'a Examined,
    basis: &'a Basis,
    facts: Facts,
    credentials: Credentials,
}

/// The plan, with what is worth saying; or why there is none.
fn planned(
    known: &Known<'_>,
    identity: &Identity,
    engine: Option<&Engine>,
    installed: bool,
    mut out: Findings,
) -> Result<(Plan, Said), Refusal> {
    let Examined { said, config, given, own_records } = known.examined;
    let mut said = said.again();
    let case = Case {
        config,
        given,
        facts: &known.facts,
        catalogue: &known.basis.catalogue,
        release: &known.basis.release,
        identity,
        installed,
        own_records,
        engine: engine.and_then(|engine| plan::Engine::named(&engine.name)).unwrap_or_default(),
    };
    let planned = assets::plan(&case, &mut out);
    if let (Some(platform), Some(plan)) = (active(config), &planned) {
        platform.check_credentials(plan, &known.credentials, &mut out);
    }
    let found = assets::placed(out, config, &said.text);
    // What was a warning to judging may stop planning, and need not be said twice.
    said.findings.retain(|warned| found.iter().all(|f| f.code.as_str() != warned.code.as_str()));
    said.findings.extend(found);
    sort(&mut said.findings);
    let Some(plan) = planned else {
        said.outcome = Outcome::Rejected;
        // No facts and no change of the config would give a plan for a platform without modules.
        let is_planned = active(config).is_some_and(|platform| !platform.stages().is_empty());
        let refusal = if is_planned { Refusal::Unfit } else { Refusal::Outside };
        return Err(refusal(Box::new(said)));
    };
    Ok((plan, said))
}

/// Plans, renders and writes.
fn write(
    cluster: &mut ClusterDir,
    known: Known<'_>,
    out: Findings,
    options: &Options<'_>,
    world: Environment,
) -> Result<Prepared, Refusal> {
    let identity = identity::choose(cluster, &known.examined.config, options)?;
    let installed = inputs::is_installed(cluster.root());
    let metadata = cluster.read(identity::METADATA)?;
    let engine = identity::engine(cluster.root(), metadata.as_deref(), &identity, options.engine.clone());
    let (plan, mut said) = planned(&known, &identity, engine.as_ref(), installed, out)?;
    layout::keep(cluster.root(), &plan, &said)?;
    let Known { facts, credentials, .. } = known;
    let (tls, mut files) = keys::keys(cluster, &plan, world)?;
    let live = facts.source == Source::Cloud;
    let asked = active(&plan.config).filter(|_| live).and_then(|platform| platform.account(&facts));
    let account = asked.or_else(|| identity::account(metadata.as_deref(), &plan.identity));
    let extras = Extras {
        credentials: &credentials,
        tls: &tls,
        invoker: &world.invoker(),
        masters_schedulable: edits::masters_schedulable(cluster)?,
        bootstrap_ignition: None,
        master_ignition: None,
        account: account.as_deref(),
        engine: engine.as_ref(),
    };
    let ignition = ignition::take(cluster, &options.ignition, &plan, &extras, world.today())?;
    let extras = Extras {
        bootstrap_ignition: ignition.as_ref().map(|taken| &taken.bootstrap),
        master_ignition: ignition.as_ref().map(|taken| &taken.master),
        ..extras
    };
    files.extend(assets::files(&plan, &extras));
    for file in files.iter_mut().filter(|file| file.path == identity::METADATA) {
        if let Some(home) = identity::management_cluster(metadata.as_deref(), &plan.identity) {
            file.bytes = target::moved_to(&file.bytes, &home);
        }
        if let Some(decided) = identity::objects(metadata.as_deref(), &plan.identity) {
            file.bytes = target::with_objects(&file.bytes, decided);
        }
    }
    files.push(File::open(FACTS, facts.to_text()));
    let mut early = Report::default();
    if let Some(taken) = &ignition {
        said.findings.extend(taken.notes(cluster, &files));
        sort(&mut said.findings);
        early = taken.keep(cluster)?;
    }
    let with_credentials = files.iter().any(|file| file.path == CREDENTIALS);
    let set = FileSet::of(files.into_iter().map(|file| (file.path, file.bytes, file.secret)))?;
    let report = ignition::joined(early, cluster.write(STEP, &set)?);
    cluster.note_release(&plan.release, &now())?;
    let added = cluster.extra()?;
    Ok(Prepared { plan, report, said, facts: facts.source, with_credentials, added, account })
}

/// The facts that the options ask for.
fn facts(
    directory: &Path,
    examined: &Examined,
    basis: &Basis,
    options: &Options<'_>,
    credentials: &Credentials,
    out: &mut Findings,
) -> Result<Facts, Refusal> {
    let config = &examined.config;
    match &options.facts {
        FactsFrom::Catalogue => Ok(facts_of_catalogue(config, basis, credentials, out)),
        FactsFrom::File(path) => inputs::facts(path),
        FactsFrom::Given(facts) => Ok((**facts).clone()),
        FactsFrom::Cloud(ask) => match facts_of_cloud(directory, examined, basis, ask, out)? {
            Some(facts) => Ok(facts),
            // For a platform without modules there is nothing to plan, whatever the facts.
            None if active(config).is_none_or(|platform| platform.stages().is_empty()) => {
                Ok(Facts { version: VERSION, ..Facts::default() })
            }
            None => kept(directory),
        },
    }
}

/// The facts that the catalogue alone gives.
#[must_use]
pub fn facts_of_catalogue(
    config: &InstallConfig,
    basis: &Basis,
    credentials: &Credentials,
    out: &mut Findings,
) -> Facts {
    let (catalogue, release) = (&basis.catalogue, basis.release.as_str());
    assets::offline_facts(&Offline { config, catalogue, release, credentials }, out)
}

/// The facts that an earlier run kept.
fn kept(directory: &Path) -> Result<Facts, Refusal> {
    let path = directory.join(FACTS);
    if inputs::is_there(&path) {
        return inputs::facts(&path);
    }
    Err(Error::NoFacts { directory: directory.to_owned() }.into())
}
