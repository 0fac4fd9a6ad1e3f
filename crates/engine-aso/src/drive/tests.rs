//! Clusters that are made, paused, moved and removed in a played management cluster, with an operator that
//! answers at once.

mod missing;
mod played;
mod timing;
mod versions;
mod whose;

use std::time::Duration;

use jiff::Timestamp;
use landfall_net::stop::Stop;
use serde_json::{Value, json};

use super::*;
use crate::desired::{Hints, Policy};
use crate::keys;
use crate::translate::Binding;
use played::Played;

const ID: &str = "demo-x7k2p";

struct Silent;

impl Watcher for Silent {
    fn changed(&self, _: usize, _: usize) {}

    fn told(&self, _: &str) {}
}

fn desired(kind: &str, name: &str, spec: &Value, needs: &[(&'static str, &str)]) -> Option<Desired> {
    let kind = kinds::named(kind)?;
    let mut spec = spec.as_object().cloned().unwrap_or_default();
    if let Some(field) = kind.tag_carrier.field() {
        spec.insert(field.to_owned(), json!({ (keys::ownership_tag(ID)): "owned" }));
    }
    Some(Desired {
        kind,
        api_version: kind.api_version(),
        name: name.to_owned(),
        spec,
        hints: Hints::of(kind),
        needs: needs.iter().map(|&(kind, name)| Need { kind, name: name.to_owned() }).collect(),
    })
}

/// A cluster of five objects, of which one waits for an address.
fn plan() -> Translation {
    let group = ("ResourceGroup", "rg");
    let owned = |owner: &str| json!({ "owner": { "name": owner } });
    let binding = Binding {
        object: Need { kind: "PrivateDnsZonesARecord", name: "api".to_owned() },
        field: "aRecords",
        source: Need { kind: "LoadBalancer", name: "internal".to_owned() },
        pointer: "/status/frontendIPConfigurations/0/privateIPAddress",
        form: |address| json!([{ "ipv4Address": address }]),
    };
    let mut objects: Vec<Desired> = [
        desired("ResourceGroup", "rg", &json!({ "location": "eastus" }), &[]),
        desired("VirtualNetwork", "net", &owned("rg"), &[group]),
        desired("PrivateDnsZone", "zone", &owned("rg"), &[group]),
        desired("LoadBalancer", "internal", &owned("rg"), &[group, ("VirtualNetwork", "net")]),
        desired(
            "PrivateDnsZonesARecord",
            "api",
            &owned("zone"),
            &[("PrivateDnsZone", "zone"), ("LoadBalancer", "internal")],
        ),
    ]
    .into_iter()
    .flatten()
    .collect();
    if let Some(record) = objects.last_mut() {
        record.hints.late_bound.push(binding.words());
    }
    Translation { objects, bindings: vec![binding], ..Translation::default() }
}

fn used() -> Vec<&'static Kind> {
    plan().objects.iter().map(|desired| desired.kind).collect()
}

fn ground() -> Ground {
    Ground { infra_id: ID.to_owned(), namespace: ID.to_owned() }
}

fn anchor() -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": keys::anchor_name(ID),
            "namespace": ID,
            "labels": { (keys::CLUSTER): ID },
            "annotations": { (keys::BLOCK_MOVE): "true" },
            "finalizers": [keys::CLEANUP],
        },
        "data": { "infraID": ID },
    })
}

fn secret(owner: &Owner) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": keys::credential_name(ID),
            "labels": { (keys::CLUSTER): ID },
            "ownerReferences": [owner.reference()],
        },
        "stringData": { "AZURE_CLIENT_SECRET": "canary" },
    })
}

fn limits() -> Limits {
    Limits { whole: Duration::from_hours(1), clock: || Timestamp::UNIX_EPOCH }
}

fn place<'a>(api: &'a Played, kinds: &'a [&'static Kind], ground: &'a Ground, stop: &'a Stop) -> Place<'a> {
    let identity = "me".to_owned();
    Place { api, kinds, ground, identity, limits: limits(), watcher: &Silent, stop }
}

async fn work(api: &Played, job: Job<'_>) -> Option<End> {
    let (kinds, ground, stop) = (used(), ground(), Stop::default());
    let mut feed = api.feed(&kinds);
    match at_work(&place(api, &kinds, &ground, &stop), &mut feed, job).await {
        Worked::Ended(end, _) => Some(end),
        _ => None,
    }
}

/// The job of making a cluster whose machines wait for nothing.
fn making(translation: Translation, anchor: &Value) -> Job<'_> {
    Job::Make { translation, anchor, secret: &secret, stage: Stage::Install, boot: None }
}

async fn make(api: &Played) -> Option<End> {
    let anchor = anchor();
    let job = making(plan(), &anchor);
    work(api, job).await
}

#[tokio::test(start_paused = true)]
async fn a_cluster_is_made_and_then_left_alone() {
    let api = Played::default();
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(api.in_azure().len(), 5);
    assert_eq!(api.spec("PrivateDnsZonesARecord", "api")["aRecords"][0]["ipv4Address"], "10.0.0.4");
    let before = api.writes_of_objects();
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(api.writes_of_objects(), before);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_killed_anywhere_is_ended_by_the_next() {
    for calls in 0..400 {
        let api = Played::default();
        api.allow(Some(calls));
        let first = make(&api).await;
        api.allow(None);
        assert_eq!(make(&api).await, Some(End::Done), "made after {calls} calls");
        assert_eq!(api.in_azure().len(), 5, "made after {calls} calls");
        if first == Some(End::Done) {
            return;
        }
    }
    assert_eq!(Some(()), None, "it never ends");
}

#[tokio::test(start_paused = true)]
async fn a_removal_that_was_killed_anywhere_is_ended_by_the_next() {
    for calls in 0..400 {
        let api = Played::default();
        assert_eq!(make(&api).await, Some(End::Done));
        api.allow(Some(calls));
        let first = work(&api, Job::Remove { takes_others: false }).await;
        api.allow(None);
        let second = work(&api, Job::Remove { takes_others: false }).await;
        // None: there is no such cluster any more.
        assert!([Some(End::Done), None].contains(&second), "removed after {calls} calls");
        assert_eq!((api.in_azure(), api.objects()), (Vec::new(), 0), "removed after {calls} calls");
        assert_eq!(api.anchor(), None, "removed after {calls} calls");
        if first == Some(End::Done) {
            return;
        }
    }
    assert_eq!(Some(()), None, "it never ends");
}

#[tokio::test(start_paused = true)]
async fn a_resource_of_somebody_else_stays() {
    let api = Played::default();
    api.found("VirtualNetwork", "net", &json!({}));
    assert_eq!(make(&api).await, Some(End::Done));
    let policy = api.annotation("VirtualNetwork", "net", keys::POLICY);
    assert_eq!(policy.as_deref(), Some(Policy::Skip.name()));
    let api = Played::default();
    api.found("VirtualNetwork", "net", &json!({ (keys::ownership_tag(ID)): "owned" }));
    assert_eq!(make(&api).await, Some(End::Done));
    let policy = api.annotation("VirtualNetwork", "net", keys::POLICY);
    assert_eq!(policy.as_deref(), Some(Policy::Manage.name()));
}

#[tokio::test(start_paused = true)]
async fn an_object_of_somebody_else_in_the_way_stays() {
    let api = Played::default();
    let theirs = json!({
        "metadata": { "annotations": { (keys::POLICY): "manage" } },
        "spec": { "mine": true },
        "status": { "conditions": [{ "type": "Ready", "status": "True" }] },
    });
    api.put("VirtualNetwork", "net", &theirs);
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(api.spec("VirtualNetwork", "net"), json!({ "mine": true }));
}

#[tokio::test(start_paused = true)]
async fn a_credential_of_somebody_else_stays() {
    let api = Played::default();
    let theirs = json!({ "metadata": {}, "data": { "mine": "YQ==" } });
    api.put_credential(&theirs);
    assert_eq!(make(&api).await, None);
    assert_eq!((api.objects(), api.anchor()), (0, None));
    assert_eq!(api.credential().map(|there| there["data"].clone()), Some(theirs["data"].clone()));
}

/// A network of somebody else, made at a time.
fn their_network(made: &str, is_ready: bool) -> Value {
    let status = if is_ready { "True" } else { "False" };
    json!({
        "metadata": { "creationTimestamp": made },
        "status": { "conditions": [{ "type": "Ready", "status": status, "reason": "Failed" }] },
    })
}

#[tokio::test(start_paused = true)]
async fn an_object_of_somebody_else_that_does_not_get_ready_ends_the_run() {
    let api = Played::default();
    api.put("VirtualNetwork", "net", &their_network("1969-12-31T23:57:59Z", false));
    let (kinds, ground, stop) = (used(), ground(), Stop::default());
    let anchor = anchor();
    let job = making(plan(), &anchor);
    let mut feed = api.feed(&kinds);
    let told = match at_work(&place(&api, &kinds, &ground, &stop), &mut feed, job).await {
        Worked::Ended(End::Stuck, ended) => pages::failed(&ended),
        _ => Vec::new(),
    };
    let told: Vec<&str> = told.iter().map(|finding| finding.message.as_str()).collect();
    assert_eq!(told, [format!("VirtualNetwork/net: {OTHERS_NOT_READY}")]);
    assert_eq!(api.in_azure().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_object_of_somebody_else_that_nobody_waits_for_does_not_matter() {
    let api = Played::default();
    api.put("VirtualNetwork", "net", &their_network("1969-12-31T23:00:00Z", true));
    assert_eq!(make(&api).await, Some(End::Done));
    api.put("VirtualNetwork", "net", &their_network("1969-12-31T23:00:00Z", false));
    assert_eq!(make(&api).await, Some(End::Done));
}

#[tokio::test(start_paused = true)]
async fn an_object_of_somebody_else_is_waited_for() {
    let api = Played::default();
    api.put("VirtualNetwork", "net", &their_network("1970-01-01T00:00:00Z", false));
    let gets_ready = async {
        tokio::time::sleep(Duration::from_mins(1)).await;
        api.put("VirtualNetwork", "net", &their_network("1970-01-01T00:00:00Z", true));
    };
    let (end, ()) = tokio::join!(make(&api), gets_ready);
    assert_eq!(end, Some(End::Done));
    assert_eq!(api.in_azure().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn what_fails_for_good_ends_the_run_and_stops_nothing_else() {
    let api = Played::default();
    api.fail("LoadBalancer", "internal");
    assert_eq!(make(&api).await, Some(End::Stuck));
    assert_eq!(api.in_azure().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_removal_needs_nothing_that_a_killed_creation_took_away() {
    let api = Played::default();
    assert_eq!(make(&api).await, Some(End::Done));
    let name = format!("{}-retry", keys::credential_name(ID));
    let patch = json!({ "metadata": { "annotations": { (keys::CREDENTIAL_FROM): name } } });
    api.change("LoadBalancer", "internal", &patch);
    assert_eq!(work(&api, Job::Remove { takes_others: false }).await, Some(End::Done));
    assert_eq!((api.in_azure(), api.objects()), (Vec::new(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_pause_ends_as_it_began() {
    let api = Played::default();
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(work(&api, Job::Pause).await, Some(End::Done));
    let policy = |api: &Played| api.annotation("VirtualNetwork", "net", keys::POLICY);
    assert_eq!(policy(&api).as_deref(), Some("skip"));
    assert_eq!(
        api.anchor().map(|anchor| anchor["metadata"]["annotations"].clone()),
        Some(json!({ PAUSED: "true" }))
    );
    // A paused cluster is not made.
    assert_eq!(make(&api).await, None);
    assert_eq!(work(&api, Job::Resume).await, Some(End::Done));
    assert_eq!(policy(&api).as_deref(), Some("manage"));
    assert_eq!(make(&api).await, Some(End::Done));
}

#[tokio::test(start_paused = true)]
async fn what_was_handed_over_goes_with_the_cluster() {
    let api = Played::default();
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(work(&api, Job::HandOver).await, Some(End::Done));
    let policy = api.annotation("LoadBalancer", "internal", keys::POLICY);
    assert_eq!(policy.as_deref(), Some("skip"));
    assert_eq!(work(&api, Job::Remove { takes_others: false }).await, Some(End::Done));
    assert_eq!((api.in_azure(), api.objects()), (Vec::new(), 0));
}

#[tokio::test(start_paused = true)]
async fn a_moved_cluster_is_neither_made_again_nor_removed() {
    for calls in 0..400 {
        let (from, to) = (Played::default(), Played::default());
        to.share_azure(&from);
        assert_eq!(make(&from).await, Some(End::Done));
        let changes = from.changes_in_azure();
        let moved = async || {
            let (kinds, ground, stop) = (used(), ground(), Stop::default());
            let (here, there) = (|| from.feed(&kinds), || to.feed(&kinds));
            relocate(&Relocation {
                from: Side { place: place(&from, &kinds, &ground, &stop), feed: &here },
                to: Side { place: place(&to, &kinds, &ground, &stop), feed: &there },
            })
            .await
        };
        from.allow(Some(calls));
        let first = moved().await;
        from.allow(None);
        let second = moved().await;
        assert!(
            matches!(second, Worked::Ended(End::Done, _) | Worked::NotThere),
            "moved after {calls} calls"
        );
        assert_eq!((from.objects(), to.objects()), (0, 5), "moved after {calls} calls");
        assert_eq!(from.changes_in_azure(), changes, "moved after {calls} calls");
        let policy = to.annotation("VirtualNetwork", "net", keys::POLICY);
        assert_eq!(policy.as_deref(), Some("manage"), "moved after {calls} calls");
        if matches!(first, Worked::Ended(End::Done, _)) {
            return;
        }
    }
    assert_eq!(Some(()), None, "it never ends");
}

#[test]
fn an_older_state_is_no_news() {
    let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
    let object = |version: &str| json!({ "metadata": { "name": "rg", "resourceVersion": version } });
    world.note(ObjectEvent::Is("ResourceGroup", object("10")));
    world.note(ObjectEvent::Is("ResourceGroup", object("9")));
    let id = Need { kind: "ResourceGroup", name: "rg".to_owned() };
    assert_eq!(world.get(&id), Some(&object("10")));
    world.note(ObjectEvent::Gone("ResourceGroup", object("9")));
    assert!(world.get(&id).is_some());
    world.note(ObjectEvent::All("ResourceGroup", Vec::new()));
    assert_eq!(world.get(&id), None);
}
