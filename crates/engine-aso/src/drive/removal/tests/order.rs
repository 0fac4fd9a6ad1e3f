//! The order in which objects go where no resource group takes them along.

use super::*;
use crate::drive::{Job, at_work};

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
    let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
    let limits = Limits { whole: Duration::from_secs(10), clock: || Timestamp::UNIX_EPOCH };
    let place = Place { limits, ..place(api, &kinds, &ground, &stop) };
    let Worked::Ended(end, last) = at_work(&place, &mut api.feed(&kinds), Job::Remove).await else {
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
