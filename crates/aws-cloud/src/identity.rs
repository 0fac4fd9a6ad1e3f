//! Whether what answers at an endpoint is the service that is meant.
//!
//! With credentials, each service is asked one question that changes nothing, and both a result and an error
//! of AWS show that it is there. Without them, what it answers to anybody must at least look like AWS.

use aws_sdk_sts::operation::RequestId;
use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_net::Reply;
use landfall_platform::cloud::{Answer, Unready};

use super::endpoints::{Endpoint, Service};
use super::fault::{Fault, Modelled, Sort};
use super::pages;
use super::session::{Lost, Session};

/// What came of the question.
#[derive(Debug)]
pub(super) enum Asked {
    /// A result of this call.
    Answered(&'static str),
    /// The call failed.
    Failed(Fault),
    /// Nobody asked.
    Unready(Unready),
}

macro_rules! asked {
    ($session:ident, $call:literal, $client:ident => $request:expr) => {
        match $session.$client().await {
            Err(unready) => Asked::Unready(unready),
            Ok($client) => match Box::pin($request.send()).await {
                Ok(_) => Asked::Answered($call),
                Err(error) => Asked::Failed($session.fault($call, &error)),
            },
        }
    };
}

/// Of JSON, the SDK understands every object: a result must have what the question is about, or the id that
/// AWS gives each request.
macro_rules! asked_in_json {
    ($session:ident, $call:literal, $client:ident => $request:expr, $member:ident) => {
        match $session.$client().await {
            Err(unready) => Asked::Unready(unready),
            Ok($client) => match Box::pin($request.send()).await {
                Ok(answer) if answer.$member.is_some() || answer.request_id().is_some() => {
                    Asked::Answered($call)
                }
                Ok(_) => Asked::Failed(Fault::foreign($call, Some(200), Some("other JSON".to_owned()))),
                Err(error) => Asked::Failed(in_json($session, $call, &error)),
            },
        }
    };
}

/// A call that failed. An error in JSON names its type, or it is none of AWS.
fn in_json<E: Modelled>(session: &Session<'_>, call: &str, error: &SdkError<E, HttpResponse>) -> Fault {
    let fault = session.fault(call, error);
    match error.raw_response() {
        Some(response) if fault.code.is_some() && !names_its_type(response) => {
            let status = Some(response.status().as_u16());
            Fault::foreign(call, status, Some("other JSON".to_owned()))
        }
        _ => fault,
    }
}

fn names_its_type(response: &HttpResponse) -> bool {
    let body = response.body().bytes().unwrap_or_default();
    response.headers().get("x-amzn-errortype").is_some()
        || String::from_utf8_lossy(body).contains("\"__type\"")
}

/// Puts a harmless question to a service.
pub(super) async fn ask(session: &Session<'_>, service: Service) -> Asked {
    match service {
        Service::Ec2 => asked!(
            session, "ec2:DescribeRegions",
            ec2 => ec2.describe_regions().all_regions(true).region_names(session.region())
        ),
        Service::Elb => asked!(
            session, "elasticloadbalancing:DescribeLoadBalancers",
            elbv2 => elbv2.describe_load_balancers().page_size(1)
        ),
        Service::Iam => asked!(
            session, "iam:ListAccountAliases",
            iam => iam.list_account_aliases().max_items(1)
        ),
        Service::Route53 => asked!(
            session, "route53:ListHostedZones",
            route53 => route53.list_hosted_zones().max_items(1)
        ),
        Service::S3 => asked!(session, "s3:ListBuckets", s3 => s3.list_buckets().max_buckets(1)),
        // The caller is known from this very call.
        Service::Sts => match session.identity().await {
            Ok(_) => Asked::Answered("sts:GetCallerIdentity"),
            Err(Lost::Fault(fault)) => Asked::Failed(fault),
            Err(Lost::Unready(unready)) => Asked::Unready(unready),
        },
        Service::Tagging => asked_in_json!(
            session, "tag:GetResources",
            tagging => tagging.get_resources().resources_per_page(1), resource_tag_mapping_list
        ),
        Service::Kms => {
            asked_in_json!(session, "kms:ListKeys", kms => kms.list_keys().limit(1), keys)
        }
        Service::Quotas => asked_in_json!(
            session, "servicequotas:ListServices",
            quotas => quotas.list_services().max_results(1), services
        ),
    }
}

/// Whether the service is there, by what it answered to the question and, without one, to anybody.
pub(super) fn judge(service: Service, endpoint: &Endpoint, reply: &Reply, asked: Asked) -> Answer {
    let (title, url, field) = (service.title(), endpoint.shown(), endpoint.origin.field());
    match asked {
        Asked::Answered(call) => Answer::passed(format!("{title} answers at {url}")).with("call", call),
        Asked::Unready(unready) => judge_unsigned(endpoint, reply, Some(&unready)),
        Asked::Failed(fault) if fault.is_of_another() => {
            let finding = match redirected(reply) {
                Some(target) if fault.code.is_none() && !is_home(target) => redirect(endpoint, target),
                _ => another(endpoint, title, &fault.sentence(), fault.status),
            };
            fault.attach(Answer::found(finding))
        }
        // Of STS, the check of the credentials says more.
        Asked::Failed(fault) if fault.refuses_credentials() && service != Service::Sts => {
            fault.attach(Answer::found(refusing(endpoint, title, &fault)))
        }
        // A service that is asked too often is there.
        Asked::Failed(fault)
            if fault.code.is_none() || (fault.is_passing() && fault.sort != Sort::Throttled) =>
        {
            fault.answer(&field)
        }
        Asked::Failed(fault) => {
            let code = fault.code.clone().unwrap_or_default();
            let much = if fault.sort == Sort::Throttled { ", too many requests" } else { "" };
            let passed = format!("{title} answers at {url}, {} with {code}{much}", fault.call);
            fault.attach(Answer::passed(passed))
        }
    }
}

/// Whether AWS is there, by what it answered to anybody.
pub(super) fn judge_unsigned(endpoint: &Endpoint, reply: &Reply, unready: Option<&Unready>) -> Answer {
    let url = endpoint.shown();
    if is_of_aws(reply) {
        let which = unready.map(|Unready(why)| format!("; the service was not verified: {why}"));
        return Answer::passed(format!("AWS answers at {url}{}", which.unwrap_or_default()));
    }
    if let Some(target) = redirected(reply) {
        return Answer::found(redirect(endpoint, target));
    }
    let kind = reply.header("content-type").map(|kind| format!(", {}", shortened(kind)));
    let what = format!("HTTP {}{}", reply.status, kind.unwrap_or_default());
    Answer::found(another(endpoint, "AWS", &what, Some(reply.status)))
}

fn another(endpoint: &Endpoint, title: &str, what: &str, status: Option<u16>) -> Finding {
    let message = format!("`{}` answers, but is not {title}: {what}", endpoint.shown());
    // A gateway whose service does not answer just now is the right one.
    let is_trouble = status.is_some_and(|status| status == 429 || status >= 500);
    let kind = if is_trouble { Kind::InternalError } else { Kind::Invalid };
    Finding::error(&pages::NOT_THE_SERVICE, kind, endpoint.origin.field(), message).help(
        "check that the URL is the service's; a gateway, a load balancer without a backend or the \
         endpoint of another service answers like this",
    )
}

/// The service is there, and knows nothing of a caller that STS knows.
fn refusing(endpoint: &Endpoint, title: &str, fault: &Fault) -> Finding {
    let code = fault.code.as_deref().unwrap_or_default();
    let said = if fault.message.is_empty() { String::new() } else { format!(": {}", fault.message) };
    let url = endpoint.shown();
    let message =
        format!("{title} at `{url}` does not accept the credentials that STS accepted: {code}{said}");
    Finding::error(&pages::REFUSED, Kind::Invalid, endpoint.origin.field(), message).help(match fault.sort {
        Sort::Expired => "the credentials may have expired since: log in again, or get new ones",
        Sort::Clock => "set the clock of this machine, preferably with NTP",
        Sort::NotEnabled => {
            "the account is not subscribed to this service, or the region is not enabled; else the \
             endpoint may be of another region or partition"
        }
        _ => {
            "the endpoint may belong to another region or partition than the STS endpoint; check its URL, \
             and the region of the config: landfall signs requests for it"
        }
    })
}

fn redirect(endpoint: &Endpoint, target: &str) -> Finding {
    let message = format!("`{}` redirects to `{}`", endpoint.shown(), shortened(target));
    Finding::error(&pages::REDIRECT, Kind::Invalid, endpoint.origin.field(), message).help(
        "landfall does not follow redirects; if the target is the right endpoint, set it in serviceEndpoints",
    )
}

/// Where an answer sends to.
fn redirected(reply: &Reply) -> Option<&str> {
    reply.header("location").filter(|_| (300..400).contains(&reply.status))
}

/// Where AWS sends browsers that open one of its endpoints.
const HOMES: &[&str] = &["https://aws.amazon.com", "https://www.amazonaws.cn", "http://aws.amazon.com"];

fn is_home(target: &str) -> bool {
    let rest = HOMES.iter().find_map(|home| target.strip_prefix(home));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether an answer looks like one of AWS: by its headers, by the form of its errors, or because it sends
/// to AWS's own pages.
fn is_of_aws(reply: &Reply) -> bool {
    const IDS: &[&str] = &["x-amz-request-id", "x-amzn-requestid", "x-amz-id-2"];
    let home = redirected(reply).is_some_and(is_home);
    let server = reply.header("server").is_some_and(|server| server.starts_with("Amazon"));
    home || server || IDS.iter().any(|id| reply.header(id).is_some()) || is_error_of_aws(&reply.body)
}

/// The beginning of a body as AWS forms it: XML of its namespace, an error with code and request id, or JSON
/// that names its type.
fn is_error_of_aws(body: &[u8]) -> bool {
    let text = String::from_utf8_lossy(body);
    let text = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let page = text.to_ascii_lowercase();
    if page.starts_with("<!doctype html") || page.contains("<html") {
        return false;
    }
    let namespace = text.contains("xmlns=\"http") && text.contains(".amazonaws.com/doc/");
    let error = text.contains("<Code>") && ["<RequestId", "<RequestID"].iter().any(|id| text.contains(id));
    (text.starts_with('<') && (namespace || error)) || (text.starts_with('{') && text.contains("\"__type\""))
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use super::super::endpoints::{Origin, parse};
    use super::*;
    use landfall_platform::cloud::Verdict;
    use landfall_testing::assert_names;

    fn reply(status: u16, headers: &[(&str, &str)], body: &str) -> Reply {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Reply { status, headers: headers.collect(), body: body.as_bytes().to_vec() }
    }

    fn told(answer: Answer) -> String {
        match answer.verdict {
            Verdict::Found(finding) => format!("{} {}", finding.code.as_str(), finding.message),
            Verdict::Passed(what) => what,
            Verdict::Skipped(why) | Verdict::Unanswered(why) => format!("skipped: {why}"),
        }
    }

    fn judged(reply: &Reply, asked: Asked) -> Option<String> {
        let url = parse("https://ec2.example.com")?;
        let endpoint = Endpoint { url, signing_region: "us-east-1".to_owned(), origin: Origin::Config(0) };
        Some(told(judge(Service::Ec2, &endpoint, reply, asked)))
    }

    fn failed(sort: Sort, code: Option<&str>, status: u16) -> Asked {
        Asked::Failed(Fault {
            call: "ec2:DescribeRegions".to_owned(),
            sort,
            code: code.map(str::to_owned),
            message: if code.is_some() {
                String::new()
            } else {
                "unexpected response: this is not an AWS \
                endpoint"
                    .to_owned()
            },
            request_id: None,
            status: Some(status),
        })
    }

    #[test]
    fn recognises_aws_by_what_it_answers_to_anybody() {
        let shapes = [
            (reply(403, &[("x-amzn-requestid", "id")], ""), true),
            (reply(302, &[("location", "https://aws.amazon.com/ec2")], ""), true),
            (reply(302, &[("location", "https://aws.amazon.com.example.com/")], ""), false),
            (reply(400, &[("server", "AmazonEC2")], ""), true),
            (
                reply(
                    400,
                    &[],
                    "<?xml version=\"1.0\"?><Response><Errors><Error><Code>MissingAction</Code>\
                              </Error></Errors><RequestID>id</RequestID></Response>",
                ),
                true,
            ),
            (reply(403, &[], "<ErrorResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"/>"), true),
            (reply(400, &[], " {\"__type\":\"UnknownOperationException\"}"), true),
            (reply(200, &[], "{\"status\":\"ok\"}"), false),
            (reply(200, &[], "<!DOCTYPE html><html>https://ec2.amazonaws.com/doc/</html>"), false),
            (reply(404, &[], ""), false),
        ];
        for (reply, expected) in shapes {
            assert_eq!(is_of_aws(&reply), expected, "{reply:?}");
        }
    }

    #[test]
    fn a_result_or_an_error_of_aws_is_the_service() {
        let plain = reply(200, &[], "");
        let found = judged(&plain, Asked::Answered("ec2:DescribeRegions"));
        let found = found.unwrap_or_default();
        assert!(!found.starts_with("LF") && !found.contains("ec2:"), "{found}");
        assert_names(&found, &["EC2", "https://ec2.example.com"]);
        let denied = judged(&plain, failed(Sort::Denied, Some("UnauthorizedOperation"), 403));
        let url = "https://ec2.example.com";
        let denied = denied.unwrap_or_default();
        assert!(!denied.starts_with("LF"), "{denied}");
        assert_names(&denied, &["EC2", url, "ec2:DescribeRegions", "UnauthorizedOperation"]);
        let failing = judged(&plain, failed(Sort::Service, Some("InternalError"), 500));
        let failing = failing.unwrap_or_default();
        assert!(failing.starts_with("LF1020 ec2:DescribeRegions "), "{failing}");
        assert_names(&failing, &["InternalError"]);
        let throttled = judged(&plain, failed(Sort::Throttled, Some("RequestLimitExceeded"), 503));
        let throttled = throttled.unwrap_or_default();
        assert!(!throttled.starts_with("LF"), "{throttled}");
        assert_names(&throttled, &["EC2", url, "ec2:DescribeRegions", "RequestLimitExceeded"]);
    }

    #[test]
    fn credentials_that_sts_accepted_must_be_accepted() {
        let plain = reply(200, &[], "");
        let codes = [
            (Sort::Credentials, "AuthFailure"),
            (Sort::Credentials, "SignatureDoesNotMatch"),
            (Sort::Service, "AuthorizationHeaderMalformed"),
            (Sort::NotEnabled, "OptInRequired"),
            (Sort::Expired, "RequestExpired"),
        ];
        for (sort, code) in codes {
            let refused = judged(&plain, failed(sort, Some(code), 401));
            let refused = refused.unwrap_or_default();
            assert!(refused.starts_with("LF1003 "), "{refused}");
            assert_names(&refused, &["EC2", "`https://ec2.example.com`", "STS", code]);
        }
    }

    #[test]
    fn errors_in_json_name_their_type() -> Result<(), Box<dyn Error>> {
        use aws_smithy_runtime_api::http::StatusCode;
        use aws_smithy_types::body::SdkBody;

        let response = |body: &'static str| -> Result<HttpResponse, Box<dyn Error>> {
            Ok(HttpResponse::new(StatusCode::try_from(404_u16)?, SdkBody::from(body)))
        };
        assert!(names_its_type(&response("{\"__type\":\"NotFoundException\"}")?));
        let mut foreign = response("{\"code\":\"NotFound\"}")?;
        assert!(!names_its_type(&foreign));
        foreign.headers_mut().insert("x-amzn-errortype", "NotFoundException");
        assert!(names_its_type(&foreign));
        Ok(())
    }

    #[test]
    fn anything_else_is_not() {
        let plain = reply(200, &[], "");
        let html = judged(&plain, failed(Sort::NotUnderstood, None, 200)).unwrap_or_default();
        let other = judged(&plain, failed(Sort::Service, Some("InvalidAction"), 400)).unwrap_or_default();
        for found in [&html, &other] {
            assert!(found.starts_with("LF1014 "), "{found}");
            assert_names(found, &["`https://ec2.example.com`", "EC2"]);
        }
        let moved = reply(301, &[("location", "https://other.example.com/")], "");
        let moved = judged(&moved, failed(Sort::NotUnderstood, None, 301));
        let moved = moved.unwrap_or_default();
        assert!(moved.starts_with("LF1015 "), "{moved}");
        assert_names(&moved, &["`https://ec2.example.com`", "`https://other.example.com/`"]);
        let home = reply(302, &[("location", "https://aws.amazon.com/ec2")], "");
        let home = judged(&home, failed(Sort::NotUnderstood, None, 302)).unwrap_or_default();
        assert!(home.starts_with("LF1014 ") && home.contains("EC2"), "{home}");
    }

    #[test]
    fn without_credentials_it_must_look_like_aws() {
        let unready = || Asked::Unready(Unready("there are no credentials: see aws.credentials".to_owned()));
        let aws = judged(&reply(403, &[("x-amz-request-id", "id")], ""), unready());
        let aws = aws.unwrap_or_default();
        assert!(!aws.starts_with("LF"), "{aws}");
        assert_names(&aws, &["https://ec2.example.com", "aws.credentials"]);
        let html = judged(&reply(200, &[("content-type", "text/html")], "<html></html>"), unready());
        let html = html.unwrap_or_default();
        assert!(html.starts_with("LF1014 "), "{html}");
        assert_names(&html, &["`https://ec2.example.com`", "AWS", "HTTP 200, text/html"]);
    }
}
