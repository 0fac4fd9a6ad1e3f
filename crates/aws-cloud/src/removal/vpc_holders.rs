//! What still stands in VPCs, or leads out of them.

use aws_sdk_ec2::types::{
    CarrierGateway, CarrierGatewayState, EgressOnlyInternetGateway, InternetGateway,
    InternetGatewayAttachment, NatGateway, NatGatewayState, NetworkAcl, RouteTable, RouteTableAssociation,
    SecurityGroup, State, Subnet, TransitGatewayAttachmentState, TransitGatewayVpcAttachment, VpcAttachment,
    VpcEndpoint, VpcPeeringConnection, VpcPeeringConnectionStateReason, VpcPeeringConnectionStateReasonCode,
    VpcPeeringConnectionVpcInfo, VpnGateway,
};
use futures::join;
use landfall_diagnostics::shortened;

use super::AwsRemoval;
use super::holders::{Held, holder, listed, named, pairs};
use crate::gather::filter;

/// States in which something is only listed any more.
const OVER: &[&str] = &["deleted", "expired", "failed", "rejected"];

/// Collects a list of EC2; nothing where it cannot be had.
macro_rules! list {
    ($removal:expr, $type:ty, $ec2:ident => $request:expr) => {{
        let found: Vec<$type> = match $removal.session.ec2().await {
            Ok($ec2) => {
                let request = $request;
                let found = Box::pin(request.into_paginator().items().send().try_collect()).await;
                found.unwrap_or_default()
            }
            Err(_) => Vec::new(),
        };
        found
    }};
}

/// Everything of VPCs but their network interfaces.
pub(super) async fn parts(removal: &AwsRemoval<'_>, vpcs: &[&str]) -> Held {
    let (inside, gateways, peers, transit, vpn) = join!(
        Box::pin(inside(removal, vpcs)),
        Box::pin(gateways(removal, vpcs)),
        Box::pin(peers(removal, vpcs)),
        Box::pin(transit(removal, vpcs)),
        Box::pin(vpn(removal, vpcs)),
    );
    [inside, gateways, peers, transit, vpn].concat()
}

/// Whether something is there, by its state.
fn is_there(state: Option<&str>) -> bool {
    !state.is_some_and(|state| OVER.iter().any(|over| state.eq_ignore_ascii_case(over)))
}

/// Subnets, endpoints, groups, tables and access lists; those that go with their VPC hold nothing.
async fn inside(removal: &AwsRemoval<'_>, vpcs: &[&str]) -> Held {
    let wanted = filter("vpc-id", vpcs.iter().copied());
    let subnets = listed::<Subnet>(removal, "vpc-id", vpcs).await;
    let endpoints = listed::<VpcEndpoint>(removal, "vpc-id", vpcs).await;
    let groups = listed::<SecurityGroup>(removal, "vpc-id", vpcs).await;
    let tables = listed::<RouteTable>(removal, "vpc-id", vpcs).await;
    let lists = list!(removal, NetworkAcl, ec2 => ec2.describe_network_acls().filters(wanted));
    let mut held =
        pairs(&subnets, Subnet::vpc_id, |one| named(removal, "subnet", one.subnet_id(), one.tags()));
    let endpoints = endpoints.iter().filter(|one| is_there(one.state().map(State::as_str)));
    held.extend(pairs(endpoints, VpcEndpoint::vpc_id, |one| {
        named(removal, "VPC endpoint", one.vpc_endpoint_id(), one.tags())
    }));
    let groups = groups.iter().filter(|group| group.group_name() != Some("default"));
    held.extend(pairs(groups, SecurityGroup::vpc_id, |group| {
        let (id, name) = (group.group_id().unwrap_or_default(), group.group_name().unwrap_or_default());
        holder(removal, &format!("security group {id} ({})", shortened(name)), &[id], group.tags())
    }));
    let is_main = |one: &RouteTableAssociation| one.main() == Some(true);
    let tables = tables.iter().filter(|table| !table.associations().iter().any(is_main));
    held.extend(pairs(tables, RouteTable::vpc_id, |table| {
        named(removal, "route table", table.route_table_id(), table.tags())
    }));
    let lists = lists.iter().filter(|list| list.is_default() != Some(true));
    held.extend(pairs(lists, NetworkAcl::vpc_id, |list| {
        named(removal, "network ACL", list.network_acl_id(), list.tags())
    }));
    held
}

/// Gateways of all sorts.
async fn gateways(removal: &AwsRemoval<'_>, vpcs: &[&str]) -> Held {
    let nat = listed::<NatGateway>(removal, "vpc-id", vpcs).await;
    let carrier = listed::<CarrierGateway>(removal, "vpc-id", vpcs).await;
    let internet = listed::<InternetGateway>(removal, "attachment.vpc-id", vpcs).await;
    // These have no filter for their VPC.
    let egress = list!(removal, EgressOnlyInternetGateway, ec2 =>
        ec2.describe_egress_only_internet_gateways());
    let nat = nat.iter().filter(|one| is_there(one.state().map(NatGatewayState::as_str)));
    let mut held =
        pairs(nat, NatGateway::vpc_id, |one| named(removal, "NAT gateway", one.nat_gateway_id(), one.tags()));
    let carrier = carrier.iter().filter(|one| is_there(one.state().map(CarrierGatewayState::as_str)));
    held.extend(pairs(carrier, CarrierGateway::vpc_id, |one| {
        named(removal, "carrier gateway", one.carrier_gateway_id(), one.tags())
    }));
    held.extend(pairs(
        &internet,
        |one| one.attachments().iter().filter_map(InternetGatewayAttachment::vpc_id),
        |one| named(removal, "internet gateway", one.internet_gateway_id(), one.tags()),
    ));
    held.extend(pairs(
        &egress,
        |one| one.attachments().iter().filter_map(InternetGatewayAttachment::vpc_id),
        |one| {
            let id = one.egress_only_internet_gateway_id();
            named(removal, "egress-only internet gateway", id, one.tags())
        },
    ));
    held
}

/// Connections to other VPCs, whoever asked for them.
async fn peers(removal: &AwsRemoval<'_>, vpcs: &[&str]) -> Held {
    let mut found = Vec::new();
    for name in ["accepter-vpc-info.vpc-id", "requester-vpc-info.vpc-id"] {
        found.extend(listed::<VpcPeeringConnection>(removal, name, vpcs).await);
    }
    pairs(found.iter().filter(|one| is_peering(one)), ends, |one| {
        named(removal, "VPC peering connection", one.vpc_peering_connection_id(), one.tags())
    })
}

fn is_peering(connection: &VpcPeeringConnection) -> bool {
    let code = connection.status().and_then(VpcPeeringConnectionStateReason::code);
    is_there(code.map(VpcPeeringConnectionStateReasonCode::as_str))
}

/// The VPCs that a connection is between.
fn ends(connection: &VpcPeeringConnection) -> Vec<&str> {
    let ends = [connection.accepter_vpc_info(), connection.requester_vpc_info()];
    ends.into_iter().flatten().filter_map(VpcPeeringConnectionVpcInfo::vpc_id).collect()
}

/// Attachments to transit gateways.
async fn transit(removal: &AwsRemoval<'_>, vpcs: &[&str]) -> Held {
    let wanted = filter("vpc-id", vpcs.iter().copied());
    let found = list!(removal, TransitGatewayVpcAttachment, ec2 =>
        ec2.describe_transit_gateway_vpc_attachments().filters(wanted));
    let there = found.iter().filter(|one| is_there(one.state().map(TransitGatewayAttachmentState::as_str)));
    pairs(there, TransitGatewayVpcAttachment::vpc_id, |one| {
        let gateway = one.transit_gateway_id().unwrap_or_default();
        let sort = format!("attachment to the transit gateway {gateway},");
        named(removal, &sort, one.transit_gateway_attachment_id(), one.tags())
    })
}

/// Gateways of VPNs.
async fn vpn(removal: &AwsRemoval<'_>, vpcs: &[&str]) -> Held {
    let Ok(ec2) = removal.session.ec2().await else {
        return Held::new();
    };
    let request = ec2.describe_vpn_gateways().filters(filter("attachment.vpc-id", vpcs.iter().copied()));
    let Ok(answer) = Box::pin(request.send()).await else {
        return Held::new();
    };
    pairs(answer.vpn_gateways(), vpcs_of, |one| {
        named(removal, "VPN gateway", one.vpn_gateway_id(), one.tags())
    })
}

/// The VPCs that a VPN gateway is attached to; it also lists attachments that are over.
fn vpcs_of(gateway: &VpnGateway) -> Vec<&str> {
    let attachments = gateway.vpc_attachments().iter();
    let attached = attachments.filter(|one| one.state().is_none_or(|state| state.as_str() != "detached"));
    attached.filter_map(VpcAttachment::vpc_id).collect()
}

#[cfg(test)]
mod tests {
    use aws_sdk_ec2::types::AttachmentStatus;

    use super::*;

    #[test]
    fn what_is_only_listed_holds_nothing() {
        assert!(is_there(None) && is_there(Some("available")) && is_there(Some("Deleting")));
        assert!(!is_there(Some("deleted")) && !is_there(Some("Rejected")));
    }

    #[test]
    fn a_connection_holds_both_of_its_vpcs() {
        let end = |vpc: &str| VpcPeeringConnectionVpcInfo::builder().vpc_id(vpc).build();
        let connection = |code: VpcPeeringConnectionStateReasonCode| {
            let status = VpcPeeringConnectionStateReason::builder().code(code).build();
            let both = VpcPeeringConnection::builder().accepter_vpc_info(end("vpc-1"));
            both.requester_vpc_info(end("vpc-2")).status(status).build()
        };
        let active = connection(VpcPeeringConnectionStateReasonCode::Active);
        assert_eq!(ends(&active), ["vpc-1", "vpc-2"]);
        assert!(is_peering(&active));
        assert!(!is_peering(&connection(VpcPeeringConnectionStateReasonCode::Deleted)));
    }

    #[test]
    fn a_vpn_gateway_holds_what_it_is_attached_to() {
        let to =
            |vpc: &str, state: AttachmentStatus| VpcAttachment::builder().vpc_id(vpc).state(state).build();
        let gateway = VpnGateway::builder()
            .vpc_attachments(to("vpc-1", AttachmentStatus::Detached))
            .vpc_attachments(to("vpc-2", AttachmentStatus::Attached))
            .build();
        assert_eq!(vpcs_of(&gateway), ["vpc-2"]);
    }
}
