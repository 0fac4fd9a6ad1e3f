use super::*;

#[test]
fn records_of_an_earlier_cluster_are_in_the_way() {
    let names = ["api.demo.example.com A", "api-int.demo.example.com A", "*.apps.demo.example.com A"];
    let left = [names.as_slice(), &["x.demo.example.com CNAME"]].concat();
    let findings = found(&with_hosted_zone(), with_private_zone("demo.example.com", &["vpc-1"], &left));
    assert_eq!(places(&findings), [("LF0725", "platform.aws.hostedZone")]);
    assert_names(message(&findings), &[&names.join(", "), " 1 more"]);
    let mut facts = base_facts();
    if let Some(zone) = &mut facts.public_zone {
        zone.records = owned(&names);
    }
    assert_eq!(places(&found(&base_config(), facts.clone())), [("LF0726", "baseDomain")]);
    let internal = InstallConfig { publish: "Internal".to_owned(), ..base_config() };
    nothing_is_said(&internal, facts);
}

#[test]
fn records_of_a_cluster_that_may_stand_are_no_objection() {
    let left = ["api.demo.example.com A"];
    let private = with_private_zone("demo.example.com", &["vpc-1"], &left);
    let findings = found_of(&with_hosted_zone(), private, Source::Cloud, true);
    assert_eq!(places(&findings), [("LF0725", "platform.aws.hostedZone")]);
    assert!(!findings.iter().any(Finding::is_error), "{findings:?}");
    let mut facts = base_facts();
    if let Some(zone) = &mut facts.public_zone {
        zone.records = owned(&left);
    }
    let findings = found_of(&base_config(), facts, Source::Cloud, true);
    assert_eq!(places(&findings), [("LF0726", "baseDomain")]);
    assert!(!findings.iter().any(Finding::is_error), "{findings:?}");
    assert_names(help(&findings), &["directory"]);
}

#[test]
fn records_that_earlier_runs_created_are_not_warned_of() {
    let names = ["api.demo.example.com A", "*.apps.demo.example.com A", "x.demo.example.com CNAME"];
    let own_records = ["api.demo.example.com".to_owned()];
    let found = |names: &[&str]| {
        let mut facts = base_facts();
        if let Some(zone) = &mut facts.public_zone {
            zone.records = owned(names);
        }
        let source = Source::Cloud;
        let facts = landfall_model::facts::Facts {
            source,
            aws: Some(facts),
            ..landfall_model::facts::Facts::default()
        };
        let config = &base_config();
        let identity = &Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
        let case = Case {
            config,
            given: config,
            facts: &facts,
            catalogue: Catalogue::embedded(),
            release: "4.14",
            identity,
            installed: true,
            own_records: &own_records,
            engine: Engine::default(),
        };
        let mut out = Findings::default();
        plan(&case, &mut out);
        out.into_vec()
    };
    let findings = found(&names);
    assert_eq!(places(&findings), [("LF0726", "baseDomain")]);
    assert!(!message(&findings).contains("api.") && message(&findings).contains("x.demo"), "{findings:?}");
    assert_eq!(places(&found(&names[..2])), []);
}
