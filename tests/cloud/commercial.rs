//! A plain config in the public cloud, from preflight to the files of the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::front::{Front, UNSIGNED};
use crate::moto::{Moto, image};
use crate::program::{CONFIG, Landfall, SERVICES, text};

/// What must be found well; that the services can be reached comes on top.
const PASSED: &[&str] = &[
    "aws.trust",
    "aws.credentials",
    "aws.account",
    "aws.region",
    "aws.region.endpoints",
    "aws.zones",
    "aws.instance-types",
    "aws.image.amd64",
    "aws.image.choice",
    "aws.public-zone",
    "aws.network",
    "aws.permissions",
    "aws.permissions.credentials-mode",
    "aws.quota.elasticIps",
    "aws.quota.internetGateways",
    "aws.quota.natGateways",
    "aws.quota.networkLoadBalancers",
    "aws.quota.securityGroups",
    "aws.quota.standardVcpus",
    "aws.quota.vpcs",
];

/// How the names of actions begin that change nothing.
const READING: &[&str] = &["Describe", "Get", "List", "Simulate", "GET ", "HEAD "];

#[test]
#[ignore = "needs moto"]
fn a_plain_config_passes_and_becomes_files() {
    let moto = Moto::start();
    let (keys, zone) = (moto.user("us-east-1"), moto.zone("us-east-1", "example.com"));
    let before = state(&moto);
    let front = Front::start(Some(moto.port), None, Vec::new());
    let landfall = Landfall::new(CONFIG).keys(&keys).with("AWS_ENDPOINT_URL", front.url());

    let report = landfall.preflight();
    report.passes();
    for id in PASSED {
        report.is(id, "passed");
    }
    for service in SERVICES {
        report.is(&format!("aws.endpoint.{service}"), "passed");
    }
    let account = report.check("aws.account")["evidence"].to_string();
    assert!(account.contains("123456789012") && account.contains("user/lander"), "{account}");
    let image = image(None, "us-east-1");
    assert!(report.check("aws.image.amd64").to_string().contains(&image), "{image}");
    told_to_people(&landfall);

    let facts = landfall.ask(&["facts"]).ends(0);
    look_at_facts(&facts.json()["aws"], &zone);
    the_same_files_again(&landfall, &front, &facts.out);
    policy_of_this_config(&landfall, &front);

    let actions: BTreeSet<String> = front.asked().iter().map(super::front::Asked::action).collect();
    let changing: Vec<&String> =
        actions.iter().filter(|action| !READING.iter().any(|begin| action.starts_with(begin))).collect();
    assert!(changing.is_empty(), "{changing:?}");
    assert!(actions.contains("DescribeAvailabilityZones") && actions.contains("GetCallerIdentity"));
    assert_eq!(before, state(&moto));

    // What an earlier cluster of the same name left behind.
    moto.record("us-east-1", &zone, "api.demo.example.com");
    let report = landfall.preflight();
    let check = report.says("aws.public-zone", "failed", &["api.demo.example.com A"]);
    assert_eq!(text(check, "code"), "LF0726", "{check}");
    assert_eq!(text(check, "field"), "baseDomain", "{check}");
}

/// What there is in the region that an installation would add to.
fn state(moto: &Moto) -> Vec<String> {
    let lists = ["DescribeVpcs", "DescribeSubnets", "DescribeInternetGateways", "DescribeSecurityGroups"];
    let mut state: Vec<String> = lists.iter().map(|action| moto.ec2("us-east-1", action, &[])).collect();
    // Each answer has an id of its own.
    let users = moto.ask("iam", "us-east-1", &[("Action", "ListUsers"), ("Version", "2010-05-08")]);
    state.push(users.split("<ResponseMetadata>").next().unwrap_or_default().to_owned());
    state
}

/// The same report in the form for people.
fn told_to_people(landfall: &Landfall) {
    let ran = landfall.ask(&["preflight"]).ends(0);
    for id in ["aws.endpoint.ec2", "aws.zones", "aws.permissions"] {
        let line = ran.out.lines().find(|line| line.split_whitespace().nth(1) == Some(id));
        assert!(line.is_some_and(|line| line.starts_with("ok ")), "{ran}");
    }
    assert!(ran.err.contains("passed: "), "{ran}");
}

fn look_at_facts(facts: &Value, zone: &str) {
    assert_eq!(facts["region"], "us-east-1", "{facts}");
    assert_eq!(facts["partition"], "aws", "{facts}");
    assert_eq!(facts["optIn"], "opt-in-not-required", "{facts}");
    assert_eq!(facts["caller"]["account"], "123456789012", "{facts}");
    assert_eq!(facts["caller"]["arn"], "arn:aws:iam::123456789012:user/lander", "{facts}");
    let zones: Vec<&str> = facts["zones"].as_array().unwrap().iter().map(|zone| text(zone, "name")).collect();
    let letters = ["a", "b", "c", "d", "e", "f"].map(|letter| format!("us-east-1{letter}"));
    assert_eq!(zones, letters, "{facts}");
    let usual = &facts["instanceTypes"]["m6i.xlarge"];
    assert_eq!(usual["vcpus"], 4, "{facts}");
    assert_eq!(usual["memoryMib"], 16384, "{facts}");
    assert_eq!(usual["architectures"], json!(["amd64"]), "{facts}");
    assert!(!usual["zones"].as_array().unwrap().contains(&json!("us-east-1e")), "{facts}");
    assert_eq!(facts["publicZone"]["id"], zone, "{facts}");
    assert_eq!(facts["publicZone"]["name"], "example.com", "{facts}");
}

/// Files made of what the cloud says are those made of the facts that it gave before. Only the certificates,
/// which are new in every directory, are taken along.
fn the_same_files_again(landfall: &Landfall, front: &Front, facts: &str) {
    let fixed = ["create", "manifests", "--infra-id", "demo-bcd24"];
    landfall.ask(&fixed).ends(0);
    let asked = front.asked().len();
    let other = Landfall::new(CONFIG);
    let other = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].iter().fold(other, |other, name| {
        let value = landfall.variable(name).to_owned();
        other.with(name, value)
    });
    let (from, to) = (landfall.directory().join("auth/tls"), other.directory().join("auth/tls"));
    std::fs::create_dir_all(&to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    let given = other.write("given.json", facts);
    other.run(&[&fixed[..], &["--facts", given.as_str()]].concat()).ends(0);
    assert_eq!(front.asked().len(), asked, "facts that are given leave nothing to ask");
    let (one, two) = (files(landfall.directory()), files(other.directory()));
    assert!(one.contains_key("metadata.json") && one.contains_key("facts.json"), "{:?}", one.keys());
    assert!(one.keys().eq(two.keys()), "{:?} {:?}", one.keys(), two.keys());
    for (path, bytes) in &one {
        assert_eq!(Some(bytes), two.get(path), "{path}");
    }
    let dns = String::from_utf8_lossy(&one["manifests/cluster-dns-02-config.yml"]).into_owned();
    assert!(dns.contains("publicZone:"), "{dns}");
}

/// Every file below a directory but landfall's own records.
fn files(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    WalkDir::new(directory)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file())
        .map(|entry| {
            let path = entry.path().strip_prefix(directory).unwrap().to_str().unwrap().to_owned();
            (path, std::fs::read(entry.path()).unwrap())
        })
        .filter(|(path, _)| !path.starts_with(".landfall"))
        .collect()
}

fn policy_of_this_config(landfall: &Landfall, front: &Front) {
    let asked = front.asked().len();
    let policy = landfall.run(&["create", "permissions-policy"]).ends(0).json();
    assert_eq!(policy["Version"], "2012-10-17", "{policy}");
    assert!(policy["Statement"].as_array().is_some_and(|all| !all.is_empty()), "{policy}");
    for action in ["ec2:RunInstances", "iam:SimulatePrincipalPolicy", "s3:CreateBucket"] {
        assert!(policy.to_string().contains(&format!("\"{action}\"")), "{action}: {policy}");
    }
    assert_eq!(front.asked().len(), asked, "no cloud is asked for a policy");
}

/// Nothing is asked of a config that is not valid, and nothing is written by a question.
#[test]
fn a_config_that_is_not_valid_asks_nobody() {
    let front = Front::start(None, None, Vec::new());
    let landfall = Landfall::new(&CONFIG.replace("baseDomain: example.com\n", ""))
        .with("AWS_ENDPOINT_URL", front.url())
        .with("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
        .with("AWS_SECRET_ACCESS_KEY", "example");
    for command in ["preflight", "facts"] {
        landfall.run(&[command]).ends(3);
    }
    landfall.run(&["create", "manifests"]).ends(3);
    assert!(front.asked().is_empty(), "{:?}", front.asked());
    assert_eq!(files(landfall.directory()).len(), 1);

    // A valid one is looked at, signed only where there is somebody to sign for.
    let landfall = Landfall::new(CONFIG).with("AWS_ENDPOINT_URL", front.url());
    landfall.run(&["preflight"]).ends(4);
    assert!(front.asked().iter().all(|asked| asked.service() == UNSIGNED), "{:?}", front.asked());
    assert_eq!(files(landfall.directory()).len(), 1);
}
