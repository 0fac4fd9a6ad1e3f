//! The records of a cluster in public zones: those that mirror records of its private zones, and those that
//! carry its tag.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

use futures::future::join_all;
use landfall_platform::removal::{Discovered, Resource};
use serde::Deserialize;

use super::holdings::Holdings;
use super::kinds::{PRIVATE_ZONES, RECORD, ZONES};
use super::names::{Tags, Whose, group_of, name_of};
use super::{Ask, unseen};
use crate::cloud::api_versions::Api;
use crate::cloud::described::Described;
use crate::cloud::fault::{Fault, Sort};
use crate::cloud::gather::resource;
use crate::cloud::zones::{KIND, Zone};

/// The types of records that belong to a zone itself.
const OF_ZONE: &[&str] = &["SOA", "NS"];

/// A record, with its name below the zone; `@` for the zone itself.
type Record = Described<OfRecord>;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OfRecord {
    metadata: Tags,
}

impl Record {
    /// Its name in lower case with that of its zone. That of the zone itself, `@`, is a name like others: a record of the
    /// user's for a cluster's domain is not the cluster's.
    fn domain(&self, zone: &str) -> String {
        format!("{}.{}", self.name.to_ascii_lowercase(), plain(zone))
    }

    /// Its type, such as `CNAME`.
    fn sort(&self) -> &str {
        name_of(&self.kind)
    }

    fn is_of_zone(&self) -> bool {
        OF_ZONE.iter().any(|sort| self.sort().eq_ignore_ascii_case(sort))
    }
}

/// The names in private zones, by their domains.
pub(super) type Names = BTreeMap<String, BTreeSet<String>>;

/// A domain in lower case, without a dot at its end.
fn plain(domain: &str) -> String {
    domain.trim_end_matches('.').to_ascii_lowercase()
}

/// The records of the cluster in public zones. If their zone is unknown, all zones are searched.
pub(super) async fn records(ask: &Ask<'_>, found: &Holdings) -> Discovered {
    let mut out = Discovered::default();
    let zones = zones(ask, &mut out).await;
    let (private, public): (Vec<Zone>, Vec<Zone>) =
        zones.into_iter().partition(|zone| zone.properties.zone_type.eq_ignore_ascii_case("Private"));
    let own = found.own.iter().filter(|own| own.is_of(PRIVATE_ZONES) && !ask.hub);
    let mut inside: Vec<(Api, String, String)> =
        own.map(|own| (Api::PRIVATE_DNS_ZONES, format!("{}/ALL", own.id), own.name.clone())).collect();
    // Zones of this older sort were private as well.
    let older = private
        .into_iter()
        .filter(|zone| found.own.iter().any(|own| own.is_of(ZONES) && own.id.eq_ignore_ascii_case(&zone.id)));
    inside.extend(older.map(|zone| (Api::DNS_ZONES, format!("{}/recordsets", zone.id), zone.name)));
    names(ask, &inside, &mut out).await;
    // Operators that still run may write a record again, and its private zone is gone by then.
    let names = ask.names.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let looked_at = public.into_iter().filter_map(|zone| {
        let domain = plain(&zone.name);
        let around = names.keys().any(|name| lies_in(name, &domain));
        let given = !ask.dns_group.is_empty()
            && group_of(&zone.id).is_some_and(|group| group.eq_ignore_ascii_case(ask.dns_group));
        let likely =
            ask.dns_group.is_empty() && (ask.base_domain.is_empty() || plain(ask.base_domain) == domain);
        (around || given || likely).then_some((zone, around || given))
    });
    let asked = looked_at.map(|(zone, is_its)| {
        let path = format!("{}/recordsets", zone.id);
        Box::pin(async move { (zone, is_its, inside_zone(ask, Api::DNS_ZONES, &path).await) })
    });
    for (zone, is_its, listed) in join_all(asked).await {
        match listed {
            Ok(listed) => {
                let own = listed.into_iter().filter(|record| is_own(ask, record, &zone.name, &names));
                out.things.extend(own.map(|record| thing(&record, &zone.name)));
            }
            Err(fault) if !is_its && fault.sort == Sort::Denied => {}
            Err(fault) => {
                out.unseen.push(unseen(&format!("the records of the DNS zone `{}`", zone.name), &fault));
            }
        }
    }
    out
}

/// Whether a domain is another one, or lies below it.
fn lies_in(domain: &str, around: &str) -> bool {
    let rest = domain.strip_suffix(around).filter(|_| !around.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// The zones of the subscription; those of the base domain's group alone where nobody may see others.
async fn zones(ask: &Ask<'_>, out: &mut Discovered) -> Vec<Zone> {
    let path = resource::provided(&ask.subscription, KIND);
    let mut listed = ask.arm.list::<Zone>(Api::DNS_ZONES, &path, &[]).await;
    let denied = listed.as_ref().is_err_and(|fault| fault.sort == Sort::Denied);
    if denied && !ask.dns_group.is_empty() {
        let path = format!("{}/providers/{KIND}", resource::group(&ask.subscription, ask.dns_group));
        listed = ask.arm.list::<Zone>(Api::DNS_ZONES, &path, &[]).await;
    }
    match listed {
        Ok(zones) => zones,
        Err(fault) if fault.is_absence() => Vec::new(),
        Err(fault) => {
            out.unseen.push(unseen("the DNS zones of the subscription", &fault));
            Vec::new()
        }
    }
}

/// The records in a zone, by the path of their list below it; none if the zone is gone.
async fn inside_zone(ask: &Ask<'_>, api: Api, path: &str) -> Result<Vec<Record>, Fault> {
    let listed = ask.arm.list(api, path, &[]).await;
    let zone = path.rsplit_once('/').map_or(path, |(zone, _)| zone);
    match listed {
        Err(fault) if fault.is_absence() => {
            let found = Box::pin(ask.arm.find::<Zone>(api, zone, &[])).await?;
            found.map_or(Ok(Vec::new()), |_| Err(fault))
        }
        listed => listed,
    }
}

/// Remembers the names in the cluster's private zones.
async fn names(ask: &Ask<'_>, zones: &[(Api, String, String)], out: &mut Discovered) {
    let asked = zones
        .iter()
        .map(|(api, path, zone)| Box::pin(async move { (zone, inside_zone(ask, *api, path).await) }));
    for (zone, listed) in join_all(asked).await {
        match listed {
            Ok(listed) => {
                // That of the zone itself is nothing that a cluster publishes.
                let own = listed.iter().filter(|record| !record.is_of_zone() && record.name != "@");
                let mut names = ask.names.lock().unwrap_or_else(PoisonError::into_inner);
                names.entry(plain(zone)).or_default().extend(own.map(|record| record.domain(zone)));
            }
            Err(fault) => {
                out.unseen.push(unseen(&format!("the records of the private DNS zone `{zone}`"), &fault));
            }
        }
    }
}

/// Whether a record of a public zone is the cluster's: it carries the cluster's tag, or mirrors a record of its
/// private zones and carries no other cluster's.
fn is_own(ask: &Ask<'_>, record: &Record, zone: &str, names: &Names) -> bool {
    if record.is_of_zone() || record.id.is_empty() {
        return false;
    }
    let metadata = &record.properties.metadata;
    match ask.owner.whose(metadata) {
        Whose::Own => true,
        // There, the key alone says so: `assets.md`, E.6.
        Whose::Shared if ask.hub => !metadata.values().any(|value| value.eq_ignore_ascii_case("shared")),
        Whose::Shared | Whose::Another => false,
        Whose::Nobody => {
            let (domain, name) = (plain(zone), record.domain(zone));
            let mut mirrored = names.iter().filter(|(private, _)| lies_in(private, &domain));
            ask.owner.others(metadata).is_empty() && mirrored.any(|(_, names)| names.contains(&name))
        }
    }
}

fn thing(record: &Record, zone: &str) -> Resource {
    let domain = record.domain(zone);
    let domain = domain.strip_prefix("@.").unwrap_or(&domain);
    Resource::removed(&RECORD, record.id.clone(), format!("{domain} {}", record.sort()))
}

#[cfg(test)]
mod tests {
    use super::super::holdings::Holding;
    use super::*;
    use crate::cloud::arm::Arm;
    use crate::cloud::scripted::{Scripted, scripted};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const ZONES_OF_ALL: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "/subscriptions/s/resourceGroups/dns-rg/providers/Microsoft.Network/dnszones/example.com",
             "name": "example.com", "properties": {"zoneType": "Public"}},
            {"id": "/subscriptions/s/resourceGroups/x/providers/Microsoft.Network/dnszones/ample.com",
             "name": "ample.com", "properties": {"zoneType": "Public"}},
            {"id": "/subscriptions/s/resourceGroups/x/providers/Microsoft.Network/dnszones/demo.example.com",
             "name": "demo.example.com", "properties": {"zoneType": "Public"}}
        ]}"#,
    );
    const INSIDE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "p/SOA/@", "name": "@", "type": "Microsoft.Network/privateDnsZones/SOA"},
            {"id": "p/A/api", "name": "api", "type": "Microsoft.Network/privateDnsZones/A"},
            {"id": "p/A/x", "name": "*.apps", "type": "Microsoft.Network/privateDnsZones/A"},
            {"id": "p/A/y", "name": "@", "type": "Microsoft.Network/privateDnsZones/A"},
            {"id": "p/A/old", "name": "old", "type": "Microsoft.Network/privateDnsZones/A"}
        ]}"#,
    );
    const OUTSIDE: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "r/NS", "name": "@", "type": "Microsoft.Network/dnszones/NS"},
            {"id": "r/0", "name": "demo", "type": "Microsoft.Network/dnszones/A"},
            {"id": "r/1", "name": "API.demo", "type": "Microsoft.Network/dnszones/CNAME"},
            {"id": "r/2", "name": "*.apps.demo", "type": "Microsoft.Network/dnszones/A", "properties": null},
            {"id": "r/3", "name": "api.demo2", "type": "Microsoft.Network/dnszones/A"},
            {"id": "r/4", "name": "old.demo", "type": "Microsoft.Network/dnszones/A",
             "properties": {"metadata": {"kubernetes.io_cluster.other-x1y2z": "owned"}}},
            {"id": "r/5", "name": "else", "type": "Microsoft.Network/dnszones/A",
             "properties": {"metadata": {"kubernetes.io_cluster.demo-bcd24": "owned"}}}
        ]}"#,
    );
    const DENIED: Scripted = (403, &[], r#"{"error": {"code": "AuthorizationFailed", "message": "no"}}"#);
    const OF_CLUSTER: Scripted = (
        200,
        &[],
        r#"{"value": [
            {"id": "c/1", "name": "@", "type": "Microsoft.Network/dnszones/A"},
            {"id": "c/2", "name": "www", "type": "Microsoft.Network/dnszones/A"}
        ]}"#,
    );

    #[tokio::test]
    async fn records_that_mirror_those_of_the_private_zone_are_the_cluster_s() -> Outcome {
        let (arm, script) = scripted(&[ZONES_OF_ALL, INSIDE, OUTSIDE, DENIED, OF_CLUSTER])?;
        let ask = ask(&arm, "");
        let zone = Holding {
            id: "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/privateDnsZones/z".to_owned(),
            name: "demo.example.com".to_owned(),
            kind: "Microsoft.Network/privateDnsZones".to_owned(),
            ..Holding::default()
        };
        let found = Holdings { own: vec![zone], ..Holdings::default() };
        let out = records(&ask, &found).await;
        let names: Vec<&str> = out.things.iter().map(|thing| thing.name.as_str()).collect();
        // What the user has for the cluster's domain itself stays.
        assert_eq!(names, ["api.demo.example.com CNAME", "*.apps.demo.example.com A", "else.example.com A"]);
        assert!(out.unseen.is_empty(), "{:?}", out.unseen);
        assert_eq!(script.asked().len(), 5);
        Ok(())
    }

    #[tokio::test]
    async fn a_zone_whose_records_are_not_found_is_gone_or_unread() -> Outcome {
        const NOT_FOUND: Scripted = (404, &[], r#"{"error": {"code": "ResourceNotFound", "message": "no"}}"#);
        const ZONE: Scripted = (200, &[], r#"{"name": "example.com"}"#);
        const ONE: Scripted = (
            200,
            &[],
            r#"{"value": [{"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/dnszones/example.com",
                "name": "example.com", "properties": {"zoneType": "Public"}}]}"#,
        );
        for (zone, unseen) in [(NOT_FOUND, 0), (ZONE, 1)] {
            let (arm, script) = scripted(&[ONE, NOT_FOUND, zone])?;
            let out = records(&ask(&arm, "example.com"), &Holdings::default()).await;
            assert_eq!((out.unseen.len(), script.asked().len()), (unseen, 3));
        }
        Ok(())
    }

    #[tokio::test]
    async fn without_a_private_zone_tags_are_looked_for_in_the_zone_of_the_base_domain() -> Outcome {
        for (base_domain, calls) in [("example.com", 2), ("", 4)] {
            let (arm, script) = scripted(&[ZONES_OF_ALL, OUTSIDE, DENIED, DENIED])?;
            let out = records(&ask(&arm, base_domain), &Holdings::default()).await;
            let names: Vec<&str> = out.things.iter().map(|thing| thing.name.as_str()).collect();
            assert_eq!((names, script.asked().len()), (vec!["else.example.com A"], calls));
            assert!(out.unseen.is_empty(), "{:?}", out.unseen);
        }
        Ok(())
    }

    fn ask<'a>(arm: &'a Arm, base_domain: &'a str) -> Ask<'a> {
        Ask { base_domain, ..Ask::of_test(arm) }
    }

    #[test]
    fn a_domain_lies_in_another_up_to_a_dot() {
        assert!(lies_in("a.example.com", "example.com") && lies_in("example.com", "example.com"));
        assert!(!lies_in("example.com", "ample.com") && !lies_in("com", "example.com"));
        assert!(!lies_in("example.com", ""));
    }
}
