//! The forms that files are written in: YAML, JSON, data URLs, ignition configs.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use landfall_model::config::InstallConfig;
use landfall_rules::trust_bundle;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// YAML that a YAML 1.1 reader such as the OpenShift installer reads back as the same data: keys sorted,
/// what could be taken for something else than text in quotes, no line folded.
#[must_use]
pub fn yaml(value: &Value) -> String {
    let options = serde_saphyr::ser_options! {
        folded_wrap_chars: usize::MAX,
        compact_list_indent: true,
    };
    // A JSON value has no form that YAML lacks, and text takes any of it.
    serde_saphyr::to_string_with_options(value, options).unwrap_or_default()
}

/// A value as JSON whose keys stay in the order of its type.
#[must_use]
pub fn raw<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    // Keys of the types handed in are text, numbers are finite: JSON has a form for all of it.
    serde_json::value::to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// An object of JSON with its members in this order; a member without a value is left out. The names need no escape.
#[must_use]
pub fn ordered(members: &[(&str, Option<Box<RawValue>>)]) -> Box<RawValue> {
    let member = |(name, value): &(&str, Option<Box<RawValue>>)| {
        let value = value.as_ref()?;
        Some(format!("\"{name}\":{value}"))
    };
    let object = members.iter().filter_map(member).collect::<Vec<String>>().join(",");
    RawValue::from_string(format!("{{{object}}}")).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Base64 as Kubernetes has it in secrets.
#[must_use]
pub fn base64(bytes: impl AsRef<[u8]>) -> String {
    STANDARD.encode(bytes)
}

/// A text as the URL of itself.
#[must_use]
pub fn data_url(text: &str) -> String {
    format!("data:text/plain;charset=utf-8;base64,{}", base64(text))
}

/// Version of the ignition configs that are written.
const IGNITION: &str = "3.2.0";

/// The ignition config of a machine that gets its real one from the machine config server of the cluster
/// (`assets.md`, B.8). `host` is the server's name or IPv4 address.
#[must_use]
pub fn pointer_ignition(host: &str, role: &str, root_ca: &str) -> Value {
    json!({ "ignition": {
        "config": { "merge": [{ "source": format!("https://{host}:22623/config/{role}") }] },
        "security": { "tls": { "certificateAuthorities": [{ "source": data_url(root_ca) }] } },
        "version": IGNITION,
    }})
}

/// Gives the machine of an ignition config a partition for `/var`, so that the root file system does not have to grow
/// over the whole disk while it starts.
pub fn add_var_partition(ignition: &mut Value) {
    const UNIT: &str = r"
[Unit]
Requires=systemd-fsck@dev-disk-by\x2dpartlabel-var.service
After=systemd-fsck@dev-disk-by\x2dpartlabel-var.service

[Mount]
Where=/var
What=/dev/disk/by-partlabel/var
Type=xfs
Options=defaults,prjquota

[Install]
RequiredBy=local-fs.target
";
    let partition = json!({ "label": "var", "number": 5, "sizeMiB": 0, "startMiB": 50000 });
    ignition["storage"] = json!({
        "disks": [{ "device": "/dev/disk/by-id/coreos-boot-disk", "partitions": [partition] }],
        "filesystems": [{
            "device": "/dev/disk/by-partlabel/var",
            "format": "xfs",
            "mountOptions": ["defaults", "prjquota"],
            "path": "/var",
        }],
    });
    ignition["systemd"] = json!({ "units": [{ "contents": UNIT, "enabled": true, "name": "var.mount" }] });
}

/// The ignition config of a bootstrap machine that finds its real one at `source`, through the cluster's
/// proxy and with its trust bundle (`assets.md`, C.5).
#[must_use]
pub fn bootstrap_stub(config: &InstallConfig, source: &str) -> String {
    let mut ignition = json!({ "config": { "replace": { "source": source } }, "version": IGNITION });
    let authorities: Vec<Value> = trust_bundle::certificates(&config.additional_trust_bundle)
        .into_iter()
        .map(|certificate| json!({ "source": data_url(&certificate) }))
        .collect();
    if !authorities.is_empty() {
        ignition["security"] = json!({ "tls": { "certificateAuthorities": authorities } });
    }
    if let Some(proxy) = &config.proxy {
        let mut settings = serde_json::Map::new();
        for (key, url) in [("httpProxy", &proxy.http_proxy), ("httpsProxy", &proxy.https_proxy)] {
            if !url.is_empty() {
                settings.insert(key.to_owned(), url.expose().into());
            }
        }
        if !proxy.no_proxy.is_empty() {
            settings.insert("noProxy".to_owned(), proxy.no_proxy.split(',').collect());
        }
        ignition["proxy"] = settings.into();
    }
    json!({ "ignition": ignition }).to_string()
}

/// A bootstrap machine's ignition config with one more file in it, in place of one at the same path; a bare
/// one if there is none yet.
#[must_use]
pub fn with_file(ignition: Option<&str>, path: &str, content: &str) -> String {
    let given = ignition.and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_object);
    let mut config = given.unwrap_or_else(|| json!({ "ignition": { "version": IGNITION } }));
    let file = json!({
        "contents": { "source": data_url(content) },
        "mode": 0o644,
        "overwrite": true,
        "path": path,
        "user": { "name": "root" },
    });
    let storage = &mut config["storage"];
    if !storage.is_object() {
        *storage = json!({});
    }
    match storage["files"].as_array_mut() {
        Some(files) => {
            files.retain(|other| other["path"] != path);
            files.push(file);
        }
        None => storage["files"] = json!([file]),
    }
    config.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_a_file_to_an_ignition_config() {
        let given = r#"{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"/a"}]}}"#;
        let config: Value = serde_json::from_str(&with_file(Some(given), "/b", "x")).unwrap_or_default();
        assert_eq!(config["storage"]["files"].as_array().map(Vec::len), Some(2));
        assert_eq!(config["storage"]["files"][1]["mode"], 420);
        let bare: Value = serde_json::from_str(&with_file(None, "/b", "x")).unwrap_or_default();
        assert_eq!(bare["storage"]["files"][0]["path"], "/b");
    }

    #[test]
    fn adds_a_file_once_and_takes_nothing_away() {
        let added = |given: &str| -> Value {
            serde_json::from_str(&with_file(Some(given), "/b", "x")).unwrap_or_default()
        };
        let twice = added(&added(r#"{"storage":{"files":[{"path":"/a"}]}}"#).to_string());
        assert_eq!(twice["storage"]["files"].as_array().map(Vec::len), Some(2));
        let folders = added(r#"{"storage":{"directories":[{"path":"/d"}],"files":null}}"#);
        assert_eq!(folders["storage"]["directories"][0]["path"], "/d");
        for odd in ["[]", "1", "{", r#"{"storage":[]}"#, r#"{"storage":{"files":{}}}"#] {
            assert_eq!(added(odd)["storage"]["files"].as_array().map(Vec::len), Some(1), "{odd}");
        }
    }

    #[test]
    fn members_keep_their_order_and_need_a_value() {
        let members = [("b", Some(raw("x"))), ("c", None), ("a", Some(raw(&[1, 2])))];
        assert_eq!(ordered(&members).get(), r#"{"b":"x","a":[1,2]}"#);
        assert_eq!(ordered(&[]).get(), "{}");
    }

    #[test]
    fn lists_stand_under_their_key() {
        let text = yaml(&json!({ "b": [{ "x": "yes", "z": 1 }], "a": {}, "c": "two\nlines\n" }));
        assert_eq!(text, "a: {}\nb:\n- x: \"yes\"\n  z: 1\nc: |\n  two\n  lines\n");
    }
}
