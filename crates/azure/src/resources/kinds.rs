//! The types of resources: how the graph names them, and where the resource manager has them.

use landfall_azure_objects::kinds::Kind;

/// A type of resource.
#[derive(Debug)]
pub(super) struct Type {
    /// The kind of its object.
    object: &'static str,
    /// Its kind in the graph.
    pub(super) kind: &'static str,
    /// The same where the user brings it.
    pub(super) given: &'static str,
    /// What of its id stands before its name: provider and type in a group, or the type alone below its owner.
    pub(super) segment: &'static str,
}

const fn own(object: &'static str, kind: &'static str, segment: &'static str) -> Type {
    Type { object, kind, given: "", segment }
}

/// All types that a cluster has objects of. The service for blobs is not among them: Azure creates it.
static TYPES: &[Type] = &[
    Type { given: "given-resource-group", ..own("ResourceGroup", "resource-group", "") },
    Type {
        given: "given-virtual-network",
        ..own("VirtualNetwork", "virtual-network", "Microsoft.Network/virtualNetworks")
    },
    Type { given: "given-subnet", ..own("VirtualNetworksSubnet", "subnet", "subnets") },
    own("NetworkSecurityGroup", "security-group", "Microsoft.Network/networkSecurityGroups"),
    own("NetworkSecurityGroupsSecurityRule", "security-rule", "securityRules"),
    own("RouteTable", "route-table", "Microsoft.Network/routeTables"),
    own("PublicIPAddress", "public-ip", "Microsoft.Network/publicIPAddresses"),
    own("NatGateway", "nat-gateway", "Microsoft.Network/natGateways"),
    own("LoadBalancer", "load-balancer", "Microsoft.Network/loadBalancers"),
    own("LoadBalancersInboundNatRule", "inbound-nat-rule", "inboundNatRules"),
    own("NetworkInterface", "network-interface", "Microsoft.Network/networkInterfaces"),
    own("PrivateDnsZone", "private-zone", "Microsoft.Network/privateDnsZones"),
    own("PrivateDnsZonesVirtualNetworkLink", "private-zone-link", "virtualNetworkLinks"),
    own("PrivateDnsZonesARecord", "private-record", "A"),
    own("PrivateDnsZonesAAAARecord", "private-record", "AAAA"),
    own("DnsZonesARecord", "public-record", "A"),
    own("DnsZonesCNAMERecord", "public-record", "CNAME"),
    Type {
        given: GIVEN_IDENTITY,
        ..own("UserAssignedIdentity", "identity", "Microsoft.ManagedIdentity/userAssignedIdentities")
    },
    own("RoleAssignment", ROLE_ASSIGNMENT, "providers/Microsoft.Authorization/roleAssignments"),
    Type {
        given: "given-storage-account",
        ..own("StorageAccount", STORAGE_ACCOUNT, "Microsoft.Storage/storageAccounts")
    },
    Type { given: "given-container", ..own("StorageAccountsBlobServicesContainer", CONTAINER, "containers") },
    own("VirtualMachine", "virtual-machine", "Microsoft.Compute/virtualMachines"),
];

/// Kinds that have resources without objects, too.
pub(super) const ROLE_ASSIGNMENT: &str = "role-assignment";
pub(super) const GIVEN_IDENTITY: &str = "given-identity";
pub(super) const STORAGE_ACCOUNT: &str = "storage-account";
pub(super) const CONTAINER: &str = "container";

/// The type that objects of a kind stand for; none where Azure creates the resource by itself.
pub(super) fn type_of(kind: &Kind) -> Option<&'static Type> {
    TYPES.iter().find(|known| known.object == kind.kind)
}

/// The kind in the graph of a resource that somebody else creates, by its kind where landfall does.
pub(super) fn given(kind: &str) -> Option<&'static str> {
    let known = TYPES.iter().find(|known| [known.kind, known.given].contains(&kind));
    known.map(|known| known.given).filter(|given| !given.is_empty())
}

/// The version of the resource manager's interface for a kind, such as `2024-03-01`.
pub(super) fn version(kind: &Kind) -> String {
    let [_, written] = kind.versions;
    let date = written.trim_start_matches('v');
    match (date.get(..4), date.get(4..6), date.get(6..8)) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{month}-{day}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use landfall_azure_objects::kinds::{KINDS, named};

    use super::*;

    #[test]
    fn every_kind_that_landfall_creates_has_a_type_and_a_version() {
        let without: Vec<&str> =
            KINDS.iter().filter(|kind| type_of(kind).is_none()).map(|kind| kind.kind).collect();
        // Disks come with their machines, the API server adds routes, and Azure has a service for blobs.
        assert_eq!(without, ["RouteTablesRoute", "StorageAccountsBlobService", "Disk"]);
        assert!(KINDS.iter().all(|kind| version(kind).len() == "2024-03-01".len()));
        assert_eq!(named("LoadBalancer").map(version).as_deref(), Some("2024-03-01"));
    }
}
