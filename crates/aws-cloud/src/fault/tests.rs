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
    let lists = [
        ("denied", Sort::Denied),
        ("credentials", Sort::Credentials),
        ("notEnabled", Sort::NotEnabled),
        ("signature", Sort::Credentials),
        ("expired", Sort::Expired),
        ("clock", Sort::Clock),
        ("throttled", Sort::Throttled),
    ];
    for (list, sort) in lists {
        for code in &CODES[list] {
            assert_eq!(answered(code, "", 400)?.sort, sort, "{code}");
        }
    }
    assert!(is_in("unknownAction", "UnknownOperation"));
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
    let Verdict::Unanswered(why) = fault.answer("platform.aws.region").verdict else {
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
    assert!(fault.message.contains("<redacted>") && !fault.message.contains("canary"), "{}", fault.message);
    Ok(())
}

#[test]
fn what_is_no_answer_of_aws_is_not_understood() -> Result<(), Failed> {
    let mut html = response(503)?;
    html.headers_mut().insert("content-type", "text/html");
    let error: Answered = SdkError::service_error(ErrorMetadata::builder().build(), html);
    let fault = Fault::of("ec2:DescribeRegions", &error, &Scrub::default());
    assert_eq!(fault.sort, Sort::NotUnderstood);
    assert!(fault.message.contains("(HTTP 503, text/html)"), "{}", fault.message);
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
