//! An existing network: one that fits, and everything that can be wrong with one.

use serde_json::Value;

use crate::moto::{Keys, Moto};
use crate::program::{Landfall, config, place, place_of, text};

const REGION: &str = "us-east-1";

/// The lines of YAML that name subnets.
fn subnets(ids: &[&str]) -> String {
    let lines: Vec<String> = ids.iter().map(|id| format!("      - id: {id}\n")).collect();
    format!("    vpc:\n      subnets:\n{}", lines.concat())
}

fn ask(moto: &Moto, keys: &Keys, config: &str) -> Landfall {
    Landfall::new(config).keys(keys).with("AWS_ENDPOINT_URL", moto.url())
}

#[test]
#[ignore = "needs moto"]
fn existing_subnets_are_looked_at_one_by_one() {
    let moto = Moto::start();
    let keys = moto.user(REGION);
    moto.zone(REGION, "example.com");
    let vpc = moto.vpc(REGION, "10.0.0.0/16");
    let private = [
        moto.subnet(&vpc, "us-east-1a", "10.0.0.0/24", None),
        moto.subnet(&vpc, "us-east-1b", "10.0.1.0/24", None),
    ];
    let public = [
        moto.subnet(&vpc, "us-east-1a", "10.0.10.0/24", None),
        moto.subnet(&vpc, "us-east-1b", "10.0.11.0/24", None),
    ];
    moto.publish(REGION, &vpc, &[&public[0], &public[1]]);
    let ids = [&*private[0], &*private[1], &*public[0], &*public[1]];
    fits(&moto, &keys, &vpc, &ids);
    does_not_fit(&moto, &keys, &vpc, &ids);
}

fn fits(moto: &Moto, keys: &Keys, vpc: &str, ids: &[&str]) {
    let landfall = ask(moto, keys, &config(REGION, &subnets(ids)));
    let report = landfall.preflight();
    report.passes();
    report.says("aws.subnets", "passed", &["2 private", "2 public", vpc]);
    report.is("aws.vpc.dns", "passed");
    // A new network is not needed, and neither is room for one.
    assert!(!report.all().iter().any(|check| text(check, "id") == "aws.quota.vpcs"), "{}", report.ran);

    let facts = landfall.ask(&["facts"]).ends(0).json();
    assert_eq!(facts["aws"]["vpc"], vpc, "{facts}");
    let known = facts["aws"]["subnets"].as_array().unwrap();
    for (i, id) in ids.iter().enumerate() {
        let subnet = known.iter().find(|subnet| subnet["id"] == *id).unwrap();
        assert_eq!(subnet["zone"], ["us-east-1a", "us-east-1b"][i % 2], "{subnet}");
        assert_eq!(subnet["public"].as_bool().unwrap_or_default(), i >= 2, "{subnet}");
    }
    landfall.ask(&["create", "manifests"]).ends(0);

    for (on, status) in [("false", "failed"), ("true", "passed")] {
        moto.ec2(REGION, "ModifyVpcAttribute", &[("VpcId", vpc), ("EnableDnsHostnames.Value", on)]);
        let report = landfall.preflight();
        let check = report.is("aws.vpc.dns", status);
        assert_eq!(text(check, "message").contains("enableDnsHostnames"), status == "failed", "{check}");
    }

    // Files may have another use; the cluster cannot be created.
    let without = "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: \
                   [CloudCredential, CloudControllerManager, Ingress]\n";
    let landfall = ask(moto, keys, &format!("{}{without}", config(REGION, &subnets(ids))));
    landfall.preflight().says("plan", "failed", &["MachineAPI"]);
    landfall.ask(&["create", "manifests"]).ends(0);
}

/// Everything that is wrong, each at the line that it is about. Nobody reaches the cluster from outside, so that
/// public subnets are of no matter.
fn does_not_fit(moto: &Moto, keys: &Keys, vpc: &str, all: &[&str]) {
    const MISSING: &str = "subnet-0aaaaaaaaaaaaaaaa";
    const GROUP: &str = "sg-0aaaaaaaaaaaaaaaa";
    let (good, unnamed) = all.split_at(2);
    let provider = "sigs.k8s.io/cluster-api-provider-aws/cluster/maker-x9k2p";
    let tag = |id: &str, key: &str, value: &str| {
        moto.ec2(REGION, "CreateTags", &[("ResourceId.1", id), ("Tag.1.Key", key), ("Tag.1.Value", value)]);
    };
    tag(vpc, provider, "owned");
    tag(unnamed[0], "kubernetes.io/cluster/unmanaged", "true");
    let stranger = moto.vpc(REGION, "10.0.0.0/16");
    let elsewhere = moto.subnet(&stranger, "us-east-1c", "10.0.2.0/24", None);
    let outside = moto.subnet(vpc, "us-east-1d", "10.0.200.0/24", None);
    let owned = moto.subnet(vpc, "us-east-1f", "10.0.3.0/24", Some("other-x1y2z"));
    let ids = [good, &[&*elsewhere, &*outside, &*owned, MISSING]].concat();
    let group = format!("    defaultMachinePlatform:\n      additionalSecurityGroupIDs: [{GROUP}]\n");
    let config = config(REGION, &format!("{}{group}", subnets(&ids)))
        .replace("publish: External", "publish: Internal")
        .replace("cidr: 10.0.0.0/16", "cidr: 10.0.0.0/17");
    let landfall = ask(moto, keys, &config);

    let report = landfall.preflight();
    let wrong: Vec<&Value> = report.all().iter().filter(|check| text(check, "status") == "failed").collect();
    let told = |code: &str, id: &str, field: &str| {
        let of = |check: &&&Value| text(check, "code") == code && text(check, "message").contains(id);
        let Some(check) = wrong.iter().find(of) else {
            panic!("no {code} for {id}: {}", report.ran);
        };
        assert_eq!(text(check, "field"), field, "{check}");
        check
    };
    for (i, (code, id)) in
        [("LF0720", &*elsewhere), ("LF0721", &*outside), ("LF0723", &*owned), ("LF0707", MISSING)]
            .into_iter()
            .enumerate()
    {
        let check = told(code, id, &format!("platform.aws.vpc.subnets[{}].id", good.len() + i));
        assert_eq!(place_of(check), place(&config, id), "{check}");
        assert!(text(check, "id").starts_with("aws.subnets"), "{check}");
    }
    let check = told("LF0723", "other-x1y2z", "platform.aws.vpc.subnets[4].id");
    assert!(text(check, "message").contains(&owned), "{check}");
    told("LF0723", "maker-x9k2p", "platform.aws.vpc.subnets");
    let check = told("LF0740", unnamed[1], "platform.aws.vpc.subnets");
    assert!(!text(check, "message").contains(unnamed[0]), "{check}");
    let group = wrong.iter().find(|check| text(check, "code") == "LF0728");
    assert!(group.is_some_and(|check| text(check, "message").contains(GROUP)), "{}", report.ran);

    // Without preflight the same stands in the way of the files.
    let ran = landfall.ask(&["create", "manifests", "-o", "json"]).ends(4);
    let refused = ran.json();
    let findings = refused["findings"].as_array().unwrap();
    for code in ["LF0707", "LF0720", "LF0721", "LF0723", "LF0728", "LF0740"] {
        assert!(findings.iter().any(|finding| finding["code"] == code), "{code}: {ran}");
    }
    assert!(!landfall.directory().join("metadata.json").exists());
}

#[test]
#[ignore = "needs moto"]
fn dedicated_hosts_are_asked_for_their_zone() {
    let moto = Moto::start();
    let keys = moto.user(REGION);
    moto.zone(REGION, "example.com");
    let host = [("AvailabilityZone", "us-east-1b"), ("InstanceType", "m6i.xlarge"), ("Quantity", "1")];
    let made = moto.ec2(REGION, "AllocateHosts", &host);
    let start = made.find("h-").unwrap();
    let id = made[start..].split('<').next().unwrap();
    let placed = |id: &str| {
        let workers = "- name: worker\n  replicas: 3\n";
        let text = config(REGION, "");
        assert!(text.contains(workers), "{text}");
        let placement = format!(
            "{workers}  platform:\n    aws:\n      type: m6i.xlarge\n      hostPlacement:\n        affinity: \
             DedicatedHost\n        dedicatedHost:\n        - id: {id}\n"
        );
        format!("{}featureSet: TechPreviewNoUpgrade\n", text.replace(workers, &placement))
    };
    let landfall = ask(&moto, &keys, &placed(id));
    let facts = landfall.ask(&["facts", "--release", "4.22"]).ends(0).json();
    assert_eq!(facts["aws"]["dedicatedHosts"], serde_json::json!([{ "id": id, "zone": "us-east-1b" }]));
    let policy = landfall.run(&["create", "permissions-policy", "--release", "4.22"]).ends(0);
    assert!(format!("{policy}").contains("ec2:DescribeHosts"), "{policy}");
    landfall.ask(&["create", "manifests", "--release", "4.22"]).ends(0);

    let other = ask(&moto, &keys, &placed("h-0123456789abcdef0"));
    let refused = other.ask(&["create", "manifests", "--release", "4.22"]).ends(4);
    assert!(format!("{refused}").contains("LF0734"), "{refused}");
}
