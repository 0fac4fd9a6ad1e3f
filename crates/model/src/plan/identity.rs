//! The ids of a cluster: `assets.md`, A.1.

use aws_lc_rs::digest::{SHA256, digest};
use serde::Serialize;

/// The ids of a cluster. They are made once and then kept in its directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// Infrastructure id: part of every resource's name, and the key of its ownership tag.
    #[serde(rename = "infraID")]
    pub infra_id: String,
    /// UUID of the cluster.
    #[serde(rename = "clusterID")]
    pub cluster_id: String,
}

impl Identity {
    /// Five lower-case letters that belong to the cluster, for names that must be unique in the world.
    #[must_use]
    pub fn letters(&self) -> String {
        let digest = digest(&SHA256, format!("{} {}", self.infra_id, self.cluster_id).as_bytes());
        digest.as_ref().iter().take(5).map(|byte| char::from(b'a' + byte % 26)).collect()
    }

    /// The largest infrastructure id, in characters.
    pub const LONGEST: usize = 27;
}

/// The characters of the random part of an infrastructure id.
pub const ALPHABET: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// The characters of the random part.
pub const RANDOM: usize = 5;

/// The part of an infrastructure id that comes from the cluster's name, with its final dash.
#[must_use]
pub fn infra_id_prefix(name: &str) -> String {
    let mut prefix = String::new();
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() { c } else { '-' };
        if c != '-' || !prefix.ends_with('-') {
            prefix.push(c);
        }
    }
    prefix.truncate(Identity::LONGEST - RANDOM - 1);
    let mut prefix = prefix.trim_end_matches('-').to_owned();
    prefix.push('-');
    prefix
}

/// Whether a text is an infrastructure id that a cluster of this name can have.
#[must_use]
pub fn is_infra_id_of(text: &str, name: &str) -> bool {
    let random = text.strip_prefix(&infra_id_prefix(name));
    is_infra_id(text) && random.is_some_and(|random| random.len() == RANDOM && !random.contains('-'))
}

/// Whether a text can be an infrastructure id.
#[must_use]
pub fn is_infra_id(text: &str) -> bool {
    let fit = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    text.len() <= Identity::LONGEST
        && text.starts_with(fit)
        && text.ends_with(fit)
        && text.chars().all(|c| fit(c) || c == '-')
}

/// The UUID of a cluster whose infrastructure id the user fixed: the same for the same id and domain, so
/// that its files are, too. A UUID of version 8 (RFC 9562), made of a SHA-256 digest.
#[must_use]
pub fn cluster_id_of(infra_id: &str, domain: &str) -> String {
    let digest = digest(&SHA256, format!("landfall cluster {infra_id} {domain}").as_bytes());
    let mut bytes = [0_u8; 16];
    for (to, from) in bytes.iter_mut().zip(digest.as_ref()) {
        *to = *from;
    }
    uuid::Builder::from_custom_bytes(bytes).into_uuid().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_installer_in_the_prefix() {
        let vectors = include_str!("../../../../testdata/infraid-vectors.json");
        let vectors: std::collections::BTreeMap<String, String> =
            serde_json::from_str(vectors).unwrap_or_default();
        assert!(vectors.len() > 10);
        for (name, prefix) in vectors {
            assert_eq!(infra_id_prefix(&name), prefix, "{name}");
        }
    }

    #[test]
    fn an_id_is_of_a_cluster_by_its_name() {
        assert!(is_infra_id_of("demo-bcd24", "demo") && is_infra_id_of("a-b-bcd24", "a.b"));
        for other in ["demo", "demo-", "demo-bcd2", "demo-x-bcd24", "other-bcd24", "demo-bcd24x"] {
            assert!(!is_infra_id_of(other, "demo"), "{other}");
        }
    }

    #[test]
    fn a_fixed_id_gives_a_fixed_uuid() {
        let one = cluster_id_of("a-bcd24", "a.example.com");
        assert_eq!(one, cluster_id_of("a-bcd24", "a.example.com"));
        assert_ne!(one, cluster_id_of("a-bcd25", "a.example.com"));
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "8");
    }
}
