//! Everything of a cluster that there is now.
//!
//! First those are asked who know tags: Resource Groups Tagging, EC2 and IAM. What they name may be long
//! gone, as tags outlive what they are on, so the service of each thing is asked for it, and what it does not
//! know is not there. What lies in a VPC of the cluster is the cluster's without a tag, unless it carries
//! another cluster's.

mod balancers;
mod buckets;
mod ec2;
mod identities;
mod others;
mod records;
mod tagged;
mod zones;

use std::collections::BTreeSet;
use std::sync::PoisonError;

use futures::join;

use super::AwsRemoval;
use super::arn::Home;
use super::graph::{self, Node};
use super::known::{self, Known};
use super::pages;
use crate::finding::Finding;
use crate::platform::aws::cloud::fault::Sort;
use crate::platform::aws::cloud::session::Lost;
use crate::platform::removal::Discovered;

use self::tagged::Claims;

/// The most requests of one sort that are under way at a time.
pub(super) const AT_A_TIME: usize = 16;

/// What one service has of a cluster.
#[derive(Debug, Default)]
struct Part {
    nodes: Vec<Node>,
    known: Known,
    unseen: Vec<Finding>,
    notes: Vec<Finding>,
}

impl Part {
    /// Takes over what another service has.
    fn take(&mut self, other: Self) {
        self.nodes.extend(other.nodes);
        self.unseen.extend(other.unseen);
        self.notes.extend(other.notes);
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
    let (claims, mut part) = Box::pin(tagged::claims(removal)).await;
    let look = Look { removal, home: &home, claims: &claims };
    let (network, identities, zones, buckets, others) = join!(
        Box::pin(network(look)),
        Box::pin(identities::identities(look)),
        Box::pin(zones::zones(look)),
        Box::pin(buckets::buckets(look)),
        Box::pin(others::others(look)),
    );
    for other in [network, identities, zones, buckets, others] {
        part.take(other);
    }
    let Part { nodes, known, unseen, notes } = part;
    let named: BTreeSet<String> =
        nodes.iter().flat_map(|node| std::iter::once(&node.key).chain(&node.aliases)).cloned().collect();
    *removal.found.lock().unwrap_or_else(PoisonError::into_inner) = named;
    known::with(&removal.known, |old| *old = known);
    Discovered { things: graph::ordered(nodes), unseen, notes }
}

/// Machines and networks, and the load balancers in these.
async fn network(look: Look<'_>) -> Part {
    let (mut part, vpcs) = Box::pin(ec2::ec2(look)).await;
    part.take(Box::pin(balancers::balancers(look, &vpcs)).await);
    part
}
