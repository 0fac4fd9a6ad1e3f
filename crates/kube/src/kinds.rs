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
/// What the API server itself refuses, by expressions.
pub static VALIDATING_ADMISSION_POLICY: Kind = Kind {
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind: "ValidatingAdmissionPolicy",
    plural: "validatingadmissionpolicies",
};
/// Where a policy holds.
pub static VALIDATING_ADMISSION_POLICY_BINDING: Kind = Kind {
    group: "admissionregistration.k8s.io",
    version: "v1",
    kind: "ValidatingAdmissionPolicyBinding",
    plural: "validatingadmissionpolicybindings",
};
/// A cluster of Gardener's that refers to a profile.
pub static SHOOT: Kind = Kind { group: GARDENER, version: "v1beta1", kind: "Shoot", plural: "shoots" };
/// A cluster's infrastructure in Azure.
pub static AZURE_INFRASTRUCTURE: Kind = Kind {
    group: "aso.landfall.dev",
    version: "v1alpha1",
    kind: "AzureInfrastructure",
    plural: "azureinfrastructures",
};

/// The kinds of cloud profiles in an API group, and of the clusters that refer to them.
#[derive(Debug, PartialEq, Eq)]
pub struct ProfileKinds {
    /// What clusters of one provider may use.
    pub cloud: Kind,
    /// What one project adds to a cloud profile, as it was proposed.
    pub private: Kind,
    /// What one project adds to a cloud profile, as it was released.
    pub namespaced: Kind,
    /// The clusters of the group itself that refer to profiles.
    pub users: &'static Kind,
}

/// Landfall's own, to which an `AzureInfrastructure` refers.
pub static LANDFALL_PROFILES: ProfileKinds = profiles("profiles.landfall.dev", &AZURE_INFRASTRUCTURE);
/// Those of Gardener's API server, to which its Shoots refer.
pub static GARDENER_PROFILES: ProfileKinds = profiles(GARDENER, &SHOOT);

const fn profiles(group: &'static str, users: &'static Kind) -> ProfileKinds {
    let version = "v1beta1";
    ProfileKinds {
        cloud: Kind { group, version, kind: "CloudProfile", plural: "cloudprofiles" },
        private: Kind { group, version, kind: "PrivateCloudProfile", plural: "privatecloudprofiles" },
        namespaced: Kind {
            group,
            version,
            kind: "NamespacedCloudProfile",
            plural: "namespacedcloudprofiles",
        },
        users,
    }
}

impl ProfileKinds {
    /// Those of an API group; none if there are none in it.
    #[must_use]
    pub fn of_group(group: &str) -> Option<&'static Self> {
        [&LANDFALL_PROFILES, &GARDENER_PROFILES].into_iter().find(|kinds| kinds.cloud.group == group)
    }

    /// All kinds of clusters that may refer to profiles: an `AzureInfrastructure` does so in both groups.
    #[must_use]
    pub fn all_users(&self) -> &'static [&'static Kind] {
        static OF_GARDENER: [&Kind; 2] = [&SHOOT, &AZURE_INFRASTRUCTURE];
        static OF_LANDFALL: [&Kind; 1] = [&AZURE_INFRASTRUCTURE];
        if self.are_gardeners() { &OF_GARDENER } else { &OF_LANDFALL }
    }

    /// Whether the clusters of the group are Gardener's.
    #[must_use]
    pub fn are_gardeners(&self) -> bool {
        *self.users == SHOOT
    }
}
