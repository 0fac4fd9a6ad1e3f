//! The API of a management cluster behind a client: single calls, and one watch for each kind.

use std::time::Duration;

use ::kube::Client;
use ::kube::core::WatchEvent;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use hyper::{Method, Request};
use landfall_kube::live::{JSON, MERGE, written};
use landfall_kube::{Fault, Live as Calls, live};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::api::{Api, Failure, Feed, Listing, Location, ObjectEvent};
use super::world::text;
use crate::core::API_CALL_LIMIT;
use crate::kinds::Kind;

/// Seconds after which the server ends a watch and it is begun anew.
const LIFETIME: u32 = 240;
/// How long a watch that broke is left alone.
const PAUSE: Duration = Duration::from_secs(5);

/// The management cluster that a client reaches.
#[derive(Clone, Debug)]
pub struct Live(Calls);

impl Live {
    /// The cluster behind this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self(Calls::new(client).within(API_CALL_LIMIT))
    }

    pub(super) fn calls(&self) -> &Calls {
        &self.0
    }

    /// Events of the objects of these kinds, each in the version named with it: of all of them, or of those that
    /// carry this label. The client must be one that waits long enough for a watch.
    #[must_use]
    pub fn feed(
        client: &Client,
        kinds: &[(&'static Kind, &str)],
        namespace: Option<&str>,
        label: Option<&str>,
    ) -> Feed {
        let selector = label.map(|label| format!("labelSelector={}", label.replace('/', "%2F")));
        let watches = kinds.iter().map(|(kind, version)| {
            let path = live::path(&format!("{}/{version}", kind.group), kind.plural, namespace, None);
            let watch = Watch {
                client: client.clone(),
                calls: Self::new(client.clone()).0,
                kind: kind.kind,
                path: path.unwrap_or_default(),
                selector: selector.clone(),
                at: None,
                events: None,
            };
            stream::unfold(watch, |mut watch| async move { Some((watch.news().await, watch)) }).boxed()
        });
        stream::select_all(watches.collect::<Vec<Feed>>()).boxed()
    }
}

impl Api for Live {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let Ok(path) = path(at, Some(&at.name)) else { return Ok(None) };
            match self.0.ask(Method::GET, &path, JSON, &Value::Null).await {
                Err(failure) if failure.fault == Fault::NotFound => Ok(None),
                result => result.map(Some),
            }
        }
        .boxed()
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move { self.0.ask(Method::POST, &strict(&path(at, None)?), JSON, object).await }.boxed()
    }

    fn rehearse<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<(), Failure>> {
        async move {
            let path = format!("{}&dryRun=All", strict(&path(at, None)?));
            self.0.ask(Method::POST, &path, JSON, object).await.map(|_| ())
        }
        .boxed()
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move {
            let place = path(at, Some(&at.name))?;
            self.0.ask(Method::PATCH, &strict(&place), MERGE, patch).await
        }
        .boxed()
    }

    fn delete<'a>(
        &'a self,
        at: &'a Location,
        preconditions: &'a Value,
    ) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let options = json!({
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "propagationPolicy": "Background",
                "preconditions": preconditions,
            });
            let path = path(at, Some(&at.name))?;
            let answer = self.0.ask(Method::DELETE, &path, JSON, &options).await?;
            let goes = answer.pointer("/metadata/deletionTimestamp").is_some();
            Ok(Some(answer).filter(|_| goes))
        }
        .boxed()
    }
}

impl Listing for Live {
    fn list<'a>(
        &'a self,
        kind: &'static Kind,
        namespace: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Value>, Failure>> {
        async move {
            for version in kind.versions {
                let version = format!("{}/{version}", kind.group);
                let path = live::path(&version, kind.plural, Some(namespace), None)?;
                match self.0.ask(Method::GET, &path, JSON, &Value::Null).await {
                    Ok(mut list) => {
                        let items = list.get_mut("items").map(Value::take);
                        return Ok(items.and_then(|items| items.as_array().cloned()).unwrap_or_default());
                    }
                    Err(failure) if failure.fault == Fault::NotFound => {}
                    Err(failure) => return Err(failure),
                }
            }
            Ok(Vec::new())
        }
        .boxed()
    }

    fn other_kinds(&self) -> BoxFuture<'_, Result<Vec<&'static Kind>, Failure>> {
        self.discover().boxed()
    }
}

/// The objects of one kind, as they change.
struct Watch {
    client: Client,
    calls: Calls,
    kind: &'static str,
    path: String,
    /// The parameter that says which of the objects there are looked at.
    selector: Option<String>,
    /// The version up to which everything was told.
    at: Option<String>,
    events: Option<BoxStream<'static, Result<WatchEvent<Value>, ::kube::Error>>>,
}

impl Watch {
    async fn news(&mut self) -> ObjectEvent {
        loop {
            match self.next().await {
                Ok(Some(news)) => return news,
                Ok(None) => {}
                Err(fault) => {
                    // What was missed shows in a new list.
                    (self.at, self.events) = (None, None);
                    sleep(PAUSE).await;
                    return ObjectEvent::Broke { kind: self.kind, why: fault.why() };
                }
            }
        }
    }

    /// The next news; none where something else was done than to hear any.
    async fn next(&mut self) -> Result<Option<ObjectEvent>, Fault> {
        let Some(at) = &self.at else { return self.list().await.map(Some) };
        let Some(events) = &mut self.events else {
            let parameters =
                format!("watch=true&allowWatchBookmarks=true&timeoutSeconds={LIFETIME}&resourceVersion={at}");
            let request = Request::builder()
                .uri(self.selected(Some(parameters)))
                .header("accept", JSON)
                .body(Vec::new());
            let request = request.map_err(|_| Fault::Setup("the watch cannot be serialized".to_owned()))?;
            let begun = self.client.request_events::<Value>(request).await;
            self.events = Some(begun.map_err(|error| Fault::of(&error))?.boxed());
            return Ok(None);
        };
        let Some(event) = events.next().await else {
            self.events = None;
            return Ok(None);
        };
        let news = match event.map_err(|error| Fault::of(&error))? {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => ObjectEvent::Is(self.kind, object),
            WatchEvent::Deleted(object) => ObjectEvent::Gone(self.kind, object),
            WatchEvent::Bookmark(bookmark) => {
                self.at = Some(bookmark.metadata.resource_version);
                return Ok(None);
            }
            WatchEvent::Error(status) => return Err(Fault::of(&::kube::Error::Api(status))),
        };
        if let ObjectEvent::Is(_, object) | ObjectEvent::Gone(_, object) = &news {
            self.at = Some(text(object, "/metadata/resourceVersion").to_owned());
        }
        Ok(Some(news))
    }

    /// The path of the objects that are looked at, for a call with these parameters.
    fn selected(&self, parameters: Option<String>) -> String {
        let all: Vec<String> = self.selector.iter().cloned().chain(parameters).collect();
        if all.is_empty() { self.path.clone() } else { format!("{}?{}", self.path, all.join("&")) }
    }

    async fn list(&mut self) -> Result<ObjectEvent, Fault> {
        let answer = self.calls.ask(Method::GET, &self.selected(None), JSON, &Value::Null).await;
        let mut list = answer.map_err(|failure| failure.fault)?;
        self.at = Some(text(&list, "/metadata/resourceVersion").to_owned());
        let items = list.get_mut("items").map(Value::take);
        Ok(ObjectEvent::All(self.kind, items.and_then(|items| items.as_array().cloned()).unwrap_or_default()))
    }
}

/// The path at which an object is written as it is, or refused: a field that the server does not know would be dropped
/// without an error, and written again for ever.
fn strict(path: &str) -> String {
    format!("{}&fieldValidation=Strict", written(path))
}

/// The path of what stands there: all of the kind, or the one of this name.
fn path(at: &Location, name: Option<&str>) -> Result<String, Fault> {
    live::path(&at.api_version, at.plural, at.namespace.as_deref(), name)
}
