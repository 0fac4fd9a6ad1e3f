//! The OpenShift installer's program, run over the manifests of a cluster directory.
//!
//! It works in a folder of its own below `.landfall/`, since it uses up what it reads and has ids of its own.
//! Between its two steps the ids and manifests there become those of the cluster; what holds certificates of
//! its own making stays, as the machine config server on the bootstrap machine uses their keys.

#![allow(clippy::disallowed_methods, reason = "a program is run here, in a folder that is made for it")]

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Scrub;
use landfall_model::plan::{Identity, ignition_pages as pages};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{Error, INSTALL_CONFIG, Refusal, inputs};
use landfall_workdir as workdir;
use landfall_workdir::ClusterDir;

/// The manifests that hold certificates of the program's own making.
pub(super) const OWN: [&str; 6] = [
    "manifests/kube-system-configmap-root-ca.yaml",
    "manifests/machine-config-server-ca-configmap.yaml",
    "manifests/machine-config-server-ca-secret.yaml",
    "manifests/machine-config-server-tls-secret.yaml",
    "openshift/99_openshift-cluster-api_master-user-data-secret.yaml",
    "openshift/99_openshift-cluster-api_worker-user-data-secret.yaml",
];

/// The note of who installed, which the program writes with its own version.
pub(super) const NOTE: &str = "openshift/openshift-install-manifests.yaml";

/// How the names of manifests of machines begin.
const MACHINES: [&str; 2] = ["99_openshift-cluster-api_", "99_openshift-machine-api_"];
/// How the names of those end that have the same beginning and are none.
const USER_DATA: &str = "-user-data-secret.yaml";

/// What the program remembers from one step to the next.
const STATE: &str = ".openshift_install_state.json";
/// The cluster's ids in it.
const IDS: &str = "*installconfig.ClusterID";

/// The program's output, below `.landfall/`.
const LOG: &str = "log/openshift-install.log";
/// The folder for the program's work, below `.landfall/`.
const SCRATCH: &str = "openshift-install";

/// The most characters of the program's message that are shown.
const MOST_SAID: usize = 600;

/// The folder in which the program works. It is removed with everything in it when this is dropped.
pub(super) struct Scratch(PathBuf);

impl Scratch {
    /// A new folder, which only its owner may enter. What a run left behind that was killed is removed.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub(super) fn new(cluster: &ClusterDir) -> Result<Self, Error> {
        clear(cluster)?;
        let path = cluster.records().join(SCRATCH);
        let mut builder = DirBuilder::new();
        builder.mode(0o700);
        let make = |path: &Path| {
            builder.create(path).map_err(|cause| workdir::Error::CreateFolder(path.to_owned(), cause))
        };
        make(&path)?;
        let scratch = Self(path);
        make(&scratch.assets())?;
        Ok(scratch)
    }

    /// The program's own directory.
    pub(super) fn assets(&self) -> PathBuf {
        self.0.join("assets")
    }

    fn output(&self) -> PathBuf {
        self.0.join("output")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed now is removed by the next run.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether there is such a program, as far as that can be told without running it.
pub(super) fn is_there(program: &Path) -> bool {
    if program.components().count() > 1 || program.is_absolute() {
        return program.is_file();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).is_file())
}

/// Removes what a run left behind that was killed.
///
/// # Errors
/// It cannot be removed.
pub(super) fn clear(cluster: &ClusterDir) -> Result<(), Error> {
    let path = cluster.records().join(SCRATCH);
    match fs::remove_dir_all(&path) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => Err(workdir::Error::Remove(path, cause).into()),
        _ => Ok(()),
    }
}

/// What the program is to make ignition files of.
pub(super) struct Job<'a> {
    /// The program.
    pub(super) program: &'a Path,
    /// The cluster directory.
    pub(super) cluster: &'a ClusterDir,
    /// The install config as the user wrote it.
    pub(super) config: &'a [u8],
    /// The ids that the cluster has.
    pub(super) identity: &'a Identity,
    /// The release that is to be installed.
    pub(super) release: &'a str,
    /// The manifests that the cluster gets, by path.
    pub(super) manifests: &'a BTreeMap<String, Vec<u8>>,
    /// What must not be shown of the program's output.
    pub(super) scrub: &'a Scrub,
}

impl Job<'_> {
    /// Runs the program. Its files are in the folder afterwards.
    ///
    /// # Errors
    /// The program cannot be started, fails, or does not leave behind what is needed to go on.
    pub(super) fn run(&self, scratch: &Scratch) -> Result<(), Refusal> {
        self.compare_version()?;
        let assets = scratch.assets();
        write(&assets.join(INSTALL_CONFIG), self.config)?;
        self.step(scratch, "manifests")?;
        if !self.take_ids(&assets.join(STATE))? {
            let what = "its state has no IDs of the cluster";
            return Err(self.refused(pages::program_unknown(what, &self.log())));
        }
        self.lay(&assets)?;
        self.step(scratch, "ignition-configs")
    }

    /// Refuses a program of another release. What it says of itself need not be a version, as in programs that
    /// were built by hand.
    fn compare_version(&self) -> Result<(), Refusal> {
        let output = Command::new(self.program).arg("version").stdin(Stdio::null()).output();
        let output = output.map_err(|cause| {
            let program = self.program.display().to_string();
            self.refused(pages::not_started(&program, &cause.to_string()))
        })?;
        if !output.status.success() {
            let command = format!("{} version", self.program.display());
            let errors = self.scrub.clean(&String::from_utf8_lossy(&output.stderr));
            let last = last_fault(&errors);
            let status = output.status.to_string();
            return Err(self.refused(pages::program_failed(&command, &status, last.as_deref(), &self.log())));
        }
        let said = String::from_utf8_lossy(&output.stdout);
        match version_of(&said) {
            Some(version) if !is_of(&version, self.release) => {
                let program = self.program.display().to_string();
                Err(self.refused(pages::another_release(&program, &version, self.release)))
            }
            _ => Ok(()),
        }
    }

    /// Where the program's output is kept.
    pub(super) fn log(&self) -> String {
        self.cluster.records().join(LOG).display().to_string()
    }

    fn refused(&self, finding: Finding) -> Refusal {
        inputs::invalid(self.cluster.root(), "", vec![finding])
    }

    fn step(&self, scratch: &Scratch, target: &str) -> Result<(), Refusal> {
        let output = appended(&scratch.output())?;
        let errors = output.try_clone().map_err(|cause| unwritten(&scratch.output(), cause))?;
        let status = Command::new(self.program)
            .args(["create", target, "--dir"])
            .arg(scratch.assets())
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(errors)
            .status();
        let status = match status {
            Ok(status) => status,
            Err(cause) => {
                let program = self.program.display().to_string();
                return Err(self.refused(pages::not_started(&program, &cause.to_string())));
            }
        };
        let said = fs::read(scratch.output()).unwrap_or_default();
        let said = self.scrub.clean(&String::from_utf8_lossy(&said));
        self.cluster.write_record(LOG, said.as_bytes())?;
        if status.success() {
            return Ok(());
        }
        let command = format!("{} create {target}", self.program.display());
        let last = last_fault(&said);
        let finding = pages::program_failed(&command, &status.to_string(), last.as_deref(), &self.log());
        Err(self.refused(finding))
    }

    /// Puts the cluster's ids into what the program remembers; false where there is no place for them.
    fn take_ids(&self, path: &Path) -> Result<bool, Error> {
        let bytes = match fs::read(path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(false),
            read => read.map_err(|source| Error::Read { path: path.to_owned(), source })?,
        };
        let Some(state) = with_ids(&bytes, self.identity) else {
            return Ok(false);
        };
        write(path, state.as_bytes())?;
        Ok(true)
    }

    /// Puts the cluster's manifests in place of the program's.
    fn lay(&self, assets: &Path) -> Result<(), Error> {
        let folder = assets.join("openshift");
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            // The program may have planned more machines than there will be.
            if is_machine(&entry.file_name().to_string_lossy()) {
                let path = entry.path();
                fs::remove_file(&path).map_err(|cause| workdir::Error::Remove(path, cause))?;
            }
        }
        for (path, bytes) in self.manifests {
            let path = assets.join(path);
            if let Some(folder) = path.parent() {
                let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
                made.map_err(|cause| workdir::Error::CreateFolder(folder.to_owned(), cause))?;
            }
            write(&path, bytes)?;
        }
        Ok(())
    }
}

/// The version in the first line that the program says of itself, `openshift-install 4.19.3`.
fn version_of(said: &str) -> Option<String> {
    // The program's own path comes first, and may have spaces.
    let word = said.lines().next()?.split_whitespace().last()?;
    let version = word.trim_start_matches('v');
    let is_version = version.split('.').take(2).filter(|part| part.parse::<u32>().is_ok()).count() == 2;
    is_version.then(|| version.to_owned())
}

/// Whether a version is one of a release such as `4.19`.
fn is_of(version: &str, release: &str) -> bool {
    version == release || version.strip_prefix(release).is_some_and(|rest| rest.starts_with('.'))
}

fn is_machine(name: &str) -> bool {
    MACHINES.iter().any(|start| name.starts_with(start)) && !name.ends_with(USER_DATA)
}

/// The program's state with other ids, everything else as it is; none where it has none.
fn with_ids(state: &[u8], identity: &Identity) -> Option<String> {
    let mut state: BTreeMap<String, Box<RawValue>> = serde_json::from_slice(state).ok()?;
    let mut ids: Map<String, Value> = serde_json::from_str(state.get(IDS)?.get()).ok()?;
    for (key, id) in [("UUID", &identity.cluster_id), ("InfraID", &identity.infra_id)] {
        let place = ids.get_mut(key).filter(|place| place.is_string())?;
        *place = Value::from(id.as_str());
    }
    state.insert(IDS.to_owned(), serde_json::value::to_raw_value(&ids).ok()?);
    serde_json::to_string(&state).ok()
}

/// The last fault that the program told.
fn last_fault(output: &str) -> Option<String> {
    let is_fault = |line: &&str| line.contains("level=fatal") || line.contains("level=error");
    let line = output.lines().rev().find(is_fault)?;
    let (_, message) = line.split_once("msg=")?;
    // Whatever stands behind a text in quotes is not part of it.
    let quoted = serde_json::Deserializer::from_str(message).into_iter::<String>().next();
    let message = quoted.and_then(Result::ok).unwrap_or_else(|| message.to_owned());
    let shown: String = message.trim().chars().take(MOST_SAID).collect();
    Some(shown).filter(|shown| !shown.is_empty())
}

fn unwritten(path: &Path, cause: std::io::Error) -> Error {
    workdir::Error::Write(path.to_owned(), cause).into()
}

/// Writes a file that only its owner may read.
fn write(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
    file.and_then(|mut file| file.write_all(bytes)).map_err(|cause| unwritten(path, cause))
}

/// Opens a file that only its owner may read, to write at its end.
fn appended(path: &Path) -> Result<File, Error> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
    file.map_err(|cause| unwritten(path, cause))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_looked_for_where_it_would_be_started() {
        assert!(is_there(Path::new("sh")) && is_there(Path::new("/bin/sh")));
        assert!(!is_there(Path::new("no-such-installer")) && !is_there(Path::new("/nonexistent/sh")));
    }

    #[test]
    fn a_program_says_its_version() {
        let said = "openshift-install 4.19.3\nbuilt from commit 0123\nrelease image quay.io/x@sha256:0\n";
        let version = version_of(said).unwrap_or_default();
        assert_eq!(version, "4.19.3");
        assert!(is_of(&version, "4.19") && !is_of(&version, "4.1") && !is_of("4.2.0", "4.20"));
        assert_eq!(version_of("/a b/openshift-install 4.18.3\n").as_deref(), Some("4.18.3"));
        assert_eq!(version_of("./openshift-install v4.18.0-rc.1\n").as_deref(), Some("4.18.0-rc.1"));
        for silent in ["", "openshift-install", "openshift-install unreleased-master-1-g0\n", "x 4.x\n"] {
            assert_eq!(version_of(silent), None, "{silent}");
        }
    }

    #[test]
    fn ids_are_replaced_and_nothing_else() {
        let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: "u".to_owned() };
        let state = r#"{"*installconfig.ClusterID":{"UUID":"v","InfraID":"demo-zzzzz"},"b":{"n":12345678901234567890123}}"#;
        let wanted = r#"{"*installconfig.ClusterID":{"InfraID":"demo-bcd24","UUID":"u"},"b":{"n":12345678901234567890123}}"#;
        assert_eq!(with_ids(state.as_bytes(), &identity).as_deref(), Some(wanted));
        let others = [
            "",
            "[]",
            "{}",
            r#"{"*installconfig.ClusterID":null}"#,
            r#"{"*installconfig.ClusterID":{"UUID":"v"}}"#,
            r#"{"*installconfig.ClusterID":{"UUID":1,"InfraID":"x"}}"#,
        ];
        for state in others {
            assert_eq!(with_ids(state.as_bytes(), &identity), None, "{state}");
        }
    }

    #[test]
    fn tells_the_last_fault() {
        let two = "level=error msg=\"first\"\nlevel=fatal msg=\"failed to \\\"x\\\"\" more=1\nlevel=info \
            msg=done\n";
        assert_eq!(last_fault(two).as_deref(), Some("failed to \"x\""));
        assert_eq!(last_fault("time=\"t\" level=error msg=plain words").as_deref(), Some("plain words"));
        for silent in ["", "level=info msg=done", "level=fatal", "level=fatal msg="] {
            assert_eq!(last_fault(silent), None, "{silent}");
        }
    }

    #[test]
    fn machines_are_told_from_their_user_data() {
        for name in [
            "99_openshift-cluster-api_master-machines-0.yaml",
            "99_openshift-cluster-api_worker-machineset-12.yaml",
            "99_openshift-machine-api_master-control-plane-machine-set.yaml",
        ] {
            assert!(is_machine(name), "{name}");
        }
        for path in OWN.iter().chain(&["openshift/99_kubeadmin-password-secret.yaml"]) {
            assert!(!is_machine(path.rsplit('/').next().unwrap_or_default()), "{path}");
        }
    }
}
