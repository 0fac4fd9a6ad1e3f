//! The AWS object of `metadata.json`: `assets.md`, E.1.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

use super::{Rendering, owner_tag};

/// All that destroy needs, in the OpenShift installer's names and order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata<'a> {
    region: &'a str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    service_endpoints: Vec<Endpoint<'a>>,
    identifier: [BTreeMap<String, &'a str>; 2],
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
    let metadata = Metadata {
        region: &rendering.aws.region,
        service_endpoints: endpoints.map(|(name, url)| Endpoint { name, url }).collect(),
        identifier: [
            BTreeMap::from([(owner_tag(rendering.id), "owned")]),
            BTreeMap::from([("openshiftClusterID".to_owned(), rendering.plan.identity.cluster_id.as_str())]),
        ],
        cluster_domain: &rendering.plan.cluster.domain,
        hosted_zone_role: &rendering.platform.hosted_zone_role,
    };
    landfall_render::raw(&metadata)
}
