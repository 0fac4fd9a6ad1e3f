//! Policies as data.

use std::collections::{BTreeMap, BTreeSet};

use landfall_model::aws::config::{MachinePool as Settings, Platform, Subnet};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::{InstallConfig, MachinePool};
use landfall_model::plan::Engine;
use serde_json::{Value, json};

use super::grants::PREFLIGHT;
use super::{Question, mint, needed, passthrough, policy, questions};
use crate::EDGE;

const RELEASE: &str = "4.19";
const ACCOUNT: &str = "123456789012";

#[test]
fn the_actions_of_preflight_are_read() {
    assert!(PREFLIGHT.len() > 20 && PREFLIGHT.is_sorted());
    assert!(PREFLIGHT.iter().all(|action| action.split_once(':').is_some()));
}

fn pool(name: &str) -> MachinePool {
    let (name, architecture) = (name.to_owned(), "amd64".to_owned());
    MachinePool { name, architecture, replicas: Some(3), ..MachinePool::default() }
}

fn config(region: &str) -> InstallConfig {
    let mut config = InstallConfig { base_domain: "example.com".to_owned(), ..InstallConfig::default() };
    config.metadata.name = "demo".to_owned();
    config.platform.aws = Some(Platform { region: region.to_owned(), ..Platform::default() });
    config.control_plane = Some(pool("master"));
    config.compute = vec![pool("worker")];
    config
}

fn with_platform(region: &str, change: fn(&mut Platform)) -> InstallConfig {
    let mut config = config(region);
    if let Some(platform) = &mut config.platform.aws {
        change(platform);
    }
    config
}

fn with_settings(region: &str, settings: &Settings) -> InstallConfig {
    let mut config = config(region);
    for pool in config.control_plane.iter_mut().chain(&mut config.compute) {
        pool.platform.aws = Some(settings.clone());
    }
    config
}

fn actions(config: &InstallConfig) -> Vec<String> {
    needed(config, Catalogue::embedded(), RELEASE)
}

fn needs(config: &InstallConfig, action: &str) -> bool {
    actions(config).iter().any(|needed| needed == action)
}

fn statements(config: &InstallConfig) -> Vec<Value> {
    let policy = policy(config, Catalogue::embedded(), RELEASE);
    assert_eq!(policy["Version"], "2012-10-17");
    policy["Statement"].as_array().cloned().unwrap_or_default()
}

fn listed(statement: &Value) -> Vec<String> {
    let actions = statement["Action"].as_array().cloned().unwrap_or_default();
    actions.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The statement that allows an action; null where none does.
fn allowing(config: &InstallConfig, action: &str) -> Value {
    let mut all = statements(config).into_iter();
    all.find(|statement| listed(statement).iter().any(|listed| listed == action)).unwrap_or_default()
}

/// What holds for every policy.
fn check(config: &InstallConfig) {
    let statements = statements(config);
    let all: Vec<String> = statements.iter().flat_map(listed).collect();
    let unique: BTreeSet<&String> = all.iter().collect();
    assert_eq!(unique.len(), all.len(), "an action stands twice");
    for action in actions(config) {
        assert!(unique.contains(&action), "{action}");
    }
    let names: BTreeSet<&str> = statements.iter().filter_map(|statement| statement["Sid"].as_str()).collect();
    assert_eq!(names.len(), statements.len());
    for statement in &statements {
        let name = statement["Sid"].as_str().unwrap_or_default();
        assert!(!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric()), "{name}");
        assert_eq!(statement["Effect"], "Allow");
        assert!(!listed(statement).is_empty() && !statement["Resource"].is_null(), "{name}");
    }
}

#[test]
fn a_new_network_in_a_public_region() {
    let mut config = config("us-east-1");
    check(&config);
    let needed = actions(&config);
    assert!(needed.is_sorted_by(|a, b| a < b));
    let taken = ["ec2:CreateVpc", "iam:CreateRole", "iam:CreateInstanceProfile", "s3:DeleteBucket"];
    assert!(taken.iter().all(|action| needs(&config, action)), "{needed:?}");
    let left = ["iam:UntagRole", "sts:AssumeRole", "kms:CreateGrant", "ec2:ReleaseHosts", "iam:CreateUser"];
    assert!(!left.iter().any(|action| needs(&config, action)), "{needed:?}");
    let run = allowing(&config, "ec2:RunInstances");
    assert_eq!(run["Resource"], "*");
    assert_eq!(run["Condition"], json!({ "StringEquals": { "aws:RequestedRegion": "us-east-1" } }));
    let role = allowing(&config, "iam:CreateRole");
    assert_eq!(role["Resource"], "arn:aws:iam::*:role/demo-*");
    assert!(role.get("Condition").is_none());
    assert_eq!(allowing(&config, "iam:PassRole"), role);
    let bucket = allowing(&config, "s3:CreateBucket");
    assert_eq!(bucket["Resource"], json!(["arn:aws:s3:::demo-*", "arn:aws:s3:::demo-*/*"]));
    let zones = json!(["arn:aws:route53:::hostedzone/*", "arn:aws:route53:::change/*"]);
    assert_eq!(allowing(&config, "route53:ChangeResourceRecordSets")["Resource"], zones);
    for action in ["s3:ListAllMyBuckets", "iam:GetUser", "iam:SimulatePrincipalPolicy"] {
        assert_eq!(allowing(&config, action)["Resource"], "*", "{action}");
    }
    assert!(allowing(&config, "servicequotas:ListServiceQuotas").is_object());
    // The cluster asks whether it may mint for any user, unless the config says that it may.
    assert_eq!(allowing(&config, "iam:CreateUser")["Resource"], "*");
    config.credentials_mode = "Mint".to_owned();
    assert_eq!(allowing(&config, "iam:CreateUser")["Resource"], "arn:aws:iam::*:user/demo-*");
}

#[test]
fn a_policy_is_not_longer_than_one_may_be() {
    const MOST: usize = 6144;
    let mut config = config("eu-central-1");
    config.metadata.name = "a-name-that-is-as-long-as-it-can-be".to_owned();
    let policy = policy(&config, Catalogue::embedded(), RELEASE).to_string();
    assert!(policy.len() <= MOST, "{}", policy.len());
}

#[test]
fn other_partitions_have_other_arns() {
    for (region, start) in [("us-gov-east-1", "arn:aws-us-gov:"), ("cn-north-1", "arn:aws-cn:")] {
        let config = config(region);
        check(&config);
        let resources: Vec<Value> = statements(&config)
            .iter()
            .flat_map(|statement| match &statement["Resource"] {
                Value::Array(all) => all.clone(),
                one => vec![one.clone()],
            })
            .collect();
        let fits = |arn: &Value| arn == "*" || arn.as_str().is_some_and(|arn| arn.starts_with(start));
        assert!(resources.iter().all(fits), "{resources:?}");
        assert!(allowing(&config, "servicequotas:ListServiceQuotas").is_object());
    }
    let tags = allowing(&config("us-gov-east-1"), "tag:GetResources");
    let regions = json!(["us-gov-east-1", "us-gov-west-1"]);
    assert_eq!(tags["Condition"]["StringEquals"]["aws:RequestedRegion"], regions);
}

#[test]
fn nothing_is_deleted_in_a_secret_partition() {
    let config = config("us-iso-east-1");
    check(&config);
    assert!(needs(&config, "ec2:CreateVpc") && !needs(&config, "ec2:DeleteVpc"));
    assert!(allowing(&config, "servicequotas:ListServiceQuotas").is_null());
}

#[test]
fn an_existing_network_is_left_alone() {
    let config = with_platform("us-east-1", |platform| platform.vpc.subnets = vec![Subnet::default()]);
    check(&config);
    assert!(!needs(&config, "ec2:CreateVpc") && !needs(&config, "ec2:DeleteVpc"));
    assert!(needs(&config, "tag:UntagResources") && needs(&config, "ec2:DescribeSubnets"));
}

#[test]
fn an_existing_zone_is_the_only_one_of_an_internal_cluster() {
    let external = with_platform("us-east-1", |platform| {
        platform.hosted_zone = "Z0PRIVATE".to_owned();
        platform.hosted_zone_role = "arn:aws:iam::210987654321:role/dns".to_owned();
    });
    let internal = InstallConfig {
        publish: "Internal".to_owned(),
        credentials_mode: "Passthrough".to_owned(),
        ..external.clone()
    };
    for config in [&external, &internal] {
        check(config);
        assert!(!needs(config, "route53:CreateHostedZone") && !needs(config, "route53:DeleteHostedZone"));
        let role = allowing(config, "sts:AssumeRole");
        assert_eq!(role["Resource"], "arn:aws:iam::210987654321:role/dns");
    }
    let first = |config: &InstallConfig| allowing(config, "route53:GetHostedZone")["Resource"][0].clone();
    assert_eq!(first(&external), "arn:aws:route53:::hostedzone/*");
    assert_eq!(first(&internal), "arn:aws:route53:::hostedzone/Z0PRIVATE");
    assert!(allowing(&external, "iam:CreateUser").is_object());
    assert!(allowing(&internal, "iam:CreateUser").is_null());
}

#[test]
fn nothing_is_changed_in_the_dns_of_a_cluster_with_records_of_the_users() {
    let config = with_platform("us-east-1", |platform| platform.user_provisioned_dns = "Enabled".to_owned());
    let of_dns = |action: &String| action.starts_with("route53:");
    assert!(!actions(&config).iter().any(of_dns) && actions(&self::config("us-east-1")).iter().any(of_dns));
    assert!(allowing(&config, "route53:ChangeResourceRecordSets").is_null());
    // Preflight and destroy look for zones.
    assert!(allowing(&config, "route53:ListHostedZones").is_object());
}

#[test]
fn keys_are_those_of_the_config() {
    let key = "arn:aws:kms:us-east-1:123456789012:key/11111111-2222-3333-4444-555555555555";
    let mut settings = Settings::default();
    for (given, allowed) in [
        (key, key),
        ("arn:aws:kms:us-east-1:123456789012:alias/disks", "arn:aws:kms:us-east-1:123456789012:key/*"),
    ] {
        given.clone_into(&mut settings.root_volume.kms_key_arn);
        let config = with_settings("us-east-1", &settings);
        check(&config);
        assert!(needs(&config, "kms:CreateGrant"));
        assert_eq!(allowing(&config, "kms:CreateGrant")["Resource"], allowed);
    }
}

#[test]
fn given_roles_are_used_and_not_made() {
    let settings = Settings {
        iam_role: "nodes".to_owned(),
        instance_type: "m5.xlarge".to_owned(),
        zones: vec!["us-east-1a".to_owned()],
        ..Settings::default()
    };
    let config = with_settings("us-east-1", &settings);
    check(&config);
    assert!(!needs(&config, "iam:CreateRole") && needs(&config, "iam:UntagRole"));
    let used = allowing(&config, "iam:PassRole");
    let roles = ["arn:aws:iam::*:role/demo-*", "arn:aws:iam::*:role/nodes", "arn:aws:iam::*:role/*/nodes"];
    assert_eq!(used["Resource"], json!(roles));
    assert_eq!(allowing(&config, "iam:GetRolePolicy")["Resource"], roles[0]);
    assert!(needs(&config, "ec2:DescribeInstanceTypes"));
}

#[test]
fn roles_inside_of_given_instance_profiles_are_passed_to_machines_only() {
    let profile = |name: &str| Settings { iam_profile: name.to_owned(), ..Settings::default() };
    let mut config = with_settings("cn-north-1", &profile("nodes"));
    check(&config);
    let created = ["iam:CreateRole", "iam:DeleteRole", "iam:DeleteRolePolicy", "iam:PutRolePolicy"];
    assert!(!created.iter().any(|action| needs(&config, action)));
    let passed = allowing(&config, "iam:PassRole");
    assert_eq!(passed["Resource"], "arn:aws-cn:iam::*:role/*");
    let services = json!({ "iam:PassedToService": ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"] });
    assert_eq!(passed["Condition"]["StringEquals"], services);
    assert_eq!(listed(&passed), ["iam:PassRole"]);

    let asked = |config: &InstallConfig, real: &[(&str, &str)]| {
        let real = real.iter().map(|(name, arn)| ((*name).to_owned(), (*arn).to_owned())).collect();
        let all = questions(Engine::Native, config, Catalogue::embedded(), RELEASE, ACCOUNT, &real);
        let found = all.into_iter().find(|question| question.actions == ["iam:PassRole"]);
        found.map(|question| (question.resources, question.partly)).unwrap_or_default()
    };
    assert_eq!(asked(&config, &[]), (Vec::new(), true));
    let role = "arn:aws-cn:iam::123456789012:role/team/machines";
    let real = [("instance-profile/nodes/role", role)];
    assert_eq!(asked(&config, &real), (vec![role.to_owned()], false));
    // The control plane alone has a profile: the compute pool gets a role of the cluster.
    config.compute = vec![pool("worker")];
    check(&config);
    assert!(created.iter().all(|action| needs(&config, action)));
    let own = "arn:aws-cn:iam::123456789012:role/demo-preflight".to_owned();
    assert_eq!(asked(&config, &real), (vec![own, role.to_owned()], false));
    assert_eq!(asked(&config, &[]), (Vec::new(), true));
}

#[test]
fn an_image_is_read_where_it_is_copied_from() {
    let config = config("us-new-9");
    check(&config);
    let images = allowing(&config, "ec2:DescribeImages");
    let regions = json!(["us-new-9", "us-east-1"]);
    assert_eq!(images["Condition"]["StringEquals"]["aws:RequestedRegion"], regions);
}

#[test]
fn groups_are_taken_as_their_names_say() {
    let mut edge = config("us-east-1");
    let mut pool = pool(EDGE);
    let zones = vec!["us-east-1-wl1-bos-wlz-1".to_owned()];
    pool.platform.aws = Some(Settings { zones, ..Settings::default() });
    edge.compute.push(pool);
    assert!(needs(&edge, "ec2:CreateCarrierGateway"));
    let public = with_platform("us-east-1", |aws| aws.public_ipv4_pool = "ipv4pool-ec2-1".to_owned());
    assert!(needs(&public, "ec2:DescribePublicIpv4Pools"));
    let dual = with_platform("us-east-1", |aws| aws.ip_family = "DualStackIPv4Primary".to_owned());
    assert!(needs(&dual, "ec2:CreateEgressOnlyInternetGateway"));
    let secret = config("us-iso-east-1");
    assert!(needs(&secret, "ec2:ReplaceRouteTableAssociation"));
    for config in [&edge, &public, &dual, &secret] {
        check(config);
    }
}

#[test]
fn a_release_that_nobody_knows_needs_what_the_newest_does() {
    let catalogue = Catalogue::embedded();
    let config = config("us-east-1");
    assert_eq!(needed(&config, catalogue, "9.9"), actions(&config));
    assert!(!needed(&config, catalogue, "4.14").contains(&"iam:TagInstanceProfile".to_owned()));
    assert_eq!(mint(catalogue, "9.9").len(), 11);
    assert!(passthrough(catalogue, RELEASE).is_sorted_by(|a, b| a < b));
    assert!(needed(&InstallConfig::default(), catalogue, RELEASE).is_empty());
}

#[test]
fn questions_name_what_the_cluster_will_have() {
    let settings = Settings { iam_role: "nodes".to_owned(), ..Settings::default() };
    let config = with_settings("us-east-1", &settings);
    let questions =
        questions(Engine::Native, &config, Catalogue::embedded(), RELEASE, ACCOUNT, &BTreeMap::new());
    let mut asked: Vec<String> =
        questions.iter().flat_map(|question| question.actions.iter().cloned()).collect();
    asked.sort();
    assert_eq!(asked, actions(&config));
    let of = |action: &str| {
        let question = questions.iter().find(|question| question.actions.iter().any(|a| a == action));
        question.map(|question| question.resources.clone()).unwrap_or_default()
    };
    assert_eq!(of("ec2:RunInstances"), Vec::<String>::new());
    let roles = ["arn:aws:iam::123456789012:role/demo-preflight", "arn:aws:iam::123456789012:role/nodes"];
    assert_eq!(of("iam:PassRole"), roles);
    assert_eq!(of("route53:GetChange"), ["arn:aws:route53:::change/preflight"]);
    assert_eq!(of("s3:PutObject"), ["arn:aws:s3:::demo-preflight/preflight"]);
}

#[test]
fn questions_are_about_what_the_cloud_has() {
    let alias = "arn:aws:kms:us-east-1:123456789012:alias/disks";
    let mut settings = Settings { iam_role: "nodes".to_owned(), ..Settings::default() };
    alias.clone_into(&mut settings.root_volume.kms_key_arn);
    let config = with_settings("us-east-1", &settings);
    let asked = |real: &BTreeMap<String, String>, action: &str| {
        let all = questions(Engine::Native, &config, Catalogue::embedded(), RELEASE, ACCOUNT, real);
        let found = all.into_iter().find(|question| question.actions.iter().any(|own| own == action));
        found.map(|question| (question.resources, question.partly)).unwrap_or_default()
    };
    // Of a key that nobody tells, no resource can be named.
    assert_eq!(asked(&BTreeMap::new(), "kms:CreateGrant"), (Vec::new(), true));
    let (key, role) =
        ("arn:aws:kms:us-east-1:123456789012:key/1", "arn:aws:iam::123456789012:role/team/nodes");
    let real = BTreeMap::from([(alias, key), ("role/nodes", role)]);
    let real = real.into_iter().map(|(name, arn)| (name.to_owned(), arn.to_owned())).collect();
    assert_eq!(asked(&real, "kms:CreateGrant"), (vec![key.to_owned()], false));
    let own = "arn:aws:iam::123456789012:role/demo-preflight".to_owned();
    assert_eq!(asked(&real, "iam:PassRole"), (vec![own, role.to_owned()], false));
}

/// What preflight asks of somebody in a mode, each with the region that it asks for.
fn all_questions(config: &InstallConfig) -> Vec<(Question, Option<&'static str>)> {
    const REGION: Option<&str> = Some("us-east-1");
    let catalogue = Catalogue::embedded();
    let installing = questions(Engine::Terraform, config, catalogue, RELEASE, ACCOUNT, &BTreeMap::new());
    let mut all: Vec<_> = installing.into_iter().map(|question| (question, REGION)).collect();
    let any = |actions: Vec<String>| Question { actions, resources: Vec::new(), partly: false };
    match config.credentials_mode.as_str() {
        "" => all.push((any(mint(catalogue, RELEASE)), None)),
        "Mint" => {
            let resources = vec!["arn:aws:iam::123456789012:user/demo-preflight".to_owned()];
            all.push((Question { resources, ..any(mint(catalogue, RELEASE)) }, None));
        }
        "Passthrough" => all.push((any(passthrough(catalogue, RELEASE)), REGION)),
        _ => {}
    }
    all
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::Array(all) => all.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        one => one.as_str().map(str::to_owned).into_iter().collect(),
    }
}

/// Whether an ARN fits a pattern with `*` in it.
fn fits(pattern: &str, arn: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == arn;
    };
    let Some(left) = arn.strip_prefix(start) else {
        return false;
    };
    left.char_indices()
        .map(|(at, _)| at)
        .chain([left.len()])
        .any(|at| left.get(at..).is_some_and(|left| fits(rest, left)))
}

fn allows(statement: &Value, action: &str, resource: &str, region: Option<&str>) -> bool {
    let regions = texts(&statement["Condition"]["StringEquals"]["aws:RequestedRegion"]);
    let there =
        regions.is_empty() || region.is_some_and(|region| regions.iter().any(|known| known == region));
    let resources = texts(&statement["Resource"]);
    there
        && texts(&statement["Action"]).iter().any(|known| known == action)
        && resources.iter().any(|pattern| fits(pattern, resource))
}

#[test]
fn the_policy_allows_what_preflight_asks_in_every_mode() {
    assert!(fits("a*c", "abc") && fits("*", "*") && fits("a*", "a") && !fits("a*c", "abd"));
    let mut config = config("us-east-1");
    for mode in ["", "Mint", "Passthrough", "Manual"] {
        mode.clone_into(&mut config.credentials_mode);
        check(&config);
        let statements = statements(&config);
        for (question, region) in all_questions(&config) {
            let anything = vec!["*".to_owned()];
            let resources = if question.resources.is_empty() { &anything } else { &question.resources };
            for (action, resource) in
                question.actions.iter().flat_map(|action| resources.iter().map(move |arn| (action, arn)))
            {
                let allowed = statements.iter().any(|statement| allows(statement, action, resource, region));
                assert!(allowed, "{mode}: {action} on {resource}");
            }
        }
    }
}
