//! The public DNS zone that the cluster's records go into, and what stands there already.

use futures::future::join_all;
use landfall_model::azure::facts::DnsZone;
use landfall_model::plan::Cluster;
use landfall_platform::cloud::Asked;
use serde::de::IgnoredAny;

use super::{is_hub, refused, resource};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::fault::Fault;
use crate::cloud::session::Session;
use crate::cloud::zones::{self, Zone};

/// The field that says in which group the zone is.
const FIELD: &str = "platform.azure.baseDomainResourceGroupName";

/// The types of records that would be in the way of the cluster's own.
const TYPES: &[&str] = &["A", "AAAA", "CNAME"];

/// The zone of the base domain; none where there is none, or where the cluster needs none.
pub(super) async fn dns_zone(session: &Session<'_>) -> Asked<Option<DnsZone>> {
    let cluster = Cluster::of(session.asking.config);
    let group = session.platform.base_domain_resource_group_name.as_str();
    let hub = is_hub(session);
    if session.platform.has_user_dns() {
        return Ok(None);
    }
    if group.is_empty() || !(hub || cluster.external_api || cluster.external_ingress) {
        return Ok(None);
    }
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let path = resource::resource(&subscription, group, zones::KIND, &cluster.base_domain);
    let found = arm.find::<Zone>(Api::DNS_ZONES, &path, &[]).await;
    let found = found.map_err(|fault| refused(&fault, FIELD))?;
    let Some(Zone { id, name, .. }) = found else {
        return Ok(None);
    };
    let ipv6 = session.asking.config.has_ipv6_services();
    let records = records(arm, &path, &names(&cluster, hub, ipv6), &cluster.base_domain).await;
    let records = records.map_err(|fault| refused(&fault, FIELD))?;
    Ok(Some(DnsZone { id, name, records }))
}

/// The names below the zone that the cluster creates. Without private zones the internal one is there too.
fn names(cluster: &Cluster, hub: bool, ipv6: bool) -> Vec<String> {
    let internal = hub.then_some("api-int");
    let external = (hub || cluster.external_api).then_some("api");
    let ipv6 = (ipv6 && cluster.external_api).then_some("v6-api");
    external.into_iter().chain(internal).chain(ipv6).map(|name| format!("{name}.{}", cluster.name)).collect()
}

/// Those of the names that have a record already, each with its type.
async fn records(arm: &Arm, zone: &str, names: &[String], domain: &str) -> Result<Vec<String>, Fault> {
    let wanted = names.iter().flat_map(|name| TYPES.iter().map(move |kind| (name, *kind)));
    let mut calls = Vec::new();
    for (name, kind) in wanted {
        calls.push(Box::pin(async move {
            let path = format!("{zone}/{kind}/{}", resource::segment(name));
            let found = arm.find::<IgnoredAny>(Api::DNS_ZONES, &path, &[]).await;
            found.map(|found| found.map(|_| format!("{name}.{domain} {kind}")))
        }));
    }
    let mut records = Vec::new();
    for found in join_all(calls).await {
        records.extend(found?);
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::config::InstallConfig;

    fn named(publish: &str, hub: bool) -> Vec<String> {
        let mut config = InstallConfig {
            base_domain: "example.com".to_owned(),
            publish: publish.to_owned(),
            ..InstallConfig::default()
        };
        config.metadata.name = "demo".to_owned();
        names(&Cluster::of(&config), hub, false)
    }

    #[test]
    fn names_are_those_that_the_cluster_makes() {
        assert_eq!(named("External", false), ["api.demo"]);
        assert!(named("Internal", false).is_empty());
        assert_eq!(named("Internal", true), ["api.demo", "api-int.demo"]);
        let cluster =
            Cluster { name: "demo".to_owned(), external_api: true, ..Cluster::of(&InstallConfig::default()) };
        assert_eq!(names(&cluster, false, true), ["api.demo", "v6-api.demo"]);
    }

    #[test]
    fn a_zone_is_known_by_its_id() {
        let text = r#"{"id": "/subscriptions/s/resourceGroups/dns/providers/Microsoft.Network/dnszones/a.b",
            "name": "a.b", "etag": "1", "location": "global"}"#;
        let described: Zone = serde_json::from_str(text).unwrap_or_default();
        assert!(described.id.ends_with("/a.b"));
        assert_eq!(described.name, "a.b");
    }
}
