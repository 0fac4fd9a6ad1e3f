//! What the OpenShift installer's program is given: the manifests of the cluster, and what of it is secret.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::secret::{Scrub, Secret, SecretUrl};
use landfall_install_config::assets;
use landfall_model::config::InstallConfig;
use landfall_model::plan::Plan;
use landfall_render::{Extras, File};
use serde_json::{Map, Value};

use super::program;
use crate::Error;
use landfall_workdir::{ClusterDir, fingerprint};

/// The manifests of a cluster as they lie in its directory, or will.
pub(super) struct Manifests {
    /// Their bytes by path, without those that the program makes itself.
    pub(super) files: BTreeMap<String, Vec<u8>>,
    /// Those that were edited and that the program makes itself.
    pub(super) lost: Vec<String>,
}

impl Manifests {
    /// The manifests, with the user's edits and additions.
    ///
    /// # Errors
    /// One of them cannot be read.
    pub(super) fn of(cluster: &ClusterDir, plan: &Plan, extras: &Extras<'_>) -> Result<Self, Error> {
        let is_manifest =
            |file: &File| file.path.starts_with("manifests/") || file.path.starts_with("openshift/");
        let rendered = assets::files(plan, extras).into_iter().filter(is_manifest);
        let mut files: BTreeMap<String, Vec<u8>> = rendered.map(|file| (file.path, file.bytes)).collect();
        let mut lost = Vec::new();
        for path in cluster.edited()?.into_iter().chain(cluster.extra()?) {
            let Some(bytes) = cluster.read(&path)? else {
                continue;
            };
            let differs = files.get(&path).is_none_or(|rendered| *rendered != bytes);
            if differs && program::OWN.contains(&path.as_str()) {
                lost.push(path);
            } else {
                files.insert(path, bytes);
            }
        }
        // One with another version than the program's own would have the program make all of the folder anew.
        for path in program::OWN.into_iter().chain([program::NOTE]) {
            files.remove(path);
        }
        Ok(Self { files, lost })
    }

    /// A fingerprint of everything that the ignition files are made of.
    pub(super) fn print(&self, config: &[u8], plan: &Plan) -> String {
        let identity = &plan.identity;
        let fixed = [config, identity.infra_id.as_bytes(), identity.cluster_id.as_bytes()];
        let files = self.files.iter().flat_map(|(path, bytes)| [path.as_bytes(), bytes.as_slice()]);
        fingerprint(fixed.into_iter().chain(files))
    }
}

/// The secrets that the program is given.
pub(super) fn scrub(plan: &Plan, extras: &Extras<'_>) -> Scrub {
    let mut scrub = Scrub::default();
    hide_secrets(&plan.config, &mut scrub);
    for secret in extras.credentials.values() {
        scrub.hide(secret);
    }
    scrub
}

/// Hides every secret of a config.
pub fn hide_secrets(config: &InstallConfig, scrub: &mut Scrub) {
    scrub.hide(&config.pull_secret);
    let pull_secret: Value = serde_json::from_str(config.pull_secret.expose()).unwrap_or_default();
    let registries = pull_secret["auths"].as_object().into_iter().flat_map(Map::values);
    for auth in registries.filter_map(|registry| registry["auth"].as_str()) {
        scrub.hide(&Secret::new(auth.to_owned()));
        let login = STANDARD.decode(auth).ok().and_then(|login| String::from_utf8(login).ok());
        hide_login(scrub, &login.unwrap_or_default());
    }
    if config.ssh_key.expose().contains("PRIVATE KEY") {
        scrub.hide(&config.ssh_key);
    }
    let proxies = config.proxy.iter().flat_map(|proxy| [&proxy.http_proxy, &proxy.https_proxy]);
    let mut urls: Vec<&str> = proxies.map(SecretUrl::expose).collect();
    urls.extend(config.platform.secret_urls().into_iter().map(|(_, url)| url));
    let fencing = config.pools().flat_map(|(_, pool)| &pool.fencing).flat_map(|fencing| &fencing.credentials);
    for credential in fencing {
        scrub.hide(&credential.password);
        urls.push(credential.address.expose());
    }
    for url in urls {
        let (_, rest) = url.split_once("://").unwrap_or_default();
        if let Some((login, _)) = rest.rsplit_once('@') {
            hide_login(scrub, login);
        }
    }
}

/// Hides a user and password, together and the password alone.
fn hide_login(scrub: &mut Scrub, login: &str) {
    let password = login.split_once(':').map_or("", |(_, password)| password);
    for secret in [login, password] {
        scrub.hide(&Secret::new(secret.to_owned()));
    }
}
