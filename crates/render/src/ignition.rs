//! The bootstrap machine's Ignition config, completed with what is known only when the network exists.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use url::Url;

use crate::text::{data_url, yaml};

/// The copy of the install config that the bootstrap machine brings along.
const CLUSTER_CONFIG: &str = "/opt/openshift/manifests/cluster-config.yaml";
/// The text of the install config in it.
const INSTALL_CONFIG: &str = "/data/install-config";
/// Where the machine sets and their templates are.
const MACHINES: &str = "/opt/openshift/openshift/";
/// The image in a template of Cluster API's provider for AWS.
const TEMPLATE_IMAGE: &str = "/spec/template/spec/ami/id";

/// The config with one more machine network in the cluster's copy of the install config; none if it has a network
/// of that family already, brings no install config along, or cannot be read. With `first`, the network is put before
/// the others.
#[must_use]
pub fn with_machine_network(text: &str, network: &str, first: bool) -> Option<String> {
    let mut config: Value = serde_json::from_str(text).ok()?;
    let files = config.pointer_mut("/storage/files")?.as_array_mut()?;
    let file = files.iter_mut().find(|file| file["path"] == CLUSTER_CONFIG)?;
    let mut manifest: Value = read(&String::from_utf8(content(file)?).ok()?)?;
    let source = file.pointer_mut("/contents/source")?;
    let kept = manifest.pointer_mut(INSTALL_CONFIG)?;
    let mut install_config: Value = read(kept.as_str()?)?;
    let networking = install_config.as_object_mut()?.entry("networking").or_insert_with(|| json!({}));
    let networks = networking.as_object_mut()?.entry("machineNetwork").or_insert_with(|| json!([]));
    let networks = networks.as_array_mut()?;
    if networks.iter().any(|known| is_ipv6(known) == network.contains(':')) {
        return None;
    }
    let at = if first { 0 } else { networks.len() };
    networks.insert(at, json!({ "cidr": network }));
    *kept = yaml(&install_config).into();
    *source = data_url(&yaml(&manifest)).into();
    Some(config.to_string())
}

/// The config with the id of the image in every template of Cluster API's machine sets where `name` stands for it; none
/// if there is no such template.
#[must_use]
pub fn with_image(text: &str, name: &str, id: &str) -> Option<String> {
    let mut config: Value = serde_json::from_str(text).ok()?;
    let files = config.pointer_mut("/storage/files")?.as_array_mut()?;
    let mut found = false;
    for file in
        files.iter_mut().filter(|file| file["path"].as_str().is_some_and(|path| path.starts_with(MACHINES)))
    {
        let content = content(file).and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(mut manifest) = content.filter(|text| text.contains(name)).and_then(|text| read(&text))
        else {
            continue;
        };
        if let Some(image) = manifest.pointer_mut(TEMPLATE_IMAGE).filter(|image| **image == name) {
            *image = id.into();
            file["contents"]["source"] = data_url(&yaml(&manifest)).into();
            found = true;
        }
    }
    found.then(|| config.to_string())
}

/// The text of a file that a config brings along; none where it has no such file, or none of the form that
/// openshift-install writes.
#[must_use]
pub fn text_of(config: &Value, path: &str) -> Option<String> {
    let files = config.pointer("/storage/files")?.as_array()?;
    String::from_utf8(content(files.iter().find(|file| file["path"] == path)?)?).ok()
}

/// A pointer that gets the config from the machine config server at `host`, where it names the server `name`.
#[must_use]
pub fn served_by(text: &str, name: &str, host: &str) -> String {
    let Ok(mut config) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let others = config.pointer_mut("/ignition/config/merge").and_then(Value::as_array_mut);
    for source in others.into_iter().flatten().filter_map(|other| other.get_mut("source")) {
        let Some(mut url) = source.as_str().and_then(|source| Url::parse(source).ok()) else { continue };
        if url.host_str() == Some(name) && url.set_host(Some(host)).is_ok() {
            *source = url.as_str().into();
        }
    }
    config.to_string()
}

/// Edits a file that a config brings along, if it has it; an edit that gives nothing leaves it as it is.
pub fn edit(config: &mut Value, path: &str, edit: impl FnOnce(&str) -> Option<String>) {
    let Some(edited) = text_of(config, path).and_then(|text| edit(&text)) else { return };
    let files = config.pointer_mut("/storage/files").and_then(Value::as_array_mut);
    if let Some(file) = files.into_iter().flatten().find(|file| file["path"] == path) {
        file["contents"]["source"] = data_url(&edited).into();
    }
}

fn is_ipv6(network: &Value) -> bool {
    network["cidr"].as_str().is_some_and(|cidr| cidr.contains(':'))
}

fn read(text: &str) -> Option<Value> {
    serde_saphyr::from_str(text).ok()
}

/// What a config writes into a file, where it says so itself and in base64, as openshift-install does.
#[must_use]
pub fn content(file: &Value) -> Option<Vec<u8>> {
    let contents = &file["contents"];
    if contents["compression"].as_str().is_some_and(|form| !form.is_empty()) {
        return None;
    }
    let (form, data) = contents["source"].as_str()?.strip_prefix("data:")?.split_once(',')?;
    form.ends_with(";base64").then(|| STANDARD.decode(data).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    const IPV6: &str = "2600:1f18:0:ab00::/56";

    fn ignition(networks: &str) -> String {
        let config = format!("apiVersion: v1\npullSecret: ''\nnetworking:\n  machineNetwork: {networks}\n");
        let manifest = yaml(&json!({ "kind": "ConfigMap", "data": { "install-config": config } }));
        let file = |path: &str, text: &str| json!({ "path": path, "contents": { "source": data_url(text) } });
        let files = [file("/opt/openshift/other", "other"), file(CLUSTER_CONFIG, &manifest)];
        json!({ "ignition": { "version": "3.2.0" }, "storage": { "files": files } }).to_string()
    }

    fn networks(text: &str) -> Option<Vec<String>> {
        let config: Value = serde_json::from_str(text).ok()?;
        let manifest: Value = read(&String::from_utf8(content(config.pointer("/storage/files/1")?)?).ok()?)?;
        let config: Value = read(manifest.pointer(INSTALL_CONFIG)?.as_str()?)?;
        let networks = config.pointer("/networking/machineNetwork")?.as_array()?.iter();
        networks.map(|network| Some(network["cidr"].as_str()?.to_owned())).collect()
    }

    #[test]
    fn a_network_is_added_where_its_family_is_missing() {
        let text = ignition("[{cidr: 10.0.0.0/16}]");
        let last = with_machine_network(&text, IPV6, false).as_deref().and_then(networks);
        assert_eq!(last, Some(vec!["10.0.0.0/16".to_owned(), IPV6.to_owned()]));
        let first = with_machine_network(&text, IPV6, true).as_deref().and_then(networks);
        assert_eq!(first, Some(vec![IPV6.to_owned(), "10.0.0.0/16".to_owned()]));
        let none = with_machine_network(&ignition("[]"), IPV6, true).as_deref().and_then(networks);
        assert_eq!(none, Some(vec![IPV6.to_owned()]));
    }

    #[test]
    fn nothing_else_is_changed() {
        let text = ignition("[{cidr: 10.0.0.0/16}]");
        let changed: Option<Value> =
            with_machine_network(&text, IPV6, false).and_then(|text| serde_json::from_str(&text).ok());
        let before: Option<Value> = serde_json::from_str(&text).ok();
        let other = |config: &Option<Value>| config.as_ref()?.pointer("/storage/files/0").cloned();
        assert_eq!(other(&changed), other(&before));
        assert!(other(&changed).is_some());
        for given in ["[{cidr: 10.0.0.0/16}, {cidr: 'fd00::/48'}]", "7"] {
            assert_eq!(with_machine_network(&ignition(given), IPV6, false), None, "{given}");
        }
        for text in ["", "{}", "{\"storage\": {\"files\": [{\"path\": 7}]}}"] {
            assert_eq!(with_machine_network(text, IPV6, false), None, "{text}");
        }
    }

    #[test]
    fn the_image_of_cluster_api_templates_is_named() {
        let template = |kind: &str, image: &str| {
            let text = format!("kind: {kind}\nspec: {{template: {{spec: {{ami: {{id: {image}}}}}}}}}\n");
            json!({ "path": format!("/opt/openshift/openshift/{kind}-{image}.yaml"),
                "contents": { "source": data_url(&text) } })
        };
        let files =
            [template("AWSMachineTemplate", "demo-ami"), template("AWSMachineTemplate", "ami-0a"), json!({})];
        let text = json!({ "storage": { "files": files } }).to_string();
        let named: Value =
            with_image(&text, "demo-ami", "ami-0b").and_then(|text| read(&text)).unwrap_or_default();
        let images: Vec<String> = named["storage"]["files"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(content)
            .filter_map(|bytes| read(&String::from_utf8(bytes).ok()?))
            .filter_map(|manifest| Some(manifest.pointer(TEMPLATE_IMAGE)?.as_str()?.to_owned()))
            .collect();
        assert_eq!(images, ["ami-0b", "ami-0a"]);
        for text in [&ignition("[]"), "", "{}"] {
            assert_eq!(with_image(text, "demo-ami", "ami-0b"), None, "{text}");
        }
    }
}
