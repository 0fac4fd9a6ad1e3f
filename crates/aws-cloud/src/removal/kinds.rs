//! The sorts of things that a cluster on AWS is made of: how many of them go with one call, and what to do
//! where one is held by something that is not the cluster's.

use landfall_platform::removal::Kind;

/// Whether things of a kind go last.
macro_rules! is_last {
    () => {
        false
    };
    (last) => {
        true
    };
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $constant:ident: $name:literal, $batch:literal, $help:literal $(, $last:ident)?;)*) => {
        $($(#[$doc])*
        pub(super) static $constant: Kind =
            Kind { name: $name, batch: $batch, help: $help, last: is_last!($($last)?) };)*

        /// All of them.
        #[cfg(test)]
        pub(super) static ALL: &[&Kind] = &[$(&$constant),*];
    };
}

kinds! {
    /// Virtual machines; many go with one call.
    INSTANCE: "instance", 50,
        "turn off its protection against termination or stopping, then run the command again";
    /// Load balancers of the first generation.
    CLASSIC_LOAD_BALANCER: "classic load balancer", 1,
        "delete it by hand, or wait until what uses it is gone";
    /// Network, application and gateway load balancers; their listeners go with them.
    LOAD_BALANCER: "load balancer", 1,
        "turn off its deletion protection, and delete endpoint services that send their traffic to it";
    /// A listener of a load balancer that stays.
    LISTENER: "listener", 1,
        "delete it with the load balancer that it belongs to";
    /// Where a load balancer sends its traffic.
    TARGET_GROUP: "target group", 1,
        "delete the listeners and rules of other load balancers that send traffic to it";
    /// The way out of private subnets.
    NAT_GATEWAY: "NAT gateway", 1,
        "wait until AWS has deleted it; if the deletion failed, the console shows why";
    /// Private ways to services; many go with one call.
    VPC_ENDPOINT: "VPC endpoint", 25,
        "if another service manages it, delete it there";
    /// What the cluster offers to others as a private service; many go with one call.
    ENDPOINT_SERVICE: "endpoint service", 20,
        "reject the connections of the endpoints that use it";
    /// Public addresses.
    ELASTIC_IP: "elastic IP", 1,
        "disassociate the address from what uses it, and disable its transfer to another account";
    /// Network interfaces.
    NETWORK_INTERFACE: "network interface", 1,
        "delete or detach what uses it; if another service manages it, delete it there";
    /// Security groups; one named `default` goes with its VPC.
    SECURITY_GROUP: "security group", 1,
        "remove the group from the network interfaces that use it, and from the rules of other groups";
    /// Route tables; a VPC's main one goes with it.
    ROUTE_TABLE: "route table", 1,
        "associate the subnets that use it with another table, or delete them";
    /// Subnets.
    SUBNET: "subnet", 1,
        "delete what has an address in the subnet";
    /// The way out of public subnets.
    INTERNET_GATEWAY: "internet gateway", 1,
        "release the public addresses that are mapped in the VPC";
    /// The way out for IPv6.
    EGRESS_ONLY_GATEWAY: "egress-only internet gateway", 1,
        "delete the routes that lead to it";
    /// The way out of subnets in wavelength zones.
    CARRIER_GATEWAY: "carrier gateway", 1,
        "delete the routes that lead to it, and release the carrier addresses";
    /// What machines are told of names and time.
    DHCP_OPTIONS: "DHCP options", 1,
        "give the VPCs that use them other options";
    /// A connection between two VPCs.
    PEERING_CONNECTION: "VPC peering connection", 1,
        "delete it from the other side";
    /// Networks.
    VPC: "VPC", 1,
        "delete what is in the VPC, detach VPN gateways, and delete its peering connections and \
         attachments to transit gateways";
    /// Disks.
    VOLUME: "volume", 1,
        "detach the volume from the instance that uses it";
    /// Copies of disks.
    SNAPSHOT: "snapshot", 1,
        "deregister the images that were created from it; delete what a backup service manages there";
    /// What machines start from; an image's snapshots become things of their own.
    IMAGE: "image", 1,
        "turn off its protection against deregistration; delete what a backup service manages there";
    /// Where instances are put.
    PLACEMENT_GROUP: "placement group", 1,
        "terminate the instances that are in it";
    /// Machines for one account alone; many go with one call.
    DEDICATED_HOST: "dedicated host", 20,
        "terminate the instances that run on it; some hosts can only be released after 24 hours";
    /// Buckets, with all that is in them.
    BUCKET: "bucket", 1,
        "lift the locks and policies that keep its objects or the bucket itself", last;
    /// Hosted zones of Route 53; their records are things of their own.
    HOSTED_ZONE: "hosted zone", 1,
        "delete the records that are left in it, and turn off DNSSEC signing", last;
    /// Records of a hosted zone; many go with one call.
    RECORD: "DNS record", 100,
        "delete the record by hand, in the zone that the id names", last;
    /// What gives a role to instances.
    INSTANCE_PROFILE: "instance profile", 1,
        "terminate the instances that use it", last;
    /// Roles, with their own policies.
    ROLE: "role", 1,
        "remove the role from what uses it, such as instance profiles, and lift what protects it", last;
    /// Users, with their keys and own policies.
    USER: "user", 1,
        "remove the user from groups, and delete its passwords, devices and certificates", last;
    /// Policies that roles and users share.
    POLICY: "policy", 1,
        "detach the policy from roles, users and groups that are not the cluster's", last;
    /// File systems of EFS.
    FILE_SYSTEM: "file system", 1,
        "delete its access points and mount targets, then the file system: aws efs delete-access-point, \
         aws efs delete-mount-target, aws efs delete-file-system; then run the command again";
    /// Ways into file systems of EFS.
    ACCESS_POINT: "access point of a file system", 1,
        "run aws efs delete-access-point, then the command again";
    /// What else landfall knows no way to remove.
    OTHER: "resource of another service", 1,
        "remove it with the console or tool of its service, then run the command again";
}

/// Whether landfall knows no way to remove things of a kind. Only tags tell of them.
pub(super) fn is_unremovable(kind: &Kind) -> bool {
    [&FILE_SYSTEM, &ACCESS_POINT, &OTHER].contains(&kind)
}

/// Whether a state is that of something that is only listed any more. EC2 does not always write states as its
/// description spells them.
pub(super) fn is_deleted(state: Option<&str>) -> bool {
    state.is_some_and(|state| state.eq_ignore_ascii_case("deleted"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use landfall_platform::Platform as _;

    use super::*;

    #[test]
    fn what_terraform_creates_is_of_a_known_kind() {
        let modules = landfall_aws::PLATFORM.modules();
        assert!(modules.tracked.len() > 10);
        for row in modules.tracked {
            assert!(ALL.iter().any(|kind| kind.name == row.kind), "{} is a {}", row.resource, row.kind);
        }
    }

    #[test]
    fn kinds_are_told_apart_and_say_what_to_do() {
        let names: BTreeSet<&str> = ALL.iter().map(|kind| kind.name).collect();
        assert_eq!(names.len(), ALL.len());
        for kind in ALL {
            assert!(kind.batch > 0 && !kind.help.is_empty(), "{}", kind.name);
            assert!(!kind.help.ends_with('.'), "{}", kind.help);
        }
    }
}
