//! Endpoints behind a private authority, and every way to say that it is trusted.

use crate::authority::{Authority, LOOPBACK};
use crate::front::Front;
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
    let trusting = format!("{plain}additionalTrustBundle: |\n{}", lines.concat());
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
