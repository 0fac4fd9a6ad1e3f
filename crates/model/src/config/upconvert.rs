//! Older forms of the neutral fields brought up to date: `docs/install-config.md`, section 5.

use landfall_diagnostics::{Code, Finding, Kind};

use super::value::Network;
use super::{InstallConfig, MachineNetwork, Networking};

/// The versions of the format.
const VERSIONS: &[&str] = &["v1", "v1beta3", "v1beta4"];

/// The version is missing or not known.
pub const VERSION: Code = Code::new("LF0101");

/// Brings the neutral fields up to date. Newer fields win over older ones, which stay as they are.
///
/// # Errors
/// A missing or unknown version, which ends the work on the file.
pub fn upconvert(config: &mut InstallConfig) -> Result<(), Box<Finding>> {
    let version = &config.api_version.0;
    if version.is_empty() {
        let finding = Finding::error(&VERSION, Kind::Required, "apiVersion", "`apiVersion` is missing");
        return Err(Box::new(finding.help("add `apiVersion: v1`")));
    }
    if !VERSIONS.contains(&version.as_str()) {
        let message = format!("`{version}` is not a version of the install config");
        let finding = Finding::error(&VERSION, Kind::Invalid, "apiVersion", message);
        return Err(Box::new(finding.help("write `apiVersion: v1`")));
    }
    "v1".clone_into(&mut config.api_version.0);
    if let Some(networking) = &mut config.networking {
        upconvert_networking(networking);
    }
    Ok(())
}

fn upconvert_networking(networking: &mut Networking) {
    let taken = networking.cluster_network.is_empty();
    if taken {
        networking.cluster_network.clone_from(&networking.old_cluster_networks);
    }
    if networking.machine_network.is_empty() && networking.machine_cidr.given().is_some() {
        networking.machine_network = vec![MachineNetwork { cidr: networking.machine_cidr.clone() }];
    }
    if networking.service_network.is_empty() && networking.service_cidr.given().is_some() {
        networking.service_network = vec![networking.service_cidr.clone()];
    }
    if networking.network_type.is_empty() {
        networking.network_type.clone_from(&networking.old_type);
    }
    for known in ["OpenShiftSDN", "OVNKubernetes"] {
        if landfall_source::fold_eq(&networking.network_type, known) {
            known.clone_into(&mut networking.network_type);
        }
    }
    // Entries taken from the older field are one with it, so that both change.
    let older = networking.old_cluster_networks.iter_mut().filter(|_| taken);
    for entry in networking.cluster_network.iter_mut().chain(older) {
        if entry.host_prefix == 0 && entry.host_subnet_length != 0 {
            let width = match &entry.cidr {
                Network::Given(net) => i32::from(net.bits),
                Network::Missing | Network::Null => 0,
            };
            entry.host_prefix = width.wrapping_sub(entry.host_subnet_length);
        }
    }
}

/// The older paths of the neutral fields that may hold a value instead of the newer ones.
pub const OLDER_PATHS: &[(&str, &str)] = &[
    ("networking.clusterNetwork", "networking.clusterNetworks"),
    ("networking.machineNetwork[0].cidr", "networking.machineCIDR"),
    ("networking.machineNetwork[0]", "networking.machineCIDR"),
    ("networking.serviceNetwork[0]", "networking.serviceCIDR"),
    ("networking.networkType", "networking.type"),
];

/// The older neutral fields whose value upconversion has moved to a newer one, as JSON pointers.
pub const SUPERSEDED: &[&str] = &[
    "/networking/machineCIDR",
    "/networking/serviceCIDR",
    "/networking/type",
    "/networking/clusterNetworks",
];
