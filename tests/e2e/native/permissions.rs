//! What `create permissions-policy` prints is enough for the whole life of a cluster.

use std::collections::BTreeSet;

use crate::answers::no_regions;
use crate::existing_network::{self, Brought};
use crate::front::{Asked, Rule, Sent, UNSIGNED, refusal};
use crate::installation::Installation;
use crate::listing::Listing;

/// What everybody may ask.
const OF_EVERYBODY: &[&str] = &["sts:GetCallerIdentity"];

/// What landfall asks for, and can do without.
const OPTIONAL: &[&str] = &[
    // A refusal shows as well that the service is there.
    "iam:ListAccountAliases",
    "kms:ListKeys",
    "servicequotas:ListServices",
    // Policies are found by their tags, too.
    "iam:ListPolicies",
    // S3 removes a bucket with unfinished uploads.
    "s3:ListBucketMultipartUploads",
];

/// The action that a call needs; none for calls that are not signed.
/// <https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html>
fn action(asked: &Asked) -> Option<String> {
    match asked.service() {
        UNSIGNED => None,
        "s3" => Some(format!("s3:{}", of_s3(asked))),
        "route53" => Some(format!("route53:{}", of_route53(asked))),
        "tagging" => Some(format!("tag:{}", asked.action())),
        service => Some(format!("{service}:{}", asked.action())),
    }
}

fn parts(asked: &Asked) -> (Vec<&str>, &str) {
    let (path, query) = asked.path.split_once('?').unwrap_or((&asked.path, ""));
    (path.split('/').filter(|part| !part.is_empty()).collect(), query)
}

fn of_s3(asked: &Asked) -> &'static str {
    let (path, query) = parts(asked);
    let names: BTreeSet<&str> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    let is = |name: &str| names.contains(name);
    match (asked.method.as_str(), path.len()) {
        ("GET", 0) => "ListAllMyBuckets",
        ("GET", 1) if is("tagging") => "GetBucketTagging",
        ("GET", 1) if is("location") => "GetBucketLocation",
        ("GET", 1) if is("versions") => "ListBucketVersions",
        ("GET", 1) if is("uploads") => "ListBucketMultipartUploads",
        ("GET" | "HEAD", 1) => "ListBucket",
        ("PUT", 1) if is("tagging") => "PutBucketTagging",
        ("PUT", 1) => "CreateBucket",
        ("DELETE", 1) => "DeleteBucket",
        ("POST", 1) if is("delete") => "DeleteObject",
        ("GET" | "HEAD", _) => "GetObject",
        ("PUT", _) => "PutObject",
        ("DELETE", _) if is("uploadId") => "AbortMultipartUpload",
        ("DELETE", _) => "DeleteObject",
        _ => panic!("{} {}", asked.method, asked.path),
    }
}

fn of_route53(asked: &Asked) -> &'static str {
    let (path, _) = parts(asked);
    match (asked.method.as_str(), &path[1..]) {
        ("GET", ["hostedzone"]) => "ListHostedZones",
        ("POST", ["hostedzone"]) => "CreateHostedZone",
        ("GET", ["hostedzone", _]) => "GetHostedZone",
        ("POST", ["hostedzone", _]) => "UpdateHostedZoneComment",
        ("DELETE", ["hostedzone", _]) => "DeleteHostedZone",
        ("GET", ["hostedzone", _, "rrset"]) => "ListResourceRecordSets",
        ("POST", ["hostedzone", _, "rrset" | "rrset/"]) => "ChangeResourceRecordSets",
        ("GET", ["hostedzonesbyname"]) => "ListHostedZonesByName",
        ("GET", ["hostedzonesbyvpc"]) => "ListHostedZonesByVPC",
        ("GET", ["change", _]) => "GetChange",
        ("GET", ["tags", "hostedzone", _]) => "ListTagsForResource",
        ("POST", ["tags", "hostedzone"]) => "ListTagsForResources",
        ("POST", ["tags", "hostedzone", _]) => "ChangeTagsForResource",
        _ => panic!("{} {}", asked.method, asked.path),
    }
}

/// What AWS says to those who may not.
fn denied(asked: &Asked, action: &str) -> Sent {
    let (status, code) = match asked.service() {
        "ec2" => (403, "UnauthorizedOperation"),
        "servicequotas" | "tagging" | "kms" => (400, "AccessDeniedException"),
        _ => (403, "AccessDenied"),
    };
    let message = format!("User: demo is not authorized to perform: {action}");
    Sent::Whole(refusal(asked, status, code, &message).bytes())
}

/// A cluster's life in an account that may do what the policy says and nothing else; gives what was refused.
fn beyond_the_policy(installation: &Installation, create: impl Fn()) -> BTreeSet<String> {
    let policy = installation.policy();
    let statements = policy["Statement"].as_array().unwrap().iter();
    let allowed: BTreeSet<String> = statements
        .flat_map(|statement| statement["Action"].as_array().unwrap())
        .map(|action| action.as_str().unwrap().to_owned())
        .chain(OF_EVERYBODY.iter().map(|&action| action.to_owned()))
        .collect();
    let front = installation.front();
    let gate = allowed.clone();
    front.on_the_way(move |asked, pass| match action(asked) {
        Some(action) if !gate.contains(&action) => denied(asked, &action),
        _ => Sent::Whole(pass()),
    });
    let before = Listing::of(installation.cloud());
    create();
    create();
    installation.destroy();
    Listing::of(installation.cloud()).is_as(&before);
    let needed: BTreeSet<String> = front.asked().iter().filter_map(action).collect();
    for part in ["ec2:RunInstances", "s3:PutObject", "route53:ChangeResourceRecordSets", "iam:DeleteRole"] {
        assert!(needed.contains(part), "{part}: {needed:?}");
    }
    needed.difference(&allowed).cloned().collect()
}

fn is_enough(installation: &Installation, create: impl Fn()) {
    let beyond = beyond_the_policy(installation, create);
    assert!(beyond.iter().all(|action| OPTIONAL.contains(&action.as_str())), "{beyond:?}");
}

fn is_enough_natively(installation: &Installation) {
    is_enough(installation, || {
        installation.create_native(&[]);
    });
}

#[test]
#[ignore = "needs moto"]
fn the_policy_is_enough_for_the_native_engine() {
    is_enough_natively(&super::installation());
}

#[test]
#[ignore = "needs moto"]
fn the_policy_is_enough_for_dual_stack() {
    is_enough_natively(&super::dual_stack::installation("DualStackIPv4Primary"));
}

#[test]
#[ignore = "needs moto"]
fn the_policy_is_enough_for_a_given_network_and_a_copied_image() {
    let wanted = &existing_network::WANTED;
    let rules = vec![Rule::always("ec2", "DescribeRegions", |_| no_regions())];
    is_enough_natively(&Installation::prepare(wanted.release, wanted.region, rules, |moto| {
        Brought::make(moto).config()
    }));
}

#[test]
#[ignore = "needs terraform and moto"]
fn the_policy_is_enough_for_terraform() {
    let installation = super::installation();
    is_enough(&installation, || {
        installation.create();
    });
}
