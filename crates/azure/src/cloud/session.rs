//! One run's questions to Azure: who asks, where, and what is already known of the cloud.
//!
//! The resource manager is given out only when it answers and the credentials are accepted, so that a dead
//! endpoint costs one look at it and not the patience of every call.

use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};

use futures::future::join;
use landfall_diagnostics::secret::{Scrub, Secret};
use landfall_model::azure::config::Platform;
use landfall_net::{ConcurrencyLimit, Proxies, Trust};
use landfall_platform::cloud::{Answer, Asking, Unready};
use tokio::sync::OnceCell;

use super::arm::Arm;
use super::environment::{self, Environment};
use super::identity::{self, Caller, Found};
use super::reach::{self, Reached};
use super::sources::Given;
use super::subscription::{self, Subscription};
use super::{gather, transport};

/// What is hidden in all that is said. Whoever has a clone knows of every secret from when it is hidden.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedScrub(Arc<Mutex<Scrub>>);

impl SharedScrub {
    /// Hides a secret from now on.
    pub(super) fn hide(&self, secret: &Secret<String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).hide(secret);
    }

    /// All that is hidden so far; what is said later needs it anew.
    pub(super) fn now(&self) -> Scrub {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What is asked with.
struct Wire {
    trust: Trust,
    proxies: Proxies,
    given: Given,
    client: Option<reqwest::Client>,
}

/// One run's questions.
pub(super) struct Session<'a> {
    /// What is asked for.
    pub(super) asking: Asking<'a>,
    /// The platform's section of the completed config.
    pub(super) platform: &'a Platform,
    /// The answers that become facts.
    pub(super) answers: gather::Answers,
    concurrency: ConcurrencyLimit,
    wire: OnceLock<Wire>,
    scrub: SharedScrub,
    manager: OnceCell<Reached>,
    endpoints: OnceCell<Result<Environment, Answer>>,
    authority: OnceCell<Reached>,
    found: OnceCell<Result<Found, Answer>>,
    identity: OnceCell<Result<Caller, Answer>>,
    arm: OnceLock<Arm>,
    subscription: OnceCell<Result<Subscription, Answer>>,
}

/// For a config of another platform, of which nobody asks here.
static NONE: LazyLock<Platform> = LazyLock::new(Platform::default);

impl<'a> Session<'a> {
    /// Begins to ask; nothing is called yet.
    pub(super) fn new(asking: Asking<'a>) -> Self {
        let platform = asking.config.platform.azure.as_ref();
        Self {
            asking,
            platform: platform.unwrap_or_else(|| LazyLock::force(&NONE)),
            answers: gather::Answers::default(),
            concurrency: ConcurrencyLimit::new(asking.patience.at_once),
            wire: OnceLock::new(),
            scrub: SharedScrub::default(),
            manager: OnceCell::new(),
            endpoints: OnceCell::new(),
            authority: OnceCell::new(),
            found: OnceCell::new(),
            identity: OnceCell::new(),
            arm: OnceLock::new(),
            subscription: OnceCell::new(),
        }
    }
}

impl Session<'_> {
    /// The trust roots of the run.
    pub(super) fn trust(&self) -> &Trust {
        &self.wire().trust
    }

    /// The proxies of the run.
    pub(super) fn proxies(&self) -> &Proxies {
        &self.wire().proxies
    }

    /// What environment and files give of credentials.
    pub(super) fn given(&self) -> &Given {
        &self.wire().given
    }

    /// The HTTP client of all calls; none where the libraries lack what it needs.
    pub(super) fn client(&self) -> Option<&reqwest::Client> {
        self.wire().client.as_ref()
    }

    /// An HTTP client that uses no proxy, for services of this machine.
    pub(super) fn direct_client(&self) -> Option<reqwest::Client> {
        transport::client(self.trust(), self.asking.patience, false)
    }

    fn wire(&self) -> &Wire {
        self.wire.get_or_init(|| {
            let world = self.asking.world;
            let proxies = Proxies::gather(|name| world.variable(name));
            let given = Given::of(world);
            for secret in proxies.secrets().into_iter().chain(given.secrets.iter().cloned()) {
                self.hide(&secret);
            }
            let trust = self.gather_trust();
            let client = transport::client(&trust, self.asking.patience, true);
            Wire { trust, proxies, given, client }
        })
    }

    fn gather_trust(&self) -> Trust {
        let Asking { world, config, .. } = self.asking;
        Trust::of_run(|name| world.variable(name), |path| world.file(path), &config.additional_trust_bundle)
    }

    /// Hides a secret in everything that is said from now on.
    pub(super) fn hide(&self, secret: &Secret<String>) {
        self.scrub.hide(secret);
    }

    /// The bound on requests under way.
    pub(super) fn concurrency(&self) -> ConcurrencyLimit {
        self.concurrency.clone()
    }

    /// What is hidden, now and later.
    pub(super) fn scrub(&self) -> SharedScrub {
        self.scrub.clone()
    }

    /// What is to be seen of the resource manager.
    pub(super) async fn manager(&self) -> &Reached {
        self.manager.get_or_init(|| Box::pin(reach::manager(self))).await
    }

    /// The cloud's endpoints, or what to say where they are not known.
    pub(super) async fn endpoints(&self) -> Result<&Environment, &Answer> {
        self.endpoints.get_or_init(|| Box::pin(environment::find(self))).await.as_ref()
    }

    /// The cloud's endpoints.
    pub(super) async fn environment(&self) -> Result<&Environment, Unready> {
        let what = "the endpoints of the cloud are not known";
        self.endpoints()
            .await
            .map_err(|answer| Unready::of(answer, what, self.asking.check(environment::CHECK)))
    }

    /// What is to be seen of the authority.
    pub(super) async fn authority(&self) -> &Reached {
        self.authority.get_or_init(|| Box::pin(reach::authority(self))).await
    }

    /// The credentials, or what to say where there are none.
    pub(super) async fn found(&self) -> Result<&Found, &Answer> {
        self.found.get_or_init(|| Box::pin(identity::find(self))).await.as_ref()
    }

    /// Who asks, or what to say where that is not known.
    pub(super) async fn identity(&self) -> Result<&Caller, &Answer> {
        self.identity.get_or_init(|| Box::pin(identity::identify(self))).await.as_ref()
    }

    /// Who asks.
    pub(super) async fn caller(&self) -> Result<&Caller, Unready> {
        let what = "the credentials cannot be used";
        self.identity().await.map_err(|answer| Unready::of(answer, what, self.asking.check(identity::CHECK)))
    }

    /// The resource manager, once it answers and the caller is known.
    pub(super) async fn arm(&self) -> Result<&Arm, Unready> {
        let (reached, caller) = join(self.manager(), self.caller()).await;
        reached.usable(self)?;
        caller?;
        let environment = self.environment().await?;
        let what = "there are no credentials";
        let found = self
            .found()
            .await
            .map_err(|answer| Unready::of(answer, what, self.asking.check(identity::CHECK)))?;
        let Some(client) = self.client() else {
            return Err(Unready("there is no HTTP client".to_owned()));
        };
        Ok(self.arm.get_or_init(|| {
            let (url, limit) = (&environment.resource_manager, self.asking.patience.call);
            let arm = Arm::new(
                transport::for_calls(client),
                url,
                environment.stack,
                limit,
                self.scrub(),
                self.concurrency(),
            );
            arm.with_tokens(Arc::clone(&found.tokens))
        }))
    }

    /// The subscription, or what to say where there is none.
    pub(super) async fn found_subscription(&self) -> Result<&Subscription, &Answer> {
        self.subscription.get_or_init(|| Box::pin(subscription::find(self))).await.as_ref()
    }

    /// The id of the subscription.
    pub(super) async fn subscription(&self) -> Result<String, Unready> {
        let what = "the subscription is unknown";
        let found = self.found_subscription().await.map(|found| found.id.clone());
        found.map_err(|answer| Unready::of(answer, what, self.asking.check(subscription::CHECK)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::pages;
    use landfall_diagnostics::{Finding, Kind};

    #[test]
    fn the_reason_of_a_skip_is_told_on_and_a_finding_is_pointed_at() {
        let skipped = Answer::skipped("the name does not resolve");
        let why = |answer: &Answer| Unready::of(answer, "nothing is known", Some("azure.cloud")).0;
        assert_eq!(why(&skipped), "the name does not resolve");
        let found = Answer::found(Finding::error(&pages::URL, Kind::Invalid, "", "no"));
        assert!(why(&found).ends_with("see azure.cloud"), "{}", why(&found));
    }

    #[test]
    fn a_secret_that_is_learnt_later_is_hidden_by_all() {
        let (first, second) = (SharedScrub::default(), SharedScrub::default());
        let shared = first.clone();
        first.hide(&Secret::new("canary-token".to_owned()));
        assert_eq!(shared.now().clean("x canary-token"), "x <redacted>");
        assert_eq!(second.now().clean("x canary-token"), "x canary-token");
    }
}
