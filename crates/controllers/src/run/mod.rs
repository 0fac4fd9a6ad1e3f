//! Controllers at work: from changes to reconciliations, until it is asked to stop.

pub mod backoff;
mod queue;
#[cfg(test)]
mod tests;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use ::kube::Client;
use futures::future::join_all;
use futures::stream::{BoxStream, FuturesUnordered};
use futures::{FutureExt, StreamExt};
use landfall_net::stop::Stop;
use tokio::time::{Instant, sleep_until, timeout};

use self::queue::Queue;
use super::operator::Metrics;
use super::{Controller, Failed, Key, Next};

/// How long what is under way may take when it is asked to stop.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the controllers until it is asked to stop, and what is under way then to its end. Where that takes too
/// long, or this is dropped, it is given up; the next run finds it as it is.
pub async fn run(controllers: Vec<Arc<dyn Controller>>, client: Client, metrics: Arc<Metrics>, stop: Stop) {
    let all = controllers.iter().map(|controller| {
        let triggers = controller.triggers(&client);
        work(&**controller, triggers, &metrics, &stop)
    });
    join_all(all).await;
}

/// One controller, from its triggers to its reconciliations.
async fn work(
    controller: &dyn Controller,
    mut triggers: BoxStream<'static, Key>,
    metrics: &Metrics,
    stop: &Stop,
) {
    let mut queue = Queue::default();
    let mut running = FuturesUnordered::new();
    let mut listening = true;
    loop {
        while running.len() < controller.workers().max(1)
            && let Some(key) = queue.take(Instant::now())
        {
            running.push(reconcile(controller, key, metrics));
        }
        metrics.waiting(controller.name(), queue.waiting());
        let due = queue.next_due();
        tokio::select! {
            biased;
            () = stop.asked() => break,
            Some((key, outcome)) = running.next(), if !running.is_empty() => {
                queue.done(key, &outcome, Instant::now());
            }
            key = triggers.next(), if listening => match key {
                Some(key) => queue.changed(key),
                None => listening = false,
            },
            () = sleep_until(due.unwrap_or_else(Instant::now)), if due.is_some() => {}
        }
    }
    let finished = timeout(PATIENCE, async { while running.next().await.is_some() {} }).await;
    if finished.is_err() {
        tracing::warn!(controller = controller.name(), "work in progress takes too long and is abandoned");
    }
}

/// One reconciliation, with a line in the log and metrics.
async fn reconcile(controller: &dyn Controller, key: Key, metrics: &Metrics) -> (Key, Result<Next, Failed>) {
    let began = Instant::now();
    let outcome = AssertUnwindSafe(async { controller.reconcile(&key).await }).catch_unwind().await;
    let (panicked, outcome) = match outcome {
        Ok(outcome) => (false, outcome),
        Err(_) => (true, Err(panicked_failure())),
    };
    let took = began.elapsed();
    let name = controller.name();
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    match &outcome {
        Ok(_) => {
            metrics.reconciled(name, &key, took);
            tracing::info!(controller = name, %key, result = "success", milliseconds, "reconciled");
        }
        Err(failed) => {
            let category = match (panicked, failed.retry) {
                (true, _) => "panic",
                (false, true) => "transient",
                (false, false) => "terminal",
            };
            metrics.failed(name, &key, (category, failed.reason), took);
            tracing::warn!(
                controller = name,
                %key,
                result = "error",
                category,
                reason = failed.reason,
                note = %failed.note,
                milliseconds,
                "not reconciled"
            );
        }
    }
    (key, outcome)
}

fn panicked_failure() -> Failed {
    let note = "the reconciliation ended with an internal error of landfall".to_owned();
    Failed { retry: true, reason: "panic", note }
}
