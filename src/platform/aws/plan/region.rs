//! The region: whether it is known, and what it has of its own.

use super::{Planning, pages};
use crate::finding::Findings;
use crate::platform::aws::config::Platform;
use crate::platform::aws::planned::Traits;
use crate::platform::aws::rules::missing_endpoints;

/// Refuses a region that nobody knows unless the config has an endpoint for each service that is needed.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    for service in missing_endpoints(planning.case.catalogue, planning.platform) {
        out.push(pages::endpoint_missing(planning.region(), service));
    }
}

/// The id of the region's partition. A region that fits no partition's pattern is treated as one of the
/// first partition, as SDKs do.
pub(super) fn partition(planning: &Planning<'_>) -> String {
    let found = planning.catalogue().partition_of(planning.region());
    found.map_or_else(|| super::super::NAME.to_owned(), |(id, _)| id.to_owned())
}

/// The custom endpoints in the order of the config; a URL without a scheme is one of HTTPS.
pub(super) fn endpoints(platform: &Platform) -> Vec<(String, String)> {
    let endpoints = platform.service_endpoints.iter();
    endpoints.map(|endpoint| (endpoint.name.clone(), endpoint.url.shown())).collect()
}

/// What the catalogue says of the region.
pub(super) fn traits(planning: &Planning<'_>) -> Traits {
    let (catalogue, region) = (planning.catalogue(), planning.region());
    Traits {
        ec2_service_principal: catalogue.ec2_service_principal(region),
        api_record_type: catalogue.api_record_type(region).to_owned(),
        internal_domain: catalogue.internal_domain(region),
        s3_endpoint_service: catalogue.s3_endpoint_service(region),
        trust_bundle_in_cloud_config: catalogue.partition_of(region).is_some_and(|(_, p)| p.secret),
    }
}
