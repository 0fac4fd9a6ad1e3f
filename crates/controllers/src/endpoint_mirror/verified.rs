//! The list of endpoints that was verified last, kept in the operator's namespace beyond the life of a process.

use landfall_cloud_config::ServiceEndpoint;
use landfall_kube::Fault;
use landfall_kube::kinds::CONFIG_MAP;
use landfall_kube::objects::{ObjectRef, Objects, Part};
use serde_json::json;

use super::super::Failed;
use super::super::object_refs::VERIFIED_MAP;

const UNREADABLE: &str = "verified-unreadable";
const UNWRITABLE: &str = "verified-unwritable";
/// The key of the list, as JSON.
const KEY: &str = "endpoints.json";

/// Where the list is kept.
fn place(namespace: &str) -> ObjectRef {
    ObjectRef::in_namespace(&CONFIG_MAP, namespace.to_owned(), VERIFIED_MAP)
}

/// The list that was kept; none where there is none, it is no list of endpoints any more, or it may not be read, as with
/// the rights of an earlier version.
pub(super) async fn read(
    objects: &dyn Objects,
    namespace: &str,
) -> Result<Option<Vec<ServiceEndpoint>>, Failed> {
    let map = match objects.get(&place(namespace)).await {
        Ok(map) => map,
        Err(Fault::Forbidden(_)) => None,
        Err(fault) => return Err(Failed::call(UNREADABLE, &place(namespace), "read", &fault)),
    };
    let text = map.as_ref().and_then(|map| map["data"][KEY].as_str());
    Ok(text.and_then(|text| serde_json::from_str(text).ok()))
}

/// Keeps the list.
pub(super) async fn keep(
    objects: &dyn Objects,
    namespace: &str,
    endpoints: &[ServiceEndpoint],
) -> Result<(), Failed> {
    let list: Vec<_> = endpoints.iter().map(|one| json!({ "name": one.name, "url": one.url })).collect();
    let map = json!({ "data": { (KEY): json!(list).to_string() } });
    let place = place(namespace);
    let applied = objects.apply(&place, map, Part::Whole).await;
    applied.map(drop).map_err(|fault| Failed::call(UNWRITABLE, &place, "written", &fault))
}
