//! Which cluster is to go: what the `metadata.json` of a directory or the command line says.
//!
//! Reads landfall's own `metadata.json` and that of the OpenShift installer. Unknown keys are ignored, what is
//! needed is not guessed.

mod decided;
pub mod pages;
mod refresh;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

pub(super) use decided::with_objects;
pub use decided::{Decided, note_decided};
pub use refresh::{Refreshed, refresh};

use super::identity::METADATA;
use super::{Error, INSTALL_CONFIG, inputs};
use landfall_diagnostics::{Finding, nearest, shortened};
use landfall_install_config::platforms::{self, PLATFORMS};
use landfall_install_config::verdict::{Strictness, judge_keeping};
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::{RANDOM, infra_id_prefix, is_infra_id};
use landfall_model::{catalogue, plan};
use landfall_platform::Platform;
use landfall_platform::removal::{Account, GivenTarget, Target};
use landfall_render::Engine;
use landfall_workdir as workdir;
use landfall_workdir::ClusterDir;

/// The key of what landfall itself notes.
const OWN: &str = "landfall";
/// The endpoints in the platform's object.
const ENDPOINTS: &str = "serviceEndpoints";
/// The account below it.
const ACCOUNT: &str = "account";
/// The certificates of the config's `additionalTrustBundle`, below it.
const TRUST_BUNDLE: &str = "additionalTrustBundle";
/// The management cluster that the cluster was moved to, below it.
const MANAGEMENT_CLUSTER: &str = "managementCluster";

/// Where it stands which cluster is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In the `metadata.json` of the directory.
    Metadata,
    /// In what is kept there of a cluster that was destroyed.
    Destroyed,
    /// On the command line alone.
    Given,
}

/// The cluster that is to go.
pub struct Named {
    /// The cluster.
    pub target: Target,
    /// Its platform.
    pub platform: &'static dyn Platform,
    /// Where it stands.
    pub origin: Origin,
    /// What is worth saying of how it is named.
    pub note: Option<Finding>,
    /// The bytes of the file that says it; empty where none does.
    metadata: Vec<u8>,
}

/// Why it is not known which cluster is to go.
#[derive(Debug)]
pub enum Unnamed {
    /// Nothing says it.
    Nowhere(Box<Finding>),
    /// A file does not say it as it should, or says it of another cluster.
    Invalid(Box<Finding>),
    /// The command line does not.
    Usage(Box<Finding>),
    /// A file cannot be read.
    Failed(Error),
}

impl Unnamed {
    /// The same, for a command to which no flag names a cluster.
    #[must_use]
    pub fn by_directory(self) -> Self {
        match self {
            Self::Nowhere(finding) => Self::Nowhere(Box::new(pages::by_directory(*finding))),
            Self::Invalid(finding) => Self::Invalid(Box::new(pages::by_directory(*finding))),
            other => other,
        }
    }
}

impl<T: Into<Error>> From<T> for Unnamed {
    fn from(error: T) -> Self {
        Self::Failed(error.into())
    }
}

impl Named {
    /// Whether the directory is that of the cluster.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.origin != Origin::Given
    }

    /// The engine that makes the cluster, where a management cluster has its objects.
    #[must_use]
    pub fn engine(&self) -> Option<Engine> {
        let metadata = object(&self.metadata)?;
        let own = metadata.get(OWN)?;
        let machines = own.get("machines").and_then(Value::as_bool).unwrap_or_default();
        // Only an engine with a management cluster has a namespace.
        let namespace = text(own.get("namespace")).unwrap_or_default();
        Some(Engine { name: text(own.get("engine"))?, namespace, machines })
    }

    /// The metadata as it is to be kept: with the account that the cluster was in, so that a later run can
    /// compare it.
    #[must_use]
    pub fn kept(&self, account: &Account) -> Vec<u8> {
        if self.target.account.is_some() && noted(&self.metadata) {
            return self.metadata.clone();
        }
        noting(&self.metadata, ACCOUNT, account.id.as_str())
    }

    /// The certificates that the cluster's config trusts besides the system's: those of the metadata, else of the
    /// `install-config.yaml` beside it; empty where there are none.
    #[must_use]
    pub fn trust_bundle(&self, directory: &Path) -> String {
        let noted = object(&self.metadata).and_then(|metadata| text(metadata.get(OWN)?.get(TRUST_BUNDLE)));
        noted.or_else(|| self.is_local().then(|| trust_bundle_of(directory))).unwrap_or_default()
    }

    /// What was decided of the cluster's objects.
    #[must_use]
    pub fn decided(&self) -> Decided {
        decided::read(&self.metadata)
    }

    /// The management cluster that the cluster was moved to, where it was moved.
    #[must_use]
    pub fn management_cluster(&self) -> Option<String> {
        text(object(&self.metadata)?.get(OWN)?.get(MANAGEMENT_CLUSTER))
    }
}

/// The certificates that the config of a directory trusts; empty where there is none that can be read.
#[must_use]
pub fn trust_bundle_of(directory: &Path) -> String {
    let bytes = inputs::read(&directory.join(INSTALL_CONFIG)).unwrap_or_default();
    let given = judge_keeping(&bytes, Strictness::default(), Catalogue::embedded()).given;
    given.map(|config| config.additional_trust_bundle).unwrap_or_default()
}

/// Notes in the directory of a cluster which management cluster it was moved to, if it is this cluster's and a
/// management cluster has its objects.
///
/// # Errors
/// The directory is somebody else's to write at this moment, or cannot be written.
pub fn note_move(directory: &Path, infra_id: &str, home: &str) -> Result<(), Error> {
    let is_its = || {
        of_cluster(directory)
            .ok()
            .filter(|named| named.target.infra_id == infra_id)
            .filter(|named| named.engine().is_some_and(|engine| !engine.namespace.is_empty()))
    };
    if is_its().is_none() {
        return Ok(());
    }
    let mut cluster = ClusterDir::open(directory)?;
    // What was read before the directory was locked may have changed since.
    if let Some(named) = is_its() {
        cluster.amend(METADATA, &moved_to(&named.metadata, home))?;
    }
    Ok(())
}

/// Metadata that says which management cluster its cluster was moved to.
pub(super) fn moved_to(metadata: &[u8], home: &str) -> Vec<u8> {
    noting(metadata, MANAGEMENT_CLUSTER, home)
}

/// Metadata with something that landfall itself notes in it.
fn noting(metadata: &[u8], key: &str, note: impl Into<Value>) -> Vec<u8> {
    let note = note.into();
    let mut value = object(metadata).unwrap_or_default();
    let own = value.entry(OWN).or_insert_with(|| json!({}));
    match own.as_object_mut() {
        Some(own) => {
            own.insert(key.to_owned(), note);
        }
        None => *own = json!({ key: note }),
    }
    written(&value)
}

/// The bytes of a file with this object.
fn written(value: &Map<String, Value>) -> Vec<u8> {
    // All keys are text, so that JSON has a form for all of it.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The cluster that a directory is of. Nothing is written or locked.
///
/// # Errors
/// There is no metadata, or it cannot be used.
pub fn of_cluster(directory: &Path) -> Result<Named, Unnamed> {
    let path = directory.join(METADATA);
    if inputs::is_there(&path) {
        return read(&path, Origin::Metadata);
    }
    Err(Unnamed::Nowhere(Box::new(pages::no_metadata(directory))))
}

/// The cluster that a directory is of, or the one that was destroyed there last.
///
/// # Errors
/// Nothing says it, or the file cannot be used.
pub fn of_directory(directory: &Path) -> Result<Named, Unnamed> {
    let kept = workdir::destroyed(directory)?;
    if inputs::is_there(&directory.join(METADATA)) {
        let mut named = of_cluster(directory)?;
        if named.target.account.is_none() {
            // A run that was killed while it cleared the directory has noted the account there.
            named.target.account = kept_account(&kept, &named.target.infra_id);
        }
        return Ok(named);
    }
    // Where something stands, it is of another cluster, whose metadata is lost.
    let kept = if inputs::is_installed(directory) { Vec::new() } else { kept };
    let latest = kept.iter().find_map(|path| read(path, Origin::Destroyed).ok());
    latest.map_or_else(|| of_cluster(directory), Ok)
}

/// The cluster that the command line names. Where the directory is that cluster's, what it says of the account
/// counts as well.
///
/// # Errors
/// The infrastructure id cannot be one, or the directory is that of another cluster.
pub fn of_flags(
    directory: Option<&Path>,
    platform: &'static dyn Platform,
    given: &GivenTarget,
) -> Result<Named, Unnamed> {
    if !is_infra_id(&given.infra_id) {
        return Err(Unnamed::Usage(Box::new(plan::pages::unusable_infra_id(&given.infra_id))));
    }
    let target = of_given(platform, given)?;
    let (id, domain) = (&given.infra_id, &given.cluster_domain);
    let is_doubtful = !domain.is_empty() && !is_domain_of(domain, id);
    let note = is_doubtful.then(|| pages::other_domain(domain, id));
    let alone = |target, note| Named { target, platform, origin: Origin::Given, note, metadata: Vec::new() };
    let Some(directory) = directory else {
        return Ok(alone(target, note));
    };
    match of_directory(directory) {
        Ok(mut local) if local.target.infra_id == target.infra_id => {
            local.target.platform = agreed(directory, &local, platform, target.platform)?;
            local.note = note.or(local.note);
            Ok(local)
        }
        Ok(local) if local.origin == Origin::Metadata => {
            let other = plan::pages::other_infra_id(&local.target.infra_id, &target.infra_id);
            Err(Unnamed::Invalid(Box::new(other)))
        }
        Ok(_) | Err(Unnamed::Nowhere(_)) => {
            let account = kept_account(&workdir::destroyed(directory)?, &target.infra_id);
            Ok(alone(Target { account, ..target }, note))
        }
        Err(unnamed) => Err(unnamed),
    }
}

/// The cluster that flags name, as its metadata would.
///
/// # Errors
/// The platform has no service endpoints, or two are given for one service.
pub fn of_given(platform: &dyn Platform, given: &GivenTarget) -> Result<Target, Unnamed> {
    let target = platform.target_of(given);
    if !given.endpoints.is_empty() && !target.platform.contains_key(ENDPOINTS) {
        return Err(Unnamed::Usage(Box::new(pages::no_endpoints(platform.name()))));
    }
    let twice = given
        .endpoints
        .iter()
        .enumerate()
        .find(|(at, (name, _))| given.endpoints.iter().take(*at).any(|(earlier, _)| earlier == name));
    match twice {
        Some((_, (name, _))) => Err(Unnamed::Usage(Box::new(pages::endpoint_given_twice(name)))),
        None => Ok(target),
    }
}

/// Whether a domain can be that of a cluster by the id: a cluster's domain begins with its name, and its id with
/// what comes of the name (`assets.md`, A.1).
fn is_domain_of(domain: &str, infra_id: &str) -> bool {
    let domain = domain.trim_matches('.').to_ascii_lowercase();
    let mut names = domain.match_indices('.').filter_map(|(end, _)| domain.get(..end));
    names.any(|name| {
        let random = infra_id.strip_prefix(infra_id_prefix(name).as_str());
        random.is_some_and(|random| random.len() == RANDOM)
    })
}

/// What the file says of the platform, and flags where it says nothing. A flag that says something else is of
/// another cluster, or looks for this one in the wrong place.
fn agreed(
    directory: &Path,
    local: &Named,
    platform: &'static dyn Platform,
    given: Map<String, Value>,
) -> Result<Map<String, Value>, Unnamed> {
    let path = directory.join(METADATA);
    let other = |field: &str, why: &str| Unnamed::Invalid(Box::new(pages::unusable(&path, field, why)));
    if platform.name() != local.platform.name() {
        return Err(other("", "it belongs to a cluster on another platform"));
    }
    let mut own = local.target.platform.clone();
    for (key, value) in given {
        // Endpoints change in the life of a cluster: what the flags say is newer.
        if key == ENDPOINTS {
            own.insert(key, value);
            continue;
        }
        // Tags follow from the id that both have.
        let is_said = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
        if !is_said(&value) {
            continue;
        }
        match own.get(&key) {
            Some(known) if is_said(known) && *known != value => {
                return Err(other(&key, "the flag has another value; remove the flag to use the file"));
            }
            Some(known) if is_said(known) => {}
            _ => {
                own.insert(key, value);
            }
        }
    }
    Ok(own)
}

/// The platform of a region that the command line names: the given one, else the only one that is known to have
/// such a region; of a region that none is known to have, the only one whose services have endpoints, if some are given.
///
/// # Errors
/// None is known to have it, or several are.
pub fn platform_of(
    given: Option<&str>,
    region: &str,
    has_endpoints: bool,
    (catalogue, release): (&Catalogue, &str),
) -> Result<&'static dyn Platform, Unnamed> {
    let unknown = |having: &[&str]| {
        let known = catalogue::PLATFORMS.iter().flat_map(|name| catalogue.known_regions(name, release));
        let known: Vec<&str> = known.map(|known| known.id).collect();
        let near = nearest(region, known)
            .filter(|near| PLATFORMS.iter().all(|platform| platform.may_mean(catalogue, region, near)));
        Unnamed::Usage(Box::new(pages::which_platform(region, having, near)))
    };
    if let Some(platform) = given {
        return platforms::named(platform).ok_or_else(|| unknown(&[]));
    }
    let has = |name: &&str| {
        let known = catalogue.known_regions(name, release);
        known.iter().any(|known| known.id.eq_ignore_ascii_case(region))
    };
    let having: Vec<&str> = catalogue::PLATFORMS.iter().copied().filter(has).collect();
    match having[..] {
        [only] => platforms::named(only).ok_or_else(|| unknown(&having)),
        [] if has_endpoints => with_endpoints().ok_or_else(|| unknown(&having)),
        _ => Err(unknown(&having)),
    }
}

/// The only platform whose services have endpoints of their own.
fn with_endpoints() -> Option<&'static dyn Platform> {
    let endpoints = vec![(String::new(), String::new())];
    let given = GivenTarget { endpoints, ..GivenTarget::default() };
    let takes = |platform: &&&dyn Platform| platform.target_of(&given).platform.contains_key(ENDPOINTS);
    let mut taking = PLATFORMS.iter().filter(takes);
    taking.next().filter(|_| taking.next().is_none()).copied()
}

/// What a file says.
fn read(path: &Path, origin: Origin) -> Result<Named, Unnamed> {
    let bytes = inputs::read(path)?;
    let (target, platform) = parse(path, &bytes).map_err(Unnamed::Invalid)?;
    let note = doubtful_domain(&target);
    Ok(Named { target, platform, origin, note, metadata: bytes })
}

/// What is to be said where the domain of a cluster does not begin with its name.
fn doubtful_domain(target: &Target) -> Option<Finding> {
    let (name, domain) = (target.cluster_name.as_str(), target.text("clusterDomain"));
    let begins = domain.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let is_doubtful = !name.is_empty() && !domain.is_empty() && !begins;
    is_doubtful.then(|| pages::domain_of_another_name(domain, name))
}

/// The account that is noted of a cluster that was destroyed.
fn kept_account(kept: &[PathBuf], infra_id: &str) -> Option<String> {
    let all = kept.iter().filter_map(|path| read(path, Origin::Destroyed).ok());
    all.map(|named| named.target).find(|target| target.infra_id == infra_id)?.account
}

fn object(bytes: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(without_mark(bytes)).ok()
}

/// The text of a file without the byte order mark that an editor leaves.
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Whether metadata says by itself which account it is.
fn noted(bytes: &[u8]) -> bool {
    let object = object(bytes);
    let own = object.as_ref().and_then(|object| object.get(OWN)).and_then(|own| own.get(ACCOUNT));
    own.and_then(Value::as_str).is_some_and(|account| !account.trim().is_empty())
}

/// The cluster of a file, and its platform.
pub(super) fn parse(path: &Path, bytes: &[u8]) -> Result<(Target, &'static dyn Platform), Box<Finding>> {
    let broken = |field: &str, why: &str| Box::new(pages::unusable(path, field, why));
    let Some(mut object) = object(bytes) else {
        return Err(broken("", "the file is not a JSON object"));
    };
    let infra_id = text(object.get("infraID"));
    if !infra_id.as_deref().is_some_and(is_infra_id) {
        let why = match infra_id.as_deref() {
            None | Some("") => "`infraID` is missing, which identifies the cluster's resources".to_owned(),
            Some(other) => format!("`infraID` is `{}`, which is not an infrastructure ID", shortened(other)),
        };
        return Err(broken("infraID", &why));
    }
    let own = object.get(OWN).and_then(|own| own.get(ACCOUNT));
    let account = text(own).map(|account| account.trim().to_owned()).filter(|account| !account.is_empty());
    if account.is_none() && own.is_some_and(|own| !own.is_null() && own.as_str() != Some("")) {
        return Err(broken("landfall.account", "`landfall.account` is not a string"));
    }
    let engine = text(object.get(OWN).and_then(|own| own.get("engine")));
    if let Some(unknown) = engine.filter(|name| plan::Engine::named(name).is_none()) {
        return Err(Box::new(plan::pages::unknown_engine(&unknown)));
    }
    let Some(platform) = PLATFORMS.iter().copied().find(|platform| object.contains_key(platform.name()))
    else {
        let others = object.iter().filter(|(key, value)| value.is_object() && *key != OWN);
        let keys: Vec<String> = others.map(|(key, _)| key.clone()).collect();
        return Err(Box::new(pages::no_platform(path, &keys, catalogue::PLATFORMS)));
    };
    let name = platform.name();
    let Some(Value::Object(section)) = object.remove(name) else {
        return Err(broken(name, &format!("`{name}` is not an object")));
    };
    let target = Target {
        infra_id: infra_id.unwrap_or_default(),
        cluster_name: text(object.get("clusterName")).unwrap_or_default(),
        cluster_id: text(object.get("clusterID")).unwrap_or_default(),
        account,
        platform: section,
    };
    Ok((target, platform))
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::to_owned)
}

#[cfg(test)]
mod tests;
