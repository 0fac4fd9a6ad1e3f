//! Whether admission protects private profiles: the verbs that guard versions of Kubernetes and of images are
//! enforced by the webhook alone.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::BoxStream;
use landfall_cloud_profile::types::PRIVATE_CLOUD_PROFILES;
use landfall_kube::kinds::VALIDATING_WEBHOOK_CONFIGURATION;
use landfall_kube::objects::{ObjectRef, Objects};
use serde_json::Value;
use tokio::sync::Mutex;

use crate::admission::NAME;
use crate::watch;

/// How often the cluster is asked again.
const PERIOD: Duration = Duration::from_mins(1);

/// What the last look found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    /// The API server was not asked yet.
    Unasked,
    /// It did not answer.
    Unknown,
    /// Whether there is a webhook for private profiles.
    Known(bool),
}

/// Looks for the webhook of private profiles.
pub(super) struct Protection {
    objects: Arc<dyn Objects>,
    /// The API group of the profiles.
    group: &'static str,
    seen: Mutex<Seen>,
}

impl Protection {
    /// Asks through these objects about profiles of a group.
    pub(super) fn new(objects: Arc<dyn Objects>, group: &'static str) -> Self {
        Self { objects, group, seen: Mutex::new(Seen::Unasked) }
    }

    /// Whether admission is missing; none if the API server does not say. It is asked here only the first
    /// time.
    pub(super) async fn is_missing(&self) -> Option<bool> {
        let mut seen = self.seen.lock().await;
        if *seen == Seen::Unasked {
            *seen = self.look().await;
            note(*seen);
        }
        match *seen {
            Seen::Known(is_there) => Some(!is_there),
            Seen::Unasked | Seen::Unknown => None,
        }
    }

    /// Asks again, and says whether the answer is another than before.
    async fn has_changed(&self) -> bool {
        let mut seen = self.seen.lock().await;
        let (before, now) = (*seen, self.look().await);
        // Somebody who does not answer takes nothing back.
        if now == before || (now == Seen::Unknown && before != Seen::Unasked) {
            return false;
        }
        *seen = now;
        note(now);
        before != Seen::Unasked
    }

    async fn look(&self) -> Seen {
        let place = ObjectRef::in_cluster(&VALIDATING_WEBHOOK_CONFIGURATION, NAME);
        match self.objects.get(&place).await {
            Ok(found) => Seen::Known(found.is_some_and(|found| judges(&found, self.group))),
            Err(fault) => {
                tracing::warn!(name = NAME, why = %fault.why(), "cannot read the webhook configuration");
                Seen::Unknown
            }
        }
    }
}

/// One item each time the answer changes, without end.
pub(super) fn changes(protection: Arc<Protection>) -> BoxStream<'static, ()> {
    let looks = watch::every(PERIOD).filter_map(move |()| {
        let protection = Arc::clone(&protection);
        async move { protection.has_changed().await.then_some(()) }
    });
    looks.boxed()
}

fn note(seen: Seen) {
    match seen {
        Seen::Known(false) => tracing::warn!(
            controller = "private-cloud-profile",
            "no admission webhook protects private profiles: everyone who may write one may change its \
             Kubernetes versions and machine images; run the controller cloud-profile-admission"
        ),
        Seen::Known(true) => {
            tracing::info!(controller = "private-cloud-profile", "admission protects private profiles");
        }
        Seen::Unasked | Seen::Unknown => {}
    }
}

/// Whether the API server calls a webhook of this configuration for private profiles of a group, and refuses them if the
/// call fails.
fn judges(configuration: &Value, group: &str) -> bool {
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    list(configuration, "webhooks").iter().any(|webhook| {
        webhook["failurePolicy"] != "Ignore"
            && list(webhook, "rules").iter().any(|rule| {
                list(rule, "apiGroups").contains(&Value::from(group))
                    && list(rule, "resources").contains(&Value::from(PRIVATE_CLOUD_PROFILES))
            })
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::admission::{Address, configurations};
    use crate::fake_cluster::FakeCluster;

    const GROUP: &str = landfall_kube::kinds::LANDFALL_PROFILES.private.group;

    fn configuration() -> Value {
        let [_, (_, validating)] = configurations(
            &landfall_kube::kinds::LANDFALL_PROFILES,
            &Address::Service("s".to_owned()),
            "n",
            None,
        );
        validating
    }

    #[test]
    fn a_webhook_that_may_be_passed_over_protects_nothing() {
        let mut own = configuration();
        assert!(judges(&own, GROUP));
        assert!(!judges(&own, "core.gardener.cloud"), "of another group");
        own["webhooks"][0]["failurePolicy"] = json!("Ignore");
        assert!(!judges(&own, GROUP));
        assert!(!judges(&json!({ "webhooks": [{ "rules": [{ "resources": ["shoots"] }] }] }), GROUP));
    }

    #[tokio::test]
    async fn only_a_change_is_reported() {
        let cluster = Arc::new(FakeCluster::default());
        let protection = Protection::new(cluster.clone(), GROUP);
        assert!(!protection.has_changed().await, "the first look");
        assert_eq!(protection.is_missing().await, Some(true));
        cluster.put(&VALIDATING_WEBHOOK_CONFIGURATION, configuration());
        assert_eq!(protection.is_missing().await, Some(true), "nothing is asked between two looks");
        assert!(protection.has_changed().await);
        assert!(!protection.has_changed().await);
        cluster.with(|state| state.is_down = true);
        assert!(!protection.has_changed().await);
        assert_eq!(protection.is_missing().await, Some(false));
    }

    #[tokio::test]
    async fn an_api_server_that_does_not_answer_says_nothing() {
        let cluster = Arc::new(FakeCluster::default());
        cluster.with(|state| state.is_down = true);
        let protection = Protection::new(cluster.clone(), GROUP);
        assert_eq!(protection.is_missing().await, None);
        cluster.with(|state| state.is_down = false);
        assert!(protection.has_changed().await);
        assert_eq!(protection.is_missing().await, Some(true));
    }
}
