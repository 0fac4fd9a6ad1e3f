//! Settings that an install config may have and that landfall's own machines and modules do not: better
//! refused than left out.

use super::{NAT_GATEWAY, Planning, pages};
use crate::finding::Findings;

/// NAT gateways, one in each zone.
const NAT_GATEWAYS: &str = "NATGatewayMultiZone";

/// Refuses each of them.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let platform = planning.platform;
    let outbound = platform.outbound_type.as_str();
    let existing = !platform.virtual_network.is_empty();
    let settings = [
        ("userProvisionedDNS", platform.user_provisioned_dns == "Enabled", "DNS records of the user's own"),
        ("customerManagedKey", platform.customer_managed_key.is_some(), "a key of the storage account"),
        (
            "allowSharedKeyAccess",
            platform.allow_shared_key_access == Some(false),
            "a storage account without keys",
        ),
        ("outboundType", outbound == NAT_GATEWAYS, "a NAT gateway in each zone"),
        ("outboundType", outbound == NAT_GATEWAY.0 && existing, "a NAT gateway in an existing network"),
    ];
    for (field, _, what) in settings.into_iter().filter(|(_, wanted, _)| *wanted) {
        out.push(pages::not_made(&format!("platform.azure.{field}"), what));
    }
    for (path, pool) in planning.case.config.pools() {
        let Some(machines) = &pool.platform.azure else { continue };
        let disks = machines.data_disks.as_ref().is_some_and(|disks| !disks.is_empty());
        let settings = [
            ("bootDiagnostics", machines.boot_diagnostics.is_some(), "a choice of boot diagnostics"),
            ("identity", machines.identity.is_some(), "a choice of identities"),
            ("dataDisks", disks, "extra disks"),
        ];
        for (field, _, what) in settings.into_iter().filter(|(_, wanted, _)| *wanted) {
            out.push(pages::not_made(&format!("{path}.platform.azure.{field}"), what));
        }
    }
}
