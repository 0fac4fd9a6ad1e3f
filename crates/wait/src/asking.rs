//! Asking a cluster again and again.

#![allow(clippy::disallowed_methods, reason = "the clock is compared with the times that operators tell")]

use std::future::pending;
use std::io;
use std::time::Duration;

use ::kube::Client;
use hyper::Request;
use jiff::Timestamp;
use landfall_diagnostics::Finding;
use landfall_kube::{Access, Fault};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Builder;
use tokio::signal;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval, sleep, timeout};

use super::judge::{self, ApiVersion, ClusterOperators, ClusterVersion, ConfigMap, Stand};
use super::patience::{Patience, is_certificate};
use super::{Ended, Goal, Operator, Outcome, Watcher, pages};

/// The most that one call may take.
const CALL: Duration = Duration::from_secs(10);
/// The most that the look at a way that is not open may take.
const LOOK: Duration = Duration::from_secs(5);
/// A cluster is asked no more often than this.
const TURN: Duration = Duration::from_secs(1);
/// Threads that wait for the network.
const THREADS: usize = 2;

const VERSION: &str = "/version";
const BOOTSTRAP: &str = "/api/v1/namespaces/kube-system/configmaps/bootstrap";
const RELEASE: &str = "/apis/config.openshift.io/v1/clusterversions/version";
const OPERATORS: &str = "/apis/config.openshift.io/v1/clusteroperators";
const CONSOLE: &str = "/api/v1/namespaces/openshift-config-managed/configmaps/console-public";
const ROUTE: &str = "/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console";

/// Waits until a cluster has reached a goal, at most for as long as `limit`.
///
/// # Errors
/// The operating system does not let us wait for the network.
pub fn wait(access: &Access, goal: Goal, limit: Duration, watcher: &dyn Watcher) -> io::Result<Outcome> {
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    let outcome = runtime.block_on(until(access, goal, limit, Mode::UntilReached, watcher));
    // The search for a name that nobody waits for any more is left behind.
    runtime.shutdown_background();
    Ok(outcome)
}

/// Asks a cluster whether it has reached a goal: until its first answer, at most for as long as `limit`.
///
/// # Errors
/// The operating system does not let us wait for the network.
pub fn ask(access: &Access, goal: Goal, limit: Duration, watcher: &dyn Watcher) -> io::Result<Outcome> {
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build()?;
    let outcome = runtime.block_on(until(access, goal, limit, Mode::UntilAnswered, watcher));
    runtime.shutdown_background();
    Ok(outcome)
}

/// When asking ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    UntilReached,
    UntilAnswered,
}

async fn until(access: &Access, goal: Goal, limit: Duration, mode: Mode, watcher: &dyn Watcher) -> Outcome {
    let begun = Instant::now();
    let mut run = match access.client(CALL) {
        Ok(client) => Run::new(client, goal, mode, watcher),
        Err(fault) => {
            let mut outcome = Outcome::of(Ended::Refused, begun.elapsed());
            outcome.finding = Some(pages::setup(&fault.why()));
            return outcome;
        }
    };
    let ended = tokio::select! {
        biased;
        () = interrupted() => Ended::Interrupted,
        ended = timeout(limit, run.go()) => ended.unwrap_or(Ended::TimedOut),
    };
    let finding = match ended {
        Ended::Done | Ended::Interrupted | Ended::NotReached => None,
        Ended::TimedOut | Ended::Refused => Some(run.finding(access, limit).await),
    };
    let version = run.release.as_ref().and_then(ClusterVersion::release).or(run.version);
    let (took, answer) = (begun.elapsed(), run.told);
    Outcome { ended, took, version, answer, console: run.console, operators: run.operators, finding }
}

impl Outcome {
    fn of(ended: Ended, took: Duration) -> Self {
        let (version, answer) = (None, String::new());
        Self { ended, took, version, answer, console: None, operators: Vec::new(), finding: None }
    }
}

/// Returns when the user stops the work, and never where that cannot be known.
async fn interrupted() {
    if signal::ctrl_c().await.is_err() {
        pending::<()>().await;
    }
}

/// What was seen so far.
struct Run<'a> {
    client: Client,
    goal: Goal,
    mode: Mode,
    watcher: &'a dyn Watcher,
    turns: Interval,
    patience: Patience,
    /// What was told last.
    told: String,
    /// Why the last call brought nothing.
    fault: Option<Fault>,
    /// The version of the API server, once it answered.
    version: Option<String>,
    release: Option<ClusterVersion>,
    operators: Vec<Operator>,
    console: Option<String>,
}

impl<'a> Run<'a> {
    fn new(client: Client, goal: Goal, mode: Mode, watcher: &'a dyn Watcher) -> Self {
        let mut turns = interval(TURN);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self {
            client,
            goal,
            mode,
            watcher,
            turns,
            patience: Patience::default(),
            told: String::new(),
            fault: None,
            version: None,
            release: None,
            operators: Vec::new(),
            console: None,
        }
    }

    /// Asks until the goal is reached or waiting is of no use.
    async fn go(&mut self) -> Ended {
        loop {
            match self.look().await {
                Ok(Stand::Reached) => {
                    self.fault = None;
                    return Ended::Done;
                }
                Ok(Stand::Waiting { headline, detail }) => {
                    self.fault = None;
                    let new = self.tell(headline, &detail);
                    if self.mode == Mode::UntilAnswered {
                        return Ended::NotReached;
                    }
                    self.patience.answered(new);
                }
                Err(fault) => {
                    let over = self.patience.is_over(&fault);
                    self.tell(format!("waiting for the API: {}", fault.why()), "");
                    self.fault = Some(fault);
                    if over {
                        return Ended::Refused;
                    }
                }
            }
            let pause = self.patience.pause(rand::random());
            sleep(pause).await;
        }
    }

    /// Tells how it stands; whether that is something new.
    fn tell(&mut self, headline: String, detail: &str) -> bool {
        let new = headline != self.told;
        if new {
            self.watcher.changed(&headline);
        }
        let both = if detail.is_empty() { headline.clone() } else { format!("{headline}: {detail}") };
        self.watcher.stands(&both);
        self.told = headline;
        new
    }

    /// How it stands at this moment.
    async fn look(&mut self) -> Result<Stand, Fault> {
        if self.version.is_none() {
            let version: ApiVersion = self.get(VERSION).await?;
            let why = "the response is not from a Kubernetes API";
            let no_version = || Fault::Answer { status: 200, why: why.to_owned() };
            let version = version.shown().ok_or_else(no_version)?;
            self.watcher.changed(&format!("the API answers: Kubernetes {version}"));
            self.version = Some(version);
        }
        match self.goal {
            Goal::Api => Ok(Stand::Reached),
            Goal::Bootstrap => {
                let map: Option<ConfigMap> = self.find(BOOTSTRAP).await?;
                Ok(judge::bootstrap(map.as_ref()))
            }
            Goal::Install => self.installation().await,
        }
    }

    async fn installation(&mut self) -> Result<Stand, Fault> {
        self.release = self.find(RELEASE).await?;
        let operators: Option<ClusterOperators> = self.find(OPERATORS).await?;
        self.operators = operators.unwrap_or_default().stand(Timestamp::now());
        let stand = judge::installation(self.release.as_ref(), &self.operators);
        if stand == Stand::Reached {
            self.console = self.console().await;
        }
        Ok(stand)
    }

    /// The console, which a cluster may do without.
    async fn console(&mut self) -> Option<String> {
        let map: Option<ConfigMap> = self.find(CONSOLE).await.ok().flatten();
        let console = map.as_ref().and_then(judge::console_of_map);
        if console.is_some() {
            return console;
        }
        let route: Option<Value> = self.find(ROUTE).await.ok().flatten();
        route.as_ref().and_then(judge::console_of_route)
    }

    /// An object; none where there is none.
    async fn find<T: DeserializeOwned>(&mut self, path: &str) -> Result<Option<T>, Fault> {
        match self.get(path).await {
            Ok(object) => Ok(Some(object)),
            Err(Fault::NotFound) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, Fault> {
        if self.mode == Mode::UntilReached {
            self.turns.tick().await;
        }
        let request = Request::get(path).body(Vec::new());
        let request = request.map_err(|_| Fault::Setup("the request cannot be created".to_owned()))?;
        match timeout(CALL, self.client.request::<T>(request)).await {
            Ok(answer) => answer.map_err(|error| Fault::of(&error)),
            Err(_) => Err(Fault::late()),
        }
    }

    /// Why the goal was not reached.
    async fn finding(&self, access: &Access, limit: Duration) -> Finding {
        match &self.fault {
            Some(Fault::Setup(why)) => pages::setup(why),
            Some(fault @ (Fault::Unauthorized | Fault::Forbidden(_))) => pages::refused(fault),
            Some(Fault::Way { sort, why }) if is_certificate(*sort) => {
                let seen = access.look(LOOK).await.filter(|broken| is_certificate(broken.sort));
                pages::certificate(seen.as_ref().map_or(why.as_str(), |broken| broken.why.as_str()))
            }
            Some(fault @ Fault::Way { .. }) => {
                pages::no_answer(limit, access.look(LOOK).await.as_ref(), Some(fault))
            }
            Some(fault) => pages::no_answer(limit, None, Some(fault)),
            None if self.version.is_none() => pages::no_answer(limit, access.look(LOOK).await.as_ref(), None),
            None => match self.goal {
                Goal::Install => {
                    let words = self.release.as_ref().map(ClusterVersion::words).unwrap_or_default();
                    pages::installation(limit, &words, &self.operators)
                }
                Goal::Api | Goal::Bootstrap => pages::bootstrap(limit, &self.told),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::http::{StatusCode, Uri};
    use tokio::time::Instant;

    use super::*;

    #[derive(Debug)]
    struct Nobody;

    impl Watcher for Nobody {
        fn changed(&self, _: &str) {}

        fn stands(&self, _: &str) {}
    }

    /// A cluster whose bootstrap is in this state, or does not say.
    fn cluster(status: Option<&'static str>) -> Client {
        let answer = move |uri: Uri| async move {
            match (uri.path(), status) {
                (VERSION, _) => (StatusCode::OK, r#"{"gitVersion":"v1.33.4"}"#.to_owned()),
                (BOOTSTRAP, Some(status)) => {
                    (StatusCode::OK, serde_json::json!({ "data": { "status": status } }).to_string())
                }
                _ => {
                    (StatusCode::NOT_FOUND, r#"{"kind":"Status","code":404,"reason":"NotFound"}"#.to_owned())
                }
            }
        };
        Client::new(Router::new().fallback(answer), "default")
    }

    async fn asked(status: Option<&'static str>) -> (Ended, String, Duration) {
        let begun = Instant::now();
        let mut run = Run::new(cluster(status), Goal::Bootstrap, Mode::UntilAnswered, &Nobody);
        let ended = run.go().await;
        (ended, run.told, begun.elapsed())
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_answer_is_enough() {
        for (status, expected) in
            [(Some("complete"), Ended::Done), (Some("failed"), Ended::NotReached), (None, Ended::NotReached)]
        {
            let (ended, answer, took) = asked(status).await;
            assert_eq!(ended, expected, "{status:?}");
            assert_eq!(answer.is_empty(), expected == Ended::Done, "{answer}");
            assert!(took < Duration::from_secs(1), "{took:?}");
        }
    }
}
