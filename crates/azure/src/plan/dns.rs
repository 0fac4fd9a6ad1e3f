//! The zones that the cluster's names go into (`assets.md`, B.4 and F.6).

use landfall_diagnostics::Findings;
use landfall_model::azure::facts::DnsZone;
use landfall_model::azure::planned::Dns;
use landfall_model::plan::Cluster;

use super::{Planning, cloud_pages};

/// The zones in which the cluster's names are. The public one is used by the cluster for the names of its
/// applications.
pub(super) fn zones(planning: &Planning<'_>, cluster: &Cluster, subscription: &str) -> Dns {
    let zone = |group: &str, kind: &str, domain: &str| {
        let network = "providers/Microsoft.Network";
        format!("/subscriptions/{subscription}/resourceGroups/{group}/{network}/{kind}/{domain}")
    };
    let public =
        || zone(&planning.platform.base_domain_resource_group_name, "dnszones", &cluster.base_domain);
    let private = || zone(&planning.group(), "privateDnsZones", &cluster.domain);
    let by_cloud = !planning.platform.has_user_dns();
    Dns {
        public_zone: (by_cloud && cluster.external_ingress).then(public),
        private_zone: (by_cloud && !planning.stack()).then(private),
    }
}

/// Looks at the public zone of the base domain, where something of the cluster goes into it. On a Stack Hub
/// that is even the names for its inside.
pub(super) fn check(planning: &Planning<'_>, cluster: &Cluster, out: &mut Findings) {
    let group = planning.platform.base_domain_resource_group_name.as_str();
    let used = planning.stack() || cluster.external_api || cluster.external_ingress;
    if group.is_empty() || !used || !planning.of_cloud() || planning.platform.has_user_dns() {
        return;
    }
    let found = planning.facts.dns_zone.as_ref().filter(|zone| is_of(zone, &cluster.base_domain));
    match found {
        None if planning.asked() => out.push(cloud_pages::no_dns_zone(&cluster.base_domain, group)),
        Some(zone) => {
            let records = planning.case.foreign_records(&zone.records);
            if !records.is_empty() {
                let left = DnsZone { records, ..zone.clone() };
                out.push(cloud_pages::records_left(&left, &cluster.base_domain, planning.case.installed));
            }
        }
        _ => {}
    }
}

/// Whether a zone is that of a domain. One without a name is the one that was asked for.
fn is_of(zone: &DnsZone, domain: &str) -> bool {
    let name = zone.name.trim_end_matches('.');
    name.is_empty() || name.eq_ignore_ascii_case(domain)
}
