//! Forms of text that several rules ask for.

/// Why `name` is not an RFC 1123 subdomain in lower case; none if it is one.
///
/// A subdomain has 1 to 253 bytes: labels of letters, digits and dashes that begin and end with a letter
/// or digit, joined by single dots. A label may be longer than 63 (`docs/install-config.md`, section 7).
#[must_use]
pub fn subdomain_fault(name: &str) -> Option<String> {
    const MOST: usize = 253;
    let mut faults = Vec::new();
    if name.len() > MOST {
        faults.push(format!("it has {} bytes, at most {MOST} are accepted", name.len()));
    }
    if !name.split('.').all(is_label) {
        faults.push(
            "it must consist of lower-case letters, digits, `-` and `.`, and begin and end with a letter \
             or digit, as does each part between dots"
                .to_owned(),
        );
    }
    (!faults.is_empty()).then(|| faults.join("; "))
}

fn is_label(label: &str) -> bool {
    let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    !label.is_empty() && label.bytes().all(inner) && !label.starts_with('-') && !label.ends_with('-')
}

/// Whether a text consists of ASCII letters, digits and the given other characters, and is not empty.
#[must_use]
pub fn is_word(text: &str, others: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || others.contains(c))
}

#[cfg(test)]
mod tests {
    use super::subdomain_fault;

    #[test]
    fn tells_subdomains() {
        for good in ["a", "a.b-c.d", "0", &"a".repeat(253)] {
            assert_eq!(subdomain_fault(good), None, "{good}");
        }
        for bad in ["", "A", "a..b", "-a", "a-", ".a", "a.", "a_b", &"a".repeat(254)] {
            assert!(subdomain_fault(bad).is_some(), "{bad}");
        }
    }
}
