//! What planning finds where a cloud profile says what may be used.

use landfall_model::catalogue::{Allowance, AllowedRegion, AllowedType, AllowedZone};

use super::*;

/// A profile of the zones of us-east-1, each with the types that it lacks, and of types of 4 virtual CPUs.
fn profile(zones: &[(&str, &[&str])], types: &[&str]) -> Catalogue {
    let zone =
        |(name, lacking): &(&str, &[&str])| AllowedZone { name: (*name).to_owned(), lacking: owned(lacking) };
    let kind = |name: &&str| AllowedType {
        name: (*name).to_owned(),
        usable: true,
        vcpus: Some(4),
        memory_mib: Some(16_384),
        architecture: "amd64".to_owned(),
        ..AllowedType::default()
    };
    let region = AllowedRegion { zones: zones.iter().map(zone).collect(), added: false };
    Catalogue::embedded().with_allowance(Allowance {
        profile: "team".to_owned(),
        platform: "aws".to_owned(),
        regions: [(REGION.to_owned(), region)].into(),
        machine_types: types.iter().map(kind).collect(),
    })
}

fn found_within(catalogue: &Catalogue, config: &InstallConfig, facts: Facts) -> Vec<Finding> {
    found_by(catalogue, config, facts, Source::Cloud, false)
}

fn of_type(name: &str) -> InstallConfig {
    let instance_type = name.to_owned();
    with_settings(config::MachinePool { instance_type, ..config::MachinePool::default() })
}

#[test]
fn a_profile_that_leaves_something_is_not_spoken_of() {
    let catalogue =
        profile(&[("us-east-1a", &["m6i.xlarge"]), ("us-east-1b", &[])], &["m6i.xlarge", "m5.xlarge"]);
    for (config, facts) in [(base_config(), base_facts()), (existing_config(), existing_facts())] {
        let findings = found_within(&catalogue, &config, facts);
        assert!(findings.is_empty(), "{findings:?}");
    }
    let findings = found_within(&catalogue, &of_type("m6i.xlarge"), base_facts());
    assert!(findings.is_empty(), "{findings:?}");
}

#[test]
fn a_profile_without_a_fitting_type_is_named() {
    let at = [("LF0704", "controlPlane.platform.aws.type"), ("LF0704", "compute[0].platform.aws.type")];
    let mut config = base_config();
    for pool in config.control_plane.iter_mut().chain(&mut config.compute) {
        "arm64".clone_into(&mut pool.architecture);
    }
    let none = found_within(&profile(&[], &["m9.odd"]), &config, base_facts());
    assert_eq!(places(&none), at);
    assert_names(message(&none), &["`team`", "arm64", "master"]);
    assert_names(help(&none), &["m9.odd"]);
    let lacking = profile(&[("us-east-1a", &["m5.xlarge"]), ("us-east-1b", &["m5.xlarge"])], &["m5.xlarge"]);
    let lacking = found_within(&lacking, &base_config(), base_facts());
    assert_eq!(places(&lacking), at);
    assert_names(message(&lacking), &["`team`", "(m5.xlarge)", "us-east-1a, us-east-1b", "`us-east-1`"]);
    landfall_testing::assert_findings("aws-plan-profile-types", none.iter().chain(&lacking));
}

#[test]
fn a_type_that_the_zones_of_a_profile_do_not_have_is_told_as_its_word() {
    let catalogue = profile(&[("us-east-1a", &["m5.xlarge"])], &["m5.xlarge", "m6i.xlarge"]);
    let findings = found_within(&catalogue, &of_type("m5.xlarge"), base_facts());
    assert_eq!(places(&findings), [("LF1464", "controlPlane.platform.aws.type")]);
    assert_names(message(&findings), &["`team`", "us-east-1", "`m5.xlarge`"]);
    assert_names(help(&findings), &["m6i.xlarge"]);
    let mut existing = existing_config();
    existing.control_plane = of_type("m5.xlarge").control_plane;
    let findings = found_within(&catalogue, &existing, existing_facts());
    assert_eq!(places(&findings), [("LF1464", "controlPlane.platform.aws.type")]);
    assert_names(message(&findings), &["`us-east-1a`", "`m5.xlarge`"]);
    // Where no zone offers it, it is not the profile.
    let mut facts = base_facts();
    if let Some(offer) = facts.instance_types.get_mut("m6i.xlarge") {
        offer.zones.clear();
    }
    let findings = found_within(&catalogue, &of_type("m6i.xlarge"), facts);
    assert_eq!(places(&findings).first(), Some(&("LF0705", "controlPlane.platform.aws.type")));
}

#[test]
fn existing_subnets_are_in_the_zones_of_the_profile() {
    let catalogue = profile(&[("us-east-1b", &[])], &["m5.xlarge"]);
    let findings = found_within(&catalogue, &existing_config(), existing_facts());
    let at = |i: &str| format!("platform.aws.vpc.subnets[{i}].id");
    assert_eq!(places(&findings), [("LF1462", at("0").as_str()), ("LF1462", at("1").as_str())]);
    assert_names(help(&findings), &["`subnet-0private`", "us-east-1b"]);
}

#[test]
fn a_profile_without_a_zone_of_the_region_is_named() {
    let catalogue = profile(&[("us-east-1z", &[])], &["m5.xlarge"]);
    let findings = found_within(&catalogue, &base_config(), base_facts());
    let fields = ["controlPlane.platform.aws.zones", "compute[0].platform.aws.zones"];
    assert_eq!(places(&findings), fields.map(|field| ("LF1462", field)));
    assert_names(help(&findings), &["us-east-1z", "us-east-1a, us-east-1b"]);
}
