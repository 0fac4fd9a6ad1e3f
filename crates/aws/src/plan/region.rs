//! The region: whether it is known, and what it has of its own.

use landfall_diagnostics::{Findings, shortened};
use landfall_model::aws::catalogue::FIRST_PARTITION;
use landfall_model::aws::config::Platform;
use landfall_model::aws::planned::Traits;
use landfall_model::plan::pages::not_accepted;
use landfall_render::bootstrap_stub;
use landfall_rules::endpoint::Endpoint;

use super::{Planning, cloud_pages, pages};
use crate::rules::{missing_endpoints, unfit_tags, unusable};

/// What the cloud says of a region that nobody has enabled.
const NOT_OPTED_IN: &str = "not-opted-in";

/// What the object DNS takes as the role of a private zone begins so.
const ZONE_ROLES: &[&str] = &["arn:aws:iam::", "arn:aws-cn:iam::", "arn:aws-us-gov:iam::"];

/// The partitions of keys that the operators know; aws-eusc from 4.22, as its region.
const KEY_PARTITIONS: &[&str] =
    &["aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-iso-e", "aws-iso-f", "aws-eusc"];

/// Refuses facts of another region, a region that is off in the account, and one that nobody knows unless the
/// config has an endpoint for each service that is needed.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let asked = planning.facts.region.as_str();
    if !asked.is_empty() && asked != planning.region() {
        out.push(pages::facts_of_another(asked, planning.region()));
    } else if let Some((own, _)) = planning.catalogue().partition_of(planning.region()) {
        let asked = planning.facts.partition.as_str();
        if !asked.is_empty() && asked != own {
            out.push(pages::facts_of_another(asked, own));
        }
    }
    if planning.asked() && planning.facts.opt_in == NOT_OPTED_IN {
        out.push(cloud_pages::not_opted_in(planning.region()));
    }
    let unusable = unusable(planning.case.catalogue, planning.platform);
    for finding in unusable.into_iter().chain(unfit_tags(planning.platform)) {
        out.push(finding);
    }
    let kind = planning.platform.lb_type.as_str();
    if !["", "Classic", "NLB"].contains(&kind) {
        let message = format!("ingress controllers have no load balancer of type `{}`", shortened(kind));
        out.push(not_accepted("platform.aws.lbType", message, "use NLB or Classic"));
    }
    let zone_role = planning.platform.hosted_zone_role.as_str();
    if !zone_role.is_empty() && !ZONE_ROLES.iter().any(|start| zone_role.starts_with(start)) {
        let message = "the DNS operator takes roles of the partitions aws, aws-cn and aws-us-gov alone";
        let help = "remove the role: give the caller's account rights on the zone";
        out.push(not_accepted("platform.aws.hostedZoneRole", message, help));
    }
    let key =
        planning.platform.default_machine_platform.as_ref().map(|pool| pool.root_volume.kms_key_arn.as_str());
    if key.is_some_and(|key| !key.is_empty() && !is_key_arn(key)) {
        let field = "platform.aws.defaultMachinePlatform.rootVolume.kmsKeyARN";
        let message = "the configuration of the EBS driver takes ARNs of keys and aliases alone";
        out.push(not_accepted(
            field,
            message,
            "use an ARN, such as arn:aws:kms:us-east-1:123456789012:key/ID",
        ));
    }
    let config = planning.case.config;
    let trusted = config.additional_trust_bundle_policy == "Always"
        || config.proxy.is_some()
        || traits(planning).trust_bundle_in_cloud_config;
    if !trusted
        && !config.additional_trust_bundle.is_empty()
        && !planning.platform.service_endpoints.is_empty()
    {
        out.push(cloud_pages::untrusted_endpoints());
    }
    let but = word_of_the_cloud(planning);
    let missing = missing_endpoints(planning.case.catalogue, planning.platform);
    if !missing.is_empty() {
        out.push(pages::endpoints_missing(planning.case.catalogue, planning.region(), &but, &missing));
    }
}

/// Whether a `ClusterCSIDriver` takes a key (operator/v1, `kmsKeyARN`).
fn is_key_arn(text: &str) -> bool {
    let parts: Vec<&str> = text.splitn(6, ':').collect();
    let ["arn", partition, "kms", region, account, key] = parts[..] else { return false };
    let of_region = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    KEY_PARTITIONS.contains(&partition)
        && !region.is_empty()
        && region.chars().all(of_region)
        && account.len() == 12
        && account.bytes().all(|byte| byte.is_ascii_digit())
        && ["key/", "alias/"].iter().any(|kind| key.starts_with(kind))
}

/// Whether the cloud lists the region, as a clause.
fn word_of_the_cloud(planning: &Planning<'_>) -> String {
    match planning.facts.opt_in.as_str() {
        _ if !planning.asked() => String::new(),
        // The service that lists regions lists zones as well: without them it did not answer.
        "" if planning.facts.zones.is_empty() => String::new(),
        "" => ", which the cloud does not list".to_owned(),
        listed => format!(", which the cloud lists as {}", shortened(listed)),
    }
}

/// The id of the region's partition. A region that fits no partition's pattern is treated as one of the
/// first partition, as SDKs do.
pub(super) fn partition(planning: &Planning<'_>) -> String {
    let found = planning.catalogue().partition_of(planning.region());
    found.map_or_else(|| FIRST_PARTITION.to_owned(), |(id, _)| id.to_owned())
}

/// The custom endpoints in the order of the config; a URL without a scheme is one of HTTPS.
pub(super) fn endpoints(platform: &Platform) -> Vec<(String, String)> {
    let endpoints = platform.service_endpoints.iter();
    // Planning refuses a URL with a user part, so that none is a secret.
    let whole =
        |text: &str| Endpoint::parse(text).map_or_else(|_| text.to_owned(), |url| url.as_str().to_owned());
    endpoints.map(|endpoint| (endpoint.name.clone(), whole(endpoint.url.expose()))).collect()
}

/// Refuses a config whose bootstrap machine could not be started.
pub(super) fn check_stub(planning: &Planning<'_>, out: &mut Findings) {
    // What is left of 16 KB for the signed address that takes the place of the short one.
    const MOST: usize = 16_000;
    const SIGNED_ADDRESS: usize = 1_000;
    let stub = bootstrap_stub(planning.case.config, "s3://bucket/bootstrap.ign");
    if stub.len() + SIGNED_ADDRESS > MOST {
        out.push(pages::stub_too_large(stub.len() + SIGNED_ADDRESS, MOST));
    }
}

/// What the catalogue says of the region.
pub(super) fn traits(planning: &Planning<'_>) -> Traits {
    let (catalogue, region) = (planning.catalogue(), planning.region());
    Traits {
        ec2_service_principal: catalogue.ec2_service_principal(region),
        api_record_type: catalogue.api_record_type(region).to_owned(),
        internal_domain: catalogue.internal_domain(region),
        s3_endpoint_service: catalogue.s3_endpoint_service(region),
        nlb_without_security_groups: catalogue
            .region(region)
            .is_some_and(|region| region.nlb_without_security_groups),
        trust_bundle_in_cloud_config: catalogue.partition_of(region).is_some_and(|(_, p)| p.secret),
    }
}
