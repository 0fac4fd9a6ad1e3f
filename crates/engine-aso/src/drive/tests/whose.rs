//! What is the cluster's own and what is not: objects that lost their label, objects and a namespace of
//! somebody else, and what the running cluster takes over.

use super::*;
use crate::anchor::owner;

const NET: (&str, &str) = ("VirtualNetwork", "net");

fn policy(api: &Played, (kind, name): (&str, &str)) -> Option<String> {
    api.annotation(kind, name, keys::POLICY)
}

/// Takes the label off an object. Its owner stays.
fn unlabel(api: &Played) {
    api.change(NET.0, NET.1, &json!({ "metadata": { "labels": null } }));
}

#[tokio::test(start_paused = true)]
async fn an_object_without_its_label_is_paused_and_removed() {
    let api = Played::default();
    assert_eq!(make(&api).await, Some(End::Done));
    unlabel(&api);
    assert_eq!(work(&api, Job::Pause).await, Some(End::Done));
    assert_eq!(policy(&api, NET).as_deref(), Some("skip"));
    assert_eq!(work(&api, Job::Resume).await, Some(End::Done));
    assert_eq!(policy(&api, NET).as_deref(), Some("manage"));
    unlabel(&api);
    assert_eq!(work(&api, Job::Remove { takes_others: false }).await, Some(End::Done));
    assert_eq!((api.in_azure(), api.objects(), api.anchor()), (Vec::new(), 0, None));
}

#[tokio::test(start_paused = true)]
async fn an_object_without_its_label_moves_along() {
    let (from, to) = (Played::default(), Played::default());
    to.share_azure(&from);
    assert_eq!(make(&from).await, Some(End::Done));
    unlabel(&from);
    let changes = from.changes_in_azure();
    let (kinds, ground, stop) = (used(), ground(), Stop::default());
    let (here, there) = (|| from.feed(&kinds), || to.feed(&kinds));
    let relocation = Relocation {
        from: Side { place: place(&from, &kinds, &ground, &stop), feed: &here },
        to: Side { place: place(&to, &kinds, &ground, &stop), feed: &there },
    };
    assert!(matches!(relocate(&relocation).await, Worked::Ended(End::Done, _)));
    assert_eq!((from.objects(), to.objects(), from.changes_in_azure()), (0, 5, changes));
    assert_eq!(policy(&to, NET).as_deref(), Some("manage"));
}

#[tokio::test(start_paused = true)]
async fn objects_of_somebody_else_in_the_namespace_are_not_touched() {
    let api = Played::default();
    let (kind, name) = ("VirtualNetwork", "theirs");
    api.put(kind, name, &their_network("1970-01-01T00:00:00Z", false));
    let before = api.object(kind, name);
    assert_eq!(make(&api).await, Some(End::Done));
    for job in [Job::Pause, Job::Resume, Job::HandOver, Job::Remove { takes_others: false }] {
        assert_eq!(work(&api, job).await, Some(End::Done));
    }
    assert_eq!((api.objects(), api.object(kind, name)), (1, before));
}

/// An object of somebody else, or of this owner, that is found in Azure and has this policy.
fn found((kind, name): (&'static str, &str), policy: &str, owner: Option<&Owner>) -> ObjectEvent {
    let owners: Vec<Value> = owner.map(Owner::reference).into_iter().collect();
    let metadata =
        json!({ "name": name, "annotations": { (keys::POLICY): policy }, "ownerReferences": owners });
    let ready = json!({ "type": "Ready", "status": "True" });
    ObjectEvent::Is(kind, json!({ "metadata": metadata, "status": { "conditions": [ready] } }))
}

const SUBNET: (&str, &str) = ("VirtualNetworksSubnet", "net-a");

/// The drive of a cluster with a network and its subnet.
fn with_subnet(owner: &Owner) -> Drive {
    let objects = [
        desired(NET.0, NET.1, &json!({}), &[]),
        desired(SUBNET.0, SUBNET.1, &json!({ "owner": { "name": "net" } }), &[NET]),
    ];
    let objects = objects.into_iter().flatten().collect();
    Drive::new(ID, owner.clone(), Work::Make(Translation { objects, ..Translation::default() }))
}

/// What is planned of the subnet, which is only read so far, with this network.
fn subnet_of(network: ObjectEvent, owner: &Owner) -> Option<Planned> {
    let drive = with_subnet(owner);
    let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
    world.note(network);
    world.note(found(SUBNET, "skip", Some(owner)));
    loop {
        let step = drive.step(&world);
        let patched = step.objects.iter().find_map(|planned| match &planned.action.what {
            // Label and spec are as the plan wants them before anything else is said.
            What::Patch(patch) if planned.action.policy.as_deref() == Some("skip") => {
                let mut object = world.get(&planned.object)?.clone();
                json_patch::merge(&mut object, patch);
                Some(ObjectEvent::Is(planned.object.kind, object))
            }
            _ => None,
        });
        let Some(patched) = patched else {
            return step.objects.into_iter().find(|planned| planned.object.kind == SUBNET.0);
        };
        world.note(patched);
    }
}

#[test]
fn a_part_of_somebody_elses_resource_is_not_adopted() {
    let owner = owner(ID, ID, "uid");
    let policy_of_subnet = |network: Option<&Owner>| {
        subnet_of(found(NET, "manage", network), &owner).and_then(|planned| planned.action.policy)
    };
    assert_eq!(policy_of_subnet(Some(&owner)).as_deref(), Some("manage"));
    let theirs = Owner { kind: "Team".to_owned(), ..owner.clone() };
    for network in [None, Some(&theirs)] {
        assert_eq!(policy_of_subnet(network).as_deref(), Some("skip"));
    }
}

#[test]
fn a_part_is_not_told_as_somebody_elses_before_its_resource_is_adopted() {
    let owner = owner(ID, ID, "uid");
    let subnet = |status: Value| {
        let ObjectEvent::Is(kind, mut network) = found(NET, "skip", Some(&owner)) else { return None };
        json_patch::merge(&mut network, &json!({ "status": status }));
        subnet_of(ObjectEvent::Is(kind, network), &owner)
    };
    // Its adoption is due, or Azure Service Operator has not looked at it yet.
    let own = json!({ "tags": { (keys::ownership_tag(ID)): "owned" } });
    for status in [own, json!({ "conditions": [] })] {
        let planned = subnet(status.clone());
        let net = Need { kind: NET.0, name: NET.1.to_owned() };
        let told = planned.map(|planned| (planned.action.what, planned.behind));
        assert_eq!(told, Some((What::Wait, vec![net])), "{status}");
    }
    let theirs = subnet(json!({ "tags": {} })).map(|planned| planned.action);
    assert!(theirs.is_some_and(|action| action.what == What::Leave && action.message == FOREIGN));
}

#[tokio::test(start_paused = true)]
async fn a_namespace_of_somebody_else_is_used_and_stays() {
    let api = Played::default();
    let theirs = json!({ "metadata": { "name": ID, "labels": { "team": "corp" } } });
    api.put_namespace(&theirs);
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(work(&api, Job::Remove { takes_others: false }).await, Some(End::Done));
    assert_eq!((api.objects(), api.anchor(), api.namespace()), (0, None, Some(theirs)));
}

#[tokio::test(start_paused = true)]
async fn what_the_cluster_edits_is_handed_over_once() {
    let (api, balancer) = (Played::default(), ("LoadBalancer", "internal"));
    assert_eq!(work(&api, Job::HandOver).await, None, "there is no cluster");
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(work(&api, Job::HandOver).await, Some(End::Done));
    assert_eq!(policy(&api, balancer).as_deref(), Some("skip"));
    assert_eq!(api.annotation(balancer.0, balancer.1, keys::HANDOVER).as_deref(), Some("manage"));
    assert_eq!(policy(&api, NET).as_deref(), Some("manage"));
    let writes = api.writes_of_objects();
    assert_eq!(work(&api, Job::HandOver).await, Some(End::Done));
    assert_eq!(make(&api).await, Some(End::Done));
    assert_eq!(api.writes_of_objects(), writes);
    assert_eq!(work(&api, Job::Pause).await, Some(End::Done));
    assert_eq!(work(&api, Job::HandOver).await, None, "a paused cluster is not handed over");
}
