use super::*;

/// What is said of a config with an edge pool.
fn with_edge(mut config: InstallConfig, settings: Option<config::MachinePool>, facts: Facts) -> Vec<Finding> {
    let mut edge = pool("edge", 0);
    edge.platform.aws = settings;
    config.compute.push(edge);
    found(&config, facts)
}

#[test]
fn an_edge_pool_gets_machines() {
    const FIELD: &str = "compute[1].platform.aws.zones";
    let typed = || {
        Some(config::MachinePool { instance_type: "m5.xlarge".to_owned(), ..config::MachinePool::default() })
    };
    for settings in [None, typed()] {
        let findings = with_edge(base_config(), settings.clone(), base_facts());
        assert_eq!(places(&findings), [("LF0703", FIELD)]);
        assert_names(help(&findings), &[FIELD]);
        let findings = with_edge(existing_config(), settings, existing_facts());
        assert_eq!(places(&findings), [("LF0703", FIELD)]);
        assert_names(help(&findings), &["subnet"]);
    }
    let mut facts = existing_facts();
    facts.subnets.pop();
    let unknown = with_edge(existing_config(), None, facts);
    assert!(!places(&unknown).contains(&("LF0703", FIELD)), "{unknown:?}");
}

#[test]
fn compute_pools_are_of_one_architecture() {
    let mut config = base_config();
    let mut edge = pool("edge", 1);
    "arm64".clone_into(&mut edge.architecture);
    let zones = owned(&["us-east-1-nyc-1a"]);
    let instance_type = "m6g.xlarge".to_owned();
    edge.platform.aws = Some(config::MachinePool { zones, instance_type, ..config::MachinePool::default() });
    config.compute.push(edge);
    let mut facts = base_facts();
    for zone in &mut facts.zones {
        zone.not_opted_in = false;
    }
    if let Some(offer) = facts.instance_types.get_mut("m6g.xlarge") {
        offer.zones.push("us-east-1-nyc-1a".to_owned());
    }
    let findings = found(&config, facts.clone());
    assert_eq!(places(&findings), [("LF0719", "compute[1].architecture")]);
    assert_names(message(&findings), &["arm64", "amd64"]);
    config.compute.remove(0);
    nothing_is_said(&config, facts);
}
