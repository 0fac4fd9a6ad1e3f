//! What the wizard finds and leaves in a cluster directory: earlier answers, and the new install config.

#![allow(clippy::disallowed_methods, reason = "the wizard's files are looked for and read here")]

use std::path::{Path, PathBuf};

use landfall_diagnostics::{Finding, Span};
use landfall_install_config::verdict::{Outcome, Strictness, judge_with};
use landfall_model::catalogue::Catalogue;
use landfall_source::Mask;

use super::draft::Answers;
use super::{Error, INSTALL_CONFIG, Refusal, Said, inputs};
use landfall_workdir::{ClusterDir, FileSet};

/// The answers of a run that did not come to its end, among landfall's own records.
const KEPT: &str = "wizard.json";
/// The step that writes the file.
const STEP: &str = "install-config";

/// Whether there is something in the place of the install config.
#[must_use]
pub fn has_config(directory: &Path) -> bool {
    directory.join(INSTALL_CONFIG).symlink_metadata().is_ok()
}

/// The answers of an earlier run; none where there are none, or none that can be read.
#[must_use]
pub fn kept(cluster: &ClusterDir) -> Answers {
    let bytes = std::fs::read(cluster.records().join(KEPT)).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

/// Keeps answers for a later run.
///
/// # Errors
/// The file cannot be written.
pub fn keep(cluster: &ClusterDir, answers: &Answers) -> Result<(), Error> {
    // All of it is text, for which JSON has a form.
    let bytes = serde_json::to_vec_pretty(answers).unwrap_or_default();
    cluster.write_record(KEPT, &bytes)?;
    Ok(())
}

/// Writes the install config, which only its owner may read, and forgets the kept answers. False where there
/// is another one by now, which stays.
///
/// # Errors
/// The config is not valid, with what stands against it, or cannot be written.
pub fn write(cluster: &mut ClusterDir, text: &str, catalogue: &Catalogue) -> Result<bool, Refusal> {
    let verdict = judge_with(text.as_bytes(), Strictness::default(), catalogue);
    if verdict.outcome != Outcome::Accepted {
        return Err(Refusal::Invalid(Box::new(Said {
            file: cluster.root().join(INSTALL_CONFIG).display().to_string(),
            text: text.to_owned(),
            outcome: verdict.outcome,
            findings: verdict.findings,
            mask: verdict.mask,
        })));
    }
    let set = FileSet::of([(INSTALL_CONFIG.to_owned(), text.as_bytes().to_vec(), true)])?;
    let report = cluster.write(STEP, &set)?;
    if !report.kept.is_empty() {
        return Ok(false);
    }
    cluster.remove_record(KEPT)?;
    Ok(true)
}

/// A refusal of what a flag gave.
#[must_use]
pub fn refused_flag(flag: &str, finding: Finding) -> Refusal {
    Refusal::Usage(Box::new(Said {
        file: flag.to_owned(),
        text: String::new(),
        outcome: Outcome::Rejected,
        findings: vec![finding.span(Span::default())],
        mask: Mask::default(),
    }))
}

/// A public SSH key in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFile {
    /// Name of the file, for people.
    pub name: String,
    /// The text of the key.
    pub text: String,
}

/// The files `~/.ssh/*.pub` that can be read, sorted by name. Whether there are keys in them, the rules say.
#[must_use]
pub fn ssh_keys() -> Vec<KeyFile> {
    let Some(folder) = std::env::home_dir().map(|home| home.join(".ssh")) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names
        .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "pub"))
        .collect();
    names.sort();
    let read = |name: String| {
        let text = key_text(&folder.join(&name)).ok()?;
        Some(KeyFile { name: format!("~/.ssh/{name}"), text })
    };
    names.into_iter().filter_map(read).collect()
}

/// The text of a file with public SSH keys; `~/` at the start of the path is the user's home.
///
/// # Errors
/// The file cannot be read.
pub fn ssh_key(path: &str) -> Result<String, Error> {
    let home = || std::env::home_dir().unwrap_or_default();
    key_text(&path.strip_prefix("~/").map_or_else(|| PathBuf::from(path), |rest| home().join(rest)))
}

fn key_text(path: &Path) -> Result<String, Error> {
    let bytes = inputs::read(path)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use std::error::Error as Any;

    use super::*;

    const CONFIG: &str = include_str!("../../diagnostics/src/base/aws.yaml");

    #[test]
    fn answers_are_kept_until_the_config_is_written() -> Result<(), Box<dyn Any>> {
        let root = tempfile::tempdir()?;
        let mut cluster = ClusterDir::open(root.path())?;
        assert!(kept(&cluster).is_empty());
        let answers = Answers { name: Some("demo".to_owned()), ..Answers::default() };
        keep(&cluster, &answers)?;
        assert_eq!(kept(&cluster), answers);
        assert!(!has_config(root.path()));
        let catalogue = Catalogue::embedded();
        assert!(matches!(write(&mut cluster, "apiVersion: v1\n", catalogue), Err(Refusal::Invalid(_))));
        assert!(!has_config(root.path()) && kept(&cluster) == answers);
        assert!(matches!(write(&mut cluster, CONFIG, catalogue), Ok(true)));
        assert!(has_config(root.path()) && kept(&cluster).is_empty());
        let other = CONFIG.replace("name: demo", "name: other");
        assert!(matches!(write(&mut cluster, &other, catalogue), Ok(false)));
        assert_eq!(std::fs::read_to_string(root.path().join(INSTALL_CONFIG))?, CONFIG);
        Ok(())
    }
}
