//! What every cluster on Azure has: `docs/install-config.md`, section 11.1.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};

use super::super::config::Platform;
use super::super::values;

/// The region is missing.
pub const REGION: Page = Page {
    code: "LF0501",
    title: "a cluster on Azure has a region",
    text: "The region is the location that all of the cluster's resources are made in. Any name is taken \
           here; whether the subscription has the location shows only when it is asked.",
    severity: Severity::Error,
    fields: &["platform.azure.region"],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    baseDomainResourceGroupName: dns-rg
",
    good: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
",
};
/// The resource group of the public DNS zone is missing.
pub const DNS_GROUP: Page = Page {
    code: "LF0502",
    title: "a cluster with a public name says which resource group its DNS zone is in",
    text: "Unless `publish` is `Internal`, records of the cluster are made in the public DNS zone of the \
           base domain, and Azure finds a zone by its resource group. With `publish: Internal` there are \
           no such records.",
    severity: Severity::Error,
    fields: &["platform.azure.baseDomainResourceGroupName", "publish"],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    region: eastus
",
    good: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
",
};
/// The address family is not known.
pub const IP_FAMILY: Page = Page {
    code: "LF0503",
    title: "`ipFamily` is one of the address families that Azure has",
    text: "`IPv4` is the default. The two dual-stack values give the machines addresses of both families; \
           they are previews and need a feature gate.",
    severity: Severity::Error,
    fields: &["platform.azure.ipFamily"],
    base: Base::Azure,
    bad: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    ipFamily: ipv4
",
    good: "\
platform:
  azure:
    region: eastus
    baseDomainResourceGroupName: dns-rg
    ipFamily: IPv4
",
};

pub(super) fn check(azure: &Platform, publish: &str, out: &mut Findings) {
    if azure.region.is_empty() {
        let message = "the region is missing";
        out.push(
            Finding::error(&REGION, Kind::Required, "platform.azure.region", message)
                .help("add `region: eastus`, or another one of `az account list-locations -o table`"),
        );
    }
    if azure.base_domain_resource_group_name.is_empty() && publish != "Internal" {
        let field = "platform.azure.baseDomainResourceGroupName";
        let message = "the resource group of the base domain's public DNS zone is missing";
        out.push(Finding::error(&DNS_GROUP, Kind::Required, field, message).help(
            "add `baseDomainResourceGroupName`; `az network dns zone list -o table` shows the groups of \
             your zones",
        ));
    }
    let family = azure.ip_family.as_str();
    if !family.is_empty() && !values::IP_FAMILIES.contains(&family) {
        let field = "platform.azure.ipFamily";
        out.push(Finding::not_supported(&IP_FAMILY, field, family, values::IP_FAMILIES));
    }
}
