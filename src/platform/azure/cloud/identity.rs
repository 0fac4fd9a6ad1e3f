//! Credentials: where they come from, whether the authority accepts them, and whose they are.
//!
//! Tokens are asked for once and hidden from then on in whatever is said.

use std::fmt;
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
use serde::Deserialize;
use tokio::sync::Mutex;
use tokio::time::timeout;
use url::Url;

use super::certificate::{Assertion, Certificate};
use super::environment::Environment;
use super::session::Session;
use super::sources::{Given, Source};
use super::{authority, pages, transport};
use crate::finding::{Finding, Kind};
use crate::net::{self, Proxies};
use crate::platform::cloud::{Answer, Check};
use crate::secret::Secret;

/// The check of the credentials.
pub(super) const CHECK: &str = "azure.credentials";

/// Where a virtual machine is asked for its identity.
const METADATA: &str = "http://169.254.169.254/metadata/identity/oauth2/token";
/// The service is on the machine itself: it answers at once or is not there.
const AT_ONCE: Duration = Duration::from_millis(500);

/// A token is asked for anew so long before its end.
const MARGIN: i64 = 300;

/// Tokens for one scope, each kept until shortly before its end.
pub(super) struct Tokens {
    credential: Arc<dyn TokenCredential>,
    scope: String,
    held: Mutex<Option<AccessToken>>,
}

impl Tokens {
    fn new(credential: Arc<dyn TokenCredential>, scope: String) -> Self {
        Self { credential, scope, held: Mutex::new(None) }
    }

    /// A token.
    pub(super) async fn token(&self) -> azure_core::Result<AccessToken> {
        let mut held = self.held.lock().await;
        let margin = azure_core::time::Duration::seconds(MARGIN);
        let fresh =
            |token: &&AccessToken| token.expires_on - azure_core::time::OffsetDateTime::now_utc() > margin;
        if let Some(token) = held.as_ref().filter(fresh) {
            return Ok(token.clone());
        }
        let token = self.credential.get_token(&[self.scope.as_str()], None).await?;
        *held = Some(token.clone());
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

/// Finds the credentials. Nothing is asked of the authority yet.
pub(super) async fn find(session: &Session<'_>) -> Result<Found, Answer> {
    let environment = session.environment().await?;
    let given = session.given();
    let source = match given.source() {
        Some(source) => source,
        None => machine(session).await,
    };
    let credential = credential(session, environment, &source);
    let credential = credential.map_err(|finding| Answer::found(*finding))?;
    Ok(Found { tokens: Arc::new(Tokens::new(credential, environment.scope.clone())), source })
}

/// The source where none is named.
async fn machine(session: &Session<'_>) -> Source {
    if has_identity(session).await { Source::ManagedIdentity } else { Source::AzureCli }
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
    let seen = net::probe(&url, session.trust(), &Proxies::of("", "", ""), limit).await;
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
        Box::new(finding.help("look at the variables that begin with AZURE_ and at the files that they name"))
    };
    let options = || {
        let client = session.client().ok_or_else(unmade)?;
        Ok::<ClientOptions, Box<Finding>>(transport::for_tokens(client, &environment.authority))
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
            let read = Certificate::read(session.asking.world.file(path));
            let certificate = read.map_err(|unfit| Box::new(unfit.finding(path)))?;
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
            executor: None,
        }))
        .map(shared),
    };
    made.map_err(|_| unmade())
}

fn shared<C: TokenCredential + 'static>(credential: Arc<C>) -> Arc<dyn TokenCredential> {
    credential
}

/// Asks for a first token, and learns from it who asks.
pub(super) async fn identify(session: &Session<'_>) -> Result<Caller, Answer> {
    let found = session.found().await.map_err(Answer::clone)?;
    if found.source.is_of_authority() {
        session.authority().await.usable()?;
    }
    let limit = session.asking.patience.call;
    let told = |finding: Finding| Answer::found(finding).with("source", found.source.shown());
    match timeout(limit, found.tokens.token()).await {
        Ok(Ok(token)) => {
            session.hide(&Secret::new(token.token.secret().to_owned()));
            Ok(Caller::of(&token, session.given()))
        }
        Ok(Err(error)) => {
            let answer = told(authority::refused(&error, &found.source, &session.scrub()));
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
