//! What holds parts of a network: interfaces, rules of groups, subnets, load balancers.

use aws_sdk_ec2::types::{
    Address, GroupIdentifier, InternetGateway, InternetGatewayAttachment, IpPermission, NetworkInterface,
    NetworkInterfaceAttachment, RouteTable, RouteTableAssociation, SecurityGroup, UserIdGroupPair, Vpc,
};
use aws_sdk_elasticloadbalancingv2::types::TargetGroup;
use futures::join;
use landfall_diagnostics::shortened;
use landfall_platform::removal::Holder;

use super::{Held, by_way, holder, listed, named, named_in, pairs};
use crate::removal::{AwsRemoval, vpc_holders};

fn of_interface(removal: &AwsRemoval<'_>, interface: &NetworkInterface) -> Holder {
    let id = interface.network_interface_id().unwrap_or_default();
    let instance = interface.attachment().and_then(NetworkInterfaceAttachment::instance_id);
    let description = interface.description().unwrap_or_default();
    let user = match (instance, description) {
        (Some(instance), _) => format!(" of instance {instance}"),
        (None, "") => String::new(),
        (None, description) => format!(" of {}", shortened(description)),
    };
    // An interface of a machine is whose the machine is, whatever network it is in.
    let names = instance.map_or_else(|| vec![id, description], |instance| vec![instance]);
    holder(removal, &format!("network interface {id}{user}"), &names, interface.tag_set())
}

/// Interfaces in security groups, and the rules of other groups that name them.
pub(super) async fn of_groups(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let (interfaces, ingress, egress) = join!(
        Box::pin(listed::<NetworkInterface>(removal, "group-id", ids)),
        Box::pin(listed::<SecurityGroup>(removal, "ip-permission.group-id", ids)),
        Box::pin(listed::<SecurityGroup>(removal, "egress.ip-permission.group-id", ids)),
    );
    let mut held = pairs(&interfaces, groups_of, |one| of_interface(removal, one));
    held.extend(pairs(ingress.iter().chain(&egress), named_by, |group| {
        let (id, name) = (group.group_id().unwrap_or_default(), group.group_name().unwrap_or_default());
        holder(removal, &format!("a rule of security group {id} ({})", shortened(name)), &[id], group.tags())
    }));
    held
}

/// The security groups of an interface.
pub(super) fn groups_of(interface: &NetworkInterface) -> Vec<&str> {
    interface.groups().iter().filter_map(GroupIdentifier::group_id).collect()
}

/// The other groups that a group's rules name.
fn named_by(group: &SecurityGroup) -> Vec<&str> {
    let rules = group.ip_permissions().iter().chain(group.ip_permissions_egress());
    let ids = rules.flat_map(IpPermission::user_id_group_pairs).filter_map(UserIdGroupPair::group_id);
    ids.filter(|id| group.group_id() != Some(*id)).collect()
}

/// Interfaces in subnets.
pub(super) async fn of_subnets(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = Box::pin(listed::<NetworkInterface>(removal, "subnet-id", ids)).await;
    pairs(&found, NetworkInterface::subnet_id, |one| of_interface(removal, one))
}

/// Everything in VPCs, or that leads out of them.
pub(super) async fn of_vpcs(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let (interfaces, parts) = join!(
        Box::pin(listed::<NetworkInterface>(removal, "vpc-id", ids)),
        Box::pin(vpc_holders::parts(removal, ids))
    );
    let mut held = pairs(&interfaces, NetworkInterface::vpc_id, |one| of_interface(removal, one));
    held.extend(parts);
    held
}

/// What uses network interfaces.
pub(super) async fn of_interfaces(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = Box::pin(listed::<NetworkInterface>(removal, "network-interface-id", ids)).await;
    let used = |one: &NetworkInterface| Some((one.network_interface_id()?.to_owned(), user(removal, one)?));
    found.iter().filter_map(used).collect()
}

/// What uses an interface, if anything does.
fn user(removal: &AwsRemoval<'_>, interface: &NetworkInterface) -> Option<Holder> {
    let attachment = interface.attachment()?;
    if let Some(instance) = attachment.instance_id() {
        return Some(named(removal, "instance", Some(instance), &[]));
    }
    let what = interface.description().filter(|text| !text.is_empty())?;
    let service = interface.requester_id().unwrap_or("an AWS service");
    let told = format!("{} for {}", shortened(service), shortened(what));
    Some(holder(removal, &told, &[what], &[]))
}

/// What leads to the internet through gateways.
pub(super) async fn of_gateways(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = listed::<InternetGateway>(removal, "internet-gateway-id", ids).await;
    let mut ways = Vec::new();
    for gateway in &found {
        let id = gateway.internet_gateway_id().unwrap_or_default();
        let vpcs = gateway.attachments().iter().filter_map(InternetGatewayAttachment::vpc_id);
        ways.extend(vpcs.map(|vpc| (vpc.to_owned(), id.to_owned())));
    }
    if ways.is_empty() {
        return Held::new();
    }
    let vpcs: Vec<&str> = ways.iter().map(|(vpc, _)| vpc.as_str()).collect();
    let found = Box::pin(listed::<NetworkInterface>(removal, "vpc-id", &vpcs)).await;
    let public = found.iter().filter(|interface| interface.association().is_some());
    by_way(&pairs(public, NetworkInterface::vpc_id, |one| of_interface(removal, one)), &ways)
}

/// Interfaces that have elastic addresses.
pub(super) async fn of_addresses(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = listed::<Address>(removal, "allocation-id", ids).await;
    let way = |one: &Address| Some((one.network_interface_id()?.to_owned(), one.allocation_id()?.to_owned()));
    let ways: Vec<(String, String)> =
        found.iter().filter_map(way).filter(|(interface, _)| !interface.is_empty()).collect();
    if ways.is_empty() {
        return Held::new();
    }
    let interfaces_of: Vec<&str> = ways.iter().map(|(interface, _)| interface.as_str()).collect();
    let found = Box::pin(listed::<NetworkInterface>(removal, "network-interface-id", &interfaces_of)).await;
    by_way(&pairs(&found, NetworkInterface::network_interface_id, |one| of_interface(removal, one)), &ways)
}

/// Subnets that use route tables.
pub(super) async fn of_tables(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = listed::<RouteTable>(removal, "route-table-id", ids).await;
    named_in(removal, "subnet", &found, RouteTable::route_table_id, |table| {
        table.associations().iter().filter_map(RouteTableAssociation::subnet_id)
    })
}

/// VPCs that use DHCP options.
pub(super) async fn of_options(removal: &AwsRemoval<'_>, ids: &[&str]) -> Held {
    let found = listed::<Vpc>(removal, "dhcp-options-id", ids).await;
    pairs(&found, Vpc::dhcp_options_id, |vpc| named(removal, "VPC", vpc.vpc_id(), vpc.tags()))
}

/// Load balancers that send traffic to target groups, of all that there are: a list of some would be refused
/// as soon as one of them is gone.
pub(super) async fn of_target_groups(removal: &AwsRemoval<'_>) -> Held {
    let Ok(client) = removal.session.elbv2().await else {
        return Held::new();
    };
    let request = client.describe_target_groups().into_paginator().items().send();
    let found: Vec<TargetGroup> = Box::pin(request.try_collect()).await.unwrap_or_default();
    named_in(removal, "load balancer", &found, TargetGroup::target_group_arn, |group| {
        group.load_balancer_arns().iter().map(String::as_str)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_holds_those_that_its_rules_name_but_not_itself() {
        let rule = |ids: &[&str]| {
            let pairs = ids.iter().map(|id| UserIdGroupPair::builder().group_id(*id).build());
            IpPermission::builder().set_user_id_group_pairs(Some(pairs.collect())).build()
        };
        let group = SecurityGroup::builder()
            .group_id("sg-1")
            .ip_permissions(rule(&["sg-1", "sg-2"]))
            .ip_permissions_egress(rule(&["sg-3"]))
            .build();
        assert_eq!(named_by(&group), ["sg-2", "sg-3"]);
        assert!(named_by(&SecurityGroup::builder().build()).is_empty());
    }
}
