//! Manifests and settings that are written as JSON or YAML.

use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use serde_yaml::Value as Yaml;

/// What a text says, read as JSON where it is that, otherwise as YAML 1.2; null where it says nothing.
///
/// # Errors
/// Why it is neither, in words that cite no value.
pub fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).or_else(|_| yaml(text))
}

/// What a YAML text says, with its merge keys carried out.
///
/// # Errors
/// Why it is not YAML, or says what JSON cannot, in words that cite no value.
pub fn yaml(text: &str) -> Result<Value, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unreadable = |fault: serde_yaml::Error| fault.to_string();
    let mut document: Yaml = serde_yaml::from_str(text).map_err(unreadable)?;
    document.apply_merge().map_err(unreadable)?;
    json(document)
}

/// An object of a cluster; with all its defaults where the text says nothing.
///
/// # Errors
/// Why the text is not this object.
pub fn object<T: DeserializeOwned + Default>(text: &str, kind: &str) -> Result<T, String> {
    let value = read(text)?;
    if !(value.is_object() || value.is_null()) {
        return Err("it is not a mapping".to_owned());
    }
    of_kind(&value, kind)?;
    serde_json::from_value::<Option<T>>(value).map(Option::unwrap_or_default).map_err(|fault| {
        // In front of that, the value is cited.
        let fault = fault.to_string();
        let expected = fault.rsplit_once(", expected ").map_or("another value", |(_, expected)| expected);
        format!("expected {expected}, found another type")
    })
}

/// Checks that an object with a kind is of this one.
fn of_kind(object: &Value, kind: &str) -> Result<(), String> {
    match object.get("kind") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(found)) if found.is_empty() || found == kind => Ok(()),
        Some(Value::String(found)) => {
            Err(format!("its kind is `{}`, not {kind}", landfall_diagnostics::shortened(found)))
        }
        Some(_) => Err("its kind is not a string".to_owned()),
    }
}

fn json(value: Yaml) -> Result<Value, String> {
    Ok(match value {
        Yaml::Null => Value::Null,
        Yaml::Bool(flag) => Value::Bool(flag),
        Yaml::Number(number) => Value::Number(in_json(&number)?),
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(items) => Value::Array(items.into_iter().map(json).collect::<Result<_, _>>()?),
        Yaml::Mapping(members) => {
            let mut object = Map::new();
            for (name, member) in members {
                let name = key(name)?;
                if object.contains_key(&name) {
                    return Err(format!(
                        "the key `{}` is duplicated",
                        landfall_diagnostics::shortened(&name)
                    ));
                }
                object.insert(name, json(member)?);
            }
            Value::Object(object)
        }
        // A tag of one's own means nothing here.
        Yaml::Tagged(tagged) => json(tagged.value)?,
    })
}

fn key(key: Yaml) -> Result<String, String> {
    match key {
        Yaml::String(text) => Ok(text),
        Yaml::Number(number) => Ok(in_json(&number)?.to_string()),
        Yaml::Bool(flag) => Ok(flag.to_string()),
        _ => Err("a key is neither a string nor a number".to_owned()),
    }
}

fn in_json(number: &serde_yaml::Number) -> Result<Number, String> {
    let whole = number.as_u64().map(Number::from).or_else(|| number.as_i64().map(Number::from));
    let number = whole.or_else(|| number.as_f64().and_then(Number::from_f64));
    number.ok_or_else(|| "a number is infinite or NaN".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_forms_say_the_same() {
        assert_eq!(read("{\"a\": [1, \"\\ud83d\\ude00\"]}"), Ok(json!({ "a": [1, "😀"] })));
        assert_eq!(
            read("a: &x {k: ~}\nb: {<<: *x, l: yes}\n"),
            read(r#"{"a":{"k":null},"b":{"k":null,"l":"yes"}}"#)
        );
        assert_eq!(read("1: a\ntrue: !own b\n"), Ok(json!({ "1": "a", "true": "b" })));
        for nothing in ["", " \n", "# nothing\n", "null"] {
            assert_eq!(read(nothing), Ok(Value::Null), "{nothing:?}");
        }
    }

    #[test]
    fn what_json_cannot_say_is_refused() {
        for text in [
            "a: .inf",
            "? [a]\n: b",
            "a: 1\na: 2",
            "1: a\n\"1\": b",
            "a: 1\n---\nb: 2",
            "a: [",
            "\"\\ud800\"",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_wrong_type_is_reported_without_the_value() {
        let read = object::<super::super::Infrastructure>("spec: https://user:word@host\n", "Infrastructure");
        assert!(read.is_err_and(|why| why.contains("struct Spec") && !why.contains("word@")));
        assert!(of_kind(&json!({ "kind": "Pod" }), "Infrastructure").is_err());
        assert_eq!(of_kind(&json!({ "kind": "" }), "Infrastructure"), Ok(()));
    }
}
