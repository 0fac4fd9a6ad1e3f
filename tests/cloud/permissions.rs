//! What the caller may do, and how much of everything the account may have.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::answers::{quotas, simulated};
use crate::front::{Front, Rule, refusal};
use crate::moto::{Keys, Moto, image};
use crate::program::{CONFIG, Landfall, Report, config, text};

const REGION: &str = "us-east-1";

#[test]
#[ignore = "needs moto"]
fn permissions_and_quotas_are_counted_before_anything_is_made() {
    let moto = Moto::start();
    let keys = moto.user(REGION);
    moto.zone(REGION, "example.com");
    denied(&moto, &keys);
    not_proven(&moto, &keys);
    in_parts(&moto, &keys);
    passed_with_a_profile(&moto, &keys);
    enough(&moto, &keys);
    // Machines that run already: one of four processors.
    let machine = [
        ("ImageId", image(None, REGION)),
        ("InstanceType", "m5.xlarge".to_owned()),
        ("MinCount", "1".to_owned()),
        ("MaxCount", "1".to_owned()),
    ];
    let machine = machine.each_ref().map(|(name, value)| (*name, value.as_str()));
    moto.ec2(REGION, "RunInstances", &machine);
    too_few(&moto, &keys);
}

fn with_rules(moto: &Moto, keys: &Keys, rules: Vec<Rule>) -> Report {
    let front = Front::start(Some(moto.port), None, rules);
    Landfall::new(CONFIG).keys(keys).with("AWS_ENDPOINT_URL", front.url()).preflight()
}

fn denied(moto: &Moto, keys: &Keys) {
    let actions = ["ec2:RunInstances", "elasticloadbalancing:CreateLoadBalancer"];
    let rule = Rule::always("iam", "SimulatePrincipalPolicy", move |asked| simulated(asked, &actions));
    let report = with_rules(moto, keys, vec![rule]);
    let check = report.says("aws.permissions", "failed", &actions);
    let listed: BTreeSet<&str> =
        check["evidence"]["denied"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(listed, BTreeSet::from(actions), "{check}");
    report.is("aws.permissions.credentials-mode", "passed");
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);

    // Operators that can neither be given credentials nor share those of the caller.
    let actions = ["iam:CreateAccessKey", "iam:CreateUser", "ec2:DescribeInstances"];
    let rule = Rule::always("iam", "SimulatePrincipalPolicy", move |asked| simulated(asked, &actions));
    let report = with_rules(moto, keys, vec![rule]);
    let check = report.is("aws.permissions.credentials-mode", "failed");
    assert_eq!(text(check, "field"), "credentialsMode", "{check}");
}

fn not_proven(moto: &Moto, keys: &Keys) {
    let rules = vec![
        Rule::always("iam", "SimulatePrincipalPolicy", |asked| {
            refusal(
                asked,
                403,
                "AccessDenied",
                "User is not authorized to perform: iam:SimulatePrincipalPolicy",
            )
        }),
        Rule::always("servicequotas", "ListServiceQuotas", |asked| {
            refusal(asked, 400, "AccessDeniedException", "User is not authorized")
        }),
    ];
    let report = with_rules(moto, keys, rules);
    report.passes();
    for id in ["aws.permissions", "aws.permissions.credentials-mode"] {
        report.says(id, "skipped", &["not proven"]);
    }
    report.says("aws.quota", "skipped", &["ec2", "vpc", "AccessDeniedException"]);
    assert!(!report.all().iter().any(|check| text(check, "id").starts_with("aws.quota.")), "{}", report.ran);
}

/// IAM does not take all actions together, and some of them not at all: what it says of the others counts.
fn in_parts(moto: &Moto, keys: &Keys) {
    const MOST: usize = 20;
    let rule = Rule::always("iam", "SimulatePrincipalPolicy", |asked| {
        let refused = |message: &str| refusal(asked, 400, "InvalidInput", message);
        if asked.body.matches("ActionNames.member.").count() > MOST {
            return refused("Invalid Input: the actions require different authorization information");
        }
        if asked.body.contains("CreateBucket") {
            return refused("Invalid Input: a bucket is asked for in vain");
        }
        simulated(asked, &["ec2:RunInstances"])
    });
    let report = with_rules(moto, keys, vec![rule]);
    let check = report.says("aws.permissions", "failed", &["ec2:RunInstances", "not proven"]);
    let listed = |name: &str| check["evidence"][name].as_array().cloned().unwrap_or_default();
    assert_eq!(listed("denied"), ["ec2:RunInstances"], "{check}");
    assert!(listed("unproven").iter().any(|action| action == "s3:CreateBucket"), "{check}");
    report.is("aws.permissions.credentials-mode", "passed");
}

/// Machines of a pool with an instance profile get the role inside it, which the caller must be allowed to pass to EC2.
fn passed_with_a_profile(moto: &Moto, keys: &Keys) {
    let iam = |more: &[(&str, &str)]| {
        let form: Vec<(&str, &str)> = [("Version", "2010-05-08")].iter().chain(more).copied().collect();
        moto.ask("iam", REGION, &form);
    };
    let (role, profile) = (("RoleName", "machines"), ("InstanceProfileName", "nodes"));
    let trust = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "sts:AssumeRole",
        "Principal": {"Service": "ec2.amazonaws.com"}}]}"#;
    iam(&[("Action", "CreateRole"), role, ("Path", "/team/"), ("AssumeRolePolicyDocument", trust)]);
    iam(&[("Action", "CreateInstanceProfile"), profile]);
    iam(&[("Action", "AddRoleToInstanceProfile"), profile, role]);
    let answer = Rule::always("iam", "SimulatePrincipalPolicy", |asked| {
        let of_role = asked.body.contains("role%2Fteam%2Fmachines");
        assert!(!of_role || asked.body.contains("iam%3APassedToService"), "{}", asked.body);
        simulated(asked, if of_role { &["iam:PassRole", "iam:GetRole"] } else { &["iam:CreateRole"] })
    });
    let front = Front::start(Some(moto.port), None, vec![answer]);
    let config = config(REGION, "    defaultMachinePlatform:\n      iamProfile: nodes\n");
    let report = Landfall::new(&config).keys(keys).with("AWS_ENDPOINT_URL", front.url()).preflight();
    let check = report.says("aws.permissions", "failed", &["iam:PassRole"]);
    // Roles are not created, and the role is only passed.
    assert_eq!(check["evidence"]["denied"], serde_json::json!(["iam:PassRole"]), "{check}");
}

/// Service, code and limit.
type Limits = &'static [(&'static str, &'static str, f64)];

/// A report of an account with these limits.
fn limited(moto: &Moto, keys: &Keys, limits: Limits) -> Report {
    let rule = Rule::always("servicequotas", "ListServiceQuotas", move |asked| quotas(asked, limits));
    with_rules(moto, keys, vec![rule])
}

fn amounts(report: &Report, id: &str, status: &str) -> [Option<f64>; 3] {
    let check = report.is(id, status);
    ["limit", "used", "needed"].map(|name| check["evidence"][name].as_f64())
}

fn enough(moto: &Moto, keys: &Keys) {
    let report = limited(
        moto,
        keys,
        &[
            ("ec2", "L-1216C47A", 200.0),
            ("ec2", "L-0263D0A3", 50.0),
            ("vpc", "L-F678F1CE", 5.0),
            ("vpc", "L-A4707A72", 5.0),
            ("vpc", "L-FE5A380F", 5.0),
            ("vpc", "L-E79EC296", 500.0),
            ("elasticloadbalancing", "L-69A177A2", 50.0),
        ],
    );
    report.passes();
    // Three machines of the control plane, three for work and one to begin with, of four processors each.
    assert_eq!(amounts(&report, "aws.quota.standardVcpus", "passed"), [200.0, 0.0, 28.0].map(Some));
    report.says("aws.quota.standardVcpus", "passed", &[" 200"]);
    // Every account has a network from the beginning.
    assert_eq!(amounts(&report, "aws.quota.vpcs", "passed"), [5.0, 1.0, 1.0].map(Some));
}

fn too_few(moto: &Moto, keys: &Keys) {
    let report = limited(
        moto,
        keys,
        &[
            ("ec2", "L-1216C47A", 30.0),
            ("ec2", "L-0263D0A3", 5.0),
            ("vpc", "L-F678F1CE", 1.0),
            ("vpc", "L-A4707A72", 5.0),
            ("vpc", "L-FE5A380F", 0.0),
        ],
    );
    assert_eq!(amounts(&report, "aws.quota.standardVcpus", "failed"), [30.0, 4.0, 28.0].map(Some));
    report.says("aws.quota.standardVcpus", "failed", &["30", "4", "28"]);
    assert_eq!(amounts(&report, "aws.quota.vpcs", "failed"), [1.0, 1.0, 1.0].map(Some));
    assert_eq!(amounts(&report, "aws.quota.natGateways", "failed")[0], Some(0.0), "{}", report.ran);
    // Five zones take the last five addresses.
    assert_eq!(amounts(&report, "aws.quota.elasticIps", "warned"), [5.0, 0.0, 5.0].map(Some));
    // Limits that the account does not tell.
    report.is("aws.quota.networkLoadBalancers", "skipped");
    report.is("aws.quota.internetGateways", "passed");
}
