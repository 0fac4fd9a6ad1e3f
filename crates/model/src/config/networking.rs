//! `networking`: `docs/install-config.md`, section 4.2.

use super::value::{Network, model};

model! {
    /// Networks of machines, pods and services.
    pub struct Networking {
        /// Network plugin of the cluster.
        #[schemars(extend("examples" = ["OVNKubernetes"], "default" = "OVNKubernetes"))]
        pub network_type: String,
        /// Networks that the machines' addresses come from. `10.0.0.0/16` unless given.
        pub machine_network: Vec<MachineNetwork>,
        /// Networks that the pods' addresses come from. `10.128.0.0/14` with host prefix 23 unless given.
        pub cluster_network: Vec<ClusterNetwork>,
        /// Networks that the services' addresses come from; one of each family.
        #[schemars(extend("default" = ["172.30.0.0/16"]))]
        pub service_network: Vec<Network>,
        /// MTU of the pod network in bytes, on AWS.
        #[serde(rename = "clusterNetworkMTU")]
        pub cluster_network_mtu: u32,
        /// Settings of the plugin OVNKubernetes.
        #[serde(rename = "ovnKubernetesConfig")]
        pub ovn_kubernetes_config: Option<OvnKubernetesConfig>,
        /// Older form of a single machine network.
        #[serde(rename = "machineCIDR")]
        #[schemars(extend("deprecated" = true))]
        pub machine_cidr: Network,
        /// Older form of a single service network.
        #[serde(rename = "serviceCIDR")]
        #[schemars(extend("deprecated" = true))]
        pub service_cidr: Network,
        /// Older name of `networkType`.
        #[serde(rename = "type")]
        #[schemars(extend("deprecated" = true))]
        pub old_type: String,
        /// Older name of `clusterNetwork`.
        #[serde(rename = "clusterNetworks")]
        #[schemars(extend("deprecated" = true))]
        pub old_cluster_networks: Vec<ClusterNetwork>,
    }

    /// One network of machines.
    pub struct MachineNetwork {
        /// The network as `address/prefix`.
        pub cidr: Network,
    }

    /// One network of pods.
    pub struct ClusterNetwork {
        /// The network as `address/prefix`.
        pub cidr: Network,
        /// Prefix of the part that each machine gets: 23 gives it 510 pod addresses.
        pub host_prefix: i32,
        /// Older form of `hostPrefix`: how many bits of the address belong to the machine.
        #[schemars(extend("deprecated" = true))]
        pub host_subnet_length: i32,
    }

    /// Settings of the plugin OVNKubernetes.
    pub struct OvnKubernetesConfig {
        /// Settings for IPv4.
        pub ipv4: Option<OvnIpv4>,
    }

    /// Settings of the plugin OVNKubernetes for IPv4.
    pub struct OvnIpv4 {
        /// Network which joins the machines' routers, when 100.64.0.0/16 is in use elsewhere.
        pub internal_join_subnet: Network,
    }
}

impl Networking {
    /// Whether services have IPv6 addresses.
    #[must_use]
    pub fn has_ipv6_services(&self) -> bool {
        self.service_network.iter().filter_map(Network::given).any(|network| !network.is_ipv4())
    }
}
