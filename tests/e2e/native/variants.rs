//! Configs for which terraform and the native engine must create the same resources.

use super::difference::{Exception, same_with_both, same_with_both_but};
use crate::answers::no_regions;
use crate::cloud::Cloud;
use crate::existing_network::{self, Brought};
use crate::front::{Reply, Rule};
use crate::installation::Installation;
use crate::listing::Listing;
use crate::moto::Moto;

/// Both put the bootstrap machine into the subnet with the first id, and moto draws ids.
pub const FIRST_SUBNET: &[Exception] = &[
    ("interface of demo-x7k2p-bootstrap", "/availabilityZone=", "the subnets have other ids"),
    ("machine demo-x7k2p-bootstrap", "/placement/availabilityZone=", "the subnets have other ids"),
    ("volume demo-x7k2p-bootstrap-vol", "/availabilityZone=", "the subnets have other ids"),
];

#[test]
#[ignore = "needs terraform and moto"]
fn a_given_network_and_a_copied_image_are_used_alike() {
    let wanted = &existing_network::WANTED;
    same_with_both_but(FIRST_SUBNET, 30, || {
        let rules = vec![Rule::always("ec2", "DescribeRegions", |_| no_regions())];
        Installation::prepare(wanted.release, wanted.region, rules, |moto| Brought::make(moto).config())
    });
}

/// Addresses of a pool that the account has brought: for NAT gateways, the public load balancer and the bootstrap
/// machine. moto has no pools, and takes the addresses from elsewhere.
fn with_pool() -> Installation {
    const POOL: &str = "ipv4pool-ec2-0123456789abcdef0";
    // Two gateways, two subnets of the load balancer, the bootstrap machine.
    let pools = format!(
        "<DescribePublicIpv4PoolsResponse xmlns=\"http://ec2.amazonaws.com/doc/2016-11-15/\">\
         <publicIpv4PoolSet><item><poolId>{POOL}</poolId>\
         <totalAvailableAddressCount>5</totalAvailableAddressCount></item></publicIpv4PoolSet>\
         </DescribePublicIpv4PoolsResponse>"
    );
    let rules = vec![Rule::always("ec2", "DescribePublicIpv4Pools", move |_| Reply::xml(pools.clone()))];
    Installation::prepare("4.19", "us-east-1", rules, |_| {
        format!(
            "    publicIpv4Pool: {POOL}\n    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n"
        )
    })
}

#[test]
#[ignore = "needs terraform and moto"]
fn addresses_of_a_pool_are_used_alike() {
    same_with_both(50, with_pool);
}

#[test]
#[ignore = "needs moto"]
fn addresses_of_a_pool_are_given_back() {
    let installation = with_pool();
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    installation.create_native(&[]);
    let count = || Listing::of(cloud).since(&before).counts().get("address").copied().unwrap_or_default();
    assert_eq!(count(), 5);
    installation.destroy_native_bootstrap();
    assert_eq!(count(), 4);
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

/// A network in which every role has subnets of its own in two zones; the ids of all.
fn subnets_by_role(moto: &Moto) -> String {
    const REGION: &str = "us-east-1";
    let vpc = moto.vpc(REGION, "10.0.0.0/16");
    let roles: [(&str, &[&str]); 4] = [
        ("nodes", &["ClusterNode"]),
        ("internal", &["ControlPlaneInternalLB"]),
        ("external", &["ControlPlaneExternalLB", "BootstrapNode"]),
        ("ingress", &["IngressControllerLB"]),
    ];
    let (mut lines, mut public) = (String::new(), Vec::new());
    for (number, (name, roles)) in roles.into_iter().enumerate() {
        for (index, zone) in ["us-east-1a", "us-east-1b"].into_iter().enumerate() {
            let cidr = format!("10.0.{}.0/24", 2 * number + index);
            let id = moto.subnet(&vpc, zone, &cidr, None);
            let roles: Vec<String> = roles.iter().map(|role| format!("        - type: {role}\n")).collect();
            lines.extend([format!("      - id: {id}\n        roles:\n"), roles.concat()]);
            if ["external", "ingress"].contains(&name) {
                public.push(id);
            }
        }
    }
    let public: Vec<&str> = public.iter().map(String::as_str).collect();
    moto.publish(REGION, &vpc, &public);
    format!("    defaultMachinePlatform:\n      type: m6i.xlarge\n    vpc:\n      subnets:\n{lines}")
}

#[test]
#[ignore = "needs terraform and moto"]
fn subnets_are_used_for_their_roles_alike() {
    same_with_both(30, || Installation::prepare("4.19", "us-east-1", Vec::new(), subnets_by_role));
}

#[test]
#[ignore = "needs moto"]
fn subnets_with_roles_stay_as_they_were() {
    let installation = Installation::prepare("4.19", "us-east-1", Vec::new(), subnets_by_role);
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    installation.create_native(&[]);
    assert!(!Listing::of(cloud).changed(&before).is_empty(), "the subnets are tagged");
    installation.destroy_native_bootstrap();
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

/// A host of the account; gives its id.
fn dedicated_host(moto: &Moto) -> String {
    let cloud = Cloud { moto, region: "us-east-1" };
    let wanted = [
        ("AvailabilityZone", "us-east-1a"),
        ("InstanceType", "m6i.xlarge"),
        ("Quantity", "1"),
        ("AutoPlacement", "on"),
    ];
    let made = cloud.ec2("AllocateHosts", &wanted);
    let host = made.find("hostIdSet").at("item").text().to_owned();
    assert!(host.starts_with("h-"), "{host}");
    host
}

/// Machines of the cluster are placed on the host by its machine sets. landfall looks at the host before, and leaves
/// it alone.
#[test]
#[ignore = "needs moto"]
fn a_dedicated_host_is_looked_at_and_stays() {
    let workers = "- name: worker\n";
    let host = std::cell::RefCell::new(String::new());
    let installation = Installation::prepare_edited(
        "4.22",
        "us-east-1",
        Vec::new(),
        |moto| {
            *host.borrow_mut() = dedicated_host(moto);
            "    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n".to_owned()
        },
        |text| {
            let id = host.borrow();
            let placement = format!(
                "{workers}  platform:\n    aws:\n      hostPlacement:\n        affinity: DedicatedHost\n        \
                 dedicatedHost:\n        - id: {id}\n"
            );
            assert!(text.contains(workers), "{text}");
            text.replace(workers, &placement) + "featureSet: TechPreviewNoUpgrade\n"
        },
    );
    let cloud = installation.cloud();
    let hosts = || cloud.ec2("DescribeHosts", &[]).find("hostSet").clone();
    let (before, all) = (hosts(), Listing::of(cloud));
    let said = installation.create_native(&[]);
    assert!(said.to_string().contains(host.borrow().as_str()), "{said}");
    let sets = std::fs::read_dir(installation.directory().join("openshift")).unwrap();
    let sets = sets.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    assert_eq!(sets.filter(|text| text.contains(host.borrow().as_str())).count(), 1);
    installation.destroy_native_bootstrap();
    installation.destroy();
    Listing::of(cloud).is_as(&all);
    assert_eq!(hosts(), before);
}

/// Machine sets of Cluster API name images by id alone, and a copied image has one once it exists.
#[test]
#[ignore = "needs moto"]
fn templates_of_cluster_api_name_the_copied_image() {
    const REGION: &str = "me-south-1";
    const TEMPLATE: &str = "/opt/openshift/openshift/99_openshift-cluster-api_worker-machine-template-0.yaml";
    let rules = vec![Rule::always("ec2", "DescribeRegions", |_| no_regions())];
    let zones =
        format!("    defaultMachinePlatform:\n      type: m5.xlarge\n      zones: [{REGION}a, {REGION}b]\n");
    let installation = Installation::prepare_edited(
        "4.22",
        REGION,
        rules,
        |_| zones,
        |text| {
            let workers = "- name: worker\n";
            assert!(text.contains(workers), "{text}");
            text.replace(workers, &format!("{workers}  management: ClusterAPI\n"))
                + "featureSet: TechPreviewNoUpgrade\n"
        },
    );
    let name = format!("demo-x7k2p-ami-{REGION}");
    let template =
        format!("kind: AWSMachineTemplate\nspec: {{template: {{spec: {{ami: {{id: {name}}}}}}}}}\n");
    installation.bring(TEMPLATE, &template);
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    installation.create_native(super::difference::IDENTITY);
    let own = std::fs::read_dir(installation.directory().join("openshift")).unwrap();
    let own = own.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    assert!(
        own.filter(|text| text.contains(&format!("id: {name}\n"))).count() > 0,
        "no template names {name}"
    );
    let images = Listing::of(cloud).since(&before).of_kind("image").len();
    assert_eq!(images, 1);
    let ignition: serde_json::Value =
        serde_json::from_str(&cloud.store("/demo-x7k2p-bootstrap/bootstrap.ign")).unwrap();
    let text = landfall_render::ignition::text_of(&ignition, TEMPLATE).unwrap();
    assert!(text.contains("id: ami-") && !text.contains(&name), "{text}");
    installation.destroy_native_bootstrap();
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

/// Machines with settings of their own, and an instance profile of the user's.
fn settings(moto: &Moto) -> String {
    let cloud = Cloud { moto, region: "us-east-1" };
    let trust = "{\"Version\":\"2012-10-17\",\"Statement\":[]}";
    cloud.iam("CreateRole", &[("RoleName", "nodes"), ("AssumeRolePolicyDocument", trust)]);
    cloud.iam("CreateInstanceProfile", &[("InstanceProfileName", "nodes")]);
    cloud.iam("AddRoleToInstanceProfile", &[("InstanceProfileName", "nodes"), ("RoleName", "nodes")]);
    "    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n      type: m6a.xlarge\n      \
     iamProfile: nodes\n      cpuOptions:\n        confidentialCompute: \
     AMDEncryptedVirtualizationNestedPaging\n      rootVolume:\n        throughput: 500\n"
        .to_owned()
}

#[test]
#[ignore = "needs terraform and moto"]
fn machines_with_a_given_profile_are_the_same() {
    same_with_both(40, || Installation::prepare("4.21", "us-east-1", Vec::new(), settings));
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_private_cluster_with_a_key_is_the_same() {
    same_with_both(40, || {
        let platform = |moto: &Moto| {
            let key = Cloud { moto, region: "us-east-1" }.key();
            format!(
                "    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n      \
                 metadataService:\n        authentication: Required\n      rootVolume:\n        \
                 kmsKeyARN: {key}\n        size: 130\n        type: gp3\n"
            )
        };
        Installation::prepare_edited("4.19", "us-east-1", Vec::new(), platform, |text| {
            let publish = "publish: External";
            assert!(text.contains(publish), "{text}");
            text.replace(publish, "publish: Internal")
        })
    });
}
