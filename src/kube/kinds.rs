//! The kinds of objects that are read and written here.

use super::objects::Kind;

const CONFIG: &str = "config.openshift.io";

/// A map of texts and bytes.
pub static CONFIG_MAP: Kind = Kind { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" };
/// What happened to an object.
pub static EVENT: Kind = Kind { group: "", version: "v1", kind: "Event", plural: "events" };
/// Who leads among replicas.
pub static LEASE: Kind =
    Kind { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" };
/// What a cluster stands on: its platform.
pub static INFRASTRUCTURE: Kind =
    Kind { group: CONFIG, version: "v1", kind: "Infrastructure", plural: "infrastructures" };
/// A cluster's networks.
pub static NETWORK: Kind = Kind { group: CONFIG, version: "v1", kind: "Network", plural: "networks" };
/// Which features a cluster has switched on.
pub static FEATURE_GATE: Kind =
    Kind { group: CONFIG, version: "v1", kind: "FeatureGate", plural: "featuregates" };
/// Which release a cluster runs.
pub static CLUSTER_VERSION: Kind =
    Kind { group: CONFIG, version: "v1", kind: "ClusterVersion", plural: "clusterversions" };
/// How one of a cluster's operators does.
pub static CLUSTER_OPERATOR: Kind =
    Kind { group: CONFIG, version: "v1", kind: "ClusterOperator", plural: "clusteroperators" };
