//! `imageContentSources` and `imageDigestSources`: `docs/install-config.md`, section 7.8.

use std::collections::BTreeMap;
use std::net::IpAddr;

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};
use landfall_model::config::pull_secret;

use super::text::subdomain_fault;
use super::{Case, Subject, image_reference};

pub(super) const SUBJECT: Subject =
    Subject { check, pages: &[&REFERENCE, &NOT_REPOSITORY, &BOTH, &POLICY, &NO_CREDENTIALS] };

const POLICIES: &[&str] = &["NeverContactSource", "AllowContactingSource"];

/// The text is not a repository.
const REFERENCE: Page = Page {
    code: "LF0121",
    title: "sources and mirrors are image repositories",
    text: "A repository with its registry, such as `quay.io/openshift-release-dev/ocp-release`, or a \
           registry alone, such as `mirror.example.com:5000`.",
    severity: Severity::Error,
    fields: &[
        "imageContentSources[].source",
        "imageContentSources[].mirrors[]",
        "imageDigestSources[].source",
        "imageDigestSources[].mirrors[]",
    ],
    base: Base::None,
    bad: "imageDigestSources:\n- source: ocp/release\n  mirrors:\n  - registry.example.com/ocp/release\n",
    good: "imageDigestSources:\n- source: quay.io/ocp/release\n  mirrors:\n  - registry.example.com/ocp/release\n",
};
/// A tag or digest follows the repository.
const NOT_REPOSITORY: Page = Page {
    code: "LF0122",
    title: "sources and mirrors have no tag and no digest",
    text: "Mirroring is for a whole repository; leave out what follows the name.",
    severity: Severity::Error,
    fields: &[
        "imageContentSources[].source",
        "imageContentSources[].mirrors[]",
        "imageDigestSources[].source",
        "imageDigestSources[].mirrors[]",
    ],
    base: Base::None,
    bad: "imageDigestSources:\n- source: quay.io/ocp/release:4.18\n  mirrors:\n  - registry.example.com/ocp\n",
    good: "imageDigestSources:\n- source: quay.io/ocp/release\n  mirrors:\n  - registry.example.com/ocp\n",
};
/// Both forms are used.
const BOTH: Page = Page {
    code: "LF0123",
    title: "mirrors are given in one of the two forms",
    text: "`imageDigestSources` replaces `imageContentSources`; a cluster cannot have both. Rename the \
           older list.",
    severity: Severity::Error,
    fields: &["imageContentSources", "imageDigestSources"],
    base: Base::None,
    bad: "imageContentSources:\n- source: quay.io/ocp/a\n  mirrors: [registry.example.com/a]\n\
          imageDigestSources:\n- source: quay.io/ocp/b\n  mirrors: [registry.example.com/b]\n",
    good: "imageDigestSources:\n- source: quay.io/ocp/a\n  mirrors: [registry.example.com/a]\n\
           - source: quay.io/ocp/b\n  mirrors: [registry.example.com/b]\n",
};
/// The policy cannot be used.
const POLICY: Page = Page {
    code: "LF0124",
    title: "a source policy is known and stands beside mirrors",
    text: "`NeverContactSource` fails when no mirror has the image, `AllowContactingSource` goes on to the \
           source. Without mirrors there is nothing to decide.",
    severity: Severity::Error,
    fields: &["imageDigestSources[].sourcePolicy"],
    base: Base::None,
    bad: "imageDigestSources:\n- source: quay.io/ocp/a\n  sourcePolicy: NeverContactSource\n",
    good: "imageDigestSources:\n- source: quay.io/ocp/a\n  mirrors: [registry.example.com/a]\n  \
           sourcePolicy: NeverContactSource\n",
};
/// The pull secret has nothing for a mirror.
const NO_CREDENTIALS: Page = Page {
    code: "LF0125",
    title: "the pull secret has an entry for every mirror",
    text: "Without credentials the machines can pull from the mirror only if it lets everybody in.",
    severity: Severity::Warning,
    fields: &["imageContentSources[].mirrors[]", "imageDigestSources[].mirrors[]", "pullSecret"],
    base: Base::None,
    bad: "imageDigestSources:\n- source: quay.io/ocp/a\n  mirrors: [mirror.example.com/a]\n",
    good: "imageDigestSources:\n- source: quay.io/ocp/a\n  mirrors: [registry.example.com/a]\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
    let config = case.config;
    if config.image_content_sources.is_empty() && config.image_digest_sources.is_empty() {
        return;
    }
    let registries = pull_secret::parse(config.pull_secret.expose()).unwrap_or_default().0;
    for (i, entry) in config.image_content_sources.iter().enumerate() {
        let path = format!("imageContentSources[{i}]");
        check_entry(&path, &entry.source, &entry.mirrors, &registries, out);
    }
    for (i, entry) in config.image_digest_sources.iter().enumerate() {
        let path = format!("imageDigestSources[{i}]");
        check_entry(&path, &entry.source, &entry.mirrors, &registries, out);
        let field = || format!("{path}.sourcePolicy");
        let policy = entry.source_policy.as_str();
        if !policy.is_empty() && entry.mirrors.is_empty() {
            let message = "a source policy has no meaning without mirrors";
            let help = "add `mirrors:`, or remove `sourcePolicy`";
            out.push(Finding::error(&POLICY, Kind::Invalid, field(), message).help(help));
        }
        if !policy.is_empty() && !POLICIES.contains(&policy) {
            let mut finding = Finding::not_supported(&POLICY, field(), policy, POLICIES);
            finding.kind = Kind::Invalid;
            out.push(finding);
        }
    }
    if !config.image_content_sources.is_empty() && !config.image_digest_sources.is_empty() {
        let message = "`imageContentSources` and `imageDigestSources` cannot be used together";
        out.push(
            Finding::error(&BOTH, Kind::Invalid, "imageContentSources", message)
                .help("move these entries to `imageDigestSources`")
                .related("the newer form is here", "imageDigestSources"),
        );
    }
}

fn check_entry(
    path: &str,
    source: &str,
    mirrors: &[String],
    registries: &BTreeMap<String, Vec<String>>,
    out: &mut Findings,
) {
    check_repository(|| format!("{path}.source"), source, out);
    for (j, mirror) in mirrors.iter().enumerate() {
        let field = || format!("{path}.mirrors[{j}]");
        let host = mirror.split('/').next().unwrap_or(mirror);
        // An entry of the pull secret names a registry, or a path in it.
        let paths = mirror.match_indices('/').map(|(at, _)| &mirror[..at]);
        let known = paths.chain([mirror.as_str()]).any(|path| registries.contains_key(path));
        if check_repository(field, mirror, out) && !known && !registries.is_empty() {
            let message = format!("the pull secret has no entry for `{}`", shortened(host));
            let help = "add the mirror's credentials to the pull secret, if it asks for any";
            out.push(Finding::warning(&NO_CREDENTIALS, Kind::Invalid, field(), message).help(help));
        }
    }
}

fn check_repository(field: impl Fn() -> String, text: &str, out: &mut Findings) -> bool {
    let shown = || shortened(text);
    let help = "write registry/path, such as quay.io/openshift-release-dev/ocp-release";
    let (page, message) = match image_reference::parse(text) {
        Ok(reference) if reference.canonical && reference.name_only => return true,
        Ok(reference) if reference.canonical => {
            (&NOT_REPOSITORY, format!("`{}` has a tag or digest; a repository is wanted", shown()))
        }
        Ok(_) if is_host(without_port(text)) => return true,
        Ok(_) => (&REFERENCE, format!("`{}` does not name its registry", shown())),
        Err(_) if text.is_empty() => (&REFERENCE, "a repository is missing".to_owned()),
        Err(fault) => (&REFERENCE, format!("`{}` is not an image repository: {fault}", shown())),
    };
    out.push(Finding::error(page, Kind::Invalid, field(), message).help(help));
    false
}

/// What stands before the port, if there is one colon.
fn without_port(text: &str) -> &str {
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => host,
        _ => text,
    }
}

fn is_host(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok() || subdomain_fault(text).is_none()
}
