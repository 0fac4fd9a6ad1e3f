//! What came back from a call to the resource manager that failed, in words that may be shown.
//!
//! Azure and the programs in front of it may repeat what they were sent. Only the first line of a message is
//! kept, and what is known to be secret is taken out of it.

use std::sync::LazyLock;
use std::time::Duration;

use azure_core::error::ErrorKind;
use azure_core::http::RawResponse;
use azure_core::http::headers::{CONTENT_TYPE, HeaderName, Headers};
use landfall_diagnostics::secret::Scrub;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_model::catalogue::value::shipped;
use landfall_platform::cloud::Answer;
use serde::Deserialize;
use serde_json::Value;

use super::{authority, pages, transport};

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The call, such as `GET resourceGroups/demo-rg`.
    pub(super) call: String,
    /// What it failed for.
    pub(super) sort: Sort,
    /// The error's code, where Azure answered with one.
    pub(super) code: Option<String>,
    /// What is wrong, without a full stop.
    pub(super) message: String,
    /// The id under which Azure can look the request up.
    pub(super) correlation_id: Option<String>,
}

/// What a call can fail for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The caller may not do this.
    Denied,
    /// The token is not accepted, or there is none.
    Credentials,
    /// Azure was asked too often, even after all repetitions.
    Throttled,
    /// What was asked for is not there.
    NotFound,
    /// No answer came in time.
    TimedOut,
    /// No connection came about.
    Unreachable,
    /// What answered is not the resource manager.
    NotUnderstood,
    /// The service gives another reason.
    Service,
}

/// The codes of errors, by what they say.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Codes {
    /// Azure has a fault of its own.
    trouble: Vec<String>,
    denied: Vec<String>,
    credentials: Vec<String>,
    throttled: Vec<String>,
    /// The resource manager does not know the type of what is asked for, so that nothing is said of the thing.
    unknown_type: Vec<String>,
    /// The caller cannot see the subscription.
    no_subscription: Vec<String>,
    /// What passes: a service does not see yet what another one has created, or changes the same resource just now.
    passing: Vec<String>,
}

static CODES: LazyLock<Codes> = LazyLock::new(|| shipped(include_str!("../data/fault-codes.json")));

const CORRELATION: HeaderName = HeaderName::from_static("x-ms-correlation-request-id");
const REQUEST: HeaderName = HeaderName::from_static("x-ms-request-id");

impl Fault {
    /// What an answer that is no success says; nothing that `scrub` hides is in it.
    pub(super) fn of_response(call: &str, response: &RawResponse, scrub: &Scrub) -> Self {
        let status = u16::from(response.status());
        let document: Option<Value> = serde_json::from_slice(response.body().as_ref()).ok();
        Self::of_document(call, status, document.as_ref(), response.headers(), scrub)
    }

    /// What a document that tells of an error says.
    pub(super) fn of_document(
        call: &str,
        status: u16,
        document: Option<&Value>,
        headers: &Headers,
        scrub: &Scrub,
    ) -> Self {
        let text = |key: &str| {
            let document = document?;
            let error = document.get("error").filter(|error| error.is_object()).unwrap_or(document);
            error.get(key)?.as_str().filter(|text| !text.is_empty())
        };
        let code = text("code").map(|code| scrub.clean(&shortened(code)));
        let header = |name: &HeaderName| headers.get_optional_str(name).map(shortened);
        let message = match &code {
            Some(_) => told(text("message").unwrap_or_default(), scrub),
            None => not_understood(status, header(&CONTENT_TYPE).as_deref()),
        };
        Self {
            call: call.to_owned(),
            sort: sort_of(status, code.as_deref()),
            code,
            message: scrub.clean(&message),
            correlation_id: header(&CORRELATION).or_else(|| header(&REQUEST)).map(|id| scrub.clean(&id)),
        }
    }

    /// Why no answer came.
    pub(super) fn of_error(call: &str, error: &azure_core::Error, scrub: &Scrub) -> Self {
        let (sort, why) = match landfall_net::fault(error) {
            Some((landfall_net::Sort::TimedOut, why)) => (Sort::TimedOut, why),
            Some((_, why)) => (Sort::Unreachable, why),
            None if transport::timed_out(error) => (Sort::TimedOut, "no response in time".to_owned()),
            None if matches!(error.kind(), ErrorKind::Io | ErrorKind::Connection) => {
                (Sort::Unreachable, "the connection failed".to_owned())
            }
            None => (Sort::Service, "the request cannot be created".to_owned()),
        };
        Self::bare(call, sort, scrub.clean(&why))
    }

    /// That there is no token to call with.
    pub(super) fn of_token(call: &str, error: &azure_core::Error) -> Self {
        let status = authority::failed_with(error);
        let codes = authority::codes(error).into_iter().map(|code| format!("AADSTS{code}"));
        let why: Vec<String> =
            status.map(|status| format!("HTTP {status}")).into_iter().chain(codes).collect();
        let why = if why.is_empty() { String::new() } else { format!(": {}", why.join(", ")) };
        let sort = if status == Some(429) { Sort::Throttled } else { Sort::Credentials };
        Self::bare(call, sort, format!("no token{why}"))
    }

    /// That nothing came within the limit.
    pub(super) fn late(call: &str, limit: Duration) -> Self {
        Self::bare(call, Sort::TimedOut, format!("no response in {} s", limit.as_secs_f32()))
    }

    /// That an answer is none of the resource manager.
    pub(super) fn not_understood(call: &str, why: impl Into<String>) -> Self {
        Self::bare(call, Sort::NotUnderstood, why.into())
    }

    /// That a request cannot be made at all.
    pub(super) fn unmade(call: &str, why: &str) -> Self {
        Self::bare(call, Sort::Service, why.to_owned())
    }

    fn bare(call: &str, sort: Sort, message: String) -> Self {
        Self { call: call.to_owned(), sort, code: None, message, correlation_id: None }
    }

    /// Whether Azure answered with this code.
    pub(super) fn is(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    /// Whether it is a fault of Azure's own. Whether the call had an effect is unknown then.
    pub(super) fn is_trouble(&self) -> bool {
        self.is_among(&CODES.trouble)
    }

    /// Whether the same call may succeed once other resources are as it needs them.
    pub(super) fn passes(&self) -> bool {
        self.is_among(&CODES.passing)
    }

    /// Whether the caller cannot see the subscription.
    pub(super) fn lacks_subscription(&self) -> bool {
        self.is_among(&CODES.no_subscription)
    }

    fn is_among(&self, codes: &[String]) -> bool {
        codes.iter().any(|code| self.is(code))
    }

    /// Whether what was asked for is not there, in a subscription that is.
    pub(super) fn is_absence(&self) -> bool {
        self.sort == Sort::NotFound && !self.lacks_subscription()
    }

    /// What was tried, what came back, and what to do.
    pub(super) fn finding(&self, field: &str) -> Finding {
        let kind = match self.sort {
            Sort::Denied => Kind::Forbidden,
            _ if self.may_pass() => Kind::InternalError,
            _ => Kind::Invalid,
        };
        Finding::error(&pages::CALL, kind, field, self.sentence()).help(self.help())
    }

    /// Whether the same call may succeed another time, without anything being done: Azure, the network or what is on
    /// the way was in trouble, or something else answered.
    pub(super) fn may_pass(&self) -> bool {
        match self.sort {
            Sort::Throttled | Sort::TimedOut | Sort::Unreachable | Sort::NotUnderstood => true,
            Sort::Service => self.is_trouble(),
            Sort::Denied | Sort::Credentials | Sort::NotFound => false,
        }
    }

    /// The finding, with call, code and correlation id as evidence.
    pub(super) fn answer(&self, field: &str) -> Answer {
        self.attach(Answer::found(self.finding(field)))
    }

    /// An answer with call, code and correlation id as evidence.
    pub(super) fn attach(&self, answer: Answer) -> Answer {
        let id = ("correlationId", self.correlation_id.as_deref());
        answer.with_call(&self.call, self.code.as_deref(), id)
    }

    /// What was tried and what came back, as a sentence without a full stop.
    pub(super) fn sentence(&self) -> String {
        let id = self.correlation_id.as_ref().map(|id| format!(" (correlation id {id})")).unwrap_or_default();
        let Some(code) = &self.code else {
            return format!("{} failed: {}{id}", self.call, self.message);
        };
        let message = if self.message.is_empty() { String::new() } else { format!(": {}", self.message) };
        format!("{} returned {code}{message}{id}", self.call)
    }

    fn help(&self) -> &'static str {
        match self.sort {
            Sort::Denied => {
                "assign the caller a role that allows it, such as Contributor, or use other credentials; a \
                 new role assignment takes some minutes to take effect"
            }
            Sort::Credentials => {
                "use credentials of the subscription's cloud and tenant; the check azure.credentials shows \
                 more"
            }
            Sort::Throttled => {
                "Azure limits the request rate of a subscription; wait, and check whether other programs \
                 send too many requests"
            }
            Sort::NotFound => "check that it is in this subscription and group, and that its name is right",
            Sort::TimedOut => "check the network and the proxy; --timeout and --deadline set longer limits",
            Sort::Unreachable => "check the network and the proxy to the endpoint, and its URL",
            Sort::NotUnderstood => {
                "check the URL of the endpoint, and which server answers there: a gateway, a proxy or a \
                 load balancer without a backend returns this"
            }
            Sort::Service => {
                "follow the message of Azure; Azure support can find the call by its \
                correlation ID"
            }
        }
    }
}

/// What a status and a code say. Without a code it is not the resource manager that answered, unless the
/// status says everything.
fn sort_of(status: u16, code: Option<&str>) -> Sort {
    let among = |codes: &[String]| code.is_some_and(|code| codes.iter().any(|known| known == code));
    if status == 429 || among(&CODES.throttled) {
        Sort::Throttled
    } else if status == 401 || among(&CODES.credentials) {
        Sort::Credentials
    } else if code.is_none() {
        Sort::NotUnderstood
    } else if among(&CODES.unknown_type) {
        Sort::Service
    } else if status == 403 || among(&CODES.denied) {
        Sort::Denied
    } else if status == 404
        || among(&CODES.no_subscription)
        || code.is_some_and(|code| code.ends_with("NotFound"))
    {
        Sort::NotFound
    } else {
        Sort::Service
    }
}

/// What of a message may be shown.
fn told(message: &str, scrub: &Scrub) -> String {
    const MOST: usize = 400;
    let message = scrub.clean(message);
    let line = message.trim_start().lines().next().unwrap_or_default();
    let line: String = line.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim_end_matches(['.', ' ', ',', ':', ';']).to_owned()
}

/// What an answer is that is none of the resource manager.
pub(super) fn not_understood(status: u16, content_type: Option<&str>) -> String {
    let kind = content_type.map(|kind| format!(", {kind}")).unwrap_or_default();
    format!("unexpected response (HTTP {status}{kind}): this is not the resource manager")
}

#[cfg(test)]
mod tests {
    use azure_core::http::StatusCode;

    use super::*;
    use landfall_diagnostics::secret::Secret;

    fn scrub() -> Scrub {
        let mut scrub = Scrub::default();
        scrub.hide(&Secret::new("canary-token".to_owned()));
        scrub
    }

    fn answered(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Fault {
        let mut all = Headers::new();
        for (name, value) in headers {
            all.insert(*name, *value);
        }
        let response = RawResponse::from_bytes(StatusCode::from(status), all, body.to_owned());
        Fault::of_response("GET resourceGroups/rg", &response, &scrub())
    }

    fn coded(status: u16, code: &str) -> Fault {
        answered(status, &[], &format!(r#"{{"error":{{"code":"{code}","message":"no"}}}}"#))
    }

    #[test]
    fn all_codes_can_be_read() -> Result<(), serde_json::Error> {
        let all: Codes = serde_json::from_str(include_str!("../data/fault-codes.json"))?;
        let Codes { trouble, denied, credentials, throttled, unknown_type, no_subscription, passing } = all;
        let all = [trouble, denied, credentials, throttled, unknown_type, no_subscription, passing];
        assert_eq!(all.map(|codes| codes.len()), [8, 5, 6, 3, 5, 2, 15]);
        Ok(())
    }

    #[test]
    fn codes_are_sorted() {
        let codes = [
            (403, "AuthorizationFailed", Sort::Denied),
            (403, "RequestDisallowedByPolicy", Sort::Denied),
            (401, "InvalidAuthenticationTokenTenant", Sort::Credentials),
            (401, "SomethingNew", Sort::Credentials),
            (429, "SubscriptionRequestsThrottled", Sort::Throttled),
            (404, "ResourceGroupNotFound", Sort::NotFound),
            (404, "ResourceNotFound", Sort::NotFound),
            (404, "NotFound", Sort::NotFound),
            (404, "SubscriptionNotFound", Sort::NotFound),
            (400, "InvalidSubscriptionId", Sort::NotFound),
            (404, "InvalidResourceType", Sort::Service),
            (400, "NoRegisteredProviderFound", Sort::Service),
            (409, "Conflict", Sort::Service),
            (500, "InternalServerError", Sort::Service),
        ];
        for (status, code, sort) in codes {
            assert_eq!(coded(status, code).sort, sort, "{code}");
        }
        assert!(coded(404, "ResourceGroupNotFound").is_absence());
        assert!(!coded(404, "SubscriptionNotFound").is_absence());
        assert!(!coded(404, "InvalidResourceType").is_absence());
    }

    #[test]
    fn an_answer_is_told_with_its_code_and_id() {
        let body =
            r#"{"error":{"code":"AuthorizationFailed","message":"The client \"x\" may not.\r\nMore."}}"#;
        let fault = answered(403, &[("x-ms-request-id", "r"), ("x-ms-correlation-request-id", "c-1")], body);
        let parts = ["GET resourceGroups/rg ", " AuthorizationFailed: The client \"x\" may not", " c-1"];
        assert!(parts.iter().all(|part| fault.sentence().contains(part)), "{}", fault.sentence());
        assert!(fault.is("AuthorizationFailed"));
        let finding = fault.finding("platform.azure");
        assert_eq!((finding.code.as_str(), finding.kind), ("LF1121", Kind::Forbidden));
        let evidence = fault.answer("").evidence;
        assert_eq!(evidence.get("correlationId").and_then(Value::as_str), Some("c-1"));
        let flat =
            answered(404, &[], r#"{"code":"NotFound","message":"the token canary-token is not there"}"#);
        assert!(flat.message.contains("<redacted>") && !flat.message.contains("canary"), "{}", flat.message);
    }

    #[test]
    fn what_is_no_answer_of_azure_is_not_understood() {
        let html = answered(502, &[("content-type", "text/html")], "<html>canary</html>");
        assert_eq!(html.sort, Sort::NotUnderstood);
        assert!(html.message.contains("(HTTP 502, text/html)"), "{}", html.message);
        assert_eq!(answered(404, &[], "").sort, Sort::NotUnderstood);
        assert_eq!(answered(429, &[], "").sort, Sort::Throttled);
        assert_eq!(answered(400, &[], r#"{"error":"text"}"#).sort, Sort::NotUnderstood);
    }

    #[test]
    fn no_answer_is_sorted_too() {
        let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        let error = azure_core::Error::with_error(ErrorKind::Connection, refused, "canary");
        let fault = Fault::of_error("GET x", &error, &Scrub::default());
        assert_eq!(fault.sort, Sort::Unreachable);
        let other = azure_core::Error::with_message(ErrorKind::Other, "canary");
        let unmade = Fault::of_error("GET x", &other, &Scrub::default());
        assert!(unmade.sentence().starts_with("GET x ") && !unmade.sentence().contains("canary"));
        let busy = ErrorKind::HttpResponse {
            status: StatusCode::TooManyRequests,
            error_code: Some("90055".to_owned()),
            raw_response: None,
        };
        let busy = Fault::of_token("GET x", &azure_core::Error::with_message(busy, "canary"));
        assert_eq!(busy.sort, Sort::Throttled);
        assert!(busy.sentence().ends_with("HTTP 429, AADSTS90055"), "{}", busy.sentence());
        let late = Fault::late("GET x", Duration::from_secs(30));
        assert_eq!(late.sort, Sort::TimedOut);
        assert!(late.sentence().ends_with(" 30 s"), "{}", late.sentence());
        let html = answered(502, &[("content-type", "text/html")], "<html>canary</html>");
        let denied = r#"{"error":{"code":"AuthorizationFailed","message":"You may not."}}"#;
        let denied = answered(403, &[("x-ms-correlation-request-id", "c-1")], denied);
        let all = [denied, html, fault, unmade, busy, late].map(|fault| fault.finding(""));
        landfall_testing::assert_findings("azure-calls", &all);
    }
}
