//! The files that a run reads: catalogue overlays, cloud profiles, streams of images, facts.

#![allow(clippy::disallowed_methods, reason = "the files of a run are read here")]

use std::borrow::Cow;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use landfall_cloud_profile::allowance;
use landfall_diagnostics::{Finding, Findings, Span};
use landfall_install_config::assets;
use landfall_install_config::verdict::Outcome;
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::{self, Cluster};
use landfall_model::prices::Prices;
use landfall_source::Mask;
use landfall_workdir::{StepResult, Steps, steps};
use serde_json::Value;

use super::{Error, Refusal, Said};

/// Names of an overlay in the cluster directory itself.
pub const OVERLAYS: &[&str] = &["catalogue.yaml", "catalogue.json"];
/// Names of a cloud profile in the cluster directory itself.
const PROFILES: &[&str] = &["cloud-profile.yaml", "cloud-profile.json"];

/// What the user wants of the catalogue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BasisOptions {
    /// Overlay file.
    pub overlay: Option<PathBuf>,
    /// The cloud profile that says what may be used.
    pub profile: Option<ProfileFrom>,
    /// Whether a cloud profile in the cluster directory counts where none is named.
    pub own_profile: bool,
    /// File with `CoreOS` stream metadata.
    pub stream: Option<PathBuf>,
    /// The OpenShift release. Unless given it is that of the stream, else the one noted, else the catalogue's default.
    pub release: Option<String>,
    /// Whether the release counts that the files of the directory were written for.
    pub own_release: bool,
}

/// Where a cloud profile is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProfileFrom {
    /// In a file.
    File(PathBuf),
    /// In an object of a cluster: what it is called in findings, and its text.
    Object(String, String),
}

impl ProfileFrom {
    /// What it is called in findings, and its text.
    fn read(&self) -> Result<(&Path, Cow<'_, str>), Error> {
        match self {
            Self::File(path) => Ok((path, Cow::Owned(text(path)?))),
            Self::Object(name, text) => Ok((Path::new(name), Cow::Borrowed(text))),
        }
    }
}

impl BasisOptions {
    /// The same, with the overlay, the cloud profile and the release of a directory where none is named.
    #[must_use]
    pub fn within(&self, directory: &Path) -> Self {
        let overlay = self.overlay.clone().or_else(|| own(directory, OVERLAYS));
        let profile = self.profile.clone();
        let own_profile = || self.own_profile.then(|| own(directory, PROFILES)).flatten();
        let profile = profile.or_else(|| own_profile().map(ProfileFrom::File));
        let counts = self.own_release && self.stream.is_none();
        let noted = || steps(directory).ok().filter(|_| counts)?.release().map(str::to_owned);
        let release = self.release.clone().or_else(noted);
        Self { overlay, profile, release, ..self.clone() }
    }
}

/// What to do about a release of a directory's files that the catalogue does not have.
const NOTED_RELEASE: &str = "the files of this directory were written for it: give --stream or --catalogue again, or \
                             another --release";

/// What is known before any config is read.
#[derive(Clone, Debug)]
pub struct Basis {
    /// The catalogue with what was laid over it.
    pub catalogue: Cow<'static, Catalogue>,
    /// The OpenShift release.
    pub release: String,
}

impl Basis {
    /// Reads overlay, stream and cloud profile. What is not named is looked for in the cluster directory.
    ///
    /// # Errors
    /// A file cannot be read or is not valid, or the release is not known.
    pub fn new(options: &BasisOptions, directory: &Path) -> Result<Self, Refusal> {
        let is_given = options.release.is_some() || options.stream.is_some();
        let options = options.within(directory);
        let mut catalogue = catalogue(options.overlay.as_deref())?;
        let mut wanted = options.release.clone();
        if let Some(path) = &options.stream {
            let text = text(path)?;
            let named = wanted.as_deref().map(|wanted| {
                assets::release(&catalogue, Some(wanted), &mut Findings::default()).unwrap_or(wanted)
            });
            let (with, release) =
                catalogue.with_stream(&text, named).map_err(|found| invalid(path, &text, found))?;
            catalogue = Cow::Owned(with);
            wanted = Some(release);
        }
        let catalogue = restricted(catalogue, options.profile.as_ref())?;
        let release = release(&catalogue, wanted.as_deref()).map_err(|refusal| match refusal {
            Refusal::Usage(mut said) if !is_given => {
                for finding in &mut said.findings {
                    finding.help = Some(NOTED_RELEASE.to_owned());
                }
                Refusal::Usage(said)
            }
            refusal => refusal,
        })?;
        Ok(Self { catalogue, release })
    }
}

/// The release of the catalogue that a flag names, or its default.
///
/// # Errors
/// The catalogue does not know it.
pub fn release(catalogue: &Catalogue, wanted: Option<&str>) -> Result<String, Refusal> {
    let mut out = Findings::default();
    let found = assets::release(catalogue, wanted, &mut out).map(str::to_owned);
    found.ok_or_else(|| Refusal::Usage(said(Path::new("--release"), "", out.into_vec())))
}

/// The first of these files that a directory has.
fn own(directory: &Path, names: &[&str]) -> Option<PathBuf> {
    // A link that leads nowhere is there, and cannot be read.
    let is_there = |path: &PathBuf| match path.symlink_metadata() {
        Ok(_) => true,
        Err(fault) => fault.kind() != io::ErrorKind::NotFound,
    };
    names.iter().map(|name| directory.join(name)).find(is_there)
}

/// The catalogue of this program, with a file laid over it if one is named.
///
/// # Errors
/// The file cannot be read or is not valid.
pub fn catalogue(overlay: Option<&Path>) -> Result<Cow<'static, Catalogue>, Refusal> {
    let shipped = Catalogue::embedded();
    let Some(path) = overlay else {
        return Ok(Cow::Borrowed(shipped));
    };
    let text = text(path)?;
    let laid = shipped.with_overlay(&text).map_err(|found| invalid(path, &text, found))?;
    Ok(Cow::Owned(laid))
}

/// A catalogue with a cloud profile, if one is named: what it lists is known, and nothing else may be used.
///
/// # Errors
/// The file cannot be read or is not valid.
pub fn restricted(
    catalogue: Cow<'static, Catalogue>,
    profile: Option<&ProfileFrom>,
) -> Result<Cow<'static, Catalogue>, Refusal> {
    let Some(profile) = profile else {
        return Ok(catalogue);
    };
    let (path, text) = profile.read()?;
    let allowance = allowance::read(&text).map_err(|found| invalid(path, &text, found))?;
    Ok(Cow::Owned(catalogue.with_allowance(allowance)))
}

/// What is worth knowing of a cloud profile that is taken; none where there is no profile, or nothing to say.
#[must_use]
pub fn profile_warnings(profile: Option<&ProfileFrom>) -> Option<Said> {
    let (path, text) = profile?.read().ok()?;
    let text = text.into_owned();
    let findings = allowance::warnings(&text);
    let (file, outcome) = (path.display().to_string(), Outcome::Accepted);
    (!findings.is_empty()).then(|| Said { file, text, outcome, findings, mask: Mask::default() })
}

/// Whether there is a file.
pub(super) fn is_there(path: &Path) -> bool {
    path.is_file()
}

/// Whether something of the cluster in a directory was created: a stage has a state of terraform, or the journal of
/// steps a resource that landfall created itself, or objects of Azure Service Operator.
pub(super) fn is_installed(directory: &Path) -> bool {
    has_native_steps(directory) || has_state(directory) || has_objects(directory)
}

/// Whether a run began to create objects of Azure Service Operator.
fn has_objects(directory: &Path) -> bool {
    steps(directory).is_ok_and(|steps| steps.iter().any(|known| known.step == "aso.apply"))
}

/// Whether the journal of steps has a resource that landfall created itself.
fn has_native_steps(directory: &Path) -> bool {
    created_natively(directory, "")
}

/// Whether the journal of steps has a resource whose name begins so.
pub(super) fn created_natively(directory: &Path, name: &str) -> bool {
    let is_its = |step: &str| step.split_once(".apply/").is_some_and(|(_, found)| found.starts_with(name));
    steps(directory).is_ok_and(|steps| steps.iter().any(|known| is_its(&known.step)))
}

/// Whether a stage has a state of terraform.
fn has_state(directory: &Path) -> bool {
    let Ok(stages) = std::fs::read_dir(directory.join("terraform")) else {
        return false;
    };
    stages.flatten().any(|stage| is_there(&stage.path().join("terraform.tfstate")))
}

/// Whether an earlier run, or somebody with terraform by hand, began to create the cluster of a directory.
#[must_use]
pub fn is_begun(directory: &Path) -> bool {
    let began = |steps: Steps| {
        steps.iter().any(|known| known.step.split_once('.').is_some_and(|(_, work)| work == "apply"))
    };
    steps(directory).is_ok_and(began) || is_installed(directory)
}

/// The engine that the cluster of a directory belongs to; none where none was begun or `noted` in metadata. What was
/// created says more than the note, which may be older, or lost with an edited file. Where nothing says it, it is
/// terraform: earlier versions did not note that.
#[must_use]
pub fn engine_of(directory: &Path, noted: Option<plan::Engine>) -> Option<plan::Engine> {
    match noted {
        // Its objects are in a management cluster.
        Some(plan::Engine::Aso) => noted,
        _ if has_native_steps(directory) => Some(plan::Engine::Native),
        _ if has_state(directory) => Some(plan::Engine::Terraform),
        Some(_) => noted,
        None => is_begun(directory).then_some(plan::Engine::Terraform),
    }
}

/// The names of the DNS records that earlier runs from a directory created for the cluster of a config, in lower case.
pub(super) fn own_records(directory: &Path, config: &InstallConfig) -> Vec<String> {
    let stages = std::fs::read_dir(directory.join("terraform")).into_iter().flatten().flatten();
    let of_state = |stage: PathBuf| landfall_engine_terraform::record_names(&stage).unwrap_or_default();
    let mut names: Vec<String> = stages.flat_map(|stage| of_state(stage.path())).collect();
    if let Ok(steps) = steps(directory) {
        // One that the cloud refused is another's.
        let refused = |name: &str| steps.last(name).is_some_and(|last| last.result == StepResult::Failed);
        let created = steps.iter().filter(|known| !refused(&known.step));
        names.extend(created.filter_map(|known| noted_record(&known.detail)));
    }
    if has_objects(directory) {
        // Preflight has refused the run that would have found another's.
        names.push(format!("api.{}", Cluster::of(config).domain));
    }
    names.iter().map(|name| name.trim_end_matches('.').to_lowercase()).collect()
}

/// The name of the DNS record of which a step has the outputs.
fn noted_record(outputs: &str) -> Option<String> {
    let outputs: Value = serde_json::from_str(outputs).ok()?;
    if let Some(host) = outputs["host"].as_str() {
        return Some(host.to_owned());
    }
    // Azure: `.../dnsZones/<zone>/<type>/<name>`.
    let (_, path) = outputs["id"].as_str()?.split_once("/dnsZones/")?;
    let [zone, _, name] = path.split('/').collect::<Vec<&str>>()[..] else { return None };
    Some(format!("{name}.{zone}"))
}

/// The bytes of a file.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|source| Error::Read { path: path.to_owned(), source })
}

/// The bytes of a file, if there is one.
pub(super) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { path: path.to_owned(), source }),
    }
}

/// The bytes of a file that the command line names; `-` is standard input.
///
/// # Errors
/// It cannot be read.
pub fn named(path: &Path) -> Result<Vec<u8>, Error> {
    named_with(path, standard_input)
}

fn named_with(path: &Path, standard_input: impl FnOnce() -> io::Result<Vec<u8>>) -> Result<Vec<u8>, Error> {
    if path != Path::new("-") {
        return read(path);
    }
    standard_input().map_err(|source| Error::Read { path: path.to_owned(), source })
}

/// What standard input has. It can be read once, and a run looks at some files more often.
fn standard_input() -> io::Result<Vec<u8>> {
    static READ: Mutex<Option<Vec<u8>>> = Mutex::new(None);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(bytes) = read.as_ref() {
        return Ok(bytes.clone());
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    *read = Some(bytes.clone());
    Ok(bytes)
}

/// The text of a file that the command line names.
fn text(path: &Path) -> Result<String, Error> {
    Ok(String::from_utf8_lossy(&named(path)?).into_owned())
}

/// Reads a facts file.
pub(super) fn facts(path: &Path) -> Result<Facts, Refusal> {
    let bytes = named(path)?;
    Facts::read(&bytes).map_err(|findings| invalid(path, &String::from_utf8_lossy(&bytes), findings))
}

/// Reads a price file for a cluster of this platform and region.
///
/// # Errors
/// The file cannot be read, is not valid, or is of another platform or region.
pub fn prices(path: &Path, platform: &str, region: &str) -> Result<Prices, Refusal> {
    let bytes = named(path)?;
    Prices::read_for(&bytes, platform, region)
        .map_err(|findings| invalid(path, &String::from_utf8_lossy(&bytes), findings))
}

/// A file of the user's that is not valid.
pub(super) fn invalid(path: &Path, text: &str, findings: Vec<Finding>) -> Refusal {
    Refusal::Invalid(said(path, text, findings))
}

/// A text that is refused, with what is to be said of it.
fn said(path: &Path, text: &str, mut findings: Vec<Finding>) -> Box<Said> {
    for finding in findings.iter_mut().filter(|finding| finding.span.is_none()) {
        finding.span = Some(Span::default());
    }
    Box::new(Said {
        file: path.display().to_string(),
        text: text.to_owned(),
        outcome: Outcome::Rejected,
        findings,
        mask: Mask::default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_is_standard_input_and_no_file() -> Result<(), Box<dyn std::error::Error>> {
        let input = || Ok(b"facts".to_vec());
        assert_eq!(named_with(Path::new("-"), input)?, b"facts");
        assert!(named_with(Path::new("./-"), input).is_err());
        Ok(())
    }

    #[test]
    fn the_names_of_own_records_come_from_the_state_and_the_journal() -> Result<(), Box<dyn std::error::Error>>
    {
        let root = tempfile::tempdir()?;
        let folder = root.path().join("terraform/cluster");
        std::fs::create_dir_all(&folder)?;
        let instance = serde_json::json!({ "attributes": { "fqdn": "API.demo.example.com." } });
        let record = serde_json::json!({ "mode": "managed", "type": "aws_route53_record", "name": "api",
                                         "instances": [instance] });
        let state = serde_json::json!({ "version": 4, "resources": [record] });
        std::fs::write(folder.join("terraform.tfstate"), state.to_string())?;
        let mut config = InstallConfig { base_domain: "example.com".to_owned(), ..InstallConfig::default() };
        "New".clone_into(&mut config.metadata.name);
        assert_eq!(own_records(root.path(), &config), ["api.demo.example.com"]);
        std::fs::create_dir_all(root.path().join(".landfall"))?;
        let step =
            r#"{"time":"2026-12-01T02:56:26Z","step":"aso.apply","result":"began","detail":"20 objects"}"#;
        std::fs::write(root.path().join(".landfall/steps.jsonl"), format!("{step}\n"))?;
        assert_eq!(own_records(root.path(), &config), ["api.demo.example.com", "api.new.example.com"]);
        assert!(is_installed(root.path()));
        let azure = r#"{"id":"/subscriptions/s/x/dnsZones/example.com/A/api.demo"}"#;
        assert_eq!(noted_record(azure).as_deref(), Some("api.demo.example.com"));
        assert_eq!(
            noted_record(r#"{"host":"api.demo.example.com"}"#).as_deref(),
            Some("api.demo.example.com")
        );
        for other in ["", "{", r#"{"id":"vpc-1"}"#, r#"{"id":"/dnsZones/example.com"}"#] {
            assert_eq!(noted_record(other), None, "{other}");
        }
        Ok(())
    }
}
