//! The existing security groups that pools name.

use super::*;

#[test]
fn security_groups_are_in_the_network() {
    let mut config = existing_config();
    if let Some(pool) = &mut config.control_plane {
        let additional_security_group_ids = owned(&["sg-here", "sg-gone", "sg-else"]);
        pool.platform.aws =
            Some(config::MachinePool { additional_security_group_ids, ..config::MachinePool::default() });
    }
    let group = |id: &str, vpc: &str| SecurityGroup { id: id.to_owned(), vpc: vpc.to_owned() };
    let security_groups = vec![group("sg-here", "vpc-1"), group("sg-else", "vpc-2")];
    let facts = Facts { security_groups, ..existing_facts() };
    let findings = found(&config, facts.clone());
    let at = |i: usize| format!("controlPlane.platform.aws.additionalSecurityGroupIDs[{i}]");
    let those: Vec<_> = places(&findings).into_iter().filter(|(code, _)| *code == "LF0728").collect();
    assert_eq!(those, [("LF0728", at(1).as_str()), ("LF0728", at(2).as_str())]);
    is_for_the_cloud_only("LF0728", &config, &facts);
}

#[test]
fn a_machine_has_few_security_groups() {
    let with = |count: usize| {
        let mut config = existing_config();
        let ids: Vec<String> = (0..count).map(|number| format!("sg-{number}")).collect();
        let groups = ids.iter().map(|id| SecurityGroup { id: id.clone(), vpc: "vpc-1".to_owned() });
        let facts = Facts { security_groups: groups.collect(), ..existing_facts() };
        if let Some(pool) = &mut config.control_plane {
            pool.platform.aws = Some(config::MachinePool {
                additional_security_group_ids: ids,
                ..config::MachinePool::default()
            });
        }
        found(&config, facts)
    };
    // One is the cluster's own before 4.16.
    assert_eq!(places(&with(4)), []);
    let findings = with(5);
    let field = "controlPlane.platform.aws.additionalSecurityGroupIDs";
    assert_eq!(places(&findings), [("LF0730", field)]);
    assert!(!findings.iter().any(Finding::is_error));
}
