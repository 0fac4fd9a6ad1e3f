//! Clusters that landfall creates on Azure by itself: everything of the plan, once, whatever happens.

mod failing;
mod faults;
mod killed;
mod permissions;
mod site;
mod variants;

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

use serde_json::Value;

use super::arm::Recorded;
use site::{Site, leaf_count, same};

#[test]
fn a_cluster_is_created_once_and_removed() {
    let site = Site::new("", "", |text, _| text);
    let before = site.paths();
    let said = site.create(&[]);
    let id = said["infraID"].as_str().unwrap().to_owned();
    assert_eq!(said["engine"]["name"], "native", "{said}");
    site.stands_as_planned(&id);
    let made = site.paths();

    // The bootstrap machine is told where its config is, and may read it.
    assert_eq!(site.started_with(&id, "master-0"), site.given("master"));
    let pointer = site.started_with(&id, "bootstrap");
    let source = pointer["ignition"]["config"]["replace"]["source"].as_str().unwrap();
    let (url, query) = source.split_once('?').unwrap();
    assert!(url.starts_with("https://") && url.ends_with(".blob.core.windows.net/ignition/bootstrap.ign"));
    assert!(query.contains("sp=r&") && query.contains("&sig="), "the address gives more than to read it");
    let blob = made.iter().find(|path| path.ends_with("/blobs/bootstrap.ign")).unwrap();
    let blob = site.azure.manager().look(|tree| tree.get(blob).cloned()).unwrap();
    let content: Value = serde_json::from_str(blob["content"].as_str().unwrap()).unwrap();
    assert_eq!(content["passwd"], site.given("bootstrap")["passwd"]);

    // A second run looks and changes nothing.
    let changes = site.changes();
    let again = site.create(&[]);
    let results = again["work"].as_array().unwrap().iter().map(|work| &work["result"]);
    assert_eq!(results.collect::<Vec<&Value>>(), ["unchanged", "unchanged", "unchanged"], "{again}");
    assert!(!again.to_string().contains("LF1424"), "{again}");
    assert_eq!(site.changes(), changes, "a second run has changed something");
    assert_eq!(site.paths(), made);

    site.destroy_bootstrap();
    let gone: BTreeSet<String> = made.difference(&site.paths()).cloned().collect();
    for part in ["-bootstrap", "-bootstrap-nic", "_ssh_in", "containers/ignition"] {
        assert!(gone.iter().any(|path| path.ends_with(part)), "{part} is left: {gone:?}");
    }
    assert!(
        gone.iter().all(|path| ["bootstrap", "ignition", "_ssh_in"].iter().any(|part| path.contains(part)))
    );

    site.destroy();
    assert_eq!(site.paths(), before);
}

/// How many calls concern the cluster, after a number of others. Those of preflight, which asks whether the cluster can
/// be created, are not among them.
fn calls(site: &Site, id: &str, after: usize) -> usize {
    let name = id.replace('-', "");
    let of_cluster = |one: &&Recorded| {
        let whole = format!("{}{}", one.call.host, one.call.path);
        let is_named = whole.replace(['-', '_'], "").contains(&name);
        is_named || ["/operations/", "/operationresults/"].iter().any(|part| whole.contains(part))
    };
    site.azure.asked().iter().skip(after).filter(of_cluster).count()
}

/// Few calls: each resource is looked at only where it can exist, and waited for only where it takes a while. Half of
/// the calls of a cloud that is not ready at once are questions whether it is. A second run uses what it read for drift.
#[test]
fn a_resource_takes_few_calls() {
    for (polls, most) in [(0, 2.0), (2, 3.5)] {
        let site = Site::new("", "", |text, _| text);
        let planned = f64::from(u32::try_from(site.planned(&[]).len()).unwrap());
        let each = |calls: usize| f64::from(u32::try_from(calls).unwrap()) / planned;
        site.azure.manager().polls.store(polls, Ordering::Relaxed);
        let begun = site.azure.asked().len();
        let id = site.create(&[])["infraID"].as_str().unwrap().to_owned();
        let first = each(calls(&site, &id, begun));
        assert!(first > 1.0 && first < most, "{first} calls for each resource with {polls} questions");
        let begun = site.azure.asked().len();
        site.create(&[]);
        let second = each(calls(&site, &id, begun));
        assert!(second > 0.3 && second < 0.9, "{second} calls for each resource that exists");
    }
}

#[test]
fn what_was_changed_by_hand_is_named_and_kept() {
    let site = Site::new("", "", |text, _| text);
    let id = site.create(&[])["infraID"].as_str().unwrap().to_owned();
    let address = Site::in_group(&id, &format!("Microsoft.Network/publicIPAddresses/{id}-pip-v4"));
    site.azure.edit(|tree| tree.at(&address)["properties"]["publicIPAllocationMethod"] = "Dynamic".into());
    let changes = site.changes();
    let again = site.create(&[]).to_string();
    assert!(again.contains("LF1424") && again.contains("publicIPAllocationMethod"), "{again}");
    assert_eq!(site.changes(), changes);
}

/// Tags, rules and records: what Azure changes in place, and nothing else hangs on.
#[test]
fn what_can_be_changed_in_place_is_set_back() {
    let site = Site::new("", "", |text, _| text);
    let id = site.create(&[])["infraID"].as_str().unwrap().to_owned();
    let network = |rest: &str| Site::in_group(&id, &format!("Microsoft.Network/{rest}"));
    let address = network(&format!("publicIPAddresses/{id}-pip-v4"));
    let rules = network(&format!("networkSecurityGroups/{id}-nsg"));
    let record =
        super::scene::group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com/CNAME/api.demo");
    site.azure.edit(|tree| {
        tree.at(&address)["tags"] = serde_json::json!({ "team": "moon" });
        tree.at(&rules)["properties"]["securityRules"][0]["properties"]["access"] = "Deny".into();
        tree.at(&record)["properties"]["TTL"] = 1.into();
    });
    let changes = site.changes();
    let again = site.create(&[]);
    let codes = |said: &Value| -> Vec<String> {
        let findings = said["findings"].as_array().into_iter().flatten();
        let codes = findings.filter_map(|one| one["code"].as_str()).map(str::to_owned);
        codes.filter(|code| code.starts_with("LF14")).collect()
    };
    // The drift of two stages before the question, then each property.
    assert_eq!(codes(&again), ["LF1428", "LF1428", "LF1433", "LF1433", "LF1433"], "{again}");
    site.stands_as_planned(&id);
    site.azure.edit(|tree| assert_eq!(tree.at(&address)["tags"]["team"], "moon", "a tag of others is gone"));
    assert_eq!(site.changes(), changes + 3);
    let last = site.create(&[]);
    assert!(codes(&last).is_empty(), "{last}");
    assert_eq!(site.changes(), changes + 3);
}

/// Azure shows resources as failed that work, and the cluster adds parts to them.
#[test]
fn what_the_cluster_added_to_a_failed_resource_stays() {
    let site = Site::new("", "", |text, _| text);
    let id = site.create(&[])["infraID"].as_str().unwrap().to_owned();
    let network = |rest: &str| Site::in_group(&id, &format!("Microsoft.Network/{rest}"));
    let balancer = network(&format!("loadBalancers/{id}"));
    let rules = network(&format!("networkSecurityGroups/{id}-nsg"));
    let added = |list: &str| (list.to_owned(), serde_json::json!({ "name": "a5a7", "properties": {} }));
    let all = [(&balancer, added("frontendIPConfigurations")), (&rules, added("securityRules"))];
    site.azure.edit(|tree| {
        for (path, (list, part)) in &all {
            let properties = &mut tree.at(path)["properties"];
            properties["provisioningState"] = "Failed".into();
            properties[list].as_array_mut().unwrap().push(part.clone());
        }
    });
    let changes = site.azure.asked().iter().filter(|one| one.call.method == "PUT").count();
    let said = site.create(&[]);
    let asked = site.azure.asked();
    let put = asked.iter().filter(|one| one.call.method == "PUT").map(|one| one.call.path.as_str());
    let put: BTreeSet<&str> = put.skip(changes).collect();
    assert_eq!(put.len(), 2, "{put:?} {said}");
    site.azure.edit(|tree| {
        for (path, (list, part)) in &all {
            let properties = &tree.at(path)["properties"];
            let parts = properties[list].as_array().unwrap();
            assert!(parts.iter().any(|one| one["name"] == part["name"]), "{path}: {parts:?}");
            assert_ne!(properties["provisioningState"], "Failed", "{path}");
        }
    });
    site.stands_as_planned(&id);
}

#[test]
fn a_record_of_somebody_else_is_kept() {
    let zone =
        super::scene::group("dns-rg", "/providers/Microsoft.Network/dnszones/example.com/CNAME/api.demo");
    let site = Site::new("", "", |text, _| text);
    let theirs = serde_json::json!({
        "id": zone,
        "name": "api.demo",
        "type": "Microsoft.Network/dnszones/CNAME",
        "properties": { "TTL": 60, "CNAMERecord": { "cname": "other.example.com" } },
    });
    let (path, record) = (zone.clone(), theirs.clone());
    // It comes up after preflight has looked.
    site.azure.after_changes(move |call, manager| {
        if call.segments().len() == 4 {
            manager.edit(|tree| tree.put(&path, record.clone()));
        }
    });
    let ran = site.try_create(&[]);
    assert!(ran.code != Some(0) && ran.out.contains("LF1425"), "{ran}");
    site.azure.edit(|tree| assert_eq!(tree.get(&zone), Some(&theirs)));
}

#[test]
fn the_comparison_of_these_tests_can_fail() {
    let one = serde_json::json!({ "a": [{ "name": "x", "p": 1 }], "b": "Tcp" });
    let more =
        serde_json::json!({ "a": [{ "name": "y" }, { "name": "X", "p": 1, "q": 2 }], "b": "TCP", "c": 1 });
    assert_eq!(same(&one, &more), None);
    let other = serde_json::json!({ "a": [{ "name": "x", "p": 2 }], "b": "Tcp" });
    assert!(same(&one, &other).is_some());
    assert_eq!(leaf_count(&one), 3);
}
