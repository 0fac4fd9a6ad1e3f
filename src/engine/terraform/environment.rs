//! The environment that terraform runs in: the user's, but for what would change the work in silence.
#![allow(clippy::disallowed_methods, reason = "the environment is read and passed on here")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::Stage;
use crate::secret::{Scrub, Secret};

/// Variables of the user that would give terraform other arguments, other variables, another workspace or
/// other providers than landfall means.
const DROPPED: &[&str] = &["TF_WORKSPACE", "TF_REATTACH_PROVIDERS", "TF_DATA_DIR"];

/// Beginnings of such variables' names.
const DROPPED_STARTS: &[&str] = &["TF_CLI_ARGS", "TF_VAR_"];

/// The variable that makes terraform and its providers print what they send and receive, and the one that
/// names a file for it. Without the file it would go to the streams.
const LOG: (&str, &str) = ("TF_LOG", "TF_LOG_PATH");

/// What terraform is told in every run.
const FIXED: &[(&str, &str)] = &[("TF_IN_AUTOMATION", "1"), ("TF_INPUT", "0"), ("CHECKPOINT_DISABLE", "1")];

/// Variables that name the user's settings of the program. A file that is not there makes it complain.
const SETTINGS: &[&str] = &["TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"];

/// Endings of variables whose value may be a path.
const PATHS: &[&str] = &["_FILE", "_PATH", "_DIR", "_BUNDLE", "_CONFIG"];

/// Parts of variables' names whose values are secrets.
const SECRETS: &[&str] = &["SECRET", "PASSWORD", "TOKEN", "ACCESS_KEY", "PRIVATE_KEY"];

/// A text of a file of variables is taken for something that nobody may see from this length on, unless it is
/// a path: machines' configs, certificates and policies are that long.
const LONG_TEXT: usize = 120;

/// Whether a variable of the user reaches terraform.
fn passes(name: &str, logs: bool) -> bool {
    let dropped = DROPPED.contains(&name) || DROPPED_STARTS.iter().any(|start| name.starts_with(start));
    !dropped && (logs || !name.starts_with(LOG.0))
}

/// The folder in which terraform keeps what it installed for a stage.
pub(super) fn data(folder: &Path) -> PathBuf {
    folder.join(".terraform")
}

/// Prepares the environment of a program that works on no stage.
pub(super) fn prepare(command: &mut Command) {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let logs = set(LOG.0) && set(LOG.1);
    for (name, value) in std::env::vars_os() {
        let Some(known) = name.to_str() else { continue };
        if !passes(known, logs) {
            command.env_remove(&name);
        } else if SETTINGS.contains(&known) && !Path::new(&value).exists() {
            command.env(&name, "/dev/null");
        } else if let Some(path) = from_here(known, &value) {
            command.env(&name, path);
        }
    }
    command.envs(FIXED.iter().copied());
}

/// The whole path that a variable with a relative one names: terraform works in another folder.
fn from_here(name: &str, value: &OsStr) -> Option<PathBuf> {
    let path = Path::new(value);
    let names_path = PATHS.iter().any(|ending| name.ends_with(ending));
    let is_there = || path.exists() || name == LOG.1;
    if !names_path || value.is_empty() || path.is_absolute() || !is_there() {
        return None;
    }
    std::path::absolute(path).ok()
}

/// Prepares the environment of a program that works on a stage.
pub(super) fn prepare_stage(command: &mut Command, stage: &Stage<'_>, folder: &Path) {
    prepare(command);
    command.env("TF_DATA_DIR", data(folder));
    for (name, value) in stage.environment {
        command.env(name, value.expose());
    }
}

/// What must not be shown of what terraform says of a stage.
pub(super) fn secrets(stage: &Stage<'_>) -> Scrub {
    let mut scrub = Scrub::default();
    for (_, value) in stage.environment {
        scrub.hide(value);
    }
    for (name, value) in std::env::vars_os() {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str())
            && SECRETS.iter().any(|part| name.contains(part))
        {
            scrub.hide(&Secret::new(value.to_owned()));
        }
    }
    for path in stage.variables {
        let values: Option<serde_json::Value> =
            std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(values) = values {
            hide_long(&values, &mut scrub);
        }
    }
    scrub
}

fn hide_long(value: &serde_json::Value, scrub: &mut Scrub) {
    match value {
        serde_json::Value::String(text) if text.len() >= LONG_TEXT && !text.starts_with('/') => {
            scrub.hide(&Secret::new(text.clone()));
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| hide_long(value, scrub)),
        serde_json::Value::Object(map) => map.values().for_each(|value| hide_long(value, scrub)),
        _ => {}
    }
}

/// The folders of PATH.
pub(super) fn search_path() -> Vec<PathBuf> {
    let path: OsString = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_change_the_work_is_left_out() {
        let dropped = [
            "TF_VAR_cluster_id",
            "TF_CLI_ARGS",
            "TF_CLI_ARGS_apply",
            "TF_WORKSPACE",
            "TF_DATA_DIR",
            "TF_LOG",
        ];
        for name in dropped {
            assert!(!passes(name, false), "{name}");
        }
        for name in ["PATH", "HTTPS_PROXY", "TF_CLI_CONFIG_FILE", "TF_PLUGIN_CACHE_DIR", "AWS_PROFILE"] {
            assert!(passes(name, false), "{name}");
        }
    }

    #[test]
    fn logs_are_written_only_into_a_file() {
        for name in ["TF_LOG", "TF_LOG_PATH", "TF_LOG_PROVIDER", "TF_LOG_CORE"] {
            assert!(passes(name, true), "{name}");
            assert!(!passes(name, false), "{name}");
        }
    }

    #[test]
    fn long_texts_of_the_variables_are_hidden() {
        let ignition = format!("{{\"ignition\":\"{}\"}}", "canary".repeat(40));
        let resource = format!("/subscriptions/{}", "0".repeat(LONG_TEXT));
        let mut scrub = Scrub::default();
        let values = serde_json::json!({"id": "demo-12345", "many": [{"stub": ignition}], "path": resource});
        hide_long(&values, &mut scrub);
        let shown = scrub.clean(&format!("demo-12345 {ignition} {resource}"));
        assert!(!shown.contains("canary") && shown.contains("demo-12345") && shown.contains(&resource));
    }
}
