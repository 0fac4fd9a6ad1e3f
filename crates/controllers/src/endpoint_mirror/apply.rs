//! The endpoints, written to the status.

use landfall_cloud_config::ServiceEndpoint;
use landfall_kube::objects::{Objects, Part};
use serde_json::{Value, json};

use super::super::{Failed, object_refs};

/// Writes the endpoints; where there are none, an empty list says so.
pub(super) async fn mirror(objects: &dyn Objects, endpoints: &[ServiceEndpoint]) -> Result<(), Failed> {
    let list: Vec<Value> = endpoints.iter().map(|one| json!({ "name": one.name, "url": one.url })).collect();
    let status = json!({ "status": { "platformStatus": { "aws": { "serviceEndpoints": list } } } });
    let place = object_refs::infrastructure();
    let applied = objects.apply(&place, status, Part::Status).await;
    applied.map(|_| ()).map_err(|fault| Failed::call("status-unwritable", &place, "written", &fault))
}
