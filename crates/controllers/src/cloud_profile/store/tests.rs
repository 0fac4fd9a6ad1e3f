//! Tests of the store, with events that are played.

use landfall_cloud_profile::types::PrivateCloudProfileSpec;
use serde_json::{Value, from_value, json};

use super::*;

fn parent(name: &str, provider: &str) -> serde_json::Result<Seen<CloudProfileSpec>> {
    from_value(json!({ "metadata": { "name": name }, "spec": { "type": provider } }))
}

fn child(name: &str, parent: &str, generation: i64) -> serde_json::Result<Seen<PrivateCloudProfileSpec>> {
    from_value(json!({
        "metadata": { "name": name, "namespace": "n", "generation": generation },
        "spec": { "parent": parent },
    }))
}

fn named(keys: Vec<Key>) -> Vec<String> {
    keys.into_iter().map(|key| key.name).collect()
}

/// A store that knows two parents and three children.
fn store() -> serde_json::Result<Store<PrivateCloudProfileSpec>> {
    let mut store = Store::default();
    let none = [
        store.take(StoreEvent::Child(Event::Init)),
        store.take(StoreEvent::Child(Event::InitApply(child("a", "p", 1)?))),
        store.take(StoreEvent::Child(Event::InitApply(child("b", "p", 1)?))),
        store.take(StoreEvent::Child(Event::InitApply(child("c", "q", 1)?))),
        store.take(StoreEvent::Child(Event::InitDone)),
        store.take(StoreEvent::Parent(Event::Init)),
        store.take(StoreEvent::Parent(Event::InitApply(parent("p", "x")?))),
        store.take(StoreEvent::Parent(Event::InitApply(parent("q", "x")?))),
    ];
    assert!(none.iter().all(Vec::is_empty), "{none:?}");
    assert_eq!(named(store.take(StoreEvent::Parent(Event::InitDone))), ["a", "b", "c"]);
    Ok(store)
}

#[test]
fn a_parent_leads_to_its_children_and_to_no_others() -> serde_json::Result<()> {
    let mut store = store()?;
    assert_eq!(named(store.take(StoreEvent::Parent(Event::Apply(parent("p", "y")?)))), ["a", "b"]);
    assert!(store.take(StoreEvent::Parent(Event::Apply(parent("p", "y")?))).is_empty());
    assert_eq!(named(store.take(StoreEvent::Parent(Event::Delete(parent("q", "x")?)))), ["c"]);
    let key = Key { namespace: Some("n".to_owned()), name: "c".to_owned() };
    assert_eq!(store.child(&key).map(|(_, parent)| parent), Some(Parent::Missing));
    assert_eq!(named(store.take(StoreEvent::Parent(Event::Apply(parent("q", "x")?)))), ["c"]);
    Ok(())
}

#[test]
fn a_child_leads_to_itself_where_something_counts() -> serde_json::Result<()> {
    let mut store = store()?;
    assert!(store.take(StoreEvent::Child(Event::Apply(child("a", "p", 1)?))).is_empty());
    assert_eq!(named(store.take(StoreEvent::Child(Event::Apply(child("a", "q", 2)?)))), ["a"]);
    assert_eq!(named(store.take(StoreEvent::Parent(Event::Apply(parent("q", "y")?)))), ["a", "c"]);
    assert!(store.take(StoreEvent::Child(Event::Delete(child("a", "q", 2)?))).is_empty());
    assert_eq!(named(store.take(StoreEvent::Parent(Event::Apply(parent("q", "z")?)))), ["c"]);
    Ok(())
}

#[test]
fn what_was_written_here_is_not_news() -> serde_json::Result<()> {
    let mut store = store()?;
    let status = json!({ "cloudProfile": { "spec": { "type": "x" } }, "observedGeneration": 1 });
    let seen = |status: &Value| -> serde_json::Result<Seen<PrivateCloudProfileSpec>> {
        Ok(Seen { status: Some(Standing::of(status)), ..child("a", "p", 1)? })
    };
    let key = Key { namespace: Some("n".to_owned()), name: "a".to_owned() };
    store.note(&key, "", Standing::of(&status));
    assert!(store.take(StoreEvent::Child(Event::Apply(seen(&status)?))).is_empty());
    assert_eq!(named(store.take(StoreEvent::Child(Event::Apply(seen(&json!({}))?)))), ["a"]);
    Ok(())
}

#[test]
fn one_who_takes_the_place_of_another_inherits_no_status() -> serde_json::Result<()> {
    let mut store = store()?;
    let seen = |uid: &str| -> serde_json::Result<Seen<PrivateCloudProfileSpec>> {
        let mut seen = child("a", "p", 1)?;
        seen.metadata.uid = Some(uid.to_owned());
        Ok(seen)
    };
    let key = Key { namespace: Some("n".to_owned()), name: "a".to_owned() };
    let standing = Standing::of(&json!({ "observedGeneration": 1 }));
    let known = |store: &Store<PrivateCloudProfileSpec>| store.child(&key).map(|(child, _)| child.standing);
    store.take(StoreEvent::Child(Event::Apply(seen("1")?)));
    store.take(StoreEvent::Child(Event::Delete(seen("1")?)));
    store.take(StoreEvent::Child(Event::Apply(seen("2")?)));
    store.note(&key, "1", standing.clone());
    assert_eq!(known(&store), Some(Standing::default()));
    store.note(&key, "2", standing.clone());
    assert_eq!(known(&store), Some(standing));
    Ok(())
}

#[test]
fn what_went_while_a_watch_was_broken_is_forgotten() -> serde_json::Result<()> {
    let mut store = store()?;
    store.take(StoreEvent::Parent(Event::Init));
    store.take(StoreEvent::Parent(Event::InitApply(parent("q", "x")?)));
    assert_eq!(named(store.take(StoreEvent::Parent(Event::InitDone))), ["a", "b"]);
    store.take(StoreEvent::Child(Event::Init));
    store.take(StoreEvent::Child(Event::InitApply(child("c", "q", 1)?)));
    assert!(store.take(StoreEvent::Child(Event::InitDone)).is_empty());
    assert_eq!(store.children.len(), 1);
    assert!(store.take(StoreEvent::Parent(Event::Apply(parent("p", "y")?))).is_empty());
    Ok(())
}

#[test]
fn one_object_that_cannot_be_read_hides_no_others() -> serde_json::Result<()> {
    let mut store = store()?;
    let odd: Seen<PrivateCloudProfileSpec> =
        from_value(json!({ "metadata": { "name": "a", "namespace": "n" }, "spec": { "parent": 1 } }))?;
    assert_eq!(named(store.take(StoreEvent::Child(Event::Apply(odd)))), ["a"]);
    let odd = from_value(json!({ "metadata": { "name": "p" }, "spec": { "type": 1 } }))?;
    assert_eq!(named(store.take(StoreEvent::Parent(Event::Apply(odd)))), ["b"]);
    Ok(())
}
