//! A kind whose API version is another than the one that its objects were made in.

use std::sync::{Mutex, PoisonError};

use futures::StreamExt as _;
use futures::future::BoxFuture;

use super::*;
use crate::core::Verb;

const OTHER: &str = "v1api20991231";

fn kind() -> Option<&'static Kind> {
    kinds::named("VirtualNetwork")
}

/// An object as it is read at the other version, if it is of the kind.
fn converted(mut object: Value) -> Value {
    if let Some(kind) = kind().filter(|kind| object["kind"] == kind.kind) {
        object["apiVersion"] = format!("{}/{OTHER}", kind.group).into();
    }
    object
}

/// A management cluster where objects of the kind are read at the other version, and what was called there.
struct Converting<'p> {
    played: &'p Played,
    called: Mutex<Vec<(Verb, String, String)>>,
}

impl Converting<'_> {
    fn note(&self, verb: Verb, at: &Location) {
        if kinds::KINDS.iter().any(|kind| kind.plural == at.plural) {
            let mut called = self.called.lock().unwrap_or_else(PoisonError::into_inner);
            called.push((verb, at.api_version.clone(), at.name.clone()));
        }
    }
}

impl Api for Converting<'_> {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        Box::pin(async move { Ok(self.played.get(at).await?.map(converted)) })
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        self.note(Verb::Create, at);
        Box::pin(async move { Ok(converted(self.played.create(at, object).await?)) })
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        self.note(Verb::Patch, at);
        Box::pin(async move { Ok(converted(self.played.merge(at, patch).await?)) })
    }

    fn delete<'a>(
        &'a self,
        at: &'a Location,
        preconditions: &'a Value,
    ) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        self.note(Verb::Delete, at);
        Box::pin(async move { Ok(self.played.delete(at, preconditions).await?.map(converted)) })
    }
}

/// Makes the cluster again with the kind at the other version, after this change of the spec of its object.
/// Gives how that ended, and what was called for objects.
async fn made_again(played: &Played, change: &Value) -> (Option<End>, Vec<(Verb, String, String)>) {
    let mut translation = plan();
    let versions: BTreeMap<String, &'static str> =
        kind().map(|kind| (crd_name(kind), OTHER)).into_iter().collect();
    served(&mut translation, &versions);
    let of_kind = |desired: &&mut Desired| kind() == Some(desired.kind);
    for desired in translation.objects.iter_mut().filter(of_kind) {
        desired.spec.extend(change.as_object().cloned().unwrap_or_default());
    }
    let (kinds, ground, stop) = (used(), ground(), Stop::default());
    let mut feed = played
        .feed(&kinds)
        .map(|news| match news {
            ObjectEvent::All(kind, objects) => {
                ObjectEvent::All(kind, objects.into_iter().map(converted).collect())
            }
            ObjectEvent::Is(kind, object) => ObjectEvent::Is(kind, converted(object)),
            ObjectEvent::Gone(kind, object) => ObjectEvent::Gone(kind, converted(object)),
            broke @ ObjectEvent::Broke { .. } => broke,
        })
        .boxed();
    let api = Converting { played, called: Mutex::default() };
    let job =
        Job::Make { translation, anchor: &anchor(), secret: &secret, stage: Stage::Install, boot: None };
    let there = Place { api: &api, ..place(played, &kinds, &ground, &stop) };
    let end = match at_work(&there, &mut feed, job).await {
        Worked::Ended(end, _) => Some(end),
        _ => None,
    };
    (end, api.called.into_inner().unwrap_or_else(PoisonError::into_inner))
}

#[tokio::test(start_paused = true)]
async fn another_version_of_a_kind_changes_nothing_but_the_calls() {
    let played = Played::default();
    assert_eq!(make(&played).await, Some(End::Done));
    assert_eq!(made_again(&played, &json!({})).await, (Some(End::Done), Vec::new()));
    let moved = json!({ "addressSpace": { "addressPrefixes": ["10.0.0.0/16"] } });
    let (end, called) = made_again(&played, &moved).await;
    let patched = (Verb::Patch, format!("network.azure.com/{OTHER}"), "net".to_owned());
    assert_eq!((end, called), (Some(End::Done), vec![patched]));
    assert_eq!(played.spec("VirtualNetwork", "net")["addressSpace"], moved["addressSpace"]);
    assert_eq!(made_again(&played, &moved).await, (Some(End::Done), Vec::new()));
}
