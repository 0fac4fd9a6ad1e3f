//! The ignition configs of a cluster whose DNS records the user provides: they name the machine config server by the
//! address of its load balancer, which its certificate has as well, and tell the cluster the addresses that it answers
//! with for its own names.
//!
//! openshift-install writes the same into these configs while it creates infrastructure. Whoever created them cannot
//! know the addresses.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jiff::civil::Date;
use landfall_certificates::{Names, is_for, renew};
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_model::plan::{Plan, ignition_pages as pages};
use landfall_render::ignition::{edit, served_by, text_of};
use landfall_render::{load_balancer_config, yaml};
use serde_json::Value;

use super::Ignition;
use super::files::BOOTSTRAP;

const SERVER: &str = "/opt/openshift/tls/machine-config-server.crt";
const SERVER_KEY: &str = "/opt/openshift/tls/machine-config-server.key";
const SERVER_SECRET: &str = "/opt/openshift/manifests/machine-config-server-tls-secret.yaml";
const AUTHORITY_SECRET: &str = "/opt/openshift/manifests/machine-config-server-ca-secret.yaml";
const INFRASTRUCTURE: &str = "/opt/openshift/manifests/cluster-infrastructure-02-config.yml";

/// Completes the configs with the addresses of the plan, if it has any. The certificate of `earlier`, the bootstrap
/// machine's config as an earlier run completed it, is taken again if it fits.
///
/// # Errors
/// The bootstrap machine's config does not have the authority that signs the certificate.
pub(super) fn complete(
    taken: &mut Ignition,
    plan: &Plan,
    earlier: Option<&str>,
    today: Date,
) -> Result<(), Box<Finding>> {
    let Some((name, host)) = plan.api_server() else { return Ok(()) };
    taken.bootstrap = bootstrap(&taken.bootstrap, plan, earlier, today)?;
    taken.master = Secret::new(served_by(taken.master.expose(), &name, &host));
    Ok(())
}

/// The bootstrap machine's config, completed with the addresses of the plan if it has any.
///
/// # Errors
/// The config does not have the authority that signs the certificate.
pub fn bootstrap(
    text: &Secret<String>,
    plan: &Plan,
    earlier: Option<&str>,
    today: Date,
) -> Result<Secret<String>, Box<Finding>> {
    let Some((name, host)) = plan.api_server() else { return Ok(text.clone()) };
    let addresses = plan.api_addresses();
    let missing = || Box::new(pages::no_authority(BOOTSTRAP, AUTHORITY_SECRET));
    let mut config: Value = serde_json::from_str(text.expose()).map_err(|_| missing())?;
    let authority = pair(&config, AUTHORITY_SECRET).ok_or_else(missing)?;
    let kept = earlier.and_then(|text| serde_json::from_str::<Value>(text).ok());
    let kept = kept.filter(|kept| pair(kept, AUTHORITY_SECRET).is_some_and(|other| other.0 == authority.0));
    let kept =
        kept.and_then(|kept| pair(&kept, SERVER_SECRET)).filter(|(server, _)| is_for(server, &addresses));
    let (server, key) = if let Some(kept) = kept {
        kept
    } else {
        let names = Names { domain: &plan.cluster.domain, addresses: &addresses };
        renew(names, today, &authority.0, &authority.1).map_err(|_| missing())?
    };
    edit(&mut config, SERVER, |_| Some(server.clone()));
    edit(&mut config, SERVER_KEY, |_| Some(key.clone()));
    edit(&mut config, SERVER_SECRET, |text| {
        changed(text, |secret| {
            secret["data"]["tls.crt"] = STANDARD.encode(&server).into();
            secret["data"]["tls.key"] = STANDARD.encode(&key).into();
        })
    });
    let platform = plan.config.platform.present().first().copied().unwrap_or_default();
    edit(&mut config, INFRASTRUCTURE, |text| {
        changed(text, |infrastructure| {
            let status = &mut infrastructure["status"]["platformStatus"][platform];
            status["cloudLoadBalancerConfig"] = load_balancer_config(plan);
        })
    });
    for role in ["master", "worker"] {
        let path = format!("/opt/openshift/openshift/99_openshift-cluster-api_{role}-user-data-secret.yaml");
        edit(&mut config, &path, |text| {
            changed(text, |secret| {
                let data = &mut secret["data"]["userData"];
                if let Some(pointer) = data.as_str().and_then(decoded) {
                    *data = STANDARD.encode(served_by(&pointer, &name, &host)).into();
                }
            })
        });
    }
    Ok(Secret::new(config.to_string()))
}

/// The certificate and the key of a secret that a config brings along.
fn pair(config: &Value, path: &str) -> Option<(String, String)> {
    let secret: BTreeMap<String, Value> = serde_saphyr::from_str(&text_of(config, path)?).ok()?;
    let part = |name: &str| decoded(secret.get("data")?[name].as_str()?);
    Some((part("tls.crt")?, part("tls.key")?))
}

fn decoded(text: &str) -> Option<String> {
    String::from_utf8(STANDARD.decode(text).ok()?).ok()
}

/// A manifest with a change; none if it cannot be read.
fn changed(text: &str, change: impl FnOnce(&mut Value)) -> Option<String> {
    let mut manifest: Value = serde_saphyr::from_str(text).ok()?;
    change(&mut manifest);
    Some(yaml(&manifest))
}
