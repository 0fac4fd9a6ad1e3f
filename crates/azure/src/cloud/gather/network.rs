//! The existing network that the config names.

use landfall_model::azure::facts::{Network, Subnet};
use landfall_platform::cloud::Asked;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{nullable, refused, resource};
use crate::cloud::api_versions::Api;
use crate::cloud::session::Session;

/// The field of the network.
const FIELD: &str = "platform.azure.virtualNetwork";

/// Provider and type of networks.
const KIND: &str = "Microsoft.Network/virtualNetworks";

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Described {
    #[serde(deserialize_with = "nullable")]
    name: String,
    #[serde(deserialize_with = "nullable")]
    location: String,
    #[serde(deserialize_with = "nullable")]
    properties: Properties,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    #[serde(deserialize_with = "nullable")]
    address_space: AddressSpace,
    #[serde(deserialize_with = "nullable")]
    subnets: Vec<DescribedSubnet>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AddressSpace {
    #[serde(deserialize_with = "nullable")]
    address_prefixes: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct DescribedSubnet {
    #[serde(deserialize_with = "nullable")]
    name: String,
    #[serde(deserialize_with = "nullable")]
    properties: SubnetProperties,
}

/// A subnet has its addresses as a single one or as a list, never both.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SubnetProperties {
    address_prefix: Option<String>,
    #[serde(deserialize_with = "nullable")]
    address_prefixes: Vec<String>,
    /// What has an address there.
    #[serde(deserialize_with = "nullable")]
    ip_configurations: Vec<IgnoredAny>,
    nat_gateway: Option<Reference>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Reference {
    #[serde(deserialize_with = "nullable")]
    id: String,
}

/// The network that the config names; none where it names none, or one that is not there.
pub(super) async fn network(session: &Session<'_>) -> Asked<Option<Network>> {
    let platform = session.platform;
    if platform.virtual_network.is_empty() {
        return Ok(None);
    }
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let group = platform.network_resource_group_name.as_str();
    let path = resource::resource(&subscription, group, KIND, &platform.virtual_network);
    let found = arm.find::<Described>(Api::Networks, &path, &[]).await;
    let found = found.map_err(|fault| refused(&fault, FIELD))?;
    Ok(found.map(|described| network_of(described, group)))
}

fn network_of(described: Described, group: &str) -> Network {
    let Properties { address_space, subnets } = described.properties;
    Network {
        name: described.name,
        resource_group: group.to_owned(),
        location: described.location,
        address_prefixes: address_space.address_prefixes,
        subnets: subnets.into_iter().map(subnet_of).collect(),
    }
}

fn subnet_of(described: DescribedSubnet) -> Subnet {
    let SubnetProperties { address_prefix, address_prefixes, ip_configurations, nat_gateway } =
        described.properties;
    let single = address_prefix.filter(|prefix| !prefix.is_empty() && !address_prefixes.contains(prefix));
    Subnet {
        name: described.name,
        address_prefixes: single.into_iter().chain(address_prefixes).collect(),
        used_addresses: i64::try_from(ip_configurations.len()).unwrap_or(i64::MAX),
        nat_gateway: nat_gateway.unwrap_or_default().id,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_network_with_both_forms_of_subnets() {
        let text = r#"{"name": "vnet", "location": "eastus", "tags": null, "properties": {
            "addressSpace": {"addressPrefixes": ["10.0.0.0/16", "fd00::/48"]},
            "subnets": [
                {"name": "masters", "properties": {"addressPrefix": "10.0.0.0/24", "delegations": [],
                    "natGateway": {"id": "/gateway"}, "ipConfigurations": [{"id": "/a"}, {"id": "/b"}]}},
                {"name": "workers", "properties": {"addressPrefixes": ["10.0.1.0/24", "fd00::/64"]}},
                {"name": "odd", "properties": {"addressPrefix": null}}
            ],
            "provisioningState": "Succeeded"}}"#;
        let described: Described = serde_json::from_str(text).unwrap_or_default();
        let network = network_of(described, "net-rg");
        assert_eq!((network.name.as_str(), network.resource_group.as_str()), ("vnet", "net-rg"));
        assert_eq!(network.address_prefixes, ["10.0.0.0/16", "fd00::/48"]);
        let subnets: Vec<(&str, usize)> = network
            .subnets
            .iter()
            .map(|subnet| (subnet.name.as_str(), subnet.address_prefixes.len()))
            .collect();
        assert_eq!(subnets, [("masters", 1), ("workers", 2), ("odd", 0)]);
        let first = network.subnets.first();
        let first = first.map(|subnet| (subnet.used_addresses, subnet.nat_gateway.as_str()));
        assert_eq!(first, Some((2, "/gateway")));
    }

    #[test]
    fn a_network_of_few_words_is_kept() {
        let described: Option<Described> = serde_json::from_str(r#"{"name": "vnet"}"#).ok();
        let network = described.map(|described| network_of(described, "g"));
        let found = network.map(|network| (network.name, network.subnets.len()));
        assert_eq!(found, Some(("vnet".to_owned(), 0)));
    }
}
