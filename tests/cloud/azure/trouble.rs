//! A cloud that is in trouble for a while, and for ever.

use serde_json::json;

use super::answer::{Answer, failing, page, throttled, torn, unavailable};
use super::arm::{Azure, Trouble};
use super::scene::{config, landfall, public};
use crate::front::Asked;
use crate::program::text;

const SKUS: &str = "/providers/microsoft.compute/skus";

#[test]
fn trouble_that_passes_is_waited_out() {
    let scene = public()
        .with(Trouble::first(2, SKUS, |_| throttled(1)))
        .with(Trouble::first(2, "/locations", |_| unavailable()))
        .with(Trouble::first(1, "/oauth2/v2.0/token", |_| unavailable()))
        .with(Trouble::first(2, "/microsoft.authorization/permissions", |_| failing()))
        .with(Trouble::first(1, "/dnszones/example.com", |_| throttled(1)));
    let azure = Azure::start(scene);
    let report = landfall(&azure, &config("")).preflight();
    report.passes();
    assert!(azure.unused().is_empty(), "nobody was in trouble with {:?}", azure.unused());
    for id in ["azure.credentials", "azure.location", "azure.sizes", "azure.permissions", "azure.dns-zone"] {
        report.is(id, "passed");
    }
}

/// A call that never succeeds is named, with the id by which the cloud's support finds it; it is given up
/// after some attempts, and all else is told as well.
fn for_ever(
    answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    code: &str,
    words: &[&str],
    attempts: usize,
) {
    let azure = Azure::start(public().with(Trouble::always(SKUS, answer)));
    let landfall = landfall(&azure, &config(""));
    let report = landfall.preflight();
    let check = report.reports("azure.sizes", "failed", code);
    let told = check.to_string();
    for word in words.iter().chain(&["Microsoft.Compute/skus"]) {
        assert!(told.to_lowercase().contains(&word.to_lowercase()), "`{word}` is missing: {check}");
    }
    let asked = azure.asked_at(SKUS);
    assert!((attempts..=12).contains(&asked.len()), "{}: {check}", asked.len());
    if attempts > 1 {
        assert!(asked.iter().any(|one| told.contains(&one.correlation)), "no correlation id: {check}");
    }
    for id in
        ["azure.credentials", "azure.subscription", "azure.location", "azure.permissions", "azure.dns-zone"]
    {
        report.is(id, "passed");
    }
    report.is("azure.quota.cores", "skipped");
    assert_eq!(report.ran.code, Some(5), "{}", report.ran);
    let ran = landfall.ask(&["facts"]).ends(5);
    assert!(ran.out.is_empty() && ran.err.contains(code), "{ran}");
}

#[test]
fn too_many_questions_are_told() {
    for_ever(|_| throttled(0), "LF1121", &["TooManyRequests"], 2);
}

#[test]
fn faults_of_the_cloud_are_told() {
    for_ever(|_| failing().header("retry-after", "0"), "LF1121", &["InternalServerError"], 2);
}

/// An authority that never comes to give a token is told with what it answers, and not as silence.
#[test]
fn an_authority_that_fails_is_told() {
    const TOKEN: &str = "/oauth2/v2.0/token";
    let of = |answer: fn(&Asked) -> Answer, words: &[&str]| {
        let azure = Azure::start(public().with(Trouble::always(TOKEN, answer)));
        let report = landfall(&azure, &config("")).preflight();
        let check = report.says("azure.credentials", "failed", words);
        assert_eq!(text(check, "code"), "LF1115", "{check}");
        azure.asked_at(TOKEN).len()
    };
    let busy: fn(&Asked) -> Answer = |_| {
        let body = json!({
            "error": "temporarily_unavailable",
            "error_description": "AADSTS90055: Too many requests.",
            "error_codes": [90_055],
        });
        Answer::json(429, &body).header("retry-after", "3600")
    };
    // There is no use in waiting for so long.
    assert_eq!(of(busy, &["HTTP 429", "AADSTS90055"]), 1);
    let asked = of(|_| unavailable().header("retry-after", "0"), &["HTTP 503"]);
    assert!(asked > 1, "{asked}");
    // What cannot be read may be a fault of one answer.
    assert_eq!(of(|_| Answer::json(200, &json!({})), &[]), 3);
}

/// What speaks in the cloud's place, such as the page of a hotel's network.
#[test]
fn nonsense_is_told() {
    for_ever(|_| page(), "LF1121", &[], 1);
    for_ever(|_| torn(), "LF1121", &[], 1);
}
