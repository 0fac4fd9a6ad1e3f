//! The AWS object of `metadata.json`: `assets.md`, E.1.

use std::collections::BTreeMap;

use landfall_model::plan::Since;
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Rendering, owner_tag, provider_tag};

/// All that destroy needs, in the OpenShift installer's names and order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    region: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    service_endpoints: Vec<Endpoint<'a>>,
    identifier: Vec<BTreeMap<String, &'a str>>,
    cluster_domain: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    hosted_zone_role: &'a str,
}

#[derive(Serialize)]
struct Endpoint<'a> {
    name: &'a str,
    url: &'a str,
}

/// The object, in the order of its fields.
pub(super) fn metadata(rendering: &Rendering<'_>) -> Box<RawValue> {
    let endpoints = rendering.aws.endpoints.iter();
    let mut identifier = vec![
        BTreeMap::from([(owner_tag(rendering.id), "owned")]),
        BTreeMap::from([("openshiftClusterID".to_owned(), rendering.plan.identity.cluster_id.as_str())]),
    ];
    if rendering.plan.has(Since::ClusterApi) {
        identifier.push(BTreeMap::from([(provider_tag(rendering.id), "owned")]));
    }
    let metadata = Metadata {
        region: &rendering.aws.region,
        service_endpoints: endpoints.map(|(name, url)| Endpoint { name, url }).collect(),
        identifier,
        cluster_domain: &rendering.plan.cluster.domain,
        hosted_zone_role: &rendering.platform.hosted_zone_role,
    };
    landfall_render::raw(&metadata)
}
