//! How far a resource is, and what others need to know of it, as the resource manager shows it.

use landfall_platform::native::{Existing, Properties, State, Wanted};
use serde_json::{Map, Value};

use super::compare;

/// A resource as the resource manager shows it.
pub(super) fn existing(wanted: &Wanted, shown: &Value) -> Existing {
    let state = shown.pointer("/properties/provisioningState").and_then(Value::as_str).unwrap_or_default();
    let state = match state.to_lowercase().as_str() {
        "" | "succeeded" => State::Ready,
        "failed" | "canceled" | "cancelled" => State::Broken(format!("its provisioning state is {state}")),
        _ => State::Pending(state.to_owned()),
    };
    let body = wanted.inputs.get("body").unwrap_or(&Value::Null);
    let is_shown = shown.is_object();
    let differences = if is_shown { compare::differences(body, shown) } else { Vec::new() };
    Existing { outputs: outputs(wanted, shown), differences, state, is_own: None }
}

/// What others need to know of a resource: its id, and what only Azure tells.
fn outputs(wanted: &Wanted, shown: &Value) -> Properties {
    const TOLD: &[(&str, &str)] = &[
        ("principalId", "/properties/principalId"),
        ("ipAddress", "/properties/ipAddress"),
        ("fqdn", "/properties/dnsSettings/fqdn"),
        ("privateIPAddress", "/properties/frontendIPConfigurations/0/properties/privateIPAddress"),
        ("privateIPAddress", "/properties/ipConfigurations/0/properties/privateIPAddress"),
        ("blobEndpoint", "/properties/primaryEndpoints/blob"),
    ];
    let mut outputs: Properties = Map::new();
    for key in ["id", "apiVersion"] {
        outputs.insert(key.to_owned(), wanted.text(key).into());
    }
    for (key, pointer) in TOLD {
        let told = shown.pointer(pointer).and_then(Value::as_str).filter(|told| !told.is_empty());
        // A role assignment shows the principal that it was told.
        if let Some(told) = told.filter(|_| wanted.kind != "role-assignment") {
            outputs.insert((*key).to_owned(), told.into());
        }
    }
    outputs
}

/// How a resource is shown once the operation that creates it has succeeded, after how it was shown at the beginning.
pub(super) fn ended(begun: Value) -> Value {
    let mut begun = begun;
    if let Some(state) = begun.pointer_mut("/properties/provisioningState") {
        *state = "Succeeded".into();
    }
    begun
}

/// Whether everything that others need to know of a resource is shown, so that it need not be read again.
pub(super) fn is_whole(wanted: &Wanted, shown: &Value) -> bool {
    let outputs = outputs(wanted, shown);
    let planned =
        |pointer: &str| wanted.inputs.get("body").is_some_and(|body| body.pointer(pointer).is_some());
    let needed: &[(&str, bool)] = match wanted.kind {
        "identity" => &[("principalId", true)],
        "load-balancer" => {
            &[("privateIPAddress", planned("/properties/frontendIPConfigurations/0/properties/subnet"))]
        }
        "network-interface" => &[("privateIPAddress", true)],
        "public-ip" => &[("ipAddress", true), ("fqdn", planned("/properties/dnsSettings"))],
        "storage-account" => &[("blobEndpoint", true)],
        _ => &[],
    };
    shown.is_object() && needed.iter().all(|(key, needed)| !needed || outputs.contains_key(*key))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[allow(clippy::needless_pass_by_value, reason = "callers write the body in place")]
    fn wanted(kind: &'static str, body: Value) -> Wanted {
        let inputs = json!({ "id": "/subscriptions/s/x", "apiVersion": "2024-03-01", "body": body });
        let Value::Object(inputs) = inputs else { return wanted("", Value::Null) };
        let (name, token, given) = (format!("{kind}/x"), String::new(), BTreeSet::new());
        Wanted { name, kind, inputs, token, noted: None, begun: false, given }
    }

    #[test]
    fn the_state_and_the_outputs_are_azure_s() {
        let wanted = wanted("load-balancer", json!({ "location": "eastus" }));
        let shown = json!({
            "location": "eastus",
            "properties": {
                "provisioningState": "Updating",
                "frontendIPConfigurations": [{ "properties": { "privateIPAddress": "10.0.0.100" } }],
            },
        });
        let found = existing(&wanted, &shown);
        assert_eq!(found.state, State::Pending("Updating".to_owned()));
        assert_eq!(found.outputs["privateIPAddress"], "10.0.0.100");
        assert_eq!(found.outputs["id"], "/subscriptions/s/x");
        assert_eq!(found.differences, []);
        let failed = json!({ "properties": { "provisioningState": "Failed" } });
        assert!(matches!(existing(&wanted, &failed).state, State::Broken(_)));
    }

    #[test]
    fn what_an_operation_ends_with_is_read_again_where_something_is_missing() {
        let address = wanted("public-ip", json!({ "properties": { "dnsSettings": {} } }));
        let mut shown =
            json!({ "properties": { "provisioningState": "Updating", "ipAddress": "203.0.113.1" } });
        assert!(!is_whole(&address, &shown));
        shown["properties"]["dnsSettings"] = json!({ "fqdn": "x.example" });
        assert!(is_whole(&address, &shown));
        let group = wanted("security-group", json!({}));
        assert!(is_whole(&group, &shown) && !is_whole(&group, &Value::Null));
        assert_eq!(existing(&group, &ended(shown)).state, State::Ready);
        let internal = json!({ "properties": { "frontendIPConfigurations": [
            { "properties": { "subnet": { "id": "/subscriptions/s/x" } } },
        ] } });
        assert!(!is_whole(&wanted("load-balancer", internal), &json!({})));
        assert!(is_whole(&wanted("load-balancer", json!({})), &json!({})));
    }
}
