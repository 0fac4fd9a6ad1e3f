//! The hosted zones that the cluster's records go into, and what stands there already.

use aws_sdk_route53::Client;
use aws_sdk_route53::types::{HostedZone as Listed, HostedZoneConfig, ResourceRecordSet, Vpc};
use landfall_model::aws::facts::HostedZone;
use landfall_model::plan::Cluster;
use landfall_platform::cloud::Asked;

use crate::dns::{self, is_below, is_within, plain};
use crate::fault::Sort;
use crate::session::Session;

/// The field that says where the public zone is.
const BASE_DOMAIN: &str = "baseDomain";

/// The field that names the private zone.
const HOSTED_ZONE: &str = "platform.aws.hostedZone";

/// The most records that are kept: enough to see whose they are.
const MOST_RECORDS: usize = 20;

/// The most pages of a list that are read, should a server never come to an end.
const MOST_PAGES: usize = 100;

/// The public zone of the base domain, for a cluster that can be reached from outside.
pub(super) async fn public_zone(session: &Session<'_>) -> Asked<Option<HostedZone>> {
    let cluster = Cluster::of(session.asking.config);
    if !cluster.external_api || session.platform.has_user_dns() {
        return Ok(None);
    }
    let client = session.route53().await?;
    let Some(mut zone) = find_public(session, client, &cluster.base_domain).await? else {
        return Ok(None);
    };
    zone.records = records(session, client, &zone.id, &cluster.domain, BASE_DOMAIN).await?;
    Ok(Some(zone))
}

/// The private zone that the config names, as its owner sees it.
pub(super) async fn private_zone(session: &Session<'_>) -> Asked<Option<HostedZone>> {
    const CALL: &str = "route53:GetHostedZone";
    let id = session.platform.hosted_zone.as_str();
    if id.is_empty() || session.platform.has_user_dns() {
        return Ok(None);
    }
    let client = session.route53_of_zone().await?;
    let answer = match session.answer(CALL, client.get_hosted_zone().id(id).send()).await {
        Ok(answer) => answer,
        Err(fault) if matches!(fault.sort, Sort::NotFound) => return Ok(None),
        Err(fault) => return Err(fault.verdict(HOSTED_ZONE)),
    };
    let Some(listed) = answer.hosted_zone() else {
        return Ok(None);
    };
    let mut zone = hosted_zone(listed);
    zone.vpcs = answer.vpcs().iter().filter_map(Vpc::vpc_id).map(str::to_owned).collect();
    let domain = Cluster::of(session.asking.config).domain;
    // Planning refuses a zone that cannot hold the cluster's records.
    if is_within(&domain, &zone.name) {
        zone.records = records(session, &client, &zone.id, &domain, HOSTED_ZONE).await?;
    }
    Ok(Some(zone))
}

/// The first public zone of exactly this name. A domain can have several, and private ones besides.
async fn find_public(session: &Session<'_>, client: &Client, domain: &str) -> Asked<Option<HostedZone>> {
    const CALL: &str = "route53:ListHostedZonesByName";
    let mut request = client.list_hosted_zones_by_name().dns_name(domain);
    for _ in 0..MOST_PAGES {
        let page = session.asked(CALL, BASE_DOMAIN, request.send()).await?;
        let wanted = |zone: &&Listed| is_public(zone) && plain(zone.name()) == plain(domain);
        let found = page.hosted_zones().iter().find(wanted);
        if let Some(found) = found {
            return Ok(Some(hosted_zone(found)));
        }
        // The list is sorted by name, so that further zones of this one follow at once.
        let next = page.next_dns_name().filter(|name| page.is_truncated() && plain(name) == plain(domain));
        let Some(next) = next else {
            break;
        };
        let after = page.next_hosted_zone_id().map(str::to_owned);
        request = client.list_hosted_zones_by_name().dns_name(next).set_hosted_zone_id(after);
    }
    Ok(None)
}

fn is_public(zone: &Listed) -> bool {
    !zone.config().is_some_and(HostedZoneConfig::private_zone)
}

fn hosted_zone(listed: &Listed) -> HostedZone {
    let id = listed.id().strip_prefix("/hostedzone/").unwrap_or(listed.id());
    HostedZone { id: id.to_owned(), name: plain(listed.name()), ..HostedZone::default() }
}

/// The records of a zone below the cluster's domain.
async fn records(
    session: &Session<'_>,
    client: &Client,
    zone: &str,
    domain: &str,
    field: &str,
) -> Asked<Vec<String>> {
    let kept = |found: &[ResourceRecordSet]| -> Vec<String> {
        let below = found.iter().filter_map(|set| leftover(set.name(), set.r#type().as_str(), domain));
        below.take(MOST_RECORDS).collect()
    };
    let is_enough = |found: &[ResourceRecordSet]| kept(found).len() == MOST_RECORDS;
    let found = dns::records(session, client, zone, Some(domain), is_enough).await;
    Ok(kept(&found.map_err(|fault| fault.verdict(field))?))
}

/// A record below the cluster's domain as facts show it; none for any other.
fn leftover(name: &str, kind: &str, domain: &str) -> Option<String> {
    let name = plain(name);
    is_below(&name, domain).then(|| format!("{} {kind}", name.replace("\\052", "*")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_an_earlier_cluster_left_and_nothing_else() {
        let left = |name: &str, kind: &str| leftover(name, kind, "test.example.com");
        let kept = Some("api.test.example.com A".to_owned());
        assert_eq!(left("api.test.example.com.", "A"), kept);
        assert_eq!(left("API.test.example.com", "A"), kept);
        assert_eq!(
            left("\\052.apps.test.example.com.", "CNAME"),
            Some("*.apps.test.example.com CNAME".to_owned())
        );
        for other in ["test.example.com.", "api.latest.example.com.", "mytest.example.com.", "example.com."] {
            assert_eq!(left(other, "A"), None, "{other}");
        }
    }

    #[test]
    fn a_domain_is_within_itself_and_its_parents() {
        assert!(is_within("test.example.com", "example.com."));
        assert!(is_within("example.com", "Example.com"));
        assert!(!is_within("example.com", "test.example.com"));
        assert!(!is_within("test-example.com", "example.com"));
    }

    #[test]
    fn a_zone_is_known_by_its_bare_id_and_name() {
        let config = |private: bool| HostedZoneConfig::builder().private_zone(private).build();
        let zone = |private: bool| {
            let zone = Listed::builder().id("/hostedzone/Z1").name("Example.com.").caller_reference("1");
            zone.config(config(private)).build().ok()
        };
        let found = zone(false).as_ref().map(hosted_zone).unwrap_or_default();
        assert_eq!((found.id.as_str(), found.name.as_str()), ("Z1", "example.com"));
        assert_eq!(zone(false).as_ref().map(is_public), Some(true));
        assert_eq!(zone(true).as_ref().map(is_public), Some(false));
    }
}
