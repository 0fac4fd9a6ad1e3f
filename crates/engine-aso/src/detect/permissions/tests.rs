use std::collections::BTreeSet;

use super::*;

fn of(machines: bool, infra_id: Option<&str>) -> Vec<Rule> {
    let kinds = kinds(machines);
    rules(&Grantee { kinds: &kinds, infra_id, controller: false })
}

fn resources(rules: &[Rule], group: &str) -> BTreeSet<String> {
    let of_group = rules.iter().filter(|rule| rule.group == group);
    of_group.flat_map(|rule| rule.resources.iter().cloned()).collect()
}

#[test]
fn only_machines_need_their_kinds() {
    let (without, with) = (of(false, None), of(true, None));
    assert!(resources(&without, "compute.azure.com").is_empty());
    let compute = ["disks", "disks/status", "virtualmachines", "virtualmachines/status"];
    assert_eq!(resources(&with, "compute.azure.com"), BTreeSet::from(compute.map(str::to_owned)));
    let extra: Vec<String> = resources(&with, "network.azure.com")
        .difference(&resources(&without, "network.azure.com"))
        .cloned()
        .collect();
    assert_eq!(extra, ["networkinterfaces", "networkinterfaces/status"]);
}

#[test]
fn nobody_but_the_operator_writes_status() {
    for rule in of(true, None) {
        for resource in &rule.resources {
            let reads = rule.verbs.iter().all(|verb| WATCH.contains(verb));
            assert!(!resource.ends_with("/status") || reads, "{rule:?}");
        }
    }
}

#[test]
fn the_pattern_names_what_plans_have() {
    let kinds = kinds(false);
    let pattern = crd_pattern(&kinds);
    let globs: Vec<&str> = pattern.split(';').collect();
    assert_eq!((globs.len(), globs.first().copied()), (21, Some("resources.azure.com/ResourceGroup")));
    assert!(globs.contains(&"network.azure.com/LoadBalancersInboundNatRule"), "{pattern}");
    assert!(!pattern.contains("RouteTablesRoute") && !pattern.contains("compute"), "{pattern}");
    assert_eq!(crd_pattern(&planned(false)), pattern);
    assert_eq!((planned(false).len(), planned(true).len()), (21, KINDS.len() - 1));
    assert_eq!((required(false).len(), required(true).len()), (20, KINDS.len() - 2));
}

#[test]
fn rights_to_ipv6_records_are_needed_for_plans_that_have_them() {
    let asked = questions(&of(false, Some("demo-x7k2p")), "demo");
    let needed = |kinds: &[&'static Kind]| asked.iter().filter(|one| is_needed(one, kinds)).count();
    let (without, with) = (needed(&required(false)), needed(&planned(false)));
    assert_eq!(with, asked.len());
    // The records and their status.
    assert_eq!(with - without, OBJECTS.len() + WATCH.len());
}

#[test]
fn roles_hold_all_rules_once() {
    let rules = of(true, Some("demo-x7k2p"));
    let made = roles("landfall", &rules, "demo", Some("azureserviceoperator-system"));
    let kinds: Vec<&str> = made.iter().filter_map(|role| role["kind"].as_str()).collect();
    assert_eq!(kinds, ["ClusterRole", "Role", "Role"]);
    let names: Vec<&str> = made.iter().filter_map(|role| role["metadata"]["name"].as_str()).collect();
    assert_eq!(names, [ROLE, "landfall", ROLE]);
    let held: usize = made.iter().filter_map(|role| role["rules"].as_array()).map(Vec::len).sum();
    assert_eq!(held, rules.len());
    let secrets = json!({
        "apiGroups": [""],
        "resources": ["secrets"],
        "resourceNames": ["demo-x7k2p-aso-secret", "demo-x7k2p-storage-keys"],
        "verbs": ["get", "patch", "delete"],
    });
    let mut held = made.iter().filter_map(|role| role["rules"].as_array()).flatten();
    assert!(held.any(|rule| *rule == secrets), "{made:?}");
    assert_eq!(super::roles("landfall", &rules, "demo", None).len(), 2);
}

#[test]
fn the_controller_looks_after_a_kind_of_its_own() {
    let kinds = kinds(false);
    let rules = rules(&Grantee { kinds: &kinds, infra_id: None, controller: true });
    let own = ["azureinfrastructures", "azureinfrastructures/finalizers", "azureinfrastructures/status"];
    assert_eq!(resources(&rules, P), BTreeSet::from(own.map(str::to_owned)));
}

#[test]
fn every_rule_is_asked_for() {
    let questions = questions(&of(true, Some("demo-x7k2p")), "demo");
    // Each kind has seven verbs, and three for its status; the whole cluster six; secrets one, and three for
    // each of two names; maps six and one for their finalizers; leases three, events two.
    assert_eq!(questions.len(), KINDS.len() * 10 + 6 + 7 + 7 + 5);
    let review = questions.iter().map(Question::review).find(|review| {
        let about = &review["spec"]["resourceAttributes"];
        about["resource"] == "disks" && about["subresource"] == "status" && about["verb"] == "watch"
    });
    let attributes = review.map(|review| review["spec"]["resourceAttributes"].clone());
    let expected = json!({
        "namespace": "demo",
        "verb": "watch",
        "group": "compute.azure.com",
        "resource": "disks",
        "subresource": "status",
        "name": "",
    });
    assert_eq!(attributes, Some(expected));
    assert!(questions.iter().all(|question| question.name.as_deref() != Some(SETTINGS)));
}

#[test]
fn what_is_denied_is_told_by_verb_and_resource() {
    let question =
        |namespace: Option<&str>, group: &'static str, resource: &str, verb: &'static str| Question {
            namespace: namespace.map(str::to_owned),
            group,
            resource: resource.to_owned(),
            name: None,
            verb,
        };
    let asked = [
        question(Some("demo"), "network.azure.com", "loadbalancers", "create"),
        question(Some("demo"), "network.azure.com", "loadbalancers", "patch"),
        question(None, "", "namespaces", "create"),
    ];
    let found = denied(&asked, "landfall aso roles --infra-id demo");
    let helps: Vec<bool> = found
        .iter()
        .map(|f| f.help.as_ref().is_some_and(|help| help.contains("`landfall aso roles --infra-id demo`")))
        .collect();
    assert_eq!(helps, [false, true]);
    let codes: Vec<&str> = found.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(codes, ["LF1527", "LF1527"]);
    let denied_here =
        ["create, patch loadbalancers.network.azure.com in namespace demo", "create namespaces "];
    for (finding, what) in found.iter().zip(denied_here) {
        assert!(finding.message.contains(what), "{finding:?}");
    }
    assert!(denied(&[], "a").is_empty());
    assert!(is_allowed(&json!({ "status": { "allowed": true } })) && !is_allowed(&json!({})));
}
