//! What `metadata.json`, or the command line in its place, says of a cluster on Azure (`assets.md`, E.1): the
//! config that it takes to ask its cloud, and the object of a cluster of which there is no file.

use landfall_diagnostics::secret::SecretUrl;
use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_model::config::InstallConfig;
use landfall_platform::removal::{GivenTarget, Target};
use serde_json::{Map, Value};

use super::config::Platform;

/// The key of the cluster's own resource group; empty where the user brought none.
pub(super) const GROUP: &str = "resourceGroupName";
/// The key of the resource group of the base domain's zone.
pub(super) const DNS_GROUP: &str = "baseDomainResourceGroupName";

/// The key of the base domain, which newer metadata has.
pub(super) const BASE_DOMAIN: &str = "baseDomainName";

const ENDPOINT: &str = "armEndpoint";
const CLOUD: &str = "cloudName";
const REGION: &str = "region";

/// Something that cannot be the id of a cluster.
static INFRA_ID: Code = Code::new("LF1350");

/// The config that a session needs to ask the cluster's cloud, with nothing in it that the metadata does not
/// say.
///
/// # Errors
/// A finding where the target has no id that a cluster can have.
pub fn config_of(target: &Target) -> Result<InstallConfig, Box<Finding>> {
    let id = target.infra_id.as_str();
    if !target.has_usable_id() {
        let message = format!("`{}` is not a cluster's infrastructure ID", shortened(id));
        let finding = Finding::error(&INFRA_ID, Kind::Invalid, "infraID", message);
        let help = "it is `infraID` in metadata.json and the prefix of the cluster's machine names, such \
            as demo-bcd24";
        return Err(Box::new(finding.help(help)));
    }
    let own = |key: &str| target.text(key).to_owned();
    let platform = Platform {
        region: own(REGION),
        cloud_name: own(CLOUD),
        arm_endpoint: SecretUrl::new(own(ENDPOINT)),
        resource_group_name: own(GROUP),
        base_domain_resource_group_name: own(DNS_GROUP),
        ..Platform::default()
    };
    let mut config = InstallConfig::default();
    config.metadata.name.clone_from(&target.cluster_name);
    config.platform.azure = Some(platform);
    Ok(config)
}

/// The cluster that somebody names in place of its metadata, as metadata with the same content would have it.
#[must_use]
pub fn target_of(given: &GivenTarget) -> Target {
    let pairs = [
        (ENDPOINT, &given.arm_endpoint),
        (CLOUD, &given.cloud_name),
        (REGION, &given.region),
        (GROUP, &given.resource_group),
        (DNS_GROUP, &given.base_domain_resource_group),
    ];
    let platform: Map<String, Value> =
        pairs.into_iter().map(|(key, value)| (key.to_owned(), Value::from(value.as_str()))).collect();
    Target { infra_id: given.infra_id.clone(), platform, ..Target::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(infra_id: &str) -> Target {
        target_of(&GivenTarget {
            infra_id: infra_id.to_owned(),
            region: "eastus".to_owned(),
            cloud_name: "AzureStackCloud".to_owned(),
            arm_endpoint: "https://user:canary@management.hub.example".to_owned(),
            resource_group: "rg".to_owned(),
            base_domain_resource_group: "dns-rg".to_owned(),
            ..GivenTarget::default()
        })
    }

    #[test]
    fn metadata_alone_makes_a_config() {
        let config = config_of(&target("demo-bcd24")).ok();
        let azure = config.and_then(|config| config.platform.azure).unwrap_or_default();
        assert_eq!((azure.region.as_str(), azure.cloud_name.as_str()), ("eastus", "AzureStackCloud"));
        assert_eq!(azure.arm_endpoint.expose(), "https://user:canary@management.hub.example");
        assert_eq!(azure.resource_group_name, "rg");
        assert_eq!(azure.base_domain_resource_group_name, "dns-rg");
    }

    #[test]
    fn what_is_of_another_type_is_not_said() {
        let mut odd = target("demo-bcd24");
        odd.platform.insert(GROUP.to_owned(), Value::from(7));
        let config = config_of(&odd).ok();
        let azure = config.and_then(|config| config.platform.azure).unwrap_or_default();
        assert_eq!(azure.resource_group_name, "");
    }

    #[test]
    fn an_id_that_would_fit_everything_is_refused() {
        for id in ["", "demo bcd24", "demo-bcd24' or tagName eq 'x", "a/../b-1", "*-bcd24"] {
            let code = config_of(&target(id)).err().map(|finding| finding.code.as_str());
            assert_eq!(code, Some("LF1350"), "{id}");
        }
    }
}
