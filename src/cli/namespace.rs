//! Names of namespaces on the command line.

/// A name as Kubernetes takes it for a namespace.
///
/// # Errors
/// A sentence that says what such a name looks like.
pub fn namespace(text: &str) -> Result<String, String> {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let right = (1..=63).contains(&text.len())
        && text.bytes().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-');
    if right {
        Ok(text.to_owned())
    } else {
        Err("use at most 63 lower-case letters, digits and hyphens, with no hyphen at either end".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_has_a_name_that_kubernetes_takes() {
        assert_eq!(namespace("landfall-1"), Ok("landfall-1".to_owned()));
        let long = "a".repeat(64);
        for wrong in ["", "-a", "a-", "A", "a.b", "a/b", long.as_str()] {
            assert!(namespace(wrong).is_err(), "{wrong}");
        }
    }
}
