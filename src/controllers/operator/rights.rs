//! What each controller may do in a cluster: what its code does, and no more.

use super::super::gates::VERSION;
use super::super::places::{
    CLOUD_CONTROLLER_OPERATOR, CLUSTER, MANAGED_MAP, MANAGED_NAMESPACE, OPERATOR, TARGET_MAP, USER_NAMESPACE,
};
use crate::kube::kinds::{
    CLUSTER_OPERATOR, CLUSTER_VERSION, CONFIG_MAP, EVENT, FEATURE_GATE, INFRASTRUCTURE, LEASE, NETWORK,
};
use crate::kube::objects::Kind;

/// Where a right holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For what belongs to the whole cluster.
    Cluster,
    /// In this namespace.
    Namespace(&'static str),
    /// In the namespace that is written to, which is a setting.
    Target,
    /// In the operator's own namespace.
    Own,
}

/// One right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    /// Where it holds.
    pub scope: Scope,
    /// Of which kind of objects.
    pub kind: &'static Kind,
    /// Whether it is about their status alone.
    pub status: bool,
    /// The objects' names; of all where none is named. Only what is named already can be named here: to
    /// create knows no names.
    pub names: &'static [&'static str],
    /// What may be done.
    pub verbs: &'static [&'static str],
}

impl Right {
    const fn new(
        scope: Scope,
        kind: &'static Kind,
        names: &'static [&'static str],
        verbs: &'static [&'static str],
    ) -> Self {
        Self { scope, kind, status: false, names, verbs }
    }

    /// The resource, as a role names it.
    #[must_use]
    pub fn resource(&self) -> String {
        if self.status { format!("{}/status", self.kind.plural) } else { self.kind.plural.to_owned() }
    }
}

const READ: &[&str] = &["get", "list", "watch"];
/// To bring a map to what it should be: applied, patched, deleted.
const KEEP: &[&str] = &["get", "list", "watch", "patch", "delete"];
const CREATE: &[&str] = &["create"];
const TELL: &[&str] = &["create", "patch"];
/// The events of what belongs to the whole cluster stand there.
const EVENTS: Scope = Scope::Namespace("default");
const USER: Scope = Scope::Namespace(USER_NAMESPACE);
const MANAGED: Scope = Scope::Namespace(MANAGED_NAMESPACE);

/// To read the platform.
const PLATFORM: Right = Right::new(Scope::Cluster, &INFRASTRUCTURE, &[CLUSTER], READ);
/// To read the feature gates, for which the release must be known.
const GATES: [Right; 2] = [
    Right::new(Scope::Cluster, &FEATURE_GATE, &[CLUSTER], READ),
    Right::new(Scope::Cluster, &CLUSTER_VERSION, &[VERSION], READ),
];
/// To report in the conditions of an operator.
const fn report(names: &'static [&'static str]) -> [Right; 3] {
    [
        Right::new(Scope::Cluster, &CLUSTER_OPERATOR, &[], CREATE),
        Right::new(Scope::Cluster, &CLUSTER_OPERATOR, names, &["get", "patch"]),
        Right { scope: Scope::Cluster, kind: &CLUSTER_OPERATOR, status: true, names, verbs: &["patch"] },
    ]
}
const LANDFALL: [Right; 3] = report(&[OPERATOR]);
const CLOUD_CONTROLLER: [Right; 3] = report(&[CLOUD_CONTROLLER_OPERATOR]);

/// Those of `kube-cloud-config`.
pub static KUBE_CLOUD_CONFIG: &[Right] = &[
    PLATFORM,
    GATES[0],
    GATES[1],
    LANDFALL[0],
    LANDFALL[1],
    LANDFALL[2],
    Right::new(USER, &CONFIG_MAP, &[], READ),
    Right::new(MANAGED, &CONFIG_MAP, &[MANAGED_MAP], KEEP),
    Right::new(MANAGED, &CONFIG_MAP, &[], CREATE),
    Right::new(MANAGED, &EVENT, &[], TELL),
    Right::new(EVENTS, &EVENT, &[], TELL),
];

/// Those of `cloud-config-sync`. With a gate of vSphere's the managed map is its own.
pub static CLOUD_CONFIG_SYNC: &[Right] = &[
    PLATFORM,
    GATES[0],
    GATES[1],
    Right::new(Scope::Cluster, &NETWORK, &[CLUSTER], READ),
    CLOUD_CONTROLLER[0],
    CLOUD_CONTROLLER[1],
    CLOUD_CONTROLLER[2],
    Right::new(USER, &CONFIG_MAP, &[], READ),
    Right::new(MANAGED, &CONFIG_MAP, &[MANAGED_MAP], KEEP),
    Right::new(MANAGED, &CONFIG_MAP, &[], CREATE),
    Right::new(MANAGED, &EVENT, &[], TELL),
    Right::new(Scope::Target, &CONFIG_MAP, &[TARGET_MAP], KEEP),
    Right::new(Scope::Target, &CONFIG_MAP, &[], CREATE),
    Right::new(Scope::Target, &EVENT, &[], TELL),
    Right::new(EVENTS, &EVENT, &[], TELL),
];

/// Those of `endpoint-mirror`.
pub static ENDPOINT_MIRROR: &[Right] = &[
    PLATFORM,
    Right {
        scope: Scope::Cluster,
        kind: &INFRASTRUCTURE,
        status: true,
        names: &[CLUSTER],
        verbs: &["patch"],
    },
    LANDFALL[0],
    LANDFALL[1],
    LANDFALL[2],
    Right::new(EVENTS, &EVENT, &[], TELL),
];

/// Those of every operator: the lease by which one of its replicas leads.
pub static ELECTION: &[Right] = &[
    Right::new(Scope::Own, &LEASE, &[super::LEASE_NAME], &["get", "patch"]),
    Right::new(Scope::Own, &LEASE, &[], CREATE),
];
