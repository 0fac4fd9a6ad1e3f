//! The names of the objects that others refer to.

use landfall_diagnostics::Finding;
use landfall_model::azure::planned;
use landfall_model::plan::Plan;

use super::pages;
use crate::names::{object_name, storage_account};

/// The names of a cluster's objects.
#[derive(Debug)]
pub(super) struct Names {
    /// Resource group of the cluster.
    pub(super) group: String,
    /// Resource group of the network.
    pub(super) network_group: String,
    /// Virtual network.
    pub(super) network: String,
    /// Subnet of the control plane.
    pub(super) control_plane_subnet: String,
    /// Subnet of the compute machines.
    pub(super) compute_subnet: String,
    /// Security group.
    pub(super) security_group: String,
    /// Managed identity; empty where none is made.
    pub(super) identity: String,
    /// Storage account.
    pub(super) account: String,
    /// Public address of the public load balancer.
    pub(super) public_address: String,
    /// Public load balancer.
    pub(super) public: String,
    /// Internal load balancer.
    pub(super) internal: String,
    /// Private zone.
    pub(super) zone: String,
}

impl Names {
    /// The names, with what is wrong with them in `faults`.
    pub(super) fn of(plan: &Plan, azure: &planned::Plan, faults: &mut Vec<Finding>) -> Self {
        let id = &plan.identity.infra_id;
        let network = &azure.network;
        let mut own = |kind: &str, azure: &str| name(kind, azure, faults);
        let vnet = own("virtual network", &network.name);
        Self {
            group: own("resource group", &azure.groups.cluster),
            network_group: own("resource group", &network.resource_group),
            control_plane_subnet: own("subnet", &within(&vnet, &network.control_plane_subnet)),
            compute_subnet: own("subnet", &within(&vnet, &network.compute_subnet)),
            network: vnet,
            security_group: own("security group", &network.security_group),
            identity: if azure.identity.is_empty() {
                String::new()
            } else {
                own("identity", &azure.identity)
            },
            account: own("storage account", &storage_account(id)),
            public_address: own("public address", &format!("{id}-pip-v4")),
            public: own("load balancer", id),
            internal: own("load balancer", &azure.load_balancers.internal),
            zone: own("zone", &plan.cluster.domain),
        }
    }
}

/// The name for a resource whose own is only unique inside of the one that the object `parent` stands for.
pub(super) fn within(parent: &str, azure: &str) -> String {
    format!("{parent}-{azure}")
}

/// The name of the object for a resource; none is a fault.
pub(super) fn name(kind: &str, azure: &str, faults: &mut Vec<Finding>) -> String {
    object_name(azure).unwrap_or_else(|| {
        faults.push(pages::name(kind, azure));
        String::new()
    })
}
