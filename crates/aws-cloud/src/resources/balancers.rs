//! Load balancers, target groups, listeners and targets.

use aws_sdk_elasticloadbalancingv2::types::{
    Action, ActionTypeEnum, IpAddressType, LoadBalancer, LoadBalancerAttribute, LoadBalancerSchemeEnum,
    LoadBalancerStateEnum, LoadBalancerTypeEnum, ProtocolEnum, SubnetMapping, Tag, TagDescription,
    TargetDescription, TargetGroup, TargetGroupIpAddressTypeEnum, TargetTypeEnum,
};
use landfall_platform::native::{Properties, State, Wanted};
use serde_json::{Map, Value, json};

use super::super::fault::Sort;
use super::{Item, Made, Resources, is_true, number, once, pages, pairs, send, with_id};

const CROSS_ZONE: &str = "load_balancing.cross_zone.enabled";
/// The most resources whose tags are given with one call.
const MOST_TAGS: usize = 20;

impl Resources<'_> {
    pub(super) async fn elb(&self) -> Made<&aws_sdk_elasticloadbalancingv2::Client> {
        self.session.elbv2().await.map_err(|why| Self::unready(&why))
    }

    /// The client for calls that create something.
    async fn elb_once(&self) -> Made<aws_sdk_elasticloadbalancingv2::Client> {
        Ok(once!(aws_sdk_elasticloadbalancingv2, self.elb().await?))
    }

    /// Whether a name begins with the infrastructure id.
    fn is_named(&self, name: Option<&str>) -> bool {
        name.and_then(|name| name.strip_prefix(self.infra_id)).is_some_and(|end| end.starts_with('-'))
    }

    /// The tags of resources, by their ARNs.
    async fn tags_of(&self, arns: &[String]) -> Made<Map<String, Value>> {
        let mut all = Map::new();
        for some in arns.chunks(MOST_TAGS) {
            let request = self.elb().await?.describe_tags().set_resource_arns(Some(some.to_vec()));
            let found = send!(self, "elasticloadbalancing:DescribeTags", request)?;
            for one in found.tag_descriptions() {
                let pair =
                    |tag: &Tag| Some((tag.key()?.to_owned(), Value::from(tag.value().unwrap_or_default())));
                let tags = TagDescription::tags(one).iter().filter_map(pair).collect();
                all.insert(one.resource_arn().unwrap_or_default().to_owned(), Value::Object(tags));
            }
        }
        Ok(all)
    }
}

pub(super) fn tags(wanted: &Wanted) -> Vec<Tag> {
    let tags = pairs(wanted, "tags").into_iter();
    tags.map(|(key, value)| Tag::builder().key(key).value(value).build()).collect()
}

fn outputs(balancer: &LoadBalancer) -> Properties {
    let mut outputs = with_id(balancer.load_balancer_arn());
    outputs.insert("dnsName".to_owned(), json!(balancer.dns_name()));
    outputs.insert("zone".to_owned(), json!(balancer.canonical_hosted_zone_id()));
    outputs
}

/// How far a load balancer is.
fn state(balancer: &LoadBalancer) -> State {
    let state = balancer.state();
    match state.and_then(|state| state.code()) {
        Some(LoadBalancerStateEnum::Active | LoadBalancerStateEnum::ActiveImpaired) => State::Ready,
        Some(LoadBalancerStateEnum::Failed) => {
            State::Broken(state.and_then(|state| state.reason()).unwrap_or("failed").to_owned())
        }
        other => State::Pending(other.map_or("provisioning", |code| code.as_str()).to_owned()),
    }
}

pub(super) async fn balancers(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let elb = cx.elb().await?;
    let found: Vec<LoadBalancer> =
        pages!(cx, "elasticloadbalancing:DescribeLoadBalancers", elb.describe_load_balancers())?;
    let found: Vec<_> = found.into_iter().filter(|one| cx.is_named(one.load_balancer_name())).collect();
    // Tags say whose a load balancer is. Attributes are compared, which can wait until it is ready.
    let arns: Vec<String> =
        found.iter().filter_map(|one| one.load_balancer_arn().map(str::to_owned)).collect();
    let tags = cx.tags_of(&arns).await?;
    let mut items = Vec::new();
    for balancer in found {
        let arn = balancer.load_balancer_arn().unwrap_or_default();
        let state = state(&balancer);
        if matches!(state, State::Pending(_)) {
            let mut known = outputs(&balancer);
            known.insert("name".to_owned(), json!(balancer.load_balancer_name()));
            known.insert("tags".to_owned(), json!(tags.get(arn)));
            items.push(Item::new("load-balancer", known.into()).in_state(state));
            continue;
        }
        let request = elb.describe_load_balancer_attributes().load_balancer_arn(arn);
        let attributes = send!(cx, "elasticloadbalancing:DescribeLoadBalancerAttributes", request)?;
        let cross_zone = attributes.attributes().iter().find(|one| one.key() == Some(CROSS_ZONE));
        let subnets = balancer.availability_zones().iter().filter_map(|zone| zone.subnet_id());
        let mut known = json!({
            "name": balancer.load_balancer_name(),
            "internal": balancer.scheme() == Some(&LoadBalancerSchemeEnum::Internal),
            "subnets": subnets.collect::<Vec<&str>>(),
            "securityGroups": balancer.security_groups(),
            "addressType": balancer.ip_address_type().map(IpAddressType::as_str),
            "crossZone": cross_zone.and_then(|one| one.value()) == Some("true"),
            "tags": tags.get(arn),
        });
        if let Value::Object(known) = &mut known {
            known.extend(outputs(&balancer));
        }
        items.push(Item::new("load-balancer", known).in_state(state));
    }
    Ok(items)
}

pub(super) async fn create_balancer(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let scheme = if is_true(wanted, "internal") {
        LoadBalancerSchemeEnum::Internal
    } else {
        LoadBalancerSchemeEnum::InternetFacing
    };
    let request = cx.elb_once().await?.create_load_balancer().name(wanted.text("name"));
    let subnets = wanted.texts("subnets");
    let (addresses, private) = (wanted.texts("addresses"), wanted.texts("privateAddresses"));
    let request = if addresses.is_empty() && private.is_empty() {
        request.set_subnets(Some(subnets))
    } else {
        let mapping = |(i, subnet): (usize, String)| {
            let (address, private) = (addresses.get(i).cloned(), private.get(i).cloned());
            let mapping = SubnetMapping::builder().subnet_id(subnet);
            mapping.set_allocation_id(address).set_private_ipv4_address(private).build()
        };
        request.set_subnet_mappings(Some(subnets.into_iter().enumerate().map(mapping).collect()))
    };
    let address_type = wanted.inputs.get("addressType").and_then(Value::as_str).map(IpAddressType::from);
    let request = request
        .r#type(LoadBalancerTypeEnum::Network)
        .set_ip_address_type(address_type)
        .scheme(scheme)
        .set_security_groups(Some(wanted.texts("securityGroups")).filter(|groups| !groups.is_empty()))
        .set_tags(Some(tags(wanted)));
    let made = send!(cx, "elasticloadbalancing:CreateLoadBalancer", request)?;
    Ok(made.load_balancers().first().map(outputs).unwrap_or_default())
}

pub(super) async fn complete_balancer(cx: &Resources<'_>, _: &Wanted, outputs: &Properties) -> Made<()> {
    let arn = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    let cross_zone = LoadBalancerAttribute::builder().key(CROSS_ZONE).value("true").build();
    let request = cx.elb().await?.modify_load_balancer_attributes().load_balancer_arn(arn);
    send!(cx, "elasticloadbalancing:ModifyLoadBalancerAttributes", request.attributes(cross_zone))?;
    Ok(())
}

pub(super) async fn target_groups(cx: &Resources<'_>, _: &Wanted) -> Made<Vec<Item>> {
    let request = cx.elb().await?.describe_target_groups();
    let found: Vec<TargetGroup> = pages!(cx, "elasticloadbalancing:DescribeTargetGroups", request)?;
    let found: Vec<_> = found.into_iter().filter(|one| cx.is_named(one.target_group_name())).collect();
    let arns: Vec<String> =
        found.iter().filter_map(|one| one.target_group_arn().map(str::to_owned)).collect();
    let tags = cx.tags_of(&arns).await?;
    let item = |group: &TargetGroup| {
        let arn = group.target_group_arn().unwrap_or_default();
        let known = json!({
            "id": arn,
            "name": group.target_group_name(),
            "vpc": group.vpc_id(),
            "port": group.port(),
            "healthPath": group.health_check_path(),
            "addressType": group.ip_address_type().map(TargetGroupIpAddressTypeEnum::as_str),
            "tags": tags.get(arn),
        });
        Item::new("target-group", known)
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_target_group(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let port = number(wanted, "port");
    let request = cx.elb_once().await?.create_target_group().name(wanted.text("name"));
    let address_type = wanted.inputs.get("addressType").and_then(Value::as_str);
    let request = request
        .vpc_id(wanted.text("vpc"))
        .set_ip_address_type(address_type.map(TargetGroupIpAddressTypeEnum::from))
        .protocol(ProtocolEnum::Tcp)
        .set_port(port)
        .target_type(TargetTypeEnum::Ip)
        .health_check_enabled(true)
        .health_check_protocol(ProtocolEnum::Https)
        .set_health_check_port(port.map(|port| port.to_string()))
        .health_check_path(wanted.text("healthPath"))
        .health_check_interval_seconds(10)
        .healthy_threshold_count(2)
        .unhealthy_threshold_count(2)
        .set_tags(Some(tags(wanted)));
    let made = send!(cx, "elasticloadbalancing:CreateTargetGroup", request)?;
    Ok(with_id(made.target_groups().first().and_then(|group| group.target_group_arn())))
}

pub(super) async fn listeners(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let balancer = wanted.text("balancer");
    let request = cx.elb().await?.describe_listeners().load_balancer_arn(balancer);
    let found: Vec<aws_sdk_elasticloadbalancingv2::types::Listener> =
        pages!(cx, "elasticloadbalancing:DescribeListeners", request)?;
    let item = |listener: &aws_sdk_elasticloadbalancingv2::types::Listener| {
        let target = listener.default_actions().first().and_then(|action| action.target_group_arn());
        let known = json!({
            "id": listener.listener_arn(),
            "balancer": balancer,
            "port": listener.port(),
            "targetGroup": target,
        });
        Item::new("listener", known)
    };
    Ok(found.iter().map(item).collect())
}

pub(super) async fn create_listener(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let forward = Action::builder()
        .r#type(ActionTypeEnum::Forward)
        .order(1)
        .target_group_arn(wanted.text("targetGroup"))
        .build();
    let request = cx.elb_once().await?.create_listener().load_balancer_arn(wanted.text("balancer"));
    let request =
        request.protocol(ProtocolEnum::Tcp).set_port(number(wanted, "port")).default_actions(forward);
    let made = send!(cx, "elasticloadbalancing:CreateListener", request)?;
    Ok(with_id(made.listeners().first().and_then(|listener| listener.listener_arn())))
}

pub(super) async fn targets(cx: &Resources<'_>, wanted: &Wanted) -> Made<Vec<Item>> {
    let group = wanted.text("group");
    let request = cx.elb().await?.describe_target_health().target_group_arn(group);
    let found = send!(cx, "elasticloadbalancing:DescribeTargetHealth", request)?;
    let ids = found.target_health_descriptions().iter().filter_map(|one| one.target()?.id());
    let known = json!({ "group": group, "addresses": ids.collect::<Vec<&str>>() });
    Ok(vec![Item::new("targets", known)])
}

fn described(properties: &Properties) -> Vec<TargetDescription> {
    let addresses = properties.get("addresses").and_then(Value::as_array).into_iter().flatten();
    let addresses = addresses.filter_map(Value::as_str);
    addresses.map(|address| TargetDescription::builder().id(address).build()).collect()
}

pub(super) async fn register(cx: &Resources<'_>, wanted: &Wanted) -> Made<Properties> {
    let request = cx.elb().await?.register_targets().target_group_arn(wanted.text("group"));
    send!(cx, "elasticloadbalancing:RegisterTargets", request.set_targets(Some(described(&wanted.inputs))))?;
    // What a machine that goes is taken out of its groups with.
    Ok(wanted.inputs.clone())
}

/// Takes targets out of their group.
pub(super) async fn release(cx: &Resources<'_>, kind: &str, outputs: &Properties) -> Made<()> {
    if kind != "targets" {
        return Ok(());
    }
    let group = outputs.get("group").and_then(Value::as_str).unwrap_or_default();
    let request = cx.elb().await?.deregister_targets().target_group_arn(group);
    let request = request.set_targets(Some(described(outputs)));
    let answer = cx.session.answer("elasticloadbalancing:DeregisterTargets", request.send()).await;
    match answer {
        // They are not in the group, or the group is gone.
        Err(fault) if fault.sort != Sort::NotFound && !fault.is("InvalidTarget") => {
            Err(super::failure(&fault))
        }
        _ => Ok(()),
    }
}
