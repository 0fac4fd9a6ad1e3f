//! VPC, subnets, gateways and routes.

use aws_sdk_ec2::types::{
    AttributeBooleanValue, AttributeValue, CarrierGatewayState, ConnectivityType, DhcpConfiguration,
    DomainType, NatGatewayState, NewDhcpConfiguration, ResourceType, RouteTable, State as EndpointState, Tag,
    TagSpecification, VpcAttributeName, VpcEndpointType,
};
use landfall_platform::native::{Failure, Properties, State, Wanted};
use serde_json::{Value, json};

use super::super::gather::filter;
use super::{Item, Made, Resources, ipv6, is_true, once, pages, pairs, refusal, send, with_id};

/// The tags that a property has.
fn wanted_tags(wanted: &Wanted, key: &str) -> Vec<Tag> {
    let tags = pairs(wanted, key).into_iter();
    tags.map(|(key, value)| Tag::builder().key(key).value(value).build()).collect()
}

/// Tags for a request.
pub(super) fn tagged(wanted: &Wanted, key: &str, kind: ResourceType) -> TagSpecification {
    TagSpecification::builder().resource_type(kind).set_tags(Some(wanted_tags(wanted, key))).build()
}

/// Gives what exists the tags that a property has.
pub(super) async fn tag(cx: &Resources<'_>, id: &str, wanted: &Wanted, key: &str) -> Made<()> {
    let request = cx.ec2().await?.create_tags().resources(id).set_tags(Some(wanted_tags(wanted, key)));
    send!(cx, "ec2:CreateTags", request).map(drop)
}

/// Tags of an answer.
pub(super) fn tags(tags: &[Tag]) -> Value {
    let pair = |tag: &Tag| Some((tag.key()?.to_owned(), Value::from(tag.value()?)));
    Value::Object(tags.iter().filter_map(pair).collect())
}

impl Resources<'_> {
    pub(super) async fn ec2(&self) -> Made<&aws_sdk_ec2::Client> {
        self.session.ec2().await.map_err(|why| Self::unready(&why))
    }

    /// The client for calls that create something.
    pub(super) async fn ec2_once(&self) -> Made<aws_sdk_ec2::Client> {
        Ok(once!(aws_sdk_ec2, self.ec2().await?))
    }

    /// A filter for resources with the cluster's ownership tag, which all have but security groups; `id` is the name of
    /// the filter for the id of such a resource.
    pub(super) fn mine(&self, id: &str) -> aws_sdk_ec2::types::Filter {
        self.only(id).unwrap_or_else(|| {
            let [key, _] = self.owner_keys();
            filter(&format!("tag:{key}"), ["owned"])
        })
    }

    /// The same for resources that have one of the cluster's tags.
    pub(super) fn tagged(&self, id: &str) -> aws_sdk_ec2::types::Filter {
        self.only(id).unwrap_or_else(|| {
            let keys = self.owner_keys();
            filter("tag-key", keys.iter().map(String::as_str))
        })
    }

    /// The filter for the only resource that is listed, if it is one.
    fn only(&self, id: &str) -> Option<aws_sdk_ec2::types::Filter> {
        self.only.as_ref().map(|only| filter(id, [only.as_str()]))
    }
}

/// A value of an attribute that is on or off.
pub(super) fn on(value: bool) -> AttributeBooleanValue {
    AttributeBooleanValue::builder().value(value).build()
}

pub(super) async fn given_vpc(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_vpcs().vpc_ids(wanted.text("id"));
    let found = send!(cx, "ec2:DescribeVpcs", request)?;
    let item = |vpc: &aws_sdk_ec2::types::Vpc| {
        let (cidr, ipv6) = (vpc.cidr_block(), ipv6::addresses(vpc));
        let known = json!({ "id": vpc.vpc_id(), "cidr": cidr, "ipv6Cidr": ipv6 });
        Item::new("given-vpc", known)
    };
    Ok(found.vpcs().iter().map(item).collect())
}

pub(super) async fn not_there(_: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let message = format!("there is no {} in this region and account", wanted.text("id"));
    Err(Failure::Refused(refusal("platform.aws.vpc.subnets", message)))
}

/// The first of the given subnets in each zone, by zone.
pub(super) async fn given_subnets(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let ids = wanted.texts("ids");
    let request = cx.ec2().await?.describe_subnets().set_subnet_ids(Some(ids.clone()));
    let found = send!(cx, "ec2:DescribeSubnets", request)?;
    let mut by_zone = json!({ "vpc": wanted.text("vpc") });
    for id in ids.iter().rev() {
        let subnet = found.subnets().iter().find(|subnet| subnet.subnet_id() == Some(id));
        if let Some(zone) = subnet.and_then(|subnet| subnet.availability_zone()) {
            by_zone[zone] = json!(id);
        }
    }
    Ok(vec![Item::new("given-subnets", by_zone)])
}

pub(super) async fn vpcs(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let ec2 = cx.ec2().await?;
    let found: Vec<_> = pages!(cx, "ec2:DescribeVpcs", ec2.describe_vpcs().filters(cx.mine("vpc-id")))?;
    let mut items = Vec::new();
    for vpc in found {
        let id = vpc.vpc_id();
        let asked = |name: VpcAttributeName| {
            ec2.describe_vpc_attribute().set_vpc_id(id.map(str::to_owned)).attribute(name)
        };
        let host_names = send!(cx, "ec2:DescribeVpcAttribute", asked(VpcAttributeName::EnableDnsHostnames))?;
        let support = send!(cx, "ec2:DescribeVpcAttribute", asked(VpcAttributeName::EnableDnsSupport))?;
        let value =
            |attribute: Option<&AttributeBooleanValue>| attribute.and_then(AttributeBooleanValue::value);
        items.push(Item::new(
            "vpc",
            json!({
                "id": id,
                "cidr": vpc.cidr_block(),
                "ipv6": !vpc.ipv6_cidr_block_association_set().is_empty(),
                "dnsHostnames": value(host_names.enable_dns_hostnames()),
                "dnsSupport": value(support.enable_dns_support()),
                "tags": tags(vpc.tags()),
            }),
        ));
        let options = json!({ "vpc": id, "options": vpc.dhcp_options_id() });
        items.push(Item::new("dhcp-options-association", options));
    }
    Ok(items)
}

pub(super) async fn create_vpc(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_vpc().cidr_block(wanted.text("cidr"));
    let request = request.set_amazon_provided_ipv6_cidr_block(is_true(wanted, "ipv6").then_some(true));
    let made =
        send!(cx, "ec2:CreateVpc", request.tag_specifications(tagged(wanted, "tags", ResourceType::Vpc)))?;
    Ok(with_id(made.vpc().and_then(|vpc| vpc.vpc_id())))
}

pub(super) async fn complete_vpc(cx: &Resources<'_>, _: &Wanted, outputs: &Properties) -> Made<()> {
    let ec2 = cx.ec2().await?;
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    // One attribute with each call.
    let request = ec2.modify_vpc_attribute().vpc_id(id).enable_dns_support(on(true));
    send!(cx, "ec2:ModifyVpcAttribute", request)?;
    let request = ec2.modify_vpc_attribute().vpc_id(id).enable_dns_hostnames(on(true));
    send!(cx, "ec2:ModifyVpcAttribute", request)?;
    Ok(())
}

pub(super) async fn dhcp_options(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_dhcp_options().filters(cx.mine("dhcp-options-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeDhcpOptions", request)?;
    let values = |all: &[DhcpConfiguration], key: &str| -> Vec<String> {
        let one = all.iter().find(|one| one.key() == Some(key));
        let values = one.map(DhcpConfiguration::values).unwrap_or_default();
        values.iter().filter_map(AttributeValue::value).map(str::to_owned).collect()
    };
    let item = |options: &aws_sdk_ec2::types::DhcpOptions| {
        let all = options.dhcp_configurations();
        Item::new(
            "dhcp-options",
            json!({
                "id": options.dhcp_options_id(),
                "domainName": values(all, "domain-name").first(),
                "domainNameServers": values(all, "domain-name-servers"),
                "tags": tags(options.tags()),
            }),
        )
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_dhcp_options(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let setting = |key: &str, values: Vec<String>| {
        NewDhcpConfiguration::builder().key(key).set_values(Some(values)).build()
    };
    let request = cx.ec2_once().await?.create_dhcp_options();
    let request = request
        .dhcp_configurations(setting("domain-name", vec![wanted.text("domainName").to_owned()]))
        .dhcp_configurations(setting("domain-name-servers", wanted.texts("domainNameServers")))
        .tag_specifications(tagged(wanted, "tags", ResourceType::DhcpOptions));
    let made = send!(cx, "ec2:CreateDhcpOptions", request)?;
    Ok(with_id(made.dhcp_options().and_then(|options| options.dhcp_options_id())))
}

pub(super) async fn associate_dhcp_options(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.associate_dhcp_options();
    let request = request.vpc_id(wanted.text("vpc")).dhcp_options_id(wanted.text("options"));
    send!(cx, "ec2:AssociateDhcpOptions", request)?;
    Ok(Properties::new())
}

pub(super) async fn internet_gateways(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_internet_gateways().filters(cx.mine("internet-gateway-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeInternetGateways", request)?;
    let item = |gateway: &aws_sdk_ec2::types::InternetGateway| {
        let vpc = gateway.attachments().first().and_then(|one| one.vpc_id());
        let known = json!({ "id": gateway.internet_gateway_id(), "vpc": vpc, "tags": tags(gateway.tags()) });
        Item::new("internet-gateway", known)
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_internet_gateway(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_internet_gateway();
    let request = request.tag_specifications(tagged(wanted, "tags", ResourceType::InternetGateway));
    let made = send!(cx, "ec2:CreateInternetGateway", request)?;
    Ok(with_id(made.internet_gateway().and_then(|gateway| gateway.internet_gateway_id())))
}

pub(super) async fn attach_internet_gateway(
    cx: &Resources<'_>,
    wanted: &Wanted,
    outputs: &Properties,
) -> Made<()> {
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    let request =
        cx.ec2().await?.attach_internet_gateway().internet_gateway_id(id).vpc_id(wanted.text("vpc"));
    let answer = cx.session.answer("ec2:AttachInternetGateway", request.send()).await;
    match answer {
        Err(fault) if !fault.is("Resource.AlreadyAssociated") => Err(super::failure(&fault)),
        _ => Ok(()),
    }
}

pub(super) async fn carrier_gateways(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_carrier_gateways().filters(cx.mine("carrier-gateway-id"));
    let found: Vec<aws_sdk_ec2::types::CarrierGateway> = pages!(cx, "ec2:DescribeCarrierGateways", request)?;
    let there = found.iter().filter(|gateway| gateway.state() != Some(&CarrierGatewayState::Deleted));
    let item = |gateway: &aws_sdk_ec2::types::CarrierGateway| {
        let (id, vpc) = (gateway.carrier_gateway_id(), gateway.vpc_id());
        Item::new("carrier-gateway", json!({ "id": id, "vpc": vpc, "tags": tags(gateway.tags()) }))
    };
    Ok(there.map(item).collect())
}

pub(super) async fn create_carrier_gateway(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_carrier_gateway().client_token(&wanted.token);
    let request = request.vpc_id(wanted.text("vpc"));
    let request = request.tag_specifications(tagged(wanted, "tags", ResourceType::CarrierGateway));
    let made = send!(cx, "ec2:CreateCarrierGateway", request)?;
    Ok(with_id(made.carrier_gateway().and_then(|gateway| gateway.carrier_gateway_id())))
}

pub(super) async fn subnets(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_subnets().filters(cx.mine("subnet-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeSubnets", request)?;
    let item = |subnet: &aws_sdk_ec2::types::Subnet| {
        Item::new(
            "subnet",
            json!({
                "id": subnet.subnet_id(),
                "vpc": subnet.vpc_id(),
                "cidr": subnet.cidr_block(),
                "ipv6": ipv6::part(subnet),
                "zone": subnet.availability_zone(),
                "publicAddresses": subnet.map_public_ip_on_launch(),
                "tags": tags(subnet.tags()),
            }),
        )
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_subnet(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_subnet().vpc_id(wanted.text("vpc"));
    let request = request
        .cidr_block(wanted.text("cidr"))
        .set_ipv6_cidr_block(ipv6::of_subnet(wanted))
        .availability_zone(wanted.text("zone"))
        .tag_specifications(tagged(wanted, "tags", ResourceType::Subnet));
    let made = send!(cx, "ec2:CreateSubnet", request)?;
    Ok(with_id(made.subnet().and_then(|subnet| subnet.subnet_id())))
}

pub(super) async fn complete_subnet(cx: &Resources<'_>, wanted: &Wanted, outputs: &Properties) -> Made<()> {
    // One attribute with each call.
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    let attribute = || async { Ok(cx.ec2().await?.modify_subnet_attribute().subnet_id(id)) };
    if is_true(wanted, "publicAddresses") {
        let request = attribute().await?.map_public_ip_on_launch(on(true));
        send!(cx, "ec2:ModifySubnetAttribute", request)?;
    }
    if wanted.inputs.contains_key("ipv6") {
        let request = attribute().await?.assign_ipv6_address_on_creation(on(true));
        send!(cx, "ec2:ModifySubnetAttribute", request)?;
    }
    Ok(())
}

pub(super) async fn route_tables(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_route_tables().filters(cx.mine("route-table-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeRouteTables", request)?;
    let mut items = Vec::new();
    for table in found {
        let (id, vpc) = (table.route_table_id(), table.vpc_id());
        let known = json!({ "id": id, "vpc": vpc, "tags": tags(table.tags()) });
        items.push(Item::new("route-table", known));
        for route in table.routes() {
            let destination = route.destination_cidr_block().or(route.destination_ipv6_cidr_block());
            let mut known = json!({ "table": id, "destination": destination });
            let ways = [
                ("gateway", route.gateway_id()),
                ("nat", route.nat_gateway_id()),
                ("egressGateway", route.egress_only_internet_gateway_id()),
                ("carrierGateway", route.carrier_gateway_id()),
            ];
            for (key, value) in ways {
                if let Some(value) = value {
                    known[key] = value.into();
                }
            }
            items.push(Item::new("route", known));
        }
        for association in table.associations() {
            items.push(match association.subnet_id() {
                Some(subnet) => {
                    Item::new("route-table-association", json!({ "table": id, "subnet": subnet }))
                }
                None => Item::new("main-route-table", json!({ "table": id, "vpc": vpc })),
            });
        }
    }
    Ok(items)
}

pub(super) async fn create_route_table(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request =
        cx.ec2_once().await?.create_route_table().vpc_id(wanted.text("vpc")).client_token(&wanted.token);
    let request = request.tag_specifications(tagged(wanted, "tags", ResourceType::RouteTable));
    let made = send!(cx, "ec2:CreateRouteTable", request)?;
    Ok(with_id(made.route_table().and_then(|table| table.route_table_id())))
}

pub(super) async fn replace_main_table(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let ec2 = cx.ec2().await?;
    let request = ec2
        .describe_route_tables()
        .filters(filter("vpc-id", [wanted.text("vpc")]))
        .filters(filter("association.main", ["true"]));
    let found = send!(cx, "ec2:DescribeRouteTables", request)?;
    let mut associations = found.route_tables().iter().flat_map(RouteTable::associations);
    let main =
        associations.find(|one| one.main() == Some(true)).and_then(|one| one.route_table_association_id());
    let request = cx.ec2_once().await?.replace_route_table_association().route_table_id(wanted.text("table"));
    send!(cx, "ec2:ReplaceRouteTableAssociation", request.set_association_id(main.map(str::to_owned)))?;
    Ok(Properties::new())
}

/// Where a route leads and what it leads through, for a request.
macro_rules! route {
    ($wanted:expr, $request:expr) => {{
        let given = |key: &str| Some($wanted.text(key).to_owned()).filter(|text| !text.is_empty());
        let is_ipv6 = |to: &String| to.contains(':');
        $request
            .route_table_id($wanted.text("table"))
            .set_destination_cidr_block(given("destination").filter(|to| !is_ipv6(to)))
            .set_destination_ipv6_cidr_block(given("destination").filter(is_ipv6))
            .set_gateway_id(given("gateway"))
            .set_nat_gateway_id(given("nat"))
            .set_egress_only_internet_gateway_id(given("egressGateway"))
            .set_carrier_gateway_id(given("carrierGateway"))
    }};
}

pub(super) async fn create_route(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    send!(cx, "ec2:CreateRoute", route!(wanted, cx.ec2_once().await?.create_route()))?;
    Ok(Properties::new())
}

/// Sends the traffic of a route to another gateway.
pub(super) async fn replace_route(cx: &Resources<'_>, wanted: &Wanted) -> Made<()> {
    send!(cx, "ec2:ReplaceRoute", route!(wanted, cx.ec2().await?.replace_route())).map(drop)
}

pub(super) async fn associate_table(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.associate_route_table();
    let request = request.route_table_id(wanted.text("table")).subnet_id(wanted.text("subnet"));
    send!(cx, "ec2:AssociateRouteTable", request)?;
    Ok(Properties::new())
}

pub(super) async fn addresses(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_addresses().filters(cx.mine("allocation-id"));
    let found = send!(cx, "ec2:DescribeAddresses", request)?;
    let mut items = Vec::new();
    for address in found.addresses() {
        let id = address.allocation_id();
        let known = json!({ "id": id, "publicAddress": address.public_ip(), "tags": tags(address.tags()) });
        items.push(Item::new("address", known));
        if let Some(instance) = address.instance_id() {
            items.push(Item::new("address-association", json!({ "address": id, "instance": instance })));
        }
    }
    Ok(items)
}

pub(super) async fn associate_address(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.associate_address().allocation_id(wanted.text("address"));
    send!(cx, "ec2:AssociateAddress", request.instance_id(wanted.text("instance")))?;
    Ok(Properties::new())
}

pub(super) async fn allocate_address(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.allocate_address().domain(DomainType::Vpc);
    let pool = wanted.inputs.get("pool").and_then(Value::as_str);
    let request = request.set_public_ipv4_pool(pool.map(str::to_owned)).tag_specifications(tagged(
        wanted,
        "tags",
        ResourceType::ElasticIp,
    ));
    let made = send!(cx, "ec2:AllocateAddress", request)?;
    let mut outputs = with_id(made.allocation_id());
    outputs.insert("publicAddress".to_owned(), json!(made.public_ip()));
    Ok(outputs)
}

pub(super) async fn nat_gateways(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_nat_gateways().filter(cx.mine("nat-gateway-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeNatGateways", request)?;
    let mut items = Vec::new();
    for gateway in found {
        let state = match gateway.state() {
            Some(NatGatewayState::Available) => State::Ready,
            Some(NatGatewayState::Deleted | NatGatewayState::Deleting) => continue,
            Some(NatGatewayState::Failed) => {
                State::Broken(gateway.failure_message().unwrap_or("failed").to_owned())
            }
            other => State::Pending(other.map_or("pending", NatGatewayState::as_str).to_owned()),
        };
        let address = gateway.nat_gateway_addresses().first().and_then(|one| one.allocation_id());
        let known = json!({
            "id": gateway.nat_gateway_id(),
            "address": address,
            "subnet": gateway.subnet_id(),
            "tags": tags(gateway.tags()),
        });
        items.push(Item::new("nat-gateway", known).in_state(state));
    }
    Ok(items)
}

pub(super) async fn create_nat_gateway(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_nat_gateway().client_token(&wanted.token);
    let request = request
        .connectivity_type(ConnectivityType::Public)
        .allocation_id(wanted.text("address"))
        .subnet_id(wanted.text("subnet"))
        .tag_specifications(tagged(wanted, "tags", ResourceType::Natgateway));
    let made = send!(cx, "ec2:CreateNatGateway", request)?;
    Ok(with_id(made.nat_gateway().and_then(|gateway| gateway.nat_gateway_id())))
}

/// Whether an endpoint in this state is gone, or about to be.
fn is_over(state: &str) -> bool {
    ["deleted", "deleting"].iter().any(|over| state.eq_ignore_ascii_case(over))
}

pub(super) async fn endpoints(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_vpc_endpoints().filters(cx.mine("vpc-endpoint-id"));
    let found: Vec<_> = pages!(cx, "ec2:DescribeVpcEndpoints", request)?;
    let mut items = Vec::new();
    for endpoint in found {
        // The state is in lower case for endpoints of gateways, in capitals for others.
        if endpoint.state().map(EndpointState::as_str).is_some_and(is_over) {
            continue;
        }
        let known = json!({
            "id": endpoint.vpc_endpoint_id(),
            "vpc": endpoint.vpc_id(),
            "service": endpoint.service_name(),
            "routeTables": endpoint.route_table_ids(),
            "tags": tags(endpoint.tags()),
        });
        items.push(Item::new("vpc-endpoint", known));
    }
    Ok(items)
}

pub(super) async fn create_endpoint(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_vpc_endpoint().client_token(&wanted.token);
    let request = request
        .vpc_id(wanted.text("vpc"))
        .vpc_endpoint_type(VpcEndpointType::Gateway)
        .private_dns_enabled(false)
        .service_name(wanted.text("service"))
        .set_route_table_ids(Some(wanted.texts("routeTables")))
        .tag_specifications(tagged(wanted, "tags", ResourceType::VpcEndpoint));
    let made = send!(cx, "ec2:CreateVpcEndpoint", request)?;
    Ok(with_id(made.vpc_endpoint().and_then(|endpoint| endpoint.vpc_endpoint_id())))
}
