//! The values of neutral fields that the file leaves open: `docs/install-config.md`, section 6.

use super::value::Network;
use super::{ClusterNetwork, InstallConfig, MachineNetwork, MachinePool, Networking};

/// The operating system stream of this release.
pub const OS_IMAGE_STREAM: &str = "rhel-10";

/// Fills what the file leaves open, except what belongs to a platform.
pub fn defaults(config: &mut InstallConfig) {
    networking(config.networking.get_or_insert_default());
    fill(&mut config.publish, "External");
    let control_plane = config.control_plane.get_or_insert_default();
    "master".clone_into(&mut control_plane.name);
    pool(control_plane);
    if let Some(arbiter) = &mut config.arbiter {
        "arbiter".clone_into(&mut arbiter.name);
        pool(arbiter);
    }
    if config.compute.iter().all(|p| p.name != "worker") {
        config.compute.push(MachinePool { name: "worker".to_owned(), ..MachinePool::default() });
    }
    config.compute.iter_mut().for_each(pool);
    fill(&mut config.os_image_stream, OS_IMAGE_STREAM);
    fill(&mut config.additional_trust_bundle_policy, "Proxyonly");
}

/// The default that judging writes, after the platforms' own rules: what of a cluster is reachable when
/// the strategy does not say (section 7.9).
pub fn publishing_strategy(config: &mut InstallConfig) {
    if let Some(strategy) = &mut config.operator_publishing_strategy {
        fill(&mut strategy.apiserver, "External");
        fill(&mut strategy.ingress, "External");
    }
}

/// Sets an empty text.
pub fn fill(field: &mut String, value: &str) {
    if field.is_empty() {
        value.clone_into(field);
    }
}

fn networking(networking: &mut Networking) {
    if networking.machine_network.is_empty() {
        networking.machine_network = vec![MachineNetwork { cidr: Network::known([10, 0, 0, 0], 16) }];
    }
    fill(&mut networking.network_type, "OVNKubernetes");
    if networking.service_network.is_empty() {
        networking.service_network = vec![Network::known([172, 30, 0, 0], 16)];
    }
    if networking.cluster_network.is_empty() {
        let cidr = Network::known([10, 128, 0, 0], 14);
        networking.cluster_network =
            vec![ClusterNetwork { cidr, host_prefix: 23, ..ClusterNetwork::default() }];
    }
}

fn pool(pool: &mut MachinePool) {
    let without_machines = ["edge", "arbiter"].contains(&pool.name.as_str());
    pool.replicas.get_or_insert(if without_machines { 0 } else { 3 });
    fill(&mut pool.hyperthreading, "Enabled");
    fill(&mut pool.architecture, "amd64");
    for credential in pool.fencing.iter_mut().flat_map(|f| &mut f.credentials) {
        if let Some(mac) = parse_mac(&credential.mac_address) {
            let parts: Vec<String> = mac.iter().map(|byte| format!("{byte:02x}")).collect();
            credential.mac_address = parts.join(":");
        }
    }
}

/// The bytes of a hardware address in one of the forms of Go's `net.ParseMAC`: pairs joined by colons or
/// dashes, groups of four digits joined by dots, or digits alone; 6, 8 or 20 bytes.
#[must_use]
pub fn parse_mac(text: &str) -> Option<Vec<u8>> {
    let (separator, width) = match text.as_bytes() {
        [_, _, b':', ..] => (':', 2),
        [_, _, b'-', ..] => ('-', 2),
        [_, _, _, _, b'.', ..] => ('.', 4),
        // All digits are one group.
        _ if text.len().is_multiple_of(2) => ('\0', text.len()),
        _ => return None,
    };
    let mut bytes = Vec::new();
    for group in text.split(separator) {
        if group.len() != width || !group.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        for pair in group.as_bytes().chunks(2) {
            bytes.push(u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?);
        }
    }
    [6, 8, 20].contains(&bytes.len()).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::parse_mac;

    #[test]
    fn reads_hardware_addresses_in_four_forms() {
        let want = Some(vec![0, 0x1a, 0x2b, 0x3c, 0x4d, 0x5e]);
        for text in ["00:1A:2b:3c:4d:5e", "00-1a-2b-3c-4d-5e", "001a.2b3c.4d5e", "001A2b3c4d5e"] {
            assert_eq!(parse_mac(text), want, "{text}");
        }
        for text in ["", "00:1a:2b", "00:1a-2b:3c:4d:5e", "0:1:2:3:4:5", "001a2b3c4d5", "001a2b3c4d5g"] {
            assert_eq!(parse_mac(text), None, "{text}");
        }
    }
}
