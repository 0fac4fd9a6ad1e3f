//! How requests travel: one HTTP client with the run's trust roots, proxies and patience, and what the
//! clients of tokens and of the resource manager share.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use azure_core::cloud::{CloudConfiguration, CustomConfiguration};
use azure_core::error::ErrorKind;
use azure_core::http::headers::{Headers, RETRY_AFTER, RETRY_AFTER_MS, X_MS_RETRY_AFTER_MS};
use azure_core::http::{
    AsyncRawResponse, ClientOptions, HttpClient, RawResponse, Request, RetryOptions, Transport,
};
use landfall_net::Trust;
use landfall_platform::cloud::Patience;
use reqwest::redirect::Policy;
use rustls::ClientConfig;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;

use super::arm::pause;
use super::authority;

/// How long an endpoint that took a request may keep silent.
const READ: Duration = Duration::from_secs(20);
/// A request for a token is put so often before it counts as failed.
const ATTEMPTS: u32 = 4;

/// A client that trusts these roots and follows no redirect; none where the libraries lack what it needs.
/// Services of this machine are asked without a proxy.
pub(super) fn client(trust: &Trust, patience: Patience, proxied: bool) -> Option<reqwest::Client> {
    let tls = trust.client_config().ok()?;
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(ClientConfig::clone(&tls))
        .connect_timeout(patience.connect)
        .read_timeout(READ.min(patience.call))
        .redirect(Policy::none());
    let builder = if proxied { builder } else { builder.no_proxy() };
    builder.build().ok()
}

/// The settings of a client that asks for tokens: a request that was limited, or that the authority failed
/// at, is repeated, after the pause that it asks for and while the limit allows. What it answered last is
/// told before the limit is reached.
pub(super) fn for_tokens(client: &reqwest::Client, authority: &Url, limit: Duration) -> ClientOptions {
    let mut cloud = CustomConfiguration::default();
    authority.as_str().clone_into(&mut cloud.authority_host);
    let asking: Arc<dyn HttpClient> =
        Arc::new(Patient { client: client.clone(), limit: limit.saturating_sub(limit / 10) });
    ClientOptions {
        cloud: Some(Arc::new(CloudConfiguration::Custom(cloud))),
        retry: RetryOptions::none(),
        transport: Some(Transport::new(asking)),
        ..ClientOptions::default()
    }
}

/// The settings of a client that repeats nothing by itself.
pub(super) fn for_calls(client: &reqwest::Client) -> ClientOptions {
    ClientOptions { retry: RetryOptions::none(), ..bare(client) }
}

fn bare(client: &reqwest::Client) -> ClientOptions {
    ClientOptions { transport: Some(Transport::new(Arc::new(client.clone()))), ..ClientOptions::default() }
}

/// A client of an authority, which puts a question again that was not answered for reasons that may pass.
#[derive(Debug)]
struct Patient<C = reqwest::Client> {
    client: C,
    limit: Duration,
}

impl<C: HttpClient> Patient<C> {
    async fn answer(&self, request: &Request) -> azure_core::Result<AsyncRawResponse> {
        let deadline = Instant::now() + self.limit;
        let mut last: Option<RawResponse> = None;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let answer = match last.take() {
                None => self.once(request).await,
                Some(told) => match timeout_at(deadline, self.once(request)).await {
                    Ok(answer) => answer,
                    Err(_) => return Ok(readable(told)),
                },
            };
            let pause = match &answer {
                Ok(response) if !passes(response.status().into()) => None,
                Ok(response) => Some(retry_after(response.headers()).unwrap_or_else(|| pause(attempt))),
                Err(error) => {
                    matches!(error.kind(), ErrorKind::Io | ErrorKind::Connection).then(|| pause(attempt))
                }
            };
            let next = pause.and_then(|pause| Instant::now().checked_add(pause));
            match (next.filter(|next| attempt < ATTEMPTS && *next < deadline), answer) {
                (None, answer) => return answer.map(readable),
                (Some(next), answer) => {
                    last = answer.ok();
                    sleep(next.saturating_duration_since(Instant::now())).await;
                }
            }
        }
    }

    async fn once(&self, request: &Request) -> azure_core::Result<RawResponse> {
        self.client.execute_request(request).await?.try_into_raw_response().await
    }
}

// The trait is made by the macro of async-trait; this is what the macro makes of an `async fn`.
impl<C: HttpClient> HttpClient for Patient<C> {
    fn execute_request<'life0, 'life1, 'async_trait>(
        &'life0 self,
        request: &'life1 Request,
    ) -> Pin<Box<dyn Future<Output = azure_core::Result<AsyncRawResponse>> + Send + 'async_trait>>
    where
        'life0: 'async_trait,
        'life1: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(self.answer(request))
    }
}

/// Whether an answer with this status may be another one in a while.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502 | 503 | 504)
}

/// An answer in the one form that the library reads: it would lose the status of a page for people, and the
/// numbers of a description with line breaks in it.
fn readable(response: RawResponse) -> AsyncRawResponse {
    let written = {
        let body: &[u8] = response.body().as_ref();
        let read: Option<Value> = serde_json::from_slice(body).ok();
        let written =
            if response.status().is_success() { read.and_then(numbered) } else { Some(coded(read)) };
        written.map_or_else(|| body.to_vec(), |written| written.to_string().into_bytes())
    };
    let (status, headers, _) = response.deconstruct();
    AsyncRawResponse::from_bytes(status, headers, written)
}

/// An answer with a token whose life is written as a text, with a number instead; none where there is no such
/// text.
fn numbered(mut answer: Value) -> Option<Value> {
    let life = answer.as_object_mut()?.get_mut("expires_in")?;
    let seconds: i64 = life.as_str()?.trim().parse().ok()?;
    *life = json!(seconds);
    Some(answer)
}

/// What an answer says without a token: the numbers of its errors.
fn coded(answer: Option<Value>) -> Value {
    let answer = answer.unwrap_or_default();
    let given = answer.get("error_codes").and_then(Value::as_array).cloned().unwrap_or_default();
    let given = given.iter().filter_map(Value::as_i64).filter_map(|code| i32::try_from(code).ok());
    let mut codes: Vec<i32> = given.collect();
    let description = answer.get("error_description").and_then(Value::as_str).unwrap_or_default();
    for code in authority::in_text(description).iter().filter_map(|code| code.parse::<i32>().ok()) {
        if !codes.contains(&code) {
            codes.push(code);
        }
    }
    json!({ "error_codes": codes, "error_description": "" })
}

/// The pause that an answer asks for.
pub(super) fn retry_after(headers: &Headers) -> Option<Duration> {
    let milliseconds = [X_MS_RETRY_AFTER_MS, RETRY_AFTER_MS].iter().find_map(|name| {
        let number: u32 = headers.get_optional_str(name)?.trim().parse().ok()?;
        Some(Duration::from_millis(u64::from(number)))
    });
    milliseconds.or_else(|| {
        let number: u32 = headers.get_optional_str(&RETRY_AFTER)?.trim().parse().ok()?;
        Some(Duration::from_secs(u64::from(number)))
    })
}

/// An error with all of its causes.
pub(super) fn causes<'e>(
    error: &'e (dyn Error + 'static),
) -> impl Iterator<Item = &'e (dyn Error + 'static)> {
    const DEEPEST: usize = 16;
    std::iter::successors(Some(error), |&cause| cause.source()).take(DEEPEST)
}

/// Whether a client gave up as nothing came for too long.
pub(super) fn timed_out(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pause_is_read_in_every_form_that_azure_writes() {
        let asked = |name: &'static str, value: &'static str| {
            let mut headers = Headers::new();
            headers.insert(name, value);
            retry_after(&headers)
        };
        assert_eq!(asked("retry-after", "17"), Some(Duration::from_secs(17)));
        assert_eq!(asked("retry-after-ms", "250"), Some(Duration::from_millis(250)));
        assert_eq!(asked("x-ms-retry-after-ms", "0"), Some(Duration::ZERO));
        assert_eq!(asked("retry-after", "99999999999999999999"), None);
        assert_eq!(asked("retry-after", "soon"), None);
        assert_eq!(retry_after(&Headers::new()), None);
    }

    #[test]
    fn answers_are_read_in_every_form_that_authorities_write() {
        let token = |life: Value| numbered(json!({ "access_token": "x", "expires_in": life }));
        assert_eq!(token(json!("3599")), Some(json!({ "access_token": "x", "expires_in": 3599 })));
        assert_eq!((token(json!(3599)), token(json!("soon")), numbered(json!({}))), (None, None, None));
        let codes = |answer: Option<Value>| coded(answer).get("error_codes").cloned();
        assert_eq!(codes(Some(json!({ "error_codes": [7_000_215, "x"] }))), Some(json!([7_000_215])));
        let told = json!({ "error_description": "AADSTS700016: canary\r\nTrace ID: 1" });
        assert_eq!(codes(Some(told.clone())), Some(json!([700_016])));
        assert!(!coded(Some(told)).to_string().contains("canary"));
        assert_eq!(codes(None), Some(json!([])));
    }

    #[test]
    fn a_client_is_made_of_the_run_s_trust() {
        let trust = Trust::gather(true, &[]);
        let second = Duration::from_secs(1);
        let patience = Patience { connect: second, call: second, at_once: 1 };
        assert!(client(&trust, patience, true).is_some());
        assert!(client(&trust, patience, false).is_some());
    }
}
