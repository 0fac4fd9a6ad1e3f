//! The sorts of things that a cluster on Azure is made of: by which interface they are asked for, what must be
//! gone before them, and what to do where one is held by something that is not the cluster's.

use landfall_platform::removal::Kind;

use crate::cloud::api_versions::Api;

/// The resource manager removes one thing with one call.
const ONE: usize = 1;

macro_rules! kinds {
    ($($(#[$doc:meta])* $constant:ident: $name:literal, $help:literal;)*) => {
        $($(#[$doc])*
        pub(super) static $constant: Kind = Kind { name: $name, batch: ONE, help: $help, last: false };)*

        /// All of them.
        #[cfg(test)]
        static ALL: &[&Kind] = &[$(&$constant),*];
    };
}

kinds! {
    /// Resource groups, with all that is in them.
    GROUP: "resource group",
        "remove locks on it and on its resources, and stop using its resources elsewhere";
    /// Record sets of public zones.
    RECORD: "DNS record",
        "remove locks on the zone, or delete the record set by hand";
    /// The use that a subnet of the user's makes of something of the cluster's.
    SUBNET_USE: "use by a subnet",
        "remove the gateway, security group or route table from the subnet by hand";
    /// Roles that the cluster's identities have outside of its group.
    ROLE_ASSIGNMENT: "role assignment",
        "assign the caller a role that may delete role assignments, such as User Access Administrator";
    /// Applications of the directory.
    APPLICATION: "application registration",
        "delete it in Microsoft Entra ID";
    /// Service principals without an application.
    SERVICE_PRINCIPAL: "service principal",
        "delete it in Microsoft Entra ID, among the enterprise applications";
    /// Virtual machines.
    MACHINE: "virtual machine",
        "remove locks on it";
    /// Sets of virtual machines.
    SCALE_SET: "virtual machine scale set",
        "remove locks on it";
    /// Network interfaces.
    INTERFACE: "network interface",
        "detach it from the machine or the private endpoint that uses it";
    /// Disks.
    DISK: "disk",
        "detach it from the machine that uses it, and revoke access that was granted to it";
    /// Snapshots of disks.
    SNAPSHOT: "snapshot",
        "revoke access that was granted to it";
    /// Managed images.
    IMAGE: "image",
        "remove locks on it";
    /// Versions of images in galleries.
    IMAGE_VERSION: "image version",
        "remove locks on it, and turn off its protection against deletion";
    /// Definitions of images in galleries.
    IMAGE_DEFINITION: "image definition",
        "delete the versions that are still in it";
    /// Galleries of images.
    GALLERY: "image gallery",
        "delete the definitions that are still in it";
    /// Availability sets.
    AVAILABILITY_SET: "availability set",
        "delete the machines that are still in it";
    /// Load balancers.
    LOAD_BALANCER: "load balancer",
        "remove other machines and private link services from it";
    /// Public addresses.
    PUBLIC_IP: "public IP address",
        "detach it from its users";
    /// Ranges of public addresses.
    PUBLIC_IP_PREFIX: "public IP prefix",
        "detach it from its users, and delete the addresses that are still in it";
    /// NAT gateways.
    NAT_GATEWAY: "NAT gateway",
        "detach it from the subnets that use it";
    /// Links of private zones with networks.
    ZONE_LINK: "link of a private DNS zone",
        "delete the records that other machines registered through it";
    /// Private DNS zones.
    PRIVATE_ZONE: "private DNS zone",
        "delete the zone's links to other networks";
    /// User-assigned identities.
    IDENTITY: "managed identity",
        "detach it from the machines that use it";
    /// Network security groups.
    SECURITY_GROUP: "network security group",
        "detach it from the subnets and network interfaces that use it";
    /// Groups of addresses that rules of security groups name.
    APPLICATION_GROUP: "application security group",
        "remove it from the rules and network interfaces that use it";
    /// Route tables.
    ROUTE_TABLE: "route table",
        "detach it from the subnets that use it";
    /// Private endpoints.
    PRIVATE_ENDPOINT: "private endpoint",
        "remove locks on it";
    /// Private link services.
    LINK_SERVICE: "private link service",
        "delete the connections of other private endpoints";
    /// Virtual networks, with their subnets.
    NETWORK: "virtual network",
        "delete other resources in its subnets, and its peerings";
    /// Storage accounts, with all that is in them.
    STORAGE: "storage account",
        "remove locks on it, and legal holds and retention policies of its containers";
    /// Whatever else carries the cluster's tag.
    OTHER: "resource",
        "delete it by hand";
}

/// A type of resources.
#[derive(Debug)]
pub(super) struct Row {
    /// Provider and type in lower case.
    pub(super) name: &'static str,
    /// What sort of thing it is.
    pub(super) kind: &'static Kind,
    /// By which interface it is asked for.
    pub(super) api: Api,
    /// The types of which everything must be gone before.
    pub(super) after: &'static [&'static str],
}

const fn row(name: &'static str, kind: &'static Kind, api: Api, after: &'static [&'static str]) -> Row {
    Row { name, kind, api, after }
}

/// Machines.
const MACHINES: &str = "microsoft.compute/virtualmachines";
const SCALE_SETS: &str = "microsoft.compute/virtualmachinescalesets";
/// Disks; each goes after the machine that it is attached to.
pub(super) const DISKS: &str = "microsoft.compute/disks";
/// Network interfaces; each goes after the machine that it is named after.
pub(super) const INTERFACES: &str = "microsoft.network/networkinterfaces";
const VERSIONS: &str = "microsoft.compute/galleries/images/versions";
const DEFINITIONS: &str = "microsoft.compute/galleries/images";
const ENDPOINTS: &str = "microsoft.network/privateendpoints";
const LINK_SERVICES: &str = "microsoft.network/privatelinkservices";
const LOAD_BALANCERS: &str = "microsoft.network/loadbalancers";
const PUBLIC_IPS: &str = "microsoft.network/publicipaddresses";
const LINKS: &str = "microsoft.network/privatednszones/virtualnetworklinks";
/// Virtual networks.
pub(super) const NETWORKS: &str = "microsoft.network/virtualnetworks";
/// NAT gateways.
pub(super) const NAT_GATEWAYS: &str = "microsoft.network/natgateways";
/// Network security groups.
pub(super) const SECURITY_GROUPS: &str = "microsoft.network/networksecuritygroups";
/// Route tables.
pub(super) const ROUTE_TABLES: &str = "microsoft.network/routetables";
/// Private DNS zones.
pub(super) const PRIVATE_ZONES: &str = "microsoft.network/privatednszones";
/// DNS zones; older ones may be private.
pub(super) const ZONES: &str = "microsoft.network/dnszones";
/// User-assigned identities.
pub(super) const IDENTITIES: &str = "microsoft.managedidentity/userassignedidentities";

/// All types that a cluster is made of.
static TYPES: &[Row] = &[
    row(MACHINES, &MACHINE, Api::MACHINES, &[]),
    row(SCALE_SETS, &SCALE_SET, Api::MACHINES, &[]),
    row(INTERFACES, &INTERFACE, Api::NETWORKS, &[SCALE_SETS, ENDPOINTS, LINK_SERVICES]),
    row(DISKS, &DISK, Api::DISKS, &[]),
    row("microsoft.compute/snapshots", &SNAPSHOT, Api::DISKS, &[]),
    row("microsoft.compute/images", &IMAGE, Api::MACHINES, &[]),
    row(VERSIONS, &IMAGE_VERSION, Api::GALLERIES, &[]),
    row(DEFINITIONS, &IMAGE_DEFINITION, Api::GALLERIES, &[VERSIONS]),
    row("microsoft.compute/galleries", &GALLERY, Api::GALLERIES, &[DEFINITIONS, VERSIONS]),
    row("microsoft.compute/availabilitysets", &AVAILABILITY_SET, Api::MACHINES, &[MACHINES]),
    row(ENDPOINTS, &PRIVATE_ENDPOINT, Api::NETWORKS, &[]),
    row(LINK_SERVICES, &LINK_SERVICE, Api::NETWORKS, &[]),
    row(LOAD_BALANCERS, &LOAD_BALANCER, Api::NETWORKS, &[INTERFACES, LINK_SERVICES, SCALE_SETS]),
    row(PUBLIC_IPS, &PUBLIC_IP, Api::NETWORKS, &[INTERFACES, LOAD_BALANCERS, NAT_GATEWAYS]),
    row(
        "microsoft.network/publicipprefixes",
        &PUBLIC_IP_PREFIX,
        Api::NETWORKS,
        &[PUBLIC_IPS, LOAD_BALANCERS, NAT_GATEWAYS],
    ),
    row(NAT_GATEWAYS, &NAT_GATEWAY, Api::NETWORKS, &[NETWORKS]),
    row(LINKS, &ZONE_LINK, Api::PRIVATE_DNS_ZONES, &[MACHINES]),
    row(PRIVATE_ZONES, &PRIVATE_ZONE, Api::PRIVATE_DNS_ZONES, &[LINKS]),
    row(IDENTITIES, &IDENTITY, Api::IDENTITIES, &[MACHINES, SCALE_SETS]),
    row(SECURITY_GROUPS, &SECURITY_GROUP, Api::NETWORKS, &[INTERFACES, NETWORKS, SCALE_SETS]),
    row(
        "microsoft.network/applicationsecuritygroups",
        &APPLICATION_GROUP,
        Api::NETWORKS,
        &[INTERFACES, SECURITY_GROUPS],
    ),
    row(ROUTE_TABLES, &ROUTE_TABLE, Api::NETWORKS, &[NETWORKS]),
    row(
        NETWORKS,
        &NETWORK,
        Api::NETWORKS,
        &[INTERFACES, LOAD_BALANCERS, ENDPOINTS, LINK_SERVICES, SCALE_SETS, LINKS],
    ),
    row("microsoft.storage/storageaccounts", &STORAGE, Api::STORAGE_ACCOUNTS, &[MACHINES]),
    row(ZONES, &RECORD, Api::DNS_ZONES, &[]),
    row("microsoft.authorization/roleassignments", &ROLE_ASSIGNMENT, Api::ROLE_ASSIGNMENTS, &[]),
];

/// The row of a type, or of the one that it belongs to.
pub(super) fn row_of(name: &str) -> Option<&'static Row> {
    let name = name.to_ascii_lowercase();
    let fits =
        |row: &&Row| name.strip_prefix(row.name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    TYPES.iter().filter(fits).max_by_key(|row| row.name.len())
}

/// The sort of a type that can be a resource of the cluster's group.
pub(super) fn kind_of(name: &str) -> &'static Kind {
    let row = row_of(name).filter(|row| row.name.eq_ignore_ascii_case(name) && row.name != ZONES);
    row.map_or(&OTHER, |row| row.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_without_regard_to_capitals() {
        assert_eq!(*kind_of("Microsoft.Compute/virtualMachines"), MACHINE);
        assert_eq!(*kind_of("Microsoft.Compute/virtualMachines/extensions"), OTHER);
        assert_eq!(*kind_of("Microsoft.Compute/galleries/images/versions"), IMAGE_VERSION);
        assert_eq!(*kind_of("Microsoft.Network/dnsZones"), OTHER);
        assert_eq!(*kind_of("Moon.Base/craters"), OTHER);
        let api = |name: &str| row_of(name).map(|row| row.api);
        assert_eq!(api("Microsoft.Network/dnszones/CNAME"), Some(Api::DNS_ZONES));
        assert_eq!(api("Microsoft.Network/virtualNetworks/subnets"), Some(Api::NETWORKS));
        assert_eq!(api("Microsoft.Network/virtualNetworksX"), None);
    }

    #[test]
    fn images_are_removed_by_their_names() {
        assert_eq!(crate::IMAGE_KINDS, [&IMAGE_VERSION, &IMAGE_DEFINITION, &GALLERY].map(|kind| kind.name));
    }

    #[test]
    fn no_type_waits_for_itself() {
        for row in TYPES {
            let mut known = vec![row.name];
            let mut next = row.after.to_vec();
            while let Some(name) = next.pop() {
                assert_ne!(name, row.name);
                let before = TYPES.iter().find(|row| row.name == name);
                assert!(before.is_some(), "{name}");
                if !known.contains(&name) {
                    known.push(name);
                    next.extend(before.map(|row| row.after).unwrap_or_default());
                }
            }
        }
    }

    #[test]
    fn every_kind_says_what_to_do() {
        for kind in ALL {
            assert!(!kind.help.is_empty() && !kind.help.ends_with('.') && kind.batch == ONE, "{}", kind.name);
        }
    }
}
