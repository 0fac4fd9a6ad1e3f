//! The Azure clouds, and what only one of them has: `docs/install-config.md`, section 11.2.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};

use super::super::catalogue::Catalogue;
use super::super::config::Platform;
use super::shown;

/// The cloud is not known.
pub const CLOUD_NAME: Page = Page {
    code: "LF0504",
    title: "`cloudName` is one of the Azure clouds",
    text: "Each cloud has endpoints, accounts and regions of its own. The name is written in exactly this \
           spelling; without one it is the public cloud. A catalogue overlay can add a cloud.",
    severity: Severity::Error,
    fields: &["platform.azure.cloudName"],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    region: usgovvirginia
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureUSGovernment
",
    good: "\
platform:
  azure:
    region: usgovvirginia
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureUSGovernmentCloud
",
};
/// An Azure Stack Hub without its endpoint.
pub const STACK_ENDPOINT: Page = Page {
    code: "LF0505",
    title: "an Azure Stack Hub has an `armEndpoint`",
    text: "An Azure Stack Hub is run by its owner, so nobody but its operator knows the address of its \
           resource manager. From that address all the others are asked.",
    severity: Severity::Error,
    fields: &["platform.azure.armEndpoint", "platform.azure.cloudName"],
    base: Base::AzureStack,
    bad: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
",
    good: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
",
};
/// A setting of an Azure Stack Hub in another cloud.
pub const STACK_ONLY: Page = Page {
    code: "LF0506",
    title: "`armEndpoint` and `clusterOSImage` are for an Azure Stack Hub only",
    text: "The other clouds have known endpoints and get their image from the release. The OpenShift \
           installer calls this error `Required`, although the field must not be there.",
    severity: Severity::Error,
    fields: &["platform.azure.armEndpoint", "platform.azure.clusterOSImage", "platform.azure.cloudName"],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    armEndpoint: https://management.azure.com
",
    good: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
",
};
/// A way to the outside that an Azure Stack Hub does not have.
pub const STACK_OUTBOUND: Page = Page {
    code: "LF0507",
    title: "on an Azure Stack Hub the machines reach the outside through a load balancer",
    text: "An Azure Stack Hub has no NAT gateways, and routes of the user's own are not supported there.",
    severity: Severity::Error,
    fields: &["platform.azure.outboundType", "platform.azure.cloudName"],
    base: Base::AzureStack,
    bad: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
    outboundType: NATGatewaySingleZone
",
    good: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
    outboundType: Loadbalancer
",
};
/// DNS records of the user on an Azure Stack Hub.
pub const STACK_DNS: Page = Page {
    code: "LF0508",
    title: "`userProvisionedDNS` is not for an Azure Stack Hub",
    text: "DNS records of the user's own are not supported there, so not even `Disabled` may be written.",
    severity: Severity::Error,
    fields: &["platform.azure.userProvisionedDNS", "platform.azure.cloudName"],
    base: Base::AzureStack,
    bad: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
    userProvisionedDNS: Enabled
",
    good: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
",
};
/// No shared keys on an Azure Stack Hub.
pub const STACK_SHARED_KEY: Page = Page {
    code: "LF0509",
    title: "on an Azure Stack Hub the storage account is used with its keys",
    text: "Access by identity alone, which `allowSharedKeyAccess: false` asks for, is not supported on an \
           Azure Stack Hub.",
    severity: Severity::Error,
    fields: &["platform.azure.allowSharedKeyAccess", "platform.azure.cloudName"],
    base: Base::AzureStack,
    bad: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
    allowSharedKeyAccess: false
",
    good: "\
platform:
  azure:
    region: local
    baseDomainResourceGroupName: dns-rg
    cloudName: AzureStackCloud
    armEndpoint: https://management.local.example.com
    allowSharedKeyAccess: true
",
};

pub(super) fn check(azure: &Platform, catalogue: &Catalogue, out: &mut Findings) {
    let cloud = azure.cloud_name.as_str();
    let known: Vec<&str> = catalogue.clouds.keys().map(String::as_str).collect();
    if !known.contains(&cloud) {
        let field = "platform.azure.cloudName";
        let mut finding = Finding::not_supported(&CLOUD_NAME, field, cloud, &known);
        if finding.help.is_none() {
            finding = finding.help("name one of these, or add the cloud in a catalogue overlay");
        }
        out.push(finding);
    }
    if catalogue.is_stack(cloud) {
        check_stack(azure, out);
    } else {
        check_others(azure, out);
    }
}

fn check_others(azure: &Platform, out: &mut Findings) {
    let fields = [("armEndpoint", azure.arm_endpoint.expose()), ("clusterOSImage", &azure.cluster_os_image)];
    for (name, _) in fields.iter().filter(|(_, value)| !value.is_empty()) {
        let cloud = shown(&azure.cloud_name);
        let message = format!("`{name}` is for `AzureStackCloud` only, and the cloud is {cloud}");
        let field = format!("platform.azure.{name}");
        out.push(
            Finding::error(&STACK_ONLY, Kind::Required, field, message)
                .help(format!("remove `{name}`, or write `cloudName: AzureStackCloud`")),
        );
    }
}

fn check_stack(azure: &Platform, out: &mut Findings) {
    if azure.arm_endpoint.is_empty() {
        let message = "the address of the Azure Stack Hub's resource manager is missing";
        out.push(
            Finding::error(&STACK_ENDPOINT, Kind::Required, "platform.azure.armEndpoint", message)
                .help("add `armEndpoint: https://management.<region>.<domain of the hub>`"),
        );
    }
    if azure.outbound_type != "Loadbalancer" {
        let value = shown(&azure.outbound_type);
        let message = format!("an Azure Stack Hub has `Loadbalancer` only, not {value}");
        out.push(
            Finding::error(&STACK_OUTBOUND, Kind::Invalid, "platform.azure.outboundType", message)
                .help("remove `outboundType`"),
        );
    }
    if !azure.user_provisioned_dns.is_empty() {
        let value = shown(&azure.user_provisioned_dns);
        let message = format!("an Azure Stack Hub takes no `userProvisionedDNS`, not even {value}");
        out.push(
            Finding::error(&STACK_DNS, Kind::Invalid, "platform.azure.userProvisionedDNS", message)
                .help("remove `userProvisionedDNS`"),
        );
    }
    if azure.allow_shared_key_access == Some(false) {
        let message = "an Azure Stack Hub has no storage accounts without keys";
        out.push(
            Finding::error(&STACK_SHARED_KEY, Kind::Invalid, "platform.azure.allowSharedAccessKey", message)
                .at("platform.azure.allowSharedKeyAccess")
                .help("remove `allowSharedKeyAccess`"),
        );
    }
}
