//! The machines' network: the user's, or a new one; and the security group, which every cluster has.

use landfall_model::azure::planned::Addresses;
use serde_json::{Value, json};

use super::set::{Family, Object, Set, owner, reference};
use crate::desired::Mode;

/// The rule that lets the API be asked.
const API_RULE: Rule<'static> =
    Rule { name: "apiserver_in", priority: 101, port: "6443", family: Family::V4 };
/// The same for clients with IPv6, where only the machine networks are allowed: the sources of a rule are of one family.
const API_RULE_V6: Rule<'static> =
    Rule { name: "apiserver_in_v6", priority: 102, family: Family::V6, ..API_RULE };

/// A rule that lets in what comes for a port.
pub(super) struct Rule<'a> {
    /// Name of the rule.
    pub(super) name: &'a str,
    /// The lower, the sooner it is looked at.
    pub(super) priority: u16,
    /// The port.
    pub(super) port: &'a str,
    /// The family of its sources, where these are the machines' networks.
    pub(super) family: Family,
}

/// Adds the network with what stands in it.
pub(super) fn add(set: &mut Set<'_>) {
    let azure = set.azure;
    match &azure.network.new {
        None => {
            add_existing(set);
            add_security_group(set);
        }
        Some(addresses) => {
            add_security_group(set);
            add_rule(set, &API_RULE);
            if !set.external_api() && set.families().contains(&Family::V6) {
                add_rule(set, &API_RULE_V6);
            }
            add_new(set, addresses);
        }
    }
}

/// The user's network, which is looked at and never changed.
fn add_existing(set: &mut Set<'_>) {
    let (network, names) = (&set.azure.network, &set.names);
    let (vnet, group) = (names.network.clone(), names.network_group.clone());
    let subnets = [
        (names.control_plane_subnet.clone(), &network.control_plane_subnet),
        (names.compute_subnet.clone(), &network.compute_subnet),
    ];
    // Its group may be the one that the cluster goes into.
    if !network.resource_group.eq_ignore_ascii_case(&set.azure.groups.cluster) {
        let spec = json!({ "azureName": network.resource_group, "location": set.location() });
        set.add(Object::new("ResourceGroup", group.clone(), spec).mode(Mode::Byo));
    }
    let spec = json!({ "azureName": network.name, "owner": owner(&group), "location": set.location() });
    set.add(Object::new("VirtualNetwork", vnet.clone(), spec).mode(Mode::Byo));
    for (name, azure_name) in subnets {
        let spec = json!({ "azureName": azure_name, "owner": owner(&vnet) });
        set.add(Object::new("VirtualNetworksSubnet", name, spec).mode(Mode::Byo));
    }
    for gateway in &set.azure.network.nat_gateways {
        add_nat_gateway(set, &gateway.name, &format!("{}-pip", gateway.name), &gateway.zone);
    }
}

fn add_security_group(set: &mut Set<'_>) {
    let spec = in_group(set, &set.azure.network.security_group);
    set.add(Object::new("NetworkSecurityGroup", set.names.security_group.clone(), spec));
}

/// What most resources of the cluster's group begin with.
pub(super) fn in_group(set: &Set<'_>, azure_name: &str) -> Value {
    json!({ "azureName": azure_name, "owner": set.in_group(), "location": set.location() })
}

/// Adds a rule to the cluster's security group. Where the API is the network's own affair, so is what the
/// rule lets in.
pub(super) fn add_rule(set: &mut Set<'_>, rule: &Rule<'_>) {
    let group = set.names.security_group.clone();
    let sources = if set.external_api() { Vec::new() } else { set.machine_networks(rule.family) };
    let mut spec = json!({
        "azureName": rule.name,
        "owner": owner(&group),
        "access": "Allow",
        "direction": "Inbound",
        "priority": rule.priority,
        "protocol": "Tcp",
        "sourcePortRange": "*",
        "destinationAddressPrefix": "*",
        "destinationPortRange": rule.port,
    });
    match sources[..] {
        [] => spec["sourceAddressPrefix"] = "*".into(),
        [source] => spec["sourceAddressPrefix"] = source.into(),
        _ => spec["sourceAddressPrefixes"] = sources.into(),
    }
    let name = set.name_within("security rule", &group, rule.name);
    set.add(Object::new("NetworkSecurityGroupsSecurityRule", name, spec));
}

fn add_new(set: &mut Set<'_>, addresses: &Addresses) {
    let network = &set.azure.network;
    let routes = set.name("route table", &network.route_table);
    let spec = in_group(set, &network.route_table);
    set.add(Object::new("RouteTable", routes.clone(), spec));
    let vnet = set.names.network.clone();
    let mut spec = in_group(set, &network.name);
    spec["addressSpace"] = json!({ "addressPrefixes": addresses.network });
    set.add(Object::new("VirtualNetwork", vnet.clone(), spec));
    let gateway = (set.azure.outbound_type == "NatGateway").then(|| {
        let name = format!("{}-node-natgw", set.infra_id());
        add_nat_gateway(set, &name, &format!("pip-{name}"), "")
    });
    let zoned: Vec<(String, String)> = network
        .nat_gateways
        .iter()
        .map(|gateway| {
            let address = format!("{}-pip", gateway.name);
            (gateway.subnet.clone(), add_nat_gateway(set, &gateway.name, &address, &gateway.zone))
        })
        .collect();

    let families = set.families();
    let security_group = reference("NetworkSecurityGroup", &set.names.security_group);
    let subnet = |azure_name: &str, prefixes: &[String]| {
        let prefixes: Vec<&str> = prefixes.iter().map(String::as_str).take(families.len()).collect();
        let mut spec = json!({
            "azureName": azure_name,
            "owner": owner(&vnet),
            "addressPrefixes": prefixes,
            "networkSecurityGroup": security_group,
        });
        if let [prefix] = prefixes[..] {
            spec["addressPrefix"] = prefix.into();
        }
        spec
    };
    let control_plane = subnet(&network.control_plane_subnet, &addresses.control_plane);
    let single = [(network.compute_subnet.as_str(), addresses.compute.as_slice())];
    let several: Vec<(&str, &[String])> =
        network.compute_subnets.iter().map(|one| (one.name.as_str(), one.addresses.as_slice())).collect();
    let compute = if several.is_empty() { single.to_vec() } else { several };
    let compute = compute.into_iter().map(|(name, prefixes)| {
        let mut spec = subnet(name, prefixes);
        spec["routeTable"] = reference("RouteTable", &routes);
        let own = zoned.iter().find(|(subnet, _)| subnet == name).map(|(_, gateway)| gateway);
        if let Some(gateway) = own.or(gateway.as_ref()) {
            spec["natGateway"] = reference("NatGateway", gateway);
        }
        (name, spec)
    });
    let compute: Vec<(&str, Value)> = compute.collect();
    set.add(Object::new("VirtualNetworksSubnet", set.names.control_plane_subnet.clone(), control_plane));
    for (azure_name, spec) in compute {
        let name = set.name_within("subnet", &vnet, azure_name);
        set.add(Object::new("VirtualNetworksSubnet", name, spec));
    }
}

/// Adds a way out of a subnet of compute machines, in a zone or where Azure chooses; gives its name.
fn add_nat_gateway(set: &mut Set<'_>, azure_name: &str, address_name: &str, zone: &str) -> String {
    let address = set.name("public address", address_name);
    let mut spec = public_address(set, address_name, Family::V4);
    let zones = (!zone.is_empty()).then(|| json!([zone]));
    if let Some(zones) = &zones {
        spec["zones"] = zones.clone();
    }
    set.add(Object::new("PublicIPAddress", address.clone(), spec));
    let mut spec = in_group(set, azure_name);
    if let Some(zones) = zones {
        spec["zones"] = zones;
    }
    spec["sku"] = json!({ "name": "Standard" });
    spec["publicIpAddresses"] = json!([reference("PublicIPAddress", &address)]);
    spec["idleTimeoutInMinutes"] = 4.into();
    let name = set.name("NAT gateway", azure_name);
    set.add(Object::new("NatGateway", name.clone(), spec));
    name
}

/// A public address.
pub(super) fn public_address(set: &Set<'_>, azure_name: &str, family: Family) -> Value {
    let mut spec = in_group(set, azure_name);
    spec["sku"] = json!({ "name": "Standard", "tier": "Regional" });
    spec["publicIPAddressVersion"] = family.version().into();
    spec["publicIPAllocationMethod"] = "Static".into();
    spec
}
