//! The accepted values of Azure fields.

/// The cluster's DNS records are the user's.
pub const USER_DNS: &str = "Enabled";
/// Address families of a cluster.
pub const IP_FAMILIES: &[&str] = &["IPv4", "DualStackIPv4Primary", "DualStackIPv6Primary"];
/// Those of them that mean both.
pub const DUAL_STACK: &[&str] = &["DualStackIPv4Primary", "DualStackIPv6Primary"];
/// The public cloud.
pub const PUBLIC: &str = "AzurePublicCloud";
/// The US government's cloud.
pub const US_GOVERNMENT: &str = "AzureUSGovernmentCloud";
/// An Azure Stack Hub.
pub const STACK: &str = "AzureStackCloud";
/// Names of clouds that a cluster's `Infrastructure` object takes, and the installer does not.
pub const NEWER_CLOUDS: &[&str] = &["AzureUSSecCloud"];
/// Names of the clouds.
pub const CLOUDS: &[&str] = &[PUBLIC, US_GOVERNMENT, "AzureChinaCloud", "AzureGermanCloud", STACK];
/// How machines reach the outside.
pub const OUTBOUND_TYPES: &[&str] =
    &["Loadbalancer", "NATGatewaySingleZone", "NATGatewayMultiZone", "UserDefinedRouting"];
/// The same before release 4.20.
pub const OLDER_OUTBOUND_TYPES: &[&str] = &["Loadbalancer", "NatGateway", "UserDefinedRouting"];
/// Types of the start disk.
pub const DISK_TYPES: &[&str] = &["Premium_LRS", "StandardSSD_LRS", "Standard_LRS"];
/// What of a confidential machine's disk is encrypted.
pub const ENCRYPTION_TYPES: &[&str] = &["VMGuestStateOnly", "DiskWithVMGuestState"];
/// Boot diagnostics.
pub const BOOT_DIAGNOSTICS: &[&str] = &["Disabled", "Managed", "UserManaged"];
/// Purchase plans of a marketplace image.
pub const PLANS: &[&str] = &["WithPurchasePlan", "NoPurchasePlan"];
/// Managed identities of machines.
pub const IDENTITY_TYPES: &[&str] = &["None", "UserAssigned"];
/// Switches.
pub const ENABLED: &[&str] = &["Enabled", "Disabled"];
