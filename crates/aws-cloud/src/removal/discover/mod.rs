//! Everything of a cluster that there is now.
//!
//! First those are asked who know tags: Resource Groups Tagging, EC2 and IAM. What they name may be long
//! gone, as tags outlive what they are on, so the service of each thing is asked for it, and what it does not
//! know is not there. What lies in a VPC of the cluster is the cluster's without a tag, unless it carries
//! another cluster's.

mod balancers;
mod buckets;
pub(super) mod ec2;
pub(super) mod identities;
mod others;
mod published;
mod records;
mod tagged;
mod untagged;
mod zones;

use std::collections::BTreeSet;
use std::sync::PoisonError;

use futures::join;
use landfall_diagnostics::Finding;
use landfall_platform::cloud::Unready;
use landfall_platform::removal::{Discovered, Disposition};

use self::ec2::Vpcs;
use self::tagged::Claims;
use super::arn::Home;
use super::dns::Balancers;
use super::graph::{self, Node};
use super::known::{self, Known};
use super::{AwsRemoval, kinds, pages};
use crate::credentials;
use crate::fault::Sort;
use crate::session::Lost;

/// Why something with other tags than the cluster's may be the cluster's.
const NAMED: &str = "its name is derived from the cluster's";

/// The most requests of one sort that are under way at a time.
pub(super) const AT_A_TIME: usize = 16;

/// What one service has of a cluster.
#[derive(Debug, Default)]
struct Part {
    nodes: Vec<Node>,
    known: Known,
    unseen: Vec<Finding>,
    notes: Vec<Finding>,
    unproven: Vec<Finding>,
}

impl Part {
    /// Notes that something with this id may be the cluster's, and why it may be; but not of what was seen to be shared.
    fn doubt(&mut self, look: Look<'_>, id: &str, what: &str, why: &str) {
        if look.removal.is_used(id) {
            return;
        }
        let tag = look.removal.ownership.shared_keys().next().unwrap_or_default();
        self.unproven.push(pages::unproven(what, why, tag));
    }

    /// Takes over what another service has.
    fn take(&mut self, other: Self) {
        self.nodes.extend(other.nodes);
        self.unseen.extend(other.unseen);
        self.notes.extend(other.notes);
        self.unproven.extend(other.unproven);
        let known = other.known;
        self.known.gateways.extend(known.gateways);
        self.known.tables.extend(known.tables);
        self.known.groups.extend(known.groups);
        self.known.interfaces.extend(known.interfaces);
        self.known.images.extend(known.images);
        self.known.placement_groups.extend(known.placement_groups);
        self.known.profiles.extend(known.profiles);
        self.known.roles.extend(known.roles);
        self.known.records.extend(known.records);
        self.known.abroad.extend(known.abroad);
    }

    /// Nothing of what could not be looked at.
    fn missed(what: &str, lost: &Lost) -> Self {
        let mut part = Self::default();
        part.miss(what, lost);
        part
    }

    /// Notes that something could not be looked at.
    fn miss(&mut self, what: &str, lost: &Lost) {
        self.unseen.push(pages::unseen(what, lost));
    }
}

/// What all services are asked with.
#[derive(Clone, Copy)]
struct Look<'l> {
    removal: &'l AwsRemoval<'l>,
    home: &'l Home,
    claims: &'l Claims,
}

/// Whether the caller may not look.
fn is_denied(lost: &Lost) -> bool {
    matches!(lost, Lost::Fault(fault) if fault.sort == Sort::Denied)
}

/// Whether there is nothing to look at.
fn is_missing(lost: &Lost) -> bool {
    matches!(lost, Lost::Fault(fault) if fault.sort == Sort::NotFound)
}

/// Looks at everything.
pub(super) async fn discover(removal: &AwsRemoval<'_>) -> Discovered {
    let home = match removal.home().await {
        Ok(home) => home,
        Err(lost) => {
            let unseen = vec![pages::unseen("the account", &lost)];
            return Discovered { unseen, ..Discovered::default() };
        }
    };
    let (claimed, other) =
        join!(Box::pin(tagged::claims(removal)), Box::pin(another_account(removal, &home)));
    if let Some(lost) = other {
        let unseen = vec![pages::unseen("the account", &lost)];
        return Discovered { unseen, ..Discovered::default() };
    }
    let (claims, mut part) = claimed;
    let look = Look { removal, home: &home, claims: &claims };
    let (
        (network, vpcs),
        identities,
        zones::Found { part: zones, judged: mut named, untagged, all },
        buckets,
        others,
    ) = join!(
        Box::pin(network(look)),
        Box::pin(identities::identities(look)),
        Box::pin(zones::zones(look)),
        Box::pin(buckets::buckets(look)),
        Box::pin(others::others(look)),
    );
    for other in [network, identities, zones, buckets, others] {
        part.take(other);
    }
    let (attached, listed) = Box::pin(untagged::zones(look, &vpcs, untagged)).await;
    part.take(attached);
    named.extend(listed);
    let published = Box::pin(published::published(look, &all, &named)).await;
    let balancers = balancers_of(&part.nodes);
    let balancers = Balancers { infra_id: removal.target.infra_id.as_str(), found: &balancers };
    part.take(records::judged(named, published, removal.cluster_domain(), balancers));
    let Part { mut nodes, mut known, unseen, notes, unproven } = part;
    let mut used = removal.used.lock().unwrap_or_else(PoisonError::into_inner).clone();
    used.extend(nodes.iter().filter(|node| node.fate == Disposition::Released).map(|node| node.id.clone()));
    nodes.retain(|node| node.fate == Disposition::Released || !used.contains(&node.id));
    *removal.used.lock().unwrap_or_else(PoisonError::into_inner) = used;
    let named: BTreeSet<String> =
        nodes.iter().flat_map(|node| std::iter::once(&node.key).chain(&node.aliases)).cloned().collect();
    *removal.found.lock().unwrap_or_else(PoisonError::into_inner) = named;
    known::with(&removal.known, |old| {
        if !unseen.is_empty() {
            // What was not seen again may still be there.
            for (id, record) in std::mem::take(&mut old.records) {
                known.records.entry(id).or_insert(record);
            }
        }
        *old = known;
    });
    Discovered { things: graph::ordered(nodes), unseen, notes, unproven }
}

/// Why nothing that is seen by now counts, if so: credentials that end are renewed by their source, and it may
/// give those of another account, which has nothing of the cluster.
async fn another_account(removal: &AwsRemoval<'_>, home: &Home) -> Option<Lost> {
    let caller = Box::pin(credentials::identify(&removal.session)).await.ok()?;
    let (first, now) = (&home.account, &caller.account);
    (first != now).then(|| {
        Lost::Unready(Unready(format!(
            "the credentials belonged to account {first}, and now belong to account {now}"
        )))
    })
}

/// The names of load balancers that go, in the DNS and elsewhere.
fn balancers_of(nodes: &[Node]) -> BTreeSet<String> {
    let both = [&kinds::LOAD_BALANCER, &kinds::CLASSIC_LOAD_BALANCER];
    let removed = nodes.iter().filter(|node| node.fate == Disposition::Removed && both.contains(&node.kind));
    removed.flat_map(|node| &node.aliases).cloned().collect()
}

/// Machines and networks, and the load balancers in these.
async fn network(look: Look<'_>) -> (Part, Vpcs) {
    let (mut part, vpcs) = Box::pin(ec2::ec2(look)).await;
    part.take(Box::pin(balancers::balancers(look, &vpcs)).await);
    (part, vpcs)
}
