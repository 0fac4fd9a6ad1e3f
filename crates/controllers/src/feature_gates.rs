//! The feature gates of a cluster.

use landfall_cloud_config::target::Gate;
use landfall_kube::kinds;
use landfall_kube::objects::{ObjectRef, Objects};
use serde::Deserialize;

use super::{Failed, fetch, object_refs};

/// On, the managed map of a vSphere cluster belongs to the controller of `cloud.conf`.
pub(super) const MANAGED_ELSEWHERE: &str = "VSphereMultiVCenterDay2";
/// On, load balancers of AWS get security groups.
pub(super) const LOAD_BALANCER_GROUPS: &str = "AWSServiceLBNetworkSecurityGroup";

/// The name of the object with the cluster's release.
pub(super) const VERSION: &str = "version";

const UNREADABLE: &str = "gates-unreadable";

/// The gates of one release.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Gates {
    version: String,
    enabled: Vec<Named>,
    disabled: Vec<Named>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
struct Named {
    name: String,
}

impl Gates {
    /// Whether a gate is on; one that is not listed is not.
    pub(super) fn is_on(&self, name: &str) -> bool {
        self.enabled.iter().any(|gate| gate.name == name)
    }

    /// The state of a gate.
    pub(super) fn state(&self, name: &str) -> Gate {
        if self.is_on(name) {
            Gate::On
        } else if self.disabled.iter().any(|gate| gate.name == name) {
            Gate::Off
        } else {
            Gate::Unknown
        }
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FeatureGate {
    status: FeatureGateStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FeatureGateStatus {
    feature_gates: Vec<Gates>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClusterVersion {
    status: ClusterVersionStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ClusterVersionStatus {
    desired: Release,
    history: Vec<Release>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Release {
    version: String,
}

impl ClusterVersionStatus {
    /// The release that the cluster is to run: the one wished for, or else the latest of the history.
    fn release(self) -> Option<String> {
        let latest = self.history.into_iter().next();
        [Some(self.desired), latest].into_iter().flatten().map(|r| r.version).find(|v| !v.is_empty())
    }
}

/// The gates of the release that the cluster is to run.
pub(super) async fn read(objects: &dyn Objects) -> Result<Gates, Failed> {
    let place = ObjectRef::in_cluster(&kinds::FEATURE_GATE, object_refs::CLUSTER);
    let Some(gates) = fetch::read::<FeatureGate>(objects, &place, UNREADABLE).await? else {
        return Err(Failed::terminal("gates-missing", format!("{place} does not exist")));
    };
    let place = ObjectRef::in_cluster(&kinds::CLUSTER_VERSION, VERSION);
    let version = fetch::read::<ClusterVersion>(objects, &place, UNREADABLE).await?;
    let release = version.and_then(|version| version.status.release());
    let release = release
        .ok_or_else(|| Failed::transient(UNREADABLE, format!("{place} does not report the release yet")))?;
    let of_release = gates.status.feature_gates.into_iter().find(|gates| gates.version == release);
    of_release.ok_or_else(|| {
        Failed::transient(UNREADABLE, format!("the feature gates of release {release} are not known yet"))
    })
}
