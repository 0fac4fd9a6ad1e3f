//! The store of an API server that several tests use, set back between them to what it was at first.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const SNAPSHOT: &str = "snapshot.json";
/// Keys that the server itself changes all the time.
const OWN: &[&str] = &[
    "/registry/masterleases/",
    "/registry/leases/kube-system/",
    "/registry/apiregistration.k8s.io/",
    "compact_rev_key",
];

/// Notes everything that the store of the server in a folder holds.
pub fn remember(folder: &Path) {
    let all = all(folder).expect("a server that has just started answers");
    std::fs::write(folder.join(SNAPSHOT), serde_json::to_vec(&all).unwrap()).unwrap();
}

/// Sets the store back to what was noted; false where there is nothing to go by, or no server.
pub fn restore(folder: &Path) -> bool {
    let Ok(noted) = std::fs::read(folder.join(SNAPSHOT)) else { return false };
    let noted: BTreeMap<String, String> = serde_json::from_slice(&noted).unwrap();
    let Some(now) = all(folder) else { return false };
    let is_own = |key: &str| OWN.iter().any(|own| decoded(key).starts_with(own));
    let keys: BTreeSet<&String> = noted.keys().chain(now.keys()).filter(|key| !is_own(key)).collect();
    // Definitions go last: the server removes the objects of a kind with its definition, which is work twice. What it
    // says of those that stay is its own.
    let is_definition = |key: &String| decoded(key).starts_with("/registry/apiextensions.k8s.io/");
    let (definitions, others): (Vec<&String>, Vec<&String>) = keys.iter().partition(|key| is_definition(key));
    others.into_iter().chain(definitions).all(|key| match (noted.get(key), now.get(key)) {
        (Some(before), now) if now != Some(before) && !(now.is_some() && is_definition(key)) => {
            ask(folder, "put", &json!({ "key": key, "value": before })).is_some()
        }
        (None, _) => ask(folder, "deleterange", &json!({ "key": key })).is_some(),
        _ => true,
    })
}

fn decoded(key: &str) -> String {
    use base64::Engine;
    let bytes = base64::engine::general_purpose::STANDARD.decode(key).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All keys with their values, both in base64.
fn all(folder: &Path) -> Option<BTreeMap<String, String>> {
    // From the zero byte to the zero byte means everything.
    let answer = ask(folder, "range", &json!({ "key": "AA==", "range_end": "AA==" }))?;
    let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
    let entries = answer["kvs"].as_array()?.iter();
    Some(entries.map(|entry| (text(entry, "key"), text(entry, "value"))).collect())
}

/// A call of etcd's API as JSON; none where it does not answer.
/// See <https://etcd.io/docs/v3.4/dev-guide/api_grpc_gateway/>.
fn ask(folder: &Path, call: &str, body: &Value) -> Option<Value> {
    let port = std::fs::read_to_string(folder.join("etcd.port")).ok()?;
    let url = format!("http://127.0.0.1:{port}/v3/kv/{call}");
    let mut curl = Command::new("curl")
        .args(["--silent", "--fail", "--max-time", "30", "--noproxy", "*", "--data-binary", "@-", &url])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    curl.stdin.take().unwrap().write_all(body.to_string().as_bytes()).unwrap();
    let output = curl.wait_with_output().unwrap();
    serde_json::from_slice(&output.stdout).ok().filter(|_| output.status.success())
}
