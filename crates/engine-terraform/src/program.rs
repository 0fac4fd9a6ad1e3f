//! The program: where it lies, and whether it is new enough.
#![allow(clippy::disallowed_methods, reason = "programs are looked for and asked for their version here")]

use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use semver::Version;
use serde::Deserialize;
use tokio::process::Command;

use super::environment;
use super::fault::Fault;

/// The programs that are looked for on PATH, in this order.
const NAMES: &[&str] = &["tofu", "terraform"];

/// The oldest major and minor version that has all that is used here.
pub(super) const OLDEST: (u64, u64) = (1, 6);

/// A program that does not print its version in this time is unusable.
const PATIENCE: Duration = Duration::from_mins(1);

/// A program that was asked for its version.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) path: PathBuf,
    pub(super) name: &'static str,
    pub(super) version: Version,
}

/// What `version -json` prints; `OpenTofu` has kept the name.
#[derive(Deserialize)]
struct Told {
    terraform_version: String,
}

/// The program that the user names, else the first one on PATH that is new enough.
pub(super) async fn find(named: Option<&Path>) -> Result<Program, Fault> {
    let candidates = match named {
        Some(named) => vec![place(named)],
        None => NAMES.iter().filter_map(|name| on_path(Path::new(name))).collect(),
    };
    let (mut old, mut fault) = (Vec::new(), None);
    for path in candidates {
        match ask(&path).await {
            Ok(version) if (version.major, version.minor) >= OLDEST => {
                let name = product(&path);
                return Ok(Program { path, name, version });
            }
            Ok(version) => old.push((path, version)),
            Err(trouble) => fault = fault.or(Some(trouble)),
        }
    }
    if !old.is_empty() {
        return Err(Fault::TooOld { found: old });
    }
    Err(fault.unwrap_or(Fault::NotFound { named: None }))
}

/// Where the program is that the user names: a path, or a name on PATH.
fn place(named: &Path) -> PathBuf {
    let is_name = named.components().count() == 1 && !named.is_absolute() && !named.is_file();
    let found = if is_name { on_path(named) } else { None };
    found.or_else(|| std::path::absolute(named).ok()).unwrap_or_else(|| named.to_owned())
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let runs = |path: &PathBuf| {
        path.metadata().is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0)
    };
    let found = environment::search_path().into_iter().map(|folder| folder.join(name)).find(runs)?;
    std::path::absolute(&found).ok().or(Some(found))
}

/// Which of the two products a program is, by the name of its file.
fn product(path: &Path) -> &'static str {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let is_tofu = |path: &Path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().to_ascii_lowercase().contains("tofu"))
    };
    if is_tofu(path) || is_tofu(&target) { "OpenTofu" } else { "Terraform" }
}

async fn ask(path: &Path) -> Result<Version, Fault> {
    let cannot_run = |source: io::Error| match source.kind() {
        ErrorKind::NotFound => Fault::NotFound { named: Some(path.to_owned()) },
        _ => Fault::CannotRun { program: path.to_owned(), source },
    };
    let mut command = Command::new(path);
    command.args(["version", "-json"]).stdin(Stdio::null()).kill_on_drop(true);
    environment::prepare(&mut command);
    let late = || io::Error::new(ErrorKind::TimedOut, "it does not print its version");
    let output = tokio::time::timeout(PATIENCE, command.output())
        .await
        .unwrap_or_else(|_| Err(late()))
        .map_err(cannot_run)?;
    version(&output.stdout).ok_or_else(|| Fault::NotTerraform { program: path.to_owned() })
}

fn version(told: &[u8]) -> Option<Version> {
    let told: Told = serde_json::from_slice(told).ok()?;
    Version::parse(told.terraform_version.trim_start_matches('v')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_version() {
        let told =
            br#"{"terraform_version": "1.11.4", "platform": "linux_amd64", "terraform_outdated": false}"#;
        assert_eq!(version(told), Some(Version::new(1, 11, 4)));
        for other in ["", "Terraform v1.11.4", "{}", "{\"terraform_version\":\"new\"}"] {
            assert_eq!(version(other.as_bytes()), None, "{other}");
        }
    }

    #[test]
    fn tells_the_products_apart() {
        assert_eq!(product(Path::new("/usr/bin/tofu")), "OpenTofu");
        assert_eq!(product(Path::new("/opt/opentofu-1.9")), "OpenTofu");
        assert_eq!(product(Path::new("/nowhere/terraform")), "Terraform");
    }
}
