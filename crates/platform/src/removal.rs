//! What a platform's edge is to destroy: who is asking, what a cluster owns, and how each thing goes.
//!
//! The values in here are plain and the futures do nothing by themselves; whoever runs them decides what is
//! removed when.

use futures::stream::{self, StreamExt};
use landfall_diagnostics::Finding;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::cloud::{Asked, Verdict, Waiting};

/// The cluster that is to go, as `metadata.json` or the command line names it (`assets.md`, E.1).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// Its infrastructure id.
    pub infra_id: String,
    /// Its name; empty where nobody says it.
    pub cluster_name: String,
    /// Its UUID; empty where nobody says it.
    pub cluster_id: String,
    /// The account or subscription that landfall made it in; none where nobody noted it.
    pub account: Option<String>,
    /// The object under the platform's key.
    pub platform: Map<String, Value>,
}

/// A cluster as the command line names it. Texts that nobody gave are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GivenTarget {
    /// Its infrastructure id.
    pub infra_id: String,
    /// Its region or location.
    pub region: String,
    /// The name of the cloud, where the platform has several.
    pub cloud_name: String,
    /// Where services are called, by their names, if not at the cloud's own endpoints.
    pub endpoints: Vec<(String, String)>,
    /// Its domain, such as `demo.example.com`.
    pub cluster_domain: String,
    /// The role that may change the private hosted zone.
    pub hosted_zone_role: String,
    /// The resource manager of an Azure Stack Hub.
    pub arm_endpoint: String,
    /// Existing resource group of the cluster.
    pub resource_group: String,
    /// The resource group of the base domain's public zone.
    pub base_domain_resource_group: String,
}

/// The longest id that a cluster has: `assets.md`, A.1.
const LONGEST_ID: usize = 27;

impl Target {
    /// A text of the platform's object; empty where there is none.
    #[must_use]
    pub fn text(&self, key: &str) -> &str {
        self.platform.get(key).and_then(Value::as_str).unwrap_or_default().trim()
    }

    /// Whether the id is one that tags and names can be looked for by.
    #[must_use]
    pub fn has_usable_id(&self) -> bool {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        let id = self.infra_id.as_str();
        !id.is_empty() && id.len() <= LONGEST_ID && id.bytes().all(fits)
    }
}

/// Whom the credentials belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Id of the account or subscription.
    pub id: String,
    /// The caller, as the cloud names it.
    pub caller: String,
}

/// A sort of things, and what all of its things have in common.
#[derive(Debug, PartialEq, Eq)]
pub struct Kind {
    /// Its name, such as `NAT gateway`.
    pub name: &'static str,
    /// The most of them that go with one call.
    pub batch: usize,
    /// What to do where one is held by something that is not the cluster's.
    pub help: &'static str,
    /// Whether they are traces of the cluster, by which it can be found and repaired. They go last, once
    /// nothing else is on its way.
    pub last: bool,
}

/// What becomes of a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Disposition {
    /// The cluster owns it: it is removed.
    Removed,
    /// The cluster shares it: it stays, and loses the cluster's tag.
    Released,
}

/// Something of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its id, unique among all things, such as an ARN.
    pub id: String,
    /// Its sort.
    pub kind: &'static Kind,
    /// What people know it by; empty where it has no name beside the id.
    pub name: String,
    /// What becomes of it.
    pub fate: Disposition,
    /// Ids of the things that must be gone before it can go.
    pub after: Vec<String>,
}

impl Resource {
    /// Something that goes, and waits for nothing else.
    #[must_use]
    pub fn removed(kind: &'static Kind, id: String, name: String) -> Self {
        Self { id, kind, name, fate: Disposition::Removed, after: Vec::new() }
    }
}

/// What a look at the cloud found.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// Everything of the cluster.
    pub things: Vec<Resource>,
    /// What could not be looked at, so that there may be more.
    pub unseen: Vec<Finding>,
    /// What is worth saying besides, such as things of other clusters in the way.
    pub notes: Vec<Finding>,
    /// What may be the cluster's and is not proven to be: it stays.
    pub unproven: Vec<Finding>,
}

/// What came of an attempt to remove a thing.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is gone, now or before.
    Gone,
    /// It is going; a look tells when it is gone.
    Going,
    /// Something holds it: it may go later.
    Held {
        /// What the cloud said, without a full stop.
        why: String,
    },
    /// The cloud limited or failed at the call: it may go later.
    Failed {
        /// What the cloud said, without a full stop.
        why: String,
    },
    /// The cloud will not let this caller remove it, now or later.
    Refused(Box<Finding>),
}

/// What holds a thing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Holder {
    /// What it is, with its id and whose it is, such as `network interface eni-1 of load balancer app/web`.
    pub what: String,
    /// Whether it is one of the cluster's own things, which goes in its turn.
    pub own: bool,
}

/// So many things are asked for their holders at a time where each is asked by itself.
const ASKED_AT_ONCE: usize = 8;

/// A cluster that landfall finds by its tags.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundCluster {
    /// Its infrastructure id.
    #[serde(rename = "infraID")]
    pub infra_id: String,
    /// Where it is.
    pub region: String,
    /// Number of its resources that were found.
    #[serde(rename = "resources")]
    pub things: usize,
}

/// The clusters of an account that a search has found.
#[derive(Clone, Debug, Default)]
pub struct FoundClusters {
    /// The clusters.
    pub clusters: Vec<FoundCluster>,
    /// Why there may be more, if a part of the search failed.
    pub missed: Option<Verdict>,
}

impl From<Vec<FoundCluster>> for FoundClusters {
    fn from(clusters: Vec<FoundCluster>) -> Self {
        Self { clusters, missed: None }
    }
}

/// What other regions or subscriptions have of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Elsewhere {
    /// Where the cluster was looked for, such as `region eu-west-1`.
    pub here: String,
    /// Where something of it is, each with what says so.
    pub found: Vec<FoundElsewhere>,
    /// What could not be asked, so that the cluster may be there.
    pub unseen: Vec<Finding>,
    /// Whether something that was found here says that this is the right place.
    pub confirmed: bool,
}

/// A region or subscription that has something of a cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FoundElsewhere {
    /// The place, such as `region eu-central-1`.
    pub place: String,
    /// What is there, such as `25 resources carry its tag`.
    pub evidence: String,
    /// How the command names the place.
    pub help: String,
}

/// The removal of one cluster from one cloud. Every call is safe to repeat.
pub trait Removal: Send + Sync {
    /// Whose credentials these are.
    fn account(&self) -> Waiting<'_, Asked<Account>>;

    /// Everything of the cluster that there is now. Nothing that was seen before is remembered.
    fn discover(&self) -> Waiting<'_, Discovered>;

    /// The same of what has the cluster's tag or is in its resource groups, which takes fewer rights; everything where the
    /// platform has no such groups.
    fn discover_inside(&self) -> Waiting<'_, Discovered> {
        self.discover()
    }

    /// Removes things of one kind and one fate, at most as many as go with one call; an outcome for each, in
    /// their order.
    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>>;

    /// Whether things of one kind that were going are gone, in their order: [`Outcome::Gone`] or
    /// [`Outcome::Going`], or why that is not known.
    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>>;

    /// What holds a thing that does not go; empty where nobody knows.
    fn holders<'s>(&'s self, thing: &'s Resource) -> Waiting<'s, Vec<Holder>>;

    /// What holds several things of one kind; a list for each, in their order. A platform that sees the
    /// holders of many with one look gives them so; otherwise each is asked for by itself, a few at a time.
    fn holders_of<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Vec<Holder>>> {
        let mut each = Vec::with_capacity(things.len());
        for thing in things {
            each.push(self.holders(thing));
        }
        Box::pin(stream::iter(each).buffered(ASKED_AT_ONCE).collect::<Vec<Vec<Holder>>>())
    }

    /// Whether a resource lies in the region or subscription that the cluster is looked for in. What several
    /// of them share, such as a role, can be found from each of them and says nothing of where the cluster
    /// is.
    fn is_local(&self, _thing: &Resource) -> bool {
        true
    }

    /// What other regions or subscriptions have of the cluster. `found` is what was found of it here.
    fn elsewhere<'s>(&'s self, _found: &'s [Resource]) -> Waiting<'s, Elsewhere> {
        Box::pin(async { Elsewhere::default() })
    }

    /// Whether the account has not enabled the region: nothing can be in it, and nothing there can be asked. False
    /// also where that is not known.
    fn is_off(&self) -> Waiting<'_, bool> {
        Box::pin(async { false })
    }

    /// All clusters of the account that can be seen from here, and whether that is all of them.
    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>>;
}
