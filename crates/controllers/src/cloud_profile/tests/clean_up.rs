//! Expired versions of cloud profiles.

use super::*;

const ON: Expiry = Expiry { images: true, cloud_profiles: true };

/// A cloud profile with a version that is valid, and one that has expired.
fn ageing() -> Value {
    let mut parent = parent();
    parent["metadata"]["finalizers"] = json!([FINALIZER]);
    let expired = json!({ "version": "1.2.2", "expirationDate": "2020-01-01T00:00:00Z", "unknown": 1 });
    parent["spec"]["kubernetes"]["versions"] = json!([{ "version": "1.2.3", "unknown": 1 }, expired]);
    parent
}

fn place() -> ObjectRef {
    ObjectRef::in_cluster(&GARDENER_PROFILES.cloud, "p")
}

fn stage(parent: Value) -> Arc<FakeCluster> {
    let cluster = Arc::new(FakeCluster::default());
    cluster.put(&GARDENER_PROFILES.cloud, parent);
    cluster
}

async fn run(access: Access, expiry: Expiry) -> Result<Next, Failed> {
    parents(access, expiry).reconcile(&Key { namespace: None, name: "p".to_owned() }).await
}

/// The reasons of the events.
fn reasons(cluster: &FakeCluster) -> Vec<&'static str> {
    cluster.with(|state| state.told.iter().map(|told| told.reason).collect())
}

#[tokio::test]
async fn a_cloud_profile_is_cleaned_where_that_is_switched_on() {
    let cluster = stage(ageing());
    assert_eq!(run(access(&cluster), Expiry::default()).await, Ok(Next::Settled));
    assert_eq!(cluster.at(&place()), ageing(), "off by default");
    assert_eq!(run(access(&cluster), ON).await, Ok(Next::Settled));
    let left = json!({ "versions": [{ "version": "1.2.3", "unknown": 1 }] });
    assert_eq!(cluster.at(&place())["spec"]["kubernetes"], left);
    assert_eq!(reasons(&cluster), [CLEANED_UP]);
    // Then there is nothing to write, and no user to look for.
    let before = cluster.with(|state| (state.writes.len(), state.listed.len()));
    assert_eq!(run(access(&cluster), ON).await, Ok(Next::Settled));
    assert_eq!(cluster.with(|state| (state.writes.len(), state.listed.len())), before);
    assert_eq!(before.0, 1);
}

#[tokio::test]
async fn the_end_of_a_version_is_waited_for() {
    let mut ageing = ageing();
    ageing["spec"]["kubernetes"]["versions"][1]["expirationDate"] = json!("2999-01-01T00:00:00Z");
    let cluster = stage(ageing);
    assert!(matches!(run(access(&cluster), ON).await, Ok(Next::Again(_))));
    assert_eq!(cluster.with(|state| state.writes.len()), 0);
}

#[tokio::test]
async fn versions_in_use_stay_and_are_looked_at_again() {
    let versions = json!({ "versions": [{ "version": "1.2.2", "expirationDate": "2999-01-01T00:00:00Z" }] });
    let by_name = json!({ "kind": "CloudProfile", "name": "p" });
    let running = |kind: &str, name: &str| {
        let mut shoot = shoot(kind, name);
        shoot["spec"]["kubernetes"] = json!({ "version": "1.2.2" });
        shoot
    };
    let private = || child(&json!({ "parent": "p" }));
    let kinds = &GARDENER_PROFILES;
    let users: [(&str, Vec<(&'static Kind, Value)>); 4] = [
        ("private", vec![(&kinds.private, child(&json!({ "parent": "p", "kubernetes": versions })))]),
        (
            "namespaced",
            vec![(&kinds.namespaced, child(&json!({ "parent": by_name, "kubernetes": versions })))],
        ),
        ("cluster", vec![(&SHOOT, running("CloudProfile", "p"))]),
        ("of child", vec![(&kinds.private, private()), (&SHOOT, running("PrivateCloudProfile", "c"))]),
    ];
    for (what, users) in users {
        let cluster = stage(ageing());
        for (kind, user) in users {
            cluster.put(kind, user);
        }
        assert!(matches!(run(access(&cluster), ON).await, Ok(Next::Again(_))), "{what}");
        assert_eq!(cluster.at(&place()), ageing(), "{what}");
        assert_eq!(cluster.with(|state| state.writes.len()), 0, "{what}");
    }
    // What refers to another profile does not count.
    let cluster = stage(ageing());
    cluster.put(&kinds.private, child(&json!({ "parent": "other", "kubernetes": versions })));
    cluster.put(&SHOOT, running("PrivateCloudProfile", "c"));
    assert_eq!(run(access(&cluster), ON).await, Ok(Next::Settled));
    assert_eq!(reasons(&cluster), [CLEANED_UP]);
}

#[tokio::test]
async fn a_refused_clean_up_is_reported() {
    let answer = |status| Fault::Answer { status, why: "still in use".to_owned() };
    for (status, ended, told) in [
        (422, Err("profile-unwritable"), vec![CLEAN_UP_REFUSED]),
        (409, Ok(Next::Again(AGAIN)), Vec::new()),
        (500, Err("profile-unwritable"), Vec::new()),
    ] {
        let cluster = stage(ageing());
        let mut access = access(&cluster);
        access.objects = Arc::new(Closed { cluster: cluster.clone(), fault: answer(status) });
        assert_eq!(run(access, ON).await.map_err(|failed| failed.reason), ended, "{status}");
        assert_eq!(reasons(&cluster), told, "{status}");
    }
}
