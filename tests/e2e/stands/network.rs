//! VPC, subnets, and the ways out of them (`assets.md`, D.2).

use std::collections::BTreeSet;

use super::Made;
use crate::expected::{ANYWHERE, Network, RANGE};
use crate::xml::Node;

pub(super) fn stands(made: &Made<'_>) {
    match &made.wanted.network {
        Some(network) => new(made, network),
        None => nothing(made),
    }
}

/// Of a network that there is already nothing is made.
fn nothing(made: &Made<'_>) {
    let counts = made.new.counts();
    for kind in [
        "VPC",
        "subnet",
        "route table",
        "internet gateway",
        "NAT gateway",
        "address",
        "endpoint",
        "DHCP options",
    ] {
        assert_eq!(counts.get(kind), None, "{kind}: {counts:?}");
    }
}

fn new(made: &Made<'_>, network: &Network) {
    let vpc = made.new.named("VPC", &made.name("vpc"));
    let id = vpc.says("vpcId");
    assert_eq!(vpc.says("cidrBlock"), RANGE);
    for attribute in ["enableDnsHostnames", "enableDnsSupport"] {
        let answer = made.cloud.ec2("DescribeVpcAttribute", &[("VpcId", id), ("Attribute", attribute)]);
        assert_eq!(answer.find(attribute).says("value"), "true", "{attribute}");
    }
    options(made, network, vpc.says("dhcpOptionsId"));

    let gateway = made.new.named("internet gateway", &made.name("igw"));
    assert_eq!(gateway.node.all("attachmentSet", "vpcId"), [id]);
    let (subnets_are, tables_are) = (made.wanted.subnet_name(), made.wanted.table_name());
    let public = made.new.named("route table", &made.name(&format!("{tables_are}public")));
    assert_eq!(way_out(&public.node, "gatewayId"), gateway.says("internetGatewayId"));
    assert!(public.node.list("associationSet").iter().any(|association| association.says("main") == "true"));
    let mut tables = BTreeSet::from([public.says("routeTableId").to_owned()]);

    let mut of_public = BTreeSet::new();
    for ((zone, private_range), public_range) in
        made.wanted.zones.iter().zip(network.private).zip(network.public)
    {
        let subnet = |kind: &str, range: &str| {
            let subnet = made.new.named("subnet", &made.name(&format!("{subnets_are}{kind}-{zone}")));
            assert_eq!((subnet.says("availabilityZone"), subnet.says("vpcId")), (*zone, id), "{kind}");
            assert_eq!(subnet.says("cidrBlock"), range, "{kind} {zone}");
            subnet.says("subnetId").to_owned()
        };
        let (private, published) = (subnet("private", private_range), subnet("public", public_range));
        let nat = made.new.named("NAT gateway", &made.name(&format!("nat-{zone}")));
        assert_eq!(nat.says("subnetId"), published, "{zone}");
        let address = made.new.named("address", &made.name(&format!("eip-{zone}")));
        assert_eq!(nat.node.all("natGatewayAddressSet", "allocationId"), [address.says("allocationId")]);
        let table = made.new.named("route table", &made.name(&format!("{tables_are}private-{zone}")));
        assert_eq!(way_out(&table.node, "natGatewayId"), nat.says("natGatewayId"), "{zone}");
        assert_eq!(table.node.all("associationSet", "subnetId"), [private]);
        tables.insert(table.says("routeTableId").to_owned());
        of_public.insert(published);
    }
    let associated: BTreeSet<String> =
        public.node.all("associationSet", "subnetId").into_iter().filter(|id| !id.is_empty()).collect();
    assert_eq!(associated, of_public);

    let counts = made.new.counts();
    let zones = made.wanted.zones.len();
    for (kind, wanted) in [("VPC", 1), ("subnet", 2 * zones), ("NAT gateway", zones), ("address", zones)] {
        assert_eq!(counts.get(kind), Some(&wanted), "{kind}: {counts:?}");
    }
    store(made, network, &tables);
}

fn options(made: &Made<'_>, network: &Network, id: &str) {
    let options = made.new.get("DHCP options", id);
    let said: BTreeSet<(String, String)> = options
        .node
        .list("dhcpConfigurationSet")
        .iter()
        .flat_map(|option| {
            let values = option.list("valueSet").iter();
            values.map(|value| (option.says("key").to_owned(), value.says("value").to_owned()))
        })
        .collect();
    let wanted = [("domain-name", network.domain), ("domain-name-servers", "AmazonProvidedDNS")];
    assert_eq!(said, BTreeSet::from(wanted.map(|(key, value)| (key.to_owned(), value.to_owned()))));
}

/// The gateway that everything goes to which is not in the network.
fn way_out<'a>(table: &'a Node, gateway: &str) -> &'a str {
    let mut routes = table.list("routeSet").iter();
    routes
        .find(|route| route.says("destinationCidrBlock") == ANYWHERE)
        .map_or("", |route| route.says(gateway))
}

/// The endpoint of S3 is in all of the new route tables.
fn store(made: &Made<'_>, network: &Network, tables: &BTreeSet<String>) {
    let endpoints = made.new.of_kind("endpoint");
    let [endpoint] = endpoints.as_slice() else {
        panic!("one endpoint should be there, not {endpoints:?}");
    };
    assert_eq!(endpoint.says("serviceName"), network.store);
    assert_eq!(endpoint.says("vpcEndpointType"), "Gateway");
    let found = endpoint.node.list("routeTableIdSet").iter().map(|item| item.text().to_owned());
    assert_eq!(&found.collect::<BTreeSet<String>>(), tables);
}
