//! The definition of the kind.

use super::*;

#[test]
fn the_definition_is_one_that_old_servers_take() {
    assert_eq!(AZURE_INFRASTRUCTURE.group, keys::P, "the prefix of its annotations");
    let definition = crate::crds::infrastructure();
    let text = definition.to_string();
    for word in ["oneOf", "anyOf", "allOf", "default", "$ref", "title", "format"] {
        assert!(!text.contains(&format!("\"{word}\":")), "{word}");
    }
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    let at = |path: &str| definition.pointer(&format!("{spec}/{path}")).cloned();
    assert_eq!(at("machines/enum"), Some(json!(["none", "aso"])));
    assert_eq!(at("installConfig/x-kubernetes-preserve-unknown-fields"), Some(json!(true)));
    assert_eq!(at("installConfigRef/properties/name/type"), Some(json!("string")));
    assert_eq!(at("infraID/type"), Some(json!("string")));
    let pattern = at("apiInternalIP/pattern").and_then(|pattern| pattern.as_str().map(str::to_owned));
    let pattern = pattern.and_then(|pattern| regex_lite::Regex::new(&pattern).ok());
    let fits = |address: &str| pattern.as_ref().is_some_and(|pattern| pattern.is_match(address));
    for address in ["10.0.0.5", "0.0.0.0", "255.255.255.255", "10.0.0.05", "foo", "", "10.0.0", "1.2.3.256"] {
        assert_eq!(fits(address), address.parse::<std::net::Ipv4Addr>().is_ok(), "{address}");
    }
}
