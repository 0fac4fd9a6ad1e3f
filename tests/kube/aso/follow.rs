//! What becomes of all objects of a kind, as a watch tells it.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::StreamExt;
use kube::Client;
use kube::api::{Api, ApiResource, DynamicObject};
use kube::runtime::watcher::{self, Event, watcher};
use serde_json::Value;
use tokio::sync::mpsc::UnboundedSender;

use super::crds::text;
use super::identity::at;

/// Before a watch that broke goes on.
const PAUSE: Duration = Duration::from_millis(100);

/// An object: its kind, its namespace, its name.
pub type Key = (String, String, String);

/// The key of an object that says what it is.
pub fn key_of(object: &Value) -> Key {
    let text = |pointer: &str| at(object, pointer).to_owned();
    (text("/kind"), text("/metadata/namespace"), text("/metadata/name"))
}

/// Tells of every object of a kind, and of each that is gone.
pub async fn follow(client: Client, kind: Value, tell: UnboundedSender<(Key, Option<Value>)>) {
    let [group, version, name, plural] =
        ["group", "version", "kind", "plural"].map(|field| text(&kind, field).to_owned());
    let api_version = if group.is_empty() { version.clone() } else { format!("{group}/{version}") };
    let resource =
        ApiResource { group, version, api_version: api_version.clone(), kind: name.clone(), plural };
    let api: Api<DynamicObject> = Api::all_with(client, &resource);
    let mut events = watcher(api, watcher::Config::default()).boxed();
    let mut listed: BTreeSet<Key> = BTreeSet::new();
    let mut known: BTreeSet<Key> = BTreeSet::new();
    while let Some(event) = events.next().await {
        let mut told = Vec::new();
        match event {
            Ok(Event::Init) => listed.clear(),
            Ok(Event::InitApply(object)) => {
                let (key, object) = keyed(&name, &api_version, &object);
                listed.insert(key.clone());
                told.push((key, Some(object)));
            }
            Ok(Event::InitDone) => {
                let gone = known.difference(&listed).cloned();
                told.extend(gone.map(|key| (key, None)));
                known = std::mem::take(&mut listed);
            }
            Ok(Event::Apply(object)) => {
                let (key, object) = keyed(&name, &api_version, &object);
                known.insert(key.clone());
                told.push((key, Some(object)));
            }
            Ok(Event::Delete(object)) => {
                let (key, _) = keyed(&name, &api_version, &object);
                known.remove(&key);
                told.push((key, None));
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
        for one in told {
            if tell.send(one).is_err() {
                return;
            }
        }
    }
}

fn keyed(kind: &str, api_version: &str, object: &DynamicObject) -> (Key, Value) {
    let mut object = serde_json::to_value(object).unwrap();
    // Items of a list do not say what they are.
    object["kind"] = kind.into();
    object["apiVersion"] = api_version.into();
    (key_of(&object), object)
}
