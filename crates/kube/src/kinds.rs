//! The kinds of objects that are read and written here.

use super::objects::Kind;

const CONFIG: &str = "config.openshift.io";
const GARDENER: &str = "core.gardener.cloud";

/// A map of texts and bytes.
pub static CONFIG_MAP: Kind = Kind { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" };
/// What happened to an object.
pub static EVENT: Kind = Kind { group: "", version: "v1", kind: "Event", plural: "events" };
/// Who leads among replicas.
pub static LEASE: Kind =
    Kind { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" };
/// Pods that are kept running.
pub static DEPLOYMENT: Kind =
    Kind { group: "apps", version: "v1", kind: "Deployment", plural: "deployments" };
/// The object with a cluster's platform.
pub static INFRASTRUCTURE: Kind =
    Kind { group: CONFIG, version: "v1", kind: "Infrastructure", plural: "infrastructures" };
/// The proxy of a whole cluster.
pub static PROXY: Kind = Kind { group: CONFIG, version: "v1", kind: "Proxy", plural: "proxies" };
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
/// What only some may read: keys, above all.
pub static SECRET: Kind = Kind { group: "", version: "v1", kind: "Secret", plural: "secrets" };
/// Whose token something is.
pub static TOKEN_REVIEW: Kind =
    Kind { group: "authentication.k8s.io", version: "v1", kind: "TokenReview", plural: "tokenreviews" };
/// The question whether somebody may do something.
pub static SUBJECT_ACCESS_REVIEW: Kind = Kind {
    group: "authorization.k8s.io",
    version: "v1",
    kind: "SubjectAccessReview",
    plural: "subjectaccessreviews",
};
/// Who is asked before an object is written.
pub static VALIDATING_WEBHOOK_CONFIGURATION: Kind = Kind {
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind: "ValidatingWebhookConfiguration",
    plural: "validatingwebhookconfigurations",
};
/// Who may change an object before it is written.
pub static MUTATING_WEBHOOK_CONFIGURATION: Kind = Kind {
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind: "MutatingWebhookConfiguration",
    plural: "mutatingwebhookconfigurations",
};
/// What clusters of one provider may use.
pub static CLOUD_PROFILE: Kind =
    Kind { group: GARDENER, version: "v1beta1", kind: "CloudProfile", plural: "cloudprofiles" };
/// What one project adds to a cloud profile, as it was proposed.
pub static PRIVATE_CLOUD_PROFILE: Kind =
    Kind { group: GARDENER, version: "v1beta1", kind: "PrivateCloudProfile", plural: "privatecloudprofiles" };
/// What one project adds to a cloud profile, as it was released.
pub static NAMESPACED_CLOUD_PROFILE: Kind = Kind {
    group: GARDENER,
    version: "v1beta1",
    kind: "NamespacedCloudProfile",
    plural: "namespacedcloudprofiles",
};
/// A cluster that refers to a profile.
pub static SHOOT: Kind = Kind { group: GARDENER, version: "v1beta1", kind: "Shoot", plural: "shoots" };
