//! The public DNS zones that a cluster's names can go into.

use landfall_platform::cloud::{Asked, PublicZone};
use serde::Deserialize;

use super::api_versions::Api;
use super::gather::{nullable, refused, resource};
use super::session::Session;

/// The field that a zone's domain is chosen for.
const FIELD: &str = "baseDomain";

/// Provider and type of public zones, which older interfaces know private ones by, too.
const KIND: &str = "Microsoft.Network/dnsZones";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Described {
    #[serde(deserialize_with = "nullable")]
    id: String,
    #[serde(deserialize_with = "nullable")]
    name: String,
    #[serde(deserialize_with = "nullable")]
    properties: Properties,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    /// `Public` or `Private`; empty on a Stack Hub, which has public ones only.
    #[serde(deserialize_with = "nullable")]
    zone_type: String,
}

/// The public zones of the subscription, sorted by domain.
pub(super) async fn public_zones(session: &Session<'_>) -> Asked<Vec<PublicZone>> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let path = resource::provided(&subscription, KIND);
    let listed = arm.list::<Described>(Api::DnsZones, &path, &[]).await;
    Ok(public(listed.map_err(|fault| refused(&fault, FIELD))?))
}

fn public(listed: Vec<Described>) -> Vec<PublicZone> {
    let is_public = |zone: &Described| {
        let kind = zone.properties.zone_type.as_str();
        !zone.name.is_empty() && (kind.is_empty() || kind.eq_ignore_ascii_case("Public"))
    };
    let public = listed.into_iter().filter(is_public);
    let mut zones: Vec<PublicZone> = public
        .map(|zone| PublicZone {
            domain: zone.name.trim_end_matches('.').to_owned(),
            group: group_of(&zone.id).map(str::to_owned),
        })
        .collect();
    zones.sort();
    zones.dedup();
    zones
}

/// The resource group in the id of a resource.
fn group_of(id: &str) -> Option<&str> {
    let mut parts = id.split('/').skip_while(|part| !part.eq_ignore_ascii_case("resourceGroups"));
    parts.nth(1).filter(|group| !group.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_zones_are_told_with_their_groups() {
        let text = r#"[
            {"id": "/subscriptions/s/resourceGroups/dns-b/providers/Microsoft.Network/dnszones/b.example",
             "name": "b.example", "properties": {"zoneType": "Public"}},
            {"id": "/subscriptions/s/resourcegroups/dns-a/providers/Microsoft.Network/dnszones/a.example",
             "name": "a.example", "properties": {}},
            {"id": "/subscriptions/s/resourceGroups/x/providers/Microsoft.Network/dnszones/in.example",
             "name": "in.example", "properties": {"zoneType": "Private"}},
            {"id": null, "name": "c.example", "properties": null}
        ]"#;
        let listed: Vec<Described> = serde_json::from_str(text).unwrap_or_default();
        let zones = public(listed);
        let told: Vec<(&str, Option<&str>)> =
            zones.iter().map(|zone| (zone.domain.as_str(), zone.group.as_deref())).collect();
        let expected = [("a.example", Some("dns-a")), ("b.example", Some("dns-b")), ("c.example", None)];
        assert_eq!(told, expected);
    }
}
