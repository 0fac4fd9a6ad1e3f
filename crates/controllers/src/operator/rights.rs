//! What each controller may do in a cluster: what its code does, and no more.

use landfall_engine_aso::detect::{DEPLOYMENT as ASO_DEPLOYMENT, SETTINGS};
use landfall_engine_aso::kinds::{GROUPS, KINDS};
use landfall_kube::kinds::{
    CLUSTER_OPERATOR, CLUSTER_VERSION, CONFIG_MAP, DEPLOYMENT, EVENT, FEATURE_GATE, GARDENER_PROFILES,
    INFRASTRUCTURE, LEASE, MUTATING_WEBHOOK_CONFIGURATION, NETWORK, PROXY, ProfileKinds, SECRET, SHOOT,
    SUBJECT_ACCESS_REVIEW, TOKEN_REVIEW, VALIDATING_ADMISSION_POLICY, VALIDATING_ADMISSION_POLICY_BINDING,
    VALIDATING_WEBHOOK_CONFIGURATION,
};
use landfall_kube::objects::Kind;

use super::super::feature_gates::VERSION;
use super::super::object_refs::{
    CLOUD_CONTROLLER_OPERATOR, CLUSTER, MANAGED_MAP, MANAGED_NAMESPACE, OPERATOR, TARGET_MAP, USER_NAMESPACE,
    VERIFIED_MAP,
};
use super::deletion_policy;
use super::openshift_operators::{CLOUD_CONTROLLER_OPERATOR as CLOUD_CONTROLLER_RIVAL, CONFIG_OPERATOR};
use crate::admission;
use crate::azure_infrastructure::AZURE_INFRASTRUCTURE as INFRASTRUCTURE_IN_AZURE;

/// Where a right holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// For what belongs to the whole cluster.
    Cluster,
    /// For the whole cluster as well; without it the controller does less. Where one namespace is watched, only if it
    /// is wished.
    Optional,
    /// In this namespace.
    Namespace(&'static str),
    /// In the namespace that is written to, which is a setting.
    Target,
    /// In the operator's own namespace.
    Own,
    /// In the namespaces of Azure Service Operator, which are a setting; without it the controller checks less.
    Aso,
    /// In the namespace that is watched, which is a setting; without one, in all.
    Watched,
    /// In the namespace that is watched; without one, in those that are named, and where the role is bound by hand.
    Secrets,
}

/// One right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Right {
    /// Where it holds.
    pub scope: Scope,
    /// Of which kind of objects. Profiles are Gardener's here; manifests have those of the operator's group.
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

    /// The same right with the kinds of profiles of another group.
    #[must_use]
    pub(crate) fn with_profiles(mut self, kinds: &'static ProfileKinds) -> Self {
        let own = &GARDENER_PROFILES;
        let pairs = [
            (&own.cloud, &kinds.cloud),
            (&own.private, &kinds.private),
            (&own.namespaced, &kinds.namespaced),
            (own.users, kinds.users),
        ];
        if let Some((_, kind)) = pairs.into_iter().find(|(own, _)| *own == self.kind) {
            self.kind = kind;
        }
        self
    }

    /// Whether it is about the policies by which the API server refuses deletions.
    pub(super) fn is_of_policies(&self) -> bool {
        [&VALIDATING_ADMISSION_POLICY, &VALIDATING_ADMISSION_POLICY_BINDING].contains(&self.kind)
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
/// To see whether OpenShift's own operator does the same.
const fn see(rival: &'static [&'static str]) -> Right {
    Right::new(Scope::Cluster, &DEPLOYMENT, rival, &["get"])
}
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
    see(&[CONFIG_OPERATOR.deployment]),
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
    see(&[CLOUD_CONTROLLER_RIVAL.deployment]),
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
    see(&[CONFIG_OPERATOR.deployment]),
    Right::new(Scope::Cluster, &PROXY, &[CLUSTER], &["get"]),
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
    Right::new(Scope::Own, &CONFIG_MAP, &[VERIFIED_MAP], &["get", "patch"]),
    Right::new(Scope::Own, &CONFIG_MAP, &[], CREATE),
];

/// To keep a profile: its finalizer, and what has expired of it.
const UPDATE: &[&str] = &["get", "list", "watch", "update", "patch"];
/// To read clusters, for who refers to which profile.
const SHOOTS: Right = Right::new(Scope::Cluster, &SHOOT, &[], READ);
/// To read infrastructures, which refer to profiles of either group.
const INFRASTRUCTURES: Right = Right::new(Scope::Cluster, &INFRASTRUCTURE_IN_AZURE, &[], READ);
const PROFILE_EVENTS: Right = Right::new(Scope::Cluster, &EVENT, &[], TELL);
const fn render(kind: &'static Kind) -> Right {
    Right { scope: Scope::Cluster, kind, status: true, names: &[], verbs: &["patch"] }
}

/// Those of `private-cloud-profile`. What has expired is guarded by the verbs.
pub static PRIVATE_PROFILES: &[Right] = &[
    Right::new(Scope::Cluster, &GARDENER_PROFILES.private, &[], UPDATE),
    Right::new(
        Scope::Cluster,
        &GARDENER_PROFILES.private,
        &[],
        &["modify-spec-kubernetes", "modify-spec-machineImages"],
    ),
    render(&GARDENER_PROFILES.private),
    Right::new(Scope::Cluster, &GARDENER_PROFILES.cloud, &[], READ),
    // To see whether admission protects the profiles.
    Right::new(Scope::Cluster, &VALIDATING_WEBHOOK_CONFIGURATION, &[admission::NAME], &["get"]),
    SHOOTS,
    INFRASTRUCTURES,
    PROFILE_EVENTS,
];

/// Those of `namespaced-cloud-profile`.
pub static NAMESPACED_PROFILES: &[Right] = &[
    Right::new(Scope::Cluster, &GARDENER_PROFILES.namespaced, &[], UPDATE),
    render(&GARDENER_PROFILES.namespaced),
    Right::new(Scope::Cluster, &GARDENER_PROFILES.cloud, &[], READ),
    SHOOTS,
    INFRASTRUCTURES,
    PROFILE_EVENTS,
];

/// Those of `cloud-profile`.
pub static CLOUD_PROFILES: &[Right] = &[
    Right::new(Scope::Cluster, &GARDENER_PROFILES.cloud, &[], UPDATE),
    Right::new(Scope::Cluster, &GARDENER_PROFILES.private, &[], READ),
    Right::new(Scope::Cluster, &GARDENER_PROFILES.namespaced, &[], READ),
    SHOOTS,
    INFRASTRUCTURES,
    PROFILE_EVENTS,
];

/// To renew the webhook's certificates, and to register them with the API server.
const CONFIGURE: &[&str] = &["get", "list", "watch", "patch"];
/// Those of `cloud-profile-admission`.
pub static ADMISSION: &[Right] = &[
    Right::new(Scope::Cluster, &GARDENER_PROFILES.cloud, &[], READ),
    Right::new(Scope::Cluster, &GARDENER_PROFILES.private, &[], READ),
    Right::new(Scope::Cluster, &GARDENER_PROFILES.namespaced, &[], READ),
    SHOOTS,
    INFRASTRUCTURES,
    Right::new(Scope::Cluster, &SUBJECT_ACCESS_REVIEW, &[], CREATE),
    Right::new(Scope::Cluster, &VALIDATING_WEBHOOK_CONFIGURATION, &[admission::NAME], CONFIGURE),
    Right::new(Scope::Cluster, &VALIDATING_WEBHOOK_CONFIGURATION, &[], CREATE),
    Right::new(Scope::Cluster, &MUTATING_WEBHOOK_CONFIGURATION, &[admission::NAME], CONFIGURE),
    Right::new(Scope::Cluster, &MUTATING_WEBHOOK_CONFIGURATION, &[], CREATE),
    Right::new(Scope::Own, &SECRET, &[admission::SECRET_NAME], CONFIGURE),
    Right::new(Scope::Own, &SECRET, &[], CREATE),
];

/// The operator's kinds, as the API names them.
static OPERATOR_KINDS: [Kind; KINDS.len()] = {
    const NONE: Kind = Kind::new("", "", "", "");
    let mut all = [NONE; KINDS.len()];
    let mut at = 0;
    while at < all.len() {
        let known = &KINDS[at];
        all[at] =
            Kind { group: known.group, version: known.versions[0], kind: known.kind, plural: known.plural };
        at += 1;
    }
    all
};
/// All kinds of each group.
static OTHER_KINDS: [Kind; GROUPS.len()] = {
    const NONE: Kind = Kind::new("", "", "", "*");
    let mut all = [NONE; GROUPS.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = Kind { group: GROUPS[at], ..NONE };
        at += 1;
    }
    all
};
static FINALIZERS: Kind = Kind { plural: "azureinfrastructures/finalizers", ..INFRASTRUCTURE_IN_AZURE };
const MAKE: &[&str] = &["get", "list", "watch", "create", "patch", "update", "delete"];

/// Those that `azure-infrastructure` has besides those to the operator's objects.
const AROUND: [Right; 19] = [
    Right::new(Scope::Watched, &INFRASTRUCTURE_IN_AZURE, &[], &["get", "list", "watch", "patch"]),
    Right {
        scope: Scope::Watched,
        kind: &INFRASTRUCTURE_IN_AZURE,
        status: true,
        names: &[],
        verbs: &["get", "patch"],
    },
    // An owner that holds back its own removal must be one that the writer may change.
    Right::new(Scope::Watched, &FINALIZERS, &[], &["update"]),
    // Which infrastructure IDs the clusters of other namespaces have.
    Right::new(Scope::Optional, &INFRASTRUCTURE_IN_AZURE, &[], READ),
    Right::new(Scope::Secrets, &SECRET, &[], &["get", "create", "patch", "delete"]),
    // The cloud and the namespaces of Azure Service Operator. The Secret may also have its credential.
    Right::new(Scope::Aso, &SECRET, &[SETTINGS], &["get"]),
    Right::new(Scope::Watched, &CONFIG_MAP, &[], &["get"]),
    // The cloud profile that a resource refers to.
    Right::new(Scope::Cluster, &GARDENER_PROFILES.cloud, &[], &["get"]),
    Right::new(Scope::Watched, &GARDENER_PROFILES.private, &[], &["get"]),
    Right::new(Scope::Watched, &GARDENER_PROFILES.namespaced, &[], &["get"]),
    Right::new(Scope::Watched, &LEASE, &[], &["get", "create", "patch"]),
    Right::new(Scope::Watched, &EVENT, &[], TELL),
    Right::new(Scope::Cluster, &CRD, &[], LOOK),
    // It is watched, so that its coming and going is seen at once. To list and to watch by this name is enough.
    Right::new(Scope::Cluster, &DEPLOYMENT, &[ASO_DEPLOYMENT], READ),
    Right::new(Scope::Cluster, &ACCESS_REVIEW, &[], CREATE),
    // The policies that protect clusters from deletion. Who writes one must be able to read all that it looks at.
    Right::new(Scope::Optional, &VALIDATING_ADMISSION_POLICY, deletion_policy::NAMES, &["get", "patch"]),
    Right::new(Scope::Optional, &VALIDATING_ADMISSION_POLICY, &[], CREATE),
    Right::new(
        Scope::Optional,
        &VALIDATING_ADMISSION_POLICY_BINDING,
        deletion_policy::NAMES,
        &["get", "patch"],
    ),
    Right::new(Scope::Optional, &VALIDATING_ADMISSION_POLICY_BINDING, &[], CREATE),
];
const LOOK: &[&str] = &["get", "list"];
static CRD: Kind =
    Kind::new("apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions");
static ACCESS_REVIEW: Kind =
    Kind::new("authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews");

static IN_AZURE: [Right; 2 * KINDS.len() + AROUND.len() + GROUPS.len()] = {
    let mut all = [AROUND[0]; 2 * KINDS.len() + AROUND.len() + GROUPS.len()];
    let mut at = 0;
    while at < KINDS.len() {
        let kind = &OPERATOR_KINDS[at];
        all[2 * at] = Right::new(Scope::Watched, kind, &[], MAKE);
        // Status is the operator's to write.
        all[2 * at + 1] = Right { scope: Scope::Watched, kind, status: true, names: &[], verbs: READ };
        at += 1;
    }
    at = 0;
    while at < AROUND.len() {
        all[2 * KINDS.len() + at] = AROUND[at];
        at += 1;
    }
    at = 0;
    while at < GROUPS.len() {
        let right = Right::new(Scope::Watched, &OTHER_KINDS[at], &[], &["list"]);
        all[2 * KINDS.len() + AROUND.len() + at] = right;
        at += 1;
    }
    all
};
/// Those of `azure-infrastructure`.
pub static AZURE_INFRASTRUCTURE: &[Right] = &IN_AZURE;

/// Those of every operator: the lease by which one of its replicas leads.
pub static ELECTION: &[Right] = &[
    Right::new(Scope::Own, &LEASE, &[super::LEASE_NAME], &["get", "patch"]),
    Right::new(Scope::Own, &LEASE, &[], CREATE),
];

/// Those of an operator that serves its metrics over TLS: to ask who reads them, and whether they may.
pub static METRICS: &[Right] = &[
    Right::new(Scope::Cluster, &TOKEN_REVIEW, &[], CREATE),
    Right::new(Scope::Cluster, &SUBJECT_ACCESS_REVIEW, &[], CREATE),
];
