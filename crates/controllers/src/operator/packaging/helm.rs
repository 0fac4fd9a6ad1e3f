//! The Helm chart.

use landfall_render::yaml;
use serde_json::{Value, json};

use super::super::manifests::{Deployed, NAME, manifests};
use super::super::{deletion_policy, hardening};
use super::{CRD, MIN_KUBERNETES, PackageFile, about, file_name};

/// What a chart has in place of the operator's namespace.
pub(super) const NAMESPACE: &str = "{{ .Release.Namespace }}";
const IMAGE: &str = "{{ .Values.image }}";
const TARGET: &str = "{{ .Values.targetNamespace }}";
const REPLICAS: &str = "{{ .Values.replicas }}";
const RESOURCES: &str = "{{ .Values.resources | toJson }}";
/// The value that says whether a release has the objects that are the same for every operator in a cluster, and what is
/// around their templates.
const SHARED: &str = "createSharedObjects";
const IF_SHARED: &str = "{{- if .Values.createSharedObjects }}\n";
const END: &str = "{{- end }}\n";
/// The first version of Kubernetes with admission policies.
const MIN_FOR_POLICIES: &str = "1.30.0";

pub(super) fn chart(deployed: &Deployed) -> Vec<PackageFile> {
    let placed = Deployed {
        image: IMAGE.to_owned(),
        namespace: NAMESPACE.to_owned(),
        target_namespace: TARGET.to_owned(),
        ..deployed.clone()
    };
    let objects = manifests(&placed);
    let has_policies = objects.iter().any(|object| object["kind"] == deletion_policy::POLICY);
    let mut has_shared = false;
    let mut templates = Vec::new();
    for mut object in objects {
        match object["kind"].as_str() {
            // Helm creates it, if it is asked to.
            Some("Namespace") => continue,
            // Helm creates definitions before everything else, and never as templates.
            Some(CRD) => {
                templates.push(PackageFile::new(format!("crds/{}", file_name(&object)), yaml(&object)));
                continue;
            }
            Some("Deployment") => {
                object["spec"]["replicas"] = json!(REPLICAS);
                object["spec"]["template"]["spec"]["containers"][0]["resources"] = json!(RESOURCES);
            }
            _ => {}
        }
        let path = format!("templates/{}", template_name(&object));
        distinguish(&mut object);
        let mut text = match object["kind"].as_str() {
            Some("PrometheusRule" | "ConfigMap") => escaped(&yaml(&object)),
            _ => unquoted(yaml(&object)),
        };
        // Every other object is in the release's namespace, or tells of it.
        if !text.contains("{{") {
            has_shared = true;
            text = format!("{IF_SHARED}{text}{END}");
        }
        templates.push(PackageFile::new(path, text));
    }
    let mut values = json!({
        "image": deployed.image,
        "replicas": deployed.replicas,
        "resources": hardening::resources(),
        "targetNamespace": deployed.target_namespace,
    });
    if has_shared {
        values[SHARED] = json!(true);
    }
    let mut files = vec![
        PackageFile::new("Chart.yaml", yaml(&about_chart(has_policies))),
        PackageFile::new("values.yaml", yaml(&values)),
        PackageFile::new("values.schema.json", format!("{:#}\n", schema(&values))),
    ];
    files.extend(templates);
    files
}

fn about_chart(has_policies: bool) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let oldest = if has_policies { MIN_FOR_POLICIES } else { MIN_KUBERNETES };
    json!({
        "apiVersion": "v2",
        "name": NAME,
        "description": about::SUMMARY,
        "keywords": about::keywords(),
        "type": "application",
        "version": version,
        "appVersion": version,
        // Versions of cloud providers have a suffix.
        "kubeVersion": format!(">={oldest}-0"),
    })
}

/// What values may be, so that Helm refuses a wrong one, and one with a misspelt name.
fn schema(values: &Value) -> Value {
    let mut properties = json!({
        "image": { "type": "string", "minLength": 1, "description": "Image of landfall" },
        "replicas": { "type": "integer", "minimum": 1, "maximum": 9, "description": "Number of replicas" },
        "resources": { "type": ["object", "null"], "description": "Resource requests and limits of a replica" },
        "targetNamespace": {
            "type": "string",
            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            "maxLength": 63,
            "description": "Namespace of `cloud.conf`",
        },
        // What Helm, and charts that have this one as a dependency, may add.
        "global": { "type": "object" },
        "enabled": { "type": "boolean" },
    });
    if values.get(SHARED).is_some() {
        properties[SHARED] = json!({
            "type": "boolean",
            "description": "Whether to create the cluster-wide objects that all operators share; \
                            false in each further release of the same controllers",
        });
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": false,
        "required": ["image", "replicas", "targetNamespace"],
        "properties": properties,
    })
}

/// Gives the rights in the target namespace a name that no others have: a value may name the namespace of others.
fn distinguish(object: &mut Value) {
    if object["metadata"]["namespace"] != TARGET {
        return;
    }
    for path in ["/metadata/name", "/roleRef/name"] {
        if let Some(Value::String(name)) = object.pointer_mut(path) {
            name.push_str("-target");
        }
    }
}

/// The name of a template's file. The target namespace is a value.
fn template_name(object: &Value) -> String {
    file_name(object).replace(&NAMESPACE.to_lowercase(), "own").replace(&TARGET.to_lowercase(), "target")
}

/// A text whose own braces, which Prometheus and Grafana fill in, Helm leaves alone.
fn escaped(text: &str) -> String {
    const OPEN: &str = "{{ `{{` }}";
    text.replace("{{", OPEN).replace(&NAMESPACE.replace("{{", OPEN), NAMESPACE)
}

/// The same without quotes around what is not text.
fn unquoted(mut text: String) -> String {
    for value in [REPLICAS, RESOURCES] {
        for quote in ["\"", "'"] {
            text = text.replace(&format!("{quote}{value}{quote}"), value);
        }
    }
    text
}
