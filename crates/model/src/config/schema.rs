//! The JSON Schema of the install config, and what it says of a single field.
//!
//! Both come from the types: doc comments become descriptions, `#[schemars(extend(...))]` adds accepted
//! values, defaults, examples, and when a field is required. No fact about a field stands in here.

use std::collections::BTreeMap;
use std::fmt;

use landfall_diagnostics::nearest;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Map, Value};

use super::InstallConfig;

/// The JSON Schema 2020-12 of an install config.
///
/// Besides the standard keywords, `x-required` says in words when a field is required; fields that are so
/// `always` also stand in `required`.
#[must_use]
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<InstallConfig>().to_value();
    let meanings = meanings(&schema);
    visit(&mut schema, &mut |object| complete(object, &meanings));
    if let Some(platform) = at_reference(&mut schema, "/properties/platform") {
        platform.insert("minProperties".to_owned(), 1.into());
    }
    schema["title"] = "OpenShift install config".into();
    schema
}

/// The object that the property at `pointer` refers to.
fn at_reference<'s>(schema: &'s mut Value, pointer: &str) -> Option<&'s mut Map<String, Value>> {
    let reference = schema.pointer(pointer)?.get("$ref")?.as_str()?.strip_prefix('#')?.to_owned();
    schema.pointer_mut(&reference)?.as_object_mut()
}

/// The descriptions of the types, by reference.
fn meanings(schema: &Value) -> BTreeMap<String, String> {
    let types = schema.get("$defs").and_then(Value::as_object).into_iter().flatten();
    let described = types.filter_map(|(name, of)| Some((name, of.get("description")?.as_str()?)));
    described.map(|(name, meaning)| (format!("#/$defs/{name}"), meaning.to_owned())).collect()
}

/// Calls `change` for every object of a schema.
fn visit(schema: &mut Value, change: &mut impl FnMut(&mut Map<String, Value>)) {
    match schema {
        Value::Object(object) => {
            change(object);
            for value in object.values_mut() {
                visit(value, change);
            }
        }
        Value::Array(list) => {
            for value in list {
                visit(value, change);
            }
        }
        _ => {}
    }
}

/// Lists what is always required, describes properties by their types where they have no words of their
/// own, and takes the line breaks out of descriptions.
fn complete(object: &mut Map<String, Value>, meanings: &BTreeMap<String, String>) {
    if let Some(Value::String(meaning)) = object.get_mut("description") {
        let paragraphs: Vec<String> = meaning.split("\n\n").map(|text| text.replace('\n', " ")).collect();
        *meaning = paragraphs.join("\n\n");
    }
    let Some(Value::Object(properties)) = object.get_mut("properties") else { return };
    let mut required = Vec::new();
    for (name, property) in properties {
        if property.get("x-required").and_then(Value::as_str) == Some("always") {
            required.push(Value::from(name.as_str()));
        }
        let meaning = reference(property).and_then(|reference| meanings.get(reference)).cloned();
        if let (Some(property), Some(meaning)) = (property.as_object_mut(), meaning) {
            property.entry("description").or_insert(meaning.into());
        }
    }
    if !required.is_empty() {
        object.insert("required".to_owned(), required.into());
    }
}

/// What a schema refers to, itself or in the first of its choices that is not null.
fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref").or_else(|| choice(schema)?.get("$ref"))?.as_str()
}

/// The first of a schema's choices that is not null.
fn choice(schema: &Value) -> Option<&Value> {
    let choices = ["anyOf", "oneOf", "allOf"].iter().find_map(|word| schema.get(word)?.as_array())?;
    choices.iter().find(|choice| choice.get("type").and_then(Value::as_str) != Some("null"))
}

/// What is known of one field.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FieldDoc {
    /// The path in its own spelling, list positions as `[]`; empty for the whole config.
    pub field: String,
    /// What sort of value it takes, in words.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the field is for.
    pub description: String,
    /// When it is required, in words: `always`, or a condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<String>,
    /// The value that it has unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Value>,
    /// The values that it accepts, where they are few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Value>,
    /// The regular expression that its text matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Values as they may look.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<Value>,
    /// Whether another field replaces it.
    pub deprecated: bool,
    /// The fields below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldLine>,
}

/// A field in the list of another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldLine {
    /// The key.
    pub name: String,
    /// What sort of value it takes, in words.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the field is for.
    pub description: String,
}

/// A path that leads to no field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// The part of the path that is no field.
    pub name: String,
    /// The path before it; empty for the top level.
    pub within: String,
    /// The path that may have been meant.
    pub near: Option<String>,
}

impl fmt::Display for UnknownField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.within.as_str() {
            "" => write!(f, "`{}` is not a field of the install config", self.name)?,
            within => write!(f, "`{}` is not a field of `{within}`", self.name)?,
        }
        self.near.iter().try_for_each(|near| write!(f, "; did you mean `{near}`?"))
    }
}

impl std::error::Error for UnknownField {}

/// What is known of the field at `path`, as in `compute[0].replicas` or `compute.replicas`; an empty path
/// is the whole config. Names are matched whatever their case.
///
/// # Errors
/// The part of the path that leads nowhere, with the nearest path that does.
pub fn field(path: &str) -> Result<FieldDoc, UnknownField> {
    let root = schema();
    let mut at: &Value = &root;
    let mut found = String::new();
    for name in path.split('.').map(bare).filter(|name| !name.is_empty()) {
        if is_list(resolved(&root, at)) {
            found.push_str("[]");
        }
        let Some((known, next)) = below(&root, at, name) else {
            return Err(unknown(&root, at, &found, name));
        };
        if !found.is_empty() {
            found.push('.');
        }
        found.push_str(&known);
        at = next;
    }
    Ok(doc(&root, at, found))
}

/// A part of a path without its list positions.
fn bare(part: &str) -> &str {
    part.split('[').next().unwrap_or(part).trim()
}

/// The field of this name below a schema, with its own spelling.
fn below<'s>(root: &'s Value, schema: &'s Value, name: &str) -> Option<(String, &'s Value)> {
    let object = entries(root, schema);
    let properties = object.get("properties").and_then(Value::as_object);
    let property = properties.into_iter().flatten().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let any = || object.get("additionalProperties").filter(|any| any.is_object());
    property.map(|(known, of)| (known.clone(), of)).or_else(|| Some((name.to_owned(), any()?)))
}

fn unknown(root: &Value, at: &Value, within: &str, name: &str) -> UnknownField {
    let names = lines(root, at);
    let here = nearest(name, names.iter().map(|line| line.name.as_str()));
    let joined = |name: &str| if within.is_empty() { name.to_owned() } else { format!("{within}.{name}") };
    let near = here.map(joined).or_else(|| elsewhere(root, root, "", name));
    UnknownField { name: name.to_owned(), within: within.to_owned(), near }
}

/// The path of the first field anywhere with this name, for those who do not know where it belongs.
fn elsewhere(root: &Value, schema: &Value, path: &str, name: &str) -> Option<String> {
    /// More than the format has; a type that holds itself would have no end.
    const MOST_LEVELS: usize = 20;
    if path.split('.').count() > MOST_LEVELS {
        return None;
    }
    let object = entries(root, schema);
    let properties = || object.get("properties").and_then(Value::as_object).into_iter().flatten();
    let joined = |known: &str| if path.is_empty() { known.to_owned() } else { format!("{path}.{known}") };
    let here = properties().find(|(known, _)| known.eq_ignore_ascii_case(name));
    here.map(|(known, _)| joined(known)).or_else(|| {
        properties().find_map(|(known, of)| {
            let list = if is_list(resolved(root, of)) { "[]" } else { "" };
            elsewhere(root, of, &format!("{}{list}", joined(known)), name)
        })
    })
}

fn doc(root: &Value, schema: &Value, field: String) -> FieldDoc {
    let of = resolved(root, schema);
    let entry = entries(root, schema);
    let word = |word: &str| schema.get(word).or_else(|| of.get(word));
    let text = |name: &str| word(name).and_then(Value::as_str).map(str::to_owned);
    let list = |name: &str| word(name).and_then(Value::as_array).cloned();
    FieldDoc {
        field,
        kind: kind(root, schema).0,
        description: text("description").unwrap_or_default(),
        required: text("x-required"),
        default: word("default").cloned(),
        accepted: list("enum").or_else(|| entry.get("enum")?.as_array().cloned()).unwrap_or_default(),
        pattern: entry.get("pattern").and_then(Value::as_str).map(str::to_owned),
        examples: list("examples").unwrap_or_default(),
        deprecated: word("deprecated").and_then(Value::as_bool).unwrap_or_default(),
        fields: lines(root, schema),
    }
}

/// The fields below a schema.
fn lines(root: &Value, schema: &Value) -> Vec<FieldLine> {
    let properties = entries(root, schema).get("properties").and_then(Value::as_object);
    let line = |(name, of): (&String, &Value)| FieldLine {
        name: name.clone(),
        kind: kind(root, of).0,
        description: of.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
    };
    properties.into_iter().flatten().map(line).collect()
}

/// A schema with its references followed.
fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    /// More than any chain of references has.
    const MOST: usize = 16;
    let mut at = schema;
    for _ in 0..MOST {
        let reference = at.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
        match reference.and_then(|pointer| root.pointer(pointer)).or_else(|| choice(at)) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

/// A schema with its references followed and, for a list, the schema of its entries.
fn entries<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut at = resolved(root, schema);
    while let Some(items) = at.get("items").filter(|_| is_list(at)) {
        at = resolved(root, items);
    }
    at
}

fn is_list(schema: &Value) -> bool {
    type_name(schema) == Some("array")
}

/// The type that is not null.
fn type_name(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name.as_str()),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

/// What sort of value a schema takes: one of them, and many.
fn kind(root: &Value, schema: &Value) -> (String, String) {
    let of = resolved(root, schema);
    let pair = |one: &str, many: &str| (one.to_owned(), many.to_owned());
    match type_name(of) {
        Some("string") if of.get("format").and_then(Value::as_str) == Some("date-time") => {
            pair("time", "times")
        }
        Some("string") => pair("text", "text"),
        Some("integer") => pair("whole number", "whole numbers"),
        Some("boolean") => pair("boolean", "booleans"),
        Some("array") => {
            let many = of.get("items").map_or_else(|| "values".to_owned(), |items| kind(root, items).1);
            (format!("list of {many}"), format!("lists of {many}"))
        }
        Some("object") => match of.get("additionalProperties").filter(|any| any.is_object()) {
            Some(values) => {
                let many = kind(root, values).1;
                (format!("map to {many}"), format!("maps to {many}"))
            }
            None => pair("map", "maps"),
        },
        _ => pair("any value", "any values"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_fields_however_they_are_spelled() {
        for path in ["compute.replicas", "compute[].replicas", "compute[0].replicas", "COMPUTE.Replicas"] {
            let found = field(path).map(|doc| (doc.field, doc.kind));
            assert_eq!(found, Ok(("compute[].replicas".to_owned(), "whole number".to_owned())), "{path}");
        }
    }

    #[test]
    fn knows_what_the_types_say() {
        let region = field("platform.aws.region").ok();
        assert_eq!(region.and_then(|doc| doc.required).as_deref(), Some("always"));
        let endpoints = field("platform.aws.serviceEndpoints");
        let endpoints = endpoints.map(|doc| (doc.kind, doc.fields)).unwrap_or_default();
        let names: Vec<&str> = endpoints.1.iter().map(|line| line.name.as_str()).collect();
        assert_eq!((endpoints.0.as_str(), names), ("list of maps", vec!["name", "url"]));
        let tags = field("platform.aws.userTags").map(|doc| doc.kind);
        assert_eq!(tags.as_deref(), Ok("map to text"));
        let policy = field("publish").map(|doc| doc.accepted);
        assert_eq!(policy.map(|values| values.len()), Ok(3));
    }

    #[test]
    fn offers_the_nearest_path() {
        let near = |path: &str| field(path).err().and_then(|unknown| unknown.near);
        assert_eq!(near("platform.aws.regoin").as_deref(), Some("platform.aws.region"));
        assert_eq!(near("serviceEndpoints").as_deref(), Some("platform.aws.serviceEndpoints"));
        assert_eq!(near("platform.aws.zzzzzz"), None);
    }

    #[test]
    fn describes_every_property() {
        let mut nameless = Vec::new();
        visit(&mut schema(), &mut |object| {
            for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                if property.get("description").is_none() {
                    nameless.push(name.clone());
                }
            }
        });
        assert_eq!(nameless, Vec::<String>::new());
    }

    #[test]
    fn lists_what_is_always_required() {
        let schema = schema();
        let wanted = ["apiVersion", "baseDomain", "metadata", "platform", "pullSecret"];
        assert_eq!(schema["required"], serde_json::json!(wanted));
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    }
}
