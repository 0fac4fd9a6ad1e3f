//! That the cloud of these tests is one: what it demands of its callers, and how it goes about its changes.

use serde_json::{Value, json};

use super::answer::Answer;
use super::call::Call;
use super::manager::Manager;
use super::scene::{self, group, subscription};
use crate::front::Asked;

const VERSION: &str = "api-version=2021-04-01";

fn manager() -> Manager {
    Manager::new(scene::public().tree, false)
}

fn call(method: &str, path: &str, body: &str) -> Call {
    let headers = vec![("host".to_owned(), "localhost".to_owned())];
    let (method, path, body) = (method.to_owned(), path.to_owned(), body.to_owned());
    Call::of(&Asked { method, path, headers, body })
}

fn ask(manager: &Manager, method: &str, path: &str) -> Answer {
    manager.answer(&call(method, path, "{\"location\":\"eastus\"}"), true)
}

fn json_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.body).unwrap_or_default()
}

fn code(answer: &Answer) -> String {
    json_of(answer)["error"]["code"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn it_wants_to_know_who_asks_and_by_which_version() {
    let manager = manager();
    let path = subscription("");
    let answer = manager.answer(&call("GET", &format!("{path}?{VERSION}"), ""), false);
    assert_eq!((answer.status, code(&answer).as_str()), (401, "AuthenticationFailed"));
    assert!(answer.of_header("www-authenticate").starts_with("Bearer "));
    assert_eq!(code(&ask(&manager, "GET", &path)), "MissingApiVersionParameter");
    let other = ask(&manager, "GET", &format!("{path}?api-version=2017-10-01"));
    assert_eq!((other.status, code(&other).as_str()), (400, "InvalidApiVersionParameter"));
    assert_eq!(ask(&manager, "GET", &format!("{path}?api-version=2022-12-01")).status, 200);

    let hub = Manager::new(scene::stack_hub().tree, true);
    assert_eq!(ask(&hub, "GET", &format!("{path}?api-version=2022-12-01")).status, 400);
    assert_eq!(ask(&hub, "GET", &format!("{path}?api-version=2016-06-01")).status, 200);
    let identities = group("dns-rg", "/providers/Microsoft.ManagedIdentity/userAssignedIdentities/x");
    let answer = ask(&hub, "GET", &format!("{identities}?api-version=2018-11-30"));
    assert_eq!(code(&answer), "InvalidResourceNamespace");
}

/// Tags that are sent take the place of those that there were.
#[test]
fn it_changes_parts_of_a_group() {
    let manager = manager();
    let path = format!("{}?{VERSION}", group("cluster-rg", ""));
    for tags in [json!({ "team": "moon", "stage": "first" }), json!({ "team": "sun" })] {
        let body = json!({ "tags": tags }).to_string();
        let answer = manager.answer(&call("PATCH", &path, &body), true);
        let found = json_of(&answer);
        assert_eq!((answer.status, &found["tags"], &found["location"]), (200, &tags, &json!("eastus")));
    }
    assert_eq!(ask(&manager, "PATCH", &format!("{}?{VERSION}", group("moon-rg", ""))).status, 404);
}

#[test]
fn it_gives_long_lists_in_parts() {
    let manager = manager();
    let mut next = subscription(
        "/providers/Microsoft.Compute/skus?api-version=2021-07-01&$filter=location%20eq%20'eastus'",
    );
    let mut names = Vec::new();
    let mut parts = 0;
    while !next.is_empty() {
        let body = json_of(&ask(&manager, "GET", &next));
        for entry in body["value"].as_array().unwrap() {
            assert_eq!(entry["locations"], json!(["eastus"]), "{entry}");
            names.push(entry["name"].as_str().unwrap().to_owned());
        }
        next = body["nextLink"].as_str().unwrap_or_default().replace("https://localhost", "");
        parts += 1;
    }
    assert!(parts >= 3, "{parts}");
    assert_eq!(names.iter().filter(|name| *name == "Standard_D8s_v3").count(), 1, "{names:?}");
}

#[test]
fn it_says_what_is_not_there() {
    let manager = manager();
    let none = |path: &str| {
        let answer = ask(&manager, "GET", path);
        assert_eq!(answer.status, 404, "{}", answer.body);
        code(&answer)
    };
    assert_eq!(none("/subscriptions/x?api-version=2022-12-01"), "SubscriptionNotFound");
    assert_eq!(none(&format!("{}?{VERSION}", group("x", ""))), "ResourceGroupNotFound");
    let network = group("net-rg", "/providers/Microsoft.Network/virtualNetworks/x?api-version=2023-09-01");
    assert_eq!(none(&network), "ResourceNotFound");
    let record = group(
        "dns-rg",
        "/providers/Microsoft.Network/dnsZones/example.com/A/api.demo?api-version=2018-05-01",
    );
    assert_eq!(none(&record), "NotFound");
    let resources = json_of(&ask(&manager, "GET", &format!("{}?{VERSION}", group("net-rg", "/resources"))));
    assert_eq!(resources["value"][0]["name"], "corp-vnet", "{resources}");
}

/// Follows an address until there is nothing more to wait for.
fn wait(manager: &Manager, address: &str) -> (usize, Answer) {
    let path = address.replace("https://localhost", "");
    for asked in 1..10 {
        let answer = ask(manager, "GET", &path);
        if answer.status != 202 && json_of(&answer)["status"] != "InProgress" {
            return (asked, answer);
        }
    }
    panic!("{address} does not end");
}

#[test]
fn its_changes_take_their_time() {
    let manager = manager();
    let network =
        group("net-rg", "/providers/Microsoft.Network/virtualNetworks/corp-vnet?api-version=2023-09-01");
    let begun = ask(&manager, "DELETE", &network);
    assert_eq!((begun.status, begun.of_header("retry-after")), (202, "0"));
    assert_eq!(ask(&manager, "GET", &network).status, 200);
    let (asked, done) = wait(&manager, begun.of_header("azure-asyncoperation"));
    assert_eq!((asked, json_of(&done)["status"].as_str()), (3, Some("Succeeded")));
    assert_eq!(ask(&manager, "GET", &network).status, 404);
    assert_eq!(ask(&manager, "DELETE", &network).status, 204);

    let made = ask(&manager, "PUT", &network);
    assert_eq!(made.status, 201);
    assert_eq!(json_of(&ask(&manager, "GET", &network))["properties"]["provisioningState"], "Updating");
    wait(&manager, made.of_header("azure-asyncoperation"));
    assert_eq!(json_of(&ask(&manager, "GET", &network))["properties"]["provisioningState"], "Succeeded");

    let whole = format!("{}?{VERSION}", group("net-rg", ""));
    let begun = ask(&manager, "DELETE", &whole);
    let (_, done) = wait(&manager, begun.of_header("location"));
    assert_eq!((done.status, ask(&manager, "GET", &whole).status), (200, 404));
    assert_eq!(ask(&manager, "PUT", &whole).status, 201);
    assert_eq!(ask(&manager, "GET", &whole).status, 200);
}

/// A client whose answer was lost knows no operation to ask after.
#[test]
fn what_it_was_asked_for_goes_on_though_nobody_asks_after_it() {
    let manager = manager();
    let network =
        group("net-rg", "/providers/Microsoft.Network/virtualNetworks/other?api-version=2023-09-01");
    assert_eq!(ask(&manager, "PUT", &network).status, 201);
    let state = || json_of(&ask(&manager, "GET", &network))["properties"]["provisioningState"].clone();
    let states: Vec<Value> = (0..4).map(|_| state()).collect();
    assert_eq!(states, ["Updating", "Updating", "Succeeded", "Succeeded"]);
}

#[test]
fn its_locks_hold() {
    let manager = manager();
    let lock = group("net-rg", "/providers/Microsoft.Authorization/locks/keep");
    manager.edit(|tree| tree.put(&lock, json!({ "id": lock, "properties": { "level": "CanNotDelete" } })));
    let whole = format!("{}?{VERSION}", group("net-rg", ""));
    let refused = ask(&manager, "DELETE", &whole);
    assert_eq!((refused.status, code(&refused).as_str()), (409, "ScopeLocked"));
    let locks = group("net-rg", "/providers/Microsoft.Authorization/locks?api-version=2016-09-01");
    assert_eq!(json_of(&ask(&manager, "GET", &locks))["value"].as_array().map(Vec::len), Some(1));
    assert_eq!(ask(&manager, "DELETE", &format!("{}?{VERSION}", group("dns-rg", ""))).status, 202);
}
