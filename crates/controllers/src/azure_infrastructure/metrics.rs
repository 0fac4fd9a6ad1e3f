//! Prometheus metrics of the engine's work on the operator's objects.

use std::time::Duration;

use landfall_engine_aso::desired::Policy;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the durations of reconciliations, in seconds.
const RECONCILE: [f64; 8] = [0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];
/// Upper bounds of how long an object takes to be Ready, in seconds.
const READY_BOUNDS: [f64; 8] = [1.0, 5.0, 15.0, 30.0, 60.0, 180.0, 600.0, 1800.0];

const READY: &str = "true";
const NOT_READY: &str = "false";

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Done {
    kind: &'static str,
    action: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct In {
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct By {
    rule: &'static str,
}

/// The state of an object, as far as metrics count it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Stands {
    kind: &'static str,
    policy: &'static str,
    ready: &'static str,
}

impl Stands {
    /// An object of this kind in this state.
    pub(super) fn new(kind: &'static str, policy: Policy, is_ready: bool) -> Self {
        Self { kind, policy: policy.name(), ready: if is_ready { READY } else { NOT_READY } }
    }

    /// Whether it is Ready.
    pub(super) fn is_ready(&self) -> bool {
        self.ready == READY
    }
}

/// The numbers of one process.
#[derive(Clone, Debug)]
pub struct Numbers {
    actions: Family<Done, Counter>,
    objects: Family<Stands, Gauge>,
    reconciles: Histogram,
    ready: Family<Of, Histogram>,
    adoptions: Family<By, Counter>,
    rollout: Family<In, Gauge>,
}

impl Numbers {
    /// Metrics that begin empty and are exported with all others of a registry.
    #[must_use]
    pub fn registered(registry: &mut Registry) -> Self {
        let numbers = Self {
            actions: Family::default(),
            objects: Family::default(),
            reconciles: Histogram::new(RECONCILE),
            ready: Family::new_with_constructor(ready as fn() -> Histogram),
            adoptions: Family::default(),
            rollout: Family::default(),
        };
        let Self { actions, objects, reconciles, ready, adoptions, rollout } = numbers.clone();
        registry.register("aso_engine_actions", "What was sent about objects", actions);
        registry.register("aso_engine_objects", "Objects, by policy and whether they are Ready", objects);
        registry.register("aso_engine_reconcile_seconds", "Duration of a read of a cluster", reconciles);
        registry.register("aso_engine_time_to_ready_seconds", "From an object to its first Ready", ready);
        registry.register("aso_engine_adoptions", "Objects that were adopted, by reason", adoptions);
        registry.register("landfall_rollout_clusters", "Clusters that take or await another plan", rollout);
        numbers
    }

    /// One of each, for those who look at their names.
    #[cfg(test)]
    pub(crate) fn sample(&self) {
        self.acted("RouteTable", "create");
        self.adopted("missing");
        self.reconciled(Duration::from_millis(7));
        self.became_ready("RouteTable", Duration::from_secs(3));
        self.stands(None, Some(&Stands::new("RouteTable", Policy::Manage, true)));
        self.rolls_out([("failed", 1)]);
    }

    /// How many clusters are in which state of a rollout.
    pub(super) fn rolls_out<const N: usize>(&self, counts: [(&'static str, usize); N]) {
        for (state, count) in counts {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            self.rollout.get_or_create(&In { state }).set(count);
        }
    }

    /// An action was sent and taken.
    pub(super) fn acted(&self, kind: &'static str, action: &'static str) {
        self.actions.get_or_create(&Done { kind, action }).inc();
    }

    /// An object was adopted by this rule.
    pub(super) fn adopted(&self, rule: &'static str) {
        self.adoptions.get_or_create(&By { rule }).inc();
    }

    /// A cluster was looked at.
    pub(super) fn reconciled(&self, took: Duration) {
        self.reconciles.observe(took.as_secs_f64());
    }

    /// The time from the creation of an object until it was Ready.
    pub(super) fn became_ready(&self, kind: &'static str, after: Duration) {
        self.ready.get_or_create(&Of { kind }).observe(after.as_secs_f64());
    }

    /// An object has another state than before; none if it does not exist.
    pub(super) fn stands(&self, before: Option<&Stands>, now: Option<&Stands>) {
        if before == now {
            return;
        }
        if let Some(before) = before {
            self.objects.get_or_create(before).dec();
        }
        if let Some(now) = now {
            self.objects.get_or_create(now).inc();
        }
    }
}

fn ready() -> Histogram {
    Histogram::new(READY_BOUNDS)
}

#[cfg(test)]
mod tests {
    use prometheus_client::encoding::text::encode;

    use super::*;

    #[test]
    fn numbers_are_reported_by_their_names() {
        let mut registry = Registry::default();
        let numbers = Numbers::registered(&mut registry);
        numbers.acted("RouteTable", "create");
        numbers.adopted("missing");
        numbers.reconciled(Duration::from_millis(7));
        numbers.became_ready("RouteTable", Duration::from_secs(3));
        let (probed, ready) =
            (Stands::new("RouteTable", Policy::Skip, false), Stands::new("RouteTable", Policy::Manage, true));
        numbers.stands(None, Some(&probed));
        numbers.stands(Some(&probed), Some(&ready));
        let mut text = String::new();
        assert!(encode(&mut text, &registry).is_ok());
        for line in [
            r#"aso_engine_actions_total{kind="RouteTable",action="create"} 1"#,
            r#"aso_engine_objects{kind="RouteTable",policy="skip",ready="false"} 0"#,
            r#"aso_engine_objects{kind="RouteTable",policy="manage",ready="true"} 1"#,
            "aso_engine_reconcile_seconds_count 1",
            r#"aso_engine_time_to_ready_seconds_count{kind="RouteTable"} 1"#,
            r#"aso_engine_adoptions_total{rule="missing"} 1"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }
}
