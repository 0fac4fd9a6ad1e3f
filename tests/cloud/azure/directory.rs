//! The authority: who has which application, and who gets a token.

use std::collections::BTreeMap;
use std::sync::Mutex;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, digest};
use aws_lc_rs::signature::{RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::answer::Answer;
use super::call::Call;

/// When all tokens end: in the year 2100.
const END: u64 = 4_102_444_800;

/// Whom tokens for the data of storage accounts are for.
const STORAGE: &str = "https://storage.azure.com";

/// What an assertion is sent as.
const BEARER: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// How an application proves that it is itself.
#[derive(Clone, Debug)]
pub enum Proof {
    Secret(String),
    /// A secret that was not renewed in time.
    Expired(String),
    /// A token of an issuer that the application trusts.
    Federated(String),
    /// A certificate, and the key in it.
    Certificate {
        der: Vec<u8>,
        key: Vec<u8>,
    },
}

/// An application of the tenant.
#[derive(Clone, Debug)]
pub struct Application {
    pub id: String,
    pub proof: Proof,
}

/// The directory of one tenant.
#[derive(Debug)]
pub struct Directory {
    pub tenant: String,
    pub applications: Vec<Application>,
    /// What tokens are given out for.
    pub audience: String,
    /// For how many seconds tokens are said to be good.
    pub lifetime: u64,
    /// Whether that number is written as a text.
    pub quotes: bool,
    /// Whether errors are written as some years ago, with line breaks in them.
    pub older: bool,
    issued: Mutex<Vec<String>>,
    /// The tokens that are for Microsoft Graph.
    for_graph: Mutex<Vec<String>>,
    /// The tokens that are for the data of storage accounts.
    for_storage: Mutex<Vec<String>>,
}

/// Why there is no token: status, the error in the words of OAuth, its number, and what it says.
type Refusal = (u16, &'static str, u32, String);

impl Directory {
    pub fn new(tenant: &str, audience: &str, applications: Vec<Application>) -> Self {
        Self {
            tenant: tenant.to_owned(),
            applications,
            audience: audience.to_owned(),
            lifetime: 3599,
            quotes: false,
            older: false,
            issued: Mutex::default(),
            for_graph: Mutex::default(),
            for_storage: Mutex::default(),
        }
    }

    /// All tokens that were given out.
    pub fn issued(&self) -> Vec<String> {
        let all = [&self.issued, &self.for_graph, &self.for_storage];
        all.into_iter().flat_map(|issued| issued.lock().unwrap().clone()).collect()
    }

    /// Whether a request brings one of the tokens.
    pub fn knows(&self, authorization: &str) -> bool {
        is_of(&self.issued, authorization)
    }

    /// Whether a request brings one of the tokens for Microsoft Graph.
    pub fn knows_for_graph(&self, authorization: &str) -> bool {
        is_of(&self.for_graph, authorization)
    }

    /// Whether a request brings one of the tokens for the data of storage accounts.
    pub fn knows_for_storage(&self, authorization: &str) -> bool {
        is_of(&self.for_storage, authorization)
    }

    /// What clients are told of a tenant.
    pub fn configuration(&self, call: &Call, tenant: &str) -> Answer {
        if ![self.tenant.as_str(), "common", "organizations"].contains(&tenant) {
            return self.refused(no_tenant(tenant, "invalid_tenant"));
        }
        let base = format!("https://{}/{tenant}", call.host);
        let body = json!({
            "token_endpoint": format!("{base}/oauth2/v2.0/token"),
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
            "jwks_uri": format!("{base}/discovery/v2.0/keys"),
            "response_modes_supported": ["query", "fragment", "form_post"],
            "issuer": format!("{base}/v2.0"),
            "authorization_endpoint": format!("{base}/oauth2/v2.0/authorize"),
            "tenant_region_scope": "NA",
            "cloud_instance_name": call.host,
        });
        Answer::json(200, &body)
    }

    /// What clients are told of authorities.
    pub fn discovery(call: &Call) -> Answer {
        let host = &call.host;
        let metadata = json!([{ "preferred_network": host, "preferred_cache": host, "aliases": [host] }]);
        let endpoint = format!("https://{host}/common/v2.0/.well-known/openid-configuration");
        let body =
            json!({ "tenant_discovery_endpoint": endpoint, "api-version": "1.1", "metadata": metadata });
        Answer::json(200, &body)
    }

    /// Gives a token to an application that proves itself.
    pub fn token(&self, call: &Call, tenant: &str) -> Answer {
        match self.judge(call, tenant, &call.form()) {
            Ok(application) => {
                let lifetime =
                    if self.quotes { json!(self.lifetime.to_string()) } else { json!(self.lifetime) };
                let token = if is_graph(call) {
                    self.issue_for_graph(call, &application)
                } else if is_storage(call) {
                    self.issue_for(&self.for_storage, STORAGE, &application)
                } else {
                    self.issue(&application)
                };
                let body = json!({
                    "token_type": "Bearer",
                    "expires_in": lifetime,
                    "ext_expires_in": self.lifetime,
                    "access_token": token,
                });
                Answer::json(200, &body)
            }
            Err(refusal) => self.refused(refusal),
        }
    }

    fn judge(&self, call: &Call, tenant: &str, form: &BTreeMap<String, String>) -> Result<String, Refusal> {
        let field = |name: &str| form.get(name).map_or("", String::as_str);
        if tenant != self.tenant {
            return Err(no_tenant(tenant, "invalid_request"));
        }
        if field("grant_type") != "client_credentials" {
            let text = format!("The app requested an unsupported grant type '{}'.", field("grant_type"));
            return Err((400, "unsupported_grant_type", 70_003, text));
        }
        let id = field("client_id");
        let Some(application) = self.applications.iter().find(|application| application.id == id) else {
            let text = format!(
                "Application with identifier '{id}' was not found in the directory 'Moon'. This can happen \
                 if the application has not been installed by the administrator of the tenant or consented \
                 to by any user in the tenant. You may have sent your authentication request to the wrong \
                 tenant."
            );
            return Err((400, "unauthorized_client", 700_016, text));
        };
        // Some clients write the slash at the audience's end once.
        let once = format!("{}/.default", self.audience.trim_end_matches('/'));
        let is_known = [format!("{}/.default", self.audience), once].iter().any(|own| own == field("scope"));
        if !is_known && !is_graph(call) && !is_storage(call) {
            let text = format!(
                "The resource principal named {} was not found in the tenant named Moon. This can happen if \
                 the application has not been installed by the administrator of the tenant.",
                field("scope").trim_end_matches("/.default")
            );
            return Err((400, "invalid_resource", 500_011, text));
        }
        prove(application, &self.endpoint(call), &field)?;
        Ok(application.id.clone())
    }

    fn endpoint(&self, call: &Call) -> String {
        format!("https://{}/{}/oauth2/v2.0/token", call.host, self.tenant)
    }

    /// A token of an application for the resource manager.
    pub fn issue(&self, application: &str) -> String {
        self.issue_for(&self.issued, &self.audience, application)
    }

    fn issue_for_graph(&self, call: &Call, application: &str) -> String {
        self.issue_for(&self.for_graph, &format!("https://{}/graph", call.host), application)
    }

    fn issue_for(&self, issued: &Mutex<Vec<String>>, audience: &str, application: &str) -> String {
        let mut issued = issued.lock().unwrap();
        let header = json!({ "typ": "JWT", "alg": "RS256", "kid": "moon" });
        let claims = json!({
            "aud": audience,
            "iss": format!("https://sts.windows.net/{}/", self.tenant),
            "iat": 1_767_225_600,
            "nbf": 1_767_225_600,
            "exp": END,
            "appid": application,
            "idtyp": "app",
            "oid": "99999999-0000-4000-8000-00000000000f",
            "sub": "99999999-0000-4000-8000-00000000000f",
            "tid": self.tenant,
            "uti": format!("c4n4ry-{}", issued.len()),
            "ver": "1.0",
        });
        let encoded = |object: &Value| URL_SAFE_NO_PAD.encode(object.to_string());
        let signature = digest(&SHA256, format!("{claims}{}", issued.len()).as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature);
        let token = format!("{}.{}.{signature}", encoded(&header), encoded(&claims));
        issued.push(token.clone());
        token
    }

    fn refused(&self, (status, error, number, text): Refusal) -> Answer {
        let (trace, correlation) =
            ("0f0e0d0c-0000-4000-8000-00000000aaaa", "0f0e0d0c-0000-4000-8000-00000000bbbb");
        let time = "2026-11-21 08:00:00Z";
        let between = if self.older { "\r\n" } else { " " };
        let description = [
            format!("AADSTS{number}: {text}"),
            format!("Trace ID: {trace}"),
            format!("Correlation ID: {correlation}"),
            format!("Timestamp: {time}"),
        ];
        let body = json!({
            "error": error,
            "error_description": description.join(between),
            "error_codes": [number],
            "timestamp": time,
            "trace_id": trace,
            "correlation_id": correlation,
            "error_uri": format!("https://login.microsoftonline.com/error?code={number}"),
        });
        Answer::json(status, &body)
    }
}

/// Whether a token for Microsoft Graph is asked for, which these tests have beside the resource manager.
fn is_graph(call: &Call) -> bool {
    let own = format!("https://{}/graph/.default", call.host);
    call.form().get("scope").is_some_and(|scope| {
        *scope == own
            || ["https://graph.microsoft.", "https://microsoftgraph."]
                .iter()
                .any(|start| scope.starts_with(start))
    })
}

/// Whether a token for the data of storage accounts is asked for. Some clients write the slash at the audience's end.
fn is_storage(call: &Call) -> bool {
    let form = call.form();
    let scope = form.get("scope").map_or("", String::as_str);
    scope.strip_suffix("/.default").is_some_and(|audience| audience.trim_end_matches('/') == STORAGE)
}

/// Whether one of these tokens is brought.
fn is_of(issued: &Mutex<Vec<String>>, authorization: &str) -> bool {
    let token = authorization.strip_prefix("Bearer ").unwrap_or_default();
    issued.lock().unwrap().iter().any(|issued| issued == token)
}

fn no_tenant(tenant: &str, error: &'static str) -> Refusal {
    let text = format!(
        "Tenant '{tenant}' not found. Check to make sure you have the correct tenant ID and are signing into \
         the correct cloud. Check with your subscription administrator, this may happen if there are no \
         active subscriptions for the tenant."
    );
    (400, error, 90_002, text)
}

/// Whether an application is who it says it is.
fn prove<'f>(
    application: &Application,
    endpoint: &str,
    field: &dyn Fn(&str) -> &'f str,
) -> Result<(), Refusal> {
    let id = &application.id;
    let (secret, assertion) = (field("client_secret"), field("client_assertion"));
    let asserted = field("client_assertion_type") == BEARER;
    match &application.proof {
        Proof::Secret(own) if own == secret => Ok(()),
        Proof::Expired(own) if own == secret => {
            let text = format!(
                "The provided client secret keys for app '{id}' are expired. Visit the Azure portal to \
                 create new keys for your app, or consider using certificate credentials for added security."
            );
            Err((401, "invalid_client", 7_000_222, text))
        }
        Proof::Secret(_) | Proof::Expired(_) => {
            let text = format!(
                "Invalid client secret provided. Ensure the secret being sent in the request is the client \
                 secret value, not the client secret ID, for a secret added to app '{id}'."
            );
            Err((401, "invalid_client", 7_000_215, text))
        }
        Proof::Federated(own) if own == assertion && asserted => Ok(()),
        Proof::Federated(_) => {
            let text =
                "No matching federated identity record found for presented assertion subject.".to_owned();
            Err((401, "invalid_client", 700_213, text))
        }
        Proof::Certificate { der, key } if asserted && is_signed(assertion, id, endpoint, der, key) => Ok(()),
        Proof::Certificate { .. } => {
            let text = "The certificate with identifier used to sign the client assertion is not registered \
                        on application.";
            Err((401, "invalid_client", 700_027, text.to_owned()))
        }
    }
}

/// Whether an assertion is one of this application for this authority, signed with its certificate's key.
fn is_signed(assertion: &str, id: &str, endpoint: &str, der: &[u8], key: &[u8]) -> bool {
    let Some((signed, signature)) = assertion.rsplit_once('.') else {
        return false;
    };
    let Some((header, claims)) = signed.split_once('.') else {
        return false;
    };
    let (header, claims) = (part(header), part(claims));
    let text = |object: &Value, name: &str| object[name].as_str().unwrap_or_default().to_owned();
    let newer = URL_SAFE_NO_PAD.encode(digest(&SHA256, der));
    let older = URL_SAFE_NO_PAD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, der));
    let own = ["iss", "sub"].iter().all(|claim| text(&claims, claim) == id);
    let meant = text(&claims, "aud") == endpoint && !text(&claims, "jti").is_empty();
    let lasts = claims["exp"].as_u64().is_some_and(|end| end > 1_767_225_600);
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap_or_default();
    // A thumbprint goes with the signature of its time, and with no other.
    let (fits, named) = match text(&header, "alg").as_str() {
        "RS256" => (UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key), text(&header, "x5t") == older),
        "PS256" => {
            (UnparsedPublicKey::new(&RSA_PSS_2048_8192_SHA256, key), text(&header, "x5t#S256") == newer)
        }
        _ => return false,
    };
    named && own && meant && lasts && fits.verify(signed.as_bytes(), &signature).is_ok()
}

/// A part of a token, as JSON; null where it is none.
fn part(text: &str) -> Value {
    let bytes = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}
