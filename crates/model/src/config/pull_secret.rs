//! What a pull secret is made of, without its credentials: `docs/install-config.md`, section 7.5.

use std::collections::BTreeMap;
use std::fmt;

use landfall_source::fold_eq;
use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The registries of a pull secret, each with the keys of its entry. No value is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Registries(pub BTreeMap<String, Vec<String>>);

type Entries<'de> = BTreeMap<String, Option<BTreeMap<String, &'de RawValue>>>;

/// The deepest value that Go reads.
const MOST_DEPTH: usize = 10_000;

impl<'de> Deserialize<'de> for Registries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RegistriesVisitor;
        impl<'de> Visitor<'de> for RegistriesVisitor {
            type Value = Registries;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with registries under `auths`")
            }
            fn visit_unit<E>(self) -> Result<Registries, E> {
                Ok(Registries::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Registries, A::Error> {
                let mut found = Registries::default();
                while let Some(key) = map.next_key::<String>()? {
                    if !fold_eq(&key, "auths") {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    let Some(entries) = map.next_value::<Option<Entries<'de>>>()? else {
                        found.0.clear();
                        continue;
                    };
                    for (registry, entry) in entries {
                        let entry = entry.unwrap_or_default();
                        if !entry.values().all(|value| numbers_fit(value.get())) {
                            return Err(A::Error::custom("a number is out of range"));
                        }
                        found.0.insert(registry, entry.into_keys().collect());
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_any(RegistriesVisitor)
    }
}

/// JSON without its texts.
fn without_texts(json: &str) -> String {
    let (mut quoted, mut escaped) = (false, false);
    let is_outside = |c: &char| {
        let was_quoted = quoted;
        quoted ^= *c == '"' && !escaped;
        escaped = quoted && *c == '\\' && !escaped;
        !was_quoted && !quoted
    };
    json.chars().filter(is_outside).collect()
}

/// Whether every number of JSON fits 64 bits with a point.
fn numbers_fit(json: &str) -> bool {
    without_texts(json)
        .split(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
        .filter(|word| word.starts_with(|c: char| c == '-' || c.is_ascii_digit()))
        .all(|number| number.parse::<f64>().is_ok_and(f64::is_finite))
}

fn is_too_deep(json: &str) -> bool {
    let levels = without_texts(json);
    let levels = levels.chars().scan(0_usize, |depth, c| {
        *depth = match c {
            '[' | '{' => depth.saturating_add(1),
            ']' | '}' => depth.saturating_sub(1),
            _ => *depth,
        };
        Some(*depth)
    });
    levels.max().is_some_and(|depth| depth > MOST_DEPTH)
}

/// Reads a pull secret.
///
/// # Errors
/// What is wrong with the text, without any of it.
pub fn parse(secret: &str) -> Result<Registries, String> {
    if secret.trim().is_empty() {
        return Err("the pull secret is missing".to_owned());
    }
    if is_too_deep(secret) {
        return Err(format!("the pull secret has more than {MOST_DEPTH} levels"));
    }
    let registries: Registries = serde_json::from_str(secret).map_err(|fault| {
        if fault.is_data() {
            "the pull secret is JSON, but not an object with a map of registries under `auths`, \
             or a number in it is too large"
                .to_owned()
        } else {
            format!(
                "the pull secret is not JSON: reading stopped at its line {}, column {}",
                fault.line(),
                fault.column()
            )
        }
    })?;
    if registries.0.is_empty() {
        return Err("the pull secret has no registry under `auths`".to_owned());
    }
    Ok(registries)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn never_repeats_what_it_reads() {
        for text in
            ["\"canary\"", "{\"auths\":\"canary\"}", "{\"auths\":{\"a\":\"canary\"}}", "canary", "[]", "null"]
        {
            let fault = parse(text).err().unwrap_or_default();
            assert!(!fault.is_empty() && !fault.contains("canary"), "{text}: {fault}");
        }
    }

    #[test]
    fn accepts_what_go_accepts() {
        let found = parse("{\"Auths\":{\"a\":{\"auth\":\"\\ud800\"},\"b\":null}}").map(|r| r.0.len());
        assert_eq!(found, Ok(2));
        let long = "[".repeat(200) + &"]".repeat(200);
        for good in [
            "{\"auth\u{17f}\":{\"a\":{\"auth\":\"1e999\"}}}".to_owned(),
            "{\"auths\":null,\"auths\":{\"a\":{\"auth\":\"\\\"[\"}},\"b\":1e999}".to_owned(),
            format!("{{\"auths\":{{\"a\":{{\"auth\":[-0.5e-9,true,{long}]}}}}}}"),
        ] {
            assert_eq!(parse(&good).map(|r| r.0.len()), Ok(1), "{good}");
        }
    }

    #[test]
    fn refuses_what_go_refuses() {
        let deep = "[".repeat(10_001) + &"]".repeat(10_001);
        for bad in [
            "{\"auths\":{\"a\":{\"auth\":\"x\"}},\"auths\":null}".to_owned(),
            "{\"auths\":{\"a\":{\"auth\":\"x\"}},\"AUTHS\":null}".to_owned(),
            "{\"auths\":{\"a\":{\"auth\":1e999}}}".to_owned(),
            "{\"auths\":{\"a\":{\"auth\":{\"b\":[-1e999]}}}}".to_owned(),
            format!("{{\"auths\":{{\"a\":{{\"auth\":{deep}}}}}}}"),
        ] {
            assert!(parse(&bad).is_err(), "{bad:.60}");
        }
    }
}
