//! What every cluster on Azure has: `docs/install-config.md`, section 11.1.

use landfall_diagnostics::{Code, Finding, Findings, Kind};

use super::super::config::Platform;
use super::super::values;

/// The region is missing.
pub const REGION: Code = Code::new("LF0501");
/// The resource group of the public DNS zone is missing.
pub const DNS_GROUP: Code = Code::new("LF0502");
/// The address family is not known.
pub const IP_FAMILY: Code = Code::new("LF0503");

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
