//! What a package says about itself to those who choose and configure it in a console.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_engine_aso::kinds::KINDS;
use serde_json::{Value, json};

use super::super::Registered;
use super::super::manifests::NAMESPACE;
use crate::azure_infrastructure::{self, AZURE_INFRASTRUCTURE};

/// What the operator does, as one sentence.
pub(super) const SUMMARY: &str =
    "Keeps cloud configuration, endpoints, cloud profiles and Azure infrastructure of OpenShift clusters.";
/// Words by which it is found.
pub(super) fn keywords() -> Vec<&'static str> {
    "openshift,cloud,azure,aws,infrastructure,cloud profile".split(',').collect()
}

/// The icon, as a console takes it.
pub(super) fn icon() -> Value {
    json!({ "base64data": STANDARD.encode(include_bytes!("icon.svg")), "mediatype": "image/svg+xml" })
}

/// The page about the operator, in Markdown.
pub(super) fn description(controllers: &[&Registered]) -> String {
    let mut lines = vec![SUMMARY.to_owned(), String::new(), "## Controllers".to_owned(), String::new()];
    lines.extend(controllers.iter().map(|one| format!("- `{}` {}", one.name, controller(one.name))));
    lines.extend([String::new(), "## Before you install".to_owned(), String::new()]);
    lines.push(format!(
        "- Choose the installation mode for a specific namespace, and the namespace `{NAMESPACE}`. The controllers \
         work on the whole cluster in each mode, but with the mode for all namespaces, rights that the operator \
         needs in its own namespace only hold in all."
    ));
    if controllers.iter().any(|one| one.rival.is_some()) {
        lines.push(
            "- OpenShift's own operators usually do the work of the controllers of cloud configuration and \
             endpoints. landfall ends with an error while they run."
                .to_owned(),
        );
    }
    if controllers.iter().any(|one| one.name == azure_infrastructure::NAME) {
        lines.push(
            "- `azure-infrastructure` needs Azure Service Operator, and the right to read Secrets in the \
             namespaces of the clusters: bind the ClusterRole `landfall-secrets` there, unless the bundle \
             has the right in all namespaces."
                .to_owned(),
        );
    }
    lines.push(String::new());
    lines.join("\n")
}

/// What a controller does.
fn controller(name: &str) -> &'static str {
    match name {
        "kube-cloud-config" => "keeps the ConfigMap `kube-cloud-config` in `openshift-config-managed`.",
        "cloud-config-sync" => "keeps `cloud.conf` of the cloud controller manager.",
        "endpoint-mirror" => {
            "copies valid AWS service endpoints from the spec of the Infrastructure object to its status."
        }
        "private-cloud-profile" => "joins each PrivateCloudProfile with its parent.",
        "namespaced-cloud-profile" => "joins each NamespacedCloudProfile with its parent.",
        "cloud-profile" => "keeps a CloudProfile while other profiles or clusters refer to it.",
        "cloud-profile-admission" => "validates profiles when they are written.",
        azure_infrastructure::NAME => {
            "creates and deletes the infrastructure of OpenShift clusters in Azure by Azure Service Operator."
        }
        _ => "",
    }
}

/// What a console shows of a kind that the operator brings along.
pub(super) fn owned(definition: &Value) -> Value {
    let kind = definition.pointer("/spec/names/kind").and_then(Value::as_str).unwrap_or_default();
    let version = definition.pointer("/spec/versions/0").cloned().unwrap_or_default();
    let description = match kind {
        "AzureInfrastructure" => "The infrastructure of an OpenShift cluster in Azure.",
        "CloudProfile" => {
            "The regions, machine types, images and versions that clusters of a provider may use."
        }
        "PrivateCloudProfile" => "The additions of a namespace to a cloud profile.",
        "NamespacedCloudProfile" => "The additions and overrides of a namespace to a cloud profile.",
        _ => "",
    };
    let mut owned = json!({
        "name": definition["metadata"]["name"],
        "kind": kind,
        "version": version["name"],
        "displayName": words(kind),
        "description": description,
        "specDescriptors": descriptors(&version, "spec"),
        "statusDescriptors": descriptors(&version, "status"),
    });
    if kind == AZURE_INFRASTRUCTURE.kind {
        let created = KINDS.iter().map(|kind| {
            let name = format!("{}.{}", kind.plural, kind.group);
            json!({ "kind": kind.kind, "name": name, "version": kind.versions[0] })
        });
        owned["resources"] = created.collect();
    }
    owned
}

/// What a console shows of the fields of a part of a kind: single values, names of referred objects, conditions.
fn descriptors(version: &Value, part: &str) -> Value {
    let path = format!("/schema/openAPIV3Schema/properties/{part}/properties");
    let fields = version.pointer(&path).and_then(Value::as_object);
    let shown = fields.into_iter().flatten().filter_map(|(name, field)| {
        let (path, widget) = match field["type"].as_str()? {
            "boolean" if part == "spec" => (name.clone(), "urn:alm:descriptor:com.tectonic.ui:booleanSwitch"),
            "string" | "integer" | "boolean" => (name.clone(), "urn:alm:descriptor:text"),
            "array" if name == "conditions" => (name.clone(), "urn:alm:descriptor:io.kubernetes.conditions"),
            "object" if name.ends_with("SecretRef") => {
                (format!("{name}.name"), "urn:alm:descriptor:io.kubernetes:Secret")
            }
            "object" if field["properties"].get("name").is_some() => {
                (format!("{name}.name"), "urn:alm:descriptor:text")
            }
            _ => return None,
        };
        Some(json!({
            "path": path,
            "displayName": words(name.trim_end_matches("Ref")),
            "description": field["description"].as_str().unwrap_or_default().replace('\n', " "),
            "x-descriptors": [widget],
        }))
    });
    shown.collect()
}

/// A name in camel case as words, each with a capital letter.
fn words(name: &str) -> String {
    let name = name.strip_prefix("api").map_or_else(|| name.to_owned(), |rest| format!("API {rest}"));
    let mut text = String::new();
    let mut last = None;
    for letter in name.chars() {
        if letter.is_uppercase() && last.is_some_and(char::is_lowercase) {
            text.push(' ');
        }
        if last.is_none() {
            text.extend(letter.to_uppercase());
        } else {
            text.push(letter);
        }
        last = Some(letter);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::super::{CONTROLLERS, crds};
    use super::*;
    use landfall_kube::kinds::LANDFALL_PROFILES;

    #[test]
    fn every_controller_and_every_kind_is_described() {
        let all: Vec<&Registered> = CONTROLLERS.iter().collect();
        let text = description(&all);
        for one in all {
            assert!(controller(one.name).ends_with('.'), "{}", one.name);
            assert!(text.contains(&format!("- `{}` ", one.name)), "{text}");
        }
        for definition in crds(&LANDFALL_PROFILES) {
            let owned = owned(&definition);
            assert_ne!(owned["description"], "", "{owned}");
            assert_ne!(owned["specDescriptors"], json!([]), "{owned}");
        }
    }

    #[test]
    fn prerequisites_are_those_of_the_chosen_controllers() {
        let of =
            |name: &str| description(&CONTROLLERS.iter().filter(|one| one.name == name).collect::<Vec<_>>());
        assert!(of("azure-infrastructure").contains("Azure Service Operator, and the right"));
        assert!(!of("azure-infrastructure").contains("OpenShift's own operators"));
        assert!(of("endpoint-mirror").contains("OpenShift's own operators"));
        assert!(!of("endpoint-mirror").contains("landfall-secrets"));
    }

    #[test]
    fn a_field_has_a_fitting_widget() {
        let definition = crds(&LANDFALL_PROFILES).into_iter().find(|one| {
            one.pointer("/spec/names/kind").is_some_and(|kind| kind == AZURE_INFRASTRUCTURE.kind)
        });
        let owned = owned(&definition.unwrap_or_default());
        let widget = |part: &str, path: &str| {
            let fields = owned[part].as_array().cloned().unwrap_or_default();
            let field = fields.into_iter().find(|field| field["path"] == path).unwrap_or_default();
            assert!(field["description"].as_str().is_some_and(|text| !text.is_empty()), "{path}: {field}");
            field["x-descriptors"][0]
                .as_str()
                .unwrap_or_default()
                .trim_start_matches("urn:alm:descriptor:")
                .to_owned()
        };
        assert_eq!(widget("specDescriptors", "paused"), "com.tectonic.ui:booleanSwitch");
        assert_eq!(widget("specDescriptors", "credentialsSecretRef.name"), "io.kubernetes:Secret");
        assert_eq!(widget("specDescriptors", "installConfigRef.name"), "text");
        assert_eq!(widget("statusDescriptors", "conditions"), "io.kubernetes.conditions");
        assert_eq!(widget("statusDescriptors", "infraID"), "text");
        assert!(owned["resources"].as_array().is_some_and(|kinds| !kinds.is_empty()));
    }

    #[test]
    fn names_are_words() {
        for (name, expected) in [
            ("AzureInfrastructure", "Azure Infrastructure"),
            ("infraID", "Infra ID"),
            ("apiInternalIP", "API Internal IP"),
            ("paused", "Paused"),
        ] {
            assert_eq!(words(name), expected);
        }
    }
}
