//! Every way in which the resource manager and the authority can be broken, and how the user is told.

use super::arm::{Azure, ISSUER};
use super::scene::{SECRET, config, config_with, landfall_at, public, stranger, trusting, with_ids};
use crate::answers::page;
use crate::authority::{Authority, LOOPBACK};
use crate::broken::{Count, Gauge, closed, dead, plain};
use crate::front::{ALL, ANY, Front, Reply, Rule};
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
        let check = report.reports(id, "failed", "LF1107");
        assert!(text(check, "message").contains(ISSUER), "{check}");
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
    let moved = Reply::new(301, "text/plain", "").header("location", "https://elsewhere.example/");
    let moved = vec![Rule::always(ANY, ALL, move |_| moved.clone())];
    let moved = Front::start(None, Some(known.server(LOOPBACK)), moved);
    let cases: &[(String, &str, &str)] = &[
        (at(closed()), "LF1106", "connection refused"),
        (at(plain()), "LF1107", "TLS"),
        (at(other.port), "LF1107", "other.example"),
        (at(expired.port), "LF1107", "2024-01-02"),
        (at(html.port), "LF1108", "text/html"),
        (at(moved.port), "LF1109", "https://elsewhere.example"),
        ("https://nothing.invalid".to_owned(), "LF1106", "resolve"),
    ];
    for (url, code, word) in cases {
        let pems = [azure.pem.as_str(), known.pem.as_str()];
        let report = between(url, &azure.url(), &pems).preflight();
        let check = report.reports(MANAGER, "failed", code);
        assert!(text(check, "message").contains(word), "{check}");
        assert!(text(&check["evidence"], "url").starts_with(url.as_str()), "{check}");
        report.is(AUTHORITY, "passed");
        report.is("azure.location", "skipped");

        let report = between(&azure.url(), url, &pems).preflight();
        let check = report.reports(AUTHORITY, "failed", code);
        assert!(text(check, "message").contains(word), "{check}");
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
        let check = report.reports(id, "failed", "LF1106");
        assert!(text(check, "message").contains(" 3 s"), "{check}");
    }
    let Count { most, all, .. } = gauge.read();
    assert_eq!((most, all), (2, 2), "{}", report.ran);

    let gauge = Gauge::default();
    let landfall = between(&azure.url(), &at(dead(&gauge)), &[azure.pem.as_str()]);
    let report = landfall.preflight_at_once();
    report.reports(AUTHORITY, "failed", "LF1106");
    report.is(MANAGER, "passed");
    assert_eq!(gauge.read().all, 1, "{}", report.ran);
    let ran = landfall.run(&["facts"]).ends(4);
    assert!(ran.out.is_empty() && ran.err.contains("LF1106") && ran.err.contains(" 3 s"), "{ran}");
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
    let check = report.reports("azure.cloud", "warned", "LF1102");
    assert!(text(check, "message").contains("AzureGermanCloud"), "{check}");
    let check = report.reports(MANAGER, "failed", "LF1106");
    assert!(text(check, "help").contains("2021"), "{check}");
    assert!(azure.asked().is_empty(), "{}", report.ran);
}
