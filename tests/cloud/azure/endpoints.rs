//! Every way in which the resource manager and the authority can be broken, and how the user is told.

use super::arm::{Azure, ISSUER};
use super::scene::{SECRET, config, config_with, landfall_at, public, stranger, trusting, with_ids};
use crate::answers::page;
use crate::authority::{Authority, LOOPBACK};
use crate::broken::{Count, Gauge, closed, dead, plain};
use crate::front::{ALL, ANY, Front, Rule};
use crate::program::{Landfall, text};

const MANAGER: &str = "azure.endpoint.resource-manager";
const AUTHORITY: &str = "azure.endpoint.authority";

fn at(port: u16) -> String {
    format!("https://localhost:{port}")
}

/// With the secret of an application, for a cloud at these endpoints.
fn between(manager: &str, authority: &str, pems: &[&str]) -> Landfall {
    with_ids(landfall_at(&config(""), manager, authority, &pems.concat())).with("AZURE_CLIENT_SECRET", SECRET)
}

#[test]
fn a_private_authority_is_trusted_once_it_is_named() {
    let azure = Azure::start(public());
    let bare = |config: &str| {
        let other = Authority::new("Other Authority");
        let landfall = landfall_at(config, &azure.url(), &azure.url(), &other.pem);
        with_ids(landfall).with("AZURE_CLIENT_SECRET", SECRET)
    };
    let report = bare(&config("")).preflight();
    for id in [MANAGER, AUTHORITY] {
        let check = report.says(id, "failed", &["certificate signed by an unknown authority", ISSUER]);
        let help = text(check, "help");
        assert!(help.contains("additionalTrustBundle") && help.contains("SSL_CERT_FILE"), "{check}");
        assert!(text(&check["evidence"]["certificates"][0], "issuer").contains(ISSUER), "{check}");
    }
    assert!(azure.asked().is_empty(), "{}", report.ran);
    for id in ["azure.credentials", "azure.subscription", "azure.location"] {
        assert_ne!(text(report.check(id), "status"), "passed", "{}", report.ran);
    }
    let trusting = format!("{}{}", config(""), trusting(&azure.pem));
    let report = bare(&trusting).preflight();
    report.passes();
    report.is("azure.trust", "passed");
}

#[test]
fn each_is_told_in_its_own_words() {
    let azure = Azure::start(public());
    let known = Authority::new("Known Authority");
    let other = Front::start(None, Some(known.server(&["other.example"])), Vec::new());
    let expired = Front::start(None, Some(known.expired(LOOPBACK)), Vec::new());
    let html = Front::start(None, Some(known.server(LOOPBACK)), vec![Rule::always(ANY, ALL, |_| page())]);
    let cases: &[(String, &str)] = &[
        (at(closed()), "connection refused"),
        (at(plain()), "speaks no TLS"),
        (at(other.port), "certificate is for other.example"),
        (at(expired.port), "expired on 2024-01-02"),
        (at(html.port), "answers, but not as"),
        ("https://nothing.invalid".to_owned(), "the name does not resolve"),
    ];
    for (url, word) in cases {
        let pems = [azure.pem.as_str(), known.pem.as_str()];
        let report = between(url, &azure.url(), &pems).preflight();
        let check = report.says(MANAGER, "failed", &[*word]);
        assert!(text(&check["evidence"], "url").starts_with(url.as_str()), "{check}");
        report.is(AUTHORITY, "passed");
        report.is("azure.location", "skipped");

        let report = between(&azure.url(), url, &pems).preflight();
        report.says(AUTHORITY, "failed", &[*word]);
        report.is(MANAGER, "passed");
        assert_ne!(text(report.check("azure.credentials"), "status"), "passed", "{}", report.ran);
        report.is("azure.location", "skipped");
    }
    assert!(azure.asked().iter().all(|one| one.call.authorization.is_empty()), "somebody had a token");
}

/// Both are waited for at the same time, once, and nobody is asked anything more after that.
#[test]
fn dead_endpoints_are_waited_for_at_once() {
    let azure = Azure::start(public());
    let gauge = Gauge::default();
    let url = at(dead(&gauge));
    let report = between(&url, &url, &[azure.pem.as_str()]).preflight_at_once();
    for id in [MANAGER, AUTHORITY] {
        report.says(id, "failed", &["no answer in 3 s"]);
    }
    let Count { most, all, .. } = gauge.read();
    assert_eq!((most, all), (2, 2), "{}", report.ran);

    let gauge = Gauge::default();
    let landfall = between(&azure.url(), &at(dead(&gauge)), &[azure.pem.as_str()]);
    let report = landfall.preflight_at_once();
    report.says(AUTHORITY, "failed", &["no answer in 3 s"]);
    report.is(MANAGER, "passed");
    assert_eq!(gauge.read().all, 1, "{}", report.ran);
    let ran = landfall.run(&["facts"]).ends(4);
    assert!(ran.out.is_empty() && ran.err.contains("no answer in 3 s"), "{ran}");
}

/// A cloud that was closed is looked for all the same.
#[test]
fn a_closed_cloud_is_told() {
    let azure = Azure::start(public());
    let config = config_with("germanycentral", "", "").replace("AzurePublicCloud", "AzureGermanCloud");
    let overlay = serde_json::json!({ "azure": { "clouds": { "AzureGermanCloud": {
        "resourceManagerEndpoint": format!("{}/", at(closed())),
        "activeDirectoryAuthority": format!("{}/", at(closed())),
    } } } });
    let landfall = with_ids(stranger(&azure, &config)).with("AZURE_CLIENT_SECRET", SECRET);
    std::fs::write(landfall.directory().join("catalogue.json"), overlay.to_string()).unwrap();
    let report = landfall.preflight();
    report.says("azure.cloud", "warned", &["AzureGermanCloud"]);
    let check = report.says(MANAGER, "failed", &["connection refused"]);
    assert!(text(check, "help").contains("2021"), "{check}");
    assert!(azure.asked().is_empty(), "{}", report.ran);
}
