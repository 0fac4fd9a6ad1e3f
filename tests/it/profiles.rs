//! What comes of private profiles and their parents: what is rendered, what expires, what is filled in.

pub mod cases;
pub mod compare;

use landfall_cloud_profile::clean::clean;
use landfall_cloud_profile::instant::instant;
use landfall_cloud_profile::render::render;
use landfall_cloud_profile::types::{
    CloudProfile, NamespacedCloudProfile, PRIVATE_CLOUD_PROFILE, PrivateCloudProfile, PrivateCloudProfileSpec,
};
use landfall_cloud_profile::{released, status};
use serde_json::{Map, Value, json};

use cases::{Case, cases};
use compare::{Order, difference};

/// What came of a case, by the names of the members of `expect`.
type Found = Map<String, Value>;

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn found<const N: usize>(members: [(&str, Value); N]) -> Found {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// A private profile after the case, perhaps without what has expired.
fn private(case: &Case) -> Found {
    let mut profile: PrivateCloudProfile = read(&case.profile);
    let mut members = Found::new();
    if case.operation == "expire" {
        let cleaned = clean(&profile.spec, instant(&case.now).unwrap(), case.optional);
        assert_eq!(!cleaned.removed.is_empty(), cleaned.spec != profile.spec, "{}", case.id);
        profile.spec = cleaned.spec;
        members = found([
            ("cleaned", json!(profile.spec)),
            ("nextCheck", json!(cleaned.next_check.map(|next| next.to_string()))),
        ]);
    }
    let status = match read::<Option<CloudProfile>>(&case.parent) {
        Some(parent) => status::rendered(&profile, render(&parent.spec, &profile.spec)),
        None => status::parent_not_found(&profile),
    };
    let condition = &status.conditions[0];
    let conflicts = status.conflicts.iter().map(|conflict| {
        assert!(!conflict.message.is_empty(), "{}: a conflict says nothing", case.id);
        json!({"path": conflict.path, "reason": conflict.reason})
    });
    members.extend(found([
        ("conflicts", conflicts.collect()),
        (
            "condition",
            json!({"type": condition.kind, "status": condition.status, "reason": condition.reason}),
        ),
        ("observedGeneration", json!(status.observed_generation)),
    ]));
    let before = profile.status.unwrap_or_default();
    members.insert("unchanged".to_owned(), json!(status.cloud_profile == before.cloud_profile));
    if let Some(object) = status.cloud_profile {
        let mut head = json!(object);
        members.insert("rendered".to_owned(), head["spec"].take());
        members.insert("statusObject".to_owned(), head);
    }
    members
}

/// A profile of the released kind after the case; of those nothing ever expires.
fn namespaced(case: &Case) -> Found {
    let profile: NamespacedCloudProfile = read(&case.profile);
    if case.operation == "default" {
        return found([("stored", json!(released::default(&profile.spec)))]);
    }
    let parent: CloudProfile = read(&case.parent);
    let rendered = released::render(&parent.spec, &profile.spec);
    found([("rendered", json!(rendered)), ("cleaned", json!(profile.spec)), ("nextCheck", Value::Null)])
}

/// Everything in which what came of a case is not what should.
fn differences(case: &Case) -> Option<String> {
    let mut found = if case.kind == PRIVATE_CLOUD_PROFILE { private(case) } else { namespaced(case) };
    let mut expect = case.expect.clone();
    // Without a word on conflicts there are none, and the order in which they are told always counts.
    let conflicts = (found.remove("conflicts"), expect.remove("conflicts"));
    let conflicts =
        difference(&conflicts.0.unwrap_or_default(), &conflicts.1.unwrap_or_default(), Order::Exact);
    found.retain(|name, _| expect.contains_key(name));
    assert!(found.len() == expect.len(), "{}: not all of this is looked at: {:?}", case.id, expect.keys());
    let rest = difference(&found.into(), &expect.into(), case.order());
    let told: Vec<String> = conflicts.into_iter().chain(rest).collect();
    (!told.is_empty()).then(|| format!("{}:\n{}", case.id, told.join("\n")))
}

#[test]
fn rendered_expired_and_completed_as_specified() {
    // What the released kind does badly is not copied, so cases of that agree or do not.
    let cases = cases(&["render", "expire", "default"]);
    let told: Vec<String> =
        cases.iter().filter(|case| case.quirk.is_none()).filter_map(differences).collect();
    assert!(told.is_empty(), "{} of {} cases differ:\n{}", told.len(), cases.len(), told.join("\n"));
}

/// The example of the proposal, letter by letter.
#[test]
fn the_example_of_the_proposal() {
    let case = cases(&["render"]).into_iter().find(|case| case.id == "seed-example");
    let Some(case) = case else { return };
    let found = private(&case);
    assert_eq!(found["rendered"], case.expect["rendered"]);
    assert_eq!(difference(&found["statusObject"], &case.expect["statusObject"], Order::Exact), None);
    assert_eq!(found["conflicts"], json!([]));
}

/// A profile that was rendered and read again renders to the same, and reading loses nothing.
#[test]
fn what_is_written_reads_as_the_same() {
    for case in cases(&["render"]).iter().filter(|case| case.kind == PRIVATE_CLOUD_PROFILE) {
        let spec: PrivateCloudProfileSpec = read(&case.profile["spec"]);
        assert_eq!(read::<PrivateCloudProfileSpec>(&json!(spec)), spec, "{}", case.id);
        let lost = difference(&json!(spec), &case.profile["spec"], Order::Exact);
        assert_eq!(lost, None, "{}", case.id);
        let parent: CloudProfile = read(&case.parent);
        let once = render(&parent.spec, &spec);
        let twice = render(&read(&json!(once.spec)), &PrivateCloudProfileSpec::default());
        assert_eq!(twice.spec, once.spec, "{}", case.id);
    }
}
