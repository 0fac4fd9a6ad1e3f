//! Tags for the resources of the cluster: `docs/install-config.md`, section 11.6.

use std::collections::BTreeMap;

use landfall_diagnostics::{Code, Finding, Findings, Kind, counted, shortened};
use landfall_rules::text::is_word;

use super::super::catalogue::Catalogue;
use super::super::config::Platform;
use super::shown;

/// Tags in a cloud whose clusters take none.
pub const TAGS_CLOUD: Code = Code::new("LF0522");
/// More tags than resources can have.
pub const TAGS_MANY: Code = Code::new("LF0523");
/// Keys that Azure does not tell apart.
pub const TAG_TWICE: Code = Code::new("LF0524");
/// A key that is not one.
pub const TAG_KEY: Code = Code::new("LF0525");
/// A value that is not one.
pub const TAG_VALUE: Code = Code::new("LF0526");
/// A key that is reserved.
pub const TAG_RESERVED: Code = Code::new("LF0527");

const FIELD: &str = "platform.azure.userTags";
/// The most tags that a cluster may have.
const MOST: usize = 10;
/// The beginnings of keys that are reserved.
const RESERVED: &[&str] = &["kubernetes.io", "openshift.io", "microsoft", "azure", "windows"];

pub(super) fn check(azure: &Platform, catalogue: &Catalogue, out: &mut Findings) {
    let tags = &azure.user_tags;
    // A section that is not in use has no default cloud.
    let allowed = catalogue.clouds.get(&azure.cloud_name).is_some_and(|cloud| cloud.user_tags_allowed);
    if !tags.is_empty() && !allowed {
        let message = format!("clusters in the cloud {} do not support tags", shown(&azure.cloud_name));
        let finding = Finding::error(&TAGS_CLOUD, Kind::Forbidden, FIELD, message);
        out.push(finding.help("remove `userTags`"));
    }
    if tags.len() > MOST {
        let message = format!("there are {} tags, at most {MOST} are accepted", tags.len());
        let finding = Finding::error(&TAGS_MANY, Kind::TooMany, FIELD, message);
        out.push(finding.help(format!("remove {}", counted(tags.len() - MOST, "tag"))));
    }
    check_twice(tags, out);
    for (key, value) in tags {
        check_tag(key, value, out);
    }
}

/// Finds keys that Azure does not tell apart: one finding for all of them.
fn check_twice(tags: &BTreeMap<String, String>, out: &mut Findings) {
    let mut firsts: BTreeMap<String, &str> = BTreeMap::new();
    let mut same: Vec<(&str, &str)> = Vec::new();
    for key in tags.keys().map(String::as_str) {
        let first = *firsts.entry(key.chars().map(title).collect()).or_insert(key);
        if first != key {
            same.push((first, key));
        }
    }
    if let Some((first, second)) = same.first() {
        let names: Vec<String> = same.iter().map(|(first, second)| format!("{first} and {second}")).collect();
        let message = format!("Azure treats these keys as equal: {}", shortened(&names.join(", ")));
        out.push(
            Finding::error(&TAG_TWICE, Kind::Forbidden, FIELD, message)
                .at(format!("{FIELD}[{second}]"))
                .related("the first one", format!("{FIELD}[{first}]"))
                .help("keep one spelling of each key"),
        );
    }
}

/// The title case of a character, where it is a single one, as Go's `unicode.ToTitle` gives it.
///
/// Only equality counts here, so letters whose title case the standard library does not have are
/// brought together by their lower case.
fn title(c: char) -> char {
    // Georgian letters are their own title case, although they have an upper case.
    if ('\u{10d0}'..='\u{10ff}').contains(&c) {
        return c;
    }
    single(c.to_uppercase()).or_else(|| single(c.to_lowercase())).unwrap_or(c)
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    let first = chars.next()?;
    chars.next().is_none().then_some(first)
}

fn check_tag(key: &str, value: &str, out: &mut Findings) {
    let lower = key.to_ascii_lowercase();
    let finding = if !is_key(key) {
        let message = format!("{} is not a valid tag key", shown(key));
        Finding::error(&TAG_KEY, Kind::Invalid, format!("{FIELD}[{key}]"), message)
            .help("write letters, digits, `_`, `.` and `-`, beginning with a letter")
    } else if !is_value(value) {
        let message = format!("{} is not a valid tag value", shown(value));
        Finding::error(&TAG_VALUE, Kind::Invalid, format!("{FIELD}[{key}]"), message)
            .help("write 1 to 256 letters, digits and `_ + , - . / : ; < = > ? @`")
    } else if lower == "name" || RESERVED.iter().any(|reserved| lower.starts_with(reserved)) {
        let message = format!("the key {} is reserved", shown(key));
        Finding::error(&TAG_RESERVED, Kind::Invalid, format!("{FIELD}[{key}]"), message)
            .help("choose another key, such as one that begins with your organization's name")
    } else {
        return;
    };
    out.push(finding);
}

fn is_key(key: &str) -> bool {
    is_word(key, "_.-")
        && key.len() <= 128
        && key.starts_with(|c: char| c.is_ascii_alphabetic())
        && !key.ends_with(['.', '-'])
}

fn is_value(value: &str) -> bool {
    is_word(value, "_+,-./:;<=>?@") && value.len() <= 256
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_keys_and_values() {
        for good in ["a", "a_", "a-b.c_d", &"a".repeat(128)] {
            assert!(is_key(good), "{good}");
        }
        for bad in ["", "_a", "1a", "a-", "a.", "a b", "a\n", "stra\u{df}e", &"a".repeat(129)] {
            assert!(!is_key(bad), "{bad}");
        }
        assert!(is_value("a_.=+,-/:;<>?@b") && is_value(&"a".repeat(256)));
        for bad in ["", "b c", "x!y", "x*y", "[x]", "\u{fc}", &"a".repeat(257)] {
            assert!(!is_value(bad), "{bad}");
        }
    }

    #[test]
    fn keys_are_the_same_by_simple_title_case() {
        let same = |a: char, b: char| title(a) == title(b);
        assert!(same('a', 'A') && same('\u{1c6}', '\u{1c5}') && same('\u{1fb3}', '\u{1fbc}'));
        assert!(!same('\u{df}', 's') && !same('\u{10d0}', '\u{1c90}') && !same('\u{df}', '\u{1e9e}'));
    }
}
