//! What the operator misses, what the user's patches name, and work whose time is over.

use tokio::time::{Instant, sleep};

use super::*;
use crate::anchor::owner;
use crate::core::PLAN_LIMIT;

const NETWORK: &str = "network.azure.com";

fn named(group: &str, kind: &str, name: &str) -> Value {
    json!({ "parts": [{ "reference": { "group": group, "kind": kind, "name": name } }] })
}

/// The plan, with a config map and a Secret that the operator writes.
fn plan_that_writes() -> Translation {
    let mut plan = plan();
    let place = |name: &str| json!({ "a": { "name": name, "key": "a" } });
    let spec = json!({ "operatorSpec": { "configMaps": place("map"), "secrets": place("secret") } });
    plan.objects.extend(desired("UserAssignedIdentity", "identity", &spec, &[]));
    plan
}

#[test]
fn only_what_is_in_the_plan_comes_by_itself() {
    let comes = |reason: &str, spec: &Value, world: &ObservedState| {
        let ready = json!({ "type": "Ready", "status": "False", "reason": reason });
        let object = json!({ "spec": spec, "status": { "conditions": [ready] } });
        references::comes(&object, &plan_that_writes(), world)
    };
    let taken = |field: &str, name: &str| json!({ "part": { (field): { "name": name, "key": "a" } } });
    let cases = [
        ("WaitingForOwner", json!({ "owner": { "name": "rg" } }), true),
        ("WaitingForOwner", json!({ "owner": { "name": "other" } }), false),
        ("ReferenceNotFound", named(NETWORK, "VirtualNetwork", "net"), true),
        ("ReferenceNotFound", named(NETWORK, "VirtualNetwork", "other"), false),
        ("ReferenceNotFound", named(NETWORK, "ApplicationSecurityGroup", "net"), false),
        ("ReferenceNotFound", named("cache.azure.com", "VirtualNetwork", "net"), false),
        ("ConfigMapNotFound", taken("principalIdFromConfig", "map"), true),
        ("ConfigMapNotFound", taken("principalIdFromConfig", "secret"), false),
        ("ConfigMapNotFound", taken("adminPassword", "other"), true),
        ("SecretNotFound", taken("adminPassword", "secret"), true),
        ("SecretNotFound", taken("adminPassword", "map"), false),
        ("SecretNotFound", json!({ "operatorSpec": taken("adminPassword", "other") }), true),
        ("SecretNotFound", json!({}), true),
    ];
    let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
    for (reason, spec, expected) in cases {
        assert_eq!(comes(reason, &spec, &world), expected, "{reason} of {spec}");
    }
    // What stands is not what is missing.
    let spec = named(NETWORK, "VirtualNetwork", "other");
    world.note(ObjectEvent::Is("VirtualNetwork", json!({ "metadata": { "name": "other" } })));
    assert!(comes("ReferenceNotFound", &spec, &world));
    world.lacks_credential = true;
    assert!(!comes("SecretNotFound", &json!({}), &world));
}

#[test]
fn what_a_patch_names_is_waited_for() {
    let mut plan = plan();
    let patch = |kind: &str, name: &str| json!({ "spec": named(NETWORK, kind, name) }).to_string();
    for net in plan.objects.iter_mut().filter(|desired| desired.name == "net") {
        net.hints.patches = vec![
            patch("PrivateDnsZone", "zone"),
            patch("PrivateDnsZone", "zone"),
            patch("LoadBalancer", "theirs"),
            patch("LoadBalancer", "missing"),
            patch("VirtualNetwork", "net"),
            "no JSON".to_owned(),
        ];
    }
    let drive = Drive::new(ID, owner(ID, ID, "uid"), Work::Make(plan));
    let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
    world.note(ObjectEvent::Is("LoadBalancer", json!({ "metadata": { "name": "theirs" } })));
    let step = drive.step(&world);
    let net = step.objects.iter().find(|planned| planned.object.name == "net");
    let behind = net.map(|planned| planned.behind.as_slice()).unwrap_or_default();
    let behind: Vec<&str> = behind.iter().map(|need| need.name.as_str()).collect();
    assert_eq!(behind, ["rg", "theirs", "zone"]);
}

/// How work within so long ends, and what is to be done then about the network.
async fn ended(api: &Played, whole: Duration, job: Job<'_>) -> Option<(End, Option<&'static str>)> {
    let (kinds, ground, stop) = (used(), ground(), Stop::default());
    let place = Place { limits: Limits { whole, ..limits() }, ..place(api, &kinds, &ground, &stop) };
    let Worked::Ended(end, last) = at_work(&place, &mut api.feed(&kinds), job).await else { return None };
    let net = last.objects.iter().find(|planned| planned.object.name == "net");
    Some((end, net.map(|planned| planned.action.what.name())))
}

#[tokio::test(start_paused = true)]
async fn a_credential_that_is_gone_is_no_reason_to_wait() {
    for (is_taken, expected) in [(false, "wait"), (true, "transient-error")] {
        let api = Played::default();
        api.say("VirtualNetwork", "net", ("SecretNotFound", "Warning"));
        let anchor = anchor();
        let job = making(plan(), &anchor);
        let takes = async {
            sleep(Duration::from_secs(5)).await;
            if is_taken {
                api.forget_credential();
            }
        };
        let (ended, ()) = tokio::join!(ended(&api, Duration::from_mins(2), job), takes);
        assert_eq!(ended, Some((End::TimedOut, Some(expected))));
    }
}

#[tokio::test(start_paused = true)]
async fn what_failed_for_good_is_tried_again_by_the_next_run() {
    let api = Played::default();
    api.fail("VirtualNetwork", "net");
    assert_eq!(make(&api).await, Some(End::Stuck));
    // While the reason stays, so does the failure.
    assert_eq!(make(&api).await, Some(End::Stuck));
    let credential = || api.annotation("VirtualNetwork", "net", keys::CREDENTIAL_FROM);
    assert_eq!(credential(), Some(keys::credential_name(ID)));
    api.mend("VirtualNetwork", "net");
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(credential(), Some(keys::credential_name(ID)));
}

#[tokio::test(start_paused = true)]
async fn work_ends_after_an_hour_and_leaves_what_stands() {
    let api = Played::default();
    // Nobody answers.
    api.slow(PLAN_LIMIT);
    let began = Instant::now();
    let anchor = anchor();
    let job = making(plan(), &anchor);
    assert_eq!(ended(&api, PLAN_LIMIT, job).await, Some((End::TimedOut, Some("wait"))));
    let took = began.elapsed();
    assert!(took >= PLAN_LIMIT && took < PLAN_LIMIT + Duration::from_mins(1), "{took:?}");
    assert_eq!((api.objects(), api.anchor().is_some()), (4, true));
    assert_eq!(
        ended(&api, PLAN_LIMIT, Job::Remove { takes_others: false }).await,
        Some((End::TimedOut, Some("wait")))
    );
    assert_eq!((api.objects(), api.anchor().is_some()), (4, true));
}
