//! The objects of a cluster, asked of its API one by one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use ::kube::client::Body;
use ::kube::core::Status;
use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::{Method, Request};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, timeout};

use super::objects::{ObjectRef, Objects, Part};
use super::{Failure, Fault, MANAGER};

/// The longest that one call takes, from its first byte to its last.
const LONGEST: Duration = Duration::from_secs(30);
/// The media type of what is created.
pub const JSON: &str = "application/json";
const APPLY: &str = "application/apply-patch+yaml";
/// The media type of a JSON merge patch.
pub const MERGE: &str = "application/merge-patch+json";
const JSON_PATCH: &str = "application/json-patch+json";
/// An object without its spec and its status, from servers that know of this form.
const METADATA: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";

/// The objects of the cluster that a client reaches.
#[derive(Clone)]
pub struct Live {
    client: Client,
    limit: Duration,
    wrote: Arc<dyn Fn() + Send + Sync>,
}

impl Live {
    /// The objects behind this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client, limit: LONGEST, wrote: Arc::new(|| {}) }
    }

    /// The same objects; no answer is waited for longer than this.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// The same objects; `wrote` is called after each write that the server took.
    #[must_use]
    pub fn telling(self, wrote: impl Fn() + Send + Sync + 'static) -> Self {
        Self { wrote: Arc::new(wrote), ..self }
    }

    /// Creates an object in the collection of the reference.
    pub(super) async fn create(&self, place: &ObjectRef, object: Value) -> Result<Value, Fault> {
        let path = path(&place.kind.api_version(), place.kind.plural, place.namespace.as_deref(), None)?;
        self.call(Method::POST, &written(&path), JSON, &named(object, place)).await
    }

    async fn write(
        &self,
        place: &ObjectRef,
        part: Part,
        (kind, query): (&str, &str),
        body: &Value,
    ) -> Result<Value, Fault> {
        let path = written(&of(place, part)?);
        self.call(Method::PATCH, &format!("{path}{query}"), kind, body).await
    }

    /// Calls a path with a body of this kind, and gives what the server answers. It has not begun with what is
    /// too much for it: that is called again after the pause that it wants.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: &Value,
    ) -> Result<Value, Fault> {
        let begun = Instant::now();
        loop {
            let failure = match self.ask(method.clone(), path, kind, body).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            match pause(&failure, self.limit.saturating_sub(begun.elapsed())) {
                Some(pause) => sleep(pause).await,
                None => return Err(failure.fault),
            }
        }
    }

    /// Calls a path once with a body of this kind, and gives what the server answers.
    ///
    /// # Errors
    /// What the server refused, or why it did not answer.
    pub async fn ask(&self, method: Method, path: &str, kind: &str, body: &Value) -> Result<Value, Failure> {
        let writes = method != Method::GET;
        let answer = timeout(self.limit, self.answer(method, path, kind, body)).await;
        let answer = answer.unwrap_or_else(|_| Err(Fault::late().into()))?;
        if writes {
            (self.wrote)();
        }
        Ok(answer)
    }

    async fn answer(&self, method: Method, path: &str, kind: &str, body: &Value) -> Result<Value, Failure> {
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = Request::builder().method(method).uri(path).header("content-type", kind);
        // The result of a JSON patch is not used.
        let accept = if kind == JSON_PATCH { METADATA } else { JSON };
        let request = request.header("accept", accept).body(Body::from(bytes));
        let request = request.map_err(|_| Fault::Setup("the request cannot be serialized".to_owned()))?;
        let failed = |error: ::kube::Error| Failure::from(Fault::of(&error));
        let response = self.client.send(request).await.map_err(failed)?;
        let code = response.status();
        let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = seconds.and_then(|seconds| seconds.parse().ok()).map(Duration::from_secs);
        let bytes = response.into_body().collect_bytes().await.map_err(failed)?;
        if code.is_success() {
            return serde_json::from_slice(&bytes).map_err(|error| failed(::kube::Error::SerdeError(error)));
        }
        let status: Option<Status> = serde_json::from_slice(&bytes).ok();
        let status = status.unwrap_or_else(|| Status::failure("", "")).with_code(code.as_u16());
        Err(Failure { fault: Fault::of(&::kube::Error::Api(status.boxed())), retry_after })
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

impl Objects for Live {
    fn get<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        async move {
            // What cannot be the name of an object is not there.
            let Ok(path) = of(place, Part::Whole) else { return Ok(None) };
            match self.call(Method::GET, &path, JSON, &Value::Null).await {
                Ok(object) => Ok(Some(object)),
                Err(Fault::NotFound) => Ok(None),
                Err(fault) => Err(fault),
            }
        }
        .boxed()
    }

    fn apply<'a>(
        &'a self,
        place: &'a ObjectRef,
        object: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.write(place, part, (APPLY, "&force=true"), &named(object, place)).await }.boxed()
    }

    fn merge<'a>(
        &'a self,
        place: &'a ObjectRef,
        patch: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.write(place, part, (MERGE, ""), &patch).await }.boxed()
    }

    fn set_status<'a>(&'a self, place: &'a ObjectRef, status: Value) -> BoxFuture<'a, Result<(), Fault>> {
        async move {
            let patch = json!([{ "op": "add", "path": "/status", "value": status }]);
            self.write(place, Part::Status, (JSON_PATCH, ""), &patch).await.map(drop)
        }
        .boxed()
    }

    fn delete<'a>(&'a self, place: &'a ObjectRef) -> BoxFuture<'a, Result<bool, Fault>> {
        async move {
            match self.call(Method::DELETE, &of(place, Part::Whole)?, JSON, &Value::Null).await {
                Ok(_) => Ok(true),
                Err(Fault::NotFound) => Ok(false),
                Err(fault) => Err(fault),
            }
        }
        .boxed()
    }
}

/// How long to wait before a call that failed is made again; none where it is not to be. It must be less than
/// what is left.
fn pause(failure: &Failure, left: Duration) -> Option<Duration> {
    let wanted = failure.retry_after.filter(|_| failure.code() == Some(429));
    wanted.filter(|wanted| !wanted.is_zero() && *wanted < left)
}

/// The path of the objects of a kind, or of the one of this name.
///
/// # Errors
/// No object can have this name.
pub fn path(
    api_version: &str,
    plural: &str,
    namespace: Option<&str>,
    name: Option<&str>,
) -> Result<String, Fault> {
    if ![namespace, name].into_iter().flatten().all(is_name) {
        return Err(Fault::Answer { status: 400, why: "invalid object name".to_owned() });
    }
    let root = if api_version.contains('/') { "apis" } else { "api" };
    let namespace = namespace.map(|namespace| format!("namespaces/{namespace}/")).unwrap_or_default();
    let name = name.map(|name| format!("/{name}")).unwrap_or_default();
    Ok(format!("/{root}/{api_version}/{namespace}{plural}{name}"))
}

/// The path at which fields are written as landfall's.
#[must_use]
pub fn written(path: &str) -> String {
    format!("{path}?fieldManager={MANAGER}")
}

/// The path of a place.
fn of(place: &ObjectRef, part: Part) -> Result<String, Fault> {
    let ObjectRef { kind, namespace, name } = place;
    let path = path(&kind.api_version(), kind.plural, namespace.as_deref(), Some(name))?;
    Ok(match part {
        Part::Whole => path,
        Part::Status => format!("{path}/status"),
    })
}

/// Whether a text can be one step of a path, and nothing else. Names come from objects that anybody wrote.
fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    !text.is_empty() && text != "." && text != ".." && text.bytes().all(allowed)
}

/// The object with its kind and its place in it.
fn named(object: Value, place: &ObjectRef) -> Value {
    let of = |value: Option<Value>| match value {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    };
    let mut object = of(Some(object));
    let mut metadata = of(object.remove("metadata"));
    metadata.insert("name".to_owned(), place.name.clone().into());
    if let Some(namespace) = &place.namespace {
        metadata.insert("namespace".to_owned(), namespace.clone().into());
    }
    object.insert("apiVersion".to_owned(), place.kind.api_version().into());
    object.insert("kind".to_owned(), place.kind.kind.into());
    object.insert("metadata".to_owned(), metadata.into());
    object.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{CLUSTER_OPERATOR, CONFIG_MAP};

    #[test]
    fn a_place_has_a_path() {
        let map = ObjectRef::in_namespace(&CONFIG_MAP, "openshift-config", "a.b");
        let of_map = of(&map, Part::Whole);
        assert_eq!(of_map.as_deref(), Ok("/api/v1/namespaces/openshift-config/configmaps/a.b"));
        let operator = of(&ObjectRef::in_cluster(&CLUSTER_OPERATOR, "landfall"), Part::Status);
        let status = "/apis/config.openshift.io/v1/clusteroperators/landfall/status";
        assert_eq!(operator.as_deref(), Ok(status));
    }

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        for name in ["", ".", "..", "../secrets/a", "a/b", "a?b", "a%2fb", "a b", "ä"] {
            let place = ObjectRef::in_namespace(&CONFIG_MAP, "openshift-config", name);
            assert!(of(&place, Part::Whole).is_err(), "{name}");
            let place = ObjectRef::in_namespace(&CONFIG_MAP, name, "a");
            assert!(of(&place, Part::Whole).is_err(), "{name}");
        }
    }

    #[test]
    fn what_is_too_much_is_called_again_after_the_pause_that_is_wanted() {
        let of = |status: u16, seconds: Option<u64>| {
            let fault = Fault::Answer { status, why: String::new() };
            let failure = Failure { fault, retry_after: seconds.map(Duration::from_secs) };
            pause(&failure, Duration::from_secs(30)).map(|pause| pause.as_secs())
        };
        assert_eq!([of(429, Some(7)), of(429, Some(0)), of(429, Some(30))], [Some(7), None, None]);
        assert_eq!([of(429, Some(u64::MAX)), of(429, None), of(503, Some(7))], [None; 3]);
    }

    #[test]
    fn what_is_applied_says_what_and_where_it_is() {
        let place = ObjectRef::in_namespace(&CONFIG_MAP, "here", "a");
        let labelled = json!({ "data": { "k": "v" }, "metadata": { "labels": { "l": "m" } } });
        assert_eq!(
            named(labelled, &place),
            json!({
                "apiVersion": "v1",
                "kind": "ConfigMap",
                "metadata": { "labels": { "l": "m" }, "name": "a", "namespace": "here" },
                "data": { "k": "v" },
            })
        );
        let bare = named(json!({ "metadata": "no object" }), &ObjectRef::in_cluster(&CLUSTER_OPERATOR, "b"));
        assert_eq!(bare["metadata"], json!({ "name": "b" }));
    }
}
