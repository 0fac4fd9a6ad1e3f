//! JSON in which every number keeps its value, however large.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Deserializer as _, MapAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::Deserializer;
use serde_json::ser::PrettyFormatter;
use serde_json::value::RawValue;

/// The most levels that are read, as in all of JSON here.
const MOST_LEVELS: usize = 128;

/// The members of an object, in the order of their names.
pub type Members = BTreeMap<String, Json>;

/// A JSON value. It cannot be shown for debugging, as settings may hold secrets.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Json {
    /// Null.
    Null,
    /// Yes or no.
    Flag(bool),
    /// A number, as it was written. It is written in its canonical form.
    Number(#[serde(serialize_with = "canonically")] Box<RawValue>),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Object(Members),
}

impl Json {
    /// Reads JSON, and nothing that only looks like it.
    ///
    /// # Errors
    /// Why it is not JSON, in words that cite no value.
    pub fn read(text: &str) -> Result<Self, String> {
        let whole: &RawValue = serde_json::from_str(text).map_err(|fault| fault.to_string())?;
        Self::of(whole, MOST_LEVELS)
    }

    /// The names of the members of an object, in the order of its text; none of anything else.
    #[must_use]
    pub fn names(text: &str) -> Vec<String> {
        let pairs = Deserializer::from_str(text).deserialize_map(Pairs).unwrap_or_default();
        pairs.into_iter().map(|(name, _)| name).collect()
    }

    fn of(raw: &RawValue, levels: usize) -> Result<Self, String> {
        let text = raw.get();
        // All of it was read once, so that only what goes beyond the grammar is left to be wrong.
        let half = |_| "a string has half of a surrogate pair as an escape".to_owned();
        let below = levels.checked_sub(1).ok_or("it is nested too deeply")?;
        Ok(match text.as_bytes().first() {
            Some(b'{') => {
                let mut members = Members::new();
                for (name, value) in Deserializer::from_str(text).deserialize_map(Pairs).map_err(half)? {
                    if members.contains_key(&name) {
                        return Err(format!(
                            "the key `{}` is duplicated",
                            landfall_diagnostics::shortened(&name)
                        ));
                    }
                    members.insert(name, Self::of(value, below)?);
                }
                Self::Object(members)
            }
            Some(b'[') => {
                let items: Vec<&RawValue> = serde_json::from_str(text).map_err(half)?;
                Self::List(items.into_iter().map(|item| Self::of(item, below)).collect::<Result<_, _>>()?)
            }
            Some(b'"') => Self::Text(serde_json::from_str(text).map_err(half)?),
            Some(b't') => Self::Flag(true),
            Some(b'f') => Self::Flag(false),
            Some(b'n') => Self::Null,
            _ => Self::Number(raw.to_owned()),
        })
    }

    /// A number that has the canonical form of this one, which is JSON, too.
    pub fn number(text: &str) -> Self {
        let canonical = canonical(text);
        // Read anew, it would be an integer, whose zero has no sign.
        Self::Number(raw(if canonical == "-0" { text } else { canonical.as_str() }))
    }

    /// The value as one of another type.
    ///
    /// # Errors
    /// It has another type, or a number is too large.
    pub fn to<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.line())
    }

    /// The value on one line.
    #[must_use]
    pub fn line(&self) -> String {
        // Every key is text, and every number was read.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The value on many lines, each level with a tab before it, safe to stand in HTML.
    #[must_use]
    pub fn lines(&self) -> String {
        let mut bytes = Vec::new();
        let tabs = PrettyFormatter::with_indent(b"\t");
        // Memory can be written to.
        let _ = self.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, tabs));
        let mut text = String::from_utf8(bytes).unwrap_or_default();
        // None of these occurs outside of a text.
        for (plain, escaped) in [
            ("<", "\\u003c"),
            (">", "\\u003e"),
            ("&", "\\u0026"),
            ("\u{2028}", "\\u2028"),
            ("\u{2029}", "\\u2029"),
        ] {
            if text.contains(plain) {
                text = text.replace(plain, escaped);
            }
        }
        text.push('\n');
        text
    }

    /// Whether it is as good as not there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Text(text) => text.is_empty(),
            _ => false,
        }
    }

    /// What it is, for a message.
    #[must_use]
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag(_) => "a boolean",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "a mapping",
        }
    }
}

/// The shortest text that a double reads back as the same, with an exponent only below 1e-6 and from 1e21 on. What
/// no double holds stays as it is: whole numbers that would lose digits, and numbers beyond its range.
pub fn canonical(text: &str) -> String {
    let whole = !text.contains(['.', 'e', 'E']);
    let Some(number) = text.parse::<f64>().ok().filter(|number| number.is_finite()) else {
        return text.to_owned();
    };
    let digits = number.to_string();
    if text == "-0" {
        "0".to_owned()
    } else if whole && digits != text {
        text.to_owned()
    } else if number == 0.0 || (1e-6..1e21).contains(&number.abs()) {
        digits
    } else {
        let exponent = format!("{number:e}");
        if exponent.contains("e-") { exponent } else { exponent.replace('e', "e+") }
    }
}

fn raw(number: &str) -> Box<RawValue> {
    RawValue::from_string(number.to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn canonically<S: Serializer>(number: &RawValue, to: S) -> Result<S::Ok, S::Error> {
    raw(&canonical(number.get())).serialize(to)
}

/// The members of an object as they stand, also those that stand twice.
struct Pairs;

impl<'de> Visitor<'de> for Pairs {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = members.next_entry()? {
            pairs.push(pair);
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_canonical_without_losing_digits() {
        let forms = [
            ("7", "7"),
            ("-7", "-7"),
            ("10.0", "10"),
            ("1.50", "1.5"),
            ("1e3", "1000"),
            ("-0.0", "-0"),
            ("-0", "0"),
            ("0.000001", "0.000001"),
            ("0.0000001", "1e-7"),
            ("100000000000000000000", "100000000000000000000"),
            ("1000000000000000000000", "1e+21"),
            ("1.5E300", "1.5e+300"),
            ("9007199254740993", "9007199254740993"),
            ("12345678901234567890", "12345678901234567890"),
            ("-123456789012345678901234567890", "-123456789012345678901234567890"),
            ("1e400", "1e400"),
        ];
        for (given, expected) in forms {
            assert_eq!(canonical(given), expected);
            assert_eq!(Json::read(given).map(|number| number.line()), Ok(expected.to_owned()));
        }
    }

    #[test]
    fn json_alone_is_read() {
        let whole = "{\"b\": [true, null, {}], \"a\": \"<\\u2028\\ud83d\\ude00\"}";
        let lines = "{\n\t\"a\": \"\\u003c\\u2028😀\",\n\t\"b\": [\n\t\ttrue,\n\t\tnull,\n\t\t{}\n\t]\n}\n";
        assert_eq!(Json::read(whole).map(|value| value.lines()), Ok(lines.to_owned()));
        let deep = "[".repeat(200_000) + &"]".repeat(200_000);
        for text in [
            "",
            "{\"a\":1,}",
            "{\"a\":1,\"a\":2}",
            "{} x",
            "a: b",
            "\"\\ud800\"",
            "\u{feff}{}",
            "01",
            deep.as_str(),
        ] {
            assert!(Json::read(text).is_err(), "{}", &text[..text.len().min(20)]);
        }
    }
}
