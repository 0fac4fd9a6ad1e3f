//! The environment that terraform runs in: the user's, but for what would change the work in silence.
#![allow(clippy::disallowed_methods, reason = "the environment is read and passed on here")]

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use landfall_diagnostics::secret::{Scrub, Secret, without_user};
use tokio::process::Command;

use super::Stage;

/// Variables of the user that would give terraform other arguments, other variables, another workspace or
/// other providers than landfall means.
const DROPPED: &[&str] = &["TF_WORKSPACE", "TF_REATTACH_PROVIDERS", "TF_DATA_DIR"];

/// Prefixes of these variables' names.
const DROPPED_STARTS: &[&str] = &["TF_CLI_ARGS", "TF_VAR_"];

/// The variable that makes terraform and its providers print what they send and receive, and the one that
/// names a file for it. Without the file it would go to the streams.
const LOG: (&str, &str) = ("TF_LOG", "TF_LOG_PATH");

/// The environment of Terraform in every run.
const FIXED: &[(&str, &str)] = &[("TF_IN_AUTOMATION", "1"), ("TF_INPUT", "0"), ("CHECKPOINT_DISABLE", "1")];

/// Variables that name the user's settings of the program. Terraform reports a missing file.
const SETTINGS: &[&str] = &["TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"];

/// Endings of variables whose value may be a path.
const PATHS: &[&str] = &["_FILE", "_PATH", "_DIR", "_BUNDLE", "_CONFIG"];

/// Parts of the names of variables whose values are secrets.
const SECRETS: &[&str] = &["SECRET", "PASSWORD", "PASSWD", "TOKEN"];

/// Endings of such names. A certificate comes with its private key where it is a value and not a file.
const SECRET_ENDS: &[&str] = &["_KEY", "CERTIFICATE"];

/// Endings of names whose values are none, whatever else is in the name: they say which key or token is meant,
/// or where it lies. Those of [`PATHS`] belong to them.
const NO_SECRET_ENDS: &[&str] = &["_ID", "_NAME", "_URL", "_URI"];

/// A text of a file of variables is taken for something that nobody may see from this length on, unless it is
/// a path: machines' configs, certificates and policies are that long.
const LONG_TEXT: usize = 120;

/// A value in the query of a URL is hidden by itself from this length on; shorter ones are words.
const LONG_VALUE: usize = 32;

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
///
/// Of the environment these are secrets, and nothing else is, as messages name clouds, subscriptions, regions,
/// hosts and files:
/// - the value of a variable whose name says so: see [`names_secret`];
/// - of a URL, the user and the query, whatever the variable is called;
/// - of what landfall itself gives to the engine, any long text that is neither a path nor a URL.
pub(super) fn secrets(stage: &Stage<'_>) -> Scrub {
    let mut scrub = Scrub::default();
    for (name, value) in stage.environment {
        hide(name, value.expose(), &mut scrub);
        if is_long(value.expose()) {
            scrub.hide(value);
        }
    }
    hide_environment(&mut scrub);
    for path in stage.variables {
        let values: Option<serde_json::Value> =
            std::fs::read(path).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
        if let Some(values) = values {
            hide_long(&values, &mut scrub);
        }
    }
    scrub
}

/// Hides what is secret of the environment of this process: the values of variables whose names say so, and of URLs the
/// user and the query.
pub fn hide_environment(scrub: &mut Scrub) {
    for (name, value) in std::env::vars_os() {
        if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
            hide(name, value, scrub);
        }
    }
}

/// Whether the value of a variable is a secret by its name.
fn names_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let is_secret = SECRETS.iter().any(|part| name.contains(part)) || ends(SECRET_ENDS);
    is_secret && !ends(NO_SECRET_ENDS) && !ends(PATHS)
}

/// Hides what is secret of the value of a variable.
fn hide(name: &str, value: &str, scrub: &mut Scrub) {
    let mut secret = |text: &str| scrub.hide(&Secret::new(text.to_owned()));
    if names_secret(name) {
        secret(value);
    }
    // What a URL shares with others, such as its host, is to be seen.
    let Some((_, rest)) = value.split_once("://").filter(|_| without_user(value) != value) else { return };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    if let Some((user, _)) = place.rsplit_once('@') {
        secret(user);
        if let Some((_, password)) = user.split_once(':') {
            secret(password);
        }
    }
    secret(query);
    let values = query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value);
    values.filter(|value| value.len() >= LONG_VALUE).for_each(secret);
}

/// Whether a text counts as secret because of its length.
fn is_long(text: &str) -> bool {
    text.len() >= LONG_TEXT && !text.starts_with('/') && !text.contains("://")
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

    fn hiding(variables: &[(&str, &str)]) -> Scrub {
        let environment: Vec<(String, Secret<String>)> = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Secret::new((*value).to_owned())))
            .collect();
        let nowhere = Path::new("");
        secrets(&Stage {
            name: "cluster",
            folder: nowhere,
            variables: &[],
            environment: &environment,
            log: nowhere,
        })
    }

    #[test]
    fn what_tells_where_and_who_is_shown() {
        let open = [
            ("SSL_CERT_FILE", "/clusters/demo/.landfall/engine/SSL_CERT_FILE"),
            ("ARM_OIDC_TOKEN_FILE_PATH", "/var/run/secrets/azure/tokens/token"),
            ("ARM_ENVIRONMENT", "usgovernment"),
            ("ARM_SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000001"),
            ("ARM_METADATA_HOSTNAME", "management.local.example.com:8443"),
            ("AWS_ENDPOINT_URL_EC2", "https://ec2.moon-base-1.moon.example/path"),
            ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
            ("HTTPS_PROXY", "http://proxy.example.com:3128"),
        ];
        let scrub = hiding(&open);
        for (name, value) in open {
            let said = format!("reading {value}: not found");
            assert_eq!(scrub.clean(&said), said, "{name}");
        }
    }

    #[test]
    fn what_opens_something_is_hidden() {
        let certificate = "MIIKcanary".repeat(40);
        let long = "canary+".repeat(40);
        let signature = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        let place = "https://s3.example.com/demo-bcd24-bootstrap/bootstrap.ign";
        let signed = format!("{place}?X-Amz-Expires=3600&X-Amz-Signature={signature}");
        let scrub = hiding(&[
            ("ARM_CLIENT_SECRET", "canary-of-the-client"),
            ("ARM_CLIENT_CERTIFICATE", certificate.as_str()),
            ("ARM_CLIENT_CERTIFICATE_PASSWORD", "canary-password"),
            ("AWS_SECRET_ACCESS_KEY", "canary/of+the/key"),
            ("aws_session_token", "canary-of-the-session"),
            ("TF_VAR_aws_bootstrap_ignition_url", signed.as_str()),
            ("HTTPS_PROXY", "http://user:canary-proxy@proxy.example.com:3128"),
            ("ARM_OF_TOMORROW", long.as_str()),
        ]);
        for secret in [
            "canary-of-the-client",
            certificate.as_str(),
            "canary-password",
            "canary/of+the/key",
            "canary-of-the-session",
            signature,
            "X-Amz-Expires=3600&X-Amz-Signature=",
            "user:canary-proxy",
            "canary-proxy",
            long.as_str(),
        ] {
            let said = scrub.clean(&format!("<{secret}> is refused"));
            assert_eq!(said, "<<redacted>> is refused", "{secret}");
        }
        // The path is not a secret, and other addresses of the same host stay readable.
        let said = scrub.clean(&format!("Get \"{signed}\""));
        assert_eq!(said, format!("Get \"{place}?<redacted>\""));
        assert_eq!(scrub.clean("dial proxy.example.com:3128"), "dial proxy.example.com:3128");
    }

    #[test]
    fn names_tell_keys_from_their_ids_and_places() {
        for name in ["AWS_SESSION_TOKEN", "TF_TOKEN_app_example_com", "aws_secret_key", "SSH_PRIVATE_KEY"] {
            assert!(names_secret(name), "{name}");
        }
        for name in
            ["AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "ARM_CLIENT_CERTIFICATE_PATH", "KEYBOARD"]
        {
            assert!(!names_secret(name), "{name}");
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
