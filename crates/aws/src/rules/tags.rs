//! User tags: `docs/install-config.md`, section 10.5.

use landfall_diagnostics::{Code, Finding, Findings, Kind, counted, shortened};
use landfall_model::aws::config::Platform;

/// Too many tags.
pub const COUNT: Code = Code::new("LF0430");
/// A tag cannot be used.
pub const TAG: Code = Code::new("LF0431");

const MOST: usize = 25;

pub(super) fn check(platform: &Platform, out: &mut Findings) {
    let tags = &platform.user_tags;
    if tags.len() > MOST {
        let message = format!("{} user tags, at most {MOST} are accepted", tags.len());
        let finding = Finding::error(&COUNT, Kind::TooMany, "platform.aws.userTags", message);
        out.push(finding.help(format!("remove {}", counted(tags.len() - MOST, "tag"))));
    }
    for (key, value) in tags {
        if let Some(message) = tag_fault(key, value) {
            let finding =
                Finding::error(&TAG, Kind::Invalid, format!("platform.aws.userTags[{key}]"), message);
            out.push(finding.help("choose another key or value"));
        }
    }
}

/// What of the tags the cluster's `Infrastructure` object does not take, to which they are copied: its pattern has no
/// blank but the space, where AWS and the installer take those of any script.
pub(in super::super) fn unfit(platform: &Platform) -> Vec<Finding> {
    if !platform.propagate_user_tags {
        return Vec::new();
    }
    let strange = |text: &str| text.chars().any(|c| c != ' ' && is_separator(c));
    let tags = platform.user_tags.iter().filter(|(key, value)| strange(key) || strange(value));
    tags.map(|(key, _)| {
        let message =
            format!("the tag `{}` contains a whitespace character other than the space", shortened(key));
        Finding::error(&TAG, Kind::Invalid, format!("platform.aws.userTags[{key}]"), message)
            .help("use a space, or remove propagateUserTags")
    })
    .collect()
}

fn tag_fault(key: &str, value: &str) -> Option<String> {
    let shown = shortened(key);
    let fault = if key.eq_ignore_ascii_case("name") {
        format!("the key `{shown}` is reserved: the cluster names its resources with it")
    } else if !key.chars().all(is_accepted) {
        format!("the key `{shown}` contains a character that is not allowed in tags")
    } else if !value.chars().all(is_accepted) {
        format!("the value `{}` contains a character that is not allowed in tags", shortened(value))
    } else if key.is_empty() {
        "the key is empty".to_owned()
    } else if key.len() > 128 {
        format!("the key `{shown}` has {} bytes, at most 128 are accepted", key.len())
    } else if value.is_empty() {
        format!("the tag `{shown}` has no value")
    } else if value.len() > 256 {
        format!("the value of `{shown}` has {} bytes, at most 256 are accepted", value.len())
    } else if belongs_to(key, "kubernetes") || belongs_to(key, "openshift") {
        format!("the key `{shown}` is reserved for the cluster")
    } else {
        return None;
    };
    Some(fault)
}

/// ASCII letters, digits, underscore, what stands between `+` and `@`, and blanks of any script.
fn is_accepted(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || ('+'..='@').contains(&c) || is_separator(c)
}

/// Unicode's category Z.
fn is_separator(c: char) -> bool {
    matches!(
        c,
        ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}'
    )
}

/// Whether a key is below `<owner>.io/` or a subdomain of it. The character before `io` may be any, also a slash, as
/// in the OpenShift installer's pattern.
fn belongs_to(key: &str, owner: &str) -> bool {
    let is_owners = |name: &str| {
        let mut rest = name.strip_prefix(owner).unwrap_or_default().chars();
        rest.next().is_some() && rest.as_str().starts_with("io/")
    };
    let domain = key.split('/').next().unwrap_or_default();
    let dots = domain.match_indices('.').map(|(at, dot)| at + dot.len());
    std::iter::once(0).chain(dots).any(|at| key.get(at..).is_some_and(is_owners))
}

#[cfg(test)]
mod tests {
    use super::tag_fault;

    #[test]
    fn refuses_what_belongs_to_the_cluster() {
        for key in [
            "Name",
            "kubernetes.io/x",
            "a.b.openshift.io/",
            "kubernetesXio/x",
            "kubernetes/io/x",
            "a.openshift/io/x",
        ] {
            assert!(tag_fault(key, "v").is_some(), "{key}");
        }
        for key in ["kubernetes.io", "xkubernetes.io/a", "team", "kubernetes.iox/a", "a/kubernetes.io/b"] {
            assert_eq!(tag_fault(key, "v"), None, "{key}");
        }
    }
}
