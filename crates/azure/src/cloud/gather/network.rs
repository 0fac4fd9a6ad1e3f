//! The existing network that the config names.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use ipnet::{Ipv4Net, Ipv6Net};
use landfall_model::azure::facts::{Network, Subnet};
use landfall_model::plan::{is_infra_id_of, last_address};
use landfall_platform::cloud::Asked;
use serde::Deserialize;

use super::{refused, resource};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::described::{Described, Reference};
use crate::cloud::fault::Fault;
use crate::cloud::session::Session;

/// The field of the network.
const FIELD: &str = "platform.azure.virtualNetwork";

/// The role of the control plane's subnet.
const CONTROL_PLANE: &str = "control-plane";

/// Provider and type of networks.
pub(in crate::cloud) const KIND: &str = "Microsoft.Network/virtualNetworks";

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Properties {
    address_space: AddressSpace,
    subnets: Vec<Described<SubnetProperties>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AddressSpace {
    address_prefixes: Vec<String>,
}

/// A subnet has its addresses as a single one or as a list, never both.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SubnetProperties {
    address_prefix: Option<String>,
    address_prefixes: Vec<String>,
    /// What has an address there.
    ip_configurations: Vec<Reference>,
    nat_gateway: Option<Reference>,
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
    let found = arm.find::<Described<Properties>>(Api::NETWORKS, &path, &[]).await;
    let Some(described) = found.map_err(|fault| refused(&fault, FIELD))? else { return Ok(None) };
    let address = if platform.has_user_dns() {
        api_address(session, arm, &path, &described).await.map_err(|fault| refused(&fault, FIELD))?
    } else {
        None
    };
    let mut network = network_of(described, group);
    if let Some((name, address)) = address
        && let Some(subnet) = network.subnets.iter_mut().find(|subnet| subnet.name == name)
    {
        subnet.api_address = address.to_string();
    }
    Ok(Some(network))
}

/// The load balancer of the API, as far as it says the addresses of its front ends.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FrontEnds {
    #[serde(rename = "frontendIPConfigurations")]
    all: Vec<Described<FrontEndProperties>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct FrontEndProperties {
    #[serde(rename = "privateIPAddress")]
    address: String,
}

/// Whether an address is free, and some that are.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Availability {
    available: bool,
    #[serde(rename = "availableIPAddresses")]
    others: Vec<String>,
}

/// The subnet of the control plane, and the address that the API's internal load balancer has there, or else one that is
/// free: the last one of the subnet, or the last one that Azure proposes.
async fn api_address(
    session: &Session<'_>,
    arm: &Arm,
    path: &str,
    network: &Described<Properties>,
) -> Result<Option<(String, Ipv4Addr)>, Fault> {
    let mut given = session.platform.subnets.iter();
    let Some(given) = given.find(|subnet| subnet.role == CONTROL_PLANE) else { return Ok(None) };
    let mut subnets = network.properties.subnets.iter();
    let Some(subnet) = subnets.find(|subnet| subnet.name.eq_ignore_ascii_case(&given.name)) else {
        return Ok(None);
    };
    let chosen = |address: Ipv4Addr| Some((subnet.name.clone(), address));
    let cluster = session.asking.config.metadata.name.as_str();
    // Without infrastructure of this cluster, a load balancer of that name is another cluster's.
    let mut own = subnet.properties.ip_configurations.iter().filter(|_| session.asking.installed);
    if let Some(balancer) = own.find_map(|used| own_balancer(&used.id, cluster)) {
        let found = arm.find::<Described<FrontEnds>>(Api::NETWORKS, balancer, &[]).await?.unwrap_or_default();
        let mut addresses = found.properties.all.iter();
        let address = addresses.find_map(|front_end| front_end.properties.address.parse().ok());
        if let Some(address) = address {
            return Ok(chosen(address));
        }
    }
    let mut prefixes = subnet.properties.address_prefix.iter().chain(&subnet.properties.address_prefixes);
    let found = prefixes.find_map(|prefix| Some((prefix.parse::<Ipv4Net>().ok()?, last_address(prefix)?)));
    let Some((net, last)) = found else { return Ok(None) };
    let path = format!("{path}/CheckIPAddressAvailability");
    let answer: Availability = arm.get(Api::NETWORKS, &path, &[("ipAddress", &last.to_string())]).await?;
    if answer.available {
        return Ok(chosen(last));
    }
    let others = answer.others.iter().filter_map(|address| address.parse().ok());
    Ok(others.filter(|address| net.contains(address)).max().and_then(chosen))
}

/// The path of the load balancer that a front end belongs to, if it is the API's internal one of a cluster of this name.
fn own_balancer<'u>(used: &'u str, cluster: &str) -> Option<&'u str> {
    let (path, front_end) = used.split_once("/frontendIPConfigurations/")?;
    let (_, name) = path.rsplit_once('/').filter(|_| !front_end.is_empty())?;
    name.strip_suffix("-internal").is_some_and(|id| is_infra_id_of(id, cluster)).then_some(path)
}

fn network_of(described: Described<Properties>, group: &str) -> Network {
    let Properties { address_space, subnets } = described.properties;
    Network {
        name: described.name,
        resource_group: group.to_owned(),
        location: described.location,
        address_prefixes: address_space.address_prefixes,
        subnets: subnets.into_iter().map(subnet_of).collect(),
    }
}

fn subnet_of(described: Described<SubnetProperties>) -> Subnet {
    let SubnetProperties { address_prefix, address_prefixes, ip_configurations, nat_gateway } =
        described.properties;
    let single = address_prefix.filter(|prefix| !prefix.is_empty() && !address_prefixes.contains(prefix));
    let address_prefixes: Vec<String> = single.into_iter().chain(address_prefixes).collect();
    let dual_stack = address_prefixes.iter().any(|prefix| prefix.parse::<Ipv6Net>().is_ok());
    // Azure does not say which configurations are for IPv6: a resource has at most as many as for IPv4.
    let used = if dual_stack {
        parents(&ip_configurations).values().map(|count| count.div_ceil(2)).sum()
    } else {
        ip_configurations.len()
    };
    Subnet {
        name: described.name,
        address_prefixes,
        used_addresses: i64::try_from(used).unwrap_or(i64::MAX),
        nat_gateway: nat_gateway.unwrap_or_default().id,
        api_address: String::new(),
    }
}

/// How many of these IP configurations each resource has, by ids in small letters: Azure's ids know no capitals.
fn parents(ip_configurations: &[Reference]) -> BTreeMap<String, usize> {
    const PARTS: &[&str] = &["/ipconfigurations/", "/frontendipconfigurations/"];
    let parent = |used: &Reference| {
        let id = used.id.to_lowercase();
        let before = PARTS.iter().find_map(|part| id.rsplit_once(part)).map(|(parent, _)| parent.to_owned());
        before.unwrap_or(id)
    };
    let mut parents = BTreeMap::new();
    for used in ip_configurations {
        *parents.entry(parent(used)).or_default() += 1;
    }
    parents
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::described::of_text;

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
        let described: Described<Properties> = of_text(text).unwrap_or_default();
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
    fn a_resource_with_two_families_has_one_ipv4_address() {
        let ids = [
            "/subscriptions/s/networkInterfaces/one/ipConfigurations/v4",
            "/subscriptions/s/networkInterfaces/ONE/IPConfigurations/v6",
            "/subscriptions/s/networkInterfaces/two/ipConfigurations/v4",
            "/subscriptions/s/loadBalancers/x/frontendIPConfigurations/v4",
            "/subscriptions/s/loadBalancers/x/frontendIPConfigurations/v6",
        ];
        let used = |prefixes: &[&str]| {
            let ip_configurations = ids.iter().map(|id| Reference { id: (*id).to_owned() }).collect();
            let address_prefixes = prefixes.iter().map(|prefix| (*prefix).to_owned()).collect();
            let properties =
                SubnetProperties { address_prefixes, ip_configurations, ..SubnetProperties::default() };
            subnet_of(Described { properties, ..Described::default() }).used_addresses
        };
        assert_eq!(used(&["10.0.0.0/24", "fd00::/64"]), 3);
        assert_eq!(used(&["10.0.0.0/24"]), 5);
    }

    #[test]
    fn the_load_balancer_of_the_api_is_known_by_its_name() {
        let used =
            |name: &str| format!("/subscriptions/s/x/loadBalancers/{name}/frontendIPConfigurations/v4");
        let balancer = |name: &str| own_balancer(&used(name), "demo").map(str::to_owned);
        let path = "/subscriptions/s/x/loadBalancers/demo-bcd24-internal";
        assert_eq!(balancer("demo-bcd24-internal").as_deref(), Some(path));
        for other in ["demo-bcd24", "other-bcd24-internal", "demo-internal"] {
            assert_eq!(balancer(other), None, "{other}");
        }
        assert_eq!(own_balancer("/subscriptions/s/x/networkInterfaces/nic/ipConfigurations/a", "demo"), None);
    }

    #[test]
    fn a_network_of_few_words_is_kept() {
        let described: Option<Described<Properties>> = of_text(r#"{"name": "vnet"}"#);
        let network = described.map(|described| network_of(described, "g"));
        let found = network.map(|network| (network.name, network.subnets.len()));
        assert_eq!(found, Some(("vnet".to_owned(), 0)));
    }
}
