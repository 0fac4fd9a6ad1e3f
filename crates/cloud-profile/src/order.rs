//! In which order the entries of lists stand.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::iter::repeat;
use std::sync::Arc;

use super::types::{MachineImage, MachineImageVersion, MachineType, Region, Version, VolumeType, Zone};

/// An entry of a list in which each entry is known by a key.
pub trait Entry {
    /// What the entry is known by.
    fn key(&self) -> &str;

    /// Where a new entry stands to one that is there.
    fn place(&self, other: &Self) -> Ordering;
}

macro_rules! entries {
    ($($ty:ty: $key:ident, $place:expr;)*) => { $(
        impl Entry for $ty {
            fn key(&self) -> &str {
                &self.$key
            }

            fn place(&self, other: &Self) -> Ordering {
                $place(&self.$key, &other.$key)
            }
        }
    )* };
}

entries! {
    MachineImage: name, str::cmp;
    MachineType: name, str::cmp;
    VolumeType: name, str::cmp;
    Region: name, str::cmp;
    Zone: name, str::cmp;
    Version: version, newest_first;
    MachineImageVersion: version, newest_first;
}

impl<T: Entry> Entry for Arc<T> {
    fn key(&self) -> &str {
        (**self).key()
    }

    fn place(&self, other: &Self) -> Ordering {
        (**self).place(other)
    }
}

/// For each of `entries` the index of the one with its key in `own`, and for those that are not there the
/// index in a list that goes on with them.
#[must_use]
pub fn places<T: Entry>(own: &[T], entries: &[T]) -> Vec<usize> {
    if entries.is_empty() {
        return Vec::new();
    }
    // Of several with one key the first counts.
    let mut known: HashMap<&str, usize> = own.iter().enumerate().rev().map(|(i, e)| (e.key(), i)).collect();
    let mut end = own.len();
    entries
        .iter()
        .map(|entry| {
            let at = *known.entry(entry.key()).or_insert(end);
            end += usize::from(at == end);
            at
        })
        .collect()
}

/// Puts the entries after the first `inherited` ones where they belong, without changing the order of those.
pub fn settle<T: Entry>(list: &mut Vec<T>, inherited: usize) {
    if list.len() <= inherited {
        return;
    }
    let mut added = list.split_off(inherited);
    added.sort_by(T::place);
    let mut settled = Vec::with_capacity(inherited + added.len());
    let mut added = added.into_iter().peekable();
    for own in std::mem::take(list) {
        while let Some(entry) = added.next_if(|entry| entry.place(&own) == Ordering::Less) {
            settled.push(entry);
        }
        settled.push(own);
    }
    settled.extend(added);
    *list = settled;
}

fn newest_first(one: &str, other: &str) -> Ordering {
    compare_versions(other, one)
}

/// Which of two versions is lower: numbers count as numbers, one that is missing as 0, and a pre-release is
/// lower than its release.
#[must_use]
pub fn compare_versions(one: &str, other: &str) -> Ordering {
    let (core, pre) = halves(one);
    let (other_core, other_pre) = halves(other);
    let width = core.split('.').count().max(other_core.split('.').count());
    let numbers = |core| str::split(core, '.').chain(repeat("0")).take(width).map(identifier);
    numbers(core).cmp(numbers(other_core)).then_with(|| match (pre, other_pre) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(pre), Some(other)) => pre.split('.').map(identifier).cmp(other.split('.').map(identifier)),
    })
}

/// A semantic version as Gardener reads it: with or without `v`, and the last numbers may be left out. `None` if it is
/// not one.
pub(crate) fn semantic(version: &str) -> Option<semver::Version> {
    let version = version.strip_prefix('v').unwrap_or(version);
    let (core, rest) = version.split_at(version.find(['-', '+']).unwrap_or(version.len()));
    let mut semantic = semver::Version::parse(&format!("0.0.0{rest}")).ok()?;
    let mut numbers = core.split('.');
    semantic.major = numbers.next()?.parse().ok()?;
    for number in [&mut semantic.minor, &mut semantic.patch] {
        *number = numbers.next().map_or(Ok(0), str::parse).ok()?;
    }
    numbers.next().is_none().then_some(semantic)
}

/// The numbers of a version and what makes it a pre-release; what tells builds apart has no say.
fn halves(version: &str) -> (&str, Option<&str>) {
    let version = version.strip_prefix('v').unwrap_or(version);
    let version = version.split_once('+').map_or(version, |(before, _)| before);
    version.split_once('-').map_or((version, None), |(core, pre)| (core, Some(pre)))
}

/// A part of a version, in the order in which parts stand: by their length, numbers without zeros before them
/// stand as numbers do.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Identifier<'a> {
    Number(usize, &'a str),
    Text(&'a str),
}

fn identifier(text: &str) -> Identifier<'_> {
    if text.is_empty() || text.bytes().any(|byte| !byte.is_ascii_digit()) {
        return Identifier::Text(text);
    }
    let digits = text.trim_start_matches('0');
    Identifier::Number(digits.len(), digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zones(names: &[&str]) -> Vec<Zone> {
        names.iter().map(|name| Zone { name: (*name).to_owned(), ..Zone::default() }).collect()
    }

    fn versions(versions: &[&str]) -> Vec<MachineImageVersion> {
        let version = |version: &&str| MachineImageVersion {
            version: (*version).to_owned(),
            ..MachineImageVersion::default()
        };
        versions.iter().map(version).collect()
    }

    fn settled<T: Entry>(mut own: Vec<T>, added: Vec<T>) -> Vec<String> {
        let inherited = own.len();
        own.extend(added);
        settle(&mut own, inherited);
        own.iter().map(|entry| entry.key().to_owned()).collect()
    }

    #[test]
    fn new_entries_come_before_the_first_that_follows_them() {
        assert_eq!(settled(zones(&["b", "d"]), zones(&["e", "a", "c"])), ["a", "b", "c", "d", "e"]);
        assert_eq!(
            settled(zones(&["d", "b", "c"]), zones(&["e", "c2", "a"])),
            ["a", "c2", "d", "b", "c", "e"]
        );
        assert_eq!(settled(zones(&["é", "Z"]), zones(&["z", "A"])), ["A", "z", "é", "Z"]);
        assert_eq!(settled(zones(&[]), zones(&["b", "a"])), ["a", "b"]);
        assert_eq!(settled(zones(&["b", "a"]), zones(&[])), ["b", "a"]);
    }

    #[test]
    fn new_versions_come_before_the_first_that_is_lower() {
        let own = ["15.4", "14.4", "13.6"];
        assert_eq!(
            settled(versions(&own), versions(&["9", "14.10", "16.4"])).join(" "),
            "16.4 15.4 14.10 14.4 13.6 9"
        );
        assert_eq!(settled(versions(&["1.0", "0.9"]), versions(&["1.0.0"])), ["1.0", "1.0.0", "0.9"]);
        assert_eq!(
            settled(versions(&["2.0.0", "1.0.0"]), versions(&["2.0.0-rc.1"])).join(" "),
            "2.0.0 2.0.0-rc.1 1.0.0"
        );
    }

    #[test]
    fn versions_are_compared_number_by_number() {
        let ascending = [
            "0.9",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta.2",
            "1.0.0-beta.11",
            "1.0.0-rc.1",
            "1",
            "1.0.1",
            "1.2",
            "1.10",
            "2.0.0",
            "20240101.1.0",
            "99999999999999999999999999.0",
        ];
        for (i, low) in ascending.iter().enumerate() {
            assert_eq!(compare_versions(low, low), Ordering::Equal, "{low}");
            for high in &ascending[i + 1..] {
                assert_eq!(compare_versions(low, high), Ordering::Less, "{low} {high}");
                assert_eq!(compare_versions(high, low), Ordering::Greater, "{high} {low}");
            }
        }
        for (one, other) in [("1", "1.0.0"), ("1.02", "1.2"), ("1.0+a", "1.0+b"), ("v1.2", "1.2.0")] {
            assert_eq!(compare_versions(one, other), Ordering::Equal, "{one} {other}");
        }
    }

    #[test]
    fn entries_are_found_by_their_key() {
        assert_eq!(places(&zones(&["a", "b", "a"]), &zones(&["x", "a", "y", "x", "b"])), [3, 0, 4, 3, 1]);
        assert!(places(&zones(&["a"]), &[]).is_empty());
    }
}
