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
    assert_eq!(message(&findings), "m5.xlrage is not offered in `us-east-1`");
    assert!(help(&findings).contains("did you mean `m5.xlarge`?"), "{}", help(&findings));
    is_for_the_cloud_only("LF0718", &named("m5.xlrage"), &base_facts());
    let other = found(&named("trn1.32xlarge"), base_facts());
    assert_eq!(help(&other), "name a type that the region offers, such as m6i.xlarge, m5.xlarge");
    // A generation that there is not is not misspelled: the newest ones of its family are proposed.
    let newer =
        found(&named("m9.xlarge"), with_types(&[("c7i.xlarge", 4), ("m7i.2xlarge", 8), ("m7i.xlarge", 4)]));
    assert_eq!(
        help(&newer),
        "name a type that the region offers, such as m7i.xlarge, m6i.xlarge, m5.xlarge, c7i.xlarge"
    );
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
    assert_eq!(message(&findings), "m6g.xlarge has processors of arm64; the pool's machines are of amd64");
    if let Some(offer) = facts.instance_types.get_mut("m6g.xlarge") {
        offer.architectures.clear();
    }
    nothing_is_said(&with_settings(settings), facts);
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

/// What is to be done where the region has only these types, and none is named.
fn instead(types: &[(&str, i32)]) -> String {
    let mut facts = with_types(types);
    facts.instance_types.retain(|name, _| types.iter().any(|(kept, _)| kept == name));
    let findings = found(&base_config(), facts);
    assert_eq!(places(&findings).first(), Some(&("LF0704", "controlPlane.platform.aws.type")));
    help(&findings).to_owned()
}

#[test]
fn what_the_region_has_in_place_of_the_usual_types_is_told() {
    let newer = instead(&[("t3.xlarge", 4), ("m7i.xlarge", 4), ("m7i.large", 2)]);
    assert_eq!(newer, "set controlPlane.platform.aws.type; the region offers m7i.xlarge, t3.xlarge");
    let small = instead(&[("m7i.large", 2), ("t3.large", 2)]);
    let expected = "what is offered there is too small (m7i.large, t3.large); a master machine needs 4 virtual \
                    CPUs and 16384 MiB of memory: name other zones, or another region";
    assert_eq!(small, expected);
    let nothing = instead(&[]);
    assert!(nothing.starts_with("the cloud names no instance type that the region offers"), "{nothing}");

    let zones = owned(&["us-east-1-nyc-1a"]);
    let config = with_settings(config::MachinePool { zones, ..config::MachinePool::default() });
    let elsewhere = found(&config, base_facts());
    let told = elsewhere.iter().find(|finding| finding.page.code == "LF0704");
    let told = told.and_then(|finding| finding.help.as_deref()).unwrap_or_default();
    assert!(told.contains("a type that is offered in us-east-1-nyc-1a"), "{told}");

    let facts = Facts { instance_types: std::collections::BTreeMap::new(), ..base_facts() };
    let unknown = found_in(&base_config(), facts, Source::Catalogue);
    assert!(help(&unknown).ends_with("what the region offers is not known"), "{}", help(&unknown));
}
