//! What a JSON value says, in one number.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Stands for a value that need not be kept to know it again: equal values have equal digests, in whatever
/// order their members come. A null counts as nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Digest(Option<u64>);

impl Digest {
    /// Of something; `sort` distinguishes values of different kinds.
    fn of(sort: u8, what: impl Hash) -> Self {
        let mut hasher = DefaultHasher::new();
        (sort, what).hash(&mut hasher);
        Self(Some(hasher.finish()))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reading)
    }
}

struct Reading;

impl<'de> Visitor<'de> for Reading {
    type Value = Digest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Digest, E> {
        Ok(Digest(None))
    }

    fn visit_none<E: Error>(self) -> Result<Digest, E> {
        Ok(Digest(None))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Digest, D::Error> {
        Digest::deserialize(deserializer)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Digest, E> {
        Ok(Digest::of(1, value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Digest, E> {
        Ok(Digest::of(2, i128::from(value)))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Digest, E> {
        Ok(Digest::of(2, i128::from(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Digest, E> {
        Ok(Digest::of(3, value.to_bits()))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Digest, E> {
        Ok(Digest::of(4, value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Digest, A::Error> {
        let mut hasher = DefaultHasher::new();
        while let Some(entry) = list.next_element::<Digest>()? {
            entry.hash(&mut hasher);
        }
        Ok(Digest::of(5, hasher.finish()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Digest, A::Error> {
        let mut sum = 0_u64;
        while let Some((name, member)) = members.next_entry::<String, Digest>()? {
            if member != Digest(None) {
                sum = sum.wrapping_add(Digest::of(6, (name, member)).0.unwrap_or_default());
            }
        }
        Ok(Digest::of(7, sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::from_str;

    fn same(one: &str, other: &str) -> Option<bool> {
        let (one, other): (Digest, Digest) = (from_str(one).ok()?, from_str(other).ok()?);
        Some(one == other)
    }

    #[test]
    fn the_order_of_members_and_nulls_do_not_count() {
        assert_eq!(same(r#"{"a":1,"b":[true,"x"]}"#, r#"{"b":[true,"x"],"n":null,"a":1}"#), Some(true));
        assert_eq!(same("{}", r#"{"a":null}"#), Some(true));
    }

    #[test]
    fn all_else_counts() {
        let values = [
            "null",
            "{}",
            "[]",
            "0",
            "1",
            "-1",
            "0.5",
            r#""""#,
            r#""1""#,
            "true",
            "[1]",
            "[[1]]",
            r#"{"a":1}"#,
        ];
        for (i, one) in values.iter().enumerate() {
            for (j, other) in values.iter().enumerate() {
                assert_eq!(same(one, other), Some(i == j), "{one} {other}");
            }
        }
        assert_eq!(same("[1,2]", "[2,1]"), Some(false));
        assert_eq!(same(r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#), Some(false));
    }
}
