//! Endpoints behind a private authority, and every way to say that it is trusted.

use serde_json::{Value, json};

use crate::answers::caller;
use crate::authority::{Authority, LOOPBACK};
use crate::front::{Front, Rule};
use crate::moto::Moto;
use crate::program::{Landfall, SERVICES, config, endpoints, text};

#[test]
#[ignore = "needs moto"]
fn a_private_authority_is_trusted_once_it_is_named() {
    let moto = Moto::start();
    let keys = moto.user("us-east-1");
    moto.zone("us-east-1", "example.com");
    let authority = Authority::new("Private Authority");
    let front = Front::start(Some(moto.port), Some(authority.server(LOOPBACK)), Vec::new());
    let services = [SERVICES, &["servicequotas"]].concat();
    let given: Vec<(&str, String)> = services.iter().map(|service| (*service, front.url())).collect();
    let plain = config("us-east-1", &endpoints(&given));

    let report = Landfall::new(&plain).keys(&keys).preflight();
    for service in &services {
        let id = format!("aws.endpoint.{service}");
        let check = report.reports(&id, "failed", "LF1013");
        assert!(text(check, "message").contains("Private Authority"), "{check}");
        let help = text(check, "help");
        assert!(help.contains("additionalTrustBundle") && help.contains("AWS_CA_BUNDLE"), "{check}");
    }
    assert!(front.asked().is_empty(), "{:?}", front.asked());

    for variable in ["AWS_CA_BUNDLE", "SSL_CERT_FILE"] {
        let landfall = Landfall::new(&plain).keys(&keys).naming(variable, "ca.pem", &authority.pem);
        let report = landfall.preflight();
        report.passes();
        report.is("aws.zones", "passed");
        let trust = report.is("aws.trust", "passed").to_string();
        assert!(trust.contains(variable), "{trust}");
    }

    let lines: Vec<String> = authority.pem.lines().map(|line| format!("  {line}\n")).collect();
    let trusting =
        format!("{plain}additionalTrustBundlePolicy: Always\nadditionalTrustBundle: |\n{}", lines.concat());
    let report = Landfall::new(&trusting).keys(&keys).preflight();
    report.passes();
    report.is("aws.quota.vpcs", "passed");

    // A file that is not there takes nothing away from what is given elsewhere.
    let landfall = Landfall::new(&trusting).keys(&keys).with("AWS_CA_BUNDLE", "/nowhere/ca.pem");
    let report = landfall.preflight();
    let check = report.reports("aws.trust", "failed", "LF1010");
    assert!(text(check, "message").contains("AWS_CA_BUNDLE (/nowhere/ca.pem)"), "{check}");
    assert_eq!(report.with("failed").len(), 1, "{}", report.ran);
    report.is("aws.endpoint.ec2", "passed");
}

/// No check stands beside the command that could tell more: it says what was tried, what came back and what to do.
#[test]
fn destroy_says_why_an_endpoint_cannot_be_used_and_trusts_what_the_config_does() {
    let authority = Authority::new("Private Authority");
    let known = Rule::always("sts", "GetCallerIdentity", |_| caller("arn:aws:iam::123456789012:user/lander"));
    let front = Front::start(None, Some(authority.server(LOOPBACK)), vec![known]);
    let keys = [
        ("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
        ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ];
    let landfall = Landfall::new(&config("us-east-1", ""));
    let landfall = keys.into_iter().fold(landfall, |landfall, (name, value)| landfall.with(name, value));
    let endpoints: Vec<Value> =
        SERVICES.iter().map(|service| json!({ "name": service, "url": front.url() })).collect();
    let metadata = json!({
        "clusterName": "demo", "clusterID": "u", "infraID": "demo-bcd24",
        "aws": { "region": "us-east-1", "identifier": [], "serviceEndpoints": endpoints },
    });
    std::fs::write(landfall.directory().join("metadata.json"), metadata.to_string()).unwrap();
    let destroy = ["destroy", "cluster", "--plan", "--timeout", "1m"];

    let ran = landfall.run(&destroy).ends(4);
    let said = ran.to_string();
    for word in [front.url().as_str(), "Private Authority", "AWS_CA_BUNDLE"] {
        assert!(said.contains(word), "{word}: {ran}");
    }
    assert!(!said.contains("see aws."), "{ran}");
    assert!(front.asked().is_empty(), "{:?}", front.asked());

    let lines: Vec<String> = authority.pem.lines().map(|line| format!("  {line}\n")).collect();
    let trusting = format!("{}additionalTrustBundle: |\n{}", config("us-east-1", ""), lines.concat());
    std::fs::write(landfall.directory().join("install-config.yaml"), trusting).unwrap();
    let ran = landfall.run(&destroy);
    assert!(front.asked().iter().any(|asked| asked.action() == "GetCallerIdentity"), "{ran}");

    let endpoint = "tagging=https://127.0.0.1:1";
    let find = ["destroy", "find", "--region", "us-east-1", "--timeout", "1m", "--endpoint", endpoint];
    let ran = landfall.run(&find);
    let said = ran.to_string();
    assert!(said.contains("https://127.0.0.1:1") && !said.contains("see aws."), "{ran}");
    for wrong in
        ["tagging", "elb=https://elb.example.com", "ec2=http://ec2.example.com", "ec2=https://e:99999"]
    {
        landfall.run(&["destroy", "find", "--region", "us-east-1", "--endpoint", wrong]).ends(2);
    }
}
