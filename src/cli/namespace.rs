//! Names of namespaces and of objects in them on the command line.

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

/// A name as Kubernetes takes it for a `ConfigMap`.
///
/// # Errors
/// A sentence that says what such a name looks like.
pub fn object_name(text: &str) -> Result<String, String> {
    let is_part = |part: &str| {
        let ends =
            |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        part.bytes().all(inner) && ends(part.bytes().next()) && ends(part.bytes().last())
    };
    if text.len() <= 253 && text.split('.').all(is_part) {
        return Ok(text.to_owned());
    }
    Err("use at most 253 lower-case letters, digits, hyphens and dots, with a letter or digit at both ends of \
         each part"
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_has_a_name_that_kubernetes_takes() {
        for name in ["cloud-conf", "a", "cloud.config-1.x", &"a".repeat(253)] {
            assert_eq!(object_name(name).as_deref(), Ok(name));
        }
        for wrong in ["", ".a", "a.", "a..b", "-a", "a-", "a-.b", "A", "a/b", &"a".repeat(254)] {
            assert!(object_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_namespace_has_a_name_that_kubernetes_takes() {
        assert_eq!(namespace("landfall-1"), Ok("landfall-1".to_owned()));
        let long = "a".repeat(64);
        for wrong in ["", "-a", "a-", "A", "a.b", "a/b", long.as_str()] {
            assert!(namespace(wrong).is_err(), "{wrong}");
        }
    }
}
