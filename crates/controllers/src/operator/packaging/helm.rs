//! The Helm chart.

use landfall_render::yaml;
use serde_json::{Value, json};

use super::super::hardening;
use super::super::manifests::{Deployed, NAME, manifests};
use super::{CRD, PackageFile, file_name};

/// What a chart has in place of the operator's namespace.
pub(super) const NAMESPACE: &str = "{{ .Release.Namespace }}";
const IMAGE: &str = "{{ .Values.image }}";
const TARGET: &str = "{{ .Values.targetNamespace }}";
const REPLICAS: &str = "{{ .Values.replicas }}";
const RESOURCES: &str = "{{ .Values.resources | toJson }}";

pub(super) fn chart(deployed: &Deployed) -> Vec<PackageFile> {
    let version = env!("CARGO_PKG_VERSION");
    let chart = json!({
        "apiVersion": "v2",
        "name": NAME,
        "description": "The operator of landfall",
        "type": "application",
        "version": version,
        "appVersion": version,
    });
    let values = json!({
        "image": deployed.image,
        "replicas": deployed.replicas,
        "resources": hardening::resources(),
        "targetNamespace": deployed.target_namespace,
    });
    let mut files =
        vec![PackageFile::new("Chart.yaml", yaml(&chart)), PackageFile::new("values.yaml", yaml(&values))];
    let templated = Deployed {
        image: IMAGE.to_owned(),
        namespace: NAMESPACE.to_owned(),
        target_namespace: TARGET.to_owned(),
        ..deployed.clone()
    };
    for mut object in manifests(&templated) {
        match object["kind"].as_str() {
            // Helm creates it, if it is asked to.
            Some("Namespace") => continue,
            // Helm creates definitions before everything else, and never as templates.
            Some(CRD) => {
                files.push(PackageFile::new(format!("crds/{}", file_name(&object)), yaml(&object)));
                continue;
            }
            Some("Deployment") => {
                object["spec"]["replicas"] = json!(REPLICAS);
                object["spec"]["template"]["spec"]["containers"][0]["resources"] = json!(RESOURCES);
            }
            _ => {}
        }
        let path = format!("templates/{}", template_name(&object));
        let text = match object["kind"].as_str() {
            Some("PrometheusRule" | "ConfigMap") => escaped(&yaml(&object)),
            _ => unquoted(yaml(&object)),
        };
        files.push(PackageFile::new(path, text));
    }
    files
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
