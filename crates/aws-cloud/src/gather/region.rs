//! The region: whether the account may use it, and its zones.

use aws_sdk_ec2::Client;
use aws_sdk_ec2::types::{AvailabilityZone, AvailabilityZoneOptInStatus, AvailabilityZoneState, Region};
use landfall_model::aws::facts::{AVAILABILITY_ZONE, Zone};
use landfall_platform::cloud::Asked;

use super::{REGION, filter};
use crate::endpoints::Service;
use crate::fault::Fault;
use crate::session::Session;

/// What the account may do with the region; empty where the cloud does not list the region.
pub(super) async fn opt_in(session: &Session<'_>) -> Asked<String> {
    if let Some(off) = session.off().await {
        return Ok(off.opt_in.clone());
    }
    let ec2 = session.ec2().await?;
    let fault = match opt_in_of(session, ec2).await {
        Ok(status) => return Ok(status),
        Err(fault) => fault,
    };
    let off = session.refused_by(Service::Ec2, &fault).await.filter(|abroad| abroad.is_off());
    off.map_or_else(|| Err(fault.verdict(REGION)), |abroad| Ok(abroad.opt_in.clone()))
}

/// The same, as EC2 of any region says.
pub(crate) async fn opt_in_of(session: &Session<'_>, ec2: &Client) -> Result<String, Box<Fault>> {
    const CALL: &str = "ec2:DescribeRegions";
    let region = session.region();
    let request = ec2.describe_regions().all_regions(true).filters(filter("region-name", [region]));
    let answer = session.answer(CALL, request.send()).await.map_err(Box::new)?;
    let listed = answer.regions().iter().find(|listed| listed.region_name() == Some(region));
    Ok(listed.and_then(Region::opt_in_status).unwrap_or_default().to_owned())
}

/// The zones of the region, sorted by name.
pub(super) async fn zones(session: &Session<'_>) -> Asked<Vec<Zone>> {
    const CALL: &str = "ec2:DescribeAvailabilityZones";
    let ec2 = session.ec2().await?;
    let request = ec2
        .describe_availability_zones()
        .all_availability_zones(true)
        .filters(filter("region-name", [session.region()]))
        .filters(filter("state", ["available"]));
    let answer = session.asked(CALL, REGION, request.send()).await?;
    let mut zones: Vec<Zone> = answer.availability_zones().iter().filter_map(zone).collect();
    zones.sort_by(|a, b| a.name.cmp(&b.name));
    zones.dedup_by(|a, b| a.name == b.name);
    Ok(zones)
}

/// A zone that can be used; what the cloud leaves out stays empty.
fn zone(described: &AvailabilityZone) -> Option<Zone> {
    let available = described.state().is_none_or(|state| *state == AvailabilityZoneState::Available);
    let name = described.zone_name().filter(|_| available)?;
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let kind = text(described.zone_type());
    let ordinary = kind.is_empty() || kind == AVAILABILITY_ZONE;
    Some(Zone {
        name: name.to_owned(),
        kind,
        group: if ordinary { String::new() } else { text(described.group_name()) },
        parent: text(described.parent_zone_name()),
        not_opted_in: described.opt_in_status() == Some(&AvailabilityZoneOptInStatus::NotOptedIn),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_zone_keeps_its_group_and_parent() {
        let described = AvailabilityZone::builder()
            .zone_name("us-east-1-nyc-1a")
            .zone_type("local-zone")
            .group_name("us-east-1-nyc-1")
            .parent_zone_name("us-east-1f")
            .opt_in_status(AvailabilityZoneOptInStatus::NotOptedIn)
            .state(AvailabilityZoneState::Available)
            .build();
        let expected = Zone {
            name: "us-east-1-nyc-1a".to_owned(),
            kind: "local-zone".to_owned(),
            group: "us-east-1-nyc-1".to_owned(),
            parent: "us-east-1f".to_owned(),
            not_opted_in: true,
        };
        assert_eq!(zone(&described), Some(expected));
    }

    #[test]
    fn a_zone_of_few_words_is_kept_and_one_that_is_down_is_not() {
        let bare = AvailabilityZone::builder().zone_name("us-gov-west-1a").build();
        let expected = Zone { name: "us-gov-west-1a".to_owned(), ..Zone::default() };
        assert_eq!(zone(&bare), Some(expected));
        let down = AvailabilityZone::builder().zone_name("a").state(AvailabilityZoneState::Impaired).build();
        assert_eq!(zone(&down), None);
        assert_eq!(zone(&AvailabilityZone::builder().build()), None);
    }

    #[test]
    fn an_ordinary_zone_has_no_group() {
        let described = AvailabilityZone::builder()
            .zone_name("us-east-1a")
            .zone_type(AVAILABILITY_ZONE)
            .group_name("us-east-1-zg-1")
            .build();
        assert_eq!(zone(&described).map(|zone| zone.group), Some(String::new()));
    }
}
