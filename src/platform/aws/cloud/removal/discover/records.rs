//! Records: those of a cluster's zone, and those of the public zone that have the same names and types
//! (`assets.md`, E.4 and E.5).
//!
//! A public record goes before the private one that tells of it: while the private one is there, the public
//! one is found again.

use std::collections::BTreeMap;

use aws_sdk_route53::Client;
use aws_sdk_route53::types::{ResourceRecordSet, RrType};

use super::zones::{self, Zone};
use super::{Look, Part};
use crate::platform::aws::cloud::removal::arn;
use crate::platform::aws::cloud::removal::graph::Node;
use crate::platform::aws::cloud::removal::kinds;
use crate::platform::aws::cloud::removal::known::Record;
use crate::platform::aws::cloud::removal::pages;
use crate::platform::aws::cloud::session::Lost;
use crate::platform::removal::Fate;

const LIST: &str = "route53:ListResourceRecordSets";

/// The most pages of a list that are read, should a server never come to an end.
const MOST_PAGES: usize = 10_000;

/// A zone of the cluster with its records, and the public ones that mirror them. In a zone that the cluster
/// only uses, what is below the cluster's domain is its own.
pub(super) async fn of_zone(look: Look<'_>, zone: &Zone, fate: Fate, all: &[Zone]) -> Result<Part, Lost> {
    let mut part = Part::default();
    let mut node = Node::new(&kinds::HOSTED_ZONE, &zone.id, look.home.hosted_zone(&zone.id), fate);
    node.name.clone_from(&zone.name);
    part.nodes.push(node);
    let cluster = look.removal.cluster_domain();
    if fate == Fate::Released && cluster.is_empty() {
        part.notes.push(pages::no_domain(&zone.name));
    }
    let domain = if fate == Fate::Removed { zone.name.as_str() } else { cluster };
    if domain.is_empty() || (fate == Fate::Released && !is_within(cluster, &zone.name)) {
        return Ok(part);
    }
    let client = zones::client(look, zone.by_role).await?;
    let own = Box::pin(records(look, &client, &zone.id, domain)).await?;
    let own: Vec<ResourceRecordSet> = own.into_iter().filter(|set| is_own(set, zone, fate, domain)).collect();
    if own.is_empty() {
        return Ok(part);
    }
    let mut mirrors: BTreeMap<(String, String), Vec<String>> = BTreeMap::new();
    if let Some(public) = closest_public(zone, all).filter(|_| zone.private) {
        let client = zones::client(look, false).await?;
        let found = Box::pin(records(look, &client, &public.id, domain)).await?;
        for set in found.into_iter().filter(|set| is_mirror(set, &own)) {
            let key = mirror(&set);
            let id = put(&mut part, public, set, Vec::new());
            mirrors.entry(key).or_default().push(id);
        }
    }
    for set in own {
        let after = mirrors.get(&mirror(&set)).cloned().unwrap_or_default();
        put(&mut part, zone, set, after);
    }
    Ok(part)
}

/// Whether a record of a zone goes with the cluster. Those that make the zone itself go with it.
fn is_own(set: &ResourceRecordSet, zone: &Zone, fate: Fate, domain: &str) -> bool {
    let name = plain(set.name());
    let of_zone = [RrType::Ns, RrType::Soa].contains(set.r#type()) && name == zone.name;
    match fate {
        Fate::Removed => !of_zone,
        Fate::Released => !of_zone && name != plain(domain),
    }
}

/// Whether a public record mirrors one of the cluster's. A delegation is nobody's mirror.
fn is_mirror(set: &ResourceRecordSet, own: &[ResourceRecordSet]) -> bool {
    *set.r#type() != RrType::Ns && own.iter().any(|one| mirror(one) == mirror(set))
}

/// What a record and its mirror in another zone have in common.
fn mirror(set: &ResourceRecordSet) -> (String, String) {
    (plain(set.name()), set.r#type().as_str().to_owned())
}

/// Takes a record in; its id.
fn put(part: &mut Part, zone: &Zone, set: ResourceRecordSet, after: Vec<String>) -> String {
    let name = plain(set.name()).replace("\\052", "*");
    let id = arn::record(&zone.id, set.r#type().as_str(), &name, set.set_identifier());
    let mut node = Node::new(&kinds::RECORD, &id, id.clone(), Fate::Removed);
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

/// Whether a name is a domain or below it.
pub(super) fn is_within(name: &str, domain: &str) -> bool {
    let (name, domain) = (plain(name), plain(domain));
    let rest = name.strip_suffix(domain.as_str()).filter(|_| !domain.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// A name of the DNS without its final dot, in lower case.
pub(super) fn plain(name: &str) -> String {
    name.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(id: &str, name: &str, private: bool) -> Zone {
        Zone { id: id.to_owned(), name: name.to_owned(), private, by_role: false }
    }

    fn set(name: &str, kind: RrType) -> Option<ResourceRecordSet> {
        ResourceRecordSet::builder().name(name).r#type(kind).build().ok()
    }

    #[test]
    fn a_domain_is_within_itself_and_its_parents() {
        assert!(is_within("api.demo.example.com.", "demo.example.com"));
        assert!(is_within("Demo.example.com", "demo.example.com."));
        assert!(!is_within("api.mydemo.example.com", "demo.example.com"));
        assert!(!is_within("example.com", "") && !is_within("example.com", "."));
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
        let own = |name: &str, kind: RrType, zone_name: &str, fate: Fate| {
            set(name, kind).map(|set| is_own(&set, &zone("Z1", zone_name, true), fate, domain))
        };
        assert_eq!(own("demo.example.com.", RrType::Soa, domain, Fate::Removed), Some(false));
        assert_eq!(own("demo.example.com.", RrType::Ns, domain, Fate::Removed), Some(false));
        assert_eq!(own("demo.example.com.", RrType::A, domain, Fate::Removed), Some(true));
        assert_eq!(own("sub.demo.example.com.", RrType::Ns, domain, Fate::Removed), Some(true));
        assert_eq!(own("demo.example.com.", RrType::A, "example.com", Fate::Released), Some(false));
        assert_eq!(own("api.demo.example.com.", RrType::A, "example.com", Fate::Released), Some(true));
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
