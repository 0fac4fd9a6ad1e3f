//! `imageContentSources` and `imageDigestSources`: `docs/install-config.md`, section 7.8.

use std::collections::BTreeMap;
use std::net::IpAddr;

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::config::pull_secret;

use super::text::subdomain_fault;
use super::{Case, image_reference};

const POLICIES: &[&str] = &["NeverContactSource", "AllowContactingSource"];

/// The text is not a repository.
const REFERENCE: Code = Code::new("LF0121");
/// A tag or digest follows the repository.
const NOT_REPOSITORY: Code = Code::new("LF0122");
/// Both forms are used.
const BOTH: Code = Code::new("LF0123");
/// The policy cannot be used.
const POLICY: Code = Code::new("LF0124");
/// The pull secret has nothing for a mirror.
const NO_CREDENTIALS: Code = Code::new("LF0125");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
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
            let message = "a source policy needs mirrors";
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
            let help = "add the mirror's credentials to the pull secret, if it needs any";
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
            (&NOT_REPOSITORY, format!("`{}` has a tag or digest; a repository is required", shown()))
        }
        Ok(_) if is_host(without_port(text)) => return true,
        Ok(_) => (&REFERENCE, format!("`{}` has no registry", shown())),
        Err(_) if text.is_empty() => (&REFERENCE, "a repository is missing".to_owned()),
        Err(fault) => (&REFERENCE, format!("`{}` is not an image repository: {fault}", shown())),
    };
    out.push(Finding::error(page, Kind::Invalid, field(), message).help(help));
    false
}

/// The text before the port, if there is one colon.
fn without_port(text: &str) -> &str {
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => host,
        _ => text,
    }
}

fn is_host(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok() || subdomain_fault(text).is_none()
}
