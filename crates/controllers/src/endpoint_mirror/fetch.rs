//! The endpoints that are wished for, and those that are in use.

use landfall_cloud_config::{Infrastructure, ServiceEndpoint};
use landfall_kube::objects::Objects;

use super::super::{Failed, fetch, object_refs};

/// The platform that has these endpoints.
const PLATFORM: &str = "AWS";

const UNREADABLE: &str = "infrastructure-unreadable";

/// The endpoints of a cluster.
pub(super) struct Endpoints {
    /// Those of the specification.
    pub(super) wanted: Vec<ServiceEndpoint>,
    /// Those of the status.
    pub(super) mirrored: Vec<ServiceEndpoint>,
}

/// The endpoints of the cluster; none if its platform does not have any.
pub(super) async fn endpoints(objects: &dyn Objects) -> Result<Option<Endpoints>, Failed> {
    let place = object_refs::infrastructure();
    let Some(object) = fetch::object(objects, &place, UNREADABLE).await? else {
        return Ok(None);
    };
    let infrastructure: Infrastructure = fetch::typed(&object, &place, UNREADABLE)?;
    let Some(status) = infrastructure.status.platform_status.filter(|status| status.platform == PLATFORM)
    else {
        return Ok(None);
    };
    let wanted = object.pointer("/spec/platformSpec/aws/serviceEndpoints").filter(|list| !list.is_null());
    let wanted = match wanted {
        Some(list) => fetch::typed(list, &place, UNREADABLE)?,
        None => Vec::new(),
    };
    let mirrored = status.aws.unwrap_or_default().service_endpoints;
    Ok(Some(Endpoints { wanted, mirrored }))
}
