//! The hosted zones that the cluster's names go into (`assets.md`, B.4 and F.4).

use landfall_diagnostics::Findings;
use landfall_model::aws::facts::HostedZone;
use landfall_model::plan::Cluster;

use super::{Planning, cloud_pages, pages};

/// The public zone of the base domain, for a cluster that can be reached from outside.
pub(super) fn public_zone(planning: &Planning<'_>, cluster: &Cluster, out: &mut Findings) -> Option<String> {
    if !cluster.external_api || planning.platform.has_user_dns() {
        return None;
    }
    let Some(zone) = &planning.facts.public_zone else {
        out.push(if planning.asked() {
            cloud_pages::no_public_zone(&cluster.base_domain)
        } else {
            pages::zone_not_known(&cluster.base_domain, planning.offline())
        });
        return None;
    };
    let left = foreign(planning, zone);
    if !left.records.is_empty() {
        out.push(cloud_pages::public_records(&left, &cluster.domain, planning.case.installed));
    }
    Some(zone.id.clone())
}

/// Looks at the private zone that the config names.
pub(super) fn check_hosted_zone(planning: &Planning<'_>, cluster: &Cluster, out: &mut Findings) {
    let id = planning.platform.hosted_zone.as_str();
    if id.is_empty() || planning.platform.has_user_dns() {
        return;
    }
    let Some(zone) = &planning.facts.private_zone else {
        if planning.asked() {
            out.push(cloud_pages::no_hosted_zone(id, !planning.platform.hosted_zone_role.is_empty()));
        }
        return;
    };
    let vpc = planning.facts.vpc.as_str();
    if planning.asked() && !vpc.is_empty() && !zone.vpcs.iter().any(|served| served == vpc) {
        out.push(cloud_pages::not_associated(zone, vpc));
    }
    if planning.asked() && !zone.name.is_empty() && !covers(&zone.name, &cluster.domain) {
        out.push(cloud_pages::other_domain(zone, &cluster.domain));
    }
    let left = foreign(planning, zone);
    if !left.records.is_empty() {
        out.push(cloud_pages::private_records(&left, &cluster.domain, planning.case.installed));
    }
}

/// A zone without the cluster's own records.
fn foreign(planning: &Planning<'_>, zone: &HostedZone) -> HostedZone {
    HostedZone { records: planning.case.foreign_records(&zone.records), ..zone.clone() }
}

/// Whether a zone is that of a domain or of a parent of it.
fn covers(zone: &str, domain: &str) -> bool {
    let (zone, domain) = (zone.trim_end_matches('.').to_lowercase(), domain.to_lowercase());
    domain == zone || domain.strip_suffix(zone.as_str()).is_some_and(|below| below.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::covers;

    #[test]
    fn a_parent_ends_at_a_label() {
        let domain = "demo.example.com";
        assert!(["demo.example.com", "Example.com", "com."].iter().all(|zone| covers(zone, domain)));
        assert!(!["other.example.com", "ample.com", "a.demo.example.com"].iter().any(|z| covers(z, domain)));
    }
}
