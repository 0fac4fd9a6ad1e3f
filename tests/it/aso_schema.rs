//! Schemas of the operator's kinds, made of their description in `testdata/aso/kinds.json`.

use serde_json::{Map, Value, json};

/// Paths of resources, with or without a subscription and a group, or of one of these two alone.
const ARM_ID: &str = "(?i)(^(/subscriptions/([^/]+)(/resourcegroups/([^/]+))?)?/providers/([^/]+)/([^/]+/[^/]+)\
                      (/([^/]+/[^/]+))*$|^/subscriptions/([^/]+)(/resourcegroups/([^/]+))?$)";

/// The descriptions of the kinds.
pub fn kinds() -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/aso/kinds.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The schema of `spec` or `status` of a kind. A closed one refuses what it does not name, where a server would
/// only drop it.
pub fn part(kind: &Value, part: &str, closed: bool) -> Value {
    let mut schema = of(&kind[part], closed);
    if part == "spec" {
        schema["required"] = kind["required"].clone();
    }
    schema
}

/// The schema of a whole object of a kind.
pub fn object(kind: &Value, closed: bool) -> Value {
    let texts = json!({ "type": "string" });
    let fields = json!({
        "apiVersion": texts,
        "kind": texts,
        "metadata": { "type": "object" },
        "spec": part(kind, "spec", closed),
        "status": part(kind, "status", closed),
    });
    json!({ "type": "object", "properties": fields, "required": ["apiVersion", "kind", "metadata", "spec"] })
}

fn of(description: &Value, closed: bool) -> Value {
    match description {
        Value::String(leaf) => of_leaf(leaf, closed),
        Value::Array(items) => json!({ "type": "array", "items": of(&items[0], closed) }),
        Value::Object(fields) => of_fields(fields, closed),
        other => panic!("{other} describes nothing"),
    }
}

fn of_fields(fields: &Map<String, Value>, closed: bool) -> Value {
    let plain = |name: &String| name.trim_end_matches('!').to_owned();
    let properties: Map<String, Value> =
        fields.iter().map(|(name, field)| (plain(name), of(field, closed))).collect();
    let required: Vec<String> = fields.keys().filter(|name| name.ends_with('!')).map(plain).collect();
    let mut schema = json!({ "type": "object", "properties": properties });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    if closed {
        schema["additionalProperties"] = false.into();
    }
    schema
}

/// The fields of an object, each with its leaf.
fn all(fields: &[(&str, &str)], closed: bool) -> Value {
    of_fields(&fields.iter().map(|(name, leaf)| ((*name).to_owned(), (*leaf).into())).collect(), closed)
}

fn of_leaf(leaf: &str, closed: bool) -> Value {
    if let Some(item) = leaf.strip_prefix("[]") {
        return json!({ "type": "array", "items": of_leaf(item, closed) });
    }
    if let Some(values) = leaf.strip_prefix("enum(").and_then(|rest| rest.strip_suffix(')')) {
        return json!({ "type": "string", "enum": values.split('|').collect::<Vec<_>>() });
    }
    if let Some((plain, bounds)) = leaf.split_once('(') {
        return bounded(plain, bounds.strip_suffix(')').unwrap());
    }
    let resource = [("group", "string"), ("kind", "string"), ("name", "string"), ("armId", "armId")];
    match leaf {
        "string" | "integer" | "boolean" => json!({ "type": leaf }),
        "armId" => json!({ "type": "string", "pattern": ARM_ID }),
        "map[string]string" => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        "owner" => all(&[("name", "string"), ("armId", "armId")], closed),
        "anyOwner" => all(&resource, closed),
        "rr" => all(&[&resource[..], &[("wellKnownName", "string")]].concat(), closed),
        "ref" => all(&[("reference!", "rr")], closed),
        "configMapRef" | "secretRef" | "configMapDest" | "secretDest" => {
            all(&[("name!", "string"), ("key!", "string")], closed)
        }
        "exprs" => {
            let item = all(&[("name!", "string"), ("key", "string"), ("value!", "string")], closed);
            json!({ "type": "array", "items": item })
        }
        other => panic!("`{other}` is no leaf"),
    }
}

/// A text or a number with bounds, such as `minLength=1,pattern=^[a-z]+$`. A pattern is the last of them.
fn bounded(plain: &str, bounds: &str) -> Value {
    let mut schema = json!({ "type": plain });
    let (numbers, pattern) = match bounds.split_once("pattern=") {
        Some((numbers, pattern)) => (numbers, Some(pattern)),
        None => (bounds, None),
    };
    for bound in numbers.split(',').filter(|bound| !bound.is_empty()) {
        let (name, value) = bound.split_once('=').unwrap();
        schema[name] = value.parse::<i64>().unwrap().into();
    }
    if let Some(pattern) = pattern {
        schema["pattern"] = pattern.into();
    }
    schema
}

#[test]
fn every_kind_has_a_schema() {
    for kind in kinds() {
        let schema = object(&kind, true);
        assert!(jsonschema::meta::is_valid(&schema), "{}", kind["kind"]);
        assert!(jsonschema::validator_for(&schema).is_ok(), "{}", kind["kind"]);
    }
}

#[test]
fn the_engine_knows_the_kinds_as_they_are() {
    use landfall_engine_aso::kinds::{KINDS, find};
    assert_eq!(KINDS.len(), kinds().len());
    for told in kinds() {
        let text = |field: &str| told[field].as_str().unwrap().to_owned();
        let kind = find(&text("group"), &text("kind")).unwrap_or_else(|| panic!("{}", told["kind"]));
        assert_eq!(kind.versions[0], text("version"), "{}", kind.kind);
        assert_eq!(kind.plural, text("plural"), "{}", kind.kind);
        let carrier = kind.tag_carrier.field().map_or("none".to_owned(), |field| format!("spec.{field}"));
        assert_eq!(carrier, text("tagCarrier"), "{}", kind.kind);
        assert_eq!(u64::from(kind.tier), told["tier"].as_u64().unwrap(), "{}", kind.kind);
        assert_eq!(kind.core, told["core"].as_bool().unwrap(), "{}", kind.kind);
    }
}
