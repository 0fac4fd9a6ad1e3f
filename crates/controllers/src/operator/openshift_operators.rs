//! OpenShift's operators that have the same task as a controller.

use landfall_kube::Fault;
use landfall_kube::kinds::DEPLOYMENT;
use landfall_kube::objects::{ObjectRef, Objects};
use serde_json::Value;

use super::Registered;

/// A Deployment of OpenShift's that does the same as a controller.
#[derive(Debug, PartialEq, Eq)]
pub struct Rival {
    /// Its namespace.
    pub namespace: &'static str,
    /// Its name.
    pub deployment: &'static str,
}

/// Stitches the cloud provider's config and mirrors the endpoints of AWS.
/// See <https://github.com/openshift/cluster-config-operator>.
pub static CONFIG_OPERATOR: Rival =
    Rival { namespace: "openshift-config-operator", deployment: "openshift-config-operator" };
/// Brings the config to the cloud controller manager.
/// See <https://github.com/openshift/cluster-cloud-controller-manager-operator>.
pub static CLOUD_CONTROLLER_OPERATOR: Rival = Rival {
    namespace: "openshift-cloud-controller-manager-operator",
    deployment: "cluster-cloud-controller-manager-operator",
};

/// Which of the controllers have a rival at work in the cluster.
///
/// # Errors
/// What the API server answers instead of a Deployment, or of saying that there is none.
pub async fn rivals(
    objects: &dyn Objects,
    controllers: &[&'static Registered],
) -> Result<Vec<(&'static str, &'static Rival)>, Fault> {
    let mut found = Vec::new();
    for controller in controllers {
        let Some(rival) = controller.rival else { continue };
        let place = ObjectRef::in_namespace(&DEPLOYMENT, rival.namespace.to_owned(), rival.deployment);
        let deployment = objects.get(&place).await?;
        // Scaled down, it is not at work.
        if deployment.is_some_and(|one| one.pointer("/spec/replicas") != Some(&Value::from(0))) {
            found.push((controller.name, rival));
        }
    }
    Ok(found)
}
