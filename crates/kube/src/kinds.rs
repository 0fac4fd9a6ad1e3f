//! The kinds of objects that are read and written here.

use super::objects::Kind;

const ADMISSION: &str = "admissionregistration.k8s.io";
const CONFIG: &str = "config.openshift.io";
const GARDENER: &str = "core.gardener.cloud";

/// A map of texts and bytes.
pub static CONFIG_MAP: Kind = Kind::new("", "v1", "ConfigMap", "configmaps");
/// What happened to an object.
pub static EVENT: Kind = Kind::new("", "v1", "Event", "events");
/// Who leads among replicas.
pub static LEASE: Kind = Kind::new("coordination.k8s.io", "v1", "Lease", "leases");
/// Pods that are kept running.
pub static DEPLOYMENT: Kind = Kind::new("apps", "v1", "Deployment", "deployments");
/// The object with a cluster's platform.
pub static INFRASTRUCTURE: Kind = Kind::new(CONFIG, "v1", "Infrastructure", "infrastructures");
/// The proxy of a whole cluster.
pub static PROXY: Kind = Kind::new(CONFIG, "v1", "Proxy", "proxies");
/// A cluster's networks.
pub static NETWORK: Kind = Kind::new(CONFIG, "v1", "Network", "networks");
/// Which features a cluster has switched on.
pub static FEATURE_GATE: Kind = Kind::new(CONFIG, "v1", "FeatureGate", "featuregates");
/// Which release a cluster runs.
pub static CLUSTER_VERSION: Kind = Kind::new(CONFIG, "v1", "ClusterVersion", "clusterversions");
/// How one of a cluster's operators does.
pub static CLUSTER_OPERATOR: Kind = Kind::new(CONFIG, "v1", "ClusterOperator", "clusteroperators");
/// What only some may read: keys, above all.
pub static SECRET: Kind = Kind::new("", "v1", "Secret", "secrets");
/// Whose token something is.
pub static TOKEN_REVIEW: Kind = Kind::new("authentication.k8s.io", "v1", "TokenReview", "tokenreviews");
/// The question whether somebody may do something.
pub static SUBJECT_ACCESS_REVIEW: Kind =
    Kind::new("authorization.k8s.io", "v1", "SubjectAccessReview", "subjectaccessreviews");
/// Who is asked before an object is written.
pub static VALIDATING_WEBHOOK_CONFIGURATION: Kind =
    Kind::new(ADMISSION, "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations");
/// Who may change an object before it is written.
pub static MUTATING_WEBHOOK_CONFIGURATION: Kind =
    Kind::new(ADMISSION, "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations");
/// What the API server itself refuses, by expressions.
pub static VALIDATING_ADMISSION_POLICY: Kind =
    Kind::new(ADMISSION, "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies");
/// Where a policy holds.
pub static VALIDATING_ADMISSION_POLICY_BINDING: Kind =
    Kind::new(ADMISSION, "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings");
/// A cluster of Gardener's that refers to a profile.
pub static SHOOT: Kind = Kind::new(GARDENER, "v1beta1", "Shoot", "shoots");
/// A cluster's infrastructure in Azure.
pub static AZURE_INFRASTRUCTURE: Kind =
    Kind::new("aso.landfall.dev", "v1alpha1", "AzureInfrastructure", "azureinfrastructures");

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
        cloud: Kind::new(group, version, "CloudProfile", "cloudprofiles"),
        private: Kind::new(group, version, "PrivateCloudProfile", "privatecloudprofiles"),
        namespaced: Kind::new(group, version, "NamespacedCloudProfile", "namespacedcloudprofiles"),
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
