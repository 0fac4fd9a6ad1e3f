//! `landfall destroy find --all-regions`: one table, and an exit code that says whether everything was searched.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::answers::{caller, nothing_tagged, region, throttled};
use crate::authority::Authority;
use crate::front::{ALL, Asked, Front, Reply, Rule, refusal};
use crate::program::{Landfall, Ran, config};
use crate::proxy::{Proxy, Way};

const PARTITIONS: &str = include_str!("../../crates/model/src/aws/data/partitions.json");

/// The region that knows nobody, as it is not enabled.
const OFF: &str = "ap-east-1";
/// The region in which the trouble is.
const TROUBLED: &str = "eu-north-1";
/// The region with a cluster.
const HOME: &str = "us-west-2";
const ID: &str = "demo-bcd24";

/// What the troubled region answers.
type Trouble = fn(&Asked) -> Reply;

fn tagged(body: &Value) -> Reply {
    Reply::new(200, "application/x-amz-json-1.1", body.to_string())
}

/// What a region says of its resources.
fn resources(asked: &Asked) -> Reply {
    let key = format!("kubernetes.io/cluster/{ID}");
    let is_home = asked.region() == HOME;
    if asked.action().ends_with("GetTagKeys") {
        return tagged(&json!({ "TagKeys": if is_home { vec![key.as_str()] } else { Vec::new() } }));
    }
    let vpc = format!("arn:aws:ec2:{HOME}:123456789012:vpc/vpc-1");
    let mapping = json!({ "ResourceARN": vpc, "Tags": [{ "Key": key, "Value": "owned" }] });
    tagged(&json!({ "ResourceTagMappingList": if is_home { vec![mapping] } else { Vec::new() } }))
}

/// A search of all regions of the public partition, of which one is off and one is in trouble.
fn search(trouble: Option<Trouble>, more: &[&str]) -> Ran {
    let authority = Authority::new("Public Authority");
    let partitions: Value = serde_json::from_str(PARTITIONS).unwrap();
    let regions = partitions["aws"]["regions"].as_object().unwrap().keys();
    let mut hosts: Vec<String> = regions.map(|region| format!("*.{region}.amazonaws.com")).collect();
    hosts.push("*.amazonaws.com".to_owned());
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let rules = vec![
        Rule::always("sts", "GetCallerIdentity", |asked| match asked.region() {
            OFF => refusal(asked, 403, "InvalidClientTokenId", "The security token is invalid."),
            _ => caller("arn:aws:iam::123456789012:user/lander"),
        }),
        Rule::always("ec2", ALL, move |asked| match (asked.region(), trouble) {
            (OFF, _) => refusal(asked, 401, "AuthFailure", "AWS was not able to validate the credentials"),
            (TROUBLED, Some(trouble)) => trouble(asked),
            _ if asked.action() == "DescribeRegions" => region(OFF, "not-opted-in"),
            _ => nothing_tagged(),
        }),
        Rule::always("tagging", ALL, move |asked| match (asked.region(), trouble) {
            (OFF, _) => refusal(asked, 400, "UnrecognizedClientException", "The security token is invalid."),
            (TROUBLED, Some(trouble)) => trouble(asked),
            _ => resources(asked),
        }),
    ];
    let front = Front::start(None, Some(authority.server(&hosts)), rules);
    let port = front.port;
    let proxy = Proxy::start(move |_| Way::To(port));
    let landfall = Landfall::new(&config("us-east-1", ""))
        .naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem)
        .with("HTTPS_PROXY", format!("http://127.0.0.1:{}", proxy.port))
        .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .with("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY");
    landfall.run(&[&["destroy", "find", "--region", "us-east-1", "--all-regions"], more].concat())
}

/// The regions in the table, with what is said of each.
fn rows(ran: &Ran) -> BTreeSet<(String, String)> {
    let lines = ran.out.lines().skip(1);
    let words = lines.map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<String>>());
    words.filter(|words| words.len() > 3).map(|words| (words[2].clone(), words[3..].join(" "))).collect()
}

#[test]
fn a_region_that_is_not_enabled_is_named_and_nothing_is_missing() {
    let ran = search(None, &[]).ends(0);
    assert_eq!(rows(&ran), BTreeSet::from([(HOME.to_owned(), "1".to_owned())]), "{ran}");
    assert!(ran.out.contains(ID), "{ran}");
    let named = ran.err.lines().find(|line| line.contains(OFF)).unwrap_or_default();
    assert!(named.contains("not enabled") && !named.contains("error"), "{ran}");
}

#[test]
fn a_region_that_refuses_the_search_ends_it_with_4() {
    let denied: Trouble = |asked| refusal(asked, 400, "AccessDeniedException", "explicit deny");
    let ran = search(Some(denied), &[]).ends(4);
    let wanted = [(HOME, "1"), (TROUBLED, "search refused")];
    assert_eq!(rows(&ran), wanted.map(|(a, b)| (a.to_owned(), b.to_owned())).into(), "{ran}");
    assert!(ran.err.contains(&format!("{TROUBLED}: ")), "{ran}");
    let ran = search(Some(denied), &["-o", "json"]).ends(4);
    let lines = ran.out.lines().map(|line| serde_json::from_str(line).unwrap());
    let lines: Vec<Value> = lines.collect();
    assert_eq!((&lines[0]["infraID"], &lines[1]["outcome"]), (&json!(ID), &json!("partial")), "{ran}");
    assert!(lines[1]["findings"].to_string().contains(TROUBLED), "{ran}");
}

#[test]
fn a_region_that_does_not_answer_ends_it_with_5() {
    // A call ends after four fifths of it.
    let ran = search(Some(throttled), &["--timeout", "20s"]).ends(5);
    let wanted = [(HOME, "1"), (TROUBLED, "no answer")];
    assert_eq!(rows(&ran), wanted.map(|(a, b)| (a.to_owned(), b.to_owned())).into(), "{ran}");
}
