//! What belongs to somebody else under a name that the cluster needs, and what somebody changed of the cluster's own.

use serde_json::Value;

use super::difference::IDENTITY;
use super::{findings, installation};
use crate::cloud::Cloud;
use crate::installation::Installation;
use crate::listing::Listing;
use crate::moto::Moto;
use crate::program::Ran;

const ID: &str = IDENTITY[1];
/// What the owner has tagged it with.
const TAG: [(&str, &str); 2] = [("Tags.member.1.Key", "team"), ("Tags.member.1.Value", "other")];
const TRUST: &str = "{\"Version\":\"2012-10-17\",\"Statement\":[]}";

fn in_one_zone() -> Installation {
    Installation::prepare("4.19", "us-east-1", Vec::new(), |_| {
        "    defaultMachinePlatform:\n      zones: [us-east-1a]\n".to_owned()
    })
}

fn codes(ran: &Ran) -> Vec<String> {
    let said = ran.json();
    findings(&said).into_iter().map(|(code, _)| code.to_owned()).collect()
}

/// Nothing is done to a resource of others, in two runs, and destroy leaves and names it.
fn stays(make: impl Fn(&Moto, Cloud<'_>)) {
    let installation = in_one_zone();
    let cloud = installation.cloud();
    make(&installation.moto, cloud);
    let before = Listing::of(cloud);
    // The second run knows that a creating call of the first one began.
    for _ in 0..2 {
        let ran = installation.try_native(IDENTITY).ends(5);
        assert!(codes(&ran).iter().any(|code| code == "LF1425"), "{ran}");
    }
    let ran = installation.try_destroy().ends(5);
    assert!(codes(&ran).iter().any(|code| code == "LF1326"), "{ran}");
    Listing::of(cloud).is_as(&before);
}

#[test]
#[ignore = "needs moto"]
fn a_role_of_others_is_not_adopted() {
    stays(|_, cloud| {
        let name = format!("{ID}-master-role");
        let role = [("RoleName", name.as_str()), ("AssumeRolePolicyDocument", TRUST)];
        cloud.iam("CreateRole", &[&role[..], &TAG].concat());
    });
}

#[test]
#[ignore = "needs moto"]
fn a_target_group_of_others_is_not_adopted() {
    stays(|moto, cloud| {
        let (vpc, name) = (moto.vpc("us-east-1", "10.9.0.0/16"), format!("{ID}-aint"));
        let group = [("Name", name.as_str()), ("Protocol", "TCP"), ("Port", "80"), ("VpcId", vpc.as_str())];
        cloud.balancing("CreateTargetGroup", &[&group[..], &TAG].concat());
    });
}

#[test]
#[ignore = "needs moto"]
fn a_load_balancer_of_others_is_not_adopted() {
    stays(|moto, cloud| {
        let vpc = moto.vpc("us-east-1", "10.9.0.0/16");
        let subnet = moto.subnet(&vpc, "us-east-1a", "10.9.0.0/20", None);
        let name = format!("{ID}-int");
        let balancer = [
            ("Name", name.as_str()),
            ("Type", "network"),
            ("Scheme", "internal"),
            ("Subnets.member.1", subnet.as_str()),
        ];
        cloud.balancing("CreateLoadBalancer", &[&balancer[..], &TAG].concat());
    });
}

#[test]
#[ignore = "needs moto"]
fn a_bucket_of_others_is_not_adopted() {
    stays(|_, cloud| {
        let name = format!("{ID}-bootstrap");
        cloud.put(&format!("/{name}"), "");
        let tags = "<Tagging><TagSet><Tag><Key>team</Key><Value>other</Value></Tag></TagSet></Tagging>";
        cloud.put(&format!("/{name}?tagging"), tags);
        cloud.put(&format!("/{name}/precious"), "one of a kind");
    });
}

/// A cluster of which something was changed by hand is as before after the next run, and a further one finds nothing.
fn is_set_back(change: impl Fn(Cloud<'_>, &Listing)) {
    let installation = installation();
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    installation.create_native(IDENTITY);
    let created = Listing::of(cloud);
    change(cloud, &created);
    installation.create_native(IDENTITY);
    assert_eq!(Listing::of(cloud).counts(), created.counts());
    let third = installation.create_native(IDENTITY);
    assert!(!third.to_string().contains("LF14"), "{third}");
    let results: Vec<&Value> = third["work"].as_array().unwrap().iter().map(|work| &work["result"]).collect();
    assert_eq!(results, ["unchanged", "unchanged"], "{}", third["work"]);
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

#[test]
#[ignore = "needs moto"]
fn tags_that_were_taken_are_set_again_and_nothing_is_created_twice() {
    is_set_back(|cloud, created| {
        for (kind, id) in [
            ("VPC", "vpcId"),
            ("machine", "instanceId"),
            ("volume", "volumeId"),
            ("NAT gateway", "natGatewayId"),
        ] {
            let one = created.of_kind(kind)[0].says(id).to_owned();
            cloud.ec2("DeleteTags", &[("ResourceId.1", &one)]);
        }
        // A table has parts, which are found with it. A group is known by its name.
        for (kind, id, end) in
            [("route table", "routeTableId", "rt-public"), ("security group", "groupId", "node")]
        {
            let one = created.named(kind, &format!("{ID}-{end}")).says(id).to_owned();
            cloud.ec2("DeleteTags", &[("ResourceId.1", &one)]);
        }
    });
}

#[test]
#[ignore = "needs moto"]
fn a_role_that_is_created_again_is_in_its_profile() {
    is_set_back(|cloud, _| {
        let (role, profile) = (format!("{ID}-worker-role"), format!("{ID}-worker-profile"));
        let policy = format!("{ID}-worker-policy");
        let own = ("RoleName", role.as_str());
        cloud.iam("RemoveRoleFromInstanceProfile", &[("InstanceProfileName", &profile), own]);
        cloud.iam("DeleteRolePolicy", &[own, ("PolicyName", &policy)]);
        cloud.iam("DeleteRole", &[own]);
    });
}

#[test]
#[ignore = "needs moto"]
fn a_nat_gateway_that_is_created_again_has_its_route() {
    is_set_back(|cloud, created| {
        let gateway = created.of_kind("NAT gateway")[0].says("natGatewayId").to_owned();
        cloud.ec2("DeleteNatGateway", &[("NatGatewayId", &gateway)]);
    });
}

/// As the console adds it.
#[test]
#[ignore = "needs moto"]
fn a_rule_without_a_description_is_as_good() {
    is_set_back(|cloud, created| {
        let group = created.named("security group", &format!("{ID}-node")).says("groupId").to_owned();
        let rule = [
            ("GroupId", group.as_str()),
            ("IpPermissions.1.IpProtocol", "-1"),
            ("IpPermissions.1.IpRanges.1.CidrIp", "0.0.0.0/0"),
        ];
        cloud.ec2("RevokeSecurityGroupEgress", &rule);
        cloud.ec2("AuthorizeSecurityGroupEgress", &rule);
    });
}

/// Volumes are not set back, as that takes a while and costs.
#[test]
#[ignore = "needs moto"]
fn a_volume_that_is_not_as_planned_is_named() {
    let installation = in_one_zone();
    let cloud = installation.cloud();
    let first = installation.create_native(IDENTITY);
    assert!(!first.to_string().contains("LF1424"), "{first}");
    let again = installation.create_native(IDENTITY);
    assert!(!again.to_string().contains("LF14"), "{again}");
    let volume =
        Listing::of(cloud).named("volume", &format!("{ID}-master-0-vol")).says("volumeId").to_owned();
    cloud.ec2("ModifyVolume", &[("VolumeId", &volume), ("Size", "777")]);
    let said = installation.create_native(IDENTITY);
    let named = findings(&said).into_iter().find(|(code, _)| *code == "LF1424");
    let message = named.unwrap_or_else(|| panic!("it is not named: {said}")).1;
    assert!(message.contains("instance/master-0") && message.contains("777"), "{message}");
    installation.destroy();
}
