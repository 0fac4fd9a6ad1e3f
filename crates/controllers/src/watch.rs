//! What sets reconciliations off: changes of objects, and time.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::future::{pending, ready};
use std::time::Duration;

use ::kube::api::{Api, ApiResource, DynamicObject, PartialObjectMeta};
use ::kube::runtime::watcher::{self, Event, watcher};
use ::kube::{Client, Error, Resource};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use landfall_kube::Fault;
use landfall_kube::objects::Kind;
use serde::de::DeserializeOwned;
use tokio::time::sleep;

use super::Key;
use super::run::backoff::Pauses;

/// Seconds after which the server ends a watch and it is begun anew, so that one whose other end is gone is
/// noticed.
const LIFETIME: u32 = 240;
/// How long a watch that is forbidden is not tried again.
const DENIED: Duration = Duration::from_mins(5);
/// The longest pause before a watch that broke is begun again.
const LONGEST_PAUSE: Duration = Duration::from_secs(15);

/// The keys of objects of this kind that were created, changed or removed, without end; at the beginning, and
/// after an interruption, those of all that there are or have gone. With a name, its key comes at the
/// beginning even if the object does not exist.
pub fn changes(
    client: &Client,
    kind: &'static Kind,
    namespace: Option<&str>,
    name: Option<&str>,
) -> BoxStream<'static, Key> {
    let resource = resource(kind);
    let api: Api<PartialObjectMeta<DynamicObject>> = match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    let mut config = watcher::Config::default();
    let mut known = Known::default();
    if let Some(name) = name {
        config = config.fields(&format!("metadata.name={name}"));
        known.all.insert(Key { namespace: namespace.map(str::to_owned), name: name.to_owned() });
    }
    let keys = unbroken(kind, api, config).flat_map(move |event| stream::iter(known.keys(keyed(event))));
    keys.boxed()
}

/// The objects of a kind from its watch, without end. A broken watch is restarted.
pub fn unbroken<K>(kind: &'static Kind, api: Api<K>, config: watcher::Config) -> BoxStream<'static, Event<K>>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    watched(kind, api, config, false).filter_map(ready).boxed()
}

/// As [`unbroken`], for what can be done without: once a watch is forbidden, this gives one item without an event, and
/// tries again every few minutes.
pub fn permitted<K>(
    kind: &'static Kind,
    api: Api<K>,
    config: watcher::Config,
) -> BoxStream<'static, Option<Event<K>>>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    watched(kind, api, config, true)
}

fn watched<K>(
    kind: &'static Kind,
    api: Api<K>,
    config: watcher::Config,
    is_optional: bool,
) -> BoxStream<'static, Option<Event<K>>>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let events = watcher(api, config.timeout(LIFETIME)).boxed();
    let (pauses, broken) = (Pauses::up_to(LONGEST_PAUSE), Broken::default());
    let state = (events, pauses, broken, false);
    stream::unfold(state, move |(mut events, mut pauses, mut broken, mut is_denied)| async move {
        loop {
            match events.next().await {
                Some(Ok(event)) => {
                    // A listing that begins has not succeeded yet.
                    if !matches!(event, Event::Init) {
                        pauses.reset();
                        broken = Broken::default();
                        is_denied = false;
                    }
                    return Some((Some(event), (events, pauses, broken, is_denied)));
                }
                Some(Err(error)) if is_optional && is_forbidden(&error) => {
                    if !is_denied {
                        return Some((None, (events, pauses, broken, true)));
                    }
                    sleep(DENIED).await;
                }
                Some(Err(error)) => {
                    if let Some(why) = broken.news(why(kind, &error)) {
                        tracing::warn!(kind = kind.kind, why, "a watch broke");
                    }
                    sleep(pauses.grow()).await;
                }
                // A watch has no end.
                None => pending::<()>().await,
            }
        }
    })
    .boxed()
}

/// A kind, as watches take it.
pub fn resource(kind: &Kind) -> ApiResource {
    ApiResource {
        group: kind.group.to_owned(),
        version: kind.version.to_owned(),
        api_version: kind.api_version(),
        kind: kind.kind.to_owned(),
        plural: kind.plural.to_owned(),
    }
}

/// A tick at once, and one after each period.
pub fn every(period: Duration) -> BoxStream<'static, ()> {
    stream::unfold(true, move |first| async move {
        if !first {
            sleep(period).await;
        }
        Some(((), false))
    })
    .boxed()
}

/// The objects that a watch has seen, so that one which went while it was broken is noticed.
#[derive(Debug, Default)]
struct Known {
    all: BTreeSet<Key>,
    listed: BTreeSet<Key>,
}

impl Known {
    /// The keys that an event is about.
    fn keys(&mut self, event: Event<Key>) -> Vec<Key> {
        match event {
            Event::Init => {
                self.listed.clear();
                Vec::new()
            }
            Event::InitApply(key) => {
                self.listed.insert(key.clone());
                vec![key]
            }
            Event::InitDone => {
                let before = std::mem::replace(&mut self.all, std::mem::take(&mut self.listed));
                before.difference(&self.all).cloned().collect()
            }
            Event::Apply(key) => {
                self.all.insert(key.clone());
                vec![key]
            }
            Event::Delete(key) => {
                self.all.remove(&key);
                vec![key]
            }
        }
    }
}

fn keyed(event: Event<PartialObjectMeta<DynamicObject>>) -> Event<Key> {
    let key = |object: PartialObjectMeta<DynamicObject>| Key {
        namespace: object.metadata.namespace,
        name: object.metadata.name.unwrap_or_default(),
    };
    match event {
        Event::Init => Event::Init,
        Event::InitApply(object) => Event::InitApply(key(object)),
        Event::InitDone => Event::InitDone,
        Event::Apply(object) => Event::Apply(key(object)),
        Event::Delete(object) => Event::Delete(key(object)),
    }
}

/// Why a watch broke last, until it works again.
#[derive(Debug, Default)]
struct Broken(String);

impl Broken {
    /// Why it broke; none where it broke for the same reason before.
    fn news(&mut self, why: String) -> Option<&str> {
        if self.0 == why {
            return None;
        }
        self.0 = why;
        Some(&self.0)
    }
}

/// What broke a watch, in words.
fn why(kind: &Kind, error: &watcher::Error) -> String {
    match fault(error) {
        // What is listed is not found only where the whole kind is not.
        Some(Fault::NotFound) => format!(
            "the API server does not serve {} of {}: install its CRD, or leave out the controllers that need it \
             (--controllers)",
            kind.plural,
            kind.api_version()
        ),
        Some(fault) => fault.why(),
        None => "the server returns no resource versions".to_owned(),
    }
}

fn is_forbidden(error: &watcher::Error) -> bool {
    matches!(fault(error), Some(Fault::Forbidden(_)))
}

/// What broke a watch; none where the server returns no resource versions.
fn fault(error: &watcher::Error) -> Option<Fault> {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => Some(Fault::of(error)),
        watcher::Error::WatchError(status) => Some(Fault::of(&Error::Api(status.clone()))),
        watcher::Error::NoResourceVersion => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key { namespace: None, name: name.to_owned() }
    }

    #[test]
    fn what_went_while_the_watch_was_broken_is_reported() {
        let mut known = Known::default();
        assert!(known.keys(Event::Init).is_empty());
        assert_eq!(known.keys(Event::InitApply(key("a"))), [key("a")]);
        assert_eq!(known.keys(Event::InitApply(key("b"))), [key("b")]);
        assert!(known.keys(Event::InitDone).is_empty());
        assert_eq!(known.keys(Event::Apply(key("c"))), [key("c")]);
        assert_eq!(known.keys(Event::Delete(key("a"))), [key("a")]);
        assert!(known.keys(Event::Init).is_empty());
        assert_eq!(known.keys(Event::InitApply(key("c"))), [key("c")]);
        assert_eq!(known.keys(Event::InitDone), [key("b")]);
    }

    #[test]
    fn a_listing_that_broke_forgets_nothing() {
        let mut known = Known::default();
        known.all.insert(key("a"));
        known.keys(Event::Init);
        known.keys(Event::InitApply(key("b")));
        known.keys(Event::Init);
        assert_eq!(known.keys(Event::InitDone), [key("a")]);
    }

    #[test]
    fn a_missing_kind_is_named_and_told_once() {
        let error = |code: u16| {
            let status = ::kube::core::Status::failure("", "").with_code(code);
            watcher::Error::WatchError(status.boxed())
        };
        let told = |code: u16| why(&landfall_kube::kinds::CLUSTER_OPERATOR, &error(code));
        assert!(told(404).contains("clusteroperators of config.openshift.io/v1"), "{}", told(404));
        let mut broken = Broken::default();
        let news = |broken: &mut Broken, code: u16| broken.news(told(code)).is_some();
        assert!(news(&mut broken, 404) && !news(&mut broken, 404));
        assert!(news(&mut broken, 503) && news(&mut broken, 404));
    }

    #[tokio::test(start_paused = true)]
    async fn time_ticks_at_once_and_then_once_a_period() {
        let began = tokio::time::Instant::now();
        let ticks: Vec<()> = every(Duration::from_mins(1)).take(3).collect().await;
        assert_eq!((ticks.len(), began.elapsed().as_secs()), (3, 120));
    }
}
