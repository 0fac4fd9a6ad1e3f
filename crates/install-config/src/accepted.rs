//! What the installer accepts and a cluster does not: its API server or an operator refuses the object that has the
//! setting, and the cluster never becomes ready.

use std::collections::BTreeSet;

use landfall_diagnostics::{Findings, shortened};
use landfall_model::config::{InstallConfig, Net, Networking};
use landfall_model::plan::pages::not_accepted;

use crate::verdict::active;

/// The longest prefix that leaves a machine addresses for pods.
const LONGEST_PREFIX: i32 = 30;

/// Refuses the settings that the cluster would refuse.
pub(crate) fn check_accepted(config: &InstallConfig, out: &mut Findings) {
    let partitioning = config.cpu_partitioning.as_str();
    if !["", "None", "AllNodes"].contains(&partitioning) {
        let message = format!("`{}` is not a CPU partitioning mode", shortened(partitioning));
        out.push(not_accepted("cpuPartitioningMode", message, "use AllNodes or None, or remove the setting"));
    }
    let replicas = config.control_plane.as_ref().and_then(|pool| pool.replicas).unwrap_or(3);
    let has_machines = active(config).is_some_and(|platform| !platform.stages().is_empty());
    if has_machines && ![0, 1, 3, 5].contains(&replicas) {
        let message = format!("a ControlPlaneMachineSet does not manage {replicas} machines");
        out.push(not_accepted("controlPlane.replicas", message, "use 1, 3 or 5"));
    }
    if let Some(networking) = &config.networking {
        check_networks(networking, out);
    }
    for (i, entry) in config.image_digest_sources.iter().enumerate() {
        let port = entry.source.rsplit_once(':').map(|(_, port)| port);
        if port.is_some_and(|port| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit())) {
            let message = "machines do not accept a source of host and port alone";
            let help = "add the repository, such as registry.example.com:5000/openshift";
            out.push(not_accepted(&format!("imageDigestSources[{i}].source"), message, help));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = entry.mirrors.iter().position(|mirror| !seen.insert(mirror)) {
            let field = format!("imageDigestSources[{i}].mirrors[{twice}]");
            out.push(not_accepted(&field, "the source already has this mirror", "remove the second one"));
        }
    }
}

/// Refuses networks of pods and services that the network operator refuses.
fn check_networks(networking: &Networking, out: &mut Findings) {
    let field = |i: usize, name: &str| format!("networking.clusterNetwork[{i}].{name}");
    for (i, network) in networking.cluster_network.iter().enumerate() {
        let Some(cidr) = network.cidr.given() else {
            let help = "set the network, such as 10.128.0.0/14";
            out.push(not_accepted(&field(i, "cidr"), "a network of pods has no addresses", help));
            continue;
        };
        let prefix = network.host_prefix;
        if networking.network_type == "OVNKubernetes" && cidr.is_ipv4() && prefix > LONGEST_PREFIX {
            let message = format!("a network of /{prefix} for each machine has no addresses for pods");
            let help = "use at most 30; 23 leaves 510 addresses";
            out.push(not_accepted(&field(i, "hostPrefix"), message, help));
        }
    }
    let families = |networks: Vec<&Net>| networks.iter().map(|net| net.is_ipv4()).collect::<BTreeSet<bool>>();
    let pods = families(networking.cluster_network.iter().filter_map(|one| one.cidr.given()).collect());
    let services = families(networking.service_network.iter().filter_map(|one| one.given()).collect());
    if !pods.is_empty() && !services.is_empty() && pods != services {
        let message = "the networks of services have other IP families than those of pods";
        let help = "give both IPv4, both IPv6, or both of each";
        out.push(not_accepted("networking.serviceNetwork", message, help));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Strictness, judge};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    #[test]
    fn what_a_cluster_refuses_is_named() -> Outcome {
        let pods = |text: &str| format!("networking: {{clusterNetwork: [{text}]}}");
        let v6 = "networking: {clusterNetwork: [{cidr: 'fd01::/48', hostPrefix: 64}]}".to_owned();
        let cases = [
            (String::new(), ""),
            ("controlPlane: {replicas: 5}".to_owned(), ""),
            ("controlPlane: {replicas: 4}".to_owned(), "controlPlane.replicas"),
            ("cpuPartitioningMode: AllNode".to_owned(), "cpuPartitioningMode"),
            (pods("{cidr: 10.128.0.0/14, hostPrefix: 30}"), ""),
            (pods("{cidr: 10.128.0.0/14, hostPrefix: 31}"), "networking.clusterNetwork[0].hostPrefix"),
            (pods("{hostPrefix: 23}"), "networking.clusterNetwork[0].cidr"),
            (v6, "networking.serviceNetwork"),
            ("imageDigestSources: [{source: 'quay.io:443/a', mirrors: [a/b]}]".to_owned(), ""),
            (
                "imageDigestSources: [{source: 'quay.io:443', mirrors: [a/b]}]".to_owned(),
                "imageDigestSources[0].source",
            ),
            (
                "imageDigestSources: [{source: quay.io/a, mirrors: [a/b, a/c, a/b]}]".to_owned(),
                "imageDigestSources[0].mirrors[2]",
            ),
        ];
        for (text, expected) in cases {
            let text = format!(
                "apiVersion: v1\nbaseDomain: example.com\nmetadata: {{name: demo}}\npullSecret: '{{}}'\n\
                 platform: {{aws: {{region: eu-west-1}}}}\n{text}"
            );
            let config = judge(text.as_bytes(), Strictness::default()).config.ok_or("unreadable")?;
            let mut out = Findings::default();
            check_accepted(&config, &mut out);
            let fields: Vec<String> = out.into_vec().into_iter().map(|finding| finding.field).collect();
            assert_eq!(fields.join(" "), expected, "{text}");
        }
        Ok(())
    }
}
