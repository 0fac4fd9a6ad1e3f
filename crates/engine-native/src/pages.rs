//! The findings of the engine.

use std::time::Duration;

use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_platform::native::Existing;
use serde_json::{Map, Value};

static NOT_READY: Code = Code::new("LF1423");

static DIFFERS: Code = Code::new("LF1424");

static NOT_OURS: Code = Code::new("LF1425");

static INTERRUPTED: Code = Code::new("LF1426");

static REPAIRED: Code = Code::new("LF1433");

/// The words before the value that is there, and before the planned one.
const PLANNED: [&str; 2] = ["is", "planned is"];

/// A resource that does not become ready.
pub(crate) fn broken(name: &str, why: &str, repeats: bool) -> Finding {
    let message = format!("{name} failed: {why}");
    Finding::error(&NOT_READY, Kind::Invalid, "", message).help(if repeats {
        "remove the cause, then run the same command again: landfall repeats the creating call"
    } else {
        "remove it with the cloud's own tools, then run the same command again: landfall creates it again"
    })
}

/// A resource that takes too long.
pub(crate) fn late(name: &str, state: &str, limit: Duration) -> Finding {
    let message = format!("{name} is still `{state}` after {} s", limit.as_secs());
    Finding::error(&NOT_READY, Kind::Invalid, "", message)
        .help("run the same command again: it continues to wait; the cloud's console may show the reason")
}

/// An output that a resource does not have.
pub(crate) fn stuck(name: &str) -> Finding {
    let message = format!("{name} cannot be created: a resource that it needs lacks some of its outputs");
    Finding::error(&NOT_READY, Kind::Invalid, "", message).help("run the same command again")
}

/// Properties of a resource that are not as the plan has them.
pub(crate) fn differs(name: &str, existing: &Existing) -> Finding {
    let each = each(existing, PLANNED);
    let message = format!("{name}{} differs from the plan: {each}", id(existing));
    Finding::warning(&DIFFERS, Kind::Invalid, "", message)
        .help("landfall does not change this on a resource that exists: change it with the cloud's own tools")
}

/// Properties of a resource that landfall set back to the plan. The differences are those before.
pub(crate) fn repaired(name: &str, existing: &Existing) -> Finding {
    let each = each(existing, ["was", "is"]);
    let message = format!("{name}{} was set to the plan: {each}", id(existing));
    Finding::warning(&REPAIRED, Kind::Invalid, "", message)
        .help("it or the install config was changed: put a manual change into the install config to keep it")
}

/// Each difference, with the words before the two values.
fn each(existing: &Existing, [before, then]: [&str; 2]) -> String {
    let told = |(key, there, wanted): &(String, Value, Value)| match short(there, wanted) {
        Some((there, wanted)) => format!("{key} {before} {there}, {then} {wanted}"),
        None => key.clone(),
    };
    existing.differences.iter().map(told).collect::<Vec<String>>().join("; ")
}

/// What differs in two values, as texts that fit into a line: of objects the keys that differ. None where nobody
/// would read the values, as in documents.
fn short(there: &Value, wanted: &Value) -> Option<(String, String)> {
    let (there, wanted) = match (there, wanted) {
        (Value::Object(there), Value::Object(wanted)) => {
            // What the plan leaves open does not differ.
            let differs = |key: &&String| {
                wanted.get(*key).is_some_and(|value| !value.is_null() && there.get(*key) != Some(value))
            };
            let keys: Vec<&String> = wanted.keys().filter(differs).collect();
            let of = |all: &Map<String, Value>| {
                let some = keys.iter().filter_map(|key| Some(((*key).clone(), all.get(*key)?.clone())));
                Value::Object(some.collect()).to_string()
            };
            (of(there), of(wanted))
        }
        _ => (there.to_string(), wanted.to_string()),
    };
    let is_read = |text: &String| shortened(text) == *text;
    (is_read(&there) && is_read(&wanted)).then_some((there, wanted))
}

/// A resource of the planned name that is not the cluster's.
pub(crate) fn not_ours(name: &str, existing: &Existing) -> Finding {
    let is_alike = existing.differences.is_empty();
    let each = if is_alike { String::new() } else { format!(": {}", each(existing, PLANNED)) };
    let message = format!("{name}{} exists and does not belong to this cluster{each}", id(existing));
    Finding::error(&NOT_OURS, Kind::Duplicate, "", message)
        .help("remove it if nothing uses it, or choose another name for the cluster")
}

fn id(existing: &Existing) -> String {
    let id = existing.outputs.get("id").and_then(serde_json::Value::as_str);
    id.map(|id| format!(" ({id})")).unwrap_or_default()
}

/// A run that the user stopped.
#[must_use]
pub fn interrupted(stage: &str, existing: usize, total: usize) -> Finding {
    let exist = if existing == total {
        format!("all {total} resources exist")
    } else {
        format!("{existing} of its {total} resources exist")
    };
    let message = format!("stage {stage} was stopped: {exist}");
    Finding::error(&INTERRUPTED, Kind::Invalid, "", message).help(
        "run the same command again to continue: each existing resource is recorded in the cluster directory",
    )
}

#[cfg(test)]
mod tests {
    use landfall_platform::native::{Properties, State};
    use serde_json::json;

    use super::*;

    fn differing(key: &str, there: Value, wanted: Value) -> String {
        let differences = vec![(key.to_owned(), there, wanted)];
        let existing =
            Existing { outputs: Properties::new(), differences, state: State::Ready, is_own: None };
        differs("x/a", &existing).message
    }

    #[test]
    fn of_tags_those_that_differ_are_named_and_of_documents_nothing_is_quoted() {
        let tags = |owner: &str| json!({ "Name": "demo", "owner": owner });
        let message = differing("tags", tags("them"), tags("us"));
        assert!(message.contains("them") && message.contains("us") && !message.contains("demo"), "{message}");
        let document = |action: &str| json!({ "Statement": [{ "Action": action.repeat(30) }] });
        let message = differing("document", document("ec2:*"), document("ec2:Describe*"));
        assert!(message.ends_with("document") && message.len() < 80, "{message}");
    }

    #[test]
    fn a_stopped_stage_of_which_all_exists_says_so() {
        let message = |existing| interrupted("cluster", existing, 83).message;
        assert!(message(83).contains("all 83 ") && !message(83).contains("83 of"), "{}", message(83));
        assert!(message(82).contains("82 of its 83 "), "{}", message(82));
    }
}
