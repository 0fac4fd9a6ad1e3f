//! The three ignition files: whether they are ones, until when they can be used, whose they are.
//!
//! They are full of keys. What is said of them names a file and a place in its JSON, never a value.

#![allow(clippy::disallowed_methods, reason = "the ignition files are read here")]

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_model::plan::{ignition_pages as pages, is_infra_id};
use landfall_render::ignition::content;
use serde::Deserialize;
use serde_json::{Map, Value};
use x509_parser::pem::Pem;
use x509_parser::prelude::{FromDer, X509Certificate};

/// The bootstrap machine's file.
pub(super) const BOOTSTRAP: &str = "bootstrap.ign";
/// The control plane's file.
pub(super) const MASTER: &str = "master.ign";
/// The compute machines' file.
pub(super) const WORKER: &str = "worker.ign";
/// All of them.
pub(super) const NAMES: [&str; 3] = [BOOTSTRAP, MASTER, WORKER];

/// More than any ignition file has: those of large clusters have about one million bytes.
const MOST_BYTES: u64 = 16 << 20;

/// Where a bootstrap machine's certificates lie.
const CERTIFICATES: &str = "/opt/openshift/tls/";
/// How the names of authorities' certificates end.
const SIGNER: &str = "-signer.crt";
/// Where its manifests lie, in folders of the same names as in a cluster directory.
const MANIFESTS: &str = "/opt/openshift/";
/// The manifest that names the infrastructure.
const INFRASTRUCTURE: &str = "/cluster-infrastructure-02-config.yml";

/// What was found under a file's name. Cannot be shown.
pub(super) enum Content {
    /// Nothing.
    Missing,
    /// Something that cannot be read, with the reason.
    Unusable(String),
    /// A file.
    Bytes(Vec<u8>),
}

/// Three files that can be used.
#[derive(Debug)]
pub(super) struct Files {
    /// Text of the bootstrap machine's file.
    pub(super) bootstrap: Secret<String>,
    /// Text of the control plane's file.
    pub(super) master: Secret<String>,
    /// Text of the compute machines' file.
    pub(super) worker: Secret<String>,
    /// When the first of the bootstrap machine's certificates expires, in seconds since 1970.
    pub(super) end: Option<i64>,
    /// The infrastructure id in the manifests that the bootstrap machine brings along.
    pub(super) infra_id: Option<String>,
    /// Those manifests, by their path in a cluster directory.
    pub(super) manifests: Secret<BTreeMap<String, Vec<u8>>>,
}

/// Everything that is wrong with the files.
#[derive(Debug, Default)]
pub(super) struct Faults {
    /// Names of those that are not there.
    pub(super) missing: Vec<&'static str>,
    /// What is to be said of the others.
    pub(super) findings: Vec<Finding>,
}

/// What is wrong with one file.
enum Fault {
    Broken(String),
    Older,
}

fn broken<T>(what: impl Into<String>) -> Result<T, Fault> {
    Err(Fault::Broken(what.into()))
}

/// What a directory has under the three names.
pub(super) fn found(directory: &Path) -> [Content; 3] {
    NAMES.map(|name| content_of(&directory.join(name)))
}

fn content_of(path: &Path) -> Content {
    let failed = |cause: std::io::Error| match cause.kind() {
        ErrorKind::NotFound => Content::Missing,
        _ => Content::Unusable(cause.to_string()),
    };
    match std::fs::metadata(path) {
        Err(cause) => failed(cause),
        Ok(about) if !about.is_file() => Content::Unusable("it is not a file".to_owned()),
        Ok(about) if about.len() > MOST_BYTES => {
            Content::Unusable(format!("it has more than {} MiB", MOST_BYTES >> 20))
        }
        Ok(_) => std::fs::read(path).map_or_else(failed, Content::Bytes),
    }
}

/// The three files of a directory, or everything that is wrong with them.
pub(super) fn read(directory: &Path, found: [Content; 3]) -> Result<Files, Faults> {
    let mut faults = Faults::default();
    let mut whole = Vec::new();
    for (name, content) in NAMES.into_iter().zip(found) {
        let path = || directory.join(name).display().to_string();
        match content {
            Content::Missing => faults.missing.push(name),
            Content::Unusable(why) => faults.findings.push(pages::broken(name, &path(), &why)),
            Content::Bytes(bytes) => match config(bytes) {
                Ok(config) => whole.push(config),
                Err(Fault::Broken(what)) => faults.findings.push(pages::broken(name, &path(), &what)),
                Err(Fault::Older) => faults.findings.push(pages::older(name, &path())),
            },
        }
    }
    let Ok([bootstrap, master, worker]) = <[(String, Value); 3]>::try_from(whole) else {
        return Err(faults);
    };
    Ok(Files {
        end: end(&bootstrap.1),
        infra_id: infra_id(&bootstrap.1),
        manifests: Secret::new(manifests(&bootstrap.1)),
        bootstrap: Secret::new(bootstrap.0),
        master: Secret::new(master.0),
        worker: Secret::new(worker.0),
    })
}

/// A file as text and as data.
fn config(bytes: Vec<u8>) -> Result<(String, Value), Fault> {
    let Ok(text) = String::from_utf8(bytes) else {
        return broken("it is not UTF-8 text");
    };
    if text.trim().is_empty() {
        return broken("it is empty");
    }
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(fault) => {
            let (line, column) = (fault.line(), fault.column());
            return broken(format!("it is not JSON: reading stopped at line {line}, column {column}"));
        }
    };
    if !value.is_object() {
        return broken("it is JSON, but not an object");
    }
    match value.pointer("/ignition/version").and_then(Value::as_str) {
        None => return broken("`ignition.version` is missing"),
        Some(version) if version.starts_with("3.") => {}
        Some(version) if version.starts_with("2.") => return Err(Fault::Older),
        Some(_) => return broken("`ignition.version` is not 3.x"),
    }
    if value.get("storage").is_some_and(|part| !(part.is_object() || part.is_null())) {
        return broken("`storage` is not an object");
    }
    if value.pointer("/storage/files").is_some_and(|part| !(part.is_array() || part.is_null())) {
        return broken("`storage.files` is not a list");
    }
    if !(points(&value) || brings(&value)) {
        return broken(
            "it has no files, units or users, and neither `ignition.config.merge` nor \
             `ignition.config.replace` points at another config",
        );
    }
    Ok((text, value))
}

/// Whether a config points at another one.
fn points(config: &Value) -> bool {
    let merged = config.pointer("/ignition/config/merge").and_then(Value::as_array);
    let replaced = config.pointer("/ignition/config/replace");
    let others = merged.into_iter().flatten().chain(replaced);
    others.filter_map(|other| other["source"].as_str()).any(|source| !source.is_empty())
}

/// Whether a config brings the machine something itself.
fn brings(config: &Value) -> bool {
    let parts = ["storage", "systemd", "passwd"].into_iter();
    let mut lists = parts.filter_map(|part| config[part].as_object()).flat_map(Map::values);
    lists.any(|list| list.as_array().is_some_and(|list| !list.is_empty()))
}

/// The files that a config writes, by path.
fn written(config: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let files = config.pointer("/storage/files").and_then(Value::as_array);
    files.into_iter().flatten().filter_map(|file| Some((file["path"].as_str()?, file)))
}

/// The manifests that a config brings along, by their path in a cluster directory.
fn manifests(bootstrap: &Value) -> BTreeMap<String, Vec<u8>> {
    let below = |path: &str| {
        let path = path.strip_prefix(MANIFESTS)?;
        ["manifests/", "openshift/"].iter().any(|folder| path.starts_with(folder)).then(|| path.to_owned())
    };
    written(bootstrap).filter_map(|(path, file)| Some((below(path)?, content(file)?))).collect()
}

/// Whether a file of the bootstrap machine is a certificate that the cluster is begun with.
fn is_certificate(path: &str) -> bool {
    let is_begun_with = path.starts_with(CERTIFICATES) && path.rsplit('.').next() == Some("crt");
    is_begun_with || path.ends_with(SIGNER)
}

/// When the first certificate expires.
fn end(bootstrap: &Value) -> Option<i64> {
    let certificates = written(bootstrap).filter(|(path, _)| is_certificate(path));
    certificates.filter_map(|(_, file)| content(file)).filter_map(|bytes| first_end(&bytes)).min()
}

fn first_end(pem: &[u8]) -> Option<i64> {
    let ends = Pem::iter_from_buffer(pem).map_while(Result::ok).filter_map(|block| {
        let read = X509Certificate::from_der(&block.contents).ok();
        read.map(|(_, certificate)| certificate.validity().not_after.timestamp())
    });
    ends.min()
}

/// What of the manifest says whose infrastructure it is.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Infrastructure {
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Status {
    infrastructure_name: String,
}

fn infra_id(bootstrap: &Value) -> Option<String> {
    let (_, file) = written(bootstrap).find(|(path, _)| path.ends_with(INFRASTRUCTURE))?;
    let text = String::from_utf8(content(file)?).ok()?;
    let read: Infrastructure = serde_saphyr::from_str(&text).ok()?;
    Some(read.status.infrastructure_name).filter(|id| is_infra_id(id))
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use serde_json::json;

    use super::*;

    const CANARY: &str = "c4n4ryc4n4ry";

    fn bytes(value: &Value) -> Content {
        Content::Bytes(value.to_string().into_bytes())
    }

    fn pointer() -> Value {
        json!({ "ignition": {
            "version": "3.2.0", "config": { "merge": [{ "source": "https://api-int.example.com/" }] },
        } })
    }

    /// What is said of a file in the place of `bootstrap.ign`.
    fn said(content: Content) -> Vec<String> {
        match read(Path::new("made"), [content, bytes(&pointer()), bytes(&pointer())]) {
            Ok(_) => Vec::new(),
            Err(faults) => faults.findings.into_iter().map(|finding| finding.message).collect(),
        }
    }

    #[test]
    fn takes_pointers_and_configs() {
        let unit =
            json!({ "ignition": { "version": "3.1.0" }, "systemd": { "units": [{ "name": CANARY }] } });
        let replaced =
            json!({ "ignition": { "version": "3.4.0", "config": { "replace": { "source": "s3://b/k" } } } });
        for whole in [pointer(), unit, replaced] {
            assert_eq!(said(bytes(&whole)), Vec::<String>::new());
        }
    }

    #[test]
    fn says_what_is_wrong_and_nothing_of_the_content() {
        let version = |version: &str| json!({ "ignition": { "version": version }, "x": CANARY });
        let cases = [
            (Content::Bytes(Vec::new()), "it is empty"),
            (Content::Bytes(b" \n".to_vec()), "it is empty"),
            (Content::Bytes(vec![0xff, 0xfe]), "not UTF-8 text"),
            (Content::Bytes(format!("{{\"a\": {CANARY}").into_bytes()), "line 1, column 7"),
            (bytes(&json!([CANARY])), "not an object"),
            (bytes(&json!({ "ignition": CANARY })), "`ignition.version` is missing"),
            (bytes(&version("2.2.0")), "older than 4.6"),
            (bytes(&version(CANARY)), "`ignition.version` is not 3.x"),
            (bytes(&version("3.2.0")), "no files, units or users"),
            (bytes(&json!({ "ignition": { "version": "3.2.0" }, "storage": CANARY })), "`storage`"),
            (
                bytes(&json!({ "ignition": { "version": "3.2.0" }, "storage": { "files": CANARY } })),
                "`storage.files` is not a list",
            ),
        ];
        for (content, wanted) in cases {
            let said = said(content);
            assert!(said.len() == 1 && said[0].contains(wanted), "{wanted}: {said:?}");
            assert!(said[0].contains("made/bootstrap.ign") && !said[0].contains(CANARY), "{said:?}");
        }
    }

    #[test]
    fn says_everything_of_all_three() {
        let found = [Content::Missing, Content::Bytes(Vec::new()), Content::Missing];
        let faults = read(Path::new("made"), found).err();
        let faults = faults.unwrap_or_default();
        assert_eq!(faults.missing, [BOOTSTRAP, WORKER]);
        assert_eq!(faults.findings.len(), 1);
    }

    #[test]
    fn finds_the_infrastructure_of_the_manifests() {
        let with = |text: &str, form: &str| {
            let source = format!("data:text/plain;charset=utf-8{form},{}", STANDARD.encode(text));
            json!({ "storage": { "files": [{
                "path": "/opt/openshift/manifests/cluster-infrastructure-02-config.yml",
                "contents": { "source": source },
            }] } })
        };
        let text = "kind: Infrastructure\nstatus:\n  infrastructureName: demo-bcd24\n";
        assert_eq!(infra_id(&with(text, ";base64")).as_deref(), Some("demo-bcd24"));
        for (text, form) in
            [(text, ""), ("status: {}", ";base64"), ("status: {infrastructureName: 'A b'}", ";base64")]
        {
            assert_eq!(infra_id(&with(text, form)), None, "{text}");
        }
        assert_eq!(infra_id(&json!({})), None);
        assert_eq!(end(&with("no certificate", ";base64")), None);
    }
}
