//! What a pull secret is made of, without its credentials: `docs/install-config.md`, section 7.5.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

/// The registries of a pull secret, each with the keys of its entry. No value is kept.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Registries(pub BTreeMap<String, Vec<String>>);

#[allow(clippy::zero_sized_map_values, reason = "a set could not skip the values that are read")]
type Entries = BTreeMap<String, Option<BTreeMap<String, IgnoredAny>>>;

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
                    if !key.eq_ignore_ascii_case("auths") {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    }
                    for (registry, entry) in map.next_value::<Option<Entries>>()?.unwrap_or_default() {
                        found.0.insert(registry, entry.unwrap_or_default().into_keys().collect());
                    }
                }
                Ok(found)
            }
        }
        deserializer.deserialize_any(RegistriesVisitor)
    }
}

/// Reads a pull secret.
///
/// # Errors
/// What is wrong with the text, without any of it.
pub fn parse(secret: &str) -> Result<Registries, String> {
    if secret.trim().is_empty() {
        return Err("the pull secret is missing".to_owned());
    }
    let registries: Registries = serde_json::from_str(secret).map_err(|fault| {
        if fault.is_data() {
            "the pull secret is JSON, but not an object with a map of registries under `auths`".to_owned()
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
    }
}
