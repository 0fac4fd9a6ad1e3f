//! The certificates of a cluster: kept from an earlier run or put there by the user, else made.

use landfall_certificates::{Names, is_for, issue, together};
use landfall_model::plan::Plan;
use landfall_render::{File, Tls};

use super::{Environment, Error};
use landfall_workdir::ClusterDir;

const ROOT: &str = "auth/tls/root-ca.crt";
const ROOT_KEY: &str = "auth/tls/root-ca.key";
const SERVER: &str = "auth/tls/machine-config-server.crt";
const SERVER_KEY: &str = "auth/tls/machine-config-server.key";

/// The certificates, and the files that keep them for the next run.
pub(super) fn keys(cluster: &ClusterDir, plan: &Plan, world: Environment) -> Result<(Tls, Vec<File>), Error> {
    let addresses = plan.api_addresses();
    if let Some(found) = kept(cluster)?
        && is_for(&found.0.machine_config_server, &addresses)
    {
        return Ok(found);
    }
    let names = Names { domain: &plan.cluster.domain, addresses: &addresses };
    let signer = plan.config.pki.as_ref().map(|pki| &pki.signer_certificates.key);
    let tls = issue(names, world.today(), signer)?;
    let files = files(&tls);
    Ok((tls, files))
}

fn kept(cluster: &ClusterDir) -> Result<Option<(Tls, Vec<File>)>, Error> {
    let text = |path: &str| -> Result<Option<String>, Error> {
        Ok(cluster.read(path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    };
    let parts = (text(ROOT)?, text(SERVER)?, text(SERVER_KEY)?, text(ROOT_KEY)?);
    let (Some(root_ca), Some(machine_config_server), Some(key), root_key) = parts else {
        return Ok(None);
    };
    let tls = together(root_ca, root_key, machine_config_server, key);
    let files = files(&tls);
    Ok(Some((tls, files)))
}

fn files(tls: &Tls) -> Vec<File> {
    let mut files = vec![
        File::secret(ROOT, tls.root_ca.as_str()),
        File::secret(SERVER, tls.machine_config_server.as_str()),
        File::secret(SERVER_KEY, tls.machine_config_server_key.expose().as_str()),
    ];
    if let Some(key) = &tls.root_key {
        files.push(File::secret(ROOT_KEY, key.expose().as_str()));
    }
    files
}
