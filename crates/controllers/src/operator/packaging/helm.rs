//! The Helm chart.

use landfall_render::yaml;
use serde_json::{Value, json};

use super::super::manifests::{Deployed, NAME, manifests};
use super::super::rights::Scope;
use super::super::{deletion_policy, hardening};
use super::{CRD, MIN_KUBERNETES, PackageFile, about, file_name};
use crate::azure_infrastructure;

/// What a chart has in place of the operator's namespace.
pub(super) const NAMESPACE: &str = "{{ .Release.Namespace }}";
const IMAGE: &str = "{{ .Values.image }}";
const TARGET: &str = "{{ .Values.targetNamespace }}";
const REPLICAS: &str = "{{ .Values.replicas }}";
const RESOURCES: &str = "{{ .Values.resources | toJson }}";
const PULL_SECRETS: &str = "{{ .Values.imagePullSecrets | toJson }}";
const NODES: &str = "{{ .Values.nodeSelector | toJson }}";
const TOLERATIONS: &str = "{{ .Values.tolerations | toJson }}";
/// The value with the namespace of `cloud.conf`.
const TARGET_VALUE: &str = "targetNamespace";
/// The values that change how clusters are worked on, each with its flag, which is there only where the value is set.
const SETTINGS: [(&str, &str); 3] = [
    ("rolloutLimit", "rollout-limit"),
    ("workers", "workers"),
    ("watchLabelSelector", "watch-label-selector"),
];
/// The value that says whether a release has the objects that are the same for every operator in a cluster, and what is
/// around their templates.
const SHARED: &str = "createSharedObjects";
const IF_SHARED: &str = "{{- if .Values.createSharedObjects }}\n";
const END: &str = "{{- end }}\n";
/// The first version of Kubernetes with admission policies.
const MIN_FOR_POLICIES: &str = "1.30.0";

pub(super) fn chart(deployed: &Deployed) -> Vec<PackageFile> {
    let mut rights = deployed.controllers.iter().flat_map(|one| one.rights);
    let has_target = rights.any(|right| right.scope == Scope::Target);
    let has_clusters = deployed.controllers.iter().any(|one| one.name == azure_infrastructure::NAME);
    let target = if has_target { TARGET } else { deployed.target_namespace.as_str() };
    let mut placed = Deployed {
        image: IMAGE.to_owned(),
        namespace: NAMESPACE.to_owned(),
        target_namespace: target.to_owned(),
        ..deployed.clone()
    };
    if has_clusters {
        placed = Deployed { watch_labels: None, workers: None, rollout_limit: 0, ..placed };
    }
    let objects = manifests(&placed);
    let has_policies = objects.iter().any(|object| object["kind"] == deletion_policy::POLICY);
    let mut has_shared = false;
    let mut templates = Vec::new();
    let mut tolerations = Value::Null;
    for mut object in objects {
        let is_deployment = object["kind"] == "Deployment";
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
                let pod = &mut object["spec"]["template"]["spec"];
                pod["containers"][0]["resources"] = json!(RESOURCES);
                pod["imagePullSecrets"] = json!(PULL_SECRETS);
                pod["nodeSelector"] = json!(NODES);
                tolerations = std::mem::replace(&mut pod["tolerations"], json!(TOLERATIONS));
            }
            _ => {}
        }
        let path = format!("templates/{}", template_name(&object));
        distinguish(&mut object);
        let mut text = match object["kind"].as_str() {
            Some("PrometheusRule" | "ConfigMap") => escaped(&yaml(&object)),
            _ => unquoted(yaml(&object)),
        };
        if is_deployment && has_clusters {
            text = with_settings(&text);
        }
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
        "imagePullSecrets": [],
        "nodeSelector": {},
        "tolerations": tolerations,
    });
    if has_target {
        values[TARGET_VALUE] = json!(deployed.target_namespace);
    }
    if has_clusters {
        let labels = deployed.watch_labels.as_ref().map(ToString::to_string);
        for ((value, _), given) in
            SETTINGS.iter().zip([json!(deployed.rollout_limit), json!(deployed.workers), json!(labels)])
        {
            values[*value] = given;
        }
    }
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

/// The Deployment with the flags of the [`SETTINGS`] that have a value.
fn with_settings(text: &str) -> String {
    const LISTEN: &str = "        - --listen=";
    let flags = SETTINGS.map(|(value, flag)| {
        format!(
            "        {{{{- with .Values.{value} }}}}\n        - \"--{flag}={{{{ . }}}}\"\n        {{{{- end }}}}\n"
        )
    });
    text.replacen(LISTEN, &format!("{}{LISTEN}", flags.concat()), 1)
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
        "imagePullSecrets": {
            "type": ["array", "null"],
            "items": { "type": "object" },
            "description": "Secrets with credentials for the image's registry, such as `- name: registry`",
        },
        "nodeSelector": { "type": ["object", "null"], "description": "Labels of the nodes for replicas" },
        "tolerations": {
            "type": ["array", "null"],
            "items": { "type": "object" },
            "description": "Tolerations of replicas, in place of those for control plane nodes",
        },
        "targetNamespace": {
            "type": "string",
            "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            "maxLength": 63,
            "description": "Namespace of `cloud.conf`",
        },
        "rolloutLimit": {
            "type": ["integer", "null"],
            "minimum": 0,
            "maximum": 65535,
            "description": "How many clusters may take a changed plan at once; 0 pauses a rollout",
        },
        "workers": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 100,
            "description": "Maximum number of objects that a controller works on at once",
        },
        "watchLabelSelector": {
            "type": ["string", "null"],
            "pattern": "^[-A-Za-z0-9./_=!, ]*$",
            "description": "Which `AzureInfrastructure` objects are reconciled, by their labels",
        },
        "createSharedObjects": {
            "type": "boolean",
            "description": "Whether to create the cluster-wide objects that all operators share; \
                            false in each further release of the same controllers",
        },
        // What Helm, and charts that have this one as a dependency, may add.
        "global": { "type": "object" },
        "enabled": { "type": "boolean" },
    });
    // Each chart has the values that its templates use.
    if let Some(all) = properties.as_object_mut() {
        all.retain(|name, _| values.get(name).is_some() || matches!(name.as_str(), "global" | "enabled"));
    }
    let mut required = vec!["image", "replicas", TARGET_VALUE];
    required.retain(|name| values.get(name).is_some());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "additionalProperties": false,
        "required": required,
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
    for value in [REPLICAS, RESOURCES, PULL_SECRETS, NODES, TOLERATIONS] {
        for quote in ["\"", "'"] {
            text = text.replace(&format!("{quote}{value}{quote}"), value);
        }
    }
    text
}
