//! What planning finds of instance types: those that the config names, and those that take the place of the
//! usual ones.

use super::*;

#[test]
fn types_are_those_of_the_region() {
    let named = |name: &str| {
        let instance_type = name.to_owned();
        with_settings(config::MachinePool { instance_type, ..config::MachinePool::default() })
    };
    let findings = found(&named("m5.xlrage"), base_facts());
    assert_eq!(places(&findings), [("LF0718", "controlPlane.platform.aws.type")]);
    assert_names(message(&findings), &["m5.xlrage", "`us-east-1`"]);
    assert_names(help(&findings), &["`m5.xlarge`"]);
    is_for_the_cloud_only("LF0718", &named("m5.xlrage"), &base_facts());
    let other = found(&named("trn1.32xlarge"), base_facts());
    assert!(help(&other).ends_with(" m6i.xlarge, m5.xlarge"), "{}", help(&other));
    // A generation that there is not is not misspelled: the newest ones of its family are proposed.
    let newer =
        found(&named("m9.xlarge"), with_types(&[("c7i.xlarge", 4), ("m7i.2xlarge", 8), ("m7i.xlarge", 4)]));
    assert!(help(&newer).ends_with(" m7i.xlarge, m6i.xlarge, m5.xlarge, c7i.xlarge"), "{}", help(&newer));
    nothing_is_said(&named("m5.xlarge"), base_facts());
    let unknown = Facts { instance_types: std::collections::BTreeMap::new(), ..base_facts() };
    assert!(!is_said("LF0718", &named("m5.xlrage"), unknown, Source::Cloud));
}

#[test]
fn types_are_of_the_architecture_of_their_pool() {
    let instance_type = "m6g.xlarge".to_owned();
    let settings = config::MachinePool { instance_type, ..config::MachinePool::default() };
    let mut facts = base_facts();
    let findings = found(&with_settings(settings.clone()), facts.clone());
    assert_eq!(places(&findings), [("LF0719", "controlPlane.platform.aws.type")]);
    assert_names(message(&findings), &["m6g.xlarge", "arm64", "amd64"]);
    if let Some(offer) = facts.instance_types.get_mut("m6g.xlarge") {
        offer.architectures.clear();
    }
    nothing_is_said(&with_settings(settings), facts);
}

#[test]
fn a_type_has_the_processor_feature_that_its_pool_needs() {
    let confidential = |kind: &str| {
        let cpu_options = Some(config::CpuOptions { confidential_compute: Some(kind.to_owned()) });
        with_settings(config::MachinePool {
            instance_type: "m5.xlarge".to_owned(),
            cpu_options,
            ..config::MachinePool::default()
        })
    };
    let of = |features: &[&str], config: &InstallConfig| {
        let mut facts = base_facts();
        if let Some(offer) = facts.instance_types.get_mut("m5.xlarge") {
            offer.features = owned(features);
        }
        found(config, facts)
    };
    let snp = confidential("AMDEncryptedVirtualizationNestedPaging");
    let findings = of(&["ipv6", "nitro"], &snp);
    assert_eq!(places(&findings), [("LF0719", "controlPlane.platform.aws.type")]);
    assert_names(message(&findings), &["m5.xlarge", "SEV-SNP"]);
    for (features, config) in
        [(&["amd-sev-snp"][..], &snp), (&[], &snp), (&["ipv6", "nitro"], &confidential("Disabled"))]
    {
        assert_eq!(places(&of(features, config)), []);
    }
}

/// The base facts with more types, each with its virtual CPUs and four times as many GiB of memory.
fn with_types(types: &[(&str, i32)]) -> Facts {
    let mut facts = base_facts();
    for (name, vcpus) in types {
        let memory_mib = i64::from(*vcpus) * 4096;
        let offer = InstanceType { vcpus: *vcpus, memory_mib, ..offer("amd64") };
        facts.instance_types.insert((*name).to_owned(), offer);
    }
    facts
}

/// What there is in place of a type without capacity.
#[test]
fn types_that_fit_the_control_plane_are_offered_with_their_zones() {
    let mut facts = with_types(&[("c7i.2xlarge", 8), ("c7i.large", 2), ("m7i.xlarge", 4)]);
    if let Some(offer) = facts.instance_types.get_mut("m7i.xlarge") {
        offer.zones = owned(&["us-east-1b", "us-east-1-nyc-1a"]);
    }
    let (platforms, _) =
        planned_with(Catalogue::embedded(), "4.14", &base_config(), facts, Source::Cloud, false);
    let plan = platforms.and_then(|platforms| platforms.aws);
    let offers = plan.map(|plan| plan.control_plane.offers).unwrap_or_default();
    let offers: Vec<(&str, String)> =
        offers.iter().map(|offer| (offer.name.as_str(), offer.zones.join(" "))).collect();
    let both = "us-east-1a us-east-1b".to_owned();
    assert_eq!(
        offers,
        [
            ("m6i.xlarge", both.clone()),
            ("m5.xlarge", both.clone()),
            ("c7i.2xlarge", both),
            ("m7i.xlarge", "us-east-1b".to_owned()),
        ]
    );
}

/// What is to be done where the region has only these types, and none is named.
fn instead(types: &[(&str, i32)]) -> String {
    let mut facts = with_types(types);
    facts.instance_types.retain(|name, _| types.iter().any(|(kept, _)| kept == name));
    let findings = found(&base_config(), facts);
    assert_eq!(places(&findings).first(), Some(&("LF0704", "controlPlane.platform.aws.type")));
    help(&findings).to_owned()
}

#[test]
fn where_nothing_is_known_of_the_region_an_old_default_is_assumed() {
    let facts = || Facts { instance_types: std::collections::BTreeMap::new(), ..base_facts() };
    let assumed = |architecture: &str| {
        let mut config = base_config();
        for pool in config.control_plane.iter_mut().chain(&mut config.compute) {
            architecture.clone_into(&mut pool.architecture);
        }
        let findings = found_in(&config, facts(), Source::Catalogue);
        let told = findings.iter().filter(|finding| finding.code.as_str() == "LF0731");
        let told: Vec<(bool, String)> = told.map(|one| (one.is_error(), one.message.clone())).collect();
        assert!(findings.iter().all(|finding| !finding.is_error()), "{findings:?}");
        told
    };
    let amd64 = assumed("amd64");
    assert_eq!(amd64.len(), 2);
    assert_names(&amd64[0].1, &["us-east-1", "master", "m5.xlarge"]);
    assert_names(&amd64[1].1, &["us-east-1", "worker", "m5.large"]);
    assert_names(&assumed("arm64")[1].1, &["m6g.xlarge"]);
    let mut single = base_config();
    single.control_plane.iter_mut().for_each(|pool| pool.replicas = Some(1));
    let single = found_in(&single, facts(), Source::Catalogue);
    assert_names(
        &single.iter().map(|one| one.message.as_str()).collect::<String>(),
        &["master", "m5.2xlarge"],
    );
    // AWS was asked and offers no type.
    assert_eq!(places(&found(&base_config(), facts())).first().map(|place| place.0), Some("LF0704"));
}

#[test]
fn what_the_region_has_in_place_of_the_usual_types_is_told() {
    let newer = instead(&[("t3.xlarge", 4), ("m7i.xlarge", 4), ("m7i.large", 2)]);
    assert_names(&newer, &["controlPlane.platform.aws.type", " m7i.xlarge, t3.xlarge"]);
    let small = instead(&[("m7i.large", 2), ("t3.large", 2)]);
    assert_names(&small, &["(m7i.large, t3.large)", "master", "4 virtual", "16384 MiB"]);
    let nothing = instead(&[]);
    assert!(!nothing.is_empty() && nothing != small && nothing != newer, "{nothing}");

    let zones = owned(&["us-east-1-nyc-1a"]);
    let config = with_settings(config::MachinePool { zones, ..config::MachinePool::default() });
    let elsewhere = found(&config, base_facts());
    let told = elsewhere.iter().find(|finding| finding.code.as_str() == "LF0704");
    let told = told.and_then(|finding| finding.help.as_deref()).unwrap_or_default();
    assert_names(told, &["us-east-1-nyc-1a"]);

    let mut facts = with_types(&[("m7i.large", 2)]);
    facts.instance_types.retain(|name, _| name == "m7i.large");
    facts.instance_types.values_mut().for_each(|offer| offer.zones = vec!["elsewhere".to_owned()]);
    let unknown = found_in(&base_config(), facts, Source::Catalogue);
    assert_names(help(&unknown), &["does not know"]);
    let helps = [("newer types", newer), ("small types", small), ("no type", nothing)];
    let helps = helps.map(|(case, help)| (case.to_owned(), help));
    let other = [("another zone", told), ("nothing known", help(&unknown))];
    let other = other.map(|(case, help)| (case.to_owned(), help.to_owned()));
    landfall_testing::assert_sentences("aws-plan-types", helps.into_iter().chain(other));
}
