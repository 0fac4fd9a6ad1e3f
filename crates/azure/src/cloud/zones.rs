//! The public DNS zones that a cluster's names can go into.

use landfall_platform::cloud::{Asked, PublicZone};
use serde::Deserialize;

use super::api_versions::Api;
use super::described::Described;
use super::gather::{refused, resource};
use super::session::Session;

/// The field that a zone's domain is chosen for.
const FIELD: &str = "baseDomain";

/// Provider and type of public zones, which older interfaces know private ones by, too.
pub(super) const KIND: &str = "Microsoft.Network/dnsZones";

/// A public zone, or a private one of the older sort.
pub(super) type Zone = Described<OfZone>;

/// The properties of a zone.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct OfZone {
    /// `Public` or `Private`; empty on a Stack Hub, which has public ones only.
    pub(super) zone_type: String,
}

/// The public zones of the subscription, sorted by domain.
pub(super) async fn public_zones(session: &Session<'_>) -> Asked<Vec<PublicZone>> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let path = resource::provided(&subscription, KIND);
    let listed = arm.list::<Zone>(Api::DNS_ZONES, &path, &[]).await;
    Ok(public(listed.map_err(|fault| refused(&fault, FIELD))?))
}

fn public(listed: Vec<Zone>) -> Vec<PublicZone> {
    let is_public = |zone: &Zone| {
        let kind = zone.properties.zone_type.as_str();
        !zone.name.is_empty() && (kind.is_empty() || kind.eq_ignore_ascii_case("Public"))
    };
    let public = listed.into_iter().filter(is_public);
    let mut zones: Vec<PublicZone> = public
        .map(|zone| PublicZone {
            domain: zone.name.trim_end_matches('.').to_owned(),
            group: resource::group_of(&zone.id).map(str::to_owned),
        })
        .collect();
    zones.sort();
    zones.dedup();
    zones
}

#[cfg(test)]
mod tests {
    use super::super::described::of_text;
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
        let listed: Vec<Zone> = of_text(text).unwrap_or_default();
        let zones = public(listed);
        let told: Vec<(&str, Option<&str>)> =
            zones.iter().map(|zone| (zone.domain.as_str(), zone.group.as_deref())).collect();
        let expected = [("a.example", Some("dns-a")), ("b.example", Some("dns-b")), ("c.example", None)];
        assert_eq!(told, expected);
    }
}
