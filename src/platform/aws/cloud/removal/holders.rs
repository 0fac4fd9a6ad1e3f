//! What holds a thing that does not go. Nobody needs to know it for anything else, so a question that fails
//! is a question less.

use std::collections::BTreeSet;

use aws_sdk_ec2::types::{
    Address, Filter, Image, Instance, InstanceState, InstanceStateName, InternetGateway,
    InternetGatewayAttachment, NetworkInterface, NetworkInterfaceAttachment, Reservation, RouteTable,
    RouteTableAssociation, SecurityGroup, Subnet, Tag, Volume, VolumeAttachment, Vpc, VpcEndpoint,
};
use aws_sdk_elasticloadbalancingv2::types::TargetGroup;
use aws_sdk_iam::types::{PolicyGroup, PolicyRole, PolicyUser};
use futures::join;

use super::arn::Arn;
use super::{AwsRemoval, kinds};
use crate::finding::shortened;
use crate::platform::aws::cloud::gather::filter;
use crate::platform::removal::{Holder, Thing};

/// The most holders that are named.
const MOST: usize = 20;

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

/// What holds a thing; empty where nobody knows.
pub(super) async fn holders(removal: &AwsRemoval<'_>, thing: &Thing) -> Vec<Holder> {
    let id = Arn::parse(&thing.id).map_or(thing.id.as_str(), |arn| arn.name());
    let mut found = Box::pin(of_kind(removal, thing, id)).await;
    let mut seen = BTreeSet::new();
    found.retain(|holder| seen.insert(holder.what.clone()));
    // What the user must look after comes first.
    found.sort_by_key(|holder| holder.own);
    found.truncate(MOST);
    found
}

async fn of_kind(removal: &AwsRemoval<'_>, thing: &Thing, id: &str) -> Vec<Holder> {
    let kind = thing.kind;
    if *kind == kinds::SECURITY_GROUP {
        let (mut found, rules) =
            join!(Box::pin(interfaces(removal, "group-id", id)), Box::pin(groups_naming(removal, id)));
        found.extend(rules);
        return found;
    }
    if *kind == kinds::SUBNET {
        return interfaces(removal, "subnet-id", id).await;
    }
    if *kind == kinds::VPC {
        return in_vpc(removal, id).await;
    }
    if *kind == kinds::NETWORK_INTERFACE {
        return users(removal, id).await;
    }
    if *kind == kinds::INTERNET_GATEWAY {
        return public_addresses(removal, id).await;
    }
    let instances = [(&kinds::PLACEMENT_GROUP, "placement-group-name"), (&kinds::DEDICATED_HOST, "host-id")];
    if let Some((_, name)) = instances.into_iter().find(|(of, _)| *of == kind) {
        let value = if *kind == kinds::PLACEMENT_GROUP { thing.name.as_str() } else { id };
        return running(removal, filter(name, [value])).await;
    }
    of_rest(removal, thing, id).await
}

async fn of_rest(removal: &AwsRemoval<'_>, thing: &Thing, id: &str) -> Vec<Holder> {
    let kind = thing.kind;
    if *kind == kinds::VOLUME {
        return attached(removal, id).await;
    }
    if *kind == kinds::ELASTIC_IP {
        return associated(removal, id).await;
    }
    if *kind == kinds::SNAPSHOT {
        return images(removal, id).await;
    }
    if *kind == kinds::ROUTE_TABLE {
        return subnets_of(removal, id).await;
    }
    if *kind == kinds::DHCP_OPTIONS {
        return vpcs_with(removal, id).await;
    }
    if *kind == kinds::TARGET_GROUP {
        return balancers(removal, &thing.id).await;
    }
    if *kind == kinds::ROLE {
        return profiles(removal, id).await;
    }
    if *kind == kinds::POLICY {
        return attachments(removal, &thing.id).await;
    }
    Vec::new()
}

/// A holder: the cluster's own by its tags, or as the last look found it.
fn holder(removal: &AwsRemoval<'_>, what: &str, names: &[&str], tags: &[Tag]) -> Holder {
    let pairs = tags.iter().filter_map(|tag| Some((tag.key()?, tag.value().unwrap_or_default())));
    let tagged = removal.ownership.fate(pairs).is_some();
    let own = tagged || names.iter().any(|name| !name.is_empty() && removal.has_found(name));
    let whose = if own { "" } else { " (not the cluster's)" };
    Holder { what: format!("{what}{whose}"), own }
}

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

async fn interfaces(removal: &AwsRemoval<'_>, name: &str, value: &str) -> Vec<Holder> {
    let wanted = filter(name, [value]);
    let found = list!(removal, NetworkInterface, ec2 => ec2.describe_network_interfaces().filters(wanted));
    found.iter().map(|interface| of_interface(removal, interface)).collect()
}

/// What uses a network interface.
async fn users(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let wanted = filter("network-interface-id", [id]);
    let found = list!(removal, NetworkInterface, ec2 => ec2.describe_network_interfaces().filters(wanted));
    let user = |interface: &NetworkInterface| {
        let attachment = interface.attachment()?;
        if let Some(instance) = attachment.instance_id() {
            return Some(holder(removal, &format!("instance {instance}"), &[instance], &[]));
        }
        let what = interface.description().filter(|text| !text.is_empty())?;
        let service = interface.requester_id().unwrap_or("a service of AWS");
        let told = format!("{} for {}", shortened(service), shortened(what));
        Some(holder(removal, &told, &[what], &[]))
    };
    found.iter().filter_map(user).collect()
}

/// What leads to the internet through a gateway.
async fn public_addresses(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let wanted = filter("internet-gateway-id", [id]);
    let found = list!(removal, InternetGateway, ec2 =>
         ec2.describe_internet_gateways().filters(wanted));
    let attachments = found.iter().flat_map(InternetGateway::attachments);
    let vpcs: Vec<String> =
        attachments.filter_map(InternetGatewayAttachment::vpc_id).map(str::to_owned).collect();
    if vpcs.is_empty() {
        return Vec::new();
    }
    let wanted = filter("vpc-id", vpcs.iter().map(String::as_str));
    let found = list!(removal, NetworkInterface, ec2 => ec2.describe_network_interfaces().filters(wanted));
    let public = found.iter().filter(|interface| interface.association().is_some());
    public.map(|interface| of_interface(removal, interface)).collect()
}

/// Groups with rules that name a group.
async fn groups_naming(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let mut found = Vec::new();
    for name in ["ip-permission.group-id", "egress.ip-permission.group-id"] {
        let wanted: Filter = filter(name, [id]);
        found.extend(list!(removal, SecurityGroup, ec2 => ec2.describe_security_groups().filters(wanted)));
    }
    let naming = found.iter().filter(|group| group.group_id() != Some(id));
    let naming = naming.map(|group| {
        let (id, name) = (group.group_id().unwrap_or_default(), group.group_name().unwrap_or_default());
        holder(removal, &format!("a rule of security group {id} ({})", shortened(name)), &[id], group.tags())
    });
    naming.collect()
}

async fn in_vpc(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let (mut found, rest) = join!(Box::pin(interfaces(removal, "vpc-id", id)), Box::pin(parts(removal, id)));
    found.extend(rest);
    found
}

/// Subnets, endpoints and groups of a VPC.
async fn parts(removal: &AwsRemoval<'_>, vpc: &str) -> Vec<Holder> {
    let wanted = || filter("vpc-id", [vpc]);
    let subnets = list!(removal, Subnet, ec2 => ec2.describe_subnets().filters(wanted()));
    let endpoints = list!(removal, VpcEndpoint, ec2 => ec2.describe_vpc_endpoints().filters(wanted()));
    let groups = list!(removal, SecurityGroup, ec2 => ec2.describe_security_groups().filters(wanted()));
    let mut found = Vec::new();
    for subnet in &subnets {
        let id = subnet.subnet_id().unwrap_or_default();
        found.push(holder(removal, &format!("subnet {id}"), &[id], subnet.tags()));
    }
    for endpoint in &endpoints {
        let id = endpoint.vpc_endpoint_id().unwrap_or_default();
        found.push(holder(removal, &format!("VPC endpoint {id}"), &[id], endpoint.tags()));
    }
    for group in groups.iter().filter(|group| group.group_name() != Some("default")) {
        let (id, name) = (group.group_id().unwrap_or_default(), group.group_name().unwrap_or_default());
        let what = format!("security group {id} ({})", shortened(name));
        found.push(holder(removal, &what, &[id], group.tags()));
    }
    found
}

async fn running(removal: &AwsRemoval<'_>, wanted: Filter) -> Vec<Holder> {
    let found = list!(removal, Reservation, ec2 => ec2.describe_instances().filters(wanted));
    let instances = found.iter().flat_map(Reservation::instances);
    let there = instances
        .filter(|one| one.state().and_then(InstanceState::name) != Some(&InstanceStateName::Terminated));
    let told = |one: &Instance| {
        let id = one.instance_id().unwrap_or_default();
        holder(removal, &format!("instance {id}"), &[id], one.tags())
    };
    there.map(told).collect()
}

async fn attached(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let wanted = filter("volume-id", [id]);
    let found = list!(removal, Volume, ec2 => ec2.describe_volumes().filters(wanted));
    let instances = found.iter().flat_map(Volume::attachments);
    let instances = instances.filter_map(VolumeAttachment::instance_id);
    instances.map(|id| holder(removal, &format!("instance {id}"), &[id], &[])).collect()
}

async fn associated(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let Ok(ec2) = removal.session.ec2().await else {
        return Vec::new();
    };
    let request = ec2.describe_addresses().filters(filter("allocation-id", [id]));
    let Ok(answer) = Box::pin(request.send()).await else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for interface in answer.addresses().iter().filter_map(Address::network_interface_id) {
        found.extend(interfaces(removal, "network-interface-id", interface).await);
    }
    found
}

async fn images(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let wanted = filter("block-device-mapping.snapshot-id", [id]);
    let found = list!(removal, Image, ec2 => ec2.describe_images().owners("self").filters(wanted));
    let told = |image: &Image| {
        let id = image.image_id().unwrap_or_default();
        holder(removal, &format!("image {id}"), &[id], image.tags())
    };
    found.iter().map(told).collect()
}

async fn subnets_of(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let wanted = filter("route-table-id", [id]);
    let found = list!(removal, RouteTable, ec2 => ec2.describe_route_tables().filters(wanted));
    let subnets = found.iter().flat_map(RouteTable::associations);
    let subnets = subnets.filter_map(RouteTableAssociation::subnet_id);
    subnets.map(|id| holder(removal, &format!("subnet {id}"), &[id], &[])).collect()
}

async fn vpcs_with(removal: &AwsRemoval<'_>, id: &str) -> Vec<Holder> {
    let wanted = filter("dhcp-options-id", [id]);
    let found = list!(removal, Vpc, ec2 => ec2.describe_vpcs().filters(wanted));
    let told = |vpc: &Vpc| {
        let id = vpc.vpc_id().unwrap_or_default();
        holder(removal, &format!("VPC {id}"), &[id], vpc.tags())
    };
    found.iter().map(told).collect()
}

/// Load balancers that send traffic to a target group.
async fn balancers(removal: &AwsRemoval<'_>, arn: &str) -> Vec<Holder> {
    let Ok(client) = removal.session.elbv2().await else {
        return Vec::new();
    };
    let Ok(answer) = Box::pin(client.describe_target_groups().target_group_arns(arn).send()).await else {
        return Vec::new();
    };
    let balancers = answer.target_groups().iter().flat_map(TargetGroup::load_balancer_arns);
    balancers.map(|arn| holder(removal, &format!("load balancer {arn}"), &[arn], &[])).collect()
}

/// Instance profiles that hold a role.
async fn profiles(removal: &AwsRemoval<'_>, name: &str) -> Vec<Holder> {
    let Ok(iam) = removal.session.iam().await else {
        return Vec::new();
    };
    let request = iam.list_instance_profiles_for_role().role_name(name);
    let Ok(answer) = Box::pin(request.send()).await else {
        return Vec::new();
    };
    let told = |name: &str, arn: &str| holder(removal, &format!("instance profile {name}"), &[arn], &[]);
    answer.instance_profiles().iter().map(|one| told(one.instance_profile_name(), one.arn())).collect()
}

/// Roles, users and groups that a policy is attached to.
async fn attachments(removal: &AwsRemoval<'_>, arn: &str) -> Vec<Holder> {
    let Ok(iam) = removal.session.iam().await else {
        return Vec::new();
    };
    let Ok(answer) = Box::pin(iam.list_entities_for_policy().policy_arn(arn).send()).await else {
        return Vec::new();
    };
    let roles = answer.policy_roles().iter().filter_map(PolicyRole::role_name).map(|name| ("role", name));
    let users = answer.policy_users().iter().filter_map(PolicyUser::user_name).map(|name| ("user", name));
    let groups =
        answer.policy_groups().iter().filter_map(PolicyGroup::group_name).map(|name| ("group", name));
    let told = |(sort, name): (&str, &str)| holder(removal, &format!("{sort} {name}"), &[], &[]);
    roles.chain(users).chain(groups).map(told).collect()
}
