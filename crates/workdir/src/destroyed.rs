//! The cluster directory after its cluster was destroyed: the user's files stay, landfall's are removed.
//!
//! `metadata.json` and the journal of steps are kept below `.landfall/destroyed/`, so that a later run can tell
//! whose cluster was here, and so that the directory can take another cluster.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{ClusterDir, Error, FileSet, RECORDS, disk};

/// The file that says which cluster a directory is of.
const METADATA: &str = "metadata.json";
/// Where records of clusters that are gone lie, below landfall's own.
const DESTROYED: &str = "destroyed";
/// How the names of kept metadata end, behind the infrastructure id.
const KEPT_METADATA: &str = "-metadata.json";
/// The journal of steps.
const STEPS: &str = ".landfall/steps.jsonl";
/// How the names of kept journals of steps end.
const KEPT_STEPS: &str = "-steps.jsonl";

/// What gives access to a cluster, whoever wrote or changed it.
const ACCESS: &[&str] = &["auth/kubeconfig", "auth/kubeadmin-password"];
/// The folder of all stages.
const STAGES: &str = "terraform/";
/// What terraform keeps beside a module, besides its states.
const TERRAFORMS: &[&str] =
    &[".terraform", ".terraform.lock.hcl", ".terraform.tfstate.lock.info", "errored.tfstate"];
/// How the names of states and of their copies begin.
const STATE: &str = "terraform.tfstate";

/// What the OpenShift installer leaves in every directory that it works in.
const INSTALLERS_STATE: &str = ".openshift_install_state.json";
/// The installer's variables of all stages.
const INSTALLERS_VARIABLES: &str = "terraform.tfvars.json";

/// What was done with the files of a cluster that is gone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleared {
    /// Files and folders that were removed, sorted by path.
    pub removed: Vec<String>,
    /// Files that were edited since landfall wrote them, and stay; sorted by path.
    pub kept: Vec<String>,
    /// Where `metadata.json` is kept.
    pub metadata: PathBuf,
}

/// The metadata of clusters that were destroyed in a directory, the latest first.
///
/// # Errors
/// The records cannot be listed.
pub fn destroyed(root: &Path) -> Result<Vec<PathBuf>, Error> {
    let folder = root.join(RECORDS).join(DESTROYED);
    let mut found: Vec<(SystemTime, PathBuf)> = Vec::new();
    for (name, is_folder) in disk::list(&folder)? {
        if name.ends_with(KEPT_METADATA) && !is_folder {
            let path = folder.join(name);
            let when = fs::metadata(&path).and_then(|about| about.modified());
            found.push((when.unwrap_or(SystemTime::UNIX_EPOCH), path));
        }
    }
    found.sort();
    Ok(found.into_iter().rev().map(|(_, path)| path).collect())
}

impl ClusterDir {
    /// Removes what landfall, terraform or the OpenShift installer wrote for a cluster that is gone, and keeps
    /// its metadata as given. Files that were edited stay, as does everything that is the user's own.
    ///
    /// After an error, or a kill at any moment, the same call brings it to its end.
    ///
    /// # Errors
    /// A file cannot be looked at, written or removed.
    pub fn clear_destroyed(&mut self, infra_id: &str, metadata: &[u8]) -> Result<Cleared, Error> {
        let kept = self.write_record(&format!("{DESTROYED}/{infra_id}{KEPT_METADATA}"), metadata)?;
        let mut cleared = Cleared { removed: self.clear_states()?, kept: Vec::new(), metadata: kept };
        // Files for an engine that was killed; they may hold credentials.
        remove_whole(&self.records().join("engine"))?;
        self.clear_written(&mut cleared)?;
        self.put_steps_aside(infra_id)?;
        // Last of all: while it is there, the same command finds the cluster.
        if remove_whole(&self.root.join(METADATA))? {
            cleared.removed.push(METADATA.to_owned());
        }
        self.forget_metadata()?;
        self.clear_folders(&cleared.removed);
        for paths in [&mut cleared.removed, &mut cleared.kept] {
            paths.sort();
            paths.dedup();
        }
        Ok(cleared)
    }

    /// Removes states and what gives access, whatever their bytes.
    fn clear_states(&self) -> Result<Vec<String>, Error> {
        let mut paths: Vec<String> = ACCESS.iter().map(|&path| path.to_owned()).collect();
        for folder in self.stages() {
            let names = disk::list(&self.root.join(&folder))?.into_iter().map(|(name, _)| name);
            let states = names.filter(|name| name.starts_with(STATE) || TERRAFORMS.contains(&name.as_str()));
            paths.extend(states.map(|name| format!("{folder}/{name}")));
        }
        paths.extend(self.installers()?);
        let mut removed = Vec::new();
        for path in paths {
            if remove_whole(&self.root.join(&path))? {
                removed.push(path);
            }
        }
        Ok(removed)
    }

    /// The folders of stages whose modules landfall wrote.
    fn stages(&self) -> BTreeSet<String> {
        let folders = self.journal.files().filter_map(|(path, _)| path.rsplit_once('/'));
        folders
            .filter(|(folder, _)| folder.starts_with(STAGES))
            .map(|(folder, _)| folder.to_owned())
            .collect()
    }

    /// What the OpenShift installer wrote of a cluster into the directory itself. Where modules lie beside it,
    /// states and variables are theirs.
    fn installers(&self) -> Result<Vec<String>, Error> {
        let mut names = disk::list(&self.root)?;
        names.retain(|(_, is_folder)| !is_folder);
        let names: BTreeSet<String> = names.into_iter().map(|(name, _)| name).collect();
        if !names.contains(INSTALLERS_STATE) {
            return Ok(Vec::new());
        }
        let with_modules = names.iter().any(|name| [".tf", ".tf.json"].iter().any(|end| name.ends_with(end)));
        let own = |name: &str| {
            let stage = name.strip_suffix(".tfvars.json");
            let is_state_there = |stage: &str| names.contains(&format!("terraform.{stage}.tfstate"));
            name == INSTALLERS_VARIABLES
                || (name.starts_with("terraform.") && name.ends_with(".auto.tfvars.json"))
                || (name.starts_with("terraform.") && name.ends_with(".tfstate"))
                || stage.is_some_and(is_state_there)
        };
        let wanted =
            names.iter().filter(|name| *name == INSTALLERS_STATE || (!with_modules && own(name.as_str())));
        Ok(wanted.cloned().collect())
    }

    /// Removes what the journal knows, but for what was edited and for `metadata.json`.
    fn clear_written(&mut self, cleared: &mut Cleared) -> Result<(), Error> {
        let metadata = self.read(METADATA)?;
        let steps: BTreeSet<String> = self.journal.files().map(|(_, entry)| entry.step.clone()).collect();
        for step in steps {
            let mut set = FileSet::new();
            let owns = self.journal.get(METADATA).is_some_and(|entry| entry.step == step);
            if let Some(bytes) = metadata.as_ref().filter(|_| owns) {
                set.add(METADATA, bytes.as_slice())?;
            }
            let report = self.write(&step, &set)?;
            cleared.removed.extend(report.removed);
            cleared.kept.extend(report.kept.into_iter().filter(|path| path != METADATA));
        }
        Ok(())
    }

    /// Records in the journal that `metadata.json` no longer exists.
    fn forget_metadata(&mut self) -> Result<(), Error> {
        let step = self.journal.get(METADATA).map(|entry| entry.step.clone());
        if let Some(step) = step {
            self.write(&step, &FileSet::new())?;
        }
        Ok(())
    }

    /// Moves the journal of steps to what is kept of the cluster, behind what is there already: to a new cluster
    /// in the same directory nothing was done yet.
    fn put_steps_aside(&self, infra_id: &str) -> Result<(), Error> {
        let path = self.root.join(STEPS);
        let Some(later) = disk::read(&path)? else {
            return Ok(());
        };
        let name = format!("{DESTROYED}/{infra_id}{KEPT_STEPS}");
        let mut all = disk::read(&self.records().join(&name))?.unwrap_or_default();
        all.extend(later);
        self.write_record(&name, &all)?;
        disk::remove(&path)
    }

    /// Removes the folders that have become empty.
    fn clear_folders(&self, removed: &[String]) {
        let mut folders: BTreeSet<&str> = BTreeSet::new();
        for path in removed {
            folders.extend(path.match_indices('/').map(|(end, _)| &path[..end]));
        }
        // Those inside of others come first. One that is not empty, or cannot be removed, does no harm.
        for folder in folders.into_iter().rev() {
            let _ = fs::remove_dir(self.root.join(folder));
        }
    }
}

/// Removes a file, or a folder with all that is in it; whether there was one. Links are not followed.
fn remove_whole(path: &Path) -> Result<bool, Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(cause) if matches!(cause.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(false);
        }
        Err(cause) => return Err(Error::Look(path.to_owned(), cause)),
    };
    removed.map(|()| true).map_err(Error::at(Error::Remove, path))
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;

    use super::*;
    use crate::{Step, StepResult};

    type Outcome = Result<(), Box<dyn Any>>;

    const ID: &str = "demo-x7k2p";
    const METADATA_BYTES: &[u8] = br#"{"infraID":"demo-x7k2p"}"#;

    fn note(cluster: &ClusterDir, step: &str) -> Result<(), Error> {
        cluster.note(&Step {
            time: "2026-11-21T10:00:00Z".to_owned(),
            step: step.to_owned(),
            result: StepResult::Done,
            detail: String::new(),
            inputs: String::new(),
        })
    }

    /// A directory with a cluster that landfall created.
    fn made(root: &Path) -> Result<ClusterDir, Box<dyn Any>> {
        fs::write(root.join("install-config.yaml"), "mine")?;
        let mut cluster = ClusterDir::open(root)?;
        let file = |path: &str, bytes: &[u8]| (path.to_owned(), bytes.to_vec(), false);
        let files = [
            file("manifests/a.yaml", b"a"),
            file("manifests/b.yaml", b"b"),
            file("terraform/cluster/main.tf", b"m"),
            file("auth/tls/root.key", b"k"),
            file("auth/kubeconfig", b"k"),
            file(METADATA, METADATA_BYTES),
        ];
        cluster.write("manifests", &FileSet::of(files)?)?;
        cluster.write("cluster.apply", &FileSet::of([file("terraform/cluster.tfvars.json", b"{}")])?)?;
        fs::create_dir(root.join("terraform/cluster/.terraform"))?;
        for path in ["cluster/terraform.tfstate", "cluster/terraform.tfstate.backup", "cluster/.terraform/x"]
        {
            fs::write(root.join("terraform").join(path), "state")?;
        }
        cluster.write_record("engine/ca.pem", b"secret")?;
        note(&cluster, "cluster.apply")?;
        Ok(cluster)
    }

    #[test]
    fn what_landfall_wrote_goes_and_the_metadata_is_kept() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut cluster = made(root.path())?;
        fs::write(root.path().join("auth/kubeconfig"), "changed by a login")?;
        let cleared = cluster.clear_destroyed(ID, METADATA_BYTES)?;
        assert_eq!(cleared.kept, Vec::<String>::new());
        assert_eq!(cleared.removed.len(), 10);
        let left: Vec<(String, bool)> =
            disk::list(root.path())?.into_iter().filter(|(name, _)| name != RECORDS).collect();
        assert_eq!(left, [("install-config.yaml".to_owned(), false)]);
        assert!(!fs::exists(root.path().join(".landfall/engine"))?);
        assert_eq!(destroyed(root.path())?, std::slice::from_ref(&cleared.metadata));
        assert_eq!(fs::read(&cleared.metadata)?, METADATA_BYTES);
        assert_eq!(cluster.steps()?.iter().count(), 0, "nothing was done for the next cluster");
        assert_eq!(cluster.journal.files().count(), 0);
        Ok(())
    }

    #[test]
    fn edits_stay_and_are_named_and_it_can_be_repeated() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut cluster = made(root.path())?;
        for (path, text) in
            [("manifests/a.yaml", "edited"), ("terraform/cluster/mine.tf", "mine"), (METADATA, "{}")]
        {
            fs::write(root.path().join(path), text)?;
        }
        for _ in 0..2 {
            let cleared = cluster.clear_destroyed(ID, METADATA_BYTES)?;
            assert_eq!(cleared.kept, ["manifests/a.yaml"]);
            assert_eq!(fs::read_to_string(root.path().join("terraform/cluster/mine.tf"))?, "mine");
            assert!(!fs::exists(root.path().join(METADATA))?);
            note(&cluster, "cluster.destroy")?;
        }
        cluster.clear_destroyed(ID, METADATA_BYTES)?;
        let steps = fs::read_to_string(root.path().join(".landfall/destroyed/demo-x7k2p-steps.jsonl"))?;
        assert_eq!(steps.lines().count(), 3, "{steps}");
        Ok(())
    }

    #[test]
    fn of_the_installers_files_its_own_go() -> Outcome {
        let own = [
            ".openshift_install_state.json",
            "terraform.tfvars.json",
            "terraform.platform.auto.tfvars.json",
            "terraform.cluster.tfstate",
            "cluster.tfvars.json",
            "auth/kubeconfig",
            "auth/kubeadmin-password",
            METADATA,
        ];
        for (mine, gone) in [("notes.tfvars.json", 8), ("main.tf", 4)] {
            let root = tempfile::tempdir()?;
            fs::create_dir(root.path().join("auth"))?;
            for path in own.into_iter().chain([mine]) {
                fs::write(root.path().join(path), "{}")?;
            }
            let cleared = ClusterDir::open(root.path())?.clear_destroyed(ID, METADATA_BYTES)?;
            assert_eq!(cleared.removed.len(), gone, "{:?}", cleared.removed);
            assert!(fs::exists(root.path().join(mine))?);
            assert!(!fs::exists(root.path().join("auth"))?);
        }
        Ok(())
    }

    #[test]
    fn a_directory_without_the_installers_mark_keeps_states_of_others() -> Outcome {
        let root = tempfile::tempdir()?;
        for path in ["terraform.tfstate", "terraform.tfvars.json"] {
            fs::write(root.path().join(path), "{}")?;
        }
        let cleared = ClusterDir::open(root.path())?.clear_destroyed(ID, METADATA_BYTES)?;
        assert_eq!(cleared.removed, Vec::<String>::new());
        assert!(fs::exists(root.path().join("terraform.tfstate"))?);
        Ok(())
    }
}
