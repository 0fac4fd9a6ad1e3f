//! The annotations, labels, tags and finalizers that the engine and the operator agree on.

/// A key of the engine's own.
macro_rules! own {
    ($name:literal) => {
        concat!("aso.landfall.dev", $name)
    };
}

/// What the engine's own keys begin with, and the group of its own kinds.
pub const P: &str = own!("");

/// Annotation: what the operator may do in Azure, one of [`super::desired::Policy`].
pub const POLICY: &str = "serviceoperator.azure.com/reconcile-policy";
/// Annotation: the Secret with the credential of an object, in its namespace.
pub const CREDENTIAL_FROM: &str = "serviceoperator.azure.com/credential-from";
/// What the operator's annotations begin with.
pub const OPERATOR_PREFIX: &str = "serviceoperator.azure.com/";

/// Annotation: the policy before a pause, or nothing where there was none.
pub const PRE_PAUSE: &str = own!("/pre-pause-reconcile-policy");
/// Annotation: the policy before a handover.
pub const HANDOVER: &str = own!("/handover-policy");
/// Annotation: the user's tags as they were written last.
pub const LAST_APPLIED_TAGS: &str = own!("/last-applied-tags");
/// Annotation: when an object was adopted.
pub const ADOPTED_AT: &str = own!("/adopted-at");
/// Annotation: whose the Azure resource is, where it is not the engine's; see [`super::desired::Mode`].
pub const MODE: &str = own!("/mode");

/// Annotation of an object of the user's: it may be deleted with the cluster whose resource group it is in.
/// On the anchor it holds for all of them.
pub const DELETE_WITH_CLUSTER: &str = own!("/delete-with-cluster");

/// Annotation of the anchor: a move must wait.
pub const BLOCK_MOVE: &str = "clusterctl.cluster.x-k8s.io/block-move";
/// Annotation of the anchor: it goes because of a move, so nothing is deleted in Azure.
pub const DELETE_FOR_MOVE: &str = "clusterctl.cluster.x-k8s.io/delete-for-move";

/// Label: the infrastructure ID of the cluster that an object belongs to.
pub const CLUSTER: &str = own!("/cluster");
/// Label of the anchor: it moves with all that it owns.
pub const MOVE_HIERARCHY: &str = "clusterctl.cluster.x-k8s.io/move-hierarchy";

/// Finalizer of the anchor.
pub const CLEANUP: &str = own!("/cleanup");

/// The value of a tag that says that a cluster owns a resource.
pub const OWNED: &str = "owned";

/// The tag that the engine writes on what it owns for this cluster.
#[must_use]
pub fn ownership_tag(infra_id: &str) -> String {
    format!("kubernetes.io_cluster.{infra_id}")
}

/// The tags of which each proves that this cluster owns a resource.
#[must_use]
pub fn ownership_tags(infra_id: &str) -> [String; 2] {
    [ownership_tag(infra_id), format!("sigs.k8s.io_cluster-api-provider-azure_cluster_{infra_id}")]
}

/// The name of the object that owns all objects of this cluster.
#[must_use]
pub fn anchor_name(infra_id: &str) -> String {
    format!("{infra_id}-aso-anchor")
}

/// The name of the Secret with this cluster's credential.
#[must_use]
pub fn credential_name(infra_id: &str) -> String {
    format!("{infra_id}-aso-secret")
}
