//! Manifests and settings that are written as JSON or YAML.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess,
    VariantAccess as _, Visitor,
};
use serde_json::Value;
use serde_yaml::value::{Tag, TaggedValue};
use serde_yaml::{Mapping, Value as Yaml};

use super::json::{Json, Members};

/// The tag of a whole number of more than 64 bits, which stands as its digits.
const LARGE: &str = "!large";

/// What a text says, read as JSON where it is that, otherwise as YAML 1.2; null where it says nothing.
///
/// # Errors
/// Why it is neither, in words that cite no value.
pub fn read(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).or_else(|_| value(text, Numbers::Rounded))
}

/// What a YAML text says, with its merge keys carried out.
///
/// # Errors
/// Why it is not YAML, or says what JSON cannot, in words that cite no value.
pub fn yaml(text: &str) -> Result<Value, String> {
    value(text, Numbers::Held)
}

/// What a YAML text says, in numbers of these forms.
fn value(text: &str, numbers: Numbers) -> Result<Value, String> {
    // What was written as JSON can be read.
    serde_json::from_str(&parsed(text, numbers)?.line()).map_err(|_| "a number is too large".to_owned())
}

/// What becomes of numbers.
#[derive(Clone, Copy)]
enum Numbers {
    /// They have the form of JSON that is written anew, with all digits.
    Canonical,
    /// They stay as they are; whole ones of more than 64 bits are refused, as no value holds them.
    Held,
    /// They stay as they are, as far as a double holds them.
    Rounded,
}

/// What a YAML text says, with its merge keys carried out and all digits of its numbers.
///
/// # Errors
/// Why it is not YAML, or says what JSON cannot, in words that cite no value.
pub fn tree(text: &str) -> Result<Json, String> {
    parsed(text, Numbers::Canonical)
}

fn parsed(text: &str, numbers: Numbers) -> Result<Json, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unreadable = |fault: serde_yaml::Error| fault.to_string();
    let Document(mut document) = serde_yaml::from_str(text).map_err(unreadable)?;
    document.apply_merge().map_err(unreadable)?;
    json(document, numbers)
}

/// A YAML value, whose numbers may be of any size.
struct Document(Yaml);

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyValue).map(Self)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any YAML value")
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Yaml, E> {
        Ok(flag.into())
    }

    fn visit_i64<E>(self, number: i64) -> Result<Yaml, E> {
        Ok(number.into())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Yaml, E> {
        Ok(number.into())
    }

    fn visit_i128<E>(self, number: i128) -> Result<Yaml, E> {
        Ok(large(number.to_string()))
    }

    fn visit_u128<E>(self, number: u128) -> Result<Yaml, E> {
        Ok(large(number.to_string()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Yaml, E> {
        Ok(number.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Yaml, E> {
        Ok(text.into())
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Yaml, D::Error> {
        from.deserialize_any(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut sequence = Vec::new();
        while let Some(Document(item)) = items.next_element()? {
            sequence.push(item);
        }
        Ok(Yaml::Sequence(sequence))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Yaml, A::Error> {
        let mut mapping = Mapping::new();
        while let Some((Document(name), Document(value))) = members.next_entry()? {
            if mapping.contains_key(&name) {
                return Err(A::Error::custom(duplicated(&key(name).map_err(A::Error::custom)?)));
            }
            mapping.insert(name, value);
        }
        Ok(Yaml::Mapping(mapping))
    }

    /// Tags mean nothing here.
    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<Yaml, A::Error> {
        let (_, content) = tagged.variant::<String>()?;
        content.newtype_variant().map(|Document(value)| value)
    }
}

fn large(digits: String) -> Yaml {
    Yaml::Tagged(Box::new(TaggedValue { tag: Tag::new(LARGE), value: Yaml::String(digits) }))
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

fn json(value: Yaml, numbers: Numbers) -> Result<Json, String> {
    Ok(match value {
        Yaml::Null => Json::Null,
        Yaml::Bool(flag) => Json::Flag(flag),
        Yaml::Number(number) => match numbers {
            Numbers::Canonical => Json::number(&digits(&number)?),
            Numbers::Held | Numbers::Rounded => Json::number_as_is(&digits(&number)?),
        },
        Yaml::String(text) => Json::Text(text),
        Yaml::Sequence(items) => {
            Json::List(items.into_iter().map(|item| json(item, numbers)).collect::<Result<_, _>>()?)
        }
        Yaml::Mapping(members) => {
            let mut object = Members::new();
            for (name, member) in members {
                let name = key(name)?;
                if object.contains_key(&name) {
                    return Err(duplicated(&name));
                }
                object.insert(name, json(member, numbers)?);
            }
            Json::Object(object)
        }
        // No other tag was read.
        Yaml::Tagged(_) if matches!(numbers, Numbers::Held) => {
            return Err("a number has more than 64 bits: write it in quotes".to_owned());
        }
        Yaml::Tagged(tagged) => Json::number(&text(tagged.value)),
    })
}

fn duplicated(key: &str) -> String {
    format!("the key `{}` is duplicated", landfall_diagnostics::shortened(key))
}

fn key(key: Yaml) -> Result<String, String> {
    match key {
        Yaml::String(text) => Ok(text),
        Yaml::Number(number) => digits(&number),
        Yaml::Bool(flag) => Ok(flag.to_string()),
        Yaml::Tagged(tagged) => Ok(text(tagged.value)),
        Yaml::Null | Yaml::Sequence(_) | Yaml::Mapping(_) => {
            Err("a key is neither a string nor a number".to_owned())
        }
    }
}

fn text(value: Yaml) -> String {
    if let Yaml::String(text) = value { text } else { String::new() }
}

fn digits(number: &serde_yaml::Number) -> Result<String, String> {
    if number.is_finite() { Ok(number.to_string()) } else { Err("a number is infinite or NaN".to_owned()) }
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
    fn numbers_of_any_size_are_read_and_none_is_cited() {
        for (text, line) in [
            ("18446744073709551616", "18446744073709551616"),
            ("-9223372036854775809", "-9223372036854775809"),
            ("0xFFFFFFFFFFFFFFFFF", "295147905179352825855"),
            ("98765432109876543210987", "98765432109876543210987"),
            ("1.50", "1.5"),
            ("!own 7", "7"),
        ] {
            assert_eq!(tree(&format!("x: {text}")).map(|tree| tree.line()), Ok(format!("{{\"x\":{line}}}")));
            assert!(read(&format!("x: {text}")).is_ok_and(|value| value["x"].is_number()), "{text}");
        }
        // What a value cannot hold is not changed without a word.
        for text in ["18446744073709551616", "98765432109876543210987"] {
            let told = yaml(&format!("x: {text}")).err().unwrap_or_default();
            assert!(told.contains("in quotes") && !told.contains(text), "{told}");
        }
        assert_eq!(
            yaml("x: [10.0, 1e10]").map(|value| value["x"].to_string()),
            Ok("[10.0,10000000000.0]".to_owned())
        );
        let digits = "9".repeat(60);
        let read =
            yaml(&format!("password: {digits}\nother: [")).map_or_else(|why| why, |value| value.to_string());
        assert!(!read.contains(&digits), "{read}");
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
        for text in ["a: 1\na: 2", "1: a\n\"1\": b"] {
            assert!(read(text).is_err_and(|why| why.contains("` is duplicated")), "{text}");
        }
    }

    #[test]
    fn a_wrong_type_is_reported_without_the_value() {
        let read = object::<super::super::Infrastructure>("spec: https://user:word@host\n", "Infrastructure");
        assert!(read.is_err_and(|why| why.contains("expected a map") && !why.contains("word@")));
        assert!(of_kind(&json!({ "kind": "Pod" }), "Infrastructure").is_err());
        assert_eq!(of_kind(&json!({ "kind": "" }), "Infrastructure"), Ok(()));
    }
}
