//! Values that must not be shown.
//!
//! [`Secret`] holds a value that no `Debug`, `Display` or `Serialize` gives away; whoever needs it calls
//! [`Secret::expose`], which is easy to find in a review.

use std::collections::HashMap;
use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The replacement of a secret in every output.
pub const REDACTED: &str = "<redacted>";

/// The name under which a secret asks to be deserialised, so that the reader of the text remembers its
/// place and never shows it.
pub const SECRET_NAME: &str = "$secret";

/// A value that is shown as [`REDACTED`] wherever it is printed or serialised.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    /// Keeps `value` from being shown.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// The value itself. Never pass it to a message, a log or an error.
    pub fn expose(&self) -> &T {
        &self.0
    }
}

impl Secret<String> {
    /// Whether no value was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> fmt::Display for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl<T> Serialize for Secret<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

struct TextVisitor;

impl<'de> serde::de::Visitor<'de> for TextVisitor {
    type Value = String;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("text")
    }
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        String::deserialize(deserializer)
    }
    fn visit_unit<E>(self) -> Result<String, E> {
        Ok(String::new())
    }
    fn visit_str<E>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
}

impl<'de> Deserialize<'de> for Secret<String> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SECRET_NAME, TextVisitor).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Secret<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
    fn inline_schema() -> bool {
        T::inline_schema()
    }
}

/// The name under which a URL with perhaps a password asks to be deserialised.
pub const SECRET_URL_NAME: &str = "$secret-url";

/// A URL whose user part, which may hold a password, is never shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretUrl(String);

impl SecretUrl {
    /// Keeps the user part of `url` from being shown.
    #[must_use]
    pub fn new(url: String) -> Self {
        Self(url)
    }

    /// The URL as written. Never pass it to a message, a log or an error.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// The URL without its user part.
    #[must_use]
    pub fn shown(&self) -> String {
        without_user(&self.0)
    }

    /// Whether no URL was given.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A URL without what may be a user and password: everything from the scheme's end to the last `@`, or,
/// where the `@` is missing, a host whose port is not a number; and without its query.
#[must_use]
pub fn without_user(text: &str) -> String {
    if let Some((text, _)) = text.split_once('?') {
        return format!("{}?•", without_user(text));
    }
    let (scheme, rest) = match text.find("://") {
        Some(at) => text.split_at(at + 3),
        None => ("", text),
    };
    if let Some((_, host)) = rest.rsplit_once('@') {
        return format!("{scheme}•@{host}");
    }
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let after_address = authority.rsplit(']').next().unwrap_or(authority);
    let port = after_address.split_once(':').map_or("", |(_, port)| port);
    if port.bytes().all(|b| b.is_ascii_digit()) { text.to_owned() } else { format!("{scheme}•{path}") }
}

impl fmt::Debug for SecretUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Serialize for SecretUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.shown())
    }
}

impl<'de> Deserialize<'de> for SecretUrl {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(SECRET_URL_NAME, TextVisitor).map(Self)
    }
}

impl JsonSchema for SecretUrl {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        String::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
    fn inline_schema() -> bool {
        true
    }
}

/// Takes secrets out of texts that come from outside, such as a cloud's error message that repeats what it
/// was sent: as they are, as programs write them into URLs, headers and JSON, and cut off after a while.
#[derive(Clone, Debug, Default)]
pub struct Scrub(Vec<Secret<String>>);

impl Scrub {
    /// Shorter values are words that happen to be secret; taking them out would tear texts apart.
    const SHORTEST: usize = 6;

    /// So much of a secret's beginning is taken for the secret.
    const BEGINNING: usize = 16;

    /// Hides one more secret from now on.
    pub fn hide(&mut self, secret: &Secret<String>) {
        if secret.expose().len() < Self::SHORTEST {
            return;
        }
        for form in forms(secret.expose()).map(Secret::new) {
            if !self.0.contains(&form) {
                self.0.push(form);
            }
        }
    }

    /// The text with every secret replaced by [`REDACTED`].
    #[must_use]
    pub fn clean(&self, text: &str) -> String {
        let mut starts: HashMap<char, Vec<&str>> = HashMap::new();
        for form in &self.0 {
            if let Some(first) = form.expose().chars().next() {
                starts.entry(first).or_default().push(form.expose());
            }
        }
        let mut clean = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            // Secrets may begin with the same characters; the one that goes on for longest is meant.
            let forms = starts.get(&first).into_iter().flatten();
            let hidden = forms.filter_map(|form| begins_with(rest, form)).max();
            let end = hidden.unwrap_or(first.len_utf8());
            match hidden {
                Some(_) => clean.push_str(REDACTED),
                None => clean.push(first),
            }
            rest = rest.get(end..).unwrap_or_default();
        }
        clean
    }
}

/// How many bytes at the beginning of a text are a secret, or enough of one's beginning. It may be broken over
/// lines.
fn begins_with(text: &str, secret: &str) -> Option<usize> {
    let mut wanted = secret.chars().peekable();
    let (mut count, mut end, mut broken) = (0, 0, false);
    for (at, c) in text.char_indices() {
        if wanted.peek() == Some(&c) {
            wanted.next();
            (count, end, broken) = (count + 1, at + c.len_utf8(), false);
            continue;
        }
        broken = count > 0 && (matches!(c, '\r' | '\n') || (broken && matches!(c, ' ' | '\t')));
        if !broken || wanted.peek().is_none() {
            break;
        }
    }
    (end > 0 && (wanted.peek().is_none() || count >= Scrub::BEGINNING)).then_some(end)
}

/// A secret as it is, and as programs write it.
fn forms(secret: &str) -> impl Iterator<Item = String> {
    let in_url = |hex: fn(u8) -> String| -> String {
        let part = |byte: u8| {
            let plain = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            if plain { char::from(byte).to_string() } else { hex(byte) }
        };
        secret.bytes().map(part).collect()
    };
    let quoted = serde_json::Value::from(secret).to_string();
    let in_json = quoted.trim_matches('"').to_owned();
    let in_base64 = [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD].map(|kind| kind.encode(secret));
    let others = [
        secret.to_owned(),
        in_url(|byte| format!("%{byte:02X}")),
        in_url(|byte| format!("%{byte:02x}")),
        url::form_urlencoded::byte_serialize(secret.as_bytes()).collect(),
        in_json.replace('/', "\\/"),
        in_json,
    ];
    others.into_iter().chain(in_base64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_nothing_of_the_value() {
        let secret = Secret::new("canary".to_owned());
        let shown = format!("{secret} {secret:?} {}", serde_json::json!(secret));
        assert!(!shown.contains("canary"), "{shown}");
        assert_eq!(secret.expose(), "canary");
    }

    #[test]
    fn scrubs_every_secret_and_the_longest_first() {
        let mut scrub = Scrub::default();
        for secret in ["canary", "canary-token", "abc"] {
            scrub.hide(&Secret::new(secret.to_owned()));
        }
        assert_eq!(
            scrub.clean("x-token:canary-token key:canary abc"),
            "x-token:<redacted> key:<redacted> abc"
        );
    }

    fn hiding(secret: &str) -> Scrub {
        let mut scrub = Scrub::default();
        scrub.hide(&Secret::new(secret.to_owned()));
        scrub
    }

    #[test]
    fn scrubs_a_secret_as_programs_write_it() {
        let scrub = hiding("canary/key+1");
        let written = [
            "canary%2Fkey%2B1",
            "canary%2fkey%2b1",
            "canary\\/key+1",
            "Y2FuYXJ5L2tleSsx",
            "canary/\n  key+1",
        ];
        for text in written {
            assert_eq!(scrub.clean(&format!("<{text}>")), "<<redacted>>", "{text}");
        }
        assert_eq!(hiding("canary\"key").clean("{\"canary\\\"key\"}"), "{\"<redacted>\"}");
        assert_eq!(scrub.clean("canary/key"), "canary/key");
    }

    #[test]
    fn scrubs_the_beginning_of_a_secret() {
        let mut scrub = hiding("canary-0123456789-token");
        assert_eq!(scrub.clean("cut: canary-0123456789..."), "cut: <redacted>...");
        assert_eq!(scrub.clean("canary-0123\r\n456789-t\nend"), "<redacted>\nend");
        assert_eq!(scrub.clean("canary-01234567"), "canary-01234567");
        // The longest that fits is taken, whichever was hidden first.
        scrub.hide(&Secret::new("canary-0123456789-other-and-longer".to_owned()));
        assert_eq!(
            scrub.clean("canary-0123456789-other-and-longer canary-0123456789-token"),
            "<redacted> <redacted>"
        );
    }

    #[test]
    fn takes_the_user_out_of_a_url() {
        assert_eq!(without_user("http://u:p@host/x"), "http://•@host/x");
        assert_eq!(without_user("http://u:p @host"), "http://•@host");
        assert_eq!(without_user("u:p@host"), "•@host");
        assert_eq!(without_user("http://u:password"), "http://•");
        assert_eq!(without_user("http://host/?token=t"), "http://host/?•");
        for harmless in ["https://host", "https://host:80/x:y", "https://[::1]:80/", "host:80", "text"] {
            assert_eq!(without_user(harmless), harmless);
        }
    }
}
