//! What in the catalogue of Azure contradicts itself, or cannot be used.

use landfall_diagnostics::secret::without_user;
use landfall_diagnostics::shortened;

use super::{Catalogue, Cloud};
use crate::catalogue::value::{Fault, Wrong, architecture_fault};

impl Catalogue {
    /// What contradicts itself among the clouds and sizes.
    pub(super) fn contradictions(&self) -> Vec<Fault> {
        let mut faults = Vec::new();
        if !self.default_cloud.is_empty() && !self.clouds.contains_key(&self.default_cloud) {
            let message = format!("the default cloud `{}` is not a key of azure.clouds", self.default_cloud);
            faults.push(Fault::new(Wrong::Reference, &["azure", "defaultCloud"], message));
        }
        for (name, cloud) in &self.clouds {
            for (key, url) in endpoints(cloud) {
                if !url.is_empty() && !has_secure_host(url) {
                    let shown = shortened(&without_user(url));
                    let message = format!("`{shown}` is not a URL that begins with https:// and a host");
                    faults.push(Fault::new(Wrong::Choice, &["azure", "clouds", name, key], message));
                }
            }
        }
        for (name, size) in &self.sizes {
            let path = ["azure", "sizes", name, "architecture"];
            faults.extend(architecture_fault(&path, &size.architecture));
        }
        for architecture in self.default_sizes.keys() {
            faults.extend(architecture_fault(&["azure", "defaultSizes", architecture], architecture));
        }
        faults
    }
}

/// The endpoints of a cloud that are called, or that files have, by their keys.
fn endpoints(cloud: &Cloud) -> [(&'static str, &str); 6] {
    [
        ("resourceManagerEndpoint", &cloud.resource_manager_endpoint),
        ("activeDirectoryAuthority", &cloud.active_directory_authority),
        ("microsoftGraphEndpoint", cloud.microsoft_graph_endpoint.as_deref().unwrap_or_default()),
        ("legacyGraphEndpoint", &cloud.legacy_graph_endpoint),
        ("keyVaultEndpoint", &cloud.key_vault_endpoint),
        ("serviceManagementEndpoint", &cloud.service_management_endpoint),
    ]
}

/// Whether a text is `https://` and a host, with whatever follows.
fn has_secure_host(url: &str) -> bool {
    let host = url.strip_prefix("https://").and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| {
        !host.is_empty() && !host.starts_with(':') && !host.contains(|c: char| c.is_whitespace() || c == '@')
    })
}
