//! The native engine: the same infrastructure as terraform's, once, whatever happens.

mod alone;
mod difference;
mod dual_stack;
mod examples;
mod failing;
mod killed;
mod layouts;
mod others;
mod permissions;
mod user_dns;
mod variants;

use serde_json::Value;

use crate::expected::{Cluster, Network};
use crate::installation::Installation;
use crate::listing::Listing;
use crate::stands::{Made, Started, removed};

const WANTED: Cluster = Cluster {
    release: "4.19",
    region: "us-east-1",
    partition: "aws",
    zones: &["us-east-1a", "us-east-1b", "us-east-1c"],
    instance_type: "m6i.xlarge",
    principal: "ec2.amazonaws.com",
    record: ("A", ""),
    network: Some(Network {
        private: &["10.0.0.0/19", "10.0.32.0/19", "10.0.64.0/19"],
        public: &["10.0.96.0/21", "10.0.104.0/21", "10.0.112.0/21"],
        domain: "ec2.internal",
        store: "com.amazonaws.us-east-1.s3",
    }),
    copied: None,
    tags: &[("team", "road"), ("purpose", "trial")],
};

const PLATFORM: &str = "    userTags:
      team: road
      purpose: trial
    defaultMachinePlatform:
      zones: [us-east-1a, us-east-1b, us-east-1c]
";

fn installation() -> Installation {
    Installation::prepare(WANTED.release, WANTED.region, Vec::new(), |_| PLATFORM.to_owned())
}

/// Calls that create, and those that look whether something exists or is ready, beside those of preflight and plan.
#[test]
#[ignore = "needs moto"]
fn a_resource_takes_few_calls() {
    let installation = installation();
    let calls = || f64::from(u32::try_from(installation.front().asked().len()).unwrap());
    let shown = installation.try_native(&["--plan"]).ends(0).json();
    let resources = u32::try_from(shown["resources"].as_array().unwrap().len()).unwrap();
    let before = calls();
    installation.create_native(&[]);
    let each = (calls() - 2.0 * before) / f64::from(resources);
    assert!(resources > 70 && each > 1.0, "{each} calls for each of {resources} resources");
    assert!(each < 2.4, "{each} calls for each of {resources} resources");
}

/// A cluster stands as it is wanted, a second run creates nothing, and its removal leaves nothing. `installed` is called
/// once the bootstrap machine is gone, with what was there before the cluster.
fn is_created_once(installation: &Installation, wanted: &Cluster, installed: impl FnOnce(&Listing)) {
    let cloud = installation.cloud();
    let before = Listing::of(cloud);
    let said = installation.create_native(&[]);
    let all = Listing::of(cloud);
    let new = all.since(&before);
    let id = said["infraID"].as_str().unwrap();
    let made = Made { cloud, wanted, id, all: &all, new: &new, subnets: None, given: None };
    let started =
        Started { master: installation.master_ignition(), bootstrap: installation.secrets.ignition() };
    made.stands(&started);
    assert_eq!(said["engine"]["name"], "native", "{said}");

    // Metadata notes the engine, and a second run creates nothing.
    let again = installation.create_native(&[]);
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged"], "{}", again["work"]);
    assert!(!again.to_string().contains("LF1424"), "{again}");
    assert!(Listing::of(cloud).changed(&all).is_empty());

    installation.destroy_native_bootstrap();
    removed(&made, &Listing::of(cloud));
    installed(&before);
    installation.destroy();
    Listing::of(cloud).is_as(&before);
}

#[test]
#[ignore = "needs moto"]
fn a_cluster_is_created_once_and_removed() {
    let installation = installation();
    let cloud = installation.cloud();
    // A machine that the installed cluster replaces is not created again.
    is_created_once(&installation, &WANTED, |before| {
        let left = Listing::of(cloud).since(before);
        let machine = left.of_kind("machine")[0].says("instanceId").to_owned();
        cloud.ec2("TerminateInstances", &[("InstanceId.1", &machine)]);
        let left = Listing::of(cloud);
        let third = installation.create_native(&[]);
        assert!(findings(&third).iter().any(|(code, _)| *code == "LF1434"), "{third}");
        assert_eq!(third["summary"]["counts"]["toCreate"], 0, "{}", third["summary"]["counts"]);
        assert!(Listing::of(cloud).changed(&left).is_empty());
    });
}

/// Codes and messages of the findings of a run.
fn findings(said: &Value) -> Vec<(&str, &str)> {
    let all = said["findings"].as_array().unwrap().iter();
    all.map(|finding| (finding["code"].as_str().unwrap(), finding["message"].as_str().unwrap())).collect()
}

#[test]
#[ignore = "needs moto"]
fn what_was_removed_by_hand_from_a_whole_cluster_is_named_and_created_again() {
    let installation = installation();
    let cloud = installation.cloud();
    let said = installation.create_native(&[]);
    let total = &said["summary"]["counts"]["total"];
    let before = Listing::of(cloud);
    let endpoint = before.of_kind("endpoint")[0].says("vpcEndpointId").to_owned();
    cloud.ec2("DeleteVpcEndpoints", &[("VpcEndpointId.1", &endpoint)]);

    // The plan shows that, and neither what exists nor a warning twice.
    let left = Listing::of(cloud);
    let (shown, text) = installation.plan_again();
    assert_eq!(shown["summary"]["counts"]["toCreate"], 1, "{}", shown["summary"]["counts"]);
    assert!(findings(&shown).iter().any(|(code, _)| *code == "LF1427"), "{shown}");
    let resources: Vec<&str> = text.out.lines().filter(|line| line.starts_with("  cluster ")).collect();
    assert!(matches!(resources[..], [one] if one.contains("vpc-endpoint/")), "{text}");
    assert!(text.out.contains("  VPC endpoint ") && !text.out.contains("  bootstrap "), "{text}");
    // Its own records are no warning.
    for (code, times) in [("LF0726", 0), ("LF1427", 1)] {
        assert_eq!(text.err.matches(code).count(), times, "{text}");
    }
    assert!(Listing::of(cloud).changed(&left).is_empty());

    let again = installation.create_native(&[]);
    let missing = findings(&again).into_iter().find(|(code, _)| *code == "LF1427");
    let missing = missing.unwrap_or_else(|| panic!("nothing is missing: {again}")).1;
    assert!(missing.contains("stage cluster") && missing.contains("vpc-endpoint/"), "{missing}");
    assert!(!missing.contains(','), "one resource is missing: {missing}");
    let counts = &again["summary"]["counts"];
    assert_eq!((&counts["total"], &counts["toCreate"]), (total, &Value::from(1)), "{counts}");
    assert_eq!(again["work"][0]["added"], 1, "{}", again["work"]);
    assert_eq!(Listing::of(cloud).counts(), before.counts());

    // It is whole again. What was changed is named, and set back.
    let machine = before.of_kind("machine")[0].says("instanceId").to_owned();
    cloud.ec2("DeleteTags", &[("ResourceId.1", &machine), ("Tag.1.Key", "team")]);
    let third = installation.create_native(&[]);
    let codes: Vec<&str> = findings(&third).iter().map(|(code, _)| *code).collect();
    assert!(codes.contains(&"LF1428") && !codes.contains(&"LF1427"), "{codes:?}");
    assert!(codes.contains(&"LF1433") && !codes.contains(&"LF1424"), "{codes:?}");
    assert_eq!(third["summary"]["counts"]["toCreate"], 0, "{}", third["summary"]["counts"]);
    let tagged = |listing: &Listing| {
        let machines = listing.of_kind("machine").into_iter();
        machines.filter(|one| format!("{one:?}").matches("road").count() == 2).count()
    };
    assert_eq!((tagged(&before), tagged(&Listing::of(cloud))), (4, 4));
    let fourth = installation.create_native(&[]);
    let results = fourth["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged"], "{}", fourth["work"]);
    assert!(!fourth.to_string().contains("LF14"), "{fourth}");
}

#[test]
#[ignore = "needs terraform and moto"]
fn what_was_removed_by_hand_from_a_whole_cluster_of_terraform_is_created_again_as_well() {
    let installation = installation();
    let cloud = installation.cloud();
    let said = installation.create();
    let total = &said["summary"]["counts"]["total"];
    let before = Listing::of(cloud);
    let again = installation.create();
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged"], "{again}");

    let endpoint = before.of_kind("endpoint")[0].says("vpcEndpointId").to_owned();
    cloud.ec2("DeleteVpcEndpoints", &[("VpcEndpointId.1", &endpoint)]);
    let third = installation.create();
    let missing = findings(&third).into_iter().find(|(code, _)| *code == "LF1427");
    let missing = missing.unwrap_or_else(|| panic!("nothing is missing: {third}")).1;
    assert!(missing.contains("stage cluster") && missing.contains("aws_vpc_endpoint."), "{missing}");
    let counts = &third["summary"]["counts"];
    assert_eq!((&counts["total"], &counts["toCreate"]), (total, &Value::from(1)), "{counts}");
    assert_eq!(Listing::of(cloud).counts(), before.counts());
}
