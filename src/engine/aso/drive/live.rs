//! The API of a management cluster behind a client: single calls, and one watch for each kind.

use std::fmt;
use std::time::Duration;

use ::kube::Client;
use ::kube::client::Body;
use ::kube::core::{Status, WatchEvent};
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream};
use futures::{FutureExt as _, StreamExt as _};
use hyper::{Method, Request};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::api::{Api, Failure, Feed, Location, News};
use super::world::text;
use crate::engine::aso::core::API_CALL_LIMIT;
use crate::engine::aso::kinds::Kind;
use crate::kube::Fault;

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
/// The name under which fields are landfall's.
const MANAGER: &str = "fieldManager=landfall";
/// Seconds after which the server ends a watch and it is begun anew.
const LIFETIME: u32 = 240;
/// How long a watch that broke is left alone.
const PAUSE: Duration = Duration::from_secs(5);

/// The management cluster that a client reaches.
#[derive(Clone)]
pub struct Live(Client);

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

impl Live {
    /// The cluster behind this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self(client)
    }

    /// News of the objects of these kinds, each in the version named with it, that carry a label: `key=value`,
    /// or a key with any value. The client must be one that waits long enough for a watch.
    #[must_use]
    pub fn feed(
        client: &Client,
        kinds: &[(&'static Kind, &str)],
        namespace: Option<&str>,
        label: &str,
    ) -> Feed {
        let label = label.replace('/', "%2F").replace('=', "%3D");
        let watches = kinds.iter().map(|(kind, version)| {
            let collection = collection(&format!("{}/{version}", kind.group), kind.plural, namespace);
            let path = collection.unwrap_or_default();
            let selected = format!("{path}?labelSelector={label}");
            let watch = Watch { client: client.clone(), kind: kind.kind, selected, at: None, events: None };
            stream::unfold(watch, |mut watch| async move { Some((watch.news().await, watch)) }).boxed()
        });
        stream::select_all(watches.collect::<Vec<Feed>>()).boxed()
    }

    async fn call(&self, method: Method, path: &str, kind: &str, body: &Value) -> Result<Value, Failure> {
        let answer = tokio::time::timeout(API_CALL_LIMIT, self.answer(method, path, kind, body)).await;
        answer.unwrap_or_else(|_| Err(Fault::late().into()))
    }

    async fn answer(&self, method: Method, path: &str, kind: &str, body: &Value) -> Result<Value, Failure> {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = Request::builder().method(method).uri(path).header("content-type", kind);
        let request = request.header("accept", JSON).body(Body::from(bytes));
        let request = request.map_err(|_| Fault::Setup("the call cannot be written down".to_owned()))?;
        let failed = |error: ::kube::Error| Failure::from(Fault::of(&error));
        let response = self.0.send(request).await.map_err(failed)?;
        let code = response.status();
        let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = seconds.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
        let bytes = response.into_body().collect_bytes().await.map_err(failed)?;
        if code.is_success() {
            let odd = "the answer is not that of a Kubernetes API".to_owned();
            return serde_json::from_slice(&bytes)
                .map_err(|_| Fault::Answer { status: 200, why: odd }.into());
        }
        let status: Option<Status> = serde_json::from_slice(&bytes).ok();
        let status = status.unwrap_or_else(|| Status::failure("", "")).with_code(code.as_u16());
        let fault = Fault::of(&::kube::Error::Api(status.boxed()));
        Err(Failure { fault, retry_after })
    }
}

impl Api for Live {
    fn get<'a>(&'a self, at: &'a Location) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let Some(path) = path(at) else { return Ok(None) };
            match self.call(Method::GET, &path, JSON, &Value::Null).await {
                Ok(object) => Ok(Some(object)),
                Err(failure) if failure.fault == Fault::NotFound => Ok(None),
                Err(failure) => Err(failure),
            }
        }
        .boxed()
    }

    fn create<'a>(&'a self, at: &'a Location, object: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move {
            let path =
                collection(&at.api_version, at.plural, at.namespace.as_deref()).ok_or_else(nameless)?;
            self.call(Method::POST, &format!("{path}?{MANAGER}"), JSON, object).await
        }
        .boxed()
    }

    fn merge<'a>(&'a self, at: &'a Location, patch: &'a Value) -> BoxFuture<'a, Result<Value, Failure>> {
        async move {
            let url = path(at).ok_or_else(nameless)?;
            self.call(Method::PATCH, &format!("{url}?{MANAGER}"), MERGE, patch).await
        }
        .boxed()
    }

    fn delete<'a>(
        &'a self,
        at: &'a Location,
        preconditions: &'a Value,
    ) -> BoxFuture<'a, Result<Option<Value>, Failure>> {
        async move {
            let path = path(at).ok_or_else(nameless)?;
            let options = json!({
                "apiVersion": "v1",
                "kind": "DeleteOptions",
                "propagationPolicy": "Background",
                "preconditions": preconditions,
            });
            let answer = self.call(Method::DELETE, &path, JSON, &options).await?;
            let goes = answer.pointer("/metadata/deletionTimestamp").is_some();
            Ok(Some(answer).filter(|_| goes))
        }
        .boxed()
    }
}

/// The objects of one kind, as they change.
struct Watch {
    client: Client,
    kind: &'static str,
    /// The path of the objects that are looked at.
    selected: String,
    /// The version up to which everything was told.
    at: Option<String>,
    events: Option<BoxStream<'static, Result<WatchEvent<Value>, ::kube::Error>>>,
}

impl Watch {
    async fn news(&mut self) -> News {
        loop {
            match self.next().await {
                Ok(Some(news)) => return news,
                Ok(None) => {}
                Err(fault) => {
                    // What was missed shows in a new list.
                    (self.at, self.events) = (None, None);
                    sleep(PAUSE).await;
                    return News::Broke { kind: self.kind, why: fault.why() };
                }
            }
        }
    }

    /// The next news; none where something else was done than to hear any.
    async fn next(&mut self) -> Result<Option<News>, Fault> {
        let Some(at) = &self.at else { return self.list().await.map(Some) };
        let Some(events) = &mut self.events else {
            let path = format!(
                "{}&watch=true&allowWatchBookmarks=true&timeoutSeconds={LIFETIME}&resourceVersion={at}",
                self.selected
            );
            let begun = self.client.request_events::<Value>(request(&path)?).await;
            self.events = Some(begun.map_err(|error| Fault::of(&error))?.boxed());
            return Ok(None);
        };
        let Some(event) = events.next().await else {
            self.events = None;
            return Ok(None);
        };
        let news = match event.map_err(|error| Fault::of(&error))? {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => News::Is(self.kind, object),
            WatchEvent::Deleted(object) => News::Gone(self.kind, object),
            WatchEvent::Bookmark(bookmark) => {
                self.at = Some(bookmark.metadata.resource_version);
                return Ok(None);
            }
            WatchEvent::Error(status) => return Err(Fault::of(&::kube::Error::Api(status))),
        };
        if let News::Is(_, object) | News::Gone(_, object) = &news {
            self.at = Some(text(object, "/metadata/resourceVersion").to_owned());
        }
        Ok(Some(news))
    }

    async fn list(&mut self) -> Result<News, Fault> {
        let answer =
            tokio::time::timeout(API_CALL_LIMIT, self.client.request::<Value>(request(&self.selected)?));
        let mut list = answer.await.map_err(|_| Fault::late())?.map_err(|error| Fault::of(&error))?;
        self.at = Some(text(&list, "/metadata/resourceVersion").to_owned());
        let items = list.get_mut("items").map(Value::take);
        Ok(News::All(self.kind, items.and_then(|items| items.as_array().cloned()).unwrap_or_default()))
    }
}

fn request(path: &str) -> Result<Request<Vec<u8>>, Fault> {
    let request = Request::builder().uri(path).header("accept", JSON).body(Vec::new());
    request.map_err(|_| Fault::Setup("the call cannot be written down".to_owned()))
}

/// The path of objects; none where the namespace can be none.
fn collection(api_version: &str, plural: &str, namespace: Option<&str>) -> Option<String> {
    let root = if api_version.contains('/') { "apis" } else { "api" };
    match namespace {
        Some(namespace) if !is_name(namespace) => None,
        Some(namespace) => Some(format!("/{root}/{api_version}/namespaces/{namespace}/{plural}")),
        None => Some(format!("/{root}/{api_version}/{plural}")),
    }
}

fn path(at: &Location) -> Option<String> {
    let collection = collection(&at.api_version, at.plural, at.namespace.as_deref());
    Some(format!("{}/{}", collection.filter(|_| is_name(&at.name))?, at.name))
}

/// Whether a text can be one step of a path, and nothing else.
fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    !text.is_empty() && text != "." && text != ".." && text.bytes().all(allowed)
}

fn nameless() -> Failure {
    Fault::Answer { status: 400, why: "no object can have such a name".to_owned() }.into()
}
