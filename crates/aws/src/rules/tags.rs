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

/// Keys that the EBS driver sets itself, and does not start with.
const DRIVERS: [&str; 3] = ["CSIVolumeName", "CSIVolumeSnapshotName", "ebs.csi.aws.com/cluster"];

/// The tags that the installer takes, and a service of AWS, or the cluster that they are copied to, does not: the
/// pattern of the `Infrastructure` object has no blank but the space.
pub(in super::super) fn unfit(platform: &Platform) -> Vec<Finding> {
    let copied = platform.propagate_user_tags;
    let fault = |(key, value): (&String, &String)| {
        let has = |unfit: fn(char) -> bool| key.contains(unfit) || value.contains(unfit);
        let (what, help) = if key.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("aws:")) {
            ("has a key that is reserved for AWS", "use another key")
        } else if has(|c| matches!(c, ',' | ';' | '<' | '>' | '?')) {
            ("contains one of `, ; < > ?`, which IAM and S3 do not accept", "use other characters")
        } else if copied && has(|c| c != ' ' && is_separator(c)) {
            let help = "use a space, or remove propagateUserTags";
            ("contains a whitespace character other than the space", help)
        } else if copied && DRIVERS.contains(&key.as_str()) {
            ("has a key of the EBS driver", "use another key, or remove propagateUserTags")
        } else {
            return None;
        };
        let (field, message) =
            (format!("platform.aws.userTags[{key}]"), format!("the tag `{}` {what}", shortened(key)));
        Some(Finding::error(&TAG, Kind::Invalid, field, message).help(help))
    };
    platform.user_tags.iter().filter_map(fault).collect()
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
