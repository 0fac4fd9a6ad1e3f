//! Credentials that are not there, are not accepted, or were accepted once.

use crate::answers::caller;
use crate::front::{Asked, Front, Reply, Rule, refusal};
use crate::program::{CONFIG, Landfall, SERVICES, text};

const SECRET: &str = "c4n4ry/wJalrXUtnFEMI/K7MDENG";
const TOKEN: &str = "c4n4ryIQoJb3JpZ2luX2VjEXAMPLETOKEN";

/// A session of somebody, with STS answering so.
fn with_session(answer: impl Fn(&Asked) -> Reply + Send + Sync + 'static) -> (Landfall, Front) {
    let front = Front::start(None, None, vec![Rule::always("sts", "GetCallerIdentity", answer)]);
    let landfall = Landfall::new(CONFIG)
        .with("AWS_ENDPOINT_URL", front.url())
        .with("AWS_ACCESS_KEY_ID", "ASIAIOSFODNN7EXAMPLE")
        .with("AWS_SECRET_ACCESS_KEY", SECRET)
        .with("AWS_SESSION_TOKEN", TOKEN);
    (landfall, front)
}

#[test]
fn none_at_all_is_told_once() {
    let front = Front::start(None, None, Vec::new());
    let landfall = Landfall::new(CONFIG).with("AWS_ENDPOINT_URL", front.url());
    let report = landfall.preflight();
    let check = report.is("aws.credentials", "failed");
    assert_eq!(text(check, "code"), "LF1001", "{check}");
    // What needs none is looked at all the same: AWS refuses what nobody signed in its own way.
    for service in SERVICES {
        report.is(&format!("aws.endpoint.{service}"), "passed");
    }
    for id in ["aws.account", "aws.zones", "aws.permissions", "aws.public-zone", "aws.quota"] {
        report.is(id, "skipped");
    }
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);
    assert!(front.asked().iter().all(|asked| asked.key().is_empty()), "{:?}", front.asked());
    let ran = landfall.ask(&["facts"]).ends(4);
    assert!(ran.err.contains("LF1001") && ran.out.is_empty(), "{ran}");
}

#[test]
fn those_that_are_refused_are_told_by_what_is_wrong_with_them() {
    let cases = [
        (403, "ExpiredToken", "The security token included in the request is expired", "LF1004"),
        (403, "InvalidClientTokenId", "The security token included in the request is invalid.", "LF1003"),
        (
            403,
            "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you \
            provided. Check your AWS Secret Access Key and signing method.",
            "LF1003",
        ),
        (
            403,
            "SignatureDoesNotMatch",
            "Signature expired: 20240102T000000Z is now earlier than 20240102T010000Z",
            "LF1005",
        ),
        (403, "RequestTimeTooSkewed", "", "LF1005"),
    ];
    for (status, code, message, page) in cases {
        // As AWS does, the answer goes on with all that was sent.
        let answer = move |asked: &Asked| {
            let message = format!(
                "{message}\n\nThe Canonical String for this request should have been\n\
                                   '{}'\n\nThe String-to-Sign should have been\n'{SECRET}'",
                asked.echo()
            );
            refusal(asked, status, code, &message)
        };
        let (landfall, front) = with_session(answer);
        let log = landfall.write("landfall.log", "");
        let ran = landfall.ask(&["preflight", "-o", "json", "-v", "--log-file", log.as_str()]).ends(4);
        let report = ran.json();
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["id"] == "aws.credentials").unwrap();
        assert_eq!(check["status"], "failed", "{check}");
        assert_eq!(check["code"], page, "{check}");
        assert!(check.to_string().contains(code), "{check}");
        assert!(front.asked().iter().any(|asked| asked.header("x-amz-security-token") == TOKEN));
        let log = std::fs::read_to_string(log).unwrap();
        for shown in [&ran.out, &ran.err, &log] {
            assert!(!shown.contains("c4n4ry"), "{code}: {shown}");
        }
    }
}

#[test]
fn the_root_user_is_warned_of() {
    let (landfall, _front) = with_session(|_| caller("arn:aws:iam::123456789012:root"));
    let report = landfall.preflight();
    report.is("aws.credentials", "passed");
    let check = report.is("aws.account", "warned");
    assert_eq!(text(check, "code"), "LF1007", "{check}");
    // Once is enough.
    report.says("aws.permissions", "passed", &["root user"]);
    assert_eq!(report.with("warned").len(), 1, "{}", report.ran);
}

#[test]
fn operators_do_not_get_credentials_of_a_session() {
    for (mode, status) in
        [("", "failed"), ("Mint", "failed"), ("Passthrough", "failed"), ("Manual", "skipped")]
    {
        let line = if mode.is_empty() { String::new() } else { format!("credentialsMode: {mode}\n") };
        let (landfall, _front) = with_session(|_| caller("arn:aws:iam::123456789012:root"));
        std::fs::write(landfall.directory().join("install-config.yaml"), format!("{CONFIG}{line}")).unwrap();
        let report = landfall.preflight();
        let check = report.is("aws.permissions.credentials-mode", status);
        let code = (status == "failed").then_some("LF1038");
        assert_eq!(check.get("code").and_then(|code| code.as_str()), code, "{mode}: {check}");
        assert!(!report.ran.to_string().contains("c4n4ry"), "{mode}");
    }
}

#[test]
fn a_profile_that_there_is_not_is_named() {
    let front = Front::start(None, None, Vec::new());
    let landfall = Landfall::new(CONFIG).with("AWS_ENDPOINT_URL", front.url()).with("AWS_PROFILE", "nobodys");
    landfall.write(".aws/config", "[profile lander]\nregion = us-east-1\n");
    let report = landfall.preflight();
    let check = report.says("aws.credentials", "failed", &["no profile `nobodys`", "~/.aws/credentials"]);
    assert_eq!(text(check, "code"), "LF1001", "{check}");
}
