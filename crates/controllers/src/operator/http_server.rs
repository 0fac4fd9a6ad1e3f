//! The operator's HTTP server: liveness, readiness, metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, StatusCode, header};
use axum::routing::get;
use landfall_net::stop::Stop;
use tokio::net::TcpListener;

use super::Metrics;
use super::secure_metrics::PATH;

/// The form of the numbers.
pub(super) const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How an operator is.
#[derive(Debug)]
pub(super) struct Health {
    metrics: Arc<Metrics>,
    works: AtomicBool,
    /// Whether there is no webhook, or it has its certificates.
    judges: AtomicBool,
    /// Whether the metrics are not served over TLS, or have a certificate.
    measures: AtomicBool,
    /// Whether the metrics are served here, without TLS.
    is_open: bool,
    stop: Stop,
}

impl Health {
    /// Of an operator that begins; with a webhook it is not ready before that has certificates. From the wish
    /// to stop on it is not ready. With `secure`, the metrics are served elsewhere, over TLS.
    pub(super) fn new(metrics: Arc<Metrics>, has_webhook: bool, secure: bool, stop: Stop) -> Self {
        let (works, judges) = (AtomicBool::new(false), AtomicBool::new(!has_webhook));
        Self { metrics, works, judges, measures: AtomicBool::new(!secure), is_open: !secure, stop }
    }

    /// It works, or stands by.
    pub(super) fn works(&self) {
        self.works.store(true, Ordering::Relaxed);
    }

    /// The webhook has its certificates.
    pub(super) fn judges(&self) {
        self.judges.store(true, Ordering::Relaxed);
    }

    /// The metrics have their certificate.
    pub(super) fn measures(&self) {
        self.measures.store(true, Ordering::Relaxed);
    }

    /// The metrics, as they are served.
    pub(super) fn numbers(&self) -> String {
        self.metrics.text()
    }

    /// What it is not ready without.
    fn lacks(&self) -> Vec<&'static str> {
        let lacks = [
            (self.works.load(Ordering::Relaxed), "lease: not read yet"),
            (self.judges.load(Ordering::Relaxed), "webhook: waiting for its certificate"),
        ];
        lacks.into_iter().filter(|(is_there, _)| !is_there).map(|(_, what)| what).collect()
    }

    /// Whether it is ready, and in lines what is wrong. What only a user can mend does not make it unready.
    fn told(&self) -> (bool, String) {
        if self.stop.is_asked() {
            return (false, "stopping\n".to_owned());
        }
        let lacks = self.lacks();
        let mut lines = vec![if lacks.is_empty() { "ok" } else { "starting" }.to_owned()];
        lines.extend(lacks.iter().map(|&what| what.to_owned()));
        if !self.measures.load(Ordering::Relaxed) {
            lines.push("metrics: waiting for their certificate".to_owned());
        }
        lines.extend(self.metrics.failing());
        (lacks.is_empty(), lines.join("\n") + "\n")
    }
}

/// Answers on this socket for as long as it is asked to.
pub(super) async fn serve(listener: TcpListener, health: Arc<Health>) {
    let mut router = Router::new().route("/healthz", get(|| async { "ok\n" })).route("/readyz", get(ready));
    if health.is_open {
        router = router.route(PATH, get(metrics));
    }
    // It has no end and knows no error.
    let _ = axum::serve(listener, router.with_state(health)).await;
}

async fn ready(State(health): State<Arc<Health>>) -> (StatusCode, String) {
    let (is_ready, lines) = health.told();
    (if is_ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }, lines)
}

async fn metrics(State(health): State<Arc<Health>>) -> ([(HeaderName, &'static str); 1], String) {
    ([(header::CONTENT_TYPE, OPEN_METRICS)], health.numbers())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Key;

    #[tokio::test]
    async fn an_operator_is_ready_between_its_beginning_and_the_wish_to_stop() {
        let stop = Stop::default();
        let health = Arc::new(Health::new(Arc::default(), false, false, stop.clone()));
        let answer = async || ready(State(Arc::clone(&health))).await;
        assert_eq!(
            answer().await,
            (StatusCode::SERVICE_UNAVAILABLE, "starting\nlease: not read yet\n".to_owned())
        );
        health.works();
        assert_eq!(answer().await, (StatusCode::OK, "ok\n".to_owned()));
        stop.ask();
        assert_eq!(answer().await, (StatusCode::SERVICE_UNAVAILABLE, "stopping\n".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_told_line_by_line() {
        let metrics = Arc::new(Metrics::new());
        let health = Health::new(Arc::clone(&metrics), true, true, Stop::default());
        health.works();
        let lines = |health: &Health| {
            let (is_ready, lines) = health.told();
            (is_ready, lines.lines().map(str::to_owned).collect::<Vec<_>>())
        };
        let (is_ready, told) = lines(&health);
        assert!(!is_ready);
        assert_eq!(
            told[1..],
            ["webhook: waiting for its certificate", "metrics: waiting for their certificate"]
        );
        health.judges();
        assert!(lines(&health).0);
        health.measures();
        // What failed has a line until the same object succeeds; the other objects of the controller go on.
        let key = |name: &str| Key { namespace: Some("fleet".to_owned()), name: name.to_owned() };
        metrics.failed("a", &key("x"), ("terminal", "config-unreadable"), Duration::ZERO);
        metrics.failed("b", &key("x"), ("transient", "no-answer"), Duration::ZERO);
        metrics.reconciled("b", &key("x"), Duration::ZERO);
        metrics.reconciled("a", &key("y"), Duration::ZERO);
        let one = "a: terminal config-unreadable";
        assert_eq!(lines(&health), (true, vec!["ok".to_owned(), one.to_owned()]));
        metrics.failed("a", &key("y"), ("terminal", "config-unreadable"), Duration::ZERO);
        assert_eq!(lines(&health), (true, vec!["ok".to_owned(), format!("{one} (2 objects)")]));
    }
}
