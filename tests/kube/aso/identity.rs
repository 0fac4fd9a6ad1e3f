//! What the resource of an object is called in Azure, and what Azure says of it.

use serde_json::{Map, Value, json};

use super::crds::text;
use super::table::{Resource, Table};

/// A text within an object.
pub fn at<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Whose part a resource is.
pub enum Owner<'a> {
    /// Nobody's.
    Nobody,
    /// That of a resource with this id.
    Resource(&'a str),
    /// That of the resource of an object, by its kind and name.
    Object(&'a str, &'a str),
}

/// The owner that an object names.
pub fn owner<'a>(kind: &'a Value, object: &'a Value) -> Owner<'a> {
    if kind["ownerKind"].is_null() {
        return Owner::Nobody;
    }
    let id = at(object, "/spec/owner/armId");
    if !id.is_empty() {
        return Owner::Resource(id);
    }
    let (_, of_kind) = text(kind, "ownerKind").rsplit_once('/').unwrap_or_default();
    let named = at(object, "/spec/owner/kind");
    Owner::Object(if named.is_empty() { of_kind } else { named }, at(object, "/spec/owner/name"))
}

/// The id of a resource within another one; that of a resource group is within nothing.
pub fn id(within: &str, kind: &Value, object: &Value) -> String {
    // What Azure makes by itself has no name of its own.
    let own = Some(at(object, "/spec/azureName")).filter(|own| !own.is_empty()).unwrap_or("default");
    format!("{within}/{}/{own}", text(kind, "plural")).to_lowercase()
}

/// The objects that a spec names besides its owner, by kind and name.
pub fn references(value: &Value, found: &mut Vec<(String, String)>) {
    if let Some(reference) = value.get("reference").filter(|reference| reference.get("name").is_some()) {
        found.push((at(reference, "/kind").to_owned(), at(reference, "/name").to_owned()));
    }
    match value {
        Value::Object(fields) => fields.values().for_each(|value| references(value, found)),
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

/// The field that carries the tags of a kind; none where it has none.
pub fn carrier(kind: &Value) -> Option<&str> {
    text(kind, "tagCarrier").strip_prefix("spec.")
}

/// The tags that a spec asks for.
pub fn tags(kind: &Value, object: &Value) -> Map<String, Value> {
    let asked = carrier(kind).and_then(|field| object["spec"][field].as_object());
    asked.cloned().unwrap_or_default()
}

/// What the operator writes into the status of an object once it has seen the resource.
pub fn status(
    kind: &Value,
    object: &Value,
    id: &str,
    resource: &Resource,
    azure: &Table,
) -> Map<String, Value> {
    let spec = &object["spec"];
    let mut status = Map::new();
    let mut set = |field: &str, value: Value| status.insert(field.to_owned(), value);
    set("id", id.into());
    set("name", spec["azureName"].clone());
    set("location", spec["location"].clone());
    set("provisioningState", "Succeeded".into());
    if let Some(field) = carrier(kind) {
        set(field, resource.tags.clone().into());
    }
    match text(kind, "kind") {
        "PublicIPAddress" => {
            set("ipAddress", "203.0.113.10".into());
            let label = at(spec, "/dnsSettings/domainNameLabel");
            if !label.is_empty() {
                let fqdn = format!("{label}.{}.{}", at(spec, "/location"), azure.suffix);
                set("dnsSettings", json!({ "domainNameLabel": label, "fqdn": fqdn }));
            }
        }
        "LoadBalancer" => {
            set("frontendIPConfigurations", frontends(spec, &azure.address));
        }
        "UserAssignedIdentity" => {
            set("principalId", PRINCIPAL.into());
            set("clientId", CLIENT.into());
        }
        "StorageAccount" => {
            let blob = format!("https://{}.blob.example.net/", at(spec, "/azureName"));
            set("primaryEndpoints", json!({ "blob": blob }));
        }
        _ => {}
    }
    // A server drops what a kind does not have, and the next comparison would find it missing.
    status.retain(|field, value| kind["status"].get(field).is_some() && !value.is_null());
    status
}

/// The ids of an identity that Azure made.
pub const PRINCIPAL: &str = "10000000-0000-0000-0000-000000000001";
pub const CLIENT: &str = "20000000-0000-0000-0000-000000000002";
/// The key of every storage account.
pub const STORAGE_KEY: &str = "canary-of-the-storage-key";

fn frontends(spec: &Value, chosen: &str) -> Value {
    let frontend = |asked: &Value| {
        let mut found = json!({ "name": asked["name"] });
        if asked.get("subnet").is_some() {
            let given = at(asked, "/privateIPAddress");
            let address = if given.is_empty() { chosen } else { given };
            found["privateIPAddress"] = address.into();
        }
        found
    };
    spec["frontendIPConfigurations"].as_array().into_iter().flatten().map(frontend).collect()
}
