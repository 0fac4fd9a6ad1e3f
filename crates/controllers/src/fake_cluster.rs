//! An in-memory cluster for tests of controllers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use futures::FutureExt;
use futures::future::BoxFuture;
use landfall_kube::Fault;
use landfall_kube::objects::{ClusterEvent, Events, Kind, ObjectRef, Objects, Part};
use landfall_kube::questions::{Questions, Taker};
use serde_json::{Value, json};

/// A cluster.
#[derive(Debug, Default)]
pub(super) struct FakeCluster(Mutex<State>);

/// What there is in it, and what was done.
#[derive(Debug, Default)]
pub(super) struct State {
    /// The objects.
    pub(super) objects: BTreeMap<ObjectRef, Value>,
    /// The writes: which place, how.
    pub(super) writes: Vec<(ObjectRef, &'static str)>,
    /// What was reported.
    pub(super) told: Vec<ClusterEvent>,
    /// The verbs that everybody has.
    pub(super) verbs: BTreeSet<&'static str>,
    /// The users of tokens.
    pub(super) tokens: BTreeMap<String, Value>,
    /// What was asked of the authorizer.
    pub(super) asked: Vec<Value>,
    /// The kinds that were listed.
    pub(super) listed: Vec<&'static Kind>,
    /// The kinds that the API server does not know.
    pub(super) unserved: BTreeSet<&'static str>,
    /// Whether no call comes through.
    pub(super) is_down: bool,
}

impl FakeCluster {
    /// Looks at the state, or changes it.
    pub(super) fn with<T>(&self, with: impl FnOnce(&mut State) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Puts an object in its place.
    pub(super) fn put(&self, kind: &'static Kind, object: Value) {
        let text = |path: &str| object.pointer(path).and_then(Value::as_str).map(str::to_owned);
        let name = text("/metadata/name").unwrap_or_default();
        let place = ObjectRef { kind, namespace: text("/metadata/namespace"), name };
        self.with(|state| state.objects.insert(place, object));
    }

    /// The object in a place; null where there is none.
    pub(super) fn at(&self, place: &ObjectRef) -> Value {
        self.with(|state| state.objects.get(place).cloned().unwrap_or_default())
    }

    fn change(&self, place: &ObjectRef, how: &'static str, patch: &Value) -> Result<Value, Fault> {
        self.with(|state| {
            if state.is_down {
                return Err(Fault::late());
            }
            if state.unserved.contains(place.kind.kind) {
                return Err(Fault::NotFound);
            }
            let known = state.objects.get(place).cloned();
            let mut object = match known {
                Some(object) => object,
                None if how == "apply" => json!({ "metadata": { "name": place.name } }),
                None => return Err(Fault::NotFound),
            };
            let bound = patch.pointer("/metadata/resourceVersion");
            if bound.is_some() && bound != object.pointer("/metadata/resourceVersion") {
                return Err(Fault::Answer { status: 409, why: "it was modified".to_owned() });
            }
            json_patch::merge(&mut object, patch);
            state.writes.push((place.clone(), how));
            state.objects.insert(place.clone(), object.clone());
            Ok(object)
        })
    }
}

impl Objects for FakeCluster {
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        let answer =
            self.with(
                |state| {
                    if state.is_down { Err(Fault::late()) } else { Ok(state.objects.get(place).cloned()) }
                },
            );
        async move { answer }.boxed()
    }

    fn apply<'a>(
        &'a self,
        place: &'a ObjectRef,
        object: Value,
        _: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        let answer = self.change(place, "apply", &object);
        async move { answer }.boxed()
    }

    fn merge<'a>(
        &'a self,
        place: &'a ObjectRef,
        patch: Value,
        _: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        let answer = self.change(place, "merge", &patch);
        async move { answer }.boxed()
    }

    fn set_status<'a>(&'a self, place: &'a ObjectRef, status: Value) -> BoxFuture<'a, Result<(), Fault>> {
        self.with(|state| state.objects.get_mut(place).map(|object| object["status"] = Value::Null));
        let answer = self.change(place, "set", &json!({ "status": status }));
        async move { answer.map(drop) }.boxed()
    }

    fn delete<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<bool, Fault>> {
        let answer = self.with(|state| Ok(state.objects.remove(place).is_some()));
        async move { answer }.boxed()
    }
}

impl Events for FakeCluster {
    fn report(&self, event: ClusterEvent) -> BoxFuture<'_, ()> {
        self.with(|state| state.told.push(event));
        async {}.boxed()
    }
}

impl Questions for FakeCluster {
    fn each<'a>(
        &'a self,
        kind: &'static Kind,
        namespace: Option<&'a str>,
        taker: Taker<'a>,
    ) -> BoxFuture<'a, Result<(), Fault>> {
        let found: Vec<Value> = self.with(|state| {
            state.listed.push(kind);
            let here = |place: &ObjectRef| {
                place.kind == kind && (namespace.is_none() || place.namespace.as_deref() == namespace)
            };
            let all = state.objects.iter().filter(|(place, _)| here(place));
            all.map(|(_, object)| object.clone()).collect()
        });
        let is_down = self.with(|state| state.is_down);
        async move {
            if is_down {
                return Err(Fault::late());
            }
            for object in found {
                if !taker(object) {
                    break;
                }
            }
            Ok(())
        }
        .boxed()
    }

    fn allows(&self, spec: Value) -> BoxFuture<'_, Result<bool, Fault>> {
        let answer = self.with(|state| {
            let verb = |part: &str| spec.pointer(&format!("/{part}/verb")).and_then(Value::as_str);
            let verb = verb("resourceAttributes").or(verb("nonResourceAttributes")).unwrap_or_default();
            let allowed = state.verbs.contains(verb);
            state.asked.push(spec);
            allowed
        });
        async move { Ok(answer) }.boxed()
    }

    fn authenticates(&self, token: String) -> BoxFuture<'_, Result<Option<Value>, Fault>> {
        let answer =
            self.with(
                |state| {
                    if state.is_down { Err(Fault::late()) } else { Ok(state.tokens.get(&token).cloned()) }
                },
            );
        async move { answer }.boxed()
    }
}
