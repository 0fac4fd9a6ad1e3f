//! Tests of controllers at work.

use std::sync::Mutex;

use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::future::BoxFuture;

use super::*;

/// What a played reconciliation comes to.
#[derive(Clone, Copy)]
enum Played {
    Done,
    Fails,
    Panics,
}

/// A controller that plays its outcomes one after the other, then succeeds.
struct Player {
    outcomes: Mutex<Vec<Played>>,
    takes: Duration,
    runs: Mutex<Vec<String>>,
    metrics: Metrics,
    stop: Stop,
}

impl Player {
    fn new(outcomes: &[Played], takes: Duration) -> Self {
        Self {
            outcomes: Mutex::new(outcomes.to_vec()),
            takes,
            runs: Mutex::default(),
            metrics: Metrics::new(),
            stop: Stop::default(),
        }
    }

    fn runs(&self) -> Vec<String> {
        self.runs.lock().map(|runs| runs.clone()).unwrap_or_default()
    }

    /// Works until `during` has ended, which is given the way to change keys.
    async fn works<F: Future<Output = ()>>(&self, during: impl FnOnce(UnboundedSender<Key>) -> F) {
        let (changes, triggers) = unbounded();
        let asking = async {
            during(changes).await;
            self.stop.ask();
        };
        tokio::join!(work(self, triggers.boxed(), &self.metrics, &self.stop), asking);
    }
}

impl Controller for Player {
    fn name(&self) -> &'static str {
        "played"
    }

    fn triggers(&self, _: &Client) -> BoxStream<'static, Key> {
        futures::stream::pending().boxed()
    }

    fn reconcile<'a>(&'a self, key: &'a Key) -> BoxFuture<'a, Result<Next, Failed>> {
        async move {
            tokio::time::sleep(self.takes).await;
            if let Ok(mut runs) = self.runs.lock() {
                runs.push(key.name.clone());
            }
            let mut outcomes = self.outcomes.lock().map_err(|_| panicked_failure())?;
            let outcome = if outcomes.is_empty() { Played::Done } else { outcomes.remove(0) };
            drop(outcomes);
            match outcome {
                Played::Done => Ok(Next::Settled),
                Played::Fails => Err(Failed { retry: true, reason: "played", note: String::new() }),
                // A panic as a slip of the program would make it.
                Played::Panics => Ok(Next::Again(Duration::MAX * 2)),
            }
        }
        .boxed()
    }
}

fn key(name: &str) -> Key {
    Key { namespace: None, name: name.to_owned() }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_changes_lead_to_two_runs() {
    let player = Player::new(&[], Duration::from_secs(1));
    player
        .works(|changes| async move {
            for _ in 0..1000 {
                assert!(changes.unbounded_send(key("a")).is_ok());
            }
            tokio::time::sleep(Duration::from_secs(10)).await;
        })
        .await;
    assert_eq!(player.runs(), ["a", "a"]);
}

#[tokio::test(start_paused = true)]
async fn what_fails_or_panics_is_tried_again_until_it_succeeds() {
    let player = Player::new(&[Played::Fails, Played::Panics, Played::Fails], Duration::ZERO);
    player
        .works(|changes| async move {
            assert!(changes.unbounded_send(key("a")).is_ok());
            tokio::time::sleep(Duration::from_mins(5)).await;
        })
        .await;
    assert_eq!(player.runs(), ["a"; 4]);
    let told = player.metrics.text();
    let labels = r#"controller="played",category="panic",reason="panic""#;
    assert!(told.contains(&format!("landfall_reconcile_errors_total{{{labels}}} 1")), "{told}");
    assert!(told.contains(r#"landfall_reconciles_total{controller="played",result="success"} 1"#), "{told}");
    assert!(told.contains(r#"landfall_reconciles_total{controller="played",result="error"} 3"#), "{told}");
}

#[tokio::test(start_paused = true)]
async fn what_is_under_way_is_finished_and_nothing_else_begun() {
    let player = Player::new(&[], Duration::from_secs(5));
    player
        .works(|changes| async move {
            for name in ["a", "b"] {
                assert!(changes.unbounded_send(key(name)).is_ok());
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        })
        .await;
    assert_eq!(player.runs(), ["a"]);
}

#[tokio::test(start_paused = true)]
async fn what_takes_too_long_is_given_up() {
    let player = Player::new(&[], Duration::from_hours(1));
    let began = Instant::now();
    player
        .works(|changes| async move {
            assert!(changes.unbounded_send(key("a")).is_ok());
            tokio::time::sleep(Duration::from_secs(1)).await;
        })
        .await;
    assert!(player.runs().is_empty());
    assert!(began.elapsed() <= PATIENCE + Duration::from_secs(2));
}
