//! Answers of clusters, and what they are taken for.

use serde_json::json;

use super::*;

/// Two minutes after the operators of these tests changed last.
const NOW: &str = "2026-01-02T03:06:00Z";

fn now() -> Timestamp {
    NOW.parse().unwrap_or_default()
}

fn conditions(given: &[(&str, &str, &str)]) -> Value {
    let condition = |(kind, status, message): &(&str, &str, &str)| {
        json!({
            "type": kind,
            "status": status,
            "message": message,
            "lastTransitionTime": "2026-01-02T03:04:00Z",
        })
    };
    given.iter().map(condition).collect()
}

fn version(given: &[(&str, &str, &str)]) -> ClusterVersion {
    let value = json!({
        "status": { "conditions": conditions(given), "history": [{ "version": "4.20.1" }] },
    });
    serde_json::from_value(value).unwrap_or_default()
}

/// A name, and conditions: type, status and message.
type Given<'a> = (&'a str, &'a [(&'a str, &'a str, &'a str)]);

fn operators(given: &[Given<'_>]) -> Vec<Operator> {
    let item = |(name, status): &Given<'_>| json!({ "metadata": { "name": name }, "status": { "conditions": conditions(status) } });
    let items: Vec<Value> = given.iter().map(item).collect();
    let list: ClusterOperators = serde_json::from_value(json!({ "items": items })).unwrap_or_default();
    list.stand(now())
}

const GOOD: &[(&str, &str, &str)] =
    &[("Available", "True", ""), ("Progressing", "False", ""), ("Degraded", "False", "")];
const THERE: &[(&str, &str, &str)] =
    &[("Available", "True", ""), ("Failing", "False", ""), ("Progressing", "False", "")];

fn headline(stand: &Stand) -> &str {
    match stand {
        Stand::Reached => "reached",
        Stand::Waiting { headline, .. } => headline,
    }
}

#[test]
fn the_bootstrap_says_itself_that_it_is_complete() {
    let map = |status: &str| ConfigMap { data: [("status".to_owned(), status.to_owned())].into() };
    assert_eq!(bootstrap(Some(&map("complete"))), Stand::Reached);
    let waiting = bootstrap(Some(&map("half\nway")));
    assert!(headline(&waiting).ends_with(": half way"), "{}", headline(&waiting));
    assert_ne!(bootstrap(Some(&ConfigMap::default())), Stand::Reached);
    assert_ne!(bootstrap(None), Stand::Reached);
}

#[test]
fn an_installation_is_complete_when_the_release_is_there_and_all_operators_rest() {
    let all = operators(&[("console", GOOD), ("dns", GOOD)]);
    assert_eq!(installation(Some(&version(THERE)), &all), Stand::Reached);
    assert_eq!(installation(Some(&version(THERE)), &[]), Stand::Reached);
    assert_ne!(installation(None, &all), Stand::Reached);
    // A condition that nobody has told is not the one that is wanted.
    for missing in ["Available", "Failing", "Progressing"] {
        let some: Vec<_> = THERE.iter().copied().filter(|(kind, ..)| *kind != missing).collect();
        let stand = installation(Some(&version(&some)), &all);
        let headline = headline(&stand);
        assert!(headline.starts_with("2 of 2 ") && headline.contains("release"), "{missing}: {headline}");
    }
    let changing = [("Available", "True", ""), ("Failing", "False", ""), ("Progressing", "True", "56%")];
    let stand = installation(Some(&version(&changing)), &all);
    assert!(headline(&stand).starts_with("2 of 2 "), "{stand:?}");
    assert_eq!(stand, Stand::waiting(headline(&stand), "56%"));
    assert_eq!(version(THERE).release(), Some("4.20.1".to_owned()));
}

#[test]
fn an_operator_is_ready_when_it_is_available_and_has_come_to_rest() {
    let ready = |status: &[(&str, &str, &str)]| {
        operators(&[("dns", status)]).first().is_some_and(|operator| operator.ready)
    };
    assert!(ready(GOOD));
    assert!(!ready(&[("Available", "False", "no"), ("Progressing", "False", "")]));
    assert!(!ready(&[("Available", "True", ""), ("Progressing", "True", "")]));
    assert!(!ready(&[("Available", "True", "")]));
    assert!(!ready(&[]));
    let rest = Condition {
        status: "False".to_owned(),
        last_transition_time: Some("2026-01-02T03:05:45Z".to_owned()),
        ..Condition::default()
    };
    assert!(!rest.is_at_rest(now()));
    assert!(Condition { last_transition_time: None, ..rest }.is_at_rest(now()));
}

#[test]
fn operators_are_told_by_name_with_what_they_say() {
    let bad: &[(&str, &str, &str)] = &[
        ("Available", "False", "no\u{1b}[2J route"),
        ("Progressing", "True", "no\u{1b}[2J route"),
        ("Degraded", "True", "two\nlines"),
    ];
    let found = operators(&[("ingress", GOOD), ("authentication", bad)]);
    let told: Vec<(&str, bool, &str)> =
        found.iter().map(|o| (o.name.as_str(), o.ready, o.message.as_str())).collect();
    assert_eq!(told, [("authentication", false, "no [2J route; two lines"), ("ingress", true, "")]);
    let stand = installation(Some(&version(THERE)), &found);
    let headline = headline(&stand);
    assert!(headline.starts_with("1 of 2 ") && headline.ends_with(" authentication"), "{headline}");
}

#[test]
fn the_console_is_a_page_of_https() {
    let map = |url: &str| ConfigMap { data: [("consoleURL".to_owned(), url.to_owned())].into() };
    let expected = Some("https://console.apps.demo.example.com".to_owned());
    assert_eq!(console_of_map(&map("https://console.apps.demo.example.com/")), expected);
    assert_eq!(console_of_map(&map("javascript:alert(1)")), None);
    let route = json!({ "status": { "ingress": [{ "host": "console.apps.demo.example.com" }] } });
    assert_eq!(console_of_route(&route), expected);
    assert_eq!(console_of_route(&json!({ "spec": { "host": "console.apps.demo.example.com" } })), expected);
    assert_eq!(console_of_route(&json!({})), None);
}

#[test]
fn what_is_no_version_is_not_taken_for_one() {
    let of = |value: Value| serde_json::from_value::<ApiVersion>(value).ok().and_then(|v| v.shown());
    assert_eq!(of(json!({ "gitVersion": "v1.33.4", "major": "1" })), Some("v1.33.4".to_owned()));
    assert_eq!(of(json!({ "status": "ok" })), None);
}
