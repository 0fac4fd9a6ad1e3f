//! References to the objects that controllers read and write.

use landfall_kube::kinds;
use landfall_kube::objects::{ClusterEvent, EventType, ObjectRef};

use super::Key;

/// The name of objects of which a cluster has one.
pub(super) const CLUSTER: &str = "cluster";
/// The namespace of the user's settings.
pub(super) const USER_NAMESPACE: &str = "openshift-config";
/// The namespace of settings that the cluster derives from the user's.
pub(super) const MANAGED_NAMESPACE: &str = "openshift-config-managed";
/// The map that the cluster derives from the user's configuration of the cloud provider.
pub(super) const MANAGED_MAP: &str = "kube-cloud-config";
/// The map that the cloud controller manager reads.
pub(super) const TARGET_MAP: &str = "cloud-conf";
/// The names of the maps with the cloud provider's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapNames {
    /// The map that the cluster derives from the user's.
    pub managed: String,
    /// The map that the cloud controller manager reads.
    pub target: String,
}

impl Default for MapNames {
    fn default() -> Self {
        Self { managed: MANAGED_MAP.to_owned(), target: TARGET_MAP.to_owned() }
    }
}

impl MapNames {
    /// The managed map.
    pub(super) fn managed_map(&self) -> ObjectRef {
        ObjectRef::in_namespace(&kinds::CONFIG_MAP, MANAGED_NAMESPACE, self.managed.clone())
    }

    /// The map that the cloud controller manager reads, in its namespace.
    pub(super) fn target_map(&self, namespace: &str) -> ObjectRef {
        ObjectRef::in_namespace(&kinds::CONFIG_MAP, namespace, self.target.clone())
    }

    /// The name of a map, of which a right has the usual name.
    pub(super) fn chosen<'n>(&'n self, usual: &'n str) -> &'n str {
        match usual {
            MANAGED_MAP => &self.managed,
            TARGET_MAP => &self.target,
            other => other,
        }
    }
}

/// The map with the endpoints that were verified last, in the operator's namespace.
pub(super) const VERIFIED_MAP: &str = "landfall-verified-endpoints";
/// The operator whose conditions are about landfall's controllers.
pub(super) const OPERATOR: &str = "landfall";
/// The operator whose conditions are about the cloud controller manager's configuration.
pub(super) const CLOUD_CONTROLLER_OPERATOR: &str = "cloud-controller-manager";

/// The cluster's Infrastructure object.
pub(super) fn infrastructure() -> ObjectRef {
    ObjectRef::in_cluster(&kinds::INFRASTRUCTURE, CLUSTER)
}

/// A warning about that object.
pub(super) fn warning(reason: &'static str, note: impl Into<String>) -> ClusterEvent {
    let note = note.into();
    ClusterEvent { about: infrastructure(), event_type: EventType::Warning, reason, note }
}

/// A map of the user's.
pub(super) fn user_map(name: &str) -> ObjectRef {
    ObjectRef::in_namespace(&kinds::CONFIG_MAP, USER_NAMESPACE, name)
}

/// The one key of a controller that looks after the cluster as a whole.
pub(super) fn key() -> Key {
    Key { namespace: None, name: CLUSTER.to_owned() }
}
