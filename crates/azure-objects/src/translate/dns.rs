//! The names of the API: in a private zone of the cluster's own, and in the user's public one.

use std::net::Ipv6Addr;

use serde_json::{Value, json};

use super::binding::Binding;
use super::load_balancers::public_address_name;
use super::network::in_group;
use super::set::{Family, Object, Set, owner, reference};
use crate::desired::Need;
use crate::names::{PRIVATE_NAMES, TTL, resource_id};

/// Where a private zone is: everywhere.
const LOCATION: &str = "global";

/// Adds zone, link and records; none of them where the user provides the records.
pub(super) fn add(set: &mut Set<'_>) {
    if set.azure.load_balancers.api_address.is_some() {
        return;
    }
    add_zone(set);
    for name in PRIVATE_NAMES {
        add_private_record(set, name);
    }
    if set.external_api() {
        add_public_record(set);
    }
    if let Some(address) = set.azure.load_balancers.ipv6_address {
        add_ipv6_records(set, address);
    }
}

fn add_zone(set: &mut Set<'_>) {
    let zone = set.names.zone.clone();
    let mut spec = in_group(set, &set.input.plan.cluster.domain);
    spec["location"] = LOCATION.into();
    set.add(Object::new("PrivateDnsZone", zone.clone(), spec));
    let link = format!("{}-link", set.azure.network.name);
    let spec = json!({
        "azureName": link,
        "owner": owner(&zone),
        "location": LOCATION,
        "registrationEnabled": false,
        "virtualNetwork": reference("VirtualNetwork", &set.names.network),
    });
    let name = set.name_within("link", &zone, &link);
    set.add(Object::new("PrivateDnsZonesVirtualNetworkLink", name, spec));
}

/// A name that stands for the internal load balancer, whose address may be known only once that stands.
fn add_private_record(set: &mut Set<'_>, azure_name: &str) {
    const KIND: &str = "PrivateDnsZonesARecord";
    let zone = set.names.zone.clone();
    let balancer = set.names.internal.clone();
    let name = set.name_within("record", &zone, azure_name);
    let mut spec = json!({ "azureName": azure_name, "owner": owner(&zone), "ttl": TTL });
    if let Some(address) = set.internal_address() {
        spec["aRecords"] = addresses(&address.to_string());
        set.add(Object::new(KIND, name, spec).needing("LoadBalancer", &balancer));
        return;
    }
    let binding = Binding {
        object: Need { kind: KIND, name: name.clone() },
        field: "aRecords",
        source: Need { kind: "LoadBalancer", name: balancer },
        pointer: "/status/frontendIPConfigurations/0/privateIPAddress",
        form: addresses,
    };
    set.add_waiting(Object::new(KIND, name, spec), binding);
}

fn addresses(address: &str) -> Value {
    json!([{ "ipv4Address": address }])
}

/// The name of the API in the public zone of the base domain. It stands for the name of the public address,
/// or for that address itself where the cloud gives addresses no names.
fn add_public_record(set: &mut Set<'_>) {
    let (name, spec) = public_record(set, "api");
    let domain = set.input.cloud.public_addresses;
    let source = Need { kind: "PublicIPAddress", name: set.names.public_address.clone() };
    if domain.is_empty() {
        let kind = "DnsZonesARecord";
        let binding = Binding {
            object: Need { kind, name: name.clone() },
            field: "ARecords",
            source,
            pointer: "/status/ipAddress",
            form: addresses,
        };
        set.add_waiting(Object::new(kind, name, spec), binding);
        return;
    }
    add_alias(set, (name, spec), source);
}

/// Object and spec of a record of the cluster in the user's public zone.
fn public_record(set: &mut Set<'_>, prefix: &str) -> (String, Value) {
    let cluster = &set.input.plan.cluster;
    let azure_name = format!("{prefix}.{}", cluster.name);
    let zone = resource_id(
        set.subscription(),
        &set.azure.groups.base_domain,
        &format!("Microsoft.Network/dnsZones/{}", cluster.base_domain),
    );
    let parent = set.name("zone", &cluster.base_domain);
    let name = set.name_within("record", &parent, &azure_name);
    (name, json!({ "azureName": azure_name, "owner": { "armId": zone }, "TTL": TTL }))
}

/// Adds a record that is an alias of the name of a public address.
fn add_alias(set: &mut Set<'_>, (name, mut spec): (String, Value), source: Need) {
    const KIND: &str = "DnsZonesCNAMERecord";
    let domain = set.input.cloud.public_addresses;
    spec["CNAMERecord"] = alias(&format!("{}.{}.{domain}", set.infra_id(), set.location()));
    let binding = Binding {
        object: Need { kind: KIND, name: name.clone() },
        field: "CNAMERecord",
        source,
        pointer: "/status/dnsSettings/fqdn",
        form: alias,
    };
    set.add_bound(Object::new(KIND, name, spec), binding);
}

/// Adds the names of the API for clients with IPv6: beside those for IPv4 in the private zone, and in the public zone
/// under another name, as a name can be an alias only once.
fn add_ipv6_records(set: &mut Set<'_>, address: Ipv6Addr) {
    let (zone, balancer) = (set.names.zone.clone(), set.names.internal.clone());
    for azure_name in PRIVATE_NAMES {
        let name = set.name_within("record", &zone, &format!("{azure_name}{}", Family::V6.beside()));
        let records = json!([{ "ipv6Address": address }]);
        let spec =
            json!({ "azureName": azure_name, "owner": owner(&zone), "ttl": TTL, "aaaaRecords": records });
        let record = Object::new("PrivateDnsZonesAAAARecord", name, spec);
        set.add(record.needing("LoadBalancer", &balancer));
    }
    if set.external_api() {
        let record = public_record(set, "v6-api");
        let name = set.name("public address", &public_address_name(set, Family::V6));
        add_alias(set, record, Need { kind: "PublicIPAddress", name });
    }
}

fn alias(name: &str) -> Value {
    json!({ "cname": name })
}
