//! Each example of a cluster on AWS, in both layouts of AWS resources: terraform and the native engine create the same.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::difference::{Exception, same_with_both_but};
use super::layouts::{ONE_LOCAL_ZONE, Shown, zone_rules};
use super::variants::FIRST_SUBNET;
use crate::answers::{no_regions, offerings, zones};
use crate::cloud::Cloud;
use crate::front::Rule;
use crate::installation::Installation;
use crate::moto::{Moto, image, value};

const OLDER: &str = "4.14";
const NEWER: &str = "4.19";
const COMMERCIAL: &str = "us-east-1";

/// An id in an example, and what the account has in its place.
type Given = Vec<(&'static str, String)>;

struct Example {
    /// Below `testdata`.
    folder: &'static str,
    release: &'static str,
    region: &'static str,
    /// What the user has created before, in moto.
    given: fn(&Moto) -> Given,
    /// What moto answers otherwise than AWS.
    rules: fn() -> Vec<Rule>,
    /// Zones that moto does not have.
    shown: &'static [Shown],
    exceptions: &'static [Exception],
}

impl Example {
    /// One in a commercial region that brings nothing along.
    const fn new(folder: &'static str, release: &'static str) -> Self {
        Self {
            folder,
            release,
            region: COMMERCIAL,
            given: |_| Vec::new(),
            rules: Vec::new,
            shown: &[],
            exceptions: &[],
        }
    }

    fn is_the_same(&self, least: usize) {
        same_with_both_but(self.exceptions, least, || self.installation());
    }

    /// The example with the name, domain, secrets and endpoints of these tests.
    fn installation(&self) -> Installation {
        let (given, port) = (OnceLock::new(), Arc::new(OnceLock::new()));
        let more = |moto: &Moto| {
            port.set(moto.port).expect("moto is started once");
            given.set((self.given)(moto)).expect("moto is started once");
            String::new()
        };
        let mut rules = (self.rules)();
        if !self.shown.is_empty() {
            rules.extend(zone_rules(self.shown, &port));
        }
        Installation::prepare_edited(self.release, self.region, rules, more, |usual| {
            let file = Path::new("testdata").join(self.folder).join("install-config.yaml");
            let mut text = std::fs::read_to_string(&file).unwrap();
            for (id, real) in given.get().unwrap() {
                assert!(text.contains(id), "{id} is not in {}", file.display());
                text = text.replace(id, real);
            }
            let mut config: Value = serde_yaml::from_str(&text).unwrap();
            let usual: Value = serde_yaml::from_str(&usual).unwrap();
            assert_eq!(config["platform"]["aws"]["region"], self.region);
            for name in ["baseDomain", "metadata", "pullSecret"] {
                config[name] = usual[name].clone();
            }
            let endpoints = "serviceEndpoints";
            config["platform"]["aws"][endpoints] = usual["platform"]["aws"][endpoints].clone();
            config.to_string()
        })
    }
}

const HIDDEN: &str = "us-hidden-1";

/// moto creates subnets in zones that it knows: two of these are shown as the zones of the region.
const OF_HIDDEN: &[Shown] = &[
    Shown { local: "us-hidden-1a", zone: "us-east-1a" },
    Shown { local: "us-hidden-1b", zone: "us-east-1b" },
];

/// moto has no default network there, and takes the first subnet of a zone, whichever that is, for that of one.
const NO_DEFAULT: &[Exception] = &[
    ("subnet", "/item/defaultForAz=", "the first subnet of a zone is another one"),
    ("subnet", "/item/mapPublicIpOnLaunch=", "it follows from that"),
];

/// A hidden region, to which the image is copied.
fn hidden(folder: &'static str, release: &'static str) -> Example {
    let rules = || {
        vec![
            Rule::always("ec2", "DescribeRegions", |_| no_regions()),
            Rule::always("ec2", "DescribeAvailabilityZones", |_| zones(HIDDEN, "ab")),
        ]
    };
    Example {
        region: HIDDEN,
        rules,
        shown: OF_HIDDEN,
        exceptions: NO_DEFAULT,
        ..Example::new(folder, release)
    }
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_hidden_region_is_the_same() {
    hidden("examples-4.19/aws-custom-region-ami-copy", NEWER).is_the_same(40);
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_hidden_region_is_the_same_in_the_older_layout() {
    hidden("examples/clusters/aws-custom-region-ami-copy", OLDER).is_the_same(30);
}

const GOVCLOUD: &str = "us-gov-west-1";

/// moto does not know which types the region offers.
fn govcloud(folder: &'static str, release: &'static str) -> Example {
    let rules = || {
        vec![Rule::always("ec2", "DescribeInstanceTypeOfferings", |_| {
            offerings("m6i.xlarge", GOVCLOUD, "abc")
        })]
    };
    Example { region: GOVCLOUD, rules, ..Example::new(folder, release) }
}

#[test]
#[ignore = "needs terraform and moto"]
fn govcloud_is_the_same() {
    govcloud("examples-4.19/aws-govcloud-custom-endpoints", NEWER).is_the_same(50);
}

#[test]
#[ignore = "needs terraform and moto"]
fn govcloud_is_the_same_in_the_older_layout() {
    govcloud("examples/clusters/aws-govcloud-custom-endpoints", OLDER).is_the_same(40);
}

const CHINA: &str = "cn-north-1";

#[test]
#[ignore = "needs terraform and moto"]
fn an_image_of_the_users_in_china_is_the_same() {
    let given = |moto: &Moto| {
        let image = [
            ("Name", "own"),
            ("Architecture", "x86_64"),
            ("RootDeviceName", "/dev/xvda"),
            ("VirtualizationType", "hvm"),
        ];
        vec![("ami-0cn", value(&moto.ec2(CHINA, "RegisterImage", &image), "imageId"))]
    };
    let rules = || {
        vec![Rule::always("ec2", "DescribeInstanceTypeOfferings", |_| offerings("m6i.xlarge", CHINA, "ab"))]
    };
    let example = Example::new("examples-4.19/x-aws-china-ami", NEWER);
    Example { region: CHINA, given, rules, ..example }.is_the_same(40);
}

#[test]
#[ignore = "needs terraform and moto"]
fn defaults_are_the_same() {
    Example::new("examples-4.19/var-aws-defaults", NEWER).is_the_same(60);
}

#[test]
#[ignore = "needs terraform and moto"]
fn defaults_are_the_same_in_the_older_layout() {
    Example::new("examples/variants/aws-defaults", OLDER).is_the_same(50);
}

#[test]
#[ignore = "needs terraform and moto"]
fn arm64_is_the_same() {
    Example::new("examples-4.19/var-aws-arm64", NEWER).is_the_same(60);
}

#[test]
#[ignore = "needs terraform and moto"]
fn arm64_is_the_same_in_the_older_layout() {
    Example::new("examples/variants/aws-arm64", OLDER).is_the_same(50);
}

#[test]
#[ignore = "needs terraform and moto"]
fn three_machines_without_workers_are_the_same() {
    Example::new("examples-4.19/x-aws-compact", NEWER).is_the_same(60);
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_single_node_is_the_same() {
    Example::new("examples-4.19/x-aws-sno", NEWER).is_the_same(60);
}

#[test]
#[ignore = "needs terraform and moto"]
fn another_join_subnet_is_the_same() {
    Example::new("examples-4.19/x-aws-join", NEWER).is_the_same(60);
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_trust_bundle_and_feature_gates_are_the_same() {
    Example::new("examples-4.19/x-aws-trust-gates", NEWER).is_the_same(60);
}

/// A network with subnets in these zones, private and public.
fn network(moto: &Moto, zones: [&str; 3]) -> (String, [String; 3], [String; 3]) {
    let vpc = moto.vpc(COMMERCIAL, "10.0.0.0/16");
    let mut number = 0;
    let mut subnet = |zone: &str| {
        number += 1;
        moto.subnet(&vpc, zone, &format!("10.0.{number}.0/24"), None)
    };
    let (private, public) = (zones.map(&mut subnet), zones.map(&mut subnet));
    moto.publish(COMMERCIAL, &vpc, &public.each_ref().map(String::as_str));
    (vpc, private, public)
}

/// A network, roles, security groups, images and a key of the user's.
fn overrides(moto: &Moto, release: &str) -> Given {
    let cloud = Cloud { moto, region: COMMERCIAL };
    let trust = "{\"Version\":\"2012-10-17\",\"Statement\":[]}";
    for role in ["my-master-role", "my-worker-role"] {
        cloud.iam("CreateRole", &[("RoleName", role), ("AssumeRolePolicyDocument", trust)]);
    }
    let (vpc, private, public) = network(moto, ["us-east-1a", "us-east-1b", "us-east-1c"]);
    let group = |name: &str| {
        let group = [("GroupName", name), ("GroupDescription", name), ("VpcId", vpc.as_str())];
        cloud.ec2("CreateSecurityGroup", &group).find("groupId").text().to_owned()
    };
    let image = image(Some(release), COMMERCIAL);
    let ([first, second, third], [public_first, public_second, public_third]) = (private, public);
    vec![
        ("subnet-0prv1", first),
        ("subnet-0prv2", second),
        ("subnet-0prv3", third),
        ("subnet-0pub1", public_first),
        ("subnet-0pub2", public_second),
        ("subnet-0pub3", public_third),
        ("sg-0aaa", group("first")),
        ("sg-0bbb", group("second")),
        ("ami-0master000000000", image.clone()),
        ("ami-0default00000000", image),
        ("arn:aws:kms:us-east-1:123456789012:key/11111111-1111-2222-3333-444444444444", cloud.key()),
    ]
}

#[test]
#[ignore = "needs terraform and moto"]
fn settings_of_pools_are_the_same() {
    let example = Example::new("examples-4.19/var-aws-pool-overrides", NEWER);
    let given = |moto: &Moto| overrides(moto, NEWER);
    Example { given, exceptions: FIRST_SUBNET, ..example }.is_the_same(20);
}

#[test]
#[ignore = "needs terraform and moto"]
fn settings_of_pools_are_the_same_in_the_older_layout() {
    let example = Example::new("examples/variants/aws-pool-overrides", OLDER);
    let given = |moto: &Moto| overrides(moto, OLDER);
    Example { given, exceptions: FIRST_SUBNET, ..example }.is_the_same(20);
}

/// Local zones, as zones of moto.
const LOCAL: &[Shown] = &[
    Shown { local: "us-east-1-bos-1a", zone: "us-east-1d" },
    Shown { local: "us-east-1-nyc-1a", zone: "us-east-1f" },
];

#[test]
#[ignore = "needs terraform and moto"]
fn local_zones_are_the_same() {
    Example { shown: LOCAL, ..Example::new("examples-4.19/x-aws-edge", NEWER) }.is_the_same(60);
}

#[test]
#[ignore = "needs terraform and moto"]
fn a_subnet_in_a_local_zone_is_used_alike() {
    let given = |moto: &Moto| {
        let (vpc, private, public) = network(moto, ["us-east-1a", "us-east-1b", "us-east-1c"]);
        let [edge] = ONE_LOCAL_ZONE else { panic!("one zone") };
        let edge = moto.subnet(&vpc, edge.zone, "10.0.100.0/24", None);
        let names =
            ["subnet-0prv0", "subnet-0prv1", "subnet-0prv2", "subnet-0pub0", "subnet-0pub1", "subnet-0pub2"];
        let subnets = private.into_iter().chain(public);
        names.into_iter().zip(subnets).chain([("subnet-0edge1", edge)]).collect()
    };
    let example = Example::new("examples-4.19/x-aws-edge-existing", NEWER);
    Example { given, shown: ONE_LOCAL_ZONE, exceptions: FIRST_SUBNET, ..example }.is_the_same(20);
}
