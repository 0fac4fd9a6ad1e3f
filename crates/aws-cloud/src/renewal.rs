//! Credentials for as long as a run takes: the SDK asks for those of a session again before they end.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use aws_credential_types::attributes::AccountId;
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{self, ProvideCredentials, SharedCredentialsProvider, future};
use landfall_diagnostics::secret::{Scrub, Secret};
use tracing::Dispatch;
use tracing::instrument::WithSubscriber;

use super::credential_sources;
use super::session::Session;

/// What all clients share, with these credentials, and with those that the source gives once they end.
pub(super) async fn shared(
    session: &Session<'_>,
    source: impl ProvideCredentials + 'static,
    first: Credentials,
) -> SdkConfig {
    let renewed = Renewed::new(source, first, session.hidden());
    session.sdk().await.to_builder().credentials_provider(SharedCredentialsProvider::new(renewed)).build()
}

/// Credentials that a source gave, and the source.
#[derive(Debug)]
struct Renewed<S> {
    source: S,
    first: Credentials,
    /// Whether the first ones were given out.
    given: AtomicBool,
    scrub: Arc<Mutex<Scrub>>,
}

impl<S: ProvideCredentials> Renewed<S> {
    fn new(source: S, first: Credentials, scrub: Arc<Mutex<Scrub>>) -> Self {
        hide(&first, &scrub);
        Self { source, first, given: AtomicBool::new(false), scrub }
    }

    async fn renew(&self) -> provider::Result {
        // What a source writes to the log may hold what it read or printed.
        let asked = self.source.provide_credentials().with_subscriber(Dispatch::none()).await;
        let unrenewed = |why: String| CredentialsError::provider_error(Unrenewed(why));
        let credentials = match asked {
            Ok(credentials) => credentials,
            Err(error) => {
                let scrub = self.scrub.lock().unwrap_or_else(PoisonError::into_inner);
                return Err(unrenewed(credential_sources::why(&error, &scrub).0));
            }
        };
        hide(&credentials, &self.scrub);
        let account = |of: &Credentials| of.account_id().map(AccountId::as_str).map(str::to_owned);
        match (account(&self.first), account(&credentials)) {
            (Some(first), Some(now)) if first != now => {
                Err(unrenewed(format!("they belonged to account {first}, and now belong to account {now}")))
            }
            _ => Ok(credentials),
        }
    }
}

impl<S: ProvideCredentials> ProvideCredentials for Renewed<S> {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        let is_first = !self.given.swap(true, Ordering::Relaxed);
        // Those without an end stay: somebody may have put another account's in their place.
        if is_first || self.first.expiry().is_none() {
            return future::ProvideCredentials::ready(Ok(self.first.clone()));
        }
        future::ProvideCredentials::new(self.renew())
    }
}

/// Hides credentials in everything that is said from now on.
fn hide(credentials: &Credentials, scrub: &Mutex<Scrub>) {
    let token = credentials.session_token();
    let mut scrub = scrub.lock().unwrap_or_else(PoisonError::into_inner);
    for secret in [Some(credentials.secret_access_key()), token, Some(credentials.access_key_id())] {
        scrub.hide(&Secret::new(secret.unwrap_or_default().to_owned()));
    }
}

/// The source of the credentials gave none when they were to be renewed; the words may be shown.
#[derive(Debug, thiserror::Error)]
#[error("the credentials cannot be renewed: {0}")]
struct Unrenewed(String);

/// Why the credentials of a call could not be renewed; none where that is not the reason for its failure.
pub(super) fn why(error: &(dyn Error + 'static)) -> Option<String> {
    const DEEPEST: usize = 16;
    let mut causes = std::iter::successors(Some(error), |&cause| cause.source()).take(DEEPEST);
    causes.find_map(|cause| cause.downcast_ref::<Unrenewed>()).map(Unrenewed::to_string)
}

/// A role that is assumed, each time for a session.
#[derive(Debug)]
pub(super) struct Role {
    /// The client to assume it with.
    pub(super) sts: aws_sdk_sts::Client,
    /// Its ARN.
    pub(super) arn: String,
}

impl Role {
    /// Assumes it. An error of STS is the cause of the error.
    pub(super) async fn assume(&self) -> provider::Result {
        let request = self.sts.assume_role().role_arn(&self.arn).role_session_name("landfall");
        let answer = Box::pin(request.send()).await.map_err(CredentialsError::provider_error)?;
        let given = answer.credentials().ok_or_else(|| CredentialsError::unhandled("no credentials"))?;
        let (id, key) = (given.access_key_id(), given.secret_access_key());
        let token = Some(given.session_token().to_owned());
        let end = SystemTime::try_from(*given.expiration()).ok();
        Ok(Credentials::new(id, key, token, end, "landfall"))
    }
}

impl ProvideCredentials for Role {
    fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
    where
        Self: 'a,
    {
        future::ProvideCredentials::new(self.assume())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives the same answer each time.
    #[derive(Debug)]
    struct Source(Option<Credentials>);

    impl ProvideCredentials for Source {
        fn provide_credentials<'a>(&'a self) -> future::ProvideCredentials<'a>
        where
            Self: 'a,
        {
            let given = self.0.clone();
            let answer = given.ok_or_else(|| CredentialsError::provider_error("canary-of-the-source"));
            future::ProvideCredentials::ready(answer)
        }
    }

    fn credentials(key: &str, account: &str, ends: bool) -> Credentials {
        let end = ends.then_some(SystemTime::UNIX_EPOCH);
        let made = Credentials::builder().access_key_id("AKIAEXAMPLE").secret_access_key(key);
        let mut made = made.account_id(account).provider_name("test");
        made.set_expiry(end);
        made.build()
    }

    async fn key<S: ProvideCredentials>(renewed: &Renewed<S>) -> Result<String, Option<String>> {
        let given = renewed.provide_credentials().await;
        given.map(|given| given.secret_access_key().to_owned()).map_err(|error| why(&error))
    }

    #[tokio::test]
    async fn the_source_is_asked_again_for_what_ends() {
        let scrub = Arc::<Mutex<Scrub>>::default();
        let source = Source(Some(credentials("key-two", "1", true)));
        let renewed = Renewed::new(source, credentials("key-one", "1", true), Arc::clone(&scrub));
        assert_eq!(key(&renewed).await.as_deref(), Ok("key-one"));
        assert_eq!(key(&renewed).await.as_deref(), Ok("key-two"));
        let clean = scrub.lock().unwrap_or_else(PoisonError::into_inner).clean("key-one key-two");
        assert_eq!(clean, "<redacted> <redacted>");
    }

    #[tokio::test]
    async fn what_does_not_end_stays() {
        let source = Source(Some(credentials("key-two", "2", false)));
        let renewed = Renewed::new(source, credentials("key-one", "1", false), Arc::default());
        assert_eq!(key(&renewed).await.as_deref(), Ok("key-one"));
        assert_eq!(key(&renewed).await.as_deref(), Ok("key-one"));
    }

    #[tokio::test]
    async fn what_cannot_be_renewed_says_so_without_the_sources_words() {
        let renewed = Renewed::new(Source(None), credentials("key-one", "1", true), Arc::default());
        assert_eq!(key(&renewed).await.as_deref(), Ok("key-one"));
        let told = key(&renewed).await.err().flatten().unwrap_or_default();
        assert!(!told.is_empty() && !told.contains("canary"), "{told}");
        let source = Source(Some(credentials("key-two", "2", true)));
        let renewed = Renewed::new(source, credentials("key-one", "1", true), Arc::default());
        assert_eq!(key(&renewed).await.as_deref(), Ok("key-one"));
        let told = key(&renewed).await.err().flatten().unwrap_or_default();
        assert!(told.contains("account 1") && told.contains("account 2"), "{told}");
    }
}
