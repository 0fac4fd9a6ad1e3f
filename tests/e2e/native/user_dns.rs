//! Clusters whose DNS records the user provides: machines find the API by the addresses of its load balancer.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::difference::{Exception, IDENTITY, same_with_both_but};
use crate::cloud::Cloud;
use crate::installation::Installation;
use crate::listing::Listing;
use crate::moto::Moto;

/// A release that has the setting and whose image moto has.
const RELEASE: &str = "4.21";

fn installation(network: impl FnOnce(&Moto) -> String) -> Installation {
    Installation::prepare_edited(
        RELEASE,
        "us-east-1",
        Vec::new(),
        |moto| format!("    userProvisionedDNS: Enabled\n{}", network(moto)),
        |text| text + "featureSet: TechPreviewNoUpgrade\n",
    )
}

/// A new network in two zones.
fn new(_: &Moto) -> String {
    "    defaultMachinePlatform:\n      zones: [us-east-1a, us-east-1b]\n".to_owned()
}

/// A network of the user's in one zone, where somebody has the last address of the private subnet.
fn existing(moto: &Moto) -> String {
    let vpc = moto.vpc("us-east-1", "10.0.0.0/16");
    let subnet = |cidr: &str| moto.subnet(&vpc, "us-east-1a", cidr, None);
    let (private, public) = (subnet("10.0.0.0/24"), subnet("10.0.1.0/24"));
    moto.publish("us-east-1", &vpc, &[&public]);
    let cloud = Cloud { moto, region: "us-east-1" };
    cloud.ec2("CreateNetworkInterface", &[("SubnetId", &private), ("PrivateIpAddress", "10.0.0.254")]);
    format!(
        "    defaultMachinePlatform:\n      type: m6i.xlarge\n    vpc:\n      subnets:\n      - id: {private}\n      \
         - id: {public}\n"
    )
}

/// The addresses that load balancers are created with.
fn addresses(installation: &Installation) -> Vec<String> {
    let asked = installation.front().asked();
    let creating = asked.iter().filter(|asked| asked.action() == "CreateLoadBalancer");
    let pairs = creating.flat_map(|asked| url::form_urlencoded::parse(asked.body.as_bytes()).into_owned());
    let given = pairs.filter(|(key, _)| key.ends_with("PrivateIPv4Address"));
    given.map(|(_, address)| address).collect()
}

/// Creates a cluster with addresses for its API, and removes it. Load balancers have network interfaces, which moto does
/// not create: `shown` adds them.
fn is_created_and_removed(installation: &Installation, wanted: &[&str], shown: impl FnOnce(&Cloud<'_>)) {
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    let said = installation.create_native(IDENTITY);
    assert!(said.to_string().contains("LF0661"), "{said}");
    assert_eq!(addresses(installation), wanted);
    let all = Listing::of(cloud);
    let new = all.since(&before);
    assert_eq!((new.counts().get("zone"), new.counts().get("load balancer")), (None, Some(&2)));
    let zones = all.of_kind("zone").iter().flat_map(|zone| zone.more.clone()).collect::<Vec<_>>();
    assert!(zones.iter().all(|record| !record.says("Name").contains("demo")), "{zones:?}");

    let first = wanted[0];
    let ignition: Value = serde_json::from_str(&cloud.store("/demo-x7k2p-bootstrap/bootstrap.ign")).unwrap();
    let file = |end: &str| {
        let files = ignition["storage"]["files"].as_array().unwrap();
        let file = files.iter().find(|file| file["path"].as_str().unwrap().ends_with(end)).unwrap();
        let (_, text) = file["contents"]["source"].as_str().unwrap().split_once(',').unwrap();
        String::from_utf8(STANDARD.decode(text).unwrap()).unwrap()
    };
    let all: Vec<_> = wanted.iter().map(|address| address.parse().unwrap()).collect();
    assert!(landfall_certificates::is_for(&file("machine-config-server.crt"), &all));
    let variables = installation.directory().join("terraform/terraform.tfvars.json");
    let variables: Value = serde_json::from_str(&std::fs::read_to_string(variables).unwrap()).unwrap();
    let master = variables["ignition_master"].as_str().unwrap();
    assert!(master.contains(&format!("https://{first}:22623/config/master")), "{master}");

    // Another run chooses the same addresses and creates nothing.
    shown(&cloud);
    let again = installation.create_native(IDENTITY);
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged"], "{}", again["work"]);
    assert_eq!(addresses(installation), wanted);
    let variables = installation.directory().join("terraform/landfall.auto.tfvars.json");
    let variables: Value = serde_json::from_str(&std::fs::read_to_string(variables).unwrap()).unwrap();
    let chosen = variables["aws_api_addresses"].as_object().unwrap().values();
    assert_eq!(chosen.collect::<Vec<&Value>>(), wanted);
    installation.destroy_native_bootstrap();
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

#[test]
#[ignore = "needs moto"]
fn machines_find_the_api_in_a_new_network() {
    is_created_and_removed(&installation(new), &["10.0.63.254", "10.0.127.254"], |_| ());
}

#[test]
#[ignore = "needs moto"]
fn machines_find_the_api_in_a_network_of_the_users() {
    is_created_and_removed(&installation(existing), &["10.0.0.253"], |cloud| {
        let subnets = cloud
            .ec2("DescribeSubnets", &[("Filter.1.Name", "cidr-block"), ("Filter.1.Value.1", "10.0.0.0/24")]);
        let subnet = subnets.find("subnetSet").at("item").says("subnetId").to_owned();
        let all = Listing::of(*cloud);
        let balancers = all.of_kind("load balancer");
        let mut arns = balancers.iter().map(|balancer| balancer.says("LoadBalancerArn"));
        let arn = arns.find(|arn| arn.contains("/demo-x7k2p-int/")).unwrap();
        let description = format!("ELB {}", arn.split_once(":loadbalancer/").unwrap().1);
        let given = [
            ("SubnetId", subnet.as_str()),
            ("PrivateIpAddress", "10.0.0.253"),
            ("Description", &description),
        ];
        cloud.ec2("CreateNetworkInterface", &given);
    });
}

/// A certificate with the addresses is signed for each cluster.
const SIGNED: &[Exception] = &[
    ("object", "machine-config-server.crt", "the certificate"),
    ("object", "machine-config-server-tls-secret.yaml", "the certificate and its key"),
];

#[test]
#[ignore = "needs terraform and moto"]
fn both_engines_create_the_same_without_records() {
    same_with_both_but(SIGNED, 40, || installation(new));
}
