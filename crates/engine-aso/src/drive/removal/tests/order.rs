//! The order in which objects go where no resource group takes them along.

use super::*;
use crate::drive::{Job, Others, at_work, listed};

/// A cluster with a machine in a resource group that stays. Each name begins with the tier.
fn with_machine() -> Played {
    let played = Played::empty("here");
    played.put("configmaps", &keys::anchor_name(ID), &json!({}));
    played.put("resourcegroups", "0-group", &json!({}));
    for (plural, name, owner) in [
        ("virtualnetworks", "1-net", "0-group"),
        ("networksecuritygroups", "1-rules", "0-group"),
        ("virtualnetworkssubnets", "3-subnet", "1-net"),
        ("loadbalancers", "4-balancer", "0-group"),
        ("networkinterfaces", "6-nic", "0-group"),
        ("virtualmachines", "7-machine", "0-group"),
    ] {
        played.put(plural, name, &json!({ "owner": { "name": owner } }));
    }
    let only_read = json!({ "metadata": { "annotations": { (keys::POLICY): "skip" } } });
    played.change("resourcegroups", "0-group", &only_read);
    played
}

fn owned_by(kind: &str, name: &str) -> Value {
    let owner = json!({ "apiVersion": "v1", "kind": kind, "name": name, "uid": "u", "controller": true });
    json!({ "metadata": { "labels": null, "ownerReferences": [owner] } })
}

/// The tiers of what was deleted, in order.
fn tiers(api: &Played) -> String {
    let first = |name: &String| name.chars().next().filter(char::is_ascii_digit);
    api.deleted().iter().filter_map(first).collect()
}

/// How the removal ends within a short while, and what is said then of every object that is left.
async fn removed(api: &Played) -> Option<(End, Vec<String>)> {
    removed_with(api, false).await
}

/// The same; whether objects of somebody else may go as well.
async fn removed_with(api: &Played, takes_others: bool) -> Option<(End, Vec<String>)> {
    let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
    let limits = Limits { whole: Duration::from_secs(10), clock: || Timestamp::UNIX_EPOCH };
    let place = Place { limits, ..place(api, &kinds, &ground, &stop) };
    let Worked::Ended(end, last) = at_work(&place, &mut api.feed(&kinds), Job::Remove { takes_others }).await
    else {
        return None;
    };
    Some((end, last.objects.into_iter().map(|planned| planned.action.message).collect()))
}

#[tokio::test(start_paused = true)]
async fn all_goes_from_the_highest_tier_to_the_lowest() {
    let api = with_machine();
    assert_eq!(removed(&api).await, Some((End::Done, Vec::new())));
    assert_eq!(tiers(&api), "7643110");
}

#[tokio::test(start_paused = true)]
async fn the_order_holds_whosever_the_group_is() {
    let api = with_machine();
    api.change("resourcegroups", "0-group", &owned_by("Team", "theirs"));
    assert_eq!(removed(&api).await, Some((End::Done, Vec::new())));
    assert_eq!(tiers(&api), "764311");
    let api = with_machine();
    api.change("resourcegroups", "0-group", &owned_by("ConfigMap", &keys::anchor_name(ID)));
    assert_eq!(removed(&api).await, Some((End::Done, Vec::new())));
    assert_eq!(tiers(&api), "7643110");
}

#[tokio::test(start_paused = true)]
async fn what_an_object_of_somebody_else_needs_waits_for_it() {
    let with_theirs = || {
        let api = with_machine();
        api.put("virtualnetworkssubnets", "theirs", &json!({ "owner": { "name": "1-net" } }));
        api.change("virtualnetworkssubnets", "theirs", &owned_by("Team", "theirs"));
        api
    };
    let api = with_theirs();
    let waits = "waiting for dependents to be deleted";
    let whose = format!("{waits}: VirtualNetworksSubnet/theirs is not managed by this cluster");
    assert_eq!(removed(&api).await, Some((End::TimedOut, vec![waits.to_owned(), whose])));
    assert_eq!(tiers(&api), "76431");
    // Without the group nothing is left of it in Azure.
    let api = with_theirs();
    api.all().remove(&("resourcegroups", "0-group".to_owned()));
    assert_eq!(removed(&api).await, Some((End::Done, Vec::new())));
    assert_eq!(tiers(&api), "764311");
}

/// A cluster whose group is its own, beside a group of somebody else with a network in it.
fn with_own_group() -> Played {
    let api = with_machine();
    let manages = json!({ "metadata": { "annotations": { (keys::POLICY): "manage" } } });
    for (plural, name) in [("resourcegroups", "0-group"), ("virtualnetworks", "1-net")] {
        api.change(plural, name, &manages);
    }
    for (plural, name, owner) in
        [("resourcegroups", "other-group", ""), ("virtualnetworks", "other-net", "other-group")]
    {
        api.put(plural, name, &json!({ "owner": { "name": owner } }));
        api.change(plural, name, &owned_by("Team", "theirs"));
    }
    api
}

/// What somebody else has in the cluster's own group, or built on the cluster's network.
fn of_somebody_else() -> [(&'static str, &'static str, Value); 4] {
    let id = "/subscriptions/1/resourceGroups/0-GROUP";
    let subnet = json!({ "group": "network.azure.com", "kind": "VirtualNetworksSubnet", "name": "3-subnet" });
    let elsewhere = json!({ "owner": { "name": "other-group" }, "subnet": { "reference": subnet } });
    [
        ("networksecuritygroups", "NetworkSecurityGroup", json!({ "owner": { "name": "0-group" } })),
        ("routetables", "RouteTable", json!({ "owner": { "armId": id } })),
        ("virtualnetworkssubnets", "VirtualNetworksSubnet", json!({ "owner": { "name": "1-net" } })),
        ("networkinterfaces", "NetworkInterface", elsewhere),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_group_waits_for_what_somebody_else_has_in_it() {
    let api = with_own_group();
    assert_eq!(removed(&api).await.map(|(end, _)| end), Some(End::Done));
    assert_eq!(api.deleted().first().map(String::as_str), Some("0-group"), "nothing else waits");
    let left: Vec<String> = api.all().keys().map(|(_, name)| name.clone()).collect();
    assert!(left.contains(&"other-net".to_owned()), "{left:?}");
    for (plural, kind, spec) in of_somebody_else() {
        let with_theirs = || {
            let api = with_own_group();
            api.put(plural, "theirs", &spec);
            api.change(plural, "theirs", &owned_by("Team", "theirs"));
            api
        };
        let api = with_theirs();
        let waits =
            format!("waiting for dependents to be deleted: {kind}/theirs is not managed by this cluster");
        let ended = removed(&api).await;
        let told = ended.iter().flat_map(|(_, told)| told).filter(|line| **line == waits).count();
        assert_eq!(
            (ended.as_ref().map(|(end, _)| *end), told),
            (Some(End::TimedOut), 1),
            "{kind}: {ended:?}"
        );
        assert_eq!(tiers(&api), "", "{kind}");
        // It is gone.
        api.all().remove(&(plural, "theirs".to_owned()));
        assert_eq!(removed(&api).await.map(|(end, _)| end), Some(End::Done), "{kind}");

        // Its owner permits it, of this object or of all.
        let api = with_theirs();
        let permits = json!({ "metadata": { "annotations": { (keys::DELETE_WITH_CLUSTER): "true" } } });
        api.change(plural, "theirs", &permits);
        assert_eq!(removed(&api).await.map(|(end, _)| end), Some(End::Done), "{kind}");
        let api = with_theirs();
        assert_eq!(removed_with(&api, true).await.map(|(end, _)| end), Some(End::Done), "{kind}");
        assert_eq!(api.deleted().first().map(String::as_str), Some("0-group"), "{kind}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_somebody_else_has_in_a_group_is_named_before() {
    let others = async |api: &Played, takes_others: bool| {
        let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
        let place = place(api, &kinds, &ground, &stop);
        place.others(api.feed(&kinds), takes_others).await.ok()
    };
    let api = with_own_group();
    assert_eq!(others(&api, false).await, Some(Others::default()));
    for (plural, _, spec) in of_somebody_else() {
        api.put(plural, "theirs", &spec);
        api.change(plural, "theirs", &owned_by("Team", "theirs"));
    }
    let permits = json!({ "metadata": { "annotations": { (keys::DELETE_WITH_CLUSTER): "true" } } });
    api.change("routetables", "theirs", &permits);
    let names = |ids: &[Need]| ids.iter().map(|id| id.kind).collect::<Vec<_>>();
    let told = others(&api, false).await.unwrap_or_default();
    let waits = ["NetworkInterface", "NetworkSecurityGroup", "VirtualNetworksSubnet"];
    assert_eq!((names(&told.waited_for), names(&told.removed)), (waits.to_vec(), vec!["RouteTable"]));
    assert!(listed(&told.waited_for).starts_with("NetworkInterface/theirs, "), "{told:?}");
    let all = others(&api, true).await.unwrap_or_default();
    assert_eq!((all.waited_for.len(), listed(&all.removed).ends_with(" and 1 more")), (0, true), "{all:?}");
    assert_eq!(others(&Played::empty("here"), false).await, Some(Others::default()));
}

/// The cluster's security group, as the operator read it.
fn read(policy: &str, annotations: &Value, ready: (&str, &str), tags: &Value) -> Value {
    let mut metadata = json!({ "annotations": { (keys::POLICY): policy } });
    json_patch::merge(&mut metadata, &json!({ "annotations": annotations }));
    let ready = json!({ "type": "Ready", "status": ready.0, "reason": ready.1 });
    json!({ "metadata": metadata, "status": { "conditions": [ready], "tags": tags } })
}

#[tokio::test(start_paused = true)]
async fn a_group_waits_for_what_azure_is_to_keep() {
    const RULES: (&str, &str) = ("networksecuritygroups", "1-rules");
    let (none, found, missing) = (json!({}), ("True", "Succeeded"), ("False", "AzureResourceNotFound"));
    let adopted = json!({ (keys::ADOPTED_AT): "2026-01-01T00:00:00Z" });
    let handed_over = json!({ (keys::HANDOVER): "manage" });
    let owned = json!({ (keys::ownership_tag(ID)): keys::OWNED });
    let with = |object: &Value| {
        let api = with_own_group();
        api.change(RULES.0, RULES.1, object);
        api
    };
    for kept in [
        read("skip", &none, found, &json!({ "team": "corp" })),
        read("skip", &adopted, found, &owned),
        read("detach-on-delete", &adopted, ("False", "Throttled"), &owned),
    ] {
        let api = with(&kept);
        let ended = removed(&api).await;
        let waits = "waiting: the resource group would take NetworkSecurityGroup/1-rules with it";
        let told = ended.iter().flat_map(|(_, told)| told).filter(|line| **line == waits).count();
        assert_eq!((ended.as_ref().map(|(end, _)| *end), told), (Some(End::TimedOut), 1), "{ended:?}");
        assert_eq!(tiers(&api), "", "{kept}");
        // Its owner permits it, of this object or of all.
        let permits = json!({ "metadata": { "annotations": { (keys::DELETE_WITH_CLUSTER): "true" } } });
        api.change(RULES.0, RULES.1, &permits);
        assert_eq!(removed(&api).await.map(|(end, _)| end), Some(End::Done), "{kept}");
        assert_eq!(removed_with(&with(&kept), true).await.map(|(end, _)| end), Some(End::Done), "{kept}");
    }
    for going in [
        read("skip", &none, missing, &none),
        read("skip", &none, found, &owned),
        read("skip", &handed_over, found, &owned),
        read("detach-on-delete", &adopted, missing, &none),
    ] {
        let api = with(&going);
        assert_eq!(removed(&api).await.map(|(end, _)| end), Some(End::Done), "{going}");
        assert_eq!(api.deleted().first().map(String::as_str), Some("0-group"), "{going}");
    }
    // A part of a network is the network's; what Azure creates with a resource is nobody's.
    let api = with_own_group();
    api.change("virtualnetworkssubnets", "3-subnet", &read("skip", &none, found, &none));
    api.put("storageaccounts", "1-account", &json!({ "owner": { "name": "0-group" } }));
    api.put("storageaccountsblobservices", "2-service", &json!({ "owner": { "name": "1-account" } }));
    api.change("storageaccountsblobservices", "2-service", &read("skip", &none, found, &none));
    assert_eq!(removed(&api).await.map(|(end, _)| end), Some(End::Done));
    let api = with_own_group();
    for (plural, name) in [("virtualnetworks", "1-net"), ("virtualnetworkssubnets", "3-subnet")] {
        api.change(plural, name, &read("skip", &none, found, &none));
    }
    let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
    let others = place(&api, &kinds, &ground, &stop).others(api.feed(&kinds), false).await;
    let waited_for = others.ok().map(|others| others.waited_for).unwrap_or_default();
    assert_eq!(listed(&waited_for), "VirtualNetwork/1-net, VirtualNetworksSubnet/3-subnet");
}

#[tokio::test(start_paused = true)]
async fn what_left_the_plan_goes_in_the_same_order() {
    let api = with_machine();
    let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
    let left = [("LoadBalancer", "4-balancer"), ("NetworkInterface", "6-nic"), ("VirtualNetwork", "1-net")];
    let left = left.map(|(kind, name)| Need { kind, name: name.to_owned() });
    let worked = place(&api, &kinds, &ground, &stop).prune(api.feed(&kinds), left.to_vec()).await;
    assert!(matches!(worked, Worked::Ended(End::Done, _)), "{worked:?}");
    assert_eq!(tiers(&api), "641");
}
