//! Sets properties of existing resources back to the plan, where AWS has one call for it that replaces nothing, and
//! the permissions to install a cluster include it. Those of release 4.14 lack `ec2:ReplaceRoute`: there a route whose
//! gateway was created again is only named if the call is refused.

use landfall_platform::native::{Existing, Properties, Wanted};
use serde_json::Value;

use super::machines::ROOT_VOLUME;
use super::network::on;
use super::{Made, Resources, balancers, identities, is_true, names, network, send, storage};

/// The kinds whose tags EC2 has.
const EC2: &str = include_str!("../data/ec2-kinds.txt");

/// How a property is set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Tags,
    VolumeTags,
    BalancerTags,
    RoleTags,
    ZoneTags,
    RolePolicy,
    Record,
    VpcAttributes,
    PublicAddresses,
    CrossZone,
    HealthPath,
    Groups,
    ProfileRole,
    Route,
    BucketTags,
}

/// The call that sets a property of a kind back; none where it stays.
fn call(kind: &str, property: &str) -> Option<Call> {
    Some(match (kind, property) {
        (kind, "tags") if EC2.lines().any(|known| known == kind) => Call::Tags,
        ("instance", "volumeTags") => Call::VolumeTags,
        ("load-balancer" | "target-group", "tags") => Call::BalancerTags,
        ("role", "tags") => Call::RoleTags,
        ("hosted-zone", "tags") => Call::ZoneTags,
        ("role-policy", "document") => Call::RolePolicy,
        ("instance-profile", "role") => Call::ProfileRole,
        ("route", "gateway" | "nat" | "egressGateway" | "carrierGateway") => Call::Route,
        ("bucket", "tags") => Call::BucketTags,
        ("record", "target" | "targetZone") => Call::Record,
        ("vpc", "dnsHostnames" | "dnsSupport") => Call::VpcAttributes,
        ("subnet", "publicAddresses") => Call::PublicAddresses,
        ("load-balancer", "crossZone") => Call::CrossZone,
        ("target-group", "healthPath") => Call::HealthPath,
        ("network-interface", "groups") => Call::Groups,
        _ => return None,
    })
}

/// Sets back what it can; whether it sent a call.
pub(super) async fn repair(cx: &Resources<'_>, wanted: &Wanted, existing: &Existing) -> Made<bool> {
    let mut calls: Vec<Call> = Vec::new();
    for (property, ..) in &existing.differences {
        calls.extend(call(wanted.kind, property).filter(|call| !calls.contains(call)));
    }
    for call in &calls {
        send(cx, *call, wanted, &existing.outputs).await?;
    }
    Ok(!calls.is_empty())
}

async fn send(cx: &Resources<'_>, call: Call, wanted: &Wanted, outputs: &Properties) -> Made<()> {
    let id = outputs.get("id").and_then(Value::as_str).unwrap_or_default();
    match call {
        Call::Tags => network::tag(cx, id, wanted, "tags").await,
        Call::VolumeTags => {
            let volume = outputs.get(ROOT_VOLUME).and_then(Value::as_str).unwrap_or_default();
            network::tag(cx, volume, wanted, "volumeTags").await
        }
        Call::BalancerTags => {
            let tags = balancers::tags(wanted);
            let request = cx.elb().await?.add_tags().resource_arns(id).set_tags(Some(tags));
            send!(cx, "elasticloadbalancing:AddTags", request).map(drop)
        }
        Call::RoleTags => {
            let tags = identities::tags(cx, wanted, "iam:TagRole")?;
            let request = cx.iam().await?.tag_role().role_name(wanted.text("name"));
            send!(cx, "iam:TagRole", request.set_tags(Some(tags))).map(drop)
        }
        Call::ZoneTags => names::tag_zone(cx, wanted, outputs).await,
        Call::RolePolicy => identities::put_policy(cx, wanted).await.map(drop),
        Call::Record => names::replace_record(cx, wanted).await.map(drop),
        Call::VpcAttributes => network::complete_vpc(cx, wanted, outputs).await,
        Call::PublicAddresses => {
            let request = cx.ec2().await?.modify_subnet_attribute().subnet_id(id);
            let request = request.map_public_ip_on_launch(on(is_true(wanted, "publicAddresses")));
            send!(cx, "ec2:ModifySubnetAttribute", request).map(drop)
        }
        Call::CrossZone => balancers::complete_balancer(cx, wanted, outputs).await,
        Call::HealthPath => {
            let request = cx.elb().await?.modify_target_group().target_group_arn(id);
            let request = request.health_check_path(wanted.text("healthPath"));
            send!(cx, "elasticloadbalancing:ModifyTargetGroup", request).map(drop)
        }
        Call::ProfileRole => identities::add_role(cx, wanted, outputs).await,
        Call::Route => network::replace_route(cx, wanted).await,
        Call::BucketTags => storage::tag_bucket(cx, wanted, outputs).await,
        Call::Groups => {
            let request = cx.ec2().await?.modify_network_interface_attribute().network_interface_id(id);
            let request = request.set_groups(Some(wanted.texts("groups")));
            send!(cx, "ec2:ModifyNetworkInterfaceAttribute", request).map(drop)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kinds::kind;
    use super::*;

    #[test]
    fn tags_records_and_policies_are_set_back_and_sizes_are_not() {
        assert_eq!(call("vpc", "tags"), Some(Call::Tags));
        assert_eq!(call("record", "target"), Some(Call::Record));
        assert_eq!(call("role-policy", "document"), Some(Call::RolePolicy));
        assert_eq!(call("instance", "volumeTags"), Some(Call::VolumeTags));
        assert_eq!(call("instance", "type"), None);
        assert_eq!(call("subnet", "cidr"), None);
        assert!(EC2.lines().all(|name| kind(name).is_some()));
    }
}
