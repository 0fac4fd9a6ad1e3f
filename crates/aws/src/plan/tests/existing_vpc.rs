use super::*;

const FIELD: &str = "platform.aws.vpc.subnets";

#[test]
fn the_network_belongs_to_no_other_cluster() {
    let facts = |owners: &[&str]| Facts { vpc_owners: owned(owners), ..existing_facts() };
    let findings = found(&existing_config(), facts(&["demo-bcd24", "other-x9k2p"]));
    assert_eq!(places(&findings), [("LF0723", FIELD)]);
    assert_names(message(&findings), &["vpc-1", "other-x9k2p"]);
    nothing_is_said(&existing_config(), facts(&["demo-bcd24"]));
}

#[test]
fn other_subnets_of_the_network_have_a_tag() {
    let facts = Facts { untagged_subnets: owned(&["subnet-0other"]), ..existing_facts() };
    let findings = found_for("4.19", &existing_config(), facts.clone(), Source::Cloud);
    assert_eq!(places(&findings), [("LF0740", FIELD)]);
    assert_names(message(&findings), &["vpc-1", "subnet-0other"]);
    assert_names(help(&findings), &["kubernetes.io/cluster/unmanaged"]);
    assert!(found_for("4.18", &existing_config(), facts.clone(), Source::Cloud).is_empty());
    // Roles say which subnets are for load balancers.
    let mut config = existing_config();
    if let Some(platform) = &mut config.platform.aws {
        for subnet in &mut platform.vpc.subnets {
            subnet.roles = vec![config::SubnetRole { kind: "ClusterNode".to_owned() }];
        }
    }
    let findings = found_for("4.19", &config, facts, Source::Cloud);
    assert!(!places(&findings).contains(&("LF0740", FIELD)), "{findings:?}");
}
