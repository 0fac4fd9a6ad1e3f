//! Every way in which an endpoint can be broken, and how the user is told.

use serde_json::Value;

use crate::answers::{buckets, caller, page};
use crate::authority::{Authority, LOOPBACK};
use crate::broken::{Count, Gauge, closed, dead, plain};
use crate::front::{ALL, ANY, Front, Reply, Rule, refusal};
use crate::program::{Landfall, SERVICES, config, endpoints, place, place_of, text};

/// Somebody in the public cloud.
const LANDER: &str = "arn:aws:iam::123456789012:user/lander";

fn with_keys(config: &str) -> Landfall {
    Landfall::new(config)
        .with("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE")
        .with("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
}

/// Every service at an endpoint that accepts connections and never answers.
fn with_dead_endpoints(gauge: &Gauge) -> Landfall {
    let at = |service: &&'static str| (*service, format!("https://127.0.0.1:{}", dead(gauge)));
    let given: Vec<(&str, String)> = SERVICES.iter().map(at).collect();
    with_keys(&config("us-east-1", &endpoints(&given)))
}

#[test]
fn each_is_told_in_its_own_words() {
    let known = Authority::new("Known Authority");
    let stranger = Authority::new("Stranger Authority");
    let unknown = Front::start(None, Some(stranger.server(LOOPBACK)), Vec::new());
    let other = Front::start(None, Some(known.server(&["other.example"])), Vec::new());
    let expired = Front::start(None, Some(known.expired(LOOPBACK)), Vec::new());
    let at = |port: u16| format!("https://127.0.0.1:{port}");
    let given = [
        ("ec2", at(closed())),
        ("elasticloadbalancing", at(dead(&Gauge::default()))),
        ("iam", unknown.url()),
        ("route53", other.url()),
        ("s3", expired.url()),
        ("sts", "https://nothing.invalid".to_owned()),
        ("tagging", at(plain())),
    ];
    let findings: &[(&str, &str)] = &[
        ("LF1012", "connection refused"),
        ("LF1012", " 3 s"),
        ("LF1013", "Stranger Authority"),
        ("LF1013", "other.example"),
        ("LF1013", "2024-01-02"),
        ("LF1012", "resolve"),
        ("LF1013", "TLS"),
    ];
    let config = config("us-east-1", &endpoints(&given));
    let landfall = with_keys(&config).naming("AWS_CA_BUNDLE", "ca.pem", &known.pem);
    let report = landfall.preflight_at_once();
    assert_eq!(report.ran.code, Some(4), "{}", report.ran);
    report.is("aws.trust", "passed");
    for (i, ((service, url), (code, word))) in given.iter().zip(findings).enumerate() {
        let check = report.reports(&format!("aws.endpoint.{service}"), "failed", code);
        assert!(text(check, "message").contains(word), "{check}");
        assert_eq!(text(check, "field"), format!("platform.aws.serviceEndpoints[{i}].url"), "{check}");
        assert_eq!(place_of(check), place(&config, url), "{check}");
        assert!(text(&check["evidence"], "url").starts_with(url.as_str()), "{check}");
    }

    let shown = |service: &str| {
        let check = report.check(&format!("aws.endpoint.{service}"));
        check["evidence"]["certificates"][0].clone()
    };
    assert!(text(&shown("iam"), "issuer").contains("Stranger Authority"), "{}", report.ran);
    assert!(shown("route53")["names"].to_string().contains("other.example"), "{}", report.ran);
    assert!(text(&shown("s3"), "notAfter").starts_with("2024-01-02"), "{}", report.ran);
    assert_eq!(shown("ec2"), Value::Null);
    // A server whose certificate is not trusted is told nothing.
    for front in [&unknown, &other, &expired] {
        assert!(front.asked().is_empty(), "{:?}", front.asked());
    }
    // What rests on them is not known, and nothing of it counts as well.
    for id in ["aws.zones", "aws.instance-types", "aws.permissions", "aws.quota"] {
        report.is(id, "skipped");
    }
}

/// The time that they cost together is that of one, as all of them are waited for at once, and none is asked
/// anything more after that.
#[test]
fn dead_endpoints_are_waited_for_at_once() {
    let gauge = Gauge::default();
    let landfall = with_dead_endpoints(&gauge);
    let report = landfall.preflight_at_once();
    for service in SERVICES {
        let check = report.reports(&format!("aws.endpoint.{service}"), "failed", "LF1012");
        assert!(text(check, "message").contains(" 3 s"), "{check}");
    }
    let Count { most, all, .. } = gauge.read();
    assert_eq!((most, all), (SERVICES.len(), SERVICES.len()), "{}", report.ran);

    // One at a time if that is what the user wants; each is still asked once.
    let gauge = Gauge::default();
    let landfall = with_dead_endpoints(&gauge);
    let ran = landfall.run(&["preflight", "-o", "json", "--parallel", "1", "--timeout", "200ms"]).ends(4);
    assert!(ran.out.contains("LF1012") && ran.out.contains(" 200 ms"), "{ran}");
    assert_eq!(gauge.read().all, SERVICES.len(), "{ran}");
}

#[test]
fn the_deadline_ends_everything() {
    let gauge = Gauge::default();
    let landfall = with_dead_endpoints(&gauge);
    let waits = ["--timeout", "1h", "--deadline", "300ms"];
    let ran = landfall.run(&[&["preflight", "-o", "json"][..], &waits].concat()).ends(5);
    let report = ran.json();
    let checks = report["checks"].as_array().unwrap();
    let ec2 = checks.iter().find(|check| check["id"] == "aws.endpoint.ec2").unwrap();
    assert_eq!((text(ec2, "status"), text(ec2, "code")), ("failed", "LF1090"), "{ran}");
    assert!(text(ec2, "message").contains("0.3 s"), "{ran}");
    assert!(!checks.iter().any(|check| check["id"] == "aws.zones" && check["status"] == "passed"), "{ran}");
    landfall.run(&[&["facts"][..], &waits].concat()).ends(5);
}

#[test]
fn what_answers_in_the_place_of_a_service_is_not_taken_for_it() {
    let authority = Authority::new("Known Authority");
    let always = |reply: Reply| vec![Rule::always(ANY, ALL, move |_| reply.clone())];
    let front = |rules: Vec<Rule>| Front::start(None, Some(authority.server(LOOPBACK)), rules);
    let target = Front::start(None, None, Vec::new());
    let elsewhere = Reply::new(301, "text/plain", "").header("location", &target.url());
    let (html, list, moved) = (front(always(page())), front(always(buckets())), front(always(elsewhere)));
    let stranger = front(vec![Rule::always("elasticloadbalancing", ALL, |asked| {
        refusal(asked, 400, "InvalidAction", "Could not find operation DescribeLoadBalancers")
    })]);
    // These refuse everything but who the caller is, and are what they should be.
    let right = front(vec![Rule::always("sts", "GetCallerIdentity", |_| caller(LANDER))]);
    let given = [
        ("ec2", html.url()),
        ("iam", list.url()),
        ("s3", moved.url()),
        ("elasticloadbalancing", stranger.url()),
        ("sts", right.url()),
        ("route53", right.url()),
        ("tagging", right.url()),
        ("servicequotas", right.url()),
    ];
    let config = config("us-east-1", &endpoints(&given));
    let report = with_keys(&config).naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem).preflight();
    for (service, named) in [("ec2", "EC2"), ("iam", "IAM"), ("elasticloadbalancing", "InvalidAction")] {
        let check = report.reports(&format!("aws.endpoint.{service}"), "failed", "LF1014");
        assert!(check.to_string().contains(named), "{check}");
    }
    let check = report.reports("aws.endpoint.s3", "failed", "LF1015");
    assert!(check.to_string().contains(&format!("127.0.0.1:{}", target.port)), "{check}");
    assert!(target.asked().is_empty(), "a redirect was followed: {:?}", target.asked());
    for service in ["sts", "route53", "tagging"] {
        report.is(&format!("aws.endpoint.{service}"), "passed");
    }
    report.is("aws.credentials", "passed");
}

/// Credentials that STS accepts are worth nothing at the endpoint of another region or partition, and JSON alone
/// is no service of AWS.
#[test]
fn services_that_know_nobody_and_programs_that_speak_json_are_told() {
    let authority = Authority::new("Known Authority");
    let front = |rules: Vec<Rule>| Front::start(None, Some(authority.server(LOOPBACK)), rules);
    let refusing = |status: u16, code: &'static str| {
        front(vec![Rule::always(ANY, ALL, move |asked| {
            refusal(asked, status, code, "this is another region")
        })])
    };
    let json = |status: u16, body: &'static str| {
        front(vec![Rule::always(ANY, ALL, move |_| Reply::new(status, "application/json", body))])
    };
    let (ec2, s3) = (refusing(401, "AuthFailure"), refusing(400, "AuthorizationHeaderMalformed"));
    let (tagging, quotas) = (json(200, "{\"status\":\"ok\"}"), json(404, "{\"code\":\"NotFound\"}"));
    let right = front(vec![Rule::always("sts", "GetCallerIdentity", |_| caller(LANDER))]);
    let given = [
        ("ec2", ec2.url()),
        ("s3", s3.url()),
        ("tagging", tagging.url()),
        ("servicequotas", quotas.url()),
        ("sts", right.url()),
        ("iam", right.url()),
        ("route53", right.url()),
        ("elasticloadbalancing", right.url()),
    ];
    let config = config("us-east-1", &endpoints(&given));
    let report = with_keys(&config).naming("AWS_CA_BUNDLE", "ca.pem", &authority.pem).preflight();
    let code = [("ec2", "AuthFailure"), ("s3", "AuthorizationHeaderMalformed")];
    for (service, code) in code {
        let check = report.says(&format!("aws.endpoint.{service}"), "failed", &["credentials", "STS", code]);
        assert_eq!(text(check, "code"), "LF1003", "{check}");
        assert!(text(check, "help").contains("partition"), "{check}");
    }
    for service in ["tagging", "servicequotas"] {
        report.reports(&format!("aws.endpoint.{service}"), "failed", "LF1014");
    }
    for service in ["sts", "iam", "route53", "elasticloadbalancing"] {
        report.is(&format!("aws.endpoint.{service}"), "passed");
    }
}
