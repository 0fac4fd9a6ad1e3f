//! What the operator's objects of all clusters do: one watch for each kind, whatever the number of clusters.

use std::collections::BTreeMap;

use ::kube::Client;
use ::kube::api::{Api, ObjectMeta};
use ::kube::runtime::watcher::{self, Event};
use futures::StreamExt as _;
use futures::future::ready;
use futures::stream::{self, BoxStream};
use landfall_engine_aso::detect::DEPLOYMENT as OPERATOR;
use landfall_engine_aso::drive::{Feed, Live, ObjectEvent};
use landfall_engine_aso::keys;
use landfall_engine_aso::kinds::{KINDS, Kind};
use landfall_kube::Fault;
use landfall_kube::kinds::DEPLOYMENT;

use super::claims::Metadata;
use crate::watch;

/// Events of all objects that belong to a cluster, of one namespace or of all, without end, except kinds that it does
/// not serve.
pub(super) fn all(client: &Client, namespace: Option<&str>) -> BoxStream<'static, ObjectEvent> {
    let watches = KINDS.iter().map(|kind| {
        let namespace = namespace.map(str::to_owned);
        let watch = Watch { client: client.clone(), kind, namespace, version: 0, feed: None };
        stream::unfold(watch, |mut watch| async move { Some((watch.news().await, watch)) }).boxed()
    });
    stream::select_all(watches.collect::<Vec<Feed>>()).boxed()
}

/// One item whenever the operator's Deployment is created, changed or deleted, without end.
pub(super) fn operators(client: &Client) -> BoxStream<'static, ()> {
    let api: Api<Metadata> = Api::all_with(client.clone(), &watch::resource(&DEPLOYMENT));
    let config = watcher::Config::default().fields(&format!("metadata.name={OPERATOR}"));
    let mut versions = Versions::default();
    let changes = watch::unbroken(&DEPLOYMENT, api, config);
    changes.filter_map(move |event| ready(versions.has_changed(event).then_some(()))).boxed()
}

/// The metadata of all infrastructures in other namespaces than this one, without end; an item without an event once
/// that is forbidden.
pub(super) fn others(client: &Client, namespace: &str) -> BoxStream<'static, Option<Event<Metadata>>> {
    let kind = &super::AZURE_INFRASTRUCTURE;
    let api: Api<Metadata> = Api::all_with(client.clone(), &watch::resource(kind));
    let config = watcher::Config::default().fields(&format!("metadata.namespace!={namespace}"));
    watch::permitted(kind, api, config)
}

/// The versions of the Deployments by namespace, so that a new listing only reports what is new.
#[derive(Default)]
struct Versions {
    known: BTreeMap<String, String>,
    listed: BTreeMap<String, String>,
    has_listed: bool,
}

impl Versions {
    fn has_changed(&mut self, event: Event<Metadata>) -> bool {
        match event {
            Event::Init => {
                self.listed.clear();
                false
            }
            Event::InitApply(found) => {
                let (namespace, version) = versioned(found);
                self.listed.insert(namespace, version);
                false
            }
            Event::InitDone => {
                let listed = std::mem::take(&mut self.listed);
                // At the beginning nothing is known that could have changed.
                let has_changed = self.has_listed && listed != self.known;
                (self.known, self.has_listed) = (listed, true);
                has_changed
            }
            Event::Apply(found) => {
                let (namespace, version) = versioned(found);
                self.known.insert(namespace, version.clone()) != Some(version)
            }
            Event::Delete(found) => self.known.remove(&versioned(found).0).is_some(),
        }
    }
}

fn versioned(found: Metadata) -> (String, String) {
    let ObjectMeta { namespace, resource_version, .. } = found.metadata;
    (namespace.unwrap_or_default(), resource_version.unwrap_or_default())
}

/// The watch of one kind, in the version that is served.
struct Watch {
    client: Client,
    kind: &'static Kind,
    namespace: Option<String>,
    /// The place of the version that is tried.
    version: usize,
    feed: Option<Feed>,
}

impl Watch {
    async fn news(&mut self) -> ObjectEvent {
        let version = self.kind.versions[self.version];
        let client = &self.client;
        let namespace = self.namespace.as_deref();
        let begin = || Live::feed(client, &[(self.kind, version)], namespace, Some(keys::CLUSTER));
        let news = self.feed.get_or_insert_with(begin).next().await;
        match news {
            Some(ObjectEvent::Broke { kind, why }) => {
                if why != Fault::NotFound.why() {
                    tracing::warn!(kind, %why, "a watch broke");
                    return ObjectEvent::Broke { kind, why };
                }
                self.feed = None;
                self.version = (self.version + 1) % self.kind.versions.len();
                // Neither version is served, as far as is known by now.
                if self.version == 0 {
                    ObjectEvent::All(kind, Vec::new())
                } else {
                    ObjectEvent::Broke { kind, why }
                }
            }
            Some(news) => news,
            None => {
                self.feed = None;
                ObjectEvent::Broke { kind: self.kind.kind, why: String::new() }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use axum::Router;
    use axum::body::Body;
    use axum::extract::Request;
    use axum::response::Response;
    use serde_json::{Value, json};
    use tokio::time::timeout;

    use super::*;

    const CLUSTERS: usize = 200;

    /// How often each path was listed, and watched.
    type Asked = BTreeMap<String, (usize, usize)>;

    /// One object of each cluster, or a watch without events.
    fn answer(is_watch: bool) -> Response {
        if is_watch {
            let silence = stream::pending::<Result<Vec<u8>, std::io::Error>>();
            return Response::new(Body::from_stream(silence));
        }
        let object = |number: usize| {
            let (namespace, version) = (format!("c{number}"), number.to_string());
            let labels = json!({ (keys::CLUSTER): namespace });
            json!({ "metadata": {
                "name": "a", "namespace": namespace, "resourceVersion": version, "labels": labels,
            }})
        };
        let items: Vec<Value> = (0..CLUSTERS).map(object).collect();
        let list = json!({ "metadata": { "resourceVersion": "1000" }, "items": items });
        Response::new(Body::from(list.to_string()))
    }

    #[test]
    fn a_deployment_that_came_changed_or_went_is_reported() {
        let found = |namespace: &str, version: &str| {
            let metadata = ObjectMeta {
                namespace: Some(namespace.to_owned()),
                resource_version: Some(version.to_owned()),
                ..ObjectMeta::default()
            };
            Metadata { metadata, types: None, _phantom: std::marker::PhantomData }
        };
        let mut versions = Versions::default();
        let listing = |all: &[(&str, &str)], versions: &mut Versions| {
            assert!(!versions.has_changed(Event::Init));
            for (namespace, version) in all {
                assert!(!versions.has_changed(Event::InitApply(found(namespace, version))));
            }
            versions.has_changed(Event::InitDone)
        };
        assert!(!listing(&[("a", "1")], &mut versions), "the first listing");
        assert!(versions.has_changed(Event::Apply(found("a", "2"))));
        assert!(!versions.has_changed(Event::Apply(found("a", "2"))));
        assert!(!listing(&[("a", "2")], &mut versions));
        assert!(listing(&[], &mut versions), "it went while the watch was broken");
        assert!(versions.has_changed(Event::Apply(found("b", "3"))));
        assert!(versions.has_changed(Event::Delete(found("b", "3"))));
        assert!(!versions.has_changed(Event::Delete(found("b", "3"))));
    }

    #[tokio::test(start_paused = true)]
    async fn one_namespace_is_watched_alone() {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        let server = Router::new().fallback(move |request: Request| {
            if let Ok(mut noted) = noted.lock() {
                noted.push(request.uri().path().to_owned());
            }
            async { answer(true) }
        });
        let mut told = all(&Client::new(server, "default"), Some("team"));
        assert!(timeout(Duration::from_secs(2), told.next()).await.is_err());
        let asked = asked.lock().map(|asked| asked.clone()).unwrap_or_default();
        assert_eq!(asked.len(), KINDS.len());
        assert!(asked.iter().all(|path| path.contains("/namespaces/team/")), "{asked:?}");
    }

    /// The answer to who may not list.
    fn forbidden() -> Response {
        let status = json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
            "message": "it is forbidden", "reason": "Forbidden", "code": 403,
        });
        let mut response = Response::new(Body::from(status.to_string()));
        *response.status_mut() = axum::http::StatusCode::FORBIDDEN;
        response
    }

    #[tokio::test(start_paused = true)]
    async fn other_namespaces_are_watched_as_soon_as_that_is_permitted() {
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = Arc::clone(&asked);
        let server = Router::new().fallback(move |request: Request| {
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let mut is_forbidden = false;
            if let Ok(mut noted) = noted.lock() {
                is_forbidden = noted.len() < 3;
                noted.push(request.uri().to_string());
            }
            async move { if is_forbidden { forbidden() } else { answer(is_watch) } }
        });
        let mut told = others(&Client::new(server, "default"), "team");
        let mut denials = 0;
        let mut objects = 0;
        while let Ok(Some(news)) = timeout(Duration::from_mins(20), told.next()).await {
            match news {
                None => denials += 1,
                Some(Event::InitApply(_)) => objects += 1,
                Some(_) => {}
            }
            if objects == CLUSTERS {
                break;
            }
        }
        assert_eq!((denials, objects), (1, CLUSTERS), "it is said once");
        let asked = asked.lock().map(|asked| asked.clone()).unwrap_or_default();
        let first = asked.first().cloned().unwrap_or_default();
        assert!(first.starts_with("/apis/aso.landfall.dev/v1alpha1/azureinfrastructures?"), "{first}");
        assert!(first.contains("metadata.namespace%21%3Dteam"), "{first}");
    }

    #[tokio::test(start_paused = true)]
    async fn all_clusters_share_one_listing_and_one_watch_of_each_kind() {
        let asked: Arc<Mutex<Asked>> = Arc::default();
        let counted = Arc::clone(&asked);
        let server = Router::new().fallback(move |request: Request| {
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            if let Ok(mut counted) = counted.lock() {
                let (listed, watched) = counted.entry(request.uri().path().to_owned()).or_default();
                *(if is_watch { watched } else { listed }) += 1;
            }
            async move { answer(is_watch) }
        });
        let mut told = all(&Client::new(server, "default"), None);
        let mut objects = 0;
        // No events are left.
        while let Ok(Some(news)) = timeout(Duration::from_secs(20), told.next()).await {
            if let ObjectEvent::All(_, listed) = news {
                objects += listed.len();
            }
        }
        assert_eq!(objects, CLUSTERS * KINDS.len());
        let asked = asked.lock().map(|asked| asked.clone()).unwrap_or_default();
        assert_eq!(asked.len(), KINDS.len());
        assert!(asked.values().all(|times| *times == (1, 1)), "{asked:?}");
    }
}
