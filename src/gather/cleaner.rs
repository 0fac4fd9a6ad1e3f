//! The secrets of a cluster directory, and texts without them.
#![allow(clippy::disallowed_methods, reason = "this edge reads the files that hold secrets")]

use std::fs;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::secret::{REDACTED, Scrub, Secret};
use landfall_model::config::InstallConfig;
use landfall_source::Mask;
use regex_lite::Regex;
use serde_json::Value;
use walkdir::WalkDir;

use super::{files, state};
use crate::prepare;

/// The folders whose files are secret, and those with secrets among manifests.
const AUTH: &str = "auth";
const MANIFESTS: &[&str] = &["manifests", "openshift"];
/// Keys of Kubernetes secrets whose values are secret although they do not sound so.
const SECRET_KEYS: &[&str] = &[".dockerconfigjson", "kubeadmin", "tls.key", "userData"];
/// A larger file is not read for its secrets as a whole.
const MOST_BYTES: u64 = 1 << 20;

/// What looks like a secret wherever it is, and what stays before and behind it.
const PATTERNS: &[(&str, &str, &str)] = &[
    (r"(?s)-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----.*?(-----END [A-Z0-9 ]*PRIVATE KEY-----|$)", "", ""),
    // The same in base64. A certificate begins with other letters.
    (r"LS0tLS1CRUdJTi(?:BF|BP|BQ|BS)[A-Za-z0-9+/=]*", "", ""),
    // The files of an ignition config.
    (r"(data:[A-Za-z0-9/;=.-]*,)[A-Za-z0-9+/=%._-]{100,}", "$1", ""),
    (r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", "", ""),
    (r"\$(?:2[aby]|5|6|y)\$[A-Za-z0-9./$=,]{16,}", "", ""),
    (r#"(?i)(authorization["']?\s*[:=]\s*["']?(?:bearer|basic|sharedkey)?\s*)[^\s"',]{8,}"#, "$1", ""),
    (r#"(?i)([?&](?:sig|x-amz-signature|x-amz-security-token)=)[^&\s"']+"#, "$1", ""),
    (r#"(://)[^/\s:@"']*:[^/\s@"']+@"#, "$1", "@"),
    (
        r#"(?i)("(?:auth|password|passwordHash|token|(?:client_?)?secret|secretAccessKey|sessionToken|accessToken|refreshToken|(?:access|refresh|id)_token)"\s*:\s*")[^"]+"#,
        "$1",
        "",
    ),
    (
        r#"(?i)\b((?:\w*secret_access_key|\w*session_token|\w*client_secret|\w*password)\s*[=:]\s*"?)[^\s"',;]{6,}"#,
        "$1",
        "",
    ),
];

/// Takes the secrets of a cluster out of texts: those that are known by their value, and what looks like one.
pub struct Cleaner {
    scrub: Scrub,
    patterns: Vec<(Regex, String)>,
}

impl Cleaner {
    /// One that knows the secrets of a directory, of its config, of the states of its engine, and of the environment.
    #[must_use]
    pub fn of(root: &Path, config: Option<&InstallConfig>) -> Self {
        let mut scrub = Scrub::default();
        landfall_engine_terraform::hide_environment(&mut scrub);
        if let Some(config) = config {
            prepare::hide_secrets(config, &mut scrub);
        }
        for entry in WalkDir::new(root.join(AUTH)).into_iter().flatten() {
            hide_file(entry.path(), &mut scrub);
        }
        for folder in MANIFESTS {
            for entry in WalkDir::new(root.join(folder)).into_iter().flatten() {
                hide_manifest(entry.path(), &mut scrub);
            }
        }
        for path in files::states(root) {
            for secret in files::read(&path).map(|text| state::secrets(&text)).unwrap_or_default() {
                hide(&secret, &mut scrub);
            }
        }
        let compiled = PATTERNS.iter().filter_map(|(pattern, before, behind)| {
            Some((Regex::new(pattern).ok()?, format!("{before}{REDACTED}{behind}")))
        });
        Self { scrub, patterns: compiled.collect() }
    }

    /// The text without secrets.
    #[must_use]
    pub fn clean(&self, text: &str) -> String {
        let mut clean = self.scrub.clean(text);
        for (pattern, replacement) in &self.patterns {
            if pattern.is_match(&clean) {
                clean = pattern.replace_all(&clean, replacement.as_str()).into_owned();
            }
        }
        clean
    }
}

fn hide(text: &str, scrub: &mut Scrub) {
    scrub.hide(&Secret::new(text.trim().to_owned()));
}

/// Hides what is secret of a file that gives access.
fn hide_file(path: &Path, scrub: &mut Scrub) {
    if !fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES) {
        return;
    }
    let Ok(bytes) = fs::read(path) else { return };
    let text = String::from_utf8_lossy(&bytes);
    if text.contains("PRIVATE KEY") {
        hide_keys(&text, scrub);
    } else if let Some(users) = kubeconfig_users(&text) {
        strings(&users, &mut |value| {
            hide(value, scrub);
            let decoded = STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok());
            hide_keys(&decoded.unwrap_or_default(), scrub);
        });
    } else if !text.contains("CERTIFICATE") && !text.contains("PUBLIC KEY") {
        hide(&text, scrub);
    }
}

/// The users of a kubeconfig.
fn kubeconfig_users(text: &str) -> Option<Value> {
    let value: Value = serde_saphyr::from_str(text).ok()?;
    value.get("users").cloned()
}

/// Hides private keys: as they are, and what is between their first and last lines.
fn hide_keys(text: &str, scrub: &mut Scrub) {
    if !text.contains("PRIVATE KEY") {
        return;
    }
    hide(text, scrub);
    for part in text.split("-----BEGIN ").skip(1) {
        let body = part.split_once("-----").and_then(|(kind, rest)| {
            kind.contains("PRIVATE KEY").then_some(rest.split("-----END").next())?
        });
        if let Some(body) = body {
            hide(&body.split_whitespace().collect::<String>(), scrub);
        }
    }
}

/// Hides the values of a Kubernetes secret.
fn hide_manifest(path: &Path, scrub: &mut Scrub) {
    let is_small = fs::symlink_metadata(path).is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES);
    let bytes = if is_small { fs::read(path).unwrap_or_default() } else { Vec::new() };
    let text = String::from_utf8_lossy(&bytes);
    if !text.contains("Secret") {
        return;
    }
    let Ok(object) = serde_saphyr::from_str::<Value>(&text) else { return };
    for field in ["data", "stringData"] {
        let values = object[field].as_object().into_iter().flatten();
        for (_, value) in values.filter(|(key, _)| is_secret_key(key)) {
            let value = value.as_str().unwrap_or_default();
            hide(value, scrub);
            if let Some(decoded) = STANDARD.decode(value).ok().and_then(|bytes| String::from_utf8(bytes).ok())
            {
                hide(&decoded, scrub);
                hide_keys(&decoded, scrub);
            }
        }
    }
}

fn is_secret_key(key: &str) -> bool {
    SECRET_KEYS.contains(&key) || Mask::names_secret(key)
}

/// Every text of a value.
fn strings(value: &Value, found: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) => found(text),
        Value::Array(list) => list.iter().for_each(|value| strings(value, found)),
        Value::Object(fields) => {
            // The name of a user is not a secret.
            let values = fields.iter().filter(|(key, _)| *key != "name").map(|(_, value)| value);
            values.for_each(|value| strings(value, found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
