//! A kubeconfig: the cluster and the user of its current context, with all that they name.

#![allow(clippy::disallowed_methods, reason = "the kubeconfig and the files that it names are read here")]

use std::fs::File;
use std::io::Read;
use std::path::Path;

use ::kube::config::{AuthInfo, Cluster, Kubeconfig};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::shortened;

/// A kubeconfig is a few kilobytes; this much is none.
const MOST: u64 = 4 << 20;

/// Why a kubeconfig cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadKubeconfig {
    /// What sort of fault it is.
    pub bad: Bad,
    /// What is wrong, as a part of a sentence that begins with the file. Nothing secret is in it.
    pub why: String,
}

/// What sort of fault keeps a kubeconfig from being used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bad {
    /// The file is not there, or cannot be read.
    Unreadable,
    /// It does not say what it must.
    Invalid,
    /// It wants a connection whose other end is not verified.
    Insecure,
}

impl BadKubeconfig {
    /// A file that does not say what it must.
    pub(super) fn invalid(why: impl Into<String>) -> Self {
        Self { bad: Bad::Invalid, why: why.into() }
    }
}

/// What the current context of a kubeconfig comes to.
pub(super) struct Current {
    pub(super) cluster: Cluster,
    pub(super) user: AuthInfo,
    /// The authorities of the cluster's server; none
    /// where the kubeconfig names none.
    pub(super) authorities: Option<Authorities>,
}

/// Reads the file's current context.
pub(super) fn read(path: &Path) -> Result<Current, BadKubeconfig> {
    let text = text(path)?;
    // The parser's own words would cite the text, which holds keys.
    let kubeconfig = Kubeconfig::from_yaml(&text);
    let kubeconfig = kubeconfig.map_err(|_| BadKubeconfig::invalid("cannot be read as a kubeconfig"))?;
    current(kubeconfig, path.parent().unwrap_or(Path::new("")))
}

/// What the service account of a pod comes to: its folder has the token and the cluster's authority.
pub(super) fn service_account(folder: &Path, host: &str, port: &str) -> Result<Current, BadKubeconfig> {
    let [token, authority] = ["token", "ca.crt"].map(|name| folder.join(name).to_string_lossy().into_owned());
    if file(&token).is_none() {
        let why = "has no token that can be read".to_owned();
        return Err(BadKubeconfig { bad: Bad::Unreadable, why });
    }
    let bracketed = host.contains(':') && !host.starts_with('[');
    let host = if bracketed { format!("[{host}]") } else { host.to_owned() };
    let cluster = Cluster {
        server: Some(format!("https://{host}:{port}")),
        certificate_authority: Some(authority),
        ..Cluster::default()
    };
    let authorities = authorities(&cluster)?;
    // The client reads the file again, once a minute.
    let user = AuthInfo { token_file: Some(token), ..AuthInfo::default() };
    Ok(Current { cluster, user, authorities })
}

/// A file's bytes; none where it cannot be read.
pub(super) fn file(path: &str) -> Option<Vec<u8>> {
    std::fs::read(path).ok()
}

fn text(path: &Path) -> Result<String, BadKubeconfig> {
    let unreadable = |fault: std::io::Error| {
        let why = match fault.kind() {
            std::io::ErrorKind::NotFound => "is not there".to_owned(),
            _ => format!("cannot be read: {fault}"),
        };
        BadKubeconfig { bad: Bad::Unreadable, why }
    };
    let opened = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    opened.take(MOST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > MOST {
        return Err(BadKubeconfig::invalid("is too large for a kubeconfig"));
    }
    String::from_utf8(bytes).map_err(|_| BadKubeconfig::invalid("is not text in UTF-8"))
}

fn current(kubeconfig: Kubeconfig, folder: &Path) -> Result<Current, BadKubeconfig> {
    let name = kubeconfig.current_context.filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| BadKubeconfig::invalid("has no current-context"))?;
    let context = kubeconfig.contexts.into_iter().find(|context| context.name == name);
    let context = context.and_then(|named| named.context).ok_or_else(|| {
        BadKubeconfig::invalid(format!("has no context `{}`, its current-context", shortened(&name)))
    })?;
    let cluster = kubeconfig.clusters.into_iter().find(|cluster| cluster.name == context.cluster);
    let mut cluster = cluster.and_then(|named| named.cluster).ok_or_else(|| {
        let name = shortened(&context.cluster);
        BadKubeconfig::invalid(format!("has no cluster `{name}`, set in its current context"))
    })?;
    let user = context.user.filter(|user| !user.is_empty());
    let mut auth = AuthInfo::default();
    if let Some(user) = user {
        let found = kubeconfig.auth_infos.into_iter().find(|auth| auth.name == user);
        let missing = || {
            let name = shortened(&user);
            BadKubeconfig::invalid(format!("has no user `{name}`, set in its current context"))
        };
        auth = found.ok_or_else(missing)?.auth_info.unwrap_or_default();
    }
    if cluster.insecure_skip_tls_verify == Some(true) {
        let name = shortened(&context.cluster);
        let why = format!("sets insecure-skip-tls-verify for the cluster `{name}`");
        return Err(BadKubeconfig { bad: Bad::Insecure, why });
    }
    resolve(&mut cluster, &mut auth, folder);
    let authorities = authorities(&cluster)?;
    if let Some(exec) = &mut auth.exec
        && exec.provide_cluster_info
    {
        exec.cluster = (&cluster).try_into().ok();
    }
    Ok(Current { cluster, user: auth, authorities })
}

/// Paths in a kubeconfig are relative to its folder. So is a program, if it is named by a path.
fn resolve(cluster: &mut Cluster, user: &mut AuthInfo, folder: &Path) {
    let from = |path: &mut Option<String>| {
        if let Some(path) = path {
            *path = folder.join(&*path).to_string_lossy().into_owned();
        }
    };
    for path in [
        &mut cluster.certificate_authority,
        &mut user.client_certificate,
        &mut user.client_key,
        &mut user.token_file,
    ] {
        // An empty value means that there is none.
        *path = path.take().filter(|path| !path.is_empty());
        from(path);
    }
    if let Some(exec) = &mut user.exec
        && exec.command.as_ref().is_some_and(|command| command.contains(std::path::MAIN_SEPARATOR))
    {
        from(&mut exec.command);
    }
}

/// Certificates that a server's own must come from.
pub(super) struct Authorities {
    /// Each in DER form.
    pub(super) certificates: Vec<Vec<u8>>,
    /// The text that they came from.
    pub(super) pem: Vec<u8>,
}

fn authorities(cluster: &Cluster) -> Result<Option<Authorities>, BadKubeconfig> {
    let data = cluster.certificate_authority_data.as_deref().filter(|data| !data.is_empty());
    let pem = match (data, &cluster.certificate_authority) {
        (Some(data), _) => STANDARD
            .decode(data.trim())
            .map_err(|_| BadKubeconfig::invalid("has certificate-authority-data that is not base64"))?,
        (None, Some(path)) => file(path).ok_or_else(|| {
            let path = shortened(path);
            BadKubeconfig::invalid(format!("has the certificate-authority {path}, which cannot be read"))
        })?,
        (None, None) => return Ok(None),
    };
    let blocks = pem::parse_many(&pem).unwrap_or_default();
    let certificates: Vec<Vec<u8>> = blocks
        .into_iter()
        .filter(|block| block.tag() == "CERTIFICATE")
        .map(pem::Pem::into_contents)
        .collect();
    if certificates.is_empty() {
        return Err(BadKubeconfig::invalid("has a certificate authority that contains no certificate"));
    }
    Ok(Some(Authorities { certificates, pem }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> Option<(Bad, String)> {
        let kubeconfig = Kubeconfig::from_yaml(text).ok()?;
        current(kubeconfig, Path::new("/here")).err().map(|refused| (refused.bad, refused.why))
    }

    const CONTEXT: &str = "contexts: [{name: a, context: {cluster: c, user: u}}]\ncurrent-context: a\n";

    #[test]
    fn what_is_missing_is_named() {
        let cluster = "clusters: [{name: c, cluster: {server: 'https://api:6443'}}]\n";
        let cases = [
            ("clusters: []\n".to_owned(), "current-context"),
            ("current-context: a\n".to_owned(), "context `a`"),
            (CONTEXT.to_owned(), "cluster `c`"),
            (format!("{CONTEXT}{cluster}"), "user `u`"),
        ];
        for (text, missing) in cases {
            let (bad, why) = judged(&text).unwrap_or((Bad::Unreadable, String::new()));
            assert!(bad == Bad::Invalid && why.contains(missing), "{bad:?} {why}");
        }
        let user = "users: [{name: u, user: {token: canary}}]\n";
        assert_eq!(judged(&format!("{CONTEXT}{cluster}{user}")), None);
    }

    #[test]
    fn a_connection_that_is_not_verified_is_refused() {
        let user = "users: [{name: u, user: {token: canary}}]\n";
        let cluster =
            "clusters: [{name: c, cluster: {server: 'https://api:6443', insecure-skip-tls-verify: true}}]\n";
        let judged = judged(&format!("{CONTEXT}{cluster}{user}"));
        assert_eq!(judged.as_ref().map(|(bad, _)| *bad), Some(Bad::Insecure));
        assert!(
            judged.is_some_and(|(_, why)| why.contains("insecure-skip-tls-verify") && why.contains("`c`"))
        );
    }

    #[test]
    fn a_pod_without_an_account_has_no_access() {
        let refused = service_account(Path::new("/no/such/folder"), "fd00::1", "443").err();
        assert_eq!(refused.map(|refused| refused.bad), Some(Bad::Unreadable));
    }

    #[test]
    fn an_authority_must_hold_a_certificate() {
        let with = |data: &str| {
            let user = "users: [{name: u, user: {}}]\n";
            let cluster = format!("clusters: [{{name: c, cluster: {{server: 'https://api', {data}}}}}]\n");
            judged(&format!("{CONTEXT}{cluster}{user}")).map(|(_, why)| why).unwrap_or_default()
        };
        let undecoded = with("certificate-authority-data: '***'");
        assert!(undecoded.contains("certificate-authority-data"), "{undecoded}");
        let empty = with("certificate-authority-data: aGVsbG8=");
        let missing = with("certificate-authority: no/such/file");
        assert!(missing.contains("/here/no/such/file"), "{missing}");
        let cases = [("no base64", undecoded), ("no certificate", empty)];
        let cases = cases.map(|(case, why)| (case.to_owned(), why));
        landfall_testing::assert_sentences("kubeconfig-authority", cases);
    }
}
