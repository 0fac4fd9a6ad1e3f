//! The accepted values of AWS fields, and of what they mean.

/// The cluster's DNS records are the user's.
pub const USER_DNS: &str = "Enabled";
/// Address families of a cluster.
pub const IP_FAMILIES: &[&str] = &["IPv4", "DualStackIPv4Primary", "DualStackIPv6Primary"];
/// Those of them that mean both.
pub const DUAL_STACK: &[&str] = &["DualStackIPv4Primary", "DualStackIPv6Primary"];
/// Roles of an existing subnet.
pub const SUBNET_ROLES: &[&str] = &[
    "BootstrapNode",
    "ClusterNode",
    "ControlPlaneExternalLB",
    "ControlPlaneInternalLB",
    "EdgeNode",
    "IngressControllerLB",
];
/// Confidential computing of a machine.
pub const CONFIDENTIAL: &[&str] = &[SEV_SNP, "Disabled"];
/// AMD SEV-SNP.
pub const SEV_SNP: &str = "AMDEncryptedVirtualizationNestedPaging";
/// Placement on dedicated hosts.
pub const AFFINITIES: &[&str] = &["AnyAvailable", "DedicatedHost"];
/// Access to the instance metadata service.
pub const AUTHENTICATION: &[&str] = &["Optional", "Required"];
/// Architectures of AWS machines.
pub const ARCHITECTURES: &[&str] = &["amd64", "arm64"];
