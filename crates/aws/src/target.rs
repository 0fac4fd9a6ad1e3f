//! What `metadata.json`, or the command line in its place, says of a cluster on AWS (`assets.md`, E.1): the
//! config that it takes to ask its cloud, and the object of a cluster of which there is no file.

use landfall_diagnostics::secret::SecretUrl;
use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_model::config::InstallConfig;
use landfall_platform::removal::{GivenTarget, Target};
use serde_json::{Map, Value, json};

use super::config::{Platform, ServiceEndpoint};
use super::tags::{CLUSTER, PROVIDER};

const REGION: &str = "region";
const ENDPOINTS: &str = "serviceEndpoints";
const IDENTIFIER: &str = "identifier";
const DOMAIN: &str = "clusterDomain";
const ZONE_ROLE: &str = "hostedZoneRole";

/// Nobody says where the cluster is.
static WITHOUT_REGION: Code = Code::new("LF1322");
/// Something that cannot be the id of a cluster.
static INFRA_ID: Code = Code::new("LF1323");

/// The config that a session needs to ask the cluster's cloud, with nothing in it that the metadata does not
/// say.
///
/// # Errors
/// A finding where the target has no region, or no id that a cluster can have.
pub fn config_of(target: &Target) -> Result<InstallConfig, Box<Finding>> {
    let id = target.infra_id.as_str();
    if !target.has_usable_id() {
        let message = format!("`{}` is not a cluster's infrastructure ID", shortened(id));
        let help = "it is `infraID` in metadata.json and the prefix of the cluster's machine names, such \
            as demo-bcd24";
        return Err(Box::new(Finding::error(&INFRA_ID, Kind::Invalid, "infraID", message).help(help)));
    }
    let region = target.text(REGION);
    if region.is_empty() {
        let message = format!("the region of the cluster {id} is unknown");
        let finding = Finding::error(&WITHOUT_REGION, Kind::Required, "aws.region", message);
        return Err(Box::new(finding.help("set it with --region, such as --region us-east-1")));
    }
    let platform = Platform {
        region: region.to_owned(),
        service_endpoints: endpoints(target),
        hosted_zone_role: target.text(ZONE_ROLE).to_owned(),
        ..Platform::default()
    };
    let mut config = InstallConfig::default();
    config.metadata.name.clone_from(&target.cluster_name);
    config.platform.aws = Some(platform);
    Ok(config)
}

/// The endpoints that the metadata names.
fn endpoints(target: &Target) -> Vec<ServiceEndpoint> {
    let listed = target.platform.get(ENDPOINTS).and_then(Value::as_array);
    let endpoint = |given: &Value| {
        let part = |key: &str| given.get(key).and_then(Value::as_str).map(str::to_owned);
        let (name, url) = (part("name")?, part("url")?);
        Some(ServiceEndpoint { name, url: SecretUrl::new(url) })
    };
    listed.into_iter().flatten().filter_map(endpoint).collect()
}

/// The cluster that somebody names in place of its metadata, as metadata with the same content would have it.
/// Its UUID is not known, so that its things are known by its infrastructure id alone.
#[must_use]
pub fn target_of(given: &GivenTarget) -> Target {
    let id = given.infra_id.as_str();
    let mut platform = Map::new();
    if !id.is_empty() {
        let identifier: Vec<Value> =
            [CLUSTER, PROVIDER].map(|beginning| json!({ (format!("{beginning}{id}")): "owned" })).to_vec();
        platform.insert(IDENTIFIER.to_owned(), Value::from(identifier));
    }
    let texts =
        [(REGION, &given.region), (DOMAIN, &given.cluster_domain), (ZONE_ROLE, &given.hosted_zone_role)];
    for (key, value) in texts {
        if !value.is_empty() {
            platform.insert(key.to_owned(), Value::from(value.as_str()));
        }
    }
    if !given.endpoints.is_empty() {
        let endpoints = given.endpoints.iter().map(|(name, url)| json!({ "name": name, "url": url }));
        platform.insert(ENDPOINTS.to_owned(), endpoints.collect());
    }
    Target { infra_id: id.to_owned(), platform, ..Target::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(infra_id: &str, region: &str) -> Target {
        target_of(&GivenTarget {
            infra_id: infra_id.to_owned(),
            region: region.to_owned(),
            hosted_zone_role: "arn:aws:iam::1:role/dns".to_owned(),
            ..GivenTarget::default()
        })
    }

    #[test]
    fn metadata_alone_makes_a_config() {
        let mut target = target("demo-bcd24", "us-hidden-1");
        let endpoints =
            json!([{ "name": "ec2", "url": "https://user:canary@ec2.example.com" }, { "name": "s3" }, 1]);
        target.platform.insert(ENDPOINTS.to_owned(), endpoints);
        let aws = config_of(&target).ok().and_then(|config| config.platform.aws).unwrap_or_default();
        assert_eq!(
            (aws.region.as_str(), aws.hosted_zone_role.as_str()),
            ("us-hidden-1", "arn:aws:iam::1:role/dns")
        );
        let endpoints: Vec<(&str, &str)> =
            aws.service_endpoints.iter().map(|one| (one.name.as_str(), one.url.expose())).collect();
        assert_eq!(endpoints, [("ec2", "https://user:canary@ec2.example.com")]);
    }

    #[test]
    fn a_cluster_without_metadata_is_known_by_its_id() {
        let named = target("demo-bcd24", "us-east-1");
        let expected = json!([
            { "kubernetes.io/cluster/demo-bcd24": "owned" },
            { "sigs.k8s.io/cluster-api-provider-aws/cluster/demo-bcd24": "owned" },
        ]);
        assert_eq!(named.platform.get(IDENTIFIER), Some(&expected));
        assert_eq!(named.platform.get(DOMAIN), None);
        let unnamed = target("", "us-east-1");
        assert_eq!(unnamed.platform.get(IDENTIFIER), None);
    }

    #[test]
    fn what_is_needed_is_asked_for() {
        let code = |target: &Target| config_of(target).err().map(|finding| finding.code.as_str());
        assert_eq!(code(&target("demo-bcd24", "")), Some("LF1322"));
        for id in ["", "demo bcd24", "*", "demo-bcd24/x", "a-very-long-name-that-nobody-makes"] {
            assert_eq!(code(&target(id, "us-east-1")), Some("LF1323"), "{id}");
        }
    }
}
