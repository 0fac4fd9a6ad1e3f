//! Endpoints that were changed after the installation: what a running cluster says of them comes into its
//! `metadata.json`.

use std::path::Path;

use landfall_diagnostics::{Finding, shortened};
use landfall_rules::endpoint::Endpoint;
use serde_json::{Value, json};

use super::{ENDPOINTS, METADATA, Unnamed, object, of_cluster, pages, written};
use landfall_workdir::ClusterDir;

/// What came of bringing endpoints into `metadata.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refreshed {
    /// The endpoints that the file has now: names of services, and their URLs.
    pub endpoints: Vec<(String, String)>,
    /// Whether they were others before.
    pub changed: bool,
}

/// Brings the service endpoints of a cluster's object `Infrastructure` into the `metadata.json` of its directory: those
/// of its status, which the cluster's operators use, else those of its spec.
///
/// # Errors
/// The directory has no metadata, it is another cluster's, or it cannot be written; or the cluster has an endpoint
/// that no service can be called at.
pub fn refresh(directory: &Path, infrastructure: &Value) -> Result<Refreshed, Unnamed> {
    // A directory without metadata is not locked.
    of_cluster(directory)?;
    let mut cluster = ClusterDir::open(directory)?;
    let named = of_cluster(directory)?;
    let platform = named.platform.name();
    let (own, live) = (&named.target.infra_id, &infrastructure["status"]["infrastructureName"]);
    if live.as_str() != Some(own) {
        let live = live.as_str().unwrap_or_default();
        return Err(Unnamed::Invalid(Box::new(pages::cluster_of_another(own, live))));
    }
    let of = |part: &str, key: &str| {
        let listed = infrastructure[part][key][platform].get(ENDPOINTS).cloned()?;
        Some((format!("{part}.{key}.{platform}.{ENDPOINTS}"), listed))
    };
    let (field, listed) =
        of("status", "platformStatus").or_else(|| of("spec", "platformSpec")).unwrap_or_default();
    let text = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
    let entries = listed.as_array().into_iter().flatten();
    let endpoints: Vec<_> = entries.map(|entry| (text(entry, "name"), text(entry, "url"))).collect();
    if let Some(finding) = endpoints.iter().enumerate().find_map(|(at, _)| unfit(&field, &endpoints, at)) {
        return Err(Unnamed::Invalid(Box::new(finding)));
    }
    let mut metadata = object(&named.metadata).unwrap_or_default();
    let listed = endpoints.iter().map(|(name, url)| json!({ "name": name, "url": url }));
    let own = metadata.get_mut(platform).and_then(Value::as_object_mut);
    let before = own.and_then(|own| match listed.len() {
        0 => own.remove(ENDPOINTS),
        _ => own.insert(ENDPOINTS.to_owned(), listed.collect()),
    });
    let before = before.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let before: Vec<_> = before.iter().map(|entry| (text(entry, "name"), text(entry, "url"))).collect();
    let changed = before != endpoints;
    if changed {
        // The config says something else, and must not undo it.
        cluster.edit(METADATA, &written(&metadata))?;
    }
    Ok(Refreshed { endpoints, changed })
}

/// What is wrong with one of these endpoints, if anything. Services that landfall does not know are fine: it calls none
/// of them.
fn unfit(field: &str, endpoints: &[(String, String)], at: usize) -> Option<Finding> {
    let (name, url) = endpoints.get(at)?;
    let finding = |key: &str, why: &str| Some(pages::unfit_endpoint(&format!("{field}[{at}].{key}"), why));
    if name.is_empty() {
        return finding("name", "an endpoint has no name");
    }
    if endpoints.iter().take(at).any(|(earlier, _)| earlier == name) {
        return finding("name", &format!("`{}` has two endpoints", shortened(name)));
    }
    match Endpoint::of_service(url) {
        Err(why) => finding("url", &why.message),
        Ok(endpoint) => endpoint.obstacle().and_then(|why| finding("url", &why.message)),
    }
}
