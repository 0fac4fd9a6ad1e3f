//! What may be a name.

use landfall_diagnostics::shortened;

use super::{Refusal, Why};

/// The longest name of an entry.
const LONGEST: usize = 63;
/// The longest name of an object.
const LONGEST_OF_OBJECT: usize = 253;

/// Whether a name of an object is one that DNS knows as a subdomain.
pub(super) fn is_subdomain(name: &str) -> bool {
    let is_label = |label: &str| {
        label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
            && !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    name.len() <= LONGEST_OF_OBJECT && name.split('.').all(is_label)
}

/// Refuses a name of an entry that is empty or has odd characters.
pub(super) fn check(field: &str, name: &str, refusals: &mut Vec<Refusal>) {
    if name.is_empty() {
        refusals.push(Refusal::new(field, Why::Required, "a text must be given"));
    } else if !is_name(name) {
        let message = format!(
            "`{}` is not accepted: at most {LONGEST} letters, digits, `-`, `_`, `.`, no sign at an end",
            shortened(name)
        );
        refusals.push(Refusal::new(field, Why::Invalid, message));
    }
}

/// Whether a name of an entry has no odd characters.
pub(super) fn is_name(name: &str) -> bool {
    let mut ends = name.bytes().next().into_iter().chain(name.bytes().next_back());
    (1..=LONGEST).contains(&name.len())
        && ends.all(|b| b.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_entries() {
        for name in ["a", "M5.large", "suse-chost", "a_b", &"x".repeat(63)] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "-a", "a.", "a b", "a/b", "ä", &"x".repeat(64)] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn names_of_objects() {
        for name in ["a", "a-b.c", "1"] {
            assert!(is_subdomain(name), "{name}");
        }
        for name in ["", "A", "a_b", "-a", "a.", "a..b", &"a".repeat(254)] {
            assert!(!is_subdomain(name), "{name}");
        }
    }
}
