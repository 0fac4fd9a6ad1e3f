//! The certificates of a cluster: kept from an earlier run or put there by the user, else made.

use landfall_diagnostics::secret::Secret;
use landfall_render::{File, Tls};

use super::{Environment, Error};
use crate::tls;
use crate::workdir::ClusterDir;

const ROOT: &str = "auth/tls/root-ca.crt";
const ROOT_KEY: &str = "auth/tls/root-ca.key";
const SERVER: &str = "auth/tls/machine-config-server.crt";
const SERVER_KEY: &str = "auth/tls/machine-config-server.key";

/// The certificates, and the files that keep them for the next run.
pub(super) fn keys(
    cluster: &ClusterDir,
    domain: &str,
    world: Environment,
) -> Result<(Tls, Vec<File>), Error> {
    if let Some(found) = kept(cluster)? {
        return Ok(found);
    }
    let issued = tls::issue(domain, world.today())?;
    let files = files(&issued.tls, issued.root_key.expose());
    Ok((issued.tls, files))
}

fn kept(cluster: &ClusterDir) -> Result<Option<(Tls, Vec<File>)>, Error> {
    let text = |path: &str| -> Result<Option<String>, Error> {
        Ok(cluster.read(path)?.and_then(|bytes| String::from_utf8(bytes).ok()))
    };
    let parts = (text(ROOT)?, text(SERVER)?, text(SERVER_KEY)?, text(ROOT_KEY)?);
    let (Some(root_ca), Some(machine_config_server), Some(key), root_key) = parts else {
        return Ok(None);
    };
    let tls = Tls { root_ca, machine_config_server, machine_config_server_key: Secret::new(key) };
    let files = files(&tls, root_key.as_deref().unwrap_or_default());
    Ok(Some((tls, files)))
}

fn files(tls: &Tls, root_key: &str) -> Vec<File> {
    let mut files = vec![
        File::secret(ROOT, tls.root_ca.as_str()),
        File::secret(SERVER, tls.machine_config_server.as_str()),
        File::secret(SERVER_KEY, tls.machine_config_server_key.expose().as_str()),
    ];
    if !root_key.is_empty() {
        files.push(File::secret(ROOT_KEY, root_key));
    }
    files
}
