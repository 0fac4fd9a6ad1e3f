//! What came back from a call to AWS that failed, in words that may be shown.
//!
//! AWS and the programs in front of it may repeat what they were sent, credentials included. Only the part
//! of a message that says what is wrong is kept, and what is known to be secret is taken out of it.

use std::any::Any;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Debug;
use std::sync::LazyLock;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use landfall_diagnostics::secret::Scrub;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_platform::cloud::{Answer, Evidence, Verdict};

use super::{pages, renewal};

/// The errors of an operation in the SDK.
pub(super) trait Modelled: ProvideErrorMetadata + Error + 'static {}

impl<E: ProvideErrorMetadata + Error + 'static> Modelled for E {}

/// A call that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The call, such as `ec2:DescribeSubnets`.
    pub(super) call: String,
    /// What it failed for.
    pub(super) sort: Sort,
    /// The error's code, where AWS answered with one.
    pub(super) code: Option<String>,
    /// What is wrong, without a full stop.
    pub(super) message: String,
    /// The id under which AWS can look the request up.
    pub(super) request_id: Option<String>,
    /// The status of the HTTP answer, where there was one.
    pub(super) status: Option<u16>,
}

/// What a call can fail for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// The caller may not do this.
    Denied,
    /// The account has not subscribed to the service, or not enabled the region.
    NotEnabled,
    /// The credentials are not accepted.
    Credentials,
    /// The credentials were valid once.
    Expired,
    /// The credentials have ended, and their source gives no new ones now.
    Unrenewed,
    /// This machine's clock differs from that of AWS.
    Clock,
    /// AWS was asked too often, even after all repetitions.
    Throttled,
    /// What was asked for is not there.
    NotFound,
    /// No answer came in time.
    TimedOut,
    /// No connection came about.
    Unreachable,
    /// What answered is not AWS, or not the service.
    NotUnderstood,
    /// The service gives another reason.
    Service,
}

/// Codes by what they mean. With those of `notEnabled` the account lacks the service or the region, whoever asks; with
/// those of `signature` the signature is wrong, or the time that it was made at.
static CODES: LazyLock<BTreeMap<&str, Vec<&str>>> =
    LazyLock::new(|| serde_json::from_str(include_str!("data/error-codes.json")).unwrap_or_default());

fn is_in(list: &str, code: &str) -> bool {
    CODES.get(list).is_some_and(|codes| codes.contains(&code))
}

/// Where a message begins to repeat the request, or becomes unreadable; in lower case.
const REPETITIONS: &[&str] = &[
    "encoded authorization failure message",
    "the canonical string",
    "the string-to-sign",
    "authorization header:",
    "authorization=",
    "aws4-hmac-sha256",
    "x-amz-security-token",
    "credential=",
];

impl Fault {
    /// What a call failed for; nothing that `scrub` hides is in it.
    pub(super) fn of<E: Modelled, R: Debug + 'static>(
        call: &str,
        error: &SdkError<E, R>,
        scrub: &Scrub,
    ) -> Self {
        let response = error.raw_response().and_then(|raw| (raw as &dyn Any).downcast_ref::<HttpResponse>());
        let status = response.map(|response| response.status().as_u16());
        let header = |name: &'static str| response.and_then(|response| response.headers().get(name));
        let meta = error.meta();
        // A secret that was cut is harder to know, so nothing is shortened before it is clean.
        let clean = |text: &str| shortened(&scrub.clean(text));
        let code = meta.code().filter(|code| !code.is_empty()).map(clean);
        let said = meta.message().unwrap_or_default();
        let id = meta.extra("aws_request_id").or(header("x-amzn-requestid")).or(header("x-amz-request-id"));
        let (sort, message) = match (error, &code) {
            (SdkError::ServiceError(_), Some(code)) => (sort_of(code, said), told(code, said, scrub)),
            (SdkError::ServiceError(_) | SdkError::ResponseError(_), _) => {
                (Sort::NotUnderstood, not_understood(status, header("content-type").map(clean)))
            }
            (SdkError::TimeoutError(_), _) => (Sort::TimedOut, unreached(error, Sort::TimedOut)),
            (SdkError::DispatchFailure(failure), _) => {
                if let Some(why) = renewal::why(error) {
                    (Sort::Unrenewed, why)
                } else {
                    let sort = if failure.is_timeout() { Sort::TimedOut } else { Sort::Unreachable };
                    (sort, unreached(error, sort))
                }
            }
            (SdkError::ConstructionFailure(_), _) => {
                (Sort::Service, error.source().map(|source| clean(&source.to_string())).unwrap_or_default())
            }
            _ => (Sort::Service, "the SDK returned no reason".to_owned()),
        };
        Self {
            call: call.to_owned(),
            sort,
            code,
            message: scrub.clean(&message),
            request_id: id.map(clean),
            status,
        }
    }

    /// Whether AWS answered with this code.
    pub(super) fn is(&self, code: &str) -> bool {
        self.code.as_deref() == Some(code)
    }

    /// Whether something else than the service that was asked has answered: another service of AWS, or a
    /// program that knows nothing of AWS.
    pub(super) fn is_of_another(&self) -> bool {
        let unknown = self.code.as_deref().is_some_and(|code| is_in("unknownAction", code));
        self.sort == Sort::NotUnderstood || unknown || self.message.contains("scoped to correct service")
    }

    /// Whether a service refuses credentials, the region that they were used for, or the time of the request.
    pub(super) fn refuses_credentials(&self) -> bool {
        let sorts = [Sort::Credentials, Sort::Expired, Sort::Clock, Sort::NotEnabled];
        sorts.contains(&self.sort) || self.is("AuthorizationHeaderMalformed")
    }

    /// Whether a region that the account has not enabled may be the reason: such a region knows nobody.
    pub(super) fn may_be_of_region(&self) -> bool {
        const CODES: &[&str] = &["AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException"];
        self.sort == Sort::NotEnabled || CODES.iter().any(|code| self.is(code))
    }

    /// A call that something answered in a form that is not the service's.
    pub(super) fn foreign(call: &str, status: Option<u16>, content_type: Option<String>) -> Self {
        Self {
            call: call.to_owned(),
            sort: Sort::NotUnderstood,
            code: None,
            message: not_understood(status, content_type),
            request_id: None,
            status,
        }
    }

    /// Whether AWS may answer better in a while: it was asked too often, or has a fault of its own.
    pub(super) fn is_passing(&self) -> bool {
        let failing = self.status.is_some_and(|status| status >= 500);
        matches!(self.sort, Sort::Throttled | Sort::TimedOut) || (self.sort == Sort::Service && failing)
    }

    /// Whether the same call may succeed another time, without anything being done: AWS, the network or what is on
    /// the way was in trouble, or something else answered.
    pub(super) fn may_pass(&self) -> bool {
        self.is_passing() || matches!(self.sort, Sort::Unreachable | Sort::NotUnderstood | Sort::Unrenewed)
    }

    /// What was tried, what came back, and what to do.
    pub(super) fn finding(&self, field: &str) -> Finding {
        Finding::error(&pages::CALL, self.kind(), field, self.sentence()).help(self.help())
    }

    /// What is to be said at `field`. Where AWS was asked too often, nothing is known and nothing is wrong.
    pub(super) fn verdict(&self, field: &str) -> Verdict {
        match self.sort {
            Sort::Throttled => Verdict::Unanswered(self.sentence()),
            _ => Verdict::Found(Box::new(self.finding(field))),
        }
    }

    /// The same, with call, code and request id as evidence.
    pub(super) fn answer(&self, field: &str) -> Answer {
        self.attach(Answer { verdict: self.verdict(field), evidence: Evidence::new() })
    }

    /// An answer with call, code and request id as evidence.
    pub(super) fn attach(&self, answer: Answer) -> Answer {
        let id = ("requestId", self.request_id.as_deref());
        answer.with_call(&self.call, self.code.as_deref(), id)
    }

    /// What was tried and what came back, as a sentence without a full stop.
    pub(super) fn sentence(&self) -> String {
        let id = self.request_id.as_ref().map(|id| format!(" (request {id})")).unwrap_or_default();
        let Some(code) = &self.code else {
            return format!("{} failed: {}{id}", self.call, self.message);
        };
        let message = if self.message.is_empty() { String::new() } else { format!(": {}", self.message) };
        if self.sort == Sort::Throttled {
            return format!("AWS throttled {} on every retry: {code}{message}{id}", self.call);
        }
        format!("{} returned {code}{message}{id}", self.call)
    }

    fn kind(&self) -> Kind {
        match self.sort {
            Sort::Denied | Sort::NotEnabled => Kind::Forbidden,
            _ if self.may_pass() => Kind::InternalError,
            _ => Kind::Invalid,
        }
    }

    /// What to do about it.
    pub(super) fn help(&self) -> String {
        if self.sort == Sort::Denied {
            let call = &self.call;
            return format!(
                "allow the caller the action {call}, or use other credentials; `landfall create \
                 permissions-policy` prints all permissions that an installation needs"
            );
        }
        let help = match self.sort {
            Sort::NotEnabled => {
                "the account is not subscribed to this service, or the region is not enabled: the owner of \
                 the account can do both"
            }
            Sort::Denied | Sort::Credentials => "use credentials of the partition that the region is in",
            Sort::Unrenewed => "log in again, or check the source of the credentials",
            Sort::Expired => "get new credentials, for example by logging in again, and check the clock",
            Sort::Clock => "set the clock of this machine, preferably with NTP",
            Sort::Throttled => {
                "AWS limits the request rate of an account; wait, and check whether other programs of the \
                 account send too many requests"
            }
            Sort::NotFound => "check that it is in this account and region, and that its name is right",
            Sort::TimedOut => "check the network and the proxy; --timeout and --deadline set longer limits",
            Sort::Unreachable => "check the network and the proxy to the endpoint, and its URL",
            Sort::NotUnderstood => {
                "check the URL of the endpoint, and which server answers there: a gateway, a proxy or a \
                 load balancer without a backend returns this"
            }
            Sort::Service if self.is_passing() => {
                "AWS has an internal error; try again later, and check its status page"
            }
            Sort::Service => "follow the message of AWS; AWS support can find the call by its request ID",
        };
        help.to_owned()
    }
}

/// What a code says; of signatures, the message tells whether only their time is wrong.
fn sort_of(code: &str, message: &str) -> Sort {
    let skewed = || ["Signature expired", "Signature not yet current"].iter().any(|m| message.contains(m));
    let not_found = ["NotFound", "NotFoundException", "NotFoundFault"].iter().any(|end| code.ends_with(end));
    match code {
        _ if is_in("denied", code) => Sort::Denied,
        _ if is_in("notEnabled", code) => Sort::NotEnabled,
        _ if is_in("clock", code) => Sort::Clock,
        _ if is_in("signature", code) => {
            if skewed() {
                Sort::Clock
            } else {
                Sort::Credentials
            }
        }
        _ if is_in("credentials", code) => Sort::Credentials,
        _ if is_in("expired", code) => Sort::Expired,
        _ if is_in("throttled", code) => Sort::Throttled,
        _ if not_found || code.starts_with("NoSuch") => Sort::NotFound,
        _ => Sort::Service,
    }
}

/// What of a message of AWS may be shown. The answer to a wrong signature repeats the whole request, and an
/// incomplete one is quoted in full.
fn told(code: &str, message: &str, scrub: &Scrub) -> String {
    const MOST: usize = 400;
    if code.starts_with("IncompleteSignature") {
        return "the signature of the request is not complete".to_owned();
    }
    let message = scrub.clean(message);
    let line = message.trim_start().lines().next().unwrap_or_default();
    let lower = line.to_ascii_lowercase();
    let end = REPETITIONS.iter().filter_map(|repetition| lower.find(repetition)).min().unwrap_or(line.len());
    let mut line = line.get(..end).unwrap_or_default();
    if is_in("signature", code) {
        line = line.split(". ").next().unwrap_or(line);
    }
    let line: String = line.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim_end_matches(['.', ' ', ',', ':', ';']).to_owned()
}

fn not_understood(status: Option<u16>, content_type: Option<String>) -> String {
    let status = status.map(|status| format!("HTTP {status}"));
    let parts: Vec<String> = status.into_iter().chain(content_type).collect();
    match parts.as_slice() {
        [] => "unexpected response: this is not an AWS endpoint".to_owned(),
        parts => format!("unexpected response ({}): this is not an AWS endpoint", parts.join(", ")),
    }
}

/// Why no answer came.
fn unreached<E, R>(error: &SdkError<E, R>, sort: Sort) -> String
where
    E: Error + 'static,
    R: Debug + 'static,
{
    match (landfall_net::fault(error), sort) {
        (Some((landfall_net::Sort::TimedOut, why)), Sort::TimedOut) | (Some((_, why)), Sort::Unreachable) => {
            why
        }
        (_, Sort::TimedOut) => "the request timed out".to_owned(),
        _ => "the connection failed".to_owned(),
    }
}

#[cfg(test)]
mod tests;
