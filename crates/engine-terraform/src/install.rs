//! The providers of a stage: installed once, and again when something of it has changed or is broken.
#![allow(clippy::disallowed_methods, reason = "what is installed is looked at here")]

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use aws_lc_rs::digest::{Context, SHA256};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::fault::Fault;
use super::{Stage, Terraform, environment, streams};

/// The file in the data folder that says what was installed.
const MARK: &str = "landfall-init.json";

/// The folder of the data folder with the providers.
const PROVIDERS: &str = "providers";

/// Endings of the files that say what must be installed.
const CONFIGURATION: &[&str] = &[".tf", ".tf.json", ".tofu", ".terraform.lock.hcl"];

/// What was installed, and for what.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Mark {
    /// A sum over the program, the plugin directory and the configuration.
    sum: String,
    /// The files of the providers with their sizes.
    providers: Vec<(String, u64)>,
}

/// Whether the last installation is still valid.
pub(super) fn stands(terraform: &Terraform, stage: &Stage<'_>) -> bool {
    let data = environment::data(stage.folder);
    let Ok(Some(bytes)) = streams::read(&data.join(MARK)) else { return false };
    let (Ok(mark), Some(now)) = (serde_json::from_slice::<Mark>(&bytes), mark(terraform, stage, &data))
    else {
        return false;
    };
    mark == now
}

/// Notes that everything is installed.
pub(super) fn note(terraform: &Terraform, stage: &Stage<'_>) {
    let data = environment::data(stage.folder);
    let bytes = mark(terraform, stage, &data).and_then(|mark| serde_json::to_vec(&mark).ok());
    if let Some(bytes) = bytes {
        // Without it the next run installs once more, which is slow but right.
        let _ = streams::replace(&data.join(MARK), &bytes);
    }
}

/// Has the next run install once more.
pub(super) fn forget(stage: &Stage<'_>) {
    let _ = fs::remove_file(environment::data(stage.folder).join(MARK));
}

/// Whether there is something in the data folder that could be in the way of an installation.
pub(super) fn has_data(stage: &Stage<'_>) -> bool {
    let data = environment::data(stage.folder);
    match fs::read_dir(&data) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) => error.kind() != ErrorKind::NotFound,
    }
}

/// Creates the data folder.
pub(super) fn prepare(stage: &Stage<'_>) -> Result<(), Fault> {
    let data = environment::data(stage.folder);
    if fs::symlink_metadata(&data).is_ok_and(|about| !about.is_dir()) {
        return wipe(stage);
    }
    streams::private_folder(&data)
}

/// Empties the data folder. Everything in it can be installed again; the state is elsewhere.
pub(super) fn wipe(stage: &Stage<'_>) -> Result<(), Fault> {
    let data = environment::data(stage.folder);
    let removed = match fs::symlink_metadata(&data) {
        Ok(about) if about.is_dir() => fs::remove_dir_all(&data),
        Ok(_) => fs::remove_file(&data),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    };
    removed.map_err(Fault::file("remove", &data))?;
    streams::private_folder(&data)
}

/// What `init` is called with.
pub(super) fn arguments(plugin_dir: Option<&Path>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["init".into(), "-input=false".into(), "-no-color".into()];
    if let Some(folder) = plugin_dir {
        let mut argument = OsString::from("-plugin-dir=");
        argument.push(folder);
        arguments.push(argument);
    }
    arguments
}

fn mark(terraform: &Terraform, stage: &Stage<'_>, data: &Path) -> Option<Mark> {
    let mut sum = Context::new(&SHA256);
    let mut take = |bytes: &[u8]| {
        // The length separates adjacent values.
        sum.update(&bytes.len().to_le_bytes());
        sum.update(bytes);
    };
    take(terraform.program.path.as_os_str().as_encoded_bytes());
    take(terraform.program.version.to_string().as_bytes());
    take(terraform.plugin_dir.as_deref().unwrap_or(Path::new("")).as_os_str().as_encoded_bytes());
    for path in configuration(stage.folder).ok()? {
        take(path.file_name().unwrap_or_default().as_encoded_bytes());
        take(&fs::read(&path).ok()?);
    }
    let providers = installed(&data.join(PROVIDERS))?;
    Some(Mark { sum: STANDARD.encode(sum.finish()), providers })
}

fn configuration(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if CONFIGURATION.iter().any(|ending| name.ends_with(ending)) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Every file below a folder with its size; links are followed, since terraform links what it need not copy.
/// Nothing, if one of them leads nowhere.
fn installed(folder: &Path) -> Option<Vec<(String, u64)>> {
    if fs::symlink_metadata(folder).is_err() {
        return Some(Vec::new());
    }
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        let entry = entry.ok()?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(folder).ok()?.to_string_lossy().into_owned();
            found.push((name, entry.metadata().ok()?.len()));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use semver::Version;

    use super::super::program::Program;
    use super::*;

    fn terraform(minor: u64, plugin_dir: Option<&str>) -> Terraform {
        Terraform {
            continues: false,
            program: Program {
                path: "/usr/bin/terraform".into(),
                name: "Terraform",
                version: Version::new(1, minor, 0),
            },
            plugin_dir: plugin_dir.map(PathBuf::from),
        }
    }

    #[test]
    fn what_is_installed_stands_until_something_changes() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let folder = root.path().join("cluster");
        let provider = folder.join(".terraform/providers/example.com/x/1.0.0");
        fs::create_dir_all(&provider)?;
        fs::write(folder.join("main.tf"), "one")?;
        fs::write(provider.join("program"), "12345")?;
        let log = root.path().join("log");
        let stage = Stage { name: "cluster", folder: &folder, variables: &[], environment: &[], log: &log };
        let one = terraform(11, Some("/mirror"));
        assert!(!stands(&one, &stage));
        note(&one, &stage);
        assert!(stands(&one, &stage));
        assert!(!stands(&terraform(12, Some("/mirror")), &stage));
        assert!(!stands(&terraform(11, None), &stage));

        fs::write(folder.join("main.tf"), "two")?;
        assert!(!stands(&one, &stage));
        fs::write(folder.join("main.tf"), "one")?;
        assert!(stands(&one, &stage));

        fs::write(provider.join("program"), "1234")?;
        assert!(!stands(&one, &stage), "a provider that is cut off");
        fs::remove_dir_all(&provider)?;
        assert!(!stands(&one, &stage), "a provider that is gone");
        std::os::unix::fs::symlink(root.path().join("nowhere"), &provider)?;
        assert!(!stands(&one, &stage), "a link that leads nowhere");

        assert!(has_data(&stage) && wipe(&stage).is_ok() && !has_data(&stage));
        Ok(())
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_removed() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        fs::write(root.path().join(".terraform"), "")?;
        let log = root.path().join("log");
        let stage =
            Stage { name: "cluster", folder: root.path(), variables: &[], environment: &[], log: &log };
        assert!(has_data(&stage) && prepare(&stage).is_ok() && !has_data(&stage));
        Ok(())
    }

    #[test]
    fn a_plugin_directory_is_an_argument() {
        let with = arguments(Some(Path::new("/a folder")));
        assert_eq!(with, ["init", "-input=false", "-no-color", "-plugin-dir=/a folder"]);
        assert_eq!(arguments(None).len(), 3);
    }
}
