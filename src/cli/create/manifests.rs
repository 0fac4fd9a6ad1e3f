//! `landfall create manifests`.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use landfall_model::catalogue::Catalogue;

use super::{fleet, outcome, profile_ref};
use crate::cli::asking::{AskArgs, Live};
use crate::cli::input::Reading;
use crate::cli::{Ended, Exit, Settings, directory_of};
use crate::prepare::{
    Basis, BasisOptions, Environment, FactsFrom, Options, ProfileFrom, Refusal, catalogue, prepare,
    profile_warnings, restricted,
};
use crate::ui::text;
use crate::workdir::Durability;

/// Write all files of a cluster
///
/// Reads `install-config.yaml` in the cluster directory and writes manifests, Terraform modules and variables, and
/// `metadata.json` next to it. Writes nothing before the plan is complete. Keeps and reports files that were edited since an earlier run.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    facts: FactsArgs,

    #[command(flatten)]
    basis: BasisArgs,

    /// Folder of cluster directories, each with an install-config.yaml
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, conflicts_with_all = ["facts", "infra_id", "cluster_id", "dir"])]
    fleet: Option<PathBuf>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    asking: AskArgs,
}

/// Where the facts come from, and what of the cluster's identity is fixed.
#[derive(Clone, Debug, clap::Args)]
pub struct FactsArgs {
    /// Facts file from `landfall facts`; the cloud is not called
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath, conflicts_with = "offline")]
    facts: Option<PathBuf>,

    /// Plan with the catalogue; the cloud is not called
    #[arg(long)]
    offline: bool,

    /// Infrastructure ID; default: a new one
    #[arg(long, value_name = "ID")]
    pub infra_id: Option<String>,

    /// Cluster ID (UUID); default: a new one
    #[arg(long, value_name = "UUID")]
    pub cluster_id: Option<uuid::Uuid>,
}

impl FactsArgs {
    /// Where the facts come from if not from the cloud.
    pub fn given(&self) -> Option<FactsFrom<'static>> {
        match (&self.facts, self.offline) {
            (Some(path), _) => Some(FactsFrom::File(path.clone())),
            (None, true) => Some(FactsFrom::Catalogue),
            (None, false) => None,
        }
    }
}

/// What is known before any config is read.
#[derive(Clone, Debug, clap::Args)]
pub struct BasisArgs {
    /// OpenShift release to install; default: that of --stream, else of the existing files, else 4.19
    #[arg(long, value_name = "RELEASE")]
    release: Option<String>,

    /// CoreOS stream metadata from `openshift-install coreos print-stream-json`; - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    stream: Option<PathBuf>,

    #[command(flatten)]
    clouds: CloudArgs,
}

/// What is known of clouds, and what of it may be used.
#[derive(Clone, Debug, clap::Args)]
pub struct CloudArgs {
    /// Catalogue overlay file (partitions, regions, endpoints, images, instance types)
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    catalogue: Option<PathBuf>,

    /// Cloud profile file that restricts regions, zones and machine types
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    cloud_profile: Option<PathBuf>,

    /// Cloud profile in the cluster of KUBECONFIG, instead of a file
    #[arg(long, value_name = "[NAMESPACE/]NAME", conflicts_with = "cloud_profile")]
    cloud_profile_ref: Option<String>,

    // Read from the cluster once.
    #[arg(skip)]
    of_cluster: OnceCell<ProfileFrom>,
}

impl CloudArgs {
    /// The catalogue that the flags ask for; that of this program without them. On the way it is told that a
    /// profile restricts it.
    ///
    /// # Errors
    /// A file cannot be read or is not valid.
    pub fn catalogue(&self, settings: &Settings) -> Result<Cow<'static, Catalogue>, Refusal> {
        let known = catalogue(self.catalogue.as_deref())?;
        let profile = self.profile()?;
        let known = restricted(known, profile.as_ref())?;
        tell_restriction(&known, settings);
        warn_of(profile.as_ref(), settings);
        Ok(known)
    }

    /// The cloud profile that the flags name.
    fn profile(&self) -> Result<Option<ProfileFrom>, Refusal> {
        let Some(name) = &self.cloud_profile_ref else {
            return Ok(self.cloud_profile.clone().map(ProfileFrom::File));
        };
        if let Some(known) = self.of_cluster.get() {
            return Ok(Some(known.clone()));
        }
        let found = profile_ref::of_cluster(name)?;
        Ok(Some(self.of_cluster.get_or_init(|| found).clone()))
    }
}

impl BasisArgs {
    /// What is known before any config is read. On the way it is told that a profile restricts it.
    ///
    /// # Errors
    /// A file cannot be read or is not valid, or the release is not known.
    pub fn basis(&self, directory: &Path, settings: &Settings) -> Result<Basis, Refusal> {
        let basis = Basis::new(&self.options()?, directory)?;
        tell_restriction(&basis.catalogue, settings);
        self.warn_of_profile(directory, settings);
        Ok(basis)
    }

    /// Tells what is worth knowing of the cloud profile, if one is named or the directory has one.
    pub fn warn_of_profile(&self, directory: &Path, settings: &Settings) {
        if let Ok(options) = self.options() {
            warn_of(options.within(directory).profile.as_ref(), settings);
        }
    }

    /// What the flags ask for.
    ///
    /// # Errors
    /// The cloud profile cannot be read from its cluster.
    pub fn options(&self) -> Result<BasisOptions, Refusal> {
        Ok(BasisOptions {
            overlay: self.clouds.catalogue.clone(),
            profile: self.clouds.profile()?,
            own_profile: true,
            stream: self.stream.clone(),
            release: self.release.clone(),
            own_release: true,
        })
    }
}

/// Tells what is worth knowing of a cloud profile.
pub(super) fn warn_of(profile: Option<&ProfileFrom>, settings: &Settings) {
    if let Some(warned) = profile_warnings(profile) {
        let style = settings.printer.styles().talk;
        settings.printer.aside(&text::findings(&outcome::judged(&warned), style));
    }
}

/// Tells those who want to hear what is done that a cloud profile restricts the catalogue.
fn tell_restriction(catalogue: &Catalogue, settings: &Settings) {
    if let Some(words) = catalogue.restriction() {
        settings.printer.detail(&words);
    }
}

/// Writes the files of one cluster, or of every cluster of a fleet.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    if let Some(fleet) = &args.fleet {
        directory_of("--fleet", fleet)?;
    }
    let around = args.fleet.as_deref().unwrap_or(&directory);
    let wanted = args.basis.options()?;
    let basis = args.basis.basis(around, settings)?;
    let live = match args.fleet {
        Some(_) => Live::of_many("facts", &settings.printer),
        None => Live::new("facts", Some(args.asking.limit()), &settings.printer),
    };
    let options = options(args, &live);
    match &args.fleet {
        Some(fleet) => Ok(fleet::run(fleet, &basis, &wanted, &options, settings)?),
        None => one(&directory, &basis, &options, settings),
    }
}

fn one(directory: &Path, basis: &Basis, options: &Options<'_>, settings: &Settings) -> Result<Exit, Ended> {
    settings.printer.detail(&format!("reading release {}, catalogue and facts", basis.release));
    let prepared = prepare(directory, basis, options, Environment);
    if let FactsFrom::Cloud(ask) = &options.facts {
        ask.watcher.over();
    }
    Ok(outcome::prepared(directory, &prepared?, settings)?)
}

fn options<'w>(args: &Args, live: &'w Live<'_>) -> Options<'w> {
    let facts = args.facts.given().unwrap_or_else(|| FactsFrom::Cloud(args.asking.ask(live)));
    Options {
        strictness: args.reading.into(),
        infra_id: args.facts.infra_id.clone(),
        cluster_id: args.facts.cluster_id.map(|id| id.to_string()),
        durability: if args.fleet.is_some() { Durability::Process } else { Durability::Fsync },
        ..Options::reading(facts)
    }
}
