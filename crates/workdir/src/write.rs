//! Writing the files of a step: what is written, kept and removed, and how a kill in between is survived.
//!
//! First everything is decided ([`Plan`]), then the journal records what is about to happen, then it
//! happens, then the journal records that it did. A file that was cut off in between has either its old or
//! its new bytes, and the journal knows both.

use serde::Serialize;

use super::disk::{self, Change, Found};
use super::journal::{Entry, Fingerprint, Journal, USERS_FILE};
use super::{ClusterDir, Error, FileSet, SetFile};

/// What became of the files of a step, by path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Files that are new or have new bytes.
    pub written: Vec<String>,
    /// Files that had the right bytes already.
    pub unchanged: Vec<String>,
    /// Files that landfall would have replaced or removed, but that somebody edited or created.
    /// Worth telling the user.
    pub kept: Vec<String>,
    /// Files of an earlier run of the step that it does not need any more.
    pub removed: Vec<String>,
}

/// What is to be done for a step, and what the journal says before and after.
#[derive(Debug)]
struct Plan<'s> {
    report: Report,
    write: Vec<&'s SetFile>,
    /// Secret files with the right bytes that others may read.
    restrict: Vec<&'s str>,
    intent: Journal,
    outcome: Journal,
}

/// What becomes of one file.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// It is written, over a file of landfall's where there is one.
    Write { over: Option<Fingerprint> },
    /// It has the right bytes.
    Unchanged,
    /// It is someone else's work.
    Keep,
}

/// Decides about one file. `known` is what the journal has of it.
fn judge(found: &Found, wanted: &[u8], known: Option<&Entry>) -> Verdict {
    let bytes = match found {
        Found::Missing => return Verdict::Write { over: None },
        Found::Other => return Verdict::Keep,
        Found::File { bytes, .. } if bytes == wanted => return Verdict::Unchanged,
        Found::File { bytes, .. } => bytes,
    };
    let print = Fingerprint::of(bytes);
    match known {
        Some(entry) if entry.sha256.contains(&print) => Verdict::Write { over: Some(print) },
        _ => Verdict::Keep,
    }
}

impl ClusterDir {
    /// Writes the files of a step from `set`, except those that a person has edited.
    ///
    /// A file that is not as landfall wrote it, or that landfall never wrote, is kept. A file that an
    /// earlier run of the same step wrote and that is not in `set` is removed, unless it was edited. A file
    /// that was written earlier and is missing now is written again; [`ClusterDir::deleted`] names these.
    /// The user's install config is written only where there is none.
    ///
    /// After an error, or a kill at any moment, every file has its old or its new bytes, and the same call
    /// brings it to its end.
    ///
    /// # Errors
    /// [`Error`] says which file could not be looked at, written or removed.
    pub fn write(&mut self, step: &str, set: &FileSet) -> Result<Report, Error> {
        let Plan { report, write, restrict, intent, outcome } = self.plan(step, set)?;
        if !(write.is_empty() && report.removed.is_empty()) {
            self.save(intent)?;
            let mut change = Change::new(&self.root, self.durability);
            for file in write {
                let mode = if file.is_secret() { disk::PRIVATE_FILE } else { disk::OPEN_FILE };
                change.write(file.path(), file.bytes(), mode)?;
            }
            for path in &report.removed {
                change.remove(path);
            }
            change.commit()?;
        }
        for path in restrict {
            disk::restrict(&self.root.join(path))?;
        }
        self.save(outcome)?;
        Ok(report)
    }

    fn plan<'s>(&self, step: &str, set: &'s FileSet) -> Result<Plan<'s>, Error> {
        let mut plan = Plan {
            report: Report::default(),
            write: Vec::new(),
            restrict: Vec::new(),
            intent: self.journal.clone(),
            outcome: self.journal.clone(),
        };
        for file in set.files() {
            let path = file.path();
            let found = disk::look(&self.root.join(path))?;
            let known = self.journal.get(path);
            let verdict = judge(&found, file.bytes(), known);
            let landfalls = known.is_some() || verdict == Verdict::Unchanged;
            let stays = !matches!(verdict, Verdict::Write { .. });
            if file.is_secret() && landfalls && stays && matches!(found, Found::File { open: true, .. }) {
                plan.restrict.push(path);
            }
            plan.add(step, file, verdict);
        }
        for (path, entry) in self.journal.files() {
            if entry.step == step && !set.contains(path) && path != USERS_FILE {
                plan.drop_file(path, entry, &disk::look(&self.root.join(path))?);
            }
        }
        Ok(plan)
    }

    /// Writes `journal` as the journal, on disk first.
    pub(super) fn save(&mut self, journal: Journal) -> Result<(), Error> {
        if journal == self.journal {
            return Ok(());
        }
        let path = self.root.join(super::JOURNAL);
        let bytes = journal.encode().map_err(|cause| Error::Write(path, cause.into()))?;
        let mut change = Change::new(&self.root, self.durability);
        change.write(super::JOURNAL, &bytes, disk::PRIVATE_FILE)?;
        change.commit()?;
        self.journal = journal;
        Ok(())
    }
}

impl<'s> Plan<'s> {
    fn add(&mut self, step: &str, file: &'s SetFile, verdict: Verdict) {
        let path = file.path();
        let print = || Fingerprint::of(file.bytes());
        match verdict {
            Verdict::Write { over } => {
                let print = print();
                self.intent.record(path, Entry::intended(step, print.clone(), over));
                self.outcome.record(path, Entry::settled(step, print));
                self.write.push(file);
                self.report.written.push(path.to_owned());
            }
            Verdict::Unchanged => {
                let entry = Entry::settled(step, print());
                self.intent.record(path, entry.clone());
                self.outcome.record(path, entry);
                self.report.unchanged.push(path.to_owned());
            }
            Verdict::Keep => self.report.kept.push(path.to_owned()),
        }
    }

    /// Adds a file that the step wrote earlier and does not want any more.
    fn drop_file(&mut self, path: &str, entry: &Entry, found: &Found) {
        match found {
            Found::Missing => self.outcome.forget(path),
            Found::File { bytes, .. } if entry.knows(bytes) => {
                self.intent.intend_removal(path);
                self.outcome.forget(path);
                self.report.removed.push(path.to_owned());
            }
            Found::File { .. } | Found::Other => self.report.kept.push(path.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use super::*;
    use crate::Durability;

    type Outcome = Result<(), Box<dyn Any>>;

    const A: &str = "manifests/a.yaml";
    const B: &str = "openshift/b.yaml";
    const C: &str = "terraform/cluster/c.tf.json";

    fn open(root: &Path) -> Result<ClusterDir, Error> {
        ClusterDir::open_with(root, Durability::Process)
    }

    fn set(files: &[(&str, &str)]) -> Result<FileSet, Box<dyn Any>> {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec(), false));
        Ok(FileSet::of(files)?)
    }

    /// The paths as one text: written, unchanged, kept, removed.
    fn told(report: &Report) -> String {
        let Report { written, unchanged, kept, removed } = report;
        [written, unchanged, kept, removed].map(|paths| paths.join(" ")).join(" | ")
    }

    #[test]
    fn writes_once_and_leaves_alone_what_is_right() -> Outcome {
        for durability in [Durability::Process, Durability::Fsync] {
            let root = tempfile::tempdir()?;
            let mut dir = ClusterDir::open_with(root.path(), durability)?;
            let files = set(&[(A, "a"), (C, "c")])?;
            assert_eq!(told(&dir.write("s", &files)?), format!("{A} {C} |  |  | "));
            assert_eq!(fs::read_to_string(root.path().join(C))?, "c");
            assert_eq!(told(&dir.write("s", &files)?), format!(" | {A} {C} |  | "));
            drop(dir);
            let files = set(&[(A, "new"), (C, "c")])?;
            assert_eq!(told(&open(root.path())?.write("s", &files)?), format!("{A} | {C} |  | "));
            assert_eq!(fs::read_to_string(root.path().join(A))?, "new");
        }
        Ok(())
    }

    #[test]
    fn keeps_hand_edits_until_they_are_taken_back() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut dir = open(root.path())?;
        dir.write("s", &set(&[(A, "a"), (B, "b")])?)?;
        fs::write(root.path().join(A), "edited")?;
        assert_eq!(dir.edited()?, [A]);
        for _ in 0..2 {
            let report = dir.write("s", &set(&[(A, "a2"), (B, "b2")])?)?;
            assert_eq!(report.kept, [A]);
            assert_eq!(fs::read_to_string(root.path().join(A))?, "edited");
        }
        // The same edit in the input returns the file to landfall.
        assert_eq!(dir.write("s", &set(&[(A, "edited"), (B, "b2")])?)?.unchanged, [A, B]);
        assert_eq!(dir.edited()?, Vec::<String>::new());
        assert_eq!(dir.write("s", &set(&[(A, "a3"), (B, "b2")])?)?.written, [A]);
        Ok(())
    }

    #[test]
    fn never_touches_what_it_did_not_write() -> Outcome {
        let root = tempfile::tempdir()?;
        fs::create_dir_all(root.path().join("manifests"))?;
        fs::write(root.path().join(A), "mine")?;
        std::os::unix::fs::symlink("a.yaml", root.path().join("manifests/link.yaml"))?;
        let mut dir = open(root.path())?;
        let files = set(&[(A, "a"), ("manifests/link.yaml", "l"), ("manifests/new.yaml", "n")])?;
        assert_eq!(dir.write("s", &files)?.kept, [A, "manifests/link.yaml"]);
        assert_eq!(dir.write("s", &set(&[])?)?.removed, ["manifests/new.yaml"]);
        assert_eq!(fs::read_to_string(root.path().join("manifests/link.yaml"))?, "mine");
        assert_eq!(dir.extra()?, [A, "manifests/link.yaml"]);
        Ok(())
    }

    #[test]
    fn never_rewrites_or_removes_the_install_config() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut dir = open(root.path())?;
        assert_eq!(dir.write("s", &set(&[(USERS_FILE, "a")])?)?.written, [USERS_FILE]);
        assert_eq!(dir.write("s", &set(&[(USERS_FILE, "a")])?)?.unchanged, [USERS_FILE]);
        assert_eq!(dir.write("s", &set(&[(USERS_FILE, "b")])?)?.kept, [USERS_FILE]);
        assert_eq!(dir.write("s", &set(&[])?)?, Report::default());
        assert_eq!(fs::read_to_string(root.path().join(USERS_FILE))?, "a");
        Ok(())
    }

    #[test]
    fn removes_what_the_step_does_not_want_any_more() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut dir = open(root.path())?;
        dir.write("other", &set(&[(C, "c")])?)?;
        dir.write("s", &set(&[(A, "a"), (B, "b"), ("openshift/gone.yaml", "g")])?)?;
        fs::write(root.path().join(B), "edited")?;
        fs::remove_file(root.path().join("openshift/gone.yaml"))?;
        assert_eq!(dir.deleted()?, ["openshift/gone.yaml"]);
        assert_eq!(told(&dir.write("s", &set(&[])?)?), format!(" |  | {B} | {A}"));
        assert_eq!(dir.deleted()?, Vec::<String>::new());
        assert!(!fs::exists(root.path().join(A))?);
        assert!(fs::exists(root.path().join(C))?, "another step's file");
        // Still reported, until the user has removed it.
        assert_eq!(dir.write("s", &set(&[])?)?.kept, [B]);
        Ok(())
    }

    /// What a process leaves behind that is killed after `done` of the changes of a step.
    fn killed(root: &Path, files: &FileSet, done: usize) -> Outcome {
        let mut dir = open(root)?;
        let Plan { report, write, intent, .. } = dir.plan("s", files)?;
        dir.save(intent)?;
        let mut change = Change::new(root, Durability::Process);
        for file in &write {
            let folder = file.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            change.folder(folder)?;
            fs::write(root.join(folder).join(".landfall-7.tmp"), "half")?;
        }
        let writes = write.iter().map(|file| (file.path(), Some(file.bytes())));
        let removals = report.removed.iter().map(|path| (path.as_str(), None));
        for (path, bytes) in writes.chain(removals).take(done) {
            match bytes {
                Some(bytes) => fs::write(root.join(path), bytes)?,
                None => fs::remove_file(root.join(path))?,
            }
        }
        Ok(())
    }

    #[test]
    fn survives_a_kill_at_any_moment() -> Outcome {
        let gone = "manifests/gone.yaml";
        let (first, second) = (set(&[(A, "a"), (gone, "g")])?, set(&[(A, "a2"), (B, "b"), (C, "c")])?);
        for done in 0..=4 {
            // Afterwards the same is run again, something else, or what was there before.
            for after in [&second, &set(&[(A, "a3"), (B, "b3"), (C, "c3")])?, &first] {
                let root = tempfile::tempdir()?;
                open(root.path())?.write("s", &first)?;
                killed(root.path(), &second, done)?;
                let mut dir = open(root.path())?;
                assert_eq!(dir.edited()?, Vec::<String>::new(), "{done}");
                assert_eq!(dir.deleted()?, Vec::<String>::new(), "{done}");
                assert_eq!(dir.write("s", after)?.kept, Vec::<String>::new(), "{done}");
                for file in after.files() {
                    assert_eq!(fs::read(root.path().join(file.path()))?, file.bytes(), "{done}");
                }
                assert_eq!(fs::exists(root.path().join(gone))?, after.contains(gone), "{done}");
                assert_eq!(dir.write("s", after)?.unchanged.len(), after.files().len());
                for folder in ["manifests", "openshift", "terraform/cluster"] {
                    assert!(!fs::exists(root.path().join(folder).join(".landfall-7.tmp"))?, "{folder}");
                }
            }
        }
        Ok(())
    }

    #[test]
    fn an_edit_after_a_kill_is_kept() -> Outcome {
        let root = tempfile::tempdir()?;
        open(root.path())?.write("s", &set(&[(A, "a")])?)?;
        killed(root.path(), &set(&[(A, "a2")])?, 1)?;
        fs::write(root.path().join(A), "edited")?;
        let mut dir = open(root.path())?;
        assert_eq!(dir.edited()?, [A]);
        assert_eq!(dir.write("s", &set(&[(A, "a2")])?)?.kept, [A]);
        Ok(())
    }

    #[test]
    fn a_failure_leaves_nothing_half_done() -> Outcome {
        let root = tempfile::tempdir()?;
        let mut dir = open(root.path())?;
        dir.write("s", &set(&[(A, "a")])?)?;
        fs::write(root.path().join("openshift"), "a file where a folder should be")?;
        assert!(dir.write("s", &set(&[(A, "a2"), (B, "b")])?).is_err());
        assert_eq!(fs::read_to_string(root.path().join(A))?, "a");
        assert_eq!(fs::read_dir(root.path().join("manifests"))?.count(), 1);
        fs::remove_file(root.path().join("openshift"))?;
        assert_eq!(dir.write("s", &set(&[(A, "a2"), (B, "b")])?)?.written, [A, B]);
        Ok(())
    }

    #[test]
    fn gives_secrets_to_their_owner_only() -> Outcome {
        let root = tempfile::tempdir()?;
        let mode = |path: &str| {
            let about = fs::metadata(root.path().join(path));
            about.map(|about| about.permissions().mode() & 0o7777)
        };
        let mut files = set(&[(A, "a"), (C, "c")])?;
        files.add_secret("auth/kubeconfig", "k")?;
        files.add_secret("manifests/secret.yaml", "s")?;
        fs::create_dir(root.path().join("terraform"))?;
        fs::set_permissions(root.path().join("terraform"), fs::Permissions::from_mode(0o755))?;
        let mut dir = open(root.path())?;
        dir.write("s", &files)?;
        let private = ["auth", ".landfall", "terraform", "terraform/cluster"];
        assert_eq!(private.map(|path| mode(path).ok()), [Some(0o700); 4]);
        assert_eq!((mode("manifests")?, mode(A)?, mode(C)?), (0o755, 0o644, 0o644));
        let secret = ["auth/kubeconfig", "manifests/secret.yaml", ".landfall/lock", ".landfall/journal.json"];
        assert_eq!(secret.map(|path| mode(path).ok()), [Some(0o600); 4]);

        // An editor that saves a file anew may open it to all.
        let edited = root.path().join("manifests/secret.yaml");
        fs::write(&edited, "edited")?;
        for path in ["manifests/secret.yaml", "auth/kubeconfig"] {
            fs::set_permissions(root.path().join(path), fs::Permissions::from_mode(0o644))?;
        }
        assert_eq!(dir.write("s", &files)?.kept, ["manifests/secret.yaml"]);
        assert_eq!((mode("manifests/secret.yaml")?, mode("auth/kubeconfig")?), (0o600, 0o600));
        Ok(())
    }
}
