//! Public zones that can have records of a cluster: all whose domain encloses that of the cluster, as several zones
//! of an account can have one name.

use std::collections::BTreeSet;

use aws_sdk_route53::types::ResourceRecordSet;
use futures::stream::{self, StreamExt};

use super::records::Listed;
use super::zones::Zone;
use super::{AT_A_TIME, Look};
use crate::dns;
use crate::removal::dns::{is_below, is_within, plain};
use crate::session::Lost;

/// A public zone with records that may be the cluster's.
#[derive(Debug)]
pub(super) struct Public {
    /// The zone.
    pub(super) zone: Zone,
    /// Its records that have names of the cluster.
    pub(super) records: Vec<ResourceRecordSet>,
}

/// What was read of public zones.
#[derive(Debug, Default)]
pub(super) struct Published {
    /// Those that could be read.
    pub(super) zones: Vec<Public>,
    /// Those that could not be read, and why.
    pub(super) lost: Vec<(Zone, Lost)>,
}

/// A public zone, and the domains of the cluster that are looked for in it.
type Wanted<'z> = (&'z Zone, BTreeSet<String>);

/// Reads the public zones among `all`. `listed` are the cluster's own zones.
pub(super) async fn published(look: Look<'_>, all: &[Zone], listed: &[Listed]) -> Published {
    let mut calls = Vec::new();
    for (zone, domains) in wanted(all, look.removal.cluster_domain(), listed) {
        calls.push(Box::pin(async move { (zone, records_of(look, zone, &domains).await) }));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let mut published = Published::default();
    for (zone, answer) in answers {
        match answer {
            Ok(records) => published.zones.push(Public { zone: zone.clone(), records }),
            Err(lost) => published.lost.push((zone.clone(), lost)),
        }
    }
    published
}

/// The public zones that enclose the cluster's domain, or that of one of its private zones with records. Zones that
/// are the cluster's by their tags are judged as its own.
fn wanted<'z>(all: &'z [Zone], cluster: &str, listed: &[Listed]) -> Vec<Wanted<'z>> {
    let private = listed.iter().filter(|one| one.tells_of_public()).map(|one| plain(&one.domain));
    let domains: BTreeSet<String> = private.chain([plain(cluster)]).collect();
    let is_own = |zone: &Zone| listed.iter().any(|one| one.zone.id == zone.id);
    let mut wanted = Vec::new();
    for zone in all.iter().filter(|zone| !zone.private && !zone.by_role && !is_own(zone)) {
        let inside = || domains.iter().filter(move |domain| is_within(domain, &zone.name));
        // A domain is read with all that is below it.
        let is_outermost = |domain: &&String| !inside().any(|other| is_below(domain, other));
        let outermost: BTreeSet<String> = inside().filter(is_outermost).cloned().collect();
        if !outermost.is_empty() {
            wanted.push((zone, outermost));
        }
    }
    wanted
}

async fn records_of(
    look: Look<'_>,
    zone: &Zone,
    domains: &BTreeSet<String>,
) -> Result<Vec<ResourceRecordSet>, Lost> {
    let client = look.removal.session.route53_by(false).await?;
    let mut found = Vec::new();
    for domain in domains {
        found.extend(dns::records(&look.removal.session, &client, &zone.id, Some(domain), |_| false).await?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use aws_sdk_route53::types::RrType;

    use super::super::Part;
    use super::*;

    fn zone(id: &str, name: &str, private: bool) -> Zone {
        Zone { id: id.to_owned(), name: name.to_owned(), private, by_role: false }
    }

    fn listed(id: &str, name: &str, private: bool) -> Listed {
        let set = ResourceRecordSet::builder().name(format!("api.{name}")).r#type(RrType::A).build();
        let own = set.into_iter().collect();
        let zone = zone(id, name, private);
        Listed { zone, domain: name.to_owned(), part: Part::default(), own, certain: true }
    }

    fn all() -> Vec<Zone> {
        vec![
            zone("Z1", "example.com", false),
            zone("Z2", "demo.example.com", true),
            zone("Z3", "demo.example.com", false),
            zone("Z4", "example.com", false),
            zone("Z5", "other.example.com", false),
            zone("Z6", "ample.com", false),
            Zone { by_role: true, ..zone("Z7", "example.com", false) },
        ]
    }

    /// The zones that are read, each with the domains.
    fn read(all: &[Zone], cluster: &str, listed: &[Listed]) -> Vec<String> {
        let wanted = wanted(all, cluster, listed).into_iter();
        wanted.map(|(zone, domains)| format!("{} {}", zone.id, Vec::from_iter(domains).join(" "))).collect()
    }

    #[test]
    fn every_public_zone_around_the_clusters_domain_is_read() {
        let wanted = ["Z1 demo.example.com", "Z3 demo.example.com", "Z4 demo.example.com"];
        // With and without the private zone, and whether or not that one has records.
        assert_eq!(read(&all(), "demo.example.com", &[]), wanted);
        let private = listed("Z2", "demo.example.com", true);
        assert_eq!(read(&all(), "demo.example.com", &[private]), wanted);
        let empty = Listed { own: Vec::new(), ..listed("Z2", "demo.example.com", true) };
        assert_eq!(read(&all(), "Demo.example.com", &[empty]), wanted);
    }

    #[test]
    fn without_a_domain_the_private_zones_tell_the_names() {
        assert!(read(&all(), "", &[]).is_empty());
        let private = listed("Z2", "demo.example.com", true);
        let wanted = ["Z1 demo.example.com", "Z3 demo.example.com", "Z4 demo.example.com"];
        assert_eq!(read(&all(), "", &[private]), wanted);
        let empty = Listed { own: Vec::new(), ..listed("Z2", "demo.example.com", true) };
        assert!(read(&all(), "", &[empty]).is_empty());
    }

    #[test]
    fn each_domain_is_read_once_and_a_zone_of_the_cluster_not_at_all() {
        let own = [
            listed("Z2", "apps.demo.example.com", true),
            listed("Z8", "x.other.example.com", true),
            listed("Z3", "demo.example.com", false),
        ];
        let wanted = [
            "Z1 demo.example.com x.other.example.com",
            "Z4 demo.example.com x.other.example.com",
            "Z5 x.other.example.com",
        ];
        assert_eq!(read(&all(), "demo.example.com", &own), wanted);
    }
}
