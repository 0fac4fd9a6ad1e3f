//! What goes while the cluster stays, and where a cluster is, in a management cluster that keeps what it is
//! given and deletes at once.

mod order;

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use futures::{FutureExt as _, stream};
use jiff::Timestamp;
use landfall_kube::Fault;
use landfall_net::stop::Stop;
use serde_json::json;

use super::*;
use crate::drive::{Api, Ground, Limits, Location, PAUSED, Relocation, Side, Watcher, obstacle, relocate};
use crate::kinds;
use crate::kinds::Kind;

const ID: &str = "demo-x7k2p";
const BOOTSTRAP: [(&str, &str); 3] =
    [("VirtualMachine", "b"), ("NetworkInterface", "b-nic"), ("LoadBalancersInboundNatRule", "ssh")];

/// The objects of a management cluster by plural and name, and the names of those that were deleted.
#[derive(Default)]
struct Played {
    objects: Mutex<BTreeMap<(&'static str, String), Value>>,
    deleted: Mutex<Vec<String>>,
}

impl Played {
    /// A cluster with its anchor, its bootstrap machine, and a machine that stays.
    fn with_cluster(home: &str) -> Self {
        let played = Self::empty(home);
        played.put("configmaps", &keys::anchor_name(ID), &json!({}));
        let group = "network.azure.com";
        let nic = |name: &str| {
            let reference = json!({ "group": group, "kind": "NetworkInterface", "name": name });
            json!({ "networkProfile": { "networkInterfaces": [{ "reference": reference }] } })
        };
        let rule = json!({ "group": group, "kind": "LoadBalancersInboundNatRule", "name": "ssh" });
        played.put("loadbalancersinboundnatrules", "ssh", &json!({ "owner": { "name": "demo" } }));
        played.put("networkinterfaces", "b-nic", &json!({ "rules": [{ "reference": rule }] }));
        played.put("networkinterfaces", "m-nic", &json!({}));
        played.put("virtualmachines", "b", &nic("b-nic"));
        played.put("virtualmachines", "m", &nic("m-nic"));
        played
    }

    /// A management cluster in which no cluster is.
    fn empty(home: &str) -> Self {
        let played = Self::default();
        played.put("namespaces", "kube-system", &json!({}));
        played.change("namespaces", "kube-system", &json!({ "metadata": { "uid": home } }));
        played
    }

    fn put(&self, plural: &'static str, name: &str, spec: &Value) {
        let object = json!({
            "metadata": { "name": name, "resourceVersion": "1", "labels": { (keys::CLUSTER): ID } },
            "spec": spec,
        });
        self.all().insert((plural, name.to_owned()), object);
    }

    fn change(&self, plural: &'static str, name: &str, patch: &Value) {
        if let Some(object) = self.all().get_mut(&(plural, name.to_owned())) {
            json_patch::merge(object, patch);
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<(&'static str, String), Value>> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn deleted(&self) -> Vec<String> {
        self.deleted.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn feed(&self, kinds: &[&'static Kind]) -> Feed {
        let objects = self.all();
        let of = |kind: &&'static Kind| {
            let of_kind = objects.iter().filter(|((plural, _), _)| *plural == kind.plural);
            ObjectEvent::All(kind.kind, of_kind.map(|(_, object)| object.clone()).collect())
        };
        let news: Vec<ObjectEvent> = kinds.iter().map(of).collect();
        stream::iter(news).chain(stream::pending()).boxed()
    }
}

impl Api for Played {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        ready(Ok(self.all().get(&(at.plural, at.name.clone())).cloned())).boxed()
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        self.all().insert((at.plural, at.name.clone()), object.clone());
        ready(Ok(object.clone())).boxed()
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        self.change(at.plural, &at.name, patch);
        let stands = self.all().get(&(at.plural, at.name.clone())).cloned();
        ready(stands.ok_or_else(|| Failure::from(Fault::NotFound))).boxed()
    }

    fn delete<'a>(&'a self, at: &'a Location, _: &'a Value) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        self.all().remove(&(at.plural, at.name.clone()));
        self.deleted.lock().unwrap_or_else(PoisonError::into_inner).push(at.name.clone());
        ready(Ok(None)).boxed()
    }
}

struct Silent;

impl Watcher for Silent {
    fn changed(&self, _: usize, _: usize) {}

    fn told(&self, _: &str) {}
}

fn ground() -> Ground {
    Ground { infra_id: ID.to_owned(), namespace: ID.to_owned() }
}

fn all_kinds() -> Vec<&'static Kind> {
    kinds::KINDS.iter().collect()
}

fn place<'a>(api: &'a Played, kinds: &'a [&'static Kind], ground: &'a Ground, stop: &'a Stop) -> Place<'a> {
    let limits = Limits { whole: Duration::from_hours(1), clock: || Timestamp::UNIX_EPOCH };
    Place { api, kinds, ground, identity: "me".to_owned(), limits, watcher: &Silent, stop }
}

fn bootstrap() -> Vec<Need> {
    BOOTSTRAP.iter().map(|&(kind, name)| Need { kind, name: name.to_owned() }).collect()
}

/// The names of the objects that are removed: as the work says it, or the code of what stands against it.
async fn pruned(api: &Played) -> Result<Vec<String>, &'static str> {
    let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
    let place = place(api, &kinds, &ground, &stop);
    let objects = match place.standing(api.feed(&kinds), |id| bootstrap().contains(id)).await {
        Ok(objects) => objects,
        Err(ended) => return Err(code(&ended)),
    };
    match place.prune(api.feed(&kinds), objects).await {
        Worked::Ended(End::Done, last) => {
            Ok(last.objects.into_iter().map(|planned| planned.object.name).collect())
        }
        ended => Err(code(&ended)),
    }
}

fn code(ended: &Worked) -> &'static str {
    match ended {
        Worked::Refused(finding) | Worked::Broken(finding) => finding.code.as_str(),
        Worked::NotThere => "none",
        Worked::Ended(..) => "ended",
    }
}

#[tokio::test(start_paused = true)]
async fn only_what_is_named_goes_and_in_its_order() {
    let api = Played::with_cluster("here");
    let gone = pruned(&api).await;
    assert_eq!(gone.map(|gone| gone.len()), Ok(3));
    assert_eq!(api.deleted(), ["b", "b-nic", "ssh"]);
    let left: Vec<String> = api.all().keys().map(|(_, name)| name.clone()).collect();
    assert!(["m", "m-nic"].iter().all(|name| left.iter().any(|left| left == name)), "{left:?}");
    assert_eq!(pruned(&api).await, Ok(Vec::new()), "there is nothing left to do");
    assert_eq!(api.deleted().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn an_object_of_somebody_else_with_that_name_stays() {
    let api = Played::with_cluster("here");
    let owner = json!({ "apiVersion": "v1", "kind": "Team", "name": "x", "uid": "u", "controller": true });
    api.change("virtualmachines", "b", &json!({ "metadata": { "ownerReferences": [owner] } }));
    api.change("networkinterfaces", "b-nic", &json!({ "metadata": { "labels": null } }));
    assert_eq!(pruned(&api).await, Ok(vec!["ssh".to_owned()]));
    assert_eq!(api.deleted(), ["ssh"]);
}

#[tokio::test(start_paused = true)]
async fn nothing_goes_of_a_cluster_that_is_not_to_be_touched() {
    let anchor = keys::anchor_name(ID);
    let patches = [
        (json!({ "annotations": { PAUSED: "true" } }), "LF1538"),
        (json!({ "annotations": { (keys::DELETE_FOR_MOVE): "" } }), "LF1539"),
        (json!({ "deletionTimestamp": "2026-01-01T00:00:00Z" }), "LF1539"),
        (json!({ "labels": { (keys::CLUSTER): "other-x7k2p" } }), "LF1540"),
    ];
    for (metadata, expected) in patches {
        let api = Played::with_cluster("here");
        api.change("configmaps", &anchor, &json!({ "metadata": metadata }));
        assert_eq!(pruned(&api).await, Err(expected));
        assert_eq!(api.deleted(), Vec::<String>::new());
        let told = obstacle(&api, &ground()).await.ok().flatten();
        assert_eq!(told.map(|finding| finding.code.as_str()), Some(expected));
    }
    for free in [Played::with_cluster("here"), Played::empty("here")] {
        assert!(obstacle(&free, &ground()).await.is_ok_and(|finding| finding.is_none()));
    }
    assert_eq!(pruned(&Played::empty("here")).await, Err("none"));
}

#[tokio::test(start_paused = true)]
async fn a_cluster_is_where_its_anchor_is_or_where_it_was_moved_to() {
    let elsewhere = async |api: &Played| ground().is_elsewhere(api, "there").await.ok();
    assert_eq!(elsewhere(&Played::with_cluster("here")).await, Some(false));
    assert_eq!(elsewhere(&Played::empty("here")).await, Some(true));
    assert_eq!(elsewhere(&Played::empty("there")).await, Some(false));
    // Nobody can say which one this is.
    assert_eq!(elsewhere(&Played::default()).await, None);
}

#[tokio::test(start_paused = true)]
async fn a_move_that_has_come_to_its_end_is_done() {
    let moved = async |from: &Played, to: &Played| {
        let (kinds, ground, stop) = (all_kinds(), ground(), Stop::default());
        let (here, there) = (|| from.feed(&kinds), || to.feed(&kinds));
        relocate(&Relocation {
            from: Side { place: place(from, &kinds, &ground, &stop), feed: &here },
            to: Side { place: place(to, &kinds, &ground, &stop), feed: &there },
        })
        .await
    };
    let ended = moved(&Played::empty("here"), &Played::with_cluster("there")).await;
    assert!(matches!(ended, Worked::Ended(End::Done, _)), "{ended:?}");
    let ended = moved(&Played::empty("here"), &Played::empty("there")).await;
    assert!(matches!(ended, Worked::NotThere), "{ended:?}");
}
