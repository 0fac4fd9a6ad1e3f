//! No secret of an install config is ever shown, however the file is broken.

use std::fmt::Write as _;

use landfall::ui;
use landfall::ui::Judged;
use landfall_diagnostics::LineIndex;
use landfall_install_config::verdict::{Strictness, Verdict, completed, judge};

const CANARY: &str = "c4n4ryc4n4ry";

/// A config with a secret in every place that can hold one. Two machines, so that fencing is judged too.
fn config() -> String {
    "apiVersion: v1
baseDomain: example.com
metadata: {name: demo}
controlPlane:
  replicas: 2
  fencing:
    credentials:
    - hostName: a
      username: u
      password: CANARY
      address: redfish+https://u:CANARY@192.0.2.1:8000/redfish/v1
    - hostName: b
      username: u
      password: \"CANARY\"
      address: redfish+https://192.0.2.2:8000/redfish/v1
proxy:
  httpProxy: http://user:CANARY@proxy.example.com:3128
  httpsProxy: \"https://user:CANARY@proxy.example.com:3128\"
platform: {none: {}}
pullSecret: '{\"auths\":{\"registry.example.com\":{\"auth\":\"CANARY\"}}}'
sshKey: |
  -----BEGIN OPENSSH PRIVATE KEY-----
  CANARY
  -----END OPENSSH PRIVATE KEY-----
"
    .replace("CANARY", CANARY)
}

/// Everything that landfall would ever show of a file.
fn shown(text: &str) -> String {
    let verdict: Verdict = judge(text.as_bytes(), Strictness::default());
    let judged = Judged {
        file: "f.yaml",
        text,
        outcome: verdict.outcome,
        findings: &verdict.findings,
        mask: &verdict.mask,
    };
    let mut shown = format!("{verdict:?}");
    shown += &ui::text::render(&judged, ui::Style::PLAIN);
    shown += &ui::text::render(&judged, ui::Style { colour: true, ..ui::Style::PLAIN });
    shown += &ui::json::render(&judged);
    shown += &ui::github::render(&judged);
    shown += &ui::sarif::log(&ui::sarif::notes(&judged));
    if let Some(config) = &verdict.config {
        shown += &completed(config, false).to_string();
        shown += &serde_json::to_string(config).unwrap();
    }
    let index = LineIndex::new(text);
    let place = index.place(landfall_diagnostics::Span::new(0, text.len()));
    write!(shown, "{place:?}").unwrap();
    shown
}

fn check(text: &str, what: &str) {
    let shown = shown(text);
    if let Some(at) = shown.find(CANARY) {
        let from = at.saturating_sub(300);
        let around: String = shown.chars().skip(from).take(500).collect();
        panic!("{what}: the secret is shown:\n{around}\n---\n{text}");
    }
}

#[test]
fn a_whole_file_shows_no_secret() {
    check(&config(), "whole");
}

#[test]
fn a_file_cut_anywhere_shows_no_secret() {
    let text = config();
    for (at, _) in text.char_indices() {
        check(&text[..at], &format!("cut at {at}"));
    }
}

#[test]
fn a_file_without_any_one_character_shows_no_secret() {
    let text = config();
    for (at, c) in text.char_indices() {
        let broken = format!("{}{}", &text[..at], &text[at + c.len_utf8()..]);
        check(&broken, &format!("without byte {at}, {c:?}"));
    }
}

#[test]
fn a_file_with_a_stray_character_anywhere_shows_no_secret() {
    let text = config();
    for stray in ["'", "\"", ": ", "\t", "@", "\u{e9}"] {
        for (at, _) in text.char_indices() {
            let broken = format!("{}{stray}{}", &text[..at], &text[at..]);
            // A key that is split in two is no key that anybody could know to be secret.
            let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            if stray == ": " && inside(text[..at].chars().last()) && inside(text[at..].chars().next()) {
                continue;
            }
            check(&broken, &format!("{stray:?} at byte {at}"));
        }
    }
}

#[test]
fn credentials_in_odd_places_show_no_secret() {
    let base = "apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: demo}\n\
                pullSecret: '{\"auths\":{\"a\":{\"auth\":\"b\"}}}'\n";
    let odd = [
        "platform: {aws: {region: r, serviceEndpoints: [{name: ec2, url: 'https://u:CANARY@h'}]}}",
        "platform: {aws: {region: r, serviceEndpoints: [{name: ec2, url: 'https://u:CANARY'}]}}",
        "platform: {none: {}}\ncompute: [{name: worker, platform: {nutanix: {password: CANARY}}}]",
        "platform: {none: {}}\nproxy: {httpsProxy: 'http://p/?token=CANARY'}",
        "platform: {none: {apiKey: CANARY}}",
        "platform: {azure: {region: r, cloudName: AzureStackCloud, armEndpoint: 'https://u:CANARY@h'}}",
    ];
    for text in odd {
        check(&format!("{base}{}\n", text.replace("CANARY", CANARY)), text);
    }
}

#[test]
fn values_of_a_wrong_type_show_no_secret() {
    let base = "apiVersion: v1\nbaseDomain: example.com\nmetadata: {name: demo}\nplatform: {none: {}}\n";
    let values = [
        format!("{{auths: {{registry: {{auth: {CANARY}}}}}}}"),
        format!("[{CANARY}]"),
        format!("!!int {CANARY}"),
        format!("!!binary {CANARY}"),
        format!("&a {CANARY}\nsshKey: *a"),
        format!("|\n  {CANARY}\n  {CANARY}"),
        format!("*{CANARY}"),
        format!("{CANARY}: {CANARY}"),
    ];
    for key in ["pullSecret", "PULLSECRET", "pulSecret", "pullsecrets", "sshKey", "registryPassword", "token"]
    {
        for value in &values {
            check(&format!("{base}{key}: {value}\n"), key);
        }
    }
}
