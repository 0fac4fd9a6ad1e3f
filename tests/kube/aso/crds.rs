//! Definitions of the operator's kinds for a real API server, made of their description.

use serde_json::{Value, json};

use super::schema;

/// The release of the operator whose definitions these are.
pub const RELEASE: &str = "v2.19.0";

/// A text of a kind's description.
pub fn text<'a>(kind: &'a Value, field: &str) -> &'a str {
    kind[field].as_str().unwrap_or_else(|| panic!("{field} is missing: {kind}"))
}

/// The path of a kind, for all namespaces.
pub fn path(kind: &Value) -> String {
    format!("/apis/{}/{}/{}", text(kind, "group"), text(kind, "version"), text(kind, "plural"))
}

/// The definition of a kind, as the operator's release would bring it.
pub fn definition(kind: &Value) -> Value {
    let [group, version, plural, name] =
        ["group", "version", "plural", "kind"].map(|field| text(kind, field));
    let mut schema = schema::object(kind, false);
    // The server knows these itself.
    schema["required"] = json!(["spec"]);
    let properties = schema["properties"].as_object_mut().unwrap();
    properties.retain(|field, _| ["spec", "status"].contains(&field.as_str()));
    properties["status"]["properties"]["conditions"] = conditions();
    let column = |name: &str, field: &str| {
        let path = format!(".status.conditions[?(@.type=='Ready')].{field}");
        json!({ "name": name, "type": "string", "jsonPath": path })
    };
    let columns =
        [("Ready", "status"), ("Severity", "severity"), ("Reason", "reason"), ("Message", "message")];
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            "labels": {
                "app.kubernetes.io/name": "azure-service-operator",
                "app.kubernetes.io/version": RELEASE,
            },
        },
        "spec": {
            "group": group,
            "names": {
                "kind": name,
                "listKind": format!("{name}List"),
                "plural": plural,
                "singular": name.to_lowercase(),
            },
            "scope": text(kind, "scope"),
            "preserveUnknownFields": false,
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "additionalPrinterColumns": columns.map(|(name, field)| column(name, field)),
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}

fn conditions() -> Value {
    let text = json!({ "type": "string" });
    let condition = json!({
        "type": "object",
        "required": ["type", "status", "reason", "lastTransitionTime"],
        "properties": {
            "type": text,
            "status": text,
            "severity": text,
            "reason": text,
            "message": text,
            "observedGeneration": { "type": "integer", "format": "int64" },
            "lastTransitionTime": { "type": "string", "format": "date-time" },
        },
    });
    json!({ "type": "array", "items": condition })
}
