//! A plain config in a cloud with many locations, from preflight to the files of the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde_json::{Value, json};

use super::arm::{Azure, Scene};
use super::scene;
use super::scene::{
    AUDIENCE, CLIENT, SUBSCRIPTION, TENANT, checks, config, files, landfall, only_reads, overlay, public,
    stranger, with_ids,
};
use crate::broken::closed;
use crate::front::{ALL, ANY, Front, Reply, Rule};
use crate::program::{Landfall, text};

/// What must be found well.
const PASSED: &[&str] = &[
    "azure.trust",
    "azure.cloud",
    "azure.endpoint.resource-manager",
    "azure.endpoint.authority",
    "azure.credentials",
    "azure.subscription",
    "azure.location",
    "azure.sizes",
    "azure.image",
    "azure.network",
    "azure.dns-zone",
    "azure.permissions",
    "azure.permissions.credentials-mode",
    "azure.role-assignments",
    "azure.locks",
    "azure.providers",
    "azure.quota.cores",
    "azure.quota.standardDSv3Family",
];

#[test]
fn a_plain_config_passes_and_becomes_files() {
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &config(""));
    let report = landfall.preflight();
    report.passes();
    for id in PASSED {
        report.is(id, "passed");
    }
    assert!(checks(&report, "azure.quota.").len() > 3, "networks have limits, too: {}", report.ran);
    assert!(checks(&report, "azure.resource-group").is_empty(), "the config has none: {}", report.ran);
    // Three machines of the control plane and the one to begin with have eight processors each, the three
    // others four.
    let cores = report.check("azure.quota.cores").to_string();
    assert!(["350", "24", "44"].iter().all(|number| cores.contains(number)), "{cores}");
    assert!(report.check("azure.subscription").to_string().contains(SUBSCRIPTION), "{}", report.ran);
    let credentials = report.check("azure.credentials").to_string();
    assert!(credentials.contains(CLIENT) && credentials.contains(TENANT), "{credentials}");
    told_to_people(&landfall);
    asks_what_it_must(&azure);

    let facts = landfall.ask(&["facts"]).ends(0);
    look_at_facts(&facts.json()["azure"]);
    the_same_files_again(&landfall, &azure, &facts.out);
    policy_of_this_config(&landfall, &azure);
    only_reads(&azure);
}

/// The same report in the form for people.
fn told_to_people(landfall: &Landfall) {
    let ran = landfall.ask(&["preflight"]).ends(0);
    for id in ["azure.endpoint.authority", "azure.sizes", "azure.permissions"] {
        let line = ran.out.lines().find(|line| line.split_whitespace().nth(1) == Some(id));
        assert!(line.is_some_and(|line| line.starts_with("ok ")), "{ran}");
    }
    assert!(ran.err.contains("passed: "), "{ran}");
}

/// No question is put again and again, a token is asked for once, and all is understood.
fn asks_what_it_must(azure: &Azure) {
    let asked = azure.asked();
    for one in &asked {
        assert!([200, 401, 404].contains(&one.status), "{} {}", one.status, one.asked.path);
    }
    let runs = asked.iter().filter(|one| one.call.path.ends_with("/oauth2/v2.0/token")).count();
    assert_eq!((runs, azure.tokens().len()), (2, 2), "one token for each run");
    let mut times: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for one in asked.iter().filter(|one| !one.call.authorization.is_empty()) {
        *times.entry((one.call.method.as_str(), one.asked.path.as_str())).or_default() += 1;
    }
    let more: Vec<_> = times.iter().filter(|(_, times)| **times > 2 * runs).collect();
    assert!(more.is_empty(), "asked again and again: {more:?}");
    let parts = azure.asked_at("/providers/microsoft.compute/skus").len();
    assert!(parts >= 3 * runs, "a list that comes in parts is read to its end: {parts}");
    let form = azure.asked_at("/oauth2/v2.0/token").remove(0).call.form();
    assert_eq!(form.get("scope"), Some(&format!("{AUDIENCE}/.default")));
}

fn look_at_facts(facts: &Value) {
    assert_eq!(facts["cloudName"], "AzurePublicCloud", "{facts}");
    assert_eq!(facts["subscriptionId"], SUBSCRIPTION, "{facts}");
    assert_eq!(facts["tenantId"], TENANT, "{facts}");
    assert_eq!(facts["clientId"], CLIENT, "{facts}");
    assert_eq!(facts["location"], json!({ "name": "eastus", "displayName": "East US" }), "{facts}");
    let names: BTreeSet<&str> = facts["sizes"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["Standard_D4s_v3", "Standard_D8s_v3"]), "{facts}");
    let size = &facts["sizes"]["Standard_D8s_v3"];
    assert_eq!(size["zones"], json!(["1", "2", "3"]), "{size}");
    assert_eq!(size["family"], "standardDSv3Family", "{size}");
    assert_eq!(size["capabilities"]["vCPUs"], "8", "{size}");
    assert_eq!(size["capabilities"]["HyperVGenerations"], "V1,V2", "{size}");
    assert_eq!(facts["quotas"]["cores"], json!({ "limit": 350, "used": 24 }), "{facts}");
    assert_eq!(facts["quotas"]["VirtualNetworks"], json!({ "limit": 1000, "used": 2 }), "{facts}");
    assert_eq!(facts["dnsZone"]["name"], "example.com", "{facts}");
    assert!(facts["dnsZone"]["records"].as_array().is_none_or(Vec::is_empty), "{facts}");
}

/// Files made of what the cloud says are those made of the facts that it gave before. Only the certificates,
/// which are new in every directory, are taken along.
fn the_same_files_again(first: &Landfall, azure: &Azure, facts: &str) {
    let fixed = ["create", "manifests", "--infra-id", "demo-bcd24"];
    first.ask(&fixed).ends(0);
    let asked = azure.asked().len();
    let second = landfall(azure, &config(""));
    let (from, to) = (first.directory().join("auth/tls"), second.directory().join("auth/tls"));
    std::fs::create_dir_all(&to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
    let given = second.write("given.json", facts);
    second.run(&[&fixed[..], &["--facts", given.as_str()]].concat()).ends(0);
    assert_eq!(azure.asked().len(), asked, "facts that are given leave nothing to ask");
    let (one, two) = (files(first.directory()), files(second.directory()));
    assert!(one.contains_key("metadata.json") && one.contains_key("facts.json"), "{:?}", one.keys());
    assert!(one.keys().eq(two.keys()), "{:?} {:?}", one.keys(), two.keys());
    for (path, bytes) in &one {
        assert_eq!(Some(bytes), two.get(path), "{path}");
    }
    let machines = one.keys().filter(|path| path.contains("_master-machines-")).count();
    assert_eq!(machines, 3, "{:?}", one.keys());
}

fn policy_of_this_config(landfall: &Landfall, azure: &Azure) {
    let asked = azure.asked().len();
    let policy = landfall.run(&["create", "permissions-policy"]).ends(0).json();
    assert_eq!(policy["IsCustom"], true, "{policy}");
    let actions: BTreeSet<&str> =
        policy["Actions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for action in [
        "Microsoft.Compute/virtualMachines/write",
        "Microsoft.Network/loadBalancers/write",
        "Microsoft.Authorization/roleAssignments/write",
        "Microsoft.Resources/subscriptions/resourceGroups/write",
    ] {
        assert!(actions.contains(action), "{action}: {policy}");
    }
    assert!(policy["AssignableScopes"].as_array().is_some_and(|scopes| !scopes.is_empty()), "{policy}");
    assert_eq!(azure.asked().len(), asked, "no cloud is asked for a policy");
    // Without a subscription, something stands in its place, and that is said.
    let ran = stranger(azure, &config("")).run(&["create", "permissions-policy"]).ends(0);
    assert!(ran.json()["AssignableScopes"][0] == "/subscriptions/<subscription id>", "{ran}");
    assert!(ran.err.contains("`<subscription id>`"), "{ran}");
}

/// A cloud that takes its time is asked many things at once.
#[test]
fn slow_answers_are_waited_for_together() {
    let azure = Azure::start(Scene { delay: Duration::from_millis(100), ..public() });
    landfall(&azure, &config("")).preflight().passes();
    assert!(azure.most() >= 4, "at most {} questions at a time", azure.most());
}

/// A row of the catalogue is all that a cloud needs, wherever the overlay lies.
#[test]
fn an_overlay_that_is_named_makes_the_cloud_known() {
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &config(""));
    let own = landfall.directory().join("catalogue.json");
    std::fs::remove_file(own).unwrap();
    let named = landfall.write("moon.json", &overlay(&azure.url(), &azure.url()).to_string());
    landfall.ask(&["preflight", "--catalogue", named.as_str()]).ends(0);
    assert!(!azure.asked().is_empty());
}

/// A cloud that no SDK knows is a row of the catalogue, too, under a name that OpenShift takes.
#[test]
fn a_cloud_that_nobody_knows_is_a_row_of_an_overlay() {
    const CLOUDS: &str = include_str!("../../../crates/model/src/azure/data/clouds.json");
    let azure = Azure::start(public());
    let landfall = landfall(&azure, &config("").replace("AzurePublicCloud", "AzureUSSecCloud"));
    // Without the overlay the name is a mistake.
    let own = landfall.directory().join("catalogue.json");
    std::fs::remove_file(&own).unwrap();
    let refused = landfall.ask(&["preflight"]).ends(3);
    assert!(refused.err.contains("LF0504"), "{refused}");
    let mut clouds: Value = serde_json::from_str(CLOUDS).unwrap();
    let mut moon = clouds["AzurePublicCloud"].take();
    let usual = overlay(&azure.url(), &azure.url());
    let endpoints = usual["azure"]["clouds"]["AzurePublicCloud"].clone();
    for (name, value) in endpoints.as_object().unwrap() {
        moon[name] = value.clone();
    }
    moon["storageEndpointSuffix"] = json!("core.moon.example");
    let catalogue = json!({ "azure": { "clouds": { "AzureUSSecCloud": moon } }, "images": usual["images"] });
    std::fs::write(own, catalogue.to_string()).unwrap();
    landfall.preflight().passes();
    landfall.ask(&["create", "manifests"]).ends(0);
    let file = |name: &str| std::fs::read_to_string(landfall.directory().join(name)).unwrap();
    assert!(file("manifests/cluster-infrastructure-02-config.yml").contains("cloudName: AzureUSSecCloud"));
    assert!(file("metadata.json").contains("\"cloudName\":\"AzureUSSecCloud\""), "{}", file("metadata.json"));
}

#[test]
fn the_image_is_looked_at_where_it_is_copied_from() {
    const ID: &str = "azure.image.source";
    let azure = Azure::start(public());
    let preflight = |image: &str| {
        let landfall = landfall(&azure, &config(""));
        let catalogue = overlay(&azure.url(), &azure.url()).to_string();
        let catalogue = catalogue.replace(&scene::image(), image);
        std::fs::write(landfall.directory().join("catalogue.json"), catalogue).unwrap();
        landfall.preflight()
    };
    preflight(&scene::image()).is(ID, "passed");

    let gone = vec![Rule::always(ANY, ALL, |_| Reply::new(404, "application/xml", "BlobNotFound"))];
    let gone = Front::start(None, None, gone);
    let signed = format!("{}/rhcos.vhd?sig=canary-1", gone.url());
    let report = preflight(&signed);
    report.reports(ID, "failed", "LF1149");
    report.says(ID, "failed", &["HTTP 404", "/rhcos.vhd"]);
    assert!(!report.ran.to_string().contains("canary-1"), "{}", report.ran);
    assert_eq!(gone.asked().len(), 1);

    // The cloud may reach what this machine does not.
    let report = preflight(&format!("https://localhost:{}/rhcos.vhd", closed()));
    let check = report.says(ID, "warned", &["`localhost`", "connection refused"]);
    assert!(text(check, "help").contains("AzurePublicCloud copies it"), "{check}");
}

/// A config that is not valid asks nobody, and a question writes nothing.
#[test]
fn nothing_is_written_by_a_question() {
    let azure = Azure::start(public());
    let broken = config("").replace("baseDomain: example.com\n", "");
    let landfall = landfall(&azure, &broken);
    for command in ["preflight", "facts"] {
        landfall.run(&[command]).ends(3);
    }
    assert!(azure.asked().is_empty());

    let landfall = with_ids(stranger(&azure, &config(""))).with("AZURE_CLIENT_SECRET", "wrong");
    landfall.ask(&["preflight"]).ends(4);
    let ran = landfall.ask(&["create", "manifests", "-o", "json"]).ends(4);
    assert_eq!(text(&ran.json(), "outcome"), "rejected", "{ran}");
    let left: Vec<String> = files(landfall.directory()).into_keys().collect();
    assert_eq!(left, ["catalogue.json", "install-config.yaml"], "{ran}");
}
