//! Records: those of a cluster's zone, and those of public zones that are the cluster's (`assets.md`, E.4 and
//! E.5).
//!
//! A name alone says nothing of whose a record is: a newer cluster can have the same. A public record is the
//! cluster's if it has the values of a private one, or leads to a load balancer of the cluster. It goes
//! before what proves that it is: while that is there, it is found again.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_route53::types::{ResourceRecordSet, RrType};
use landfall_platform::removal::Disposition;

use super::published::{Public, Published};
use super::zones::Zone;
use super::{Look, Part};
use crate::dns;
use crate::removal::dns::{Balancers, is_below, is_within, plain, targets};
use crate::removal::graph::Node;
use crate::removal::known::Record;
use crate::removal::{arn, kinds, pages};
use crate::session::Lost;

/// What belongs to a zone or to the delegation of one, and to no cluster.
const OF_ZONES: &[RrType] = &[RrType::Ns, RrType::Soa, RrType::Ds];

/// A zone of the cluster, and its records that are to be judged.
#[derive(Debug)]
pub(super) struct Listed {
    /// The zone that the cluster owns or uses.
    pub(super) zone: Zone,
    /// The domain at or below which its records are; empty where no record can be the cluster's.
    pub(super) domain: String,
    /// The zone itself, and what is to be said of it.
    pub(super) part: Part,
    /// Its records.
    pub(super) own: Vec<ResourceRecordSet>,
    /// Whether the zone alone says that these are the cluster's.
    pub(super) certain: bool,
}

impl Listed {
    /// Whether its records tell which public ones are the cluster's.
    pub(super) fn tells_of_public(&self) -> bool {
        self.zone.private && !self.own.is_empty()
    }
}

/// A zone of the cluster with its records. In a zone that the cluster only uses, it is what is below the cluster's
/// domain.
pub(super) async fn of_zone(look: Look<'_>, zone: &Zone, fate: Disposition) -> Result<Listed, Lost> {
    let mut part = Part::default();
    let mut node = Node::new(&kinds::HOSTED_ZONE, &zone.id, look.home.hosted_zone(&zone.id), fate);
    node.name.clone_from(&zone.name);
    part.nodes.push(node);
    let cluster = look.removal.cluster_domain();
    if fate == Disposition::Released && cluster.is_empty() {
        part.notes.push(pages::no_domain(&zone.name));
    }
    let domain = match fate {
        Disposition::Removed => zone.name.as_str(),
        Disposition::Released if is_within(cluster, &zone.name) => cluster,
        Disposition::Released => "",
    };
    let mut own = Vec::new();
    if !domain.is_empty() {
        let client = look.removal.session.route53_by(zone.by_role).await?;
        own = dns::records(&look.removal.session, &client, &zone.id, Some(domain), |_| false).await?;
        own.retain(|set| may_be_own(set, zone, fate, domain));
    }
    let certain = fate == Disposition::Removed || look.removal.is_sure_of_domain();
    Ok(Listed { zone: zone.clone(), domain: domain.to_owned(), part, own, certain })
}

/// Whether a record of a zone can go with the cluster. Those that make the zone itself go with it.
fn may_be_own(set: &ResourceRecordSet, zone: &Zone, fate: Disposition, domain: &str) -> bool {
    let of_zone = [RrType::Ns, RrType::Soa].contains(set.r#type()) && plain(set.name()) == zone.name;
    !of_zone && (fate == Disposition::Removed || is_below(set.name(), domain))
}

/// What a record and its mirror in another zone have in common.
fn mirror(set: &ResourceRecordSet) -> (String, String) {
    (plain(set.name()), set.r#type().as_str().to_owned())
}

/// Whether two records of different zones say the same.
fn is_equal(one: &ResourceRecordSet, other: &ResourceRecordSet) -> bool {
    mirror(one) == mirror(other) && targets(one) == targets(other)
}

/// Which of the records are the cluster's; the others stay, and are told. `domain` is the cluster's, or empty. A
/// private zone stays with its records while a public zone of its names could not be read: they tell which records
/// of that one are the cluster's.
pub(super) fn judged(
    listed: Vec<Listed>,
    published: Published,
    domain: &str,
    balancers: Balancers<'_>,
) -> Part {
    let mut part = Part::default();
    for (zone, why) in &published.lost {
        part.miss(&format!("the records of {} ({})", zone.name, zone.id), why);
    }
    let (mut names, mut twins, mut kept) = (BTreeSet::new(), Vec::new(), Vec::new());
    for listed in listed {
        let stays = listed.tells_of_public()
            && published.lost.iter().any(|(public, _)| is_within(&listed.domain, &public.name));
        let Listed { zone, part: of_zone, own, certain, .. } = listed;
        if zone.private {
            names.extend(own.iter().map(mirror));
        }
        let (own, foreign): (Vec<_>, Vec<_>) =
            own.into_iter().partition(|set| certain || balancers.are_led_to(set));
        if zone.private {
            twins.extend(own.clone());
        }
        if !stays {
            part.take(of_zone);
            leave(&mut part, &zone, &foreign);
            kept.push((zone, own, certain));
        }
    }
    let mut mirrors: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    for Public { zone, records } in published.zones {
        let may_be = |set: &ResourceRecordSet| {
            !OF_ZONES.contains(set.r#type())
                && (is_within(set.name(), domain) || names.contains(&mirror(set)))
        };
        let has_twin = |set: &ResourceRecordSet| twins.iter().any(|twin| is_equal(set, twin));
        let records = records.into_iter().filter(may_be);
        let (own, foreign): (Vec<_>, Vec<_>) =
            records.partition(|set| has_twin(set) || balancers.are_led_to(set));
        leave(&mut part, &zone, &foreign);
        for set in own {
            let before = if has_twin(&set) { Vec::new() } else { balancers.proving(&set) };
            let key = mirror(&set);
            let id = put(&mut part, &zone, set, Order { after: Vec::new(), before });
            mirrors.entry(key).or_default().push(id);
        }
    }
    for (zone, own, certain) in kept {
        for set in own {
            let after = mirrors.get(&mirror(&set)).cloned().unwrap_or_default();
            let before = if certain { Vec::new() } else { balancers.proving(&set) };
            put(&mut part, &zone, set, Order { after, before });
        }
    }
    part
}

/// What a record waits for, and what waits for it.
#[derive(Debug, Default)]
struct Order {
    /// Ids of records that go before it.
    after: Vec<String>,
    /// Names of load balancers that alone prove whose it is.
    before: Vec<String>,
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
fn put(part: &mut Part, zone: &Zone, set: ResourceRecordSet, order: Order) -> String {
    let name = shown(&set);
    let id = arn::record(&zone.id, set.r#type().as_str(), &name, set.set_identifier());
    let mut node = Node::new(&kinds::RECORD, &id, id.clone(), Disposition::Removed);
    node.name = format!("{name} {} in {}", set.r#type().as_str(), zone.name);
    node.mentions.push(zone.id.clone());
    node.mentions.extend(order.before);
    node.after = order.after;
    part.nodes.push(node);
    let record = Record { zone: zone.id.clone(), by_zone_role: zone.by_role, set };
    part.known.records.insert(id.clone(), record);
    id
}

#[cfg(test)]
mod tests {
    use landfall_platform::cloud::Unready;

    use aws_sdk_route53::types::ResourceRecord;

    use super::*;

    const API: &str = "api.demo.example.com.";
    const DOMAIN: &str = "demo.example.com";
    /// A load balancer of the cluster that was found, and one that is known by its name alone.
    const FOUND: &str = "lb.example";
    const EXTERNAL: &str = "demo-bcd24-ext-0a1b.elb.us-east-1.amazonaws.com";

    fn zone(id: &str, name: &str, private: bool) -> Zone {
        Zone { id: id.to_owned(), name: name.to_owned(), private, by_role: false }
    }

    fn set(name: &str, kind: RrType) -> Option<ResourceRecordSet> {
        ResourceRecordSet::builder().name(name).r#type(kind).build().ok()
    }

    #[test]
    fn what_makes_a_zone_and_what_others_put_into_it_stays() {
        let own = |name: &str, kind: RrType, zone_name: &str, fate: Disposition| {
            set(name, kind).map(|set| may_be_own(&set, &zone("Z1", zone_name, true), fate, DOMAIN))
        };
        assert_eq!(own("demo.example.com.", RrType::Soa, DOMAIN, Disposition::Removed), Some(false));
        assert_eq!(own("demo.example.com.", RrType::Ns, DOMAIN, Disposition::Removed), Some(false));
        assert_eq!(own("demo.example.com.", RrType::A, DOMAIN, Disposition::Removed), Some(true));
        assert_eq!(own("sub.demo.example.com.", RrType::Ns, DOMAIN, Disposition::Removed), Some(true));
        assert_eq!(own("demo.example.com.", RrType::A, "example.com", Disposition::Released), Some(false));
        assert_eq!(own(API, RrType::A, "example.com", Disposition::Released), Some(true));
    }

    fn leading(name: &str, kind: RrType, value: &str) -> Option<ResourceRecordSet> {
        let value = ResourceRecord::builder().value(value).build().ok()?;
        ResourceRecordSet::builder().name(name).r#type(kind).resource_records(value).build().ok()
    }

    /// The private zone `Z2` of the cluster with some records.
    fn private(certain: bool, own: &[Option<ResourceRecordSet>]) -> Listed {
        let zone = zone("Z2", DOMAIN, true);
        let mut part = Part::default();
        part.nodes.push(Node::new(&kinds::HOSTED_ZONE, "Z2", "Z2".to_owned(), Disposition::Removed));
        let own = own.iter().flatten().cloned().collect();
        Listed { zone, domain: DOMAIN.to_owned(), part, own, certain }
    }

    fn public(id: &str, records: &[Option<ResourceRecordSet>]) -> Public {
        let records = records.iter().flatten().cloned().collect();
        Public { zone: zone(id, "example.com", false), records }
    }

    fn part(listed: Vec<Listed>, zones: Vec<Public>, domain: &str) -> Part {
        let found = BTreeSet::from([FOUND.to_owned()]);
        let balancers = Balancers { infra_id: "demo-bcd24", found: &found };
        judged(listed, Published { zones, lost: Vec::new() }, domain, balancers)
    }

    /// The zones of the records that go, and how many zones have records that stay.
    fn told(part: &Part) -> (Vec<String>, usize) {
        let records = part.nodes.iter().filter(|node| *node.kind == kinds::RECORD);
        let zones = records.filter_map(|node| node.mentions.first().cloned());
        (zones.collect(), part.notes.iter().filter(|note| !note.is_error()).count())
    }

    fn judge(certain: bool, own: &str, other: &str) -> (Vec<String>, usize) {
        let of = |value: &str| [leading(API, RrType::Cname, value)];
        told(&part(vec![private(certain, &of(own))], vec![public("Z1", &of(other))], ""))
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_public_record_is_the_clusters_only_by_where_it_leads() {
        // The same values, whatever they are, and a load balancer of the cluster.
        assert_eq!(judge(true, "x.example", "X.example."), (names(&["Z1", "Z2"]), 0));
        assert_eq!(judge(true, "x.example", FOUND), (names(&["Z1", "Z2"]), 0));
        // A newer cluster of the same name.
        assert_eq!(judge(true, FOUND, "demo-x7k2p-ext-1.elb.example"), (names(&["Z2"]), 1));
    }

    #[test]
    fn in_a_zone_of_the_users_only_what_leads_to_the_cluster_is_its_own() {
        assert_eq!(judge(false, FOUND, FOUND), (names(&["Z1", "Z2"]), 0));
        assert_eq!(judge(false, "www.example", "www.example"), (Vec::new(), 2));
    }

    #[test]
    fn a_public_record_goes_without_a_private_one_if_it_leads_to_the_cluster() {
        let records = [
            leading(API, RrType::Cname, EXTERNAL),
            leading("\\052.apps.demo.example.com.", RrType::Cname, FOUND),
            // An infrastructure id that only begins like the cluster's, and what is the user's.
            leading("two.demo.example.com.", RrType::Cname, "demo-bcd24-xyz79-ext-0a1b.elb.us-east-1.aws"),
            leading("www.demo.example.com.", RrType::A, "192.0.2.1"),
            leading("demo.example.com.", RrType::Ns, "ns.example.org"),
            leading("demo.example.com.", RrType::Ds, "1 2 3 AA"),
            leading("api.mydemo.example.com.", RrType::Cname, EXTERNAL),
        ];
        // The private zone has no records yet, or is not there.
        for listed in [vec![private(true, &[])], Vec::new()] {
            let of_all = part(listed, vec![public("Z1", &records)], DOMAIN);
            assert_eq!(told(&of_all), (names(&["Z1", "Z1"]), 1));
            let said: Vec<&str> = of_all.notes.iter().map(|note| note.message.as_str()).collect();
            let said = said.concat();
            assert!(said.contains("two.demo.example.com CNAME") && said.contains("www.demo"), "{said}");
            assert!(![" NS ", " DS ", "mydemo"].iter().any(|other| said.contains(other)), "{said}");
            // Only the load balancer proves it, and it would be gone in a second run.
            let before: Vec<Vec<String>> = of_all
                .nodes
                .iter()
                .filter(|node| *node.kind == kinds::RECORD)
                .map(|node| node.mentions.iter().skip(1).cloned().collect())
                .collect();
            assert_eq!(before, [Vec::new(), names(&[FOUND])]);
        }
        // Without the domain nothing tells which names are the cluster's.
        assert_eq!(told(&part(Vec::new(), vec![public("Z1", &records)], "")), (Vec::new(), 0));
    }

    #[test]
    fn records_of_all_public_zones_go_before_the_private_one() {
        let api = [leading(API, RrType::Cname, EXTERNAL)];
        let zones = vec![public("Z1", &api), public("Z3", &api)];
        let part = part(vec![private(true, &api)], zones, DOMAIN);
        assert_eq!(told(&part), (names(&["Z1", "Z3", "Z2"]), 0));
        let after = part.nodes.last().map(|node| node.after.len());
        assert_eq!(after, Some(2));
    }

    #[test]
    fn a_zone_stays_while_a_public_one_of_its_names_cannot_be_read() {
        let api = [leading(API, RrType::Cname, EXTERNAL)];
        let nodes = |own: &[Option<ResourceRecordSet>], lost: &str| {
            let found = BTreeSet::new();
            let balancers = Balancers { infra_id: "demo-bcd24", found: &found };
            let lost = vec![(zone("Z1", lost, false), Lost::Unready(Unready("no".to_owned())))];
            let published = Published { zones: vec![public("Z3", &api)], lost };
            let part = judged(vec![private(true, own)], published, DOMAIN, balancers);
            assert_eq!(part.unseen.len(), 1);
            part.nodes.iter().map(|node| node.mentions.concat() + &node.key).collect::<Vec<String>>()
        };
        let of_public = "Z3route53:record/Z3/CNAME/api.demo.example.com";
        // What could be read goes all the same.
        assert_eq!(nodes(&api, "example.com"), [of_public]);
        assert_eq!(nodes(&[], "example.com"), ["Z2", of_public]);
        assert_eq!(nodes(&api, "example.org").len(), 3);
    }

    #[test]
    fn a_record_is_taken_in_with_what_its_removal_needs() {
        let mut part = Part::default();
        let zone = zone("Z1", DOMAIN, true);
        let order = Order { after: names(&["public"]), before: Vec::new() };
        let ids = set("\\052.apps.demo.example.com.", RrType::A).map(|set| put(&mut part, &zone, set, order));
        assert_eq!(ids.as_deref(), Some("route53:record/Z1/A/*.apps.demo.example.com"));
        let node = part.nodes.first().map(|node| (node.name.as_str(), node.after.as_slice()));
        let after = ["public".to_owned()];
        assert_eq!(node, Some(("*.apps.demo.example.com A in demo.example.com", after.as_slice())));
        assert_eq!(part.known.records.len(), 1);
    }
}
