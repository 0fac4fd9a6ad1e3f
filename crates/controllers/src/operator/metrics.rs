//! Numbers of what controllers do, for Prometheus.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use crate::Key;
use crate::azure_infrastructure::Numbers;

/// Upper bounds of the buckets of durations, in seconds.
const BOUNDS: [f64; 11] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Of {
    controller: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    controller: &'static str,
    result: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Erred {
    controller: &'static str,
    category: &'static str,
    reason: &'static str,
}

/// In which way a reconciliation failed, and why.
type Failure = (&'static str, &'static str);

/// The numbers of one process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    reconciles: Family<Ended, Counter>,
    errors: Family<Erred, Counter>,
    failing_objects: Family<Erred, Gauge>,
    durations: Family<Of, Histogram>,
    waiting: Family<Of, Gauge>,
    writes: Family<Of, Counter>,
    leader: Gauge,
    engine: Numbers,
    /// The objects whose last reconciliation by a controller failed: in which way, and why.
    failing: Mutex<BTreeMap<(&'static str, Key), Failure>>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl Metrics {
    /// Numbers that begin with nothing.
    #[must_use]
    pub fn new() -> Self {
        let mut registry = Registry::default();
        let reconciles: Family<Ended, Counter> = Family::default();
        let errors: Family<Erred, Counter> = Family::default();
        let failing_objects: Family<Erred, Gauge> = Family::default();
        let durations: Family<Of, Histogram> = Family::new_with_constructor(histogram as fn() -> Histogram);
        let waiting: Family<Of, Gauge> = Family::default();
        let writes: Family<Of, Counter> = Family::default();
        let leader: Gauge = Gauge::default();
        registry.register("landfall_reconciles", "Reconciliations that ended", reconciles.clone());
        registry.register("landfall_reconcile_errors", "Reconciliations that failed", errors.clone());
        let help = "Objects whose last reconciliation failed";
        registry.register("landfall_failing_objects", help, failing_objects.clone());
        registry.register(
            "landfall_reconcile_duration_seconds",
            "How long reconciliations took",
            durations.clone(),
        );
        registry.register("landfall_queue_length", "Keys that wait for their turn", waiting.clone());
        registry.register("landfall_writes", "Writes that the API server accepted", writes.clone());
        registry.register("landfall_leader", "Whether this replica leads", leader.clone());
        let engine = Numbers::registered(&mut registry);
        Self {
            registry,
            reconciles,
            errors,
            failing_objects,
            durations,
            waiting,
            writes,
            leader,
            engine,
            failing: Mutex::default(),
        }
    }

    /// A reconciliation succeeded.
    pub fn reconciled(&self, controller: &'static str, key: &Key, took: Duration) {
        self.fails(controller, key, None);
        self.ended(controller, "success", took);
    }

    /// A reconciliation failed: in which way, and by which of its reasons.
    pub fn failed(&self, controller: &'static str, key: &Key, (category, reason): Failure, took: Duration) {
        self.fails(controller, key, Some((category, reason)));
        self.errors.get_or_create(&Erred { controller, category, reason }).inc();
        self.ended(controller, "error", took);
    }

    /// Notes how the last reconciliation of an object failed, if it did. A refused object is not reconciled again until
    /// it changes: the gauge counts it meanwhile, when the counter of errors does not grow.
    fn fails(&self, controller: &'static str, key: &Key, failure: Option<Failure>) {
        let mut failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let place = (controller, key.clone());
        let before = match failure {
            Some(failure) => failing.insert(place, failure),
            None => failing.remove(&place),
        };
        let gauge = |(category, reason): Failure| {
            self.failing_objects.get_or_create_owned(&Erred { controller, category, reason })
        };
        if let Some(before) = before {
            gauge(before).dec();
        }
        if let Some(failure) = failure {
            gauge(failure).inc();
        }
    }

    fn ended(&self, controller: &'static str, result: &'static str, took: Duration) {
        self.reconciles.get_or_create(&Ended { controller, result }).inc();
        self.durations.get_or_create(&Of { controller }).observe(took.as_secs_f64());
    }

    /// So many keys of a controller wait for their turn.
    pub fn waiting(&self, controller: &'static str, keys: usize) {
        self.waiting.get_or_create(&Of { controller }).set(i64::try_from(keys).unwrap_or(i64::MAX));
    }

    /// The API server took a write of a controller.
    pub fn wrote(&self, controller: &'static str) {
        self.writes.get_or_create(&Of { controller }).inc();
    }

    /// The numbers of the engine that drives Azure Service Operator.
    #[must_use]
    pub fn engine(&self) -> Numbers {
        self.engine.clone()
    }

    /// A line for each reason for which the last reconciliation of objects failed. It does not name them: whoever asks
    /// need not be somebody who may see them.
    #[must_use]
    pub fn failing(&self) -> Vec<String> {
        let failing = self.failing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: BTreeMap<(&str, &str, &str), usize> = BTreeMap::new();
        for ((controller, _), (category, reason)) in failing.iter() {
            *lines.entry((controller, category, reason)).or_default() += 1;
        }
        let line = |((controller, category, reason), objects)| match objects {
            1 => format!("{controller}: {category} {reason}"),
            _ => format!("{controller}: {category} {reason} ({objects} objects)"),
        };
        lines.into_iter().map(line).collect()
    }

    /// Whether this replica leads now.
    pub fn leads(&self, leads: bool) {
        self.leader.set(i64::from(leads));
    }

    /// All numbers, as `OpenMetrics` writes them.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        // A text takes whatever is written.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

fn histogram() -> Histogram {
    Histogram::new(BOUNDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_reported_by_their_names() {
        let metrics = Metrics::new();
        let key = Key { namespace: None, name: "cluster".to_owned() };
        metrics.reconciled("a", &key, Duration::from_millis(7));
        metrics.failed("a", &key, ("terminal", "config-unreadable"), Duration::from_millis(1));
        metrics.waiting("a", 3);
        metrics.wrote("a");
        metrics.leads(true);
        let text = metrics.text();
        for line in [
            r#"landfall_reconciles_total{controller="a",result="success"} 1"#,
            r#"landfall_reconcile_errors_total{controller="a",category="terminal",reason="config-unreadable"} 1"#,
            r#"landfall_reconcile_duration_seconds_count{controller="a"} 2"#,
            r#"landfall_queue_length{controller="a"} 3"#,
            r#"landfall_writes_total{controller="a"} 1"#,
            "landfall_leader 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn a_refused_object_is_counted_until_it_is_reconciled() {
        let metrics = Metrics::new();
        let key = |name: &str| Key { namespace: None, name: name.to_owned() };
        let counted = |category: &str, reason: &str| {
            let labels = format!(r#"{{controller="a",category="{category}",reason="{reason}"}} "#);
            let line = format!("landfall_failing_objects{labels}");
            metrics.text().lines().find_map(|found| found.strip_prefix(&line).map(str::to_owned))
        };
        assert_eq!(counted("terminal", "refused"), None);
        for name in ["x", "y", "x"] {
            metrics.failed("a", &key(name), ("terminal", "refused"), Duration::ZERO);
        }
        assert_eq!(counted("terminal", "refused").as_deref(), Some("2"));
        metrics.failed("a", &key("x"), ("transient", "no-answer"), Duration::ZERO);
        metrics.reconciled("a", &key("y"), Duration::ZERO);
        metrics.reconciled("a", &key("z"), Duration::ZERO);
        assert_eq!(counted("terminal", "refused").as_deref(), Some("0"));
        assert_eq!(counted("transient", "no-answer").as_deref(), Some("1"));
    }
}
