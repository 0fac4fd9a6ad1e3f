//! Rights: those that are printed are enough, and one that is missing is told before anything is written.

use std::process::Command;

use serde_json::{Value, json};

use super::controller::{Asked, Controller, managed};
use super::management::{Management, OPERATOR};
use super::site::{Site, config};
use super::stands::{PUBLIC, like_example};
use super::table::Azure;

/// The roles that are printed for a cluster.
fn printed(infra_id: &str) -> Vec<Value> {
    let arguments = ["aso", "roles", "--infra-id", infra_id, "--operator-namespace", OPERATOR, "-o", "json"];
    let output = Command::new(env!("CARGO_BIN_EXE_landfall")).args(arguments).env_clear().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
#[ignore = "needs an API server"]
fn the_printed_rights_are_enough() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    // Roles of a namespace need the namespace.
    management.namespace(PUBLIC);
    management.namespace("engines");
    let kubeconfig = management.account("engines", "engine", &printed(PUBLIC));
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    site.create(&kubeconfig).ends(0);
    like_example(&management, PUBLIC, "public");
    site.destroy(&kubeconfig);
    assert!(azure.ids().is_empty(), "{:?}", azure.ids());
}

#[test]
#[ignore = "needs an API server"]
fn rights_that_are_missing_are_reported_by_verb_and_resource() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    management.namespace(PUBLIC);
    management.namespace("engines");
    let mut roles = printed(PUBLIC);
    for role in &mut roles {
        for rule in role["rules"].as_array_mut().into_iter().flatten() {
            let of_networks =
                rule["resources"].as_array().is_some_and(|all| all.contains(&json!("virtualnetworks")));
            let of_secrets = rule["resources"] == json!(["secrets"]);
            if let Some(verbs) = rule["verbs"].as_array_mut() {
                verbs.retain(|verb| !(of_networks && verb == "patch" || of_secrets && verb == "create"));
            }
        }
    }
    // A rule without a verb is none.
    for role in &mut roles {
        if let Some(rules) = role["rules"].as_array_mut() {
            rules.retain(|rule| rule["verbs"].as_array().is_some_and(|verbs| !verbs.is_empty()));
        }
    }
    let kubeconfig = management.account("engines", "engine", &roles);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    let ran = site.create(&kubeconfig).ends(4);
    let ran = ran.said(&["patch virtualnetworks.network.azure.com", "create secrets", PUBLIC]);
    // All of them at once, and nothing else.
    assert!(!ran.err.contains("create virtualnetworks"), "{ran}");
    assert!(management.objects(PUBLIC).is_empty());
    assert_eq!(management.anchor(PUBLIC), None);
}

#[test]
#[ignore = "needs an API server"]
fn nothing_is_paused_where_machines_could_not_be_seen() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    management.namespace(PUBLIC);
    management.namespace("engines");
    let mut roles = printed(PUBLIC);
    for rules in roles.iter_mut().filter_map(|role| role["rules"].as_array_mut()) {
        // Without the right to look for the user's own objects.
        rules.retain(|rule| rule["resources"] != json!(["*"]));
    }
    let kubeconfig = management.account("engines", "engine", &roles);
    let site = Site::new(PUBLIC, &config("public", |_| {}));
    site.create(&kubeconfig).ends(0);
    let before = management.versions(PUBLIC);
    let path = kubeconfig.to_str().unwrap();
    let arguments = ["aso", "pause", "--kubeconfig", path, "--infra-id", PUBLIC];
    let ran = site.start(&arguments, None).end().ends(4);
    assert!(ran.err.contains("list virtualmachines.compute.azure.com"), "{ran}");
    assert_eq!(management.versions(PUBLIC), before);
}

/// Whether an account may do something: namespace, group, resource, verb and name.
fn may(management: &Management, account: &str, about: [&str; 5]) -> bool {
    let [namespace, group, resource, verb, name] = about;
    let review = json!({
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": format!("system:serviceaccount:{account}"),
            "resourceAttributes": {
                "namespace": namespace, "group": group, "resource": resource, "verb": verb, "name": name,
            },
        },
    });
    let path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    management.server.call("POST", path, &review).unwrap()["status"]["allowed"] == true
}

#[test]
#[ignore = "needs an API server"]
fn the_printed_rights_end_at_the_namespace() {
    let azure = Azure::empty();
    let management = Management::start(&azure);
    for namespace in [PUBLIC, "engines", "other"] {
        management.namespace(namespace);
    }
    management.account("engines", "engine", &printed(PUBLIC));
    let may = |namespace: &str, group: &str, resource: &str, verb: &str| {
        may(&management, "engines:engine", [namespace, group, resource, verb, ""])
    };
    assert!(may(PUBLIC, "resources.azure.com", "resourcegroups", "delete"));
    assert!(!may("other", "resources.azure.com", "resourcegroups", "delete"));
    assert!(!may("other", "resources.azure.com", "resourcegroups", "list"));
    assert!(!may("other", "", "configmaps", "delete"));
    assert!(may("", "apiextensions.k8s.io", "customresourcedefinitions", "list"));
}

#[test]
#[ignore = "needs an API server"]
fn the_controller_reads_secrets_where_it_is_bound_and_nowhere_else() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let account = "landfall-narrow";
    management.namespace(account);
    let namespace = format!("--namespace={account}");
    let _controller = Controller::start_with(&management, &[&namespace], false);
    let asked = Asked::make(&management, PUBLIC, &config("public", |_| {}), &json!({}));
    asked.says("Validated", "False", &["forbidden", "ClusterRole landfall-secrets"]);
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": { "name": "landfall-secrets" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "landfall-secrets" },
        "subjects": [{ "kind": "ServiceAccount", "name": "landfall-operator", "namespace": account }],
    });
    let path = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{PUBLIC}/rolebindings");
    management.server.make(&path, &binding);
    asked.says("Ready", "True", &[]);
}

#[test]
#[ignore = "needs an API server"]
fn a_controller_of_one_namespace_reads_nothing_in_others() {
    const SETTINGS: &str = "aso-controller-settings";
    const DEPLOYMENT: &str = "azureserviceoperator-controller-manager";
    let azure = Azure::empty();
    let management = managed(&azure);
    let asked = Asked::prepare(&management, PUBLIC, &config("public", |_| {}));
    let controller = Controller::start_watching(&management, PUBLIC);
    asked.ask(&json!({}));
    asked.says("Ready", "True", &[]);
    let may = |about: [&str; 5]| may(&management, "landfall:landfall-operator", about);
    let (own, policies) = ("aso.landfall.dev", "admissionregistration.k8s.io");
    assert!(may([PUBLIC, own, "azureinfrastructures", "list", ""]));
    assert!(may([OPERATOR, "", "secrets", "get", SETTINGS]));
    assert!(may(["", "apps", "deployments", "watch", DEPLOYMENT]));
    for about in [
        ["", own, "azureinfrastructures", "list", ""],
        ["other", "", "secrets", "get", SETTINGS],
        [OPERATOR, "", "secrets", "get", "other"],
        ["other", "apps", "deployments", "get", "other"],
        ["", policies, "validatingadmissionpolicies", "create", ""],
    ] {
        assert!(!may(about), "{about:?}");
    }
    // It does without, and says nothing of it.
    let log = controller.log();
    assert!(!log.contains("forbidden") && !log.contains("WARN"), "{log}");
}
