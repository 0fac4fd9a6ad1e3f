//! The definition of the kind.

use super::*;

#[test]
fn the_definition_is_one_that_old_servers_take() {
    assert_eq!(AZURE_INFRASTRUCTURE.group, keys::P, "the prefix of its annotations");
    let definition = crate::crds::infrastructure();
    let text = definition.to_string();
    for word in ["oneOf", "anyOf", "allOf", "$ref", "title", "format"] {
        assert!(!text.contains(&format!("\"{word}\":")), "{word}");
    }
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let at = |path: &str| definition.pointer(&format!("{spec}/{path}")).cloned();
    assert_eq!(at("machines/enum"), Some(json!(["none", "aso"])));
    assert_eq!(at("installConfig/x-kubernetes-preserve-unknown-fields"), Some(json!(true)));
    assert_eq!(at("installConfigRef/properties/name/type"), Some(json!("string")));
    assert_eq!(at("infraID/type"), Some(json!("string")));
    assert_eq!(at("credentialsSecretRef/required"), Some(json!(["name"])));
    assert_eq!(at("patches/items/required"), Some(json!(["kind", "name", "patch"])));
    let pattern = at("apiInternalIP/pattern").and_then(|pattern| pattern.as_str().map(str::to_owned));
    let pattern = pattern.and_then(|pattern| regex_lite::Regex::new(&pattern).ok());
    let fits = |address: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(address));
    for address in ["10.0.0.5", "0.0.0.0", "255.255.255.255", "10.0.0.05", "foo", "", "10.0.0", "1.2.3.256"] {
        assert_eq!(fits(address), address.parse::<std::net::Ipv4Addr>().is_ok(), "{address}");
    }
}

/// The defaults below a schema.
fn defaults(schema: &Value) -> Value {
    let fields = schema["properties"].as_object().into_iter().flatten();
    let each = fields.filter_map(|(name, field)| {
        let value = field.get("default").cloned().unwrap_or_else(|| defaults(field));
        (!value.is_null()).then(|| (name.clone(), value))
    });
    let all: Map<String, Value> = each.collect();
    if all.is_empty() { Value::Null } else { Value::Object(all) }
}

#[test]
fn the_server_fills_in_what_the_controller_assumes() {
    let definition = crate::crds::infrastructure();
    let schema = "/spec/versions/0/schema/openAPIV3Schema/properties";
    let spec = definition.pointer(&format!("{schema}/spec")).map(defaults).unwrap_or_default();
    assert_eq!(spec.as_object().map(Map::len), Some(6), "{spec}");
    let filled = Spec::deserialize(&spec).unwrap_or_default();
    let reference = |key: &str| Some(Reference { key: key.to_owned(), ..Reference::default() });
    let assumed = Spec {
        install_config_ref: reference(CONFIG_KEY),
        facts_ref: reference(FACTS_KEY),
        cloud_profile_ref: Some(ProfileReference::default()),
        ..Spec::default()
    };
    assert!(filled == assumed, "{spec}");
    // For kstatus, a resource that the controller has not seen is in progress.
    let unseen = definition.pointer(&format!("{schema}/status/default"));
    assert_eq!(unseen, Some(&json!({ "observedGeneration": -1 })));
}
