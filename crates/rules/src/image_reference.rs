//! Names of image repositories, as the distribution project's reference grammar has them.
//!
//! <https://github.com/distribution/reference/blob/main/reference.go> gives the grammar. What rules need
//! is less than a reference library: whether a text is one, whether it is spelled in full, and whether a
//! tag or digest follows the name.

/// The longest name.
const LONGEST: usize = 255;

/// A text that is an image reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Whether the text names its registry and is the full form of itself.
    pub canonical: bool,
    /// Whether nothing follows the name.
    pub name_only: bool,
}

/// Reads a reference.
///
/// # Errors
/// What is wrong.
pub fn parse(text: &str) -> Result<Reference, String> {
    if text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
        return Err("64 hexadecimal digits are an image ID, not a name".to_owned());
    }
    let (registry, remainder, named) = match text.split_once('/') {
        Some((first, rest)) if is_registry_like(first) => (first, rest.to_owned(), true),
        _ => ("docker.io", text.to_owned(), false),
    };
    let (registry, renamed) =
        if registry == "index.docker.io" { ("docker.io", true) } else { (registry, false) };
    let short = registry == "docker.io" && !remainder.contains('/');
    let remainder = if short { format!("library/{remainder}") } else { remainder };
    let (rest, digest) = match remainder.split_once('@') {
        Some((rest, digest)) => (rest, Some(digest)),
        None => (remainder.as_str(), None),
    };
    let (path, tag) = match rest.split_once(':') {
        Some((path, tag)) => (path, Some(tag)),
        None => (rest, None),
    };
    // A name that no host can have (`my_registry.example.com`) is the first part of a path to the grammar.
    if !is_registry(registry) && !is_path_part(registry) {
        return Err("its registry is not a host name with an optional port".to_owned());
    }
    if !path.split('/').all(is_path_part) {
        return Err(
            "its path may contain lower-case letters, digits, and single separators between them".to_owned()
        );
    }
    if registry.len() + 1 + path.len() > LONGEST {
        return Err(format!("its name has more than {LONGEST} bytes"));
    }
    if tag.is_some_and(|tag| !is_tag(tag)) {
        return Err("its tag has a character that is not allowed, or more than 128".to_owned());
    }
    if digest.is_some_and(|digest| !is_digest(digest)) {
        return Err("its digest is not an algorithm, a colon and the right number of digits".to_owned());
    }
    Ok(Reference { canonical: named && !renamed && !short, name_only: tag.is_none() && digest.is_none() })
}

/// Whether the first part of a path is meant as a registry.
fn is_registry_like(first: &str) -> bool {
    first.contains(['.', ':']) || first == "localhost"
}

fn is_registry(text: &str) -> bool {
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let is_part = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !part.starts_with('-')
            && !part.ends_with('-')
    };
    host.split('.').all(is_part)
        && port.is_none_or(|port| !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()))
}

/// Runs of letters and digits joined by one of `.`, `_`, `__`, or any number of dashes.
fn is_path_part(part: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = part.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    is_word(*first)
        && is_word(*last)
        && part.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()).all(|separator| {
            ["", ".", "_", "__"].contains(&separator) || separator.bytes().all(|b| b == b'-')
        })
}

fn is_tag(tag: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    tag.len() <= 128
        && tag.bytes().next().is_some_and(is_word)
        && tag.bytes().all(|b| is_word(b) || b == b'.' || b == b'-')
}

fn is_digest(digest: &str) -> bool {
    let Some((algorithm, hex)) = digest.split_once(':') else {
        return false;
    };
    let length = match algorithm {
        "sha256" => 64,
        "sha384" => 96,
        "sha512" => 128,
        _ => return false,
    };
    hex.len() == length && hex.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::{Reference, parse};

    #[test]
    fn reads_references() {
        let full = |name_only| Ok(Reference { canonical: true, name_only });
        let short = |name_only| Ok(Reference { canonical: false, name_only });
        assert_eq!(parse("quay.io/a/b"), full(true));
        assert_eq!(parse("quay.io:443/a/b__c--d:v1"), full(false));
        assert_eq!(parse("localhost/a"), full(true));
        assert_eq!(parse("release"), short(true));
        assert_eq!(parse("REGISTRY.test/a"), full(true));
        assert_eq!(parse("registry.test:5000"), short(false));
        assert_eq!(parse("docker.io/x"), short(true));
        assert_eq!(parse("docker.io/library/x"), full(true));
        assert_eq!(parse(&format!("quay.io/a@sha256:{}", "0".repeat(64))), full(false));
        assert_eq!(parse("my_registry.example.com/a/b"), full(true));
        // A part of a path has no capitals.
        for wrong in [
            "",
            "QUAY",
            "QUAY/a/b",
            "QUAY/A/b",
            "my_registry:5000/a/b",
            "quay.io/",
            "quay.io/A",
            "quay.io/a_-b",
            "-x.test/a",
            "quay.io/a:",
            "quay.io/a@sha256:0",
            "a b",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
