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

/// The form of the numbers.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How an operator is.
#[derive(Debug)]
pub(super) struct Health {
    metrics: Arc<Metrics>,
    works: AtomicBool,
    /// Whether there is no webhook, or it has its certificates.
    judges: AtomicBool,
    stop: Stop,
}

impl Health {
    /// Of an operator that begins; with a webhook it is not ready before that has certificates. From the wish
    /// to stop on it is not ready.
    pub(super) fn new(metrics: Arc<Metrics>, has_webhook: bool, stop: Stop) -> Self {
        let (works, judges) = (AtomicBool::new(false), AtomicBool::new(!has_webhook));
        Self { metrics, works, judges, stop }
    }

    /// It works, or stands by.
    pub(super) fn works(&self) {
        self.works.store(true, Ordering::Relaxed);
    }

    /// The webhook has its certificates.
    pub(super) fn judges(&self) {
        self.judges.store(true, Ordering::Relaxed);
    }

    fn is_ready(&self) -> bool {
        self.works.load(Ordering::Relaxed) && self.judges.load(Ordering::Relaxed)
    }
}

/// Answers on this socket for as long as it is asked to.
pub(super) async fn serve(listener: TcpListener, health: Arc<Health>) {
    let router = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .route("/metrics", get(metrics))
        .with_state(health);
    // It has no end and knows no error.
    let _ = axum::serve(listener, router).await;
}

async fn ready(State(health): State<Arc<Health>>) -> (StatusCode, &'static str) {
    if health.stop.is_asked() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else if health.is_ready() {
        (StatusCode::OK, "ok\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "starting\n")
    }
}

async fn metrics(State(health): State<Arc<Health>>) -> ([(HeaderName, &'static str); 1], String) {
    ([(header::CONTENT_TYPE, OPEN_METRICS)], health.metrics.text())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_operator_is_ready_between_its_beginning_and_the_wish_to_stop() {
        let stop = Stop::default();
        let health = Arc::new(Health::new(Arc::default(), false, stop.clone()));
        let status = async || ready(State(Arc::clone(&health))).await.0;
        assert_eq!(status().await, StatusCode::SERVICE_UNAVAILABLE);
        health.works();
        assert_eq!(status().await, StatusCode::OK);
        stop.ask();
        assert_eq!(status().await, StatusCode::SERVICE_UNAVAILABLE);
    }

    #[test]
    fn who_judges_is_not_ready_without_certificates() {
        let health = Health::new(Arc::default(), true, Stop::default());
        health.works();
        assert!(!health.is_ready());
        health.judges();
        assert!(health.is_ready());
    }
}
