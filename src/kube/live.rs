//! The objects of a cluster, asked of its API one by one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use futures::FutureExt;
use futures::future::BoxFuture;
use hyper::{Method, Request};
use serde_json::{Map, Value};

use super::Fault;
use super::objects::{Objects, Part, Place};

/// The name under which fields are landfall's.
const MANAGER: &str = "landfall";
/// The longest that one call takes, from its first byte to its last.
const LONGEST: Duration = Duration::from_secs(30);
pub(super) const JSON: &str = "application/json";
const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";

/// The objects of the cluster that a client reaches.
#[derive(Clone)]
pub struct Live {
    client: Client,
    wrote: Arc<dyn Fn() + Send + Sync>,
}

impl Live {
    /// The objects behind this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client, wrote: Arc::new(|| {}) }
    }

    /// The same objects; `wrote` is called after each write that the server took.
    #[must_use]
    pub fn telling(self, wrote: impl Fn() + Send + Sync + 'static) -> Self {
        Self { wrote: Arc::new(wrote), ..self }
    }

    /// Makes a new object of the collection that the place is in.
    pub(super) async fn create(&self, place: &Place, object: Value) -> Result<Value, Fault> {
        let path = collection(place).ok_or_else(|| nameless(place))?;
        self.call(Method::POST, &path, JSON, &named(object, place)).await
    }

    async fn write(
        &self,
        place: &Place,
        part: Part,
        (kind, query): (&str, &str),
        body: &Value,
    ) -> Result<Value, Fault> {
        let path = path(place, part).ok_or_else(|| nameless(place))?;
        self.call(Method::PATCH, &format!("{path}?fieldManager={MANAGER}{query}"), kind, body).await
    }

    /// Calls a path with a body of this kind, and gives what the server answers.
    pub(super) async fn call(
        &self,
        method: Method,
        path: &str,
        kind: &str,
        body: &Value,
    ) -> Result<Value, Fault> {
        let writes = method != Method::GET;
        let bytes = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let request = Request::builder().method(method).uri(path).header("content-type", kind).body(bytes);
        let request = request.map_err(|_| Fault::Setup("the call cannot be written down".to_owned()))?;
        let answer = tokio::time::timeout(LONGEST, self.client.request::<Value>(request)).await;
        let answer = answer.map_err(|_| Fault::late())?.map_err(|error| Fault::of(&error))?;
        if writes {
            (self.wrote)();
        }
        Ok(answer)
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Live").finish_non_exhaustive()
    }
}

impl Objects for Live {
    fn get<'a>(&'a self, place: &'a Place) -> BoxFuture<'a, Result<Option<Value>, Fault>> {
        async move {
            // What cannot be the name of an object is not there.
            let Some(path) = path(place, Part::Whole) else { return Ok(None) };
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
        place: &'a Place,
        object: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.write(place, part, (APPLY, "&force=true"), &named(object, place)).await }.boxed()
    }

    fn merge<'a>(
        &'a self,
        place: &'a Place,
        patch: Value,
        part: Part,
    ) -> BoxFuture<'a, Result<Value, Fault>> {
        async move { self.write(place, part, (MERGE, ""), &patch).await }.boxed()
    }

    fn delete<'a>(&'a self, place: &'a Place) -> BoxFuture<'a, Result<bool, Fault>> {
        async move {
            let path = path(place, Part::Whole).ok_or_else(|| nameless(place))?;
            match self.call(Method::DELETE, &path, JSON, &Value::Null).await {
                Ok(_) => Ok(true),
                Err(Fault::NotFound) => Ok(false),
                Err(fault) => Err(fault),
            }
        }
        .boxed()
    }
}

/// The path of the collection that a place is in; none where the namespace can be none.
pub(super) fn collection(place: &Place) -> Option<String> {
    let group = if place.kind.group.is_empty() { "api" } else { "apis" };
    let version = place.kind.api_version();
    let plural = place.kind.plural;
    match &place.namespace {
        Some(namespace) if !is_name(namespace) => None,
        Some(namespace) => Some(format!("/{group}/{version}/namespaces/{namespace}/{plural}")),
        None => Some(format!("/{group}/{version}/{plural}")),
    }
}

/// The path of a place; none where its name can be none.
fn path(place: &Place, part: Part) -> Option<String> {
    let collection = collection(place).filter(|_| is_name(&place.name))?;
    let tail = match part {
        Part::Whole => "",
        Part::Status => "/status",
    };
    Some(format!("{collection}/{}{tail}", place.name))
}

/// Whether a text can be one step of a path, and nothing else. Names come from objects that anybody wrote.
fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:".contains(&byte);
    !text.is_empty() && text != "." && text != ".." && text.bytes().all(allowed)
}

fn nameless(place: &Place) -> Fault {
    let why = format!("no {} can have such a name", place.kind.kind);
    Fault::Answer { status: 400, why }
}

/// The object with its kind and its place in it.
fn named(object: Value, place: &Place) -> Value {
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
    use serde_json::json;

    use super::*;
    use crate::kube::kinds::{CLUSTER_OPERATOR, CONFIG_MAP};

    #[test]
    fn a_place_has_a_path() {
        let map = Place::in_namespace(&CONFIG_MAP, "openshift-config", "a.b");
        let of_map = path(&map, Part::Whole);
        assert_eq!(of_map.as_deref(), Some("/api/v1/namespaces/openshift-config/configmaps/a.b"));
        let operator = path(&Place::in_cluster(&CLUSTER_OPERATOR, "landfall"), Part::Status);
        let status = "/apis/config.openshift.io/v1/clusteroperators/landfall/status";
        assert_eq!(operator.as_deref(), Some(status));
    }

    #[test]
    fn a_name_cannot_lead_elsewhere() {
        for name in ["", ".", "..", "../secrets/a", "a/b", "a?b", "a%2fb", "a b", "ä"] {
            let place = Place::in_namespace(&CONFIG_MAP, "openshift-config", name);
            assert_eq!(path(&place, Part::Whole), None, "{name}");
            let place = Place::in_namespace(&CONFIG_MAP, name, "a");
            assert_eq!(path(&place, Part::Whole), None, "{name}");
        }
    }

    #[test]
    fn what_is_applied_says_what_and_where_it_is() {
        let place = Place::in_namespace(&CONFIG_MAP, "here", "a");
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
        let bare = named(json!({ "metadata": "no object" }), &Place::in_cluster(&CLUSTER_OPERATOR, "b"));
        assert_eq!(bare["metadata"], json!({ "name": "b" }));
    }
}
