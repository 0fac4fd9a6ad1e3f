//! Credentials: where they come from, whether the authority accepts them, and whose they are.
//!
//! Tokens are asked for once and hidden from then on in whatever is said.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use azure_core::credentials::{AccessToken, Secret as Hidden, TokenCredential};
use azure_core::http::ClientOptions;
use azure_identity::{
    AzureCliCredential, AzureCliCredentialOptions, ClientAssertionCredential,
    ClientAssertionCredentialOptions, ClientSecretCredential, ClientSecretCredentialOptions,
    ManagedIdentityCredential, ManagedIdentityCredentialOptions, UserAssignedId, WorkloadIdentityCredential,
    WorkloadIdentityCredentialOptions,
};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::FutureExt as _;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind};
use landfall_net::Proxies;
use landfall_platform::cloud::{Answer, Check};
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::{sleep, timeout};
use url::Url;

use super::azure_cli::Runner;
use super::certificate::{Assertion, Certificate};
use super::environment::Environment;
use super::session::{Session, SharedScrub};
use super::sources::{Given, Source};
use super::{arm, authority, pages, transport};

/// The check of the credentials.
pub(super) const CHECK: &str = "azure.credentials";

/// Where a virtual machine is asked for its identity.
const METADATA: &str = "http://169.254.169.254/metadata/identity/oauth2/token";
/// The service is on the machine itself: it answers at once or is not there.
const AT_ONCE: Duration = Duration::from_millis(500);

/// A token is asked for anew so long before its end, or a tenth of its life if that is shorter.
const MARGIN: i64 = 300;
/// How often a token is asked for where the answer cannot be read.
const READS: u32 = 3;

/// Tokens for one scope, each kept until shortly before its end.
pub(super) struct Tokens {
    credential: Arc<dyn TokenCredential>,
    scope: String,
    scrub: SharedScrub,
    held: Mutex<Option<Held>>,
}

/// A token, and how long before its end it is asked for anew.
struct Held {
    token: AccessToken,
    margin: azure_core::time::Duration,
}

impl Held {
    fn new(token: AccessToken) -> Self {
        let (none, most) = (azure_core::time::Duration::ZERO, azure_core::time::Duration::seconds(MARGIN));
        let margin = (remaining(&token) / 10_i32).clamp(none, most);
        Self { token, margin }
    }

    fn is_fresh(&self) -> bool {
        remaining(&self.token) > self.margin
    }
}

/// How long a token counts from now on.
fn remaining(token: &AccessToken) -> azure_core::time::Duration {
    token.expires_on - azure_core::time::OffsetDateTime::now_utc()
}

impl Tokens {
    fn new(credential: Arc<dyn TokenCredential>, scope: String, scrub: SharedScrub) -> Self {
        Self { credential, scope, scrub, held: Mutex::new(None) }
    }

    /// Tokens of the same credentials for another scope.
    pub(super) fn of_scope(&self, scope: &str) -> Self {
        Self::new(Arc::clone(&self.credential), scope.to_owned(), self.scrub.clone())
    }

    /// A token.
    pub(super) async fn token(&self) -> azure_core::Result<AccessToken> {
        let mut held = self.held.lock().await;
        if let Some(held) = held.as_ref().filter(|held| held.is_fresh()) {
            return Ok(held.token.clone());
        }
        let mut attempt = 0;
        let token = loop {
            attempt += 1;
            match self.fresh().await {
                // What is no answer of the authority comes from something on the way.
                Err(error) if attempt < READS && authority::is_unreadable(&error) => {
                    sleep(arm::pause(attempt)).await;
                }
                answer => break answer?,
            }
        };
        self.scrub.hide(&Secret::new(token.token.secret().to_owned()));
        *held = Some(Held::new(token.clone()));
        Ok(token)
    }

    /// A token of the source itself.
    async fn fresh(&self) -> azure_core::Result<AccessToken> {
        // The library reckons with the numbers of an answer as they are, and panics where they make no sense.
        let scopes = [self.scope.as_str()];
        let asked = AssertUnwindSafe(self.credential.get_token(&scopes, None)).catch_unwind();
        let token = asked.await.unwrap_or_else(|_| Err(authority::senseless()))?;
        if token.token.secret().is_empty() {
            return Err(authority::empty());
        }
        Ok(token)
    }
}

impl fmt::Debug for Tokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tokens").field("scope", &self.scope).finish_non_exhaustive()
    }
}

/// Credentials that were found.
#[derive(Debug)]
pub(super) struct Found {
    /// The tokens that they give.
    pub(super) tokens: Arc<Tokens>,
    /// Where they come from.
    pub(super) source: Source,
}

/// Who asks, as the token says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Caller {
    /// Tenant.
    pub(super) tenant: String,
    /// Application; that of the Azure CLI for a person.
    pub(super) client: String,
    /// Object id of the application in the tenant, or of the person.
    pub(super) object: String,
    /// End of the token, as in RFC 3339.
    pub(super) expires: String,
}

/// What a token says of its holder.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Claims {
    tid: String,
    oid: String,
    appid: String,
    azp: String,
}

/// Finds the credentials. Nothing is asked of the authority yet, only of this machine.
pub(super) async fn find(session: &Session<'_>) -> Result<Found, Answer> {
    let environment = session.environment().await?;
    let given = session.given();
    if let Some(finding) = given.nothing_in_file() {
        return Err(Answer::found(finding));
    }
    let source = match given.source() {
        Some(source) => source,
        None => machine(session).await.map_err(|finding| Answer::found(*finding))?,
    };
    let found = |source: Source| {
        let made = credential(session, environment, &source).map_err(|finding| Answer::found(*finding))?;
        let tokens = Arc::new(Tokens::new(made, environment.scope.clone(), session.scrub()));
        Ok::<Found, Answer>(Found { tokens, source })
    };
    let of_machine = source == Source::ManagedIdentity && given.client.is_empty();
    let first = found(source)?;
    if of_machine && lacks_identity(&first.tokens, session.asking.patience.call).await {
        return found(Source::AzureCli);
    }
    Ok(first)
}

/// Whether the machine says that it has no identity. A token that it gives is kept.
async fn lacks_identity(tokens: &Tokens, limit: Duration) -> bool {
    let answer = timeout(limit, tokens.token()).await;
    answer.is_ok_and(|answer| answer.is_err_and(|error| authority::lacks_identity(&error)))
}

/// The source where none is named. An application alone may be a managed identity that a user made.
async fn machine(session: &Session<'_>) -> Result<Source, Box<Finding>> {
    if has_identity(session).await {
        return Ok(Source::ManagedIdentity);
    }
    session.given().unproven().map_or(Ok(Source::AzureCli), |finding| Err(Box::new(finding)))
}

/// Whether this machine has a managed identity to ask for.
async fn has_identity(session: &Session<'_>) -> bool {
    let set = |name: &str| session.asking.world.variable(name).is_some();
    // A service that only some of these programs speak to gives no token here, but the Azure CLI may.
    if set("IDENTITY_ENDPOINT") {
        return set("IDENTITY_HEADER") && !set("IDENTITY_SERVER_THUMBPRINT");
    }
    if set("MSI_ENDPOINT") {
        return false;
    }
    let Ok(url) = Url::parse(METADATA) else {
        return false;
    };
    let limit = AT_ONCE.min(session.asking.patience.connect);
    let seen = landfall_net::probe(&url, session.trust(), &Proxies::of("", "", ""), limit).await;
    // Other clouds have something else at this address. Azure's refuses a request without its header so.
    seen.answer.is_ok_and(|reply| {
        reply.status == 400 && serde_json::from_slice::<serde_json::Value>(&reply.body).is_ok()
    })
}

fn credential(
    session: &Session<'_>,
    environment: &Environment,
    source: &Source,
) -> Result<Arc<dyn TokenCredential>, Box<Finding>> {
    let given = session.given();
    if source.is_of_authority()
        && let Some(finding) = given.lacking(source)
    {
        return Err(Box::new(finding));
    }
    let unmade = || {
        let message = format!("{} cannot be used", source.shown());
        let finding = Finding::error(&pages::INCOMPLETE, Kind::Invalid, "", message);
        Box::new(finding.help("check the variables that begin with AZURE_ and the files that they name"))
    };
    let options = || {
        let client = session.client().ok_or_else(unmade)?;
        Ok::<ClientOptions, Box<Finding>>(transport::for_tokens(
            client,
            &environment.authority,
            session.asking.patience.call,
        ))
    };
    let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let (tenant, client) = (given.tenant.as_str(), given.client.clone());
    let made: azure_core::Result<Arc<dyn TokenCredential>> = match source {
        Source::Secret => {
            let secret = given.secret.as_ref().map(|secret| secret.expose().clone()).unwrap_or_default();
            let options = ClientSecretCredentialOptions { client_options: options()? };
            ClientSecretCredential::new(tenant, client, Hidden::new(secret), Some(options)).map(shared)
        }
        Source::Certificate(path) => {
            let certificate = certificate(session, path)?;
            let url = environment.token_url(tenant);
            let assertion = Assertion::new(certificate, &client, url.as_str());
            let options = ClientAssertionCredentialOptions { client_options: options()? };
            ClientAssertionCredential::new(tenant.to_owned(), client, assertion, Some(options)).map(shared)
        }
        Source::Federated(path) => {
            let credential_options = ClientAssertionCredentialOptions { client_options: options()? };
            let options = WorkloadIdentityCredentialOptions {
                credential_options,
                client_id: Some(client),
                tenant_id: Some(tenant.to_owned()),
                token_file_path: Some(PathBuf::from(path)),
            };
            WorkloadIdentityCredential::new(Some(options)).map(shared)
        }
        Source::ManagedIdentity => {
            let client = session.direct_client().ok_or_else(unmade)?;
            let options = ManagedIdentityCredentialOptions {
                user_assigned_id: some(&given.client).map(UserAssignedId::ClientId),
                client_options: transport::for_calls(&client),
            };
            ManagedIdentityCredential::new(Some(options)).map(shared)
        }
        // The Azure CLI takes a tenant or a subscription, and not both.
        Source::AzureCli => AzureCliCredential::new(Some(AzureCliCredentialOptions {
            subscription: some(&given.subscription).filter(|_| tenant.is_empty()),
            tenant_id: some(tenant),
            executor: Some(Arc::new(Runner)),
        }))
        .map(shared),
    };
    made.map_err(|_| unmade())
}

/// The certificate at a path.
pub(super) fn certificate(session: &Session<'_>, path: &str) -> Result<Certificate, Box<Finding>> {
    let read = Certificate::read(session.asking.world.file(path), &session.given().password);
    read.map_err(|unfit| Box::new(unfit.finding(path)))
}

fn shared<C: TokenCredential + 'static>(credential: Arc<C>) -> Arc<dyn TokenCredential> {
    credential
}

/// Asks for a first token, and learns from it who asks.
pub(super) async fn identify(session: &Session<'_>) -> Result<Caller, Answer> {
    let found = session.found().await.map_err(Answer::clone)?;
    if found.source.is_of_authority() {
        session.authority().await.usable(session)?;
    }
    let limit = session.asking.patience.call;
    let told = |finding: Finding| Answer::found(finding).with("source", found.source.shown());
    match timeout(limit, found.tokens.token()).await {
        Ok(Ok(token)) => Ok(Caller::of(&token, session.given())),
        Ok(Err(error)) => {
            let answer = told(authority::refused(&error, &found.source, &session.scrub().now()));
            let codes: Vec<String> = authority::codes(&error);
            Err(if codes.is_empty() { answer } else { answer.with("codes", codes) })
        }
        Err(_) => Err(told(authority::late(&found.source, limit))),
    }
}

impl Caller {
    fn of(token: &AccessToken, given: &Given) -> Self {
        let claims = claims(token.token.secret());
        let or = |own: String, other: &str| if own.is_empty() { other.to_owned() } else { own };
        let end = jiff::Timestamp::from_second(token.expires_on.unix_timestamp());
        Self {
            tenant: or(claims.tid, &given.tenant),
            client: or(or(claims.appid, &claims.azp), &given.client),
            object: claims.oid,
            expires: end.map(|end| end.to_string()).unwrap_or_default(),
        }
    }
}

/// What a token says; nothing where it is of a form of its own.
fn claims(token: &str) -> Claims {
    let part = token.split('.').nth(1).unwrap_or_default();
    let text = URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// The check of the credentials.
pub(super) fn check<'s>(session: &'s Session<'_>) -> Check<'s> {
    Check::new(CHECK, "", async move {
        let caller = match session.identity().await {
            Ok(caller) => caller,
            Err(answer) => return answer.clone(),
        };
        let source = session.found().await.map(|found| found.source.shown()).unwrap_or_default();
        let who = if caller.client.is_empty() { &caller.object } else { &caller.client };
        let answer = Answer::passed(format!("{who} of tenant {} by {source}", caller.tenant));
        let answer = answer.with("source", source).with("tenant", caller.tenant.clone());
        let answer = answer.with("client", caller.client.clone()).with("object", caller.object.clone());
        answer.with("expires", caller.expires.clone())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_kept_for_most_of_its_life() {
        let held = |seconds: i64| {
            let life = azure_core::time::Duration::seconds(seconds);
            let end = azure_core::time::OffsetDateTime::now_utc() + life;
            Held::new(AccessToken::new("token".to_owned(), end))
        };
        assert_eq!(held(36_000).margin.whole_seconds(), 300);
        assert!(held(60).margin.whole_seconds() < 7);
        assert!(held(36_000).is_fresh() && held(60).is_fresh() && !held(-60).is_fresh());
    }

    #[test]
    fn a_token_says_who_holds_it() {
        let end = azure_core::time::OffsetDateTime::UNIX_EPOCH;
        let of = |text: &str| Caller::of(&AccessToken::new(text.to_owned(), end), &Given::default());
        let body = URL_SAFE_NO_PAD.encode(r#"{"tid":"t","oid":"o","azp":"c"}"#);
        let expected = Caller {
            tenant: "t".to_owned(),
            client: "c".to_owned(),
            object: "o".to_owned(),
            expires: "1970-01-01T00:00:00Z".to_owned(),
        };
        assert_eq!(of(&format!("header.{body}.signature")), expected);
        assert_eq!(of("opaque").object, "");
        assert_eq!(of("a.b.c").tenant, "");
    }
}
