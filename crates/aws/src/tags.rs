//! Tags that name the cluster of a resource (`assets.md`, A.2).

/// Beginning of the tag by which OpenShift and its cloud controller know the resources of a cluster.
pub const CLUSTER: &str = "kubernetes.io/cluster/";
/// Beginning of the tag of the Cluster API provider, which resources have from OpenShift 4.16 on.
pub const PROVIDER: &str = "sigs.k8s.io/cluster-api-provider-aws/cluster/";

/// The infrastructure id in the key of a tag; none for other keys.
#[must_use]
pub fn id_of(key: &str) -> Option<&str> {
    let id = key.strip_prefix(CLUSTER).or_else(|| key.strip_prefix(PROVIDER));
    id.filter(|id| !id.is_empty())
}
