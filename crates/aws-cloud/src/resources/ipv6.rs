//! What a dual-stack cluster has for IPv6: addresses of its VPC, and the way out of private subnets.

use aws_sdk_ec2::types::{EgressOnlyInternetGateway, ResourceType, Subnet, Vpc, VpcCidrBlockStateCode};
use ipnet::Ipv6Net;
use landfall_platform::native::{Failure, Properties, State, Wanted};
use serde_json::{Value, json};

use super::network::{tagged, tags};
use super::{Item, Made, Resources, pages, refusal, send, with_id};

/// The prefixes of a VPC and of a subnet.
const VPC_PREFIX: u8 = 56;
const SUBNET_PREFIX: u8 = 64;

/// The IPv6 addresses of a VPC that are associated with it, in the form in which parts of them are compared.
pub(super) fn addresses(vpc: &Vpc) -> Option<String> {
    let mut blocks = vpc.ipv6_cidr_block_association_set().iter().filter(|one| {
        let state = one.ipv6_cidr_block_state().and_then(|state| state.state());
        state == Some(&VpcCidrBlockStateCode::Associated)
    });
    let net: Ipv6Net = blocks.find_map(|one| one.ipv6_cidr_block()?.parse().ok())?;
    Some(net.trunc().to_string())
}

/// The IPv6 addresses of a subnet as the graph has them: those of its VPC, and the number of its part of them.
pub(super) fn part(subnet: &Subnet) -> Option<Value> {
    let mut blocks = subnet.ipv6_cidr_block_association_set().iter();
    let net: Ipv6Net = blocks.find_map(|one| one.ipv6_cidr_block()?.parse().ok())?;
    let block = Ipv6Net::new(net.network(), VPC_PREFIX).ok()?.trunc();
    let index = (u128::from(net.network()) - u128::from(block.network())) >> (128 - SUBNET_PREFIX);
    Some(json!({ "block": block.to_string(), "index": u8::try_from(index).ok()? }))
}

/// The IPv6 addresses of a subnet that is to be created.
pub(super) fn of_subnet(wanted: &Wanted) -> Option<String> {
    let given = wanted.inputs.get("ipv6")?;
    let block: Ipv6Net = given["block"].as_str()?.parse().ok()?;
    let index = usize::try_from(given["index"].as_u64()?).ok()?;
    block.subnets(SUBNET_PREFIX).ok()?.nth(index).map(|net| net.to_string())
}

/// The addresses that AWS gives to a new VPC.
pub(super) async fn of_vpc(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let vpc = wanted.text("vpc");
    let request = cx.ec2().await?.describe_vpcs().vpc_ids(vpc);
    let found = send!(cx, "ec2:DescribeVpcs", request)?;
    let item = |found: &Vpc| {
        let cidr = addresses(found);
        let state = if cidr.is_some() { State::Ready } else { State::Pending("associating".to_owned()) };
        Item::new("given-ipv6", json!({ "vpc": vpc, "cidr": cidr })).in_state(state)
    };
    Ok(found.vpcs().iter().map(item).collect())
}

/// AWS shows the VPC after a while.
pub(super) async fn await_vpc(_: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let message = format!("AWS does not show the VPC {} yet", wanted.text("vpc"));
    Err(Failure::Unknown(refusal("", message)))
}

pub(super) async fn gateways(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.ec2().await?.describe_egress_only_internet_gateways();
    // The call has no filter for ids, and answers with those of the account that exist.
    let request = match &cx.only {
        Some(_) => request,
        None => request.filters(cx.mine("")),
    };
    let found: Vec<EgressOnlyInternetGateway> =
        pages!(cx, "ec2:DescribeEgressOnlyInternetGateways", request)?;
    let item = |gateway: &EgressOnlyInternetGateway| {
        let vpc = gateway.attachments().first().and_then(|one| one.vpc_id());
        let id = gateway.egress_only_internet_gateway_id();
        Item::new("egress-gateway", json!({ "id": id, "vpc": vpc, "tags": tags(gateway.tags()) }))
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_gateway(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.ec2_once().await?.create_egress_only_internet_gateway().client_token(&wanted.token);
    let request = request.vpc_id(wanted.text("vpc")).tag_specifications(tagged(
        wanted,
        "tags",
        ResourceType::EgressOnlyInternetGateway,
    ));
    let made = send!(cx, "ec2:CreateEgressOnlyInternetGateway", request)?;
    let gateway = made.egress_only_internet_gateway();
    Ok(with_id(gateway.and_then(|gateway| gateway.egress_only_internet_gateway_id())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use aws_sdk_ec2::types::SubnetIpv6CidrBlockAssociation;

    use super::*;

    #[test]
    fn the_part_of_a_subnet_is_read_as_it_was_given() {
        for index in [0_u8, 5, 255] {
            let given = json!({ "block": "2600:1f18:0:ab00::/56", "index": index });
            let inputs = Properties::from_iter([("ipv6".to_owned(), given.clone())]);
            let wanted = Wanted {
                name: String::new(),
                kind: "subnet",
                inputs,
                token: String::new(),
                noted: None,
                begun: false,
                given: BTreeSet::new(),
            };
            let cidr = of_subnet(&wanted).unwrap_or_default();
            let block = SubnetIpv6CidrBlockAssociation::builder().ipv6_cidr_block(&cidr).build();
            let subnet = Subnet::builder().ipv6_cidr_block_association_set(block).build();
            assert_eq!(part(&subnet), Some(given), "{cidr}");
        }
        assert_eq!(part(&Subnet::builder().build()), None);
    }
}
