//! Hosted zones: the cluster's own private one, or one that it only uses.

use std::collections::BTreeSet;

use aws_sdk_route53::types::HostedZoneConfig;
use futures::join;
use futures::stream::{self, StreamExt};
use landfall_platform::removal::Disposition;

use super::records::{self, Listed};
use super::{AT_A_TIME, Look, Part, is_denied, is_missing};
use crate::dns;
use crate::removal::dns::{is_within, plain};
use crate::removal::pages;
use crate::session::Lost;

const LIST: &str = "route53:ListHostedZones";

/// A hosted zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Zone {
    /// Its id, without a prefix.
    pub(super) id: String,
    /// Its domain, without a final dot.
    pub(super) name: String,
    /// Whether only VPCs see it.
    pub(super) private: bool,
    /// Whether it belongs to the account of the role that the cluster has for its hosted zone.
    pub(super) by_role: bool,
}

/// What was found of zones.
pub(super) struct Found {
    /// What could not be looked at.
    pub(super) part: Part,
    /// The zones of the cluster, with their records that are to be judged.
    pub(super) judged: Vec<Listed>,
    /// Private zones of the cluster's domain, or of any domain where it is unknown, without any cluster's tag.
    pub(super) untagged: Vec<Zone>,
    /// All zones that the caller may see.
    pub(super) all: Vec<Zone>,
}

/// All zones of the cluster, and those that may be its own.
pub(super) async fn zones(look: Look<'_>) -> Found {
    let (mut part, mut named) = (Part::default(), Vec::new());
    let (own, by_role) = join!(Box::pin(listed(look, false)), Box::pin(listed_by_role(look)));
    let mut listed = Vec::new();
    for (what, found) in [("hosted zones", own), ("hosted zones of hostedZoneRole", by_role)] {
        match found {
            Ok(zones) => listed.extend(zones),
            Err(lost) => part.miss(what, &lost),
        }
    }
    let mut seen = BTreeSet::new();
    listed.retain(|zone| seen.insert(zone.id.clone()));
    let claimed: BTreeSet<&str> = look.claims.of("route53", "hostedzone").map(|(_, arn, _)| arn.id).collect();
    let domain = look.removal.cluster_domain();
    let wanted: Vec<&Zone> = listed.iter().filter(|zone| may_be_own(zone, domain, &claimed)).collect();
    let mut calls = Vec::new();
    for zone in &wanted {
        calls.push(Box::pin(fate(look, zone)));
    }
    let answers: Vec<_> = stream::iter(calls).buffered(AT_A_TIME).collect().await;
    let mut untagged = Vec::new();
    for (zone, answer) in wanted.into_iter().zip(answers) {
        let fate = match answer {
            // Its tags were taken off, and the records of the cluster are gone.
            Ok(Tagged::Cluster(Disposition::Removed) | Tagged::Nobody)
                if look.removal.is_used(&look.home.hosted_zone(&zone.id)) =>
            {
                None
            }
            Ok(Tagged::Cluster(Disposition::Removed)) if !zone.private => {
                part.unproven.push(pages::public_zone(&zone.name, &zone.id));
                None
            }
            Ok(Tagged::Cluster(fate)) => Some(fate),
            Ok(Tagged::Nobody) => {
                untagged.extend(Some(zone).filter(|zone| may_be_untagged(zone, domain)).cloned());
                None
            }
            Ok(Tagged::Another) => None,
            Err(lost) if is_missing(&lost) => None,
            // Zones of others are not for everybody to look at.
            Err(lost) if is_denied(&lost) && !zone.private && !claimed.contains(zone.id.as_str()) => None,
            Err(lost) => {
                part.miss(&format!("the hosted zone {} ({})", zone.name, zone.id), &lost);
                None
            }
        };
        if let Some(fate) = fate {
            match Box::pin(records::of_zone(look, zone, fate)).await {
                Ok(of_zone) => named.push(of_zone),
                Err(lost) => part.miss(&format!("the records of {} ({})", zone.name, zone.id), &lost),
            }
        }
    }
    Found { part, judged: named, untagged, all: listed }
}

/// Whose a zone is by its tags.
enum Tagged {
    /// The cluster's.
    Cluster(Disposition),
    /// Another cluster's.
    Another,
    /// No cluster's.
    Nobody,
}

/// Whether a zone without a tag can be the one that was made for the cluster.
fn may_be_untagged(zone: &Zone, domain: &str) -> bool {
    zone.private && !zone.by_role && (domain.is_empty() || zone.name == plain(domain))
}

/// Whether a zone can be the cluster's: tags say so, or its name fits, or nobody knows the name.
fn may_be_own(zone: &Zone, domain: &str, claimed: &BTreeSet<&str>) -> bool {
    let fits = if domain.is_empty() {
        zone.private
    } else {
        is_within(&zone.name, domain) || is_within(domain, &zone.name)
    };
    fits || claimed.contains(zone.id.as_str())
}

async fn listed_by_role(look: Look<'_>) -> Result<Vec<Zone>, Lost> {
    if look.removal.has_zone_role() { Box::pin(listed(look, true)).await } else { Ok(Vec::new()) }
}

async fn listed(look: Look<'_>, by_role: bool) -> Result<Vec<Zone>, Lost> {
    let client = look.removal.session.route53_by(by_role).await?;
    let listed = look
        .removal
        .session
        .answer(LIST, client.list_hosted_zones().into_paginator().items().send().try_collect())
        .await?;
    let mut zones = Vec::new();
    for zone in &listed {
        zones.push(Zone {
            id: zone.id().strip_prefix("/hostedzone/").unwrap_or(zone.id()).to_owned(),
            name: plain(zone.name()),
            private: zone.config().is_some_and(HostedZoneConfig::private_zone),
            by_role,
        });
    }
    Ok(zones)
}

/// Whose a zone is by its tags.
async fn fate(look: Look<'_>, zone: &Zone) -> Result<Tagged, Lost> {
    let session = &look.removal.session;
    let tags = dns::tags(session, &session.route53_by(zone.by_role).await?, &zone.id).await?;
    let tags = || tags.iter().filter_map(|tag| Some((tag.key()?, tag.value().unwrap_or_default())));
    let ownership = &look.removal.ownership;
    Ok(match ownership.fate(tags()) {
        Some(fate) => Tagged::Cluster(fate),
        None if ownership.others(tags()).is_empty() => Tagged::Nobody,
        None => Tagged::Another,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_can_be_the_clusters_by_name_or_tag() {
        let may_be = |name: &str, private: bool, domain: &str| {
            let zone = Zone { id: "Z1".to_owned(), name: name.to_owned(), private, by_role: false };
            may_be_own(&zone, domain, &BTreeSet::from(["Z2"]))
        };
        let domain = "demo.example.com";
        assert!(may_be(domain, true, domain) && may_be("example.com", true, domain));
        assert!(may_be("apps.demo.example.com", false, domain));
        assert!(!may_be("other.example.com", true, domain) && !may_be("mydemo.example.com", true, domain));
        assert!(may_be("other.example.com", true, "") && !may_be("example.com", false, ""));
        let zone = Zone { id: "Z2".to_owned(), ..Zone::default() };
        assert!(may_be_own(&zone, domain, &BTreeSet::from(["Z2"])));
    }

    #[test]
    fn a_zone_without_a_tag_can_be_the_clusters_by_its_domain_alone() {
        let domain = "demo.example.com";
        let zone = Zone { name: domain.to_owned(), private: true, ..Zone::default() };
        assert!(may_be_untagged(&zone, domain) && may_be_untagged(&zone, ""));
        assert!(!may_be_untagged(&zone, "example.com"));
        assert!(!may_be_untagged(&Zone { private: false, ..zone.clone() }, domain));
        assert!(!may_be_untagged(&Zone { by_role: true, ..zone }, domain));
    }
}
