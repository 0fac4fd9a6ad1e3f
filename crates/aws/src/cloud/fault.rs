//! What came back from a call to AWS that failed, in words that may be shown.
//!
//! AWS and the programs in front of it may repeat what they were sent, credentials included. Only the part
//! of a message that says what is wrong is kept, and what is known to be secret is taken out of it.

use std::any::Any;
use std::error::Error;
use std::fmt::Debug;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;
use landfall_diagnostics::secret::Scrub;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_platform::cloud::{Answer, Evidence, Verdict};

use super::{pages, renewal};

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

const DENIED: &[&str] = &[
    "AccessDenied",
    "AccessDeniedException",
    "AuthorizationError",
    "AuthorizationErrorException",
    "NotAuthorized",
    "UnauthorizedOperation",
];
const CREDENTIALS: &[&str] = &[
    "AuthFailure",
    "InvalidAccessKeyId",
    "InvalidClientTokenId",
    "InvalidToken",
    "MissingAuthenticationToken",
    "MissingAuthenticationTokenException",
    "UnrecognizedClientException",
];
/// The account lacks the service or the region, whoever asks.
const NOT_ENABLED: &[&str] = &["OptInRequired", "RegionDisabledException"];
/// The signature is wrong, or the time that it was made at.
const SIGNATURE: &[&str] = &[
    "IncompleteSignature",
    "IncompleteSignatureException",
    "InvalidSignatureException",
    "SignatureDoesNotMatch",
];
const EXPIRED: &[&str] = &["ExpiredToken", "ExpiredTokenException", "RequestExpired", "TokenRefreshRequired"];
const CLOCK: &[&str] = &["RequestInTheFuture", "RequestTimeTooSkewed"];
const THROTTLED: &[&str] = &[
    "BandwidthLimitExceeded",
    "EC2ThrottledException",
    "PriorRequestNotComplete",
    "RequestLimitExceeded",
    "RequestThrottled",
    "RequestThrottledException",
    "SlowDown",
    "ThrottledException",
    "Throttling",
    "ThrottlingException",
    "TooManyRequests",
    "TooManyRequestsException",
];

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
    pub(super) fn of<E, R>(call: &str, error: &SdkError<E, R>, scrub: &Scrub) -> Self
    where
        E: ProvideErrorMetadata + Error + 'static,
        R: Debug + 'static,
    {
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
            _ => (Sort::Service, "the SDK gives no reason".to_owned()),
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
        const UNKNOWN_ACTION: &[&str] = &[
            "InvalidAction",
            "MethodNotAllowed",
            "UnknownAction",
            "UnknownOperation",
            "UnknownOperationException",
        ];
        let unknown = UNKNOWN_ACTION.iter().any(|code| self.is(code));
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
            Sort::Throttled => Verdict::Skipped(self.sentence()),
            _ => Verdict::Found(Box::new(self.finding(field))),
        }
    }

    /// The same, with call, code and request id as evidence.
    pub(super) fn answer(&self, field: &str) -> Answer {
        self.attach(Answer { verdict: self.verdict(field), evidence: Evidence::new() })
    }

    /// An answer with call, code and request id as evidence.
    pub(super) fn attach(&self, answer: Answer) -> Answer {
        let mut answer = answer.with("call", self.call.clone());
        if let Some(code) = &self.code {
            answer = answer.with("code", code.clone());
        }
        if let Some(id) = &self.request_id {
            answer = answer.with("requestId", id.clone());
        }
        answer
    }

    /// What was tried and what came back, as a sentence without a full stop.
    pub(super) fn sentence(&self) -> String {
        let id = self.request_id.as_ref().map(|id| format!(" (request {id})")).unwrap_or_default();
        let Some(code) = &self.code else {
            return format!("{} failed: {}{id}", self.call, self.message);
        };
        let message = if self.message.is_empty() { String::new() } else { format!(": {}", self.message) };
        if self.sort == Sort::Throttled {
            return format!("AWS throttled {} each time it was asked again: {code}{message}{id}", self.call);
        }
        format!("{} was answered with {code}{message}{id}", self.call)
    }

    fn kind(&self) -> Kind {
        match self.sort {
            Sort::Denied | Sort::NotEnabled => Kind::Forbidden,
            _ => Kind::Invalid,
        }
    }

    fn help(&self) -> String {
        if self.sort == Sort::Denied {
            let call = &self.call;
            return format!(
                "allow the caller the action {call}, or use other credentials; `landfall create \
                 permissions-policy` prints everything that an installation needs"
            );
        }
        let help = match self.sort {
            Sort::NotEnabled => {
                "the account is not subscribed to this service, or the region is not enabled: the owner of the \
                 account can do both"
            }
            Sort::Denied | Sort::Credentials => {
                "use credentials of the partition that the region is in; the check aws.credentials says more"
            }
            Sort::Unrenewed => "log in again, or look at where the credentials come from",
            Sort::Expired => "get new credentials, such as by logging in again, and look at the clock",
            Sort::Clock => "set the clock of this machine, best by NTP",
            Sort::Throttled => {
                "AWS limits how often an account may ask; wait a while, and look for programs of the account \
                 that ask all the time"
            }
            Sort::NotFound => "look whether it is in this account and region, and whether its name is right",
            Sort::TimedOut => {
                "look at the network and the proxy on the way; --timeout and --deadline give more time"
            }
            Sort::Unreachable => {
                "look at the network and the proxy on the way; the checks aws.endpoint.* say more"
            }
            Sort::NotUnderstood => "look at what answers there; the checks aws.endpoint.* say more",
            Sort::Service if self.is_passing() => {
                "AWS has a fault of its own; try again in a while, and look at its status page"
            }
            Sort::Service => "do as AWS says; with the request id, its support can look the call up",
        };
        help.to_owned()
    }
}

/// What a code says; of signatures, the message tells whether only their time is wrong.
fn sort_of(code: &str, message: &str) -> Sort {
    let skewed = || ["Signature expired", "Signature not yet current"].iter().any(|m| message.contains(m));
    let not_found = ["NotFound", "NotFoundException", "NotFoundFault"].iter().any(|end| code.ends_with(end));
    match code {
        _ if DENIED.contains(&code) => Sort::Denied,
        _ if NOT_ENABLED.contains(&code) => Sort::NotEnabled,
        _ if CLOCK.contains(&code) => Sort::Clock,
        _ if SIGNATURE.contains(&code) => {
            if skewed() {
                Sort::Clock
            } else {
                Sort::Credentials
            }
        }
        _ if CREDENTIALS.contains(&code) => Sort::Credentials,
        _ if EXPIRED.contains(&code) => Sort::Expired,
        _ if THROTTLED.contains(&code) => Sort::Throttled,
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
    if SIGNATURE.contains(&code) {
        line = line.split(". ").next().unwrap_or(line);
    }
    let line: String = line.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    line.trim_end_matches(['.', ' ', ',', ':', ';']).to_owned()
}

fn not_understood(status: Option<u16>, content_type: Option<String>) -> String {
    let status = status.map(|status| format!("HTTP {status}"));
    let parts: Vec<String> = status.into_iter().chain(content_type).collect();
    match parts.as_slice() {
        [] => "the answer is none of AWS".to_owned(),
        parts => format!("the answer is none of AWS but {}", parts.join(", ")),
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
        (_, Sort::TimedOut) => "no answer came in time".to_owned(),
        _ => "the connection failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_runtime_api::client::result::ConnectorError;
    use aws_smithy_runtime_api::http::StatusCode;
    use aws_smithy_types::body::SdkBody;
    use aws_smithy_types::error::ErrorMetadata;

    use super::*;
    use landfall_diagnostics::secret::Secret;

    type Failed = Box<dyn Error>;
    type Answered = SdkError<ErrorMetadata, HttpResponse>;

    fn response(status: u16) -> Result<HttpResponse, Failed> {
        Ok(HttpResponse::new(StatusCode::try_from(status)?, SdkBody::empty()))
    }

    fn answered(code: &str, message: &str, status: u16) -> Result<Fault, Failed> {
        let meta = ErrorMetadata::builder().code(code).message(message).custom("aws_request_id", "id-1");
        let error: Answered = SdkError::service_error(meta.build(), response(status)?);
        let mut scrub = Scrub::default();
        scrub.hide(&Secret::new("canary-token".to_owned()));
        Ok(Fault::of("ec2:DescribeSubnets", &error, &scrub))
    }

    #[test]
    fn codes_are_sorted() -> Result<(), Failed> {
        let codes = [
            ("UnauthorizedOperation", Sort::Denied),
            ("AccessDeniedException", Sort::Denied),
            ("InvalidClientTokenId", Sort::Credentials),
            ("SignatureDoesNotMatch", Sort::Credentials),
            ("ExpiredToken", Sort::Expired),
            ("RequestTimeTooSkewed", Sort::Clock),
            ("RequestLimitExceeded", Sort::Throttled),
            ("SlowDown", Sort::Throttled),
            ("InvalidSubnetID.NotFound", Sort::NotFound),
            ("NoSuchHostedZone", Sort::NotFound),
            ("NotFoundException", Sort::NotFound),
            ("InvalidParameterValue", Sort::Service),
            ("OptInRequired", Sort::NotEnabled),
        ];
        for (code, sort) in codes {
            assert_eq!(answered(code, "", 400)?.sort, sort, "{code}");
        }
        let skewed = "Signature expired: 20240102T000000Z is now earlier than 20240102T010000Z";
        assert_eq!(answered("SignatureDoesNotMatch", skewed, 403)?.sort, Sort::Clock);
        Ok(())
    }

    #[test]
    fn an_answer_is_told_with_its_code_and_id() -> Result<(), Failed> {
        let fault = answered("UnauthorizedOperation", "You may not do this. Ask somebody.", 403)?;
        let parts = ["ec2:DescribeSubnets ", " UnauthorizedOperation: You may not do this.", " id-1"];
        assert!(parts.iter().all(|part| fault.sentence().contains(part)), "{}", fault.sentence());
        assert!(fault.is("UnauthorizedOperation") && !fault.is("AccessDenied") && !fault.is_passing());
        let finding = fault.finding("platform.aws.region");
        assert_eq!((finding.code.as_str(), finding.kind), ("LF1020", Kind::Forbidden));
        assert_eq!(finding.field, "platform.aws.region");
        assert!(finding.help.is_some_and(|help| help.contains("ec2:DescribeSubnets")));
        assert!(answered("InternalError", "", 500)?.is_passing());
        let bare = answered("InternalError", "", 500)?;
        assert!(bare.sentence().contains(" InternalError (") && bare.sentence().contains(" id-1"));
        let faults = [
            fault,
            bare,
            answered("OptInRequired", "You are not subscribed to this service", 403)?,
            answered("ExpiredToken", "", 400)?,
            answered("RequestTimeTooSkewed", "", 400)?,
            answered("RequestLimitExceeded", "Rate exceeded", 503)?,
            answered("InvalidSubnetID.NotFound", "", 400)?,
            Fault::foreign("ec2:DescribeRegions", Some(503), Some("text/html".to_owned())),
        ];
        landfall_testing::assert_findings("aws-calls", &faults.map(|fault| fault.finding("")));
        Ok(())
    }

    #[test]
    fn what_the_account_lacks_is_no_question_of_rights() -> Result<(), Failed> {
        let fault = answered("OptInRequired", "You are not subscribed to this service", 403)?;
        let help = fault.finding("platform.aws.region").help;
        assert_ne!(help, answered("UnauthorizedOperation", "", 403)?.finding("").help);
        assert!(fault.refuses_credentials() && fault.may_be_of_region());
        assert!(!answered("UnauthorizedOperation", "", 403)?.refuses_credentials());
        assert!(answered("AuthorizationHeaderMalformed", "", 400)?.refuses_credentials());
        Ok(())
    }

    #[test]
    fn what_was_throttled_to_the_end_is_not_known() -> Result<(), Failed> {
        let fault = answered("RequestLimitExceeded", "Rate exceeded", 503)?;
        let Verdict::Skipped(why) = fault.answer("platform.aws.region").verdict else {
            return Err("a finding".into());
        };
        for part in ["ec2:DescribeSubnets", "RequestLimitExceeded: Rate exceeded", "id-1"] {
            assert!(why.contains(part), "{why}");
        }
        Ok(())
    }

    #[test]
    fn a_secret_is_hidden_before_a_text_is_cut() -> Result<(), Failed> {
        let code = format!("{}canary-token", "x".repeat(74));
        let fault = answered(&code, "", 400)?;
        let shown = fault.code.unwrap_or_default();
        assert!(!shown.contains("canary"), "{shown}");
        Ok(())
    }

    #[test]
    fn a_request_that_is_repeated_is_not_shown() -> Result<(), Failed> {
        let message = "The request signature we calculated does not match the signature you provided. Check \
                       your key.\n\nThe Canonical String for this request should have been\n'POST\n/\n\n\
                       x-amz-security-token:canary-token\n'";
        let fault = answered("SignatureDoesNotMatch", message, 403)?;
        assert!(message.starts_with(&fault.message) && fault.message.ends_with(" you provided"));
        let quoted = "'canary-token' not a valid key=value pair in Authorization header: 'AWS4-HMAC'";
        let fault = answered("IncompleteSignature", quoted, 400)?;
        assert!(!fault.message.contains("canary") && !fault.message.contains("AWS4"), "{}", fault.message);
        let fault = answered("AccessDenied", "no: X-Amz-Security-Token=other-token", 403)?;
        assert_eq!(fault.message, "no");
        let encoded = "You may not. Encoded authorization failure message: Zm9v";
        assert_eq!(answered("UnauthorizedOperation", encoded, 403)?.message, "You may not");
        let fault = answered("InvalidToken", "the token canary-token is malformed", 400)?;
        assert!(
            fault.message.contains("<redacted>") && !fault.message.contains("canary"),
            "{}",
            fault.message
        );
        Ok(())
    }

    #[test]
    fn what_is_no_answer_of_aws_is_not_understood() -> Result<(), Failed> {
        let mut html = response(503)?;
        html.headers_mut().insert("content-type", "text/html");
        let error: Answered = SdkError::service_error(ErrorMetadata::builder().build(), html);
        let fault = Fault::of("ec2:DescribeRegions", &error, &Scrub::default());
        assert_eq!(fault.sort, Sort::NotUnderstood);
        assert!(fault.message.ends_with(" HTTP 503, text/html"), "{}", fault.message);
        assert!(fault.is_of_another());
        assert!(answered("InvalidAction", "no such action", 400)?.is_of_another());
        let scoped = "Credential should be scoped to correct service: 's3'";
        assert!(answered("SignatureDoesNotMatch", scoped, 403)?.is_of_another());
        assert!(!answered("AccessDenied", "", 403)?.is_of_another());
        Ok(())
    }

    #[test]
    fn no_answer_is_sorted_too() {
        let late: Answered = SdkError::timeout_error("late");
        let slow: Answered = SdkError::dispatch_failure(ConnectorError::timeout("slow".into()));
        let lost: Answered = SdkError::dispatch_failure(ConnectorError::io("lost".into()));
        let unmade: Answered = SdkError::construction_failure("no region");
        let sort = |error: &Answered| Fault::of("sts:GetCallerIdentity", error, &Scrub::default()).sort;
        assert_eq!([&late, &slow].map(sort), [Sort::TimedOut, Sort::TimedOut]);
        assert_eq!([&lost, &unmade].map(sort), [Sort::Unreachable, Sort::Service]);
        let fault = Fault::of("sts:GetCallerIdentity", &unmade, &Scrub::default());
        assert!(fault.sentence().starts_with("sts:GetCallerIdentity "), "{}", fault.sentence());
        assert!(fault.sentence().ends_with(": no region"), "{}", fault.sentence());
    }
}
