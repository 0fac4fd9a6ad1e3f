//! What machines start from, created in Azure beside the objects of Azure Service Operator: a task for each cluster,
//! since the copy of an image takes many minutes.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use landfall_diagnostics::Finding;
use landfall_diagnostics::secret::Secret;
use landfall_engine_aso::anchor::Credential;
use landfall_model::plan::Plan;
use landfall_net::stop::Stop;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::planning;

/// How often it is looked whether the work has ended.
pub(super) const LOOK: Duration = Duration::from_secs(5);
/// The pause after a first failure. Each one is twice as long as the one before.
const FIRST: Duration = Duration::from_secs(10);
/// The longest pause.
const LONGEST: Duration = Duration::from_mins(10);
/// How long a pointer is given to new machines: its signature counts for a day.
const FRESH: Duration = Duration::from_hours(12);
/// How long work that was asked to stop is waited for.
const PATIENCE: Duration = Duration::from_secs(90);

/// An order to create what the machines of a cluster start from.
#[derive(Debug)]
pub struct BootOrder {
    /// The plan of the cluster.
    pub plan: Arc<Plan>,
    /// The credential that acts: a secret, a certificate, or a workload identity for which there is a token.
    pub credential: Credential,
    /// The bootstrap machine's whole ignition config.
    pub bootstrap: Secret<String>,
    /// Ends the work early. What was created then is found by the next order.
    pub stop: Stop,
}

/// An order to remove what the machines of a cluster started from, of which the resource group stays.
#[derive(Debug)]
pub struct BootRemoval {
    /// The infrastructure ID of the cluster.
    pub infra_id: String,
    /// The name of its cloud.
    pub cloud_name: String,
    /// Its resource group.
    pub group: String,
    /// The credential that acts.
    pub credential: Credential,
    /// Ends the work early. What is left then is found by the next order.
    pub stop: Stop,
}

/// What a finished order gives: the bootstrap machine's pointer to its whole ignition config, or why there is none.
pub type Booted = Result<Secret<String>, Vec<Finding>>;

/// Creates what machines start from, by calls of the cloud itself.
pub trait BootCreator: Send + Sync {
    /// Whether this program has a token of its service account, by which Azure knows a workload identity.
    fn has_token(&self) -> bool;

    /// Finds or creates all of it. The same order may be given again.
    fn create(&self, order: BootOrder) -> BoxFuture<'static, Booted>;

    /// Removes what has the cluster's tag of it, and gives an empty pointer. The same order may be given again.
    fn remove(&self, order: BootRemoval) -> BoxFuture<'static, Booted>;
}

/// The work for one cluster, in memory: another process begins anew and finds what exists.
#[derive(Default)]
pub(super) struct Booting {
    state: State,
    /// How often it failed in a row.
    failures: u32,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    Running {
        /// What it is for.
        print: String,
        task: JoinHandle<Booted>,
        stop: Stop,
        /// When it was asked to stop.
        asked: Option<Instant>,
    },
    Done {
        print: String,
        pointer: Secret<String>,
        at: Instant,
    },
    Failed {
        print: String,
        why: String,
        until: Instant,
    },
}

/// How far the work is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It goes on.
    Running,
    /// It is done.
    Done,
    /// It failed, and begins again after this time.
    Failed(String, Duration),
}

impl Booting {
    /// The pointer of the bootstrap machine, if the work with this print is done and the pointer counts long enough.
    pub(super) fn pointer(&mut self, wanted: &str) -> Option<Secret<String>> {
        self.poll();
        match &self.state {
            State::Done { print, pointer, at } if print == wanted && at.elapsed() < FRESH => {
                Some(pointer.clone())
            }
            _ => None,
        }
    }

    /// Begins the work with this print, unless it goes on or failed just before. Other work is stopped first.
    pub(super) fn advance(
        &mut self,
        wanted: &str,
        begin: impl FnOnce(Stop) -> BoxFuture<'static, Booted>,
    ) -> Progress {
        if self.pointer(wanted).is_some() {
            return Progress::Done;
        }
        if let State::Running { print, .. } = &self.state
            && (print == wanted || !self.halt())
        {
            return Progress::Running;
        }
        match &self.state {
            State::Failed { print, why, until } if print == wanted && *until > Instant::now() => {
                return Progress::Failed(why.clone(), until.duration_since(Instant::now()));
            }
            State::Failed { print, .. } if print == wanted => {}
            _ => self.failures = 0,
        }
        let stop = Stop::default();
        let task = tokio::spawn(begin(stop.clone()));
        self.state = State::Running { print: wanted.to_owned(), task, stop, asked: None };
        Progress::Running
    }

    /// Stops the work, and says whether it has ended.
    pub(super) fn halt(&mut self) -> bool {
        self.poll();
        let State::Running { task, stop, asked, .. } = &mut self.state else { return true };
        stop.ask();
        let since = *asked.get_or_insert_with(Instant::now);
        if since.elapsed() < PATIENCE {
            return false;
        }
        task.abort();
        self.state = State::Idle;
        true
    }

    /// Has work that failed begin at once: its reason may be gone.
    pub(super) fn retry(&mut self) {
        if matches!(self.state, State::Failed { .. }) {
            *self = Self::default();
        }
    }

    /// Takes in what came of work that has ended.
    fn poll(&mut self) {
        let State::Running { print, task, stop, .. } = &mut self.state else { return };
        let Some(ended) = task.now_or_never() else { return };
        let print = std::mem::take(print);
        self.state = match ended {
            // What it was stopped for is another matter.
            _ if stop.is_asked() => State::Idle,
            Ok(Ok(pointer)) => {
                self.failures = 0;
                State::Done { print, pointer, at: Instant::now() }
            }
            failed => {
                let why = match failed {
                    Ok(Err(findings)) => planning::told(&findings),
                    _ => "it ended with an internal error of landfall".to_owned(),
                };
                let pause = FIRST.saturating_mul(1 << self.failures.min(10)).min(LONGEST);
                self.failures += 1;
                State::Failed { print, why, until: Instant::now() + pause }
            }
        };
    }
}

impl Drop for Booting {
    fn drop(&mut self) {
        if let State::Running { stop, .. } = &self.state {
            stop.ask();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::future::ready;
    use landfall_diagnostics::Kind;
    use landfall_platform::pages::NOT_NATIVE_SETTING;

    use super::*;

    fn done(pointer: &str) -> BoxFuture<'static, Booted> {
        ready(Ok(Secret::new(pointer.to_owned()))).boxed()
    }

    fn failed() -> BoxFuture<'static, Booted> {
        ready(Err(vec![Finding::error(&NOT_NATIVE_SETTING, Kind::Invalid, "", "a policy forbids galleries")]))
            .boxed()
    }

    /// Work that goes on until it is asked to stop.
    fn endless(stop: Stop) -> BoxFuture<'static, Booted> {
        async move {
            stop.asked().await;
            Err(Vec::new())
        }
        .boxed()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_done_is_kept_for_a_while() {
        let mut booting = Booting::default();
        assert_eq!(booting.advance("a", |_| done("p")), Progress::Running);
        tokio::task::yield_now().await;
        assert_eq!(booting.pointer("a"), Some(Secret::new("p".to_owned())));
        assert_eq!(booting.pointer("b"), None);
        assert_eq!(booting.advance("a", |_| failed()), Progress::Done);
        tokio::time::advance(FRESH).await;
        assert_eq!(booting.pointer("a"), None);
        assert_eq!(booting.advance("a", |_| done("q")), Progress::Running);
    }

    #[tokio::test(start_paused = true)]
    async fn failures_are_tried_again_after_growing_pauses() {
        let mut booting = Booting::default();
        let mut pauses = Vec::new();
        for _ in 0..9 {
            assert_eq!(booting.advance("a", |_| failed()), Progress::Running);
            tokio::task::yield_now().await;
            let Progress::Failed(why, pause) = booting.advance("a", |_| failed()) else { break };
            assert_eq!(why, "a policy forbids galleries (LF1421)");
            pauses.push(pause.as_secs());
            tokio::time::advance(pause).await;
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 600, 600, 600]);
        booting.advance("a", |_| failed());
        tokio::task::yield_now().await;
        booting.poll();
        booting.retry();
        assert_eq!(booting.advance("a", |_| done("p")), Progress::Running);
    }

    #[tokio::test(start_paused = true)]
    async fn work_is_stopped_before_other_work_begins() {
        let mut booting = Booting::default();
        booting.advance("a", endless);
        tokio::task::yield_now().await;
        assert!(!booting.halt());
        tokio::task::yield_now().await;
        assert!(booting.halt());
        booting.advance("a", endless);
        assert_eq!(booting.advance("b", |_| done("p")), Progress::Running);
        tokio::task::yield_now().await;
        assert_eq!(booting.advance("b", |_| done("p")), Progress::Running);
        tokio::task::yield_now().await;
        assert_eq!(booting.pointer("b"), Some(Secret::new("p".to_owned())));
    }

    #[tokio::test(start_paused = true)]
    async fn work_that_does_not_stop_is_given_up_and_a_forgotten_cluster_stops_its_own() {
        let mut booting = Booting::default();
        booting.advance("a", |_| futures::future::pending().boxed());
        assert!(!booting.halt());
        tokio::time::advance(PATIENCE).await;
        assert!(booting.halt());
        let asked = Stop::default();
        let kept = asked.clone();
        booting.advance("a", move |stop| {
            async move {
                stop.asked().await;
                kept.ask();
                Err(Vec::new())
            }
            .boxed()
        });
        drop(booting);
        tokio::task::yield_now().await;
        tokio::task::yield_now().await;
        assert!(asked.is_asked());
    }
}
