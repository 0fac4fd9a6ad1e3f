//! Records: those of a cluster's zone, and those of the public zone that mirror them (`assets.md`, E.4 and
//! E.5).
//!
//! A name alone says nothing of whose a record is: a newer cluster can have the same. A public record is the
//! cluster's if it has the values of the private one, or leads to a load balancer of the cluster. It goes
//! before the private one that tells of it: while that one is there, it is found again.

use std::collections::BTreeMap;

use aws_sdk_route53::Client;
use aws_sdk_route53::types::{ResourceRecordSet, RrType};
use landfall_platform::removal::Disposition;

use super::zones::{self, Zone};
use super::{Look, Part};
use crate::removal::arn;
use crate::removal::dns::{Balancers, is_below, is_within, plain, targets};
use crate::removal::graph::Node;
use crate::removal::kinds;
use crate::removal::known::Record;
use crate::removal::pages;
use crate::session::Lost;

const LIST: &str = "route53:ListResourceRecordSets";

/// The most pages of a list that are read, should a server never come to an end.
const MOST_PAGES: usize = 10_000;

/// What of two zones has the names of a cluster.
#[derive(Debug)]
pub(super) struct Listed {
    /// The zone that the cluster owns or uses.
    zone: Zone,
    /// Its records.
    own: Vec<ResourceRecordSet>,
    /// Whether the zone alone says that these are the cluster's.
    certain: bool,
    /// The public zone, and its records of the same names and types.
    public: Option<(Zone, Vec<ResourceRecordSet>)>,
}

/// A zone of the cluster, and what is to be judged of its records and of those of the public zone that have
/// the same names and types. In a zone that the cluster only uses, it is what is below the cluster's domain.
pub(super) async fn of_zone(
    look: Look<'_>,
    zone: &Zone,
    fate: Disposition,
    all: &[Zone],
) -> Result<(Part, Option<Listed>), Lost> {
    let mut part = Part::default();
    let mut node = Node::new(&kinds::HOSTED_ZONE, &zone.id, look.home.hosted_zone(&zone.id), fate);
    node.name.clone_from(&zone.name);
    part.nodes.push(node);
    let cluster = look.removal.cluster_domain();
    if fate == Disposition::Released && cluster.is_empty() {
        part.notes.push(pages::no_domain(&zone.name));
    }
    let domain = if fate == Disposition::Removed { zone.name.as_str() } else { cluster };
    if domain.is_empty() || (fate == Disposition::Released && !is_within(cluster, &zone.name)) {
        return Ok((part, None));
    }
    let client = zones::client(look, zone.by_role).await?;
    let mut own = Box::pin(records(look, &client, &zone.id, domain)).await?;
    own.retain(|set| may_be_own(set, zone, fate, domain));
    if own.is_empty() {
        return Ok((part, None));
    }
    let mut public = None;
    if let Some(closest) = closest_public(zone, all).filter(|_| zone.private) {
        let client = zones::client(look, false).await?;
        let mut found = Box::pin(records(look, &client, &closest.id, domain)).await?;
        found.retain(|set| may_be_mirror(set, &own));
        public = Some((closest.clone(), found));
    }
    let certain = fate == Disposition::Removed || look.removal.is_sure_of_domain();
    Ok((part, Some(Listed { zone: zone.clone(), own, certain, public })))
}

/// Whether a record of a zone can go with the cluster. Those that make the zone itself go with it.
fn may_be_own(set: &ResourceRecordSet, zone: &Zone, fate: Disposition, domain: &str) -> bool {
    let of_zone = [RrType::Ns, RrType::Soa].contains(set.r#type()) && plain(set.name()) == zone.name;
    !of_zone && (fate == Disposition::Removed || is_below(set.name(), domain))
}

/// Whether a public record can mirror one of the cluster's. A delegation is nobody's mirror.
fn may_be_mirror(set: &ResourceRecordSet, own: &[ResourceRecordSet]) -> bool {
    *set.r#type() != RrType::Ns && own.iter().any(|one| mirror(one) == mirror(set))
}

/// What a record and its mirror in another zone have in common.
fn mirror(set: &ResourceRecordSet) -> (String, String) {
    (plain(set.name()), set.r#type().as_str().to_owned())
}

/// Which of the records are the cluster's. The others stay, and are told.
pub(super) fn judged(listed: Listed, balancers: Balancers<'_>) -> Part {
    let Listed { zone, own, certain, public } = listed;
    let mut part = Part::default();
    let is_own = |set: &ResourceRecordSet| certain || balancers.are_led_to(set);
    let (own, foreign): (Vec<_>, Vec<_>) = own.into_iter().partition(is_own);
    leave(&mut part, &zone, &foreign);
    let mut mirrors: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    if let Some((public, found)) = public {
        let is_equal = |set: &ResourceRecordSet, one: &ResourceRecordSet| {
            mirror(one) == mirror(set) && targets(one) == targets(set)
        };
        let is_mirror =
            |set: &ResourceRecordSet| own.iter().any(|one| is_equal(set, one)) || balancers.are_led_to(set);
        let (mirroring, foreign): (Vec<_>, Vec<_>) = found.into_iter().partition(is_mirror);
        leave(&mut part, &public, &foreign);
        for set in mirroring {
            let key = mirror(&set);
            let id = put(&mut part, &public, set, Vec::new());
            mirrors.entry(key).or_default().push(id);
        }
    }
    for set in own {
        let after = mirrors.get(&mirror(&set)).cloned().unwrap_or_default();
        put(&mut part, &zone, set, after);
    }
    part
}

/// Tells of records with names of the cluster that lead elsewhere.
fn leave(part: &mut Part, zone: &Zone, sets: &[ResourceRecordSet]) {
    let told = |set: &ResourceRecordSet| {
        let targets: Vec<String> = targets(set).into_iter().collect();
        format!("{} {} to {}", shown(set), set.r#type().as_str(), targets.join(" and "))
    };
    let told: Vec<String> = sets.iter().map(told).collect();
    if !told.is_empty() {
        part.notes.push(pages::lead_elsewhere(&zone.name, &told));
    }
}

/// The name of a record as people write it.
fn shown(set: &ResourceRecordSet) -> String {
    plain(set.name()).replace("\\052", "*")
}

/// Takes a record in; its id.
fn put(part: &mut Part, zone: &Zone, set: ResourceRecordSet, after: Vec<String>) -> String {
    let name = shown(&set);
    let id = arn::record(&zone.id, set.r#type().as_str(), &name, set.set_identifier());
    let mut node = Node::new(&kinds::RECORD, &id, id.clone(), Disposition::Removed);
    node.name = format!("{name} {} in {}", set.r#type().as_str(), zone.name);
    node.mentions.push(zone.id.clone());
    node.after = after;
    part.nodes.push(node);
    let record = Record { zone: zone.id.clone(), by_zone_role: zone.by_role, set };
    part.known.records.insert(id.clone(), record);
    id
}

/// The public zone of the account that a private zone's names are published in: that of the same name, or
/// else of the nearest domain above it.
fn closest_public<'z>(zone: &Zone, all: &'z [Zone]) -> Option<&'z Zone> {
    let public = all.iter().filter(|other| !other.private && !other.by_role);
    public.filter(|other| is_within(&zone.name, &other.name)).max_by_key(|other| other.name.len())
}

/// The records of a zone that are of a domain or below it.
async fn records(
    look: Look<'_>,
    client: &Client,
    zone: &str,
    domain: &str,
) -> Result<Vec<ResourceRecordSet>, Lost> {
    let list = || client.list_resource_record_sets().hosted_zone_id(zone);
    let mut found: Vec<ResourceRecordSet> = Vec::new();
    // The list is sorted with the labels of names turned round: what is below a domain stands together.
    let mut request = list().start_record_name(domain);
    for _ in 0..MOST_PAGES {
        let page = Box::pin(request.send()).await;
        let page = page.map_err(|error| Lost::Fault(look.removal.session.fault(LIST, &error)))?;
        let within = page.resource_record_sets().iter().filter(|set| is_within(set.name(), domain));
        found.extend(within.cloned());
        let more = page.is_truncated();
        let Some(next) = page.next_record_name().filter(|next| more && is_within(next, domain)) else {
            break;
        };
        request = list()
            .start_record_name(next)
            .set_start_record_type(page.next_record_type().cloned())
            .set_start_record_identifier(page.next_record_identifier().map(str::to_owned));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aws_sdk_route53::types::ResourceRecord;

    use super::*;

    fn zone(id: &str, name: &str, private: bool) -> Zone {
        Zone { id: id.to_owned(), name: name.to_owned(), private, by_role: false }
    }

    fn set(name: &str, kind: RrType) -> Option<ResourceRecordSet> {
        ResourceRecordSet::builder().name(name).r#type(kind).build().ok()
    }

    #[test]
    fn the_nearest_public_zone_mirrors_a_private_one() {
        let all = [
            zone("Z1", "example.com", false),
            zone("Z2", "demo.example.com", true),
            zone("Z3", "com", false),
            zone("Z4", "other.example.com", false),
            Zone { by_role: true, ..zone("Z5", "demo.example.com", false) },
        ];
        let closest = |name: &str| closest_public(&zone("Z9", name, true), &all).map(|zone| zone.id.as_str());
        assert_eq!(closest("demo.example.com"), Some("Z1"));
        assert_eq!(closest("a.other.example.com"), Some("Z4"));
        assert_eq!(closest("demo.example.org"), None);
    }

    #[test]
    fn what_makes_a_zone_and_what_others_put_into_it_stays() {
        let domain = "demo.example.com";
        let own = |name: &str, kind: RrType, zone_name: &str, fate: Disposition| {
            set(name, kind).map(|set| may_be_own(&set, &zone("Z1", zone_name, true), fate, domain))
        };
        assert_eq!(own("demo.example.com.", RrType::Soa, domain, Disposition::Removed), Some(false));
        assert_eq!(own("demo.example.com.", RrType::Ns, domain, Disposition::Removed), Some(false));
        assert_eq!(own("demo.example.com.", RrType::A, domain, Disposition::Removed), Some(true));
        assert_eq!(own("sub.demo.example.com.", RrType::Ns, domain, Disposition::Removed), Some(true));
        assert_eq!(own("demo.example.com.", RrType::A, "example.com", Disposition::Released), Some(false));
        assert_eq!(own("api.demo.example.com.", RrType::A, "example.com", Disposition::Released), Some(true));
    }

    /// A zone of the cluster with one record, and a public one that has a record of the same name.
    fn listed(certain: bool, own: &str, public: &str) -> Option<Listed> {
        let set = |value: &str| {
            let value = ResourceRecord::builder().value(value).build().ok()?;
            let set = ResourceRecordSet::builder().name("api.demo.example.com.").r#type(RrType::Cname);
            set.resource_records(value).build().ok()
        };
        let public = (zone("Z1", "example.com", false), vec![set(public)?]);
        let own = vec![set(own)?];
        Some(Listed { zone: zone("Z2", "demo.example.com", true), own, certain, public: Some(public) })
    }

    fn judge(certain: bool, own: &str, public: &str) -> (Vec<String>, usize) {
        let found = BTreeSet::from(["lb.example".to_owned()]);
        let balancers = Balancers { infra_id: "demo-bcd24", found: &found };
        let part = listed(certain, own, public).map(|listed| judged(listed, balancers)).unwrap_or_default();
        let told = part.notes.iter().filter(|note| !note.is_error()).count();
        (part.nodes.into_iter().map(|node| node.mentions.concat()).collect(), told)
    }

    #[test]
    fn a_public_record_is_the_clusters_only_by_where_it_leads() {
        let names = |zones: &[&str]| zones.iter().map(|zone| (*zone).to_owned()).collect::<Vec<String>>();
        // The same values, whatever they are, and a load balancer of the cluster.
        assert_eq!(judge(true, "x.example", "X.example."), (names(&["Z1", "Z2"]), 0));
        assert_eq!(judge(true, "x.example", "lb.example"), (names(&["Z1", "Z2"]), 0));
        // A newer cluster of the same name.
        assert_eq!(judge(true, "lb.example", "demo-x7k2p-ext-1.elb.example"), (names(&["Z2"]), 1));
    }

    #[test]
    fn in_a_zone_of_the_users_only_what_leads_to_the_cluster_is_its_own() {
        let all = vec!["Z1".to_owned(), "Z2".to_owned()];
        assert_eq!(judge(false, "lb.example", "lb.example"), (all, 0));
        assert_eq!(judge(false, "www.example", "www.example"), (Vec::new(), 2));
    }

    #[test]
    fn a_record_is_taken_in_with_what_its_removal_needs() {
        let mut part = Part::default();
        let zone = zone("Z1", "demo.example.com", true);
        let ids = set("\\052.apps.demo.example.com.", RrType::A)
            .map(|set| put(&mut part, &zone, set, vec!["public".to_owned()]));
        assert_eq!(ids.as_deref(), Some("route53:record/Z1/A/*.apps.demo.example.com"));
        let node = part.nodes.first().map(|node| (node.name.as_str(), node.after.as_slice()));
        let after = ["public".to_owned()];
        assert_eq!(node, Some(("*.apps.demo.example.com A in demo.example.com", after.as_slice())));
        assert_eq!(part.known.records.len(), 1);
    }
}
