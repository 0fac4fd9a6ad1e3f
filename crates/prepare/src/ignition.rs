//! The ignition files that the first machines of a cluster start with: taken from a directory, or made of the
//! cluster's manifests by the OpenShift installer's program.
//!
//! Files that were made once are used again, as long as they fit and can be used; and in any case while
//! infrastructure stands that was made with them.

#![allow(
    clippy::disallowed_methods,
    reason = "files beside the ignition files are looked at here, and the end of certificates is compared \
        with now"
)]

mod brought;
mod files;
mod given;
mod origin;
mod program;
mod record;
mod user_dns;

pub use given::hide_secrets;
pub use origin::IgnitionFrom;
pub use user_dns::bootstrap as completed_bootstrap;

use std::path::Path;

use jiff::Timestamp;
use jiff::civil::Date;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, sort};
use landfall_model::plan::{Plan, ignition_pages as pages, is_infra_id};
use landfall_render::{Extras, File};
use serde::Deserialize;

use super::identity::METADATA;
use super::{Error, INSTALL_CONFIG, Refusal, inputs};
use files::{BOOTSTRAP, Files, MASTER, WORKER};
use given::Manifests;
use landfall_workdir::{ClusterDir, FileSet, Report};
use origin::whole;
use program::{Job, Scratch};
use record::Record;

/// The step that writes these files, in the journal of a cluster directory. It is one of its own, so that the
/// manifests can be made again without them.
const STEP: &str = "ignition";
/// What gives access to the cluster, and belongs to the ignition files that it was made with.
const ACCESS: [&str; 2] = ["auth/kubeconfig", "auth/kubeadmin-password"];
/// The bootstrap machine's file as terraform is given it.
const RENDERED: &str = "terraform/bootstrap.ign";
/// With less time left than this, in seconds, an installation may outlast its certificates.
const MARGIN: i64 = 2 * 60 * 60;

/// The ignition files of a cluster.
#[derive(Debug)]
pub(super) struct Ignition {
    /// The config of the bootstrap machine.
    pub(super) bootstrap: Secret<String>,
    /// The config of the machines of the control plane.
    pub(super) master: Secret<String>,
    warnings: Vec<Finding>,
    /// Whether infrastructure stands already.
    stands: bool,
    /// What is to be written into the cluster directory, and the record of it.
    new: Option<(Vec<File>, Record)>,
}

impl Ignition {
    fn new(files: Files, warnings: Vec<Finding>, stands: bool, new: Option<(Vec<File>, Record)>) -> Self {
        Self { bootstrap: files.bootstrap, master: files.master, warnings, stands, new }
    }

    /// What is worth saying, now that everything is rendered.
    pub(super) fn notes(&self, cluster: &ClusterDir, rendered: &[File]) -> Vec<Finding> {
        let mut notes = self.warnings.clone();
        let earlier = cluster.read(RENDERED).ok().flatten();
        let now = rendered.iter().find(|file| file.path == RENDERED);
        if let (true, Some(earlier), Some(now)) = (self.stands, earlier, now)
            && earlier != now.bytes
        {
            notes.push(pages::changed_since(BOOTSTRAP));
        }
        notes
    }

    /// Writes what is new into the cluster directory.
    ///
    /// # Errors
    /// It cannot be written, or files of somebody else are in the way.
    pub(super) fn keep(&self, cluster: &mut ClusterDir) -> Result<Report, Refusal> {
        let Some((files, record)) = &self.new else {
            return Ok(Report::default());
        };
        record.keep(cluster)?;
        let files = files.iter().map(|file| (file.path.clone(), file.bytes.clone(), file.secret));
        let set = FileSet::of(files)?;
        let report = cluster.write(STEP, &set)?;
        let kept: Vec<String> = report.kept.iter().filter(|path| set.contains(path)).cloned().collect();
        if kept.is_empty() {
            return Ok(report);
        }
        let root = cluster.root().display().to_string();
        Err(refusal(cluster.root(), vec![pages::in_the_way(&kept, &root)]))
    }
}

/// Two reports as one.
pub(super) fn joined(mut one: Report, other: Report) -> Report {
    one.written.extend(other.written);
    one.unchanged.extend(other.unchanged);
    one.kept.extend(other.kept);
    one.removed.extend(other.removed);
    one
}

/// The ignition files that the user wants; none where none are wanted. Nothing is written but logs.
///
/// # Errors
/// They are not there, cannot be used, or cannot be made.
pub(super) fn take(
    cluster: &ClusterDir,
    from: &IgnitionFrom,
    plan: &Plan,
    extras: &Extras<'_>,
    today: Date,
) -> Result<Option<Ignition>, Refusal> {
    let mut taken = match from {
        IgnitionFrom::None => return Ok(None),
        IgnitionFrom::Directory(directory) => of_directory(cluster, directory, plan, extras)?,
        IgnitionFrom::OpenshiftInstall(program) => of_program(cluster, program, plan, extras)?,
    };
    let earlier = cluster.read(RENDERED)?.and_then(|bytes| String::from_utf8(bytes).ok());
    user_dns::complete(&mut taken, plan, earlier.as_deref(), today)
        .map_err(|finding| refusal(cluster.root(), vec![*finding]))?;
    Ok(Some(taken))
}

fn of_directory(
    cluster: &ClusterDir,
    directory: &Path,
    plan: &Plan,
    extras: &Extras<'_>,
) -> Result<Ignition, Refusal> {
    program::clear(cluster)?;
    let root = cluster.root();
    let files = whole(directory, root)?;
    let stands = stands(root);
    let own = is_same(directory, root);
    let metadata = if own { None } else { Some(directory) };
    let mut findings: Vec<Finding> = foreign(&files, metadata, plan).into_iter().collect();
    findings.extend(validity(&files, &directory.join(BOOTSTRAP), stands, Timestamp::now()));
    if findings.is_empty() && !stands {
        let manifests = Manifests::of(cluster, plan, extras)?;
        findings.extend(brought::machines(&files, &manifests.files, plan));
    }
    let access = if own { Vec::new() } else { access(directory)? };
    let record = Record::of(cluster);
    let blocked = in_the_way(cluster, &record, access.iter().map(|file| (&*file.path, Some(&*file.bytes))))?;
    if !blocked.is_empty() {
        findings.push(pages::in_the_way(&blocked, &root.display().to_string()));
    }
    if findings.iter().any(Finding::is_error) {
        return Err(refusal(directory, findings));
    }
    let kubeconfig = root.join(ACCESS[0]);
    if access.iter().all(|file| file.path != ACCESS[0]) && !inputs::is_there(&kubeconfig) {
        findings.push(pages::no_kubeconfig(ACCESS[0], &directory.display().to_string()));
    }
    let new = if access.is_empty() {
        None
    } else {
        let record = record.followed_by("", &access, cluster)?;
        Some((access, record))
    };
    Ok(Ignition::new(files, findings, stands, new))
}

fn of_program(
    cluster: &ClusterDir,
    program: &Path,
    plan: &Plan,
    extras: &Extras<'_>,
) -> Result<Ignition, Refusal> {
    let root = cluster.root();
    let record = Record::of(cluster);
    let manifests = Manifests::of(cluster, plan, extras)?;
    let config = inputs::read(&root.join(INSTALL_CONFIG))?;
    let made_of = manifests.print(&config, plan);
    let stands = stands(root);
    if let Some(earlier) = earlier(cluster, &record)? {
        let fits = record.is_of(&made_of);
        let end = validity(&earlier, &root.join(BOOTSTRAP), stands, Timestamp::now());
        let mut warnings: Vec<Finding> = end.into_iter().collect();
        if stands || (fits && warnings.is_empty()) {
            if !fits {
                warnings.push(pages::too_late(BOOTSTRAP));
            }
            program::clear(cluster)?;
            return Ok(Ignition::new(earlier, warnings, stands, None));
        }
    }
    let wanted = files::NAMES.into_iter().chain(ACCESS).map(|path| (path, None));
    let blocked = in_the_way(cluster, &record, wanted)?;
    let mut findings = Vec::new();
    if !blocked.is_empty() {
        findings.push(pages::in_the_way(&blocked, &root.display().to_string()));
    }
    if !manifests.lost.is_empty() {
        findings.push(pages::edits_lost(&manifests.lost));
    }
    if !findings.is_empty() {
        return Err(refusal(root, findings));
    }
    let scratch = Scratch::new(cluster)?;
    let job = Job {
        program,
        cluster,
        config: &config,
        identity: &plan.identity,
        release: &plan.release,
        manifests: &manifests.files,
        scrub: &given::scrub(plan, extras),
    };
    job.run(&scratch)?;
    let (files, new) = made(&job, &scratch.assets(), plan)?;
    let record = record.followed_by(&made_of, &new, cluster)?;
    Ok(Ignition::new(files, Vec::new(), stands, Some((new, record))))
}

/// What the program made: its ignition files, and all files of it that the cluster directory gets.
fn made(job: &Job<'_>, assets: &Path, plan: &Plan) -> Result<(Files, Vec<File>), Refusal> {
    let root = job.cluster.root();
    // The folder is gone when this is read.
    let files = files::read(Path::new(""), files::found(assets)).map_err(|faults| {
        let mut findings = faults.findings;
        let missing = faults.missing.iter();
        findings.extend(
            missing.map(|name| pages::program_unknown(&format!("did not create {name}"), &job.log())),
        );
        refusal(root, findings)
    })?;
    let mut findings: Vec<Finding> = foreign(&files, Some(assets), plan).into_iter().collect();
    findings
        .extend(validity(&files, Path::new(BOOTSTRAP), false, Timestamp::now()).filter(Finding::is_error));
    if findings.is_empty() {
        findings.extend(brought::left_out(&files, job.manifests, &job.log()));
    }
    let access = access(assets)?;
    for path in ACCESS.iter().filter(|path| access.iter().all(|file| file.path != **path)) {
        findings.push(pages::program_unknown(&format!("did not create {path}"), &job.log()));
    }
    if !findings.is_empty() {
        return Err(refusal(root, findings));
    }
    let texts = [(BOOTSTRAP, &files.bootstrap), (MASTER, &files.master), (WORKER, &files.worker)];
    let mut new: Vec<File> =
        texts.into_iter().map(|(path, text)| File::secret(path, text.expose().as_str())).collect();
    new.extend(access);
    Ok((files, new))
}

/// The files that an earlier run had made, if all of them are as they were written.
fn earlier(cluster: &ClusterDir, record: &Record) -> Result<Option<Files>, Error> {
    if !record.is_made() {
        return Ok(None);
    }
    for path in files::NAMES.into_iter().chain(ACCESS) {
        if !cluster.read(path)?.is_some_and(|bytes| record.is_settled(path, &bytes)) {
            return Ok(None);
        }
    }
    Ok(files::read(cluster.root(), files::found(cluster.root())).ok())
}

/// What gives access to the cluster, as far as it lies beside ignition files.
fn access(directory: &Path) -> Result<Vec<File>, Error> {
    let there = ACCESS.into_iter().map(|path| (path, directory.join(path)));
    there
        .filter(|(_, full)| inputs::is_there(full))
        .map(|(path, full)| inputs::read(&full).map(|bytes| File::secret(path, bytes)))
        .collect()
}

/// The paths at which the cluster directory has something that landfall did not write, and that is not what
/// is wanted there.
fn in_the_way<'a>(
    cluster: &ClusterDir,
    record: &Record,
    wanted: impl Iterator<Item = (&'a str, Option<&'a [u8]>)>,
) -> Result<Vec<&'a str>, Error> {
    let mut found = Vec::new();
    for (path, wanted) in wanted {
        let there = cluster.read(path)?;
        if there.is_some_and(|bytes| wanted != Some(bytes.as_slice()) && !record.knows(path, &bytes)) {
            found.push(path);
        }
    }
    Ok(found)
}

/// Whether the files are of another cluster. The manifests in them know it better than the `metadata.json`
/// that may lie beside them.
fn foreign(files: &Files, metadata: Option<&Path>, plan: &Plan) -> Option<Finding> {
    let wanted = &plan.identity.infra_id;
    let (place, found) = match (&files.infra_id, metadata) {
        (Some(id), _) => (BOOTSTRAP.to_owned(), id.clone()),
        (None, Some(directory)) => {
            let path = directory.join(METADATA);
            (path.display().to_string(), id_of(&path)?)
        }
        (None, None) => return None,
    };
    (found != *wanted).then(|| pages::foreign(&place, &found, wanted))
}

/// What of `metadata.json` says whose files they are.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Metadata {
    #[serde(rename = "infraID")]
    infra_id: String,
}

fn id_of(metadata: &Path) -> Option<String> {
    let read: Metadata = serde_json::from_slice(&std::fs::read(metadata).ok()?).ok()?;
    Some(read.infra_id).filter(|id| is_infra_id(id))
}

/// What is to be said of the time for which the files can be used, of which one has this path.
fn validity(files: &Files, bootstrap: &Path, stands: bool, now: Timestamp) -> Option<Finding> {
    let end = files.end?;
    let left = end.saturating_sub(now.as_second());
    if left >= MARGIN {
        return None;
    }
    let at = Timestamp::from_second(end).map(|end| end.to_string()).unwrap_or_default();
    let path = bootstrap.display().to_string();
    Some(match (stands, left > 0) {
        (true, _) => pages::ends_while_standing(BOOTSTRAP, &path, &at),
        (false, true) => pages::expiring(BOOTSTRAP, &path, &at),
        (false, false) => pages::expired(BOOTSTRAP, &path, &at),
    })
}

/// Whether a stage has made anything, as far as its state can be read.
fn stands(root: &Path) -> bool {
    let Ok(stages) = std::fs::read_dir(root.join("terraform")) else {
        return false;
    };
    let mut folders = stages.flatten().map(|stage| stage.path()).filter(|path| path.is_dir());
    folders.any(|folder| landfall_engine_terraform::resources(&folder).map_or(true, |all| !all.is_empty()))
}

/// Whether two paths are of the same directory.
fn is_same(one: &Path, other: &Path) -> bool {
    match (std::fs::canonicalize(one), std::fs::canonicalize(other)) {
        (Ok(first), Ok(second)) => first == second,
        _ => one == other,
    }
}

fn refusal(path: &Path, mut findings: Vec<Finding>) -> Refusal {
    sort(&mut findings);
    inputs::invalid(path, "", findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_must_outlast_an_installation() {
        let codes = |left: i64, stands: bool| {
            let empty = || Secret::new(String::new());
            let end = Some(1_000_000 + left);
            let files = Files {
                bootstrap: empty(),
                master: empty(),
                worker: empty(),
                end,
                infra_id: None,
                manifests: Secret::new(std::collections::BTreeMap::new()),
            };
            let now = Timestamp::from_second(1_000_000).unwrap_or_default();
            let path = Path::new("made/bootstrap.ign");
            validity(&files, path, stands, now).map(|finding| (finding.code.as_str(), finding.is_error()))
        };
        assert_eq!(codes(MARGIN, false), None);
        assert_eq!(codes(MARGIN - 1, false), Some(("LF0674", false)));
        assert_eq!(codes(0, false), Some(("LF0673", true)));
        assert_eq!(codes(-1, true), Some(("LF0679", false)));
        assert_eq!(codes(i64::MIN / 2, false), Some(("LF0673", true)));
    }
}
