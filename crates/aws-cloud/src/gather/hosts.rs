//! The dedicated hosts that pools name.

use std::collections::BTreeSet;

use aws_sdk_ec2::types::Host;
use landfall_model::aws::facts::DedicatedHost;
use landfall_platform::cloud::Asked;

use super::network::owners;
use crate::session::Session;

/// The hosts that the config names, sorted by id.
pub(super) async fn dedicated_hosts(session: &Session<'_>) -> Asked<Vec<DedicatedHost>> {
    const CALL: &str = "ec2:DescribeHosts";
    let mut named = BTreeSet::new();
    let mut first = None;
    for (path, pool) in session.asking.config.pools() {
        let placement = pool.platform.aws.iter().filter_map(|settings| settings.host_placement.as_ref());
        let before = named.len();
        named.extend(placement.flat_map(|placement| &placement.dedicated_host).map(|host| host.id.as_str()));
        if named.len() > before && first.is_none() {
            first = Some(format!("{path}.platform.aws.hostPlacement.dedicatedHost"));
        }
    }
    let Some(field) = first else {
        return Ok(Vec::new());
    };
    // A list of ids is refused as a whole where one of them is not there, and there is no filter for ids.
    let ec2 = session.ec2().await?;
    let found = session
        .asked(CALL, &field, ec2.describe_hosts().into_paginator().items().send().try_collect())
        .await?;
    let mut hosts: Vec<DedicatedHost> = found.iter().filter_map(|host| host_of(host, &named)).collect();
    hosts.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(hosts)
}

fn host_of(described: &Host, named: &BTreeSet<&str>) -> Option<DedicatedHost> {
    let id = described.host_id().filter(|id| named.contains(id))?;
    Some(DedicatedHost {
        id: id.to_owned(),
        zone: described.availability_zone().unwrap_or_default().to_owned(),
        owners: owners(described.tags()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_sdk_ec2::types::Tag;

    #[test]
    fn a_host_counts_if_the_config_names_it() {
        let tag = Tag::builder().key("kubernetes.io/cluster/other-x9k2p").value("owned").build();
        let host =
            |id: &str| Host::builder().host_id(id).availability_zone("us-east-1a").tags(tag.clone()).build();
        let named = BTreeSet::from(["h-1"]);
        let [id, zone, owner] = ["h-1", "us-east-1a", "other-x9k2p"].map(str::to_owned);
        let wanted = DedicatedHost { id, zone, owners: vec![owner] };
        assert_eq!(host_of(&host("h-1"), &named), Some(wanted));
        assert_eq!(host_of(&host("h-2"), &named), None);
    }
}
