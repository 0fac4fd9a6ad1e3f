//! Manifests and settings that are written as JSON or YAML.

use std::fmt;

use serde::de::{
    Deserialize, DeserializeOwned, Deserializer, EnumAccess, Error as _, MapAccess, SeqAccess,
    VariantAccess as _, Visitor,
};
use serde_yaml::value::{Tag, TaggedValue};
use serde_yaml::{Mapping, Value as Yaml};

use super::json::{Json, Members};
use super::shape::Shape;

/// The tag of a whole number of more than 64 bits, which stands as its digits.
const LARGE: &str = "!large";

/// What a YAML text says, with its merge keys carried out and all digits of its numbers.
///
/// # Errors
/// Why it is not YAML, or says what JSON cannot, in words that cite no value.
pub fn tree(text: &str) -> Result<Json, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let unreadable = |fault: serde_yaml::Error| fault.to_string();
    let Document(mut document) = serde_yaml::from_str(text).map_err(unreadable)?;
    document.apply_merge().map_err(unreadable)?;
    json(document)
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

/// An object of a cluster as JSON or YAML; with all its defaults where the text says nothing.
///
/// # Errors
/// Why the text is not this object, in words that cite no value.
pub fn object<T: DeserializeOwned>(text: &str, kind: &str, shape: &Shape) -> Result<T, String> {
    let value = shape.fit(Json::read(text).or_else(|_| tree(text))?, "")?;
    if let Json::Object(members) = &value
        && let Some(Json::Text(found)) = members.get("kind")
        && !found.is_empty()
        && found != kind
    {
        return Err(format!("its kind is `{}`, not {kind}", landfall_diagnostics::shortened(found)));
    }
    value.to().map_err(|_| "a number is too large".to_owned())
}

fn json(value: Yaml) -> Result<Json, String> {
    Ok(match value {
        Yaml::Null => Json::Null,
        Yaml::Bool(flag) => Json::Flag(flag),
        Yaml::Number(number) => Json::number(&digits(&number)?),
        Yaml::String(text) => Json::Text(text),
        Yaml::Sequence(items) => Json::List(items.into_iter().map(json).collect::<Result<_, _>>()?),
        Yaml::Mapping(members) => {
            let mut object = Members::new();
            for (name, member) in members {
                let name = key(name)?;
                if object.contains_key(&name) {
                    return Err(duplicated(&name));
                }
                object.insert(name, json(member)?);
            }
            Json::Object(object)
        }
        // No other tag was read.
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
    use super::*;

    fn line(text: &str) -> Result<String, String> {
        tree(text).map(|tree| tree.line())
    }

    #[test]
    fn keys_aliases_and_tags_become_json() {
        let merged = line("a: &x {k: ~}\nb: {<<: *x, l: yes}\n");
        assert_eq!(merged.as_deref(), Ok(r#"{"a":{"k":null},"b":{"k":null,"l":"yes"}}"#));
        assert_eq!(line("1: a\ntrue: !own b\n").as_deref(), Ok(r#"{"1":"a","true":"b"}"#));
        for nothing in ["", " \n", "# nothing\n", "null"] {
            assert_eq!(line(nothing).as_deref(), Ok("null"), "{nothing:?}");
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
            ("443.0", "443"),
            ("-0.0", "-0"),
            ("-0", "0"),
            ("!own 7", "7"),
        ] {
            assert_eq!(self::line(&format!("x: {text}")), Ok(format!("{{\"x\":{line}}}")));
        }
        let digits = "9".repeat(60);
        let read = line(&format!("password: {digits}\nother: [")).unwrap_or_else(|why| why);
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
            assert!(tree(text).is_err(), "{text}");
        }
        for text in ["a: 1\na: 2", "1: a\n\"1\": b"] {
            assert!(line(text).is_err_and(|why| why.contains("` is duplicated")), "{text}");
        }
    }

    #[test]
    fn a_wrong_type_is_reported_with_its_place_and_without_the_value() {
        const SHAPE: Shape = Shape::Object(&[
            (Shape::Text, "kind"),
            (Shape::Object(&[(Shape::List(&Shape::Scalar), "urls"), (Shape::Time, "at")]), "spec"),
        ]);
        let read =
            |text: &str| object::<serde_json::Value>(text, "Own", &SHAPE).map(|value| value.to_string());
        for (text, told) in [
            ("https://user:word@host", "it is a string, not a mapping"),
            ("spec: word", "`spec` is a string, not a mapping"),
            ("spec: {urls: [a, {b: word}]}", "`spec.urls[1]` is a mapping, not a string"),
            ("SPEC: {At: word}", "`spec.at` is a string, not a time in RFC 3339"),
            ("kind: 5", "`kind` is a number, not a string"),
            ("kind: Pod", "its kind is `Pod`, not Own"),
        ] {
            assert_eq!(read(text), Err(told.to_owned()), "{text}");
        }
        let right =
            "KIND: ~\nkind: ''\nSpec: {urls: [a, 1.50, true, ~]}\nspec: {at: 2024-01-02T03:04:05Z}\nx: 1";
        let expected =
            r#"{"kind":"","spec":{"at":"2024-01-02T03:04:05Z","urls":["a","1.5","true",""]},"x":1}"#;
        assert_eq!(read(right).as_deref(), Ok(expected));
        assert_eq!(
            read(r#"{"spec":{"urls":["\ud83d\ude00"]}}"#).as_deref(),
            Ok(r#"{"spec":{"urls":["😀"]}}"#)
        );
    }
}
