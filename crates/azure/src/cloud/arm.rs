//! Calls to the resource manager: one question each, repeated while Azure asks for patience, and lists page
//! by page.

use std::sync::Arc;
use std::time::Duration;

use azure_core::http::headers::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, IF_MATCH};
use azure_core::http::{ClientOptions, Context, Method, Pipeline, PipelineSendOptions, RawResponse, Request};
use landfall_net::ConcurrencyLimit;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;

use super::api_versions::Api;
use super::described::{WithoutNulls, etag_of};
use super::environment::shown;
use super::fault::{self, Fault, Sort};
use super::identity::Tokens;
use super::session::SharedScrub;
use super::transport::retry_after;

/// A call is put so often before it counts as failed.
const ATTEMPTS: u32 = 5;
/// How often an answer is asked for that cannot be read.
const READS: u32 = 3;
/// The first pause between two attempts; each one after it is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(400);
const LONGEST_PAUSE: Duration = Duration::from_secs(3);
/// No list is that long.
const MOST_PAGES: usize = 200;

const JSON: &str = "application/json";

/// The resource manager of a cloud.
pub(super) struct Arm {
    pipeline: Pipeline,
    base: Url,
    hybrid: bool,
    limit: Duration,
    scrub: SharedScrub,
    concurrency: ConcurrencyLimit,
    tokens: Option<Arc<Tokens>>,
}

/// An attempt that failed.
struct Failed {
    fault: Fault,
    /// The status of the answer, where there was one.
    status: Option<u16>,
    /// The pause that the answer asks for.
    pause: Option<Duration>,
}

/// A page of a list.
#[derive(Deserialize)]
struct Portion<T> {
    value: Vec<T>,
    #[serde(rename = "nextLink", alias = "@odata.nextLink")]
    next_link: Option<String>,
}

impl Arm {
    /// The resource manager at a URL, asked without a token. No call takes longer than the limit.
    pub(super) fn new(
        options: ClientOptions,
        base: &Url,
        hybrid: bool,
        limit: Duration,
        scrub: SharedScrub,
        concurrency: ConcurrencyLimit,
    ) -> Self {
        let (name, version) = (option_env!("CARGO_PKG_NAME"), option_env!("CARGO_PKG_VERSION"));
        let pipeline = Pipeline::new(name, version, options, Vec::new(), Vec::new(), None);
        Self { pipeline, base: base.clone(), hybrid, limit, scrub, concurrency, tokens: None }
    }

    /// The same, asked with tokens.
    pub(super) fn with_tokens(self, tokens: Arc<Tokens>) -> Self {
        Self { tokens: Some(tokens), ..self }
    }

    /// What is at a path below the resource manager, which begins with a slash.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        kind: Api,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Fault> {
        let call = named("GET", path);
        let url = self.url(&call, kind, path, query)?;
        self.read::<WithoutNulls<T>>(&call, &url).await.map(|read| read.0)
    }

    /// What is at a URL. An answer that holds nothing, or something else, comes from something on the way: it is asked
    /// for again.
    pub(super) async fn read<T: DeserializeOwned>(&self, call: &str, url: &Url) -> Result<T, Fault> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let response = self.send(call, Method::Get, url, None).await?;
            match read(call, &response) {
                Err(_) if attempt < READS => sleep(pause(attempt)).await,
                answer => return answer,
            }
        }
    }

    /// What is at a path; none where nothing is.
    pub(super) async fn find<T: DeserializeOwned>(
        &self,
        kind: Api,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Option<T>, Fault> {
        if_there(self.get(kind, path, query).await)
    }

    /// The whole list at a path.
    pub(super) async fn list<T: DeserializeOwned>(
        &self,
        kind: Api,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Vec<T>, Fault> {
        let call = named("GET", path);
        let url = self.url(&call, kind, path, query)?;
        self.listed(&call, url).await
    }

    /// The whole list that begins at a URL.
    pub(super) async fn listed<T: DeserializeOwned>(&self, call: &str, from: Url) -> Result<Vec<T>, Fault> {
        let listed = self.pages::<WithoutNulls<T>>(call, from).await?;
        Ok(listed.into_iter().map(|read| read.0).collect())
    }

    /// The same, with the members that are `null`.
    pub(super) async fn pages<T: DeserializeOwned>(&self, call: &str, from: Url) -> Result<Vec<T>, Fault> {
        let mut url = from;
        let mut all = Vec::new();
        for _ in 0..MOST_PAGES {
            let portion: Portion<T> = self.read(call, &url).await?;
            all.extend(portion.value);
            match portion.next_link.filter(|link| !link.is_empty()) {
                Some(link) => url = self.here(call, &url, &link)?,
                None => return Ok(all),
            }
        }
        Err(Fault::not_understood(call, format!("the list does not end after {MOST_PAGES} pages")))
    }

    /// The URL of a path, with the version of its kind.
    pub(super) fn url(
        &self,
        call: &str,
        kind: Api,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Url, Fault> {
        self.url_in(call, self.version(kind), path, query)
    }

    /// The version in which a kind is asked for here.
    pub(super) fn version(&self, kind: Api) -> &'static str {
        kind.version(self.hybrid)
    }

    /// The URL of a path, with a version that is known otherwise.
    pub(super) fn url_in(
        &self,
        call: &str,
        version: &str,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Url, Fault> {
        let mut url = self.base.clone();
        let whole = format!("{}{path}", self.base.path().trim_end_matches('/'));
        url.set_path(&whole);
        // A name such as `..` must not lead to another resource.
        if whole.contains('\\') || url.path().matches('/').count() != whole.matches('/').count() {
            return Err(Fault::unmade(call, "a name in it is not valid in a URL"));
        }
        {
            let mut pairs = url.query_pairs_mut();
            pairs.clear().append_pair("api-version", version);
            for (name, value) in query {
                pairs.append_pair(name, value);
            }
        }
        // A blank that is written as a plus is a plus to some services.
        let written = url.query().unwrap_or_default().replace('+', "%20");
        url.set_query(Some(&written));
        Ok(url)
    }

    /// What is meant by a link in the answer of `from`. Whatever host it names, the resource manager itself
    /// is asked: a token goes nowhere else.
    pub(super) fn here(&self, call: &str, from: &Url, link: &str) -> Result<Url, Fault> {
        let meant = from.join(link).ok().filter(|url| matches!(url.scheme(), "https" | "http"));
        let Some(meant) = meant else {
            let why = format!("the response has a link outside of `{}`", shown(&self.base));
            return Err(Fault::not_understood(call, why));
        };
        let mut url = self.base.clone();
        url.set_path(meant.path());
        url.set_query(meant.query());
        Ok(url)
    }

    /// What an answer says that tells of an error.
    pub(super) fn told(&self, call: &str, response: &RawResponse) -> Fault {
        Fault::of_response(call, response, &self.scrub.now())
    }

    /// The answer to a request, after as many attempts as it takes and the limit allows. Azure may ask for a
    /// pause that goes beyond the limit; then there is no use in waiting at all. Waiting for a place takes
    /// nothing away from the limit.
    pub(super) async fn send(
        &self,
        call: &str,
        method: Method,
        url: &Url,
        body: Option<&[u8]>,
    ) -> Result<RawResponse, Fault> {
        let mut deadline = Instant::now() + self.limit;
        let mut last: Option<Fault> = None;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let begun = Instant::now();
            let permit = self.concurrency.take().await;
            deadline += begun.elapsed();
            let _call = landfall_net::calls::begin(call);
            let answer = timeout_at(deadline, self.once(call, method, url, body)).await;
            drop(permit);
            let Ok(answer) = answer else {
                return Err(last.unwrap_or_else(|| Fault::late(call, self.limit)));
            };
            let failed = match answer {
                Ok(response) => return Ok(response),
                Err(failed) => failed,
            };
            let pause = failed.pause.unwrap_or_else(|| pause(attempt));
            let too_late = Instant::now().checked_add(pause).is_none_or(|next| next >= deadline);
            if attempt == ATTEMPTS || too_late || !failed.is_passing(method) {
                return Err(failed.fault);
            }
            sleep(pause).await;
            last = Some(failed.fault);
        }
    }

    async fn once(
        &self,
        call: &str,
        method: Method,
        url: &Url,
        body: Option<&[u8]>,
    ) -> Result<RawResponse, Box<Failed>> {
        let silent = |fault: Fault| Box::new(Failed { fault, status: None, pause: None });
        let mut request = Request::new(url.clone(), method);
        request.insert_header(ACCEPT, JSON);
        if let Some(body) = body {
            request.insert_header(CONTENT_TYPE, JSON);
            if let Some(etag) = etag_of(body).filter(|_| method == Method::Put) {
                request.insert_header(IF_MATCH, etag);
            }
            request.set_body(body.to_vec());
        }
        if let Some(tokens) = &self.tokens {
            let token = tokens.token().await.map_err(|error| silent(Fault::of_token(call, &error)))?;
            request.insert_header(AUTHORIZATION, format!("Bearer {}", token.token.secret()));
        }
        let options = PipelineSendOptions { skip_checks: true, ..PipelineSendOptions::default() };
        let answer = self.pipeline.send(&Context::new(), &mut request, Some(options)).await;
        let response = answer.map_err(|error| silent(Fault::of_error(call, &error, &self.scrub.now())))?;
        if response.status().is_success() {
            if is_page(response.body().as_ref()) {
                let kind = response.headers().get_optional_str(&CONTENT_TYPE);
                let why = fault::not_understood(u16::from(response.status()), kind);
                return Err(silent(Fault::not_understood(call, why)));
            }
            return Ok(response);
        }
        let status = Some(u16::from(response.status()));
        let pause = retry_after(response.headers());
        Err(Box::new(Failed { fault: self.told(call, &response), status, pause }))
    }
}

/// Whether a body is the page of something on the way: the resource manager answers with JSON or nothing.
fn is_page(body: &[u8]) -> bool {
    body.trim_ascii_start().first() == Some(&b'<')
}

impl Failed {
    /// Whether the same request may do better in a while. One that changes something is repeated only where
    /// nothing has begun.
    fn is_passing(&self, method: Method) -> bool {
        let repeatable = matches!(method, Method::Get | Method::Delete);
        match self.status {
            Some(429 | 503) => true,
            Some(408 | 500 | 502 | 504) => repeatable,
            Some(_) => false,
            None => {
                let sorts = [Sort::Unreachable, Sort::TimedOut, Sort::NotUnderstood];
                repeatable && sorts.contains(&self.fault.sort)
            }
        }
    }
}

/// The pause after an attempt that asks for none; never the same, so that many do not come back at once.
pub(super) fn pause(attempt: u32) -> Duration {
    let grown = FIRST_PAUSE.saturating_mul(1 << attempt.saturating_sub(1).min(8));
    grown.min(LONGEST_PAUSE) + Duration::from_millis(u64::from(rand::random::<u8>()))
}

/// A call, for people: the subscription is the same in all of them.
pub(super) fn named(method: &str, path: &str) -> String {
    let below = path.strip_prefix("/subscriptions/").and_then(|rest| rest.split_once('/'));
    let rest = below.map_or_else(|| path.trim_start_matches('/'), |(_, rest)| rest);
    format!("{method} {rest}")
}

/// What is there; none where nothing is.
pub(super) fn if_there<T>(answer: Result<T, Fault>) -> Result<Option<T>, Fault> {
    match answer {
        Ok(found) => Ok(Some(found)),
        Err(fault) if fault.is_absence() => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// What an answer holds.
pub(super) fn read<T: DeserializeOwned>(call: &str, response: &RawResponse) -> Result<T, Fault> {
    serde_json::from_slice(response.body().as_ref()).map_err(|_| {
        let kind = response.headers().get_optional_str(&CONTENT_TYPE);
        Fault::not_understood(call, fault::not_understood(u16::from(response.status()), kind))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::scripted::{Scripted, scripted};
    use super::*;

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const GROUP: &str = "/subscriptions/s/resourceGroups/rg";

    #[tokio::test]
    async fn a_list_is_read_to_its_end_and_on_its_host() -> Outcome {
        let first = r#"{"value": [1, 2], "nextLink": "https://management.example.com/next?page=2"}"#;
        let (arm, script) = scripted(&[(200, &[], first), (200, &[], r#"{"value": [3], "nextLink": ""}"#)])?;
        let query = [("$filter", "location eq 'a+b'")];
        assert_eq!(arm.list::<u8>(Api::SKUS, "/subscriptions/s/skus", &query).await, Ok(vec![1, 2, 3]));
        let expected = [
            "GET https://management.example.com/subscriptions/s/skus?api-version=2021-07-01\
             &%24filter=location%20eq%20%27a%2Bb%27",
            "GET https://management.example.com/next?page=2",
        ];
        assert_eq!(script.asked(), expected);
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_is_no_success_of_any_call() -> Outcome {
        const PAGE: Scripted =
            (200, &[("content-type", "text/html")], "\n<!DOCTYPE html><html><body>Sign in</body></html>");
        for method in [Method::Get, Method::Delete] {
            let (arm, script) = scripted(&[PAGE; 5])?;
            let url = arm.url("x", Api::RESOURCE_GROUPS, GROUP, &[]).map_err(|fault| fault.sentence())?;
            let fault = arm.send("x", method, &url, None).await.err();
            assert_eq!(fault.map(|fault| fault.sort), Some(Sort::NotUnderstood), "{method:?}");
            // Something on the way may be gone the next time.
            assert_eq!(script.asked().len(), 5);
        }
        assert!(!is_page(b"") && !is_page(b"{}") && is_page(b" <a>"));
        Ok(())
    }

    #[tokio::test]
    async fn a_link_is_followed_at_the_resource_manager_only() -> Outcome {
        let links = [
            (r#"{"value": [], "nextLink": "https://other.example.com/next?page=2"}"#, "/next?page=2"),
            (r#"{"value": [], "nextLink": "http://user:pw@management.example.com/b%2Fc#d"}"#, "/b%2Fc"),
            (r#"{"value": [], "nextLink": "//other.example.com/next"}"#, "/next"),
            (r#"{"value": [], "nextLink": "/next?page=2"}"#, "/next?page=2"),
            (r#"{"value": [], "nextLink": "?page=2"}"#, "/x/y?page=2"),
            (r#"{"value": [], "nextLink": "z"}"#, "/x/z"),
        ];
        for (answer, expected) in links {
            let (arm, script) = scripted(&[(200, &[], answer), (200, &[], r#"{"value": [1]}"#)])?;
            assert_eq!(arm.list::<u8>(Api::SKUS, "/x/y", &[]).await, Ok(vec![1]), "{answer}");
            let expected = format!("GET https://management.example.com{expected}");
            assert_eq!(script.asked().get(1), Some(&expected), "{answer}");
        }
        let (arm, script) = scripted(&[(200, &[], r#"{"value": [], "nextLink": "mailto:a@example.com"}"#)])?;
        let sort = arm.list::<u8>(Api::SKUS, "/x", &[]).await.map_err(|fault| fault.sort);
        assert_eq!((sort, script.asked().len()), (Err(Sort::NotUnderstood), 1));
        Ok(())
    }

    #[tokio::test]
    async fn waiting_for_a_place_takes_nothing_away_from_the_limit() -> Outcome {
        let (arm, _) = scripted(&[(200, &[], "1")])?;
        let concurrency = ConcurrencyLimit::new(1);
        let taken = concurrency.take().await;
        let arm = Arm { limit: Duration::ZERO, concurrency, ..arm };
        let others = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            drop(taken);
        };
        let (answer, ()) =
            futures::future::join(arm.get::<u8>(Api::RESOURCE_GROUPS, GROUP, &[]), others).await;
        assert_eq!(answer, Ok(1));
        Ok(())
    }

    #[tokio::test]
    async fn what_is_not_there_is_none() -> Outcome {
        let gone = r#"{"error":{"code":"ResourceGroupNotFound","message":"no"}}"#;
        let unknown = r#"{"error":{"code":"SubscriptionNotFound","message":"no"}}"#;
        let (arm, _) = scripted(&[(404, &[], gone), (404, &[], unknown), (404, &[], "<html>")])?;
        assert_eq!(arm.find::<Value>(Api::RESOURCE_GROUPS, GROUP, &[]).await, Ok(None));
        let fault = arm.find::<Value>(Api::RESOURCE_GROUPS, GROUP, &[]).await.err();
        assert_eq!(fault.map(|fault| fault.call), Some("GET resourceGroups/rg".to_owned()));
        let fault = arm.find::<Value>(Api::RESOURCE_GROUPS, GROUP, &[]).await.err();
        assert_eq!(fault.map(|fault| fault.sort), Some(Sort::NotUnderstood));
        Ok(())
    }

    #[tokio::test]
    async fn a_run_that_recovers_does_not_fail() -> Outcome {
        const NOW: &[(&str, &str)] = &[("retry-after", "0")];
        let busy = r#"{"error":{"code":"TooManyRequests","message":"slowly"}}"#;
        let (arm, script) = scripted(&[(429, NOW, busy), (503, NOW, ""), (500, NOW, ""), (200, &[], "1")])?;
        assert_eq!(arm.get::<u8>(Api::RESOURCE_GROUPS, GROUP, &[]).await, Ok(1));
        assert_eq!(script.asked().len(), 4);
        let (arm, script) = scripted(&[(429, &[("retry-after", "3600")], busy)])?;
        let fault = arm.get::<u8>(Api::RESOURCE_GROUPS, GROUP, &[]).await.err();
        assert_eq!(fault.map(|fault| fault.sort), Some(Sort::Throttled));
        assert_eq!(script.asked().len(), 1);
        let (arm, script) = scripted(&[(429, NOW, busy); 9])?;
        let fault = arm.get::<u8>(Api::RESOURCE_GROUPS, GROUP, &[]).await.err();
        assert_eq!(fault.map(|fault| fault.sort), Some(Sort::Throttled));
        assert_eq!(script.asked().len(), 5);
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_of_another_form_is_not_understood() -> Outcome {
        const PAGE: Scripted = (200, &[("content-type", "text/html")], "<html>canary</html>");
        let (arm, _) = scripted(&[PAGE; 5])?;
        let fault = arm.get::<u8>(Api::RESOURCE_GROUPS, GROUP, &[]).await.err();
        assert_eq!(fault.as_ref().map(|fault| fault.sort), Some(Sort::NotUnderstood));
        assert!(fault.is_some_and(|fault| fault.message.contains("(HTTP 200, text/html)")));
        Ok(())
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_cannot_be_read_is_asked_for_again() -> Outcome {
        let (arm, script) = scripted(&[(200, &[], ""), (200, &[], "{"), (200, &[], "7")])?;
        assert_eq!(arm.get::<u8>(Api::RESOURCE_GROUPS, GROUP, &[]).await, Ok(7));
        assert_eq!(script.asked().len(), 3);
        Ok(())
    }

    #[test]
    fn a_name_stays_in_its_place() -> Outcome {
        let (arm, _) = scripted(&[])?;
        let path = |path: &str| arm.url("GET x", Api::NETWORKS, path, &[]).map(|url| url.path().to_owned());
        assert_eq!(path("/a/b%2Fc/d"), Ok("/a/b%2Fc/d".to_owned()));
        assert_eq!(path("/a/(b)?c"), Ok("/a/(b)%3Fc".to_owned()));
        for odd in ["/a/../b", "/a/%2e%2E/b", "/a/./b", "/a\\..\\b"] {
            assert_eq!(path(odd).map_err(|fault| fault.sort), Err(Sort::Service), "{odd}");
        }
        assert_eq!(named("GET", "/subscriptions/s"), "GET subscriptions/s");
        assert_eq!(named("GET", "/subscriptions/s/locations"), "GET locations");
        Ok(())
    }

    #[test]
    fn pauses_grow_up_to_a_bound() {
        let bounds = [(1, 400), (2, 800), (3, 1600), (4, 3000), (40, 3000)];
        for (attempt, least) in bounds {
            let milliseconds = pause(attempt).as_millis();
            assert!((least..=least + 255).contains(&milliseconds), "{attempt}: {milliseconds}");
        }
    }
}
