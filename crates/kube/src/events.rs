//! Events that `kubectl` shows for an object.

#![allow(clippy::disallowed_methods, reason = "an event has the time at which it happened")]

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::kinds::EVENT;
use super::objects::{ClusterEvent, EventType, Events, ObjectRef, Objects, Part};
use super::{Fault, Live, MANAGER, brief};

/// The API takes events of what belongs to the whole cluster in this namespace only.
const OF_THE_CLUSTER: &str = "default";
/// The most characters of a note that an event holds.
const LONGEST_NOTE: usize = 1000;
/// How many events are remembered, so that repeated ones are counted and not created again.
const REMEMBERED: usize = 4096;
/// For how long an event that was written is not written again. What lasts is then told a few times an hour, as events
/// live for an hour, and not with every look at it.
const QUIET: Duration = Duration::from_mins(10);
/// Maximum time to report an event.
const PATIENCE: Duration = Duration::from_secs(10);

/// Reports events of the core API: one that is reported again is counted, and written every ten minutes at most.
pub struct Recorder {
    live: Live,
    instance: String,
    reported: Mutex<Remembered>,
}

/// An event that was reported.
struct Reported {
    event: ClusterEvent,
    object: ObjectRef,
    count: u64,
    written: Instant,
}

/// The events that were reported, the oldest first.
#[derive(Default)]
struct Remembered(VecDeque<Reported>);

impl Remembered {
    /// The place of an event that was reported before.
    fn find(&self, event: &ClusterEvent) -> Option<usize> {
        self.0.iter().rposition(|earlier| earlier.event == *event)
    }

    fn add(&mut self, event: ClusterEvent, object: ObjectRef) {
        if self.0.len() >= REMEMBERED {
            self.0.pop_front();
        }
        self.0.push_back(Reported { event, object, count: 1, written: Instant::now() });
    }
}

impl Reported {
    /// Counts the event once more, and says whether that is to be written.
    fn count(&mut self) -> bool {
        self.count += 1;
        self.written.elapsed() >= QUIET
    }
}

impl Recorder {
    /// A recorder that writes to these objects. `instance` names the process in its events.
    #[must_use]
    pub fn new(live: Live, instance: String) -> Self {
        Self { live, instance, reported: Mutex::default() }
    }

    async fn record(&self, event: ClusterEvent) -> Result<(), Fault> {
        // The lock is kept on the way to the server: of two of the same, the second is counted.
        let mut reported = self.reported.lock().await;
        if let Some(at) = reported.find(&event) {
            let earlier = &mut reported.0[at];
            if !earlier.count() {
                return Ok(());
            }
            let again = json!({ "count": earlier.count, "lastTimestamp": now() });
            let counted = self.live.merge(&earlier.object, again, Part::Whole).await;
            match counted {
                Ok(_) => {
                    earlier.written = Instant::now();
                    return Ok(());
                }
                // Events live for an hour or so.
                Err(Fault::NotFound) => drop(reported.0.remove(at)),
                Err(fault) => return Err(fault),
            }
        }
        let about = self.live.get(&event.about).await.ok().flatten().unwrap_or_default();
        let uid = about.pointer("/metadata/uid").cloned().unwrap_or_default();
        let object = place(&event.about, rand::random());
        self.live.create(&object, written(&event, &uid, &self.instance, &now())).await?;
        reported.add(event, object);
        Ok(())
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").field("instance", &self.instance).finish_non_exhaustive()
    }
}

impl Events for Recorder {
    fn report(&self, event: ClusterEvent) -> BoxFuture<'_, ()> {
        async move {
            let (about, reason) = (event.about.to_string(), event.reason);
            let told = tokio::time::timeout(PATIENCE, self.record(event)).await;
            if let Err(fault) = told.unwrap_or_else(|_| Err(Fault::late())) {
                tracing::warn!(%about, reason, why = %fault.why(), "an event could not be reported");
            }
        }
        .boxed()
    }
}

/// A new name for an event about an object.
fn place(about: &ObjectRef, chance: u64) -> ObjectRef {
    let namespace = about.namespace.as_deref().unwrap_or(OF_THE_CLUSTER);
    let name: String = about.name.chars().take(200).collect();
    ObjectRef::in_namespace(&EVENT, namespace, format!("{name}.{chance:016x}"))
}

fn written(event: &ClusterEvent, uid: &Value, instance: &str, now: &str) -> Value {
    let about = &event.about;
    let mut object = json!({
        "apiVersion": about.kind.api_version(),
        "kind": about.kind.kind,
        "name": about.name,
    });
    if let Some(namespace) = &about.namespace {
        object["namespace"] = json!(namespace);
    }
    if uid.is_string() {
        object["uid"] = uid.clone();
    }
    json!({
        "involvedObject": object,
        "type": match event.event_type {
            EventType::Normal => "Normal",
            EventType::Warning => "Warning",
        },
        "reason": event.reason,
        "message": brief(&event.note, LONGEST_NOTE),
        "source": { "component": MANAGER, "host": instance },
        "reportingComponent": MANAGER,
        "reportingInstance": instance,
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    })
}

fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::{CONFIG_MAP, INFRASTRUCTURE};

    fn refused(about: ObjectRef) -> ClusterEvent {
        let note = "line one\nline two".to_owned();
        ClusterEvent { about, event_type: EventType::Warning, reason: "Refused", note }
    }

    #[test]
    fn an_event_stands_where_the_api_takes_it() {
        let of_map = place(&ObjectRef::in_namespace(&CONFIG_MAP, "openshift-config-managed", "a"), 255);
        assert_eq!(of_map.to_string(), "Event openshift-config-managed/a.00000000000000ff");
        let of_cluster = place(&ObjectRef::in_cluster(&INFRASTRUCTURE, "cluster"), 1);
        assert_eq!(of_cluster.to_string(), "Event default/cluster.0000000000000001");
    }

    #[tokio::test(start_paused = true)]
    async fn what_lasts_is_written_a_few_times_an_hour() {
        let event = |name: &str| refused(ObjectRef::in_namespace(&CONFIG_MAP, "a", name));
        let object = || ObjectRef::in_namespace(&EVENT, "a", "e");
        let mut remembered = Remembered::default();
        remembered.add(event("b"), object());
        let mut written = 0;
        // Every ten seconds for an hour.
        for _ in 0..360 {
            tokio::time::advance(Duration::from_secs(10)).await;
            let at = remembered.find(&event("b"));
            let earlier = at.and_then(|at| remembered.0.get_mut(at));
            for earlier in earlier.into_iter().filter_map(|earlier| earlier.count().then_some(earlier)) {
                earlier.written = Instant::now();
                written += 1;
            }
        }
        assert_eq!((written, remembered.0[0].count), (6, 361));
        // Many others do not have it forgotten, and the oldest goes first.
        for other in 1..REMEMBERED {
            remembered.add(event(&format!("c{other}")), object());
        }
        assert_eq!(remembered.find(&event("b")), Some(0));
        remembered.add(event("d"), object());
        assert_eq!((remembered.find(&event("b")), remembered.0.len()), (None, REMEMBERED));
    }

    #[test]
    fn an_event_names_its_object() {
        let about = ObjectRef::in_cluster(&INFRASTRUCTURE, "cluster");
        let event = written(&refused(about), &json!("u-1"), "pod-1", "2026-01-02T03:04:05Z");
        let object = json!({
            "apiVersion": "config.openshift.io/v1", "kind": "Infrastructure", "name": "cluster", "uid": "u-1",
        });
        assert_eq!(event["involvedObject"], object);
        assert_eq!(event["message"], "line one line two");
        assert_eq!(event["type"], "Warning");
        let without = ObjectRef::in_namespace(&CONFIG_MAP, "a", "b");
        let event = written(&refused(without), &Value::Null, "", "");
        assert_eq!(
            event["involvedObject"],
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": "b", "namespace": "a" })
        );
    }
}
