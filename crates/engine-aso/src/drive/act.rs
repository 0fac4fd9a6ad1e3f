//! The sender: what a step says is sent, and what comes of it is noted.

use futures::{StreamExt as _, stream};
use landfall_diagnostics::shortened;
use serde_json::{Value, json};

use super::api::{Api, Failure, Location};
use super::references::lack_a_secret;
use super::world::text;
use super::{Drive, Ground, ObservedState, Pace, Planned, Step};
use crate::core::{Action, ApiError, Verb, What};
use crate::desired::Need;
use crate::kinds;

/// How many calls are under way at once.
const AT_ONCE: usize = 8;

/// What came of an action that was sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Acted {
    /// The object.
    pub object: Need,
    /// What was sent.
    pub sent: What,
    /// What follows: the action itself where the server took it.
    pub action: Action,
}

/// Sends what a step says, and takes note of it in the world and in the pace.
pub async fn act(
    drive: &Drive,
    api: &dyn Api,
    step: &Step,
    world: &mut ObservedState,
    pace: &mut Pace,
) -> Vec<Acted> {
    let due = step.objects.iter().filter(|planned| planned.action.what.writes());
    let calls: Vec<_> = due.map(|planned| send(drive, api, planned, world.get(&planned.object))).collect();
    let results: Vec<(&Planned, Result<Told, Failed>)> =
        stream::iter(calls).buffered(AT_ONCE).collect().await;
    let mut acted = Vec::new();
    for (planned, result) in results {
        let action = match result {
            Ok(told) => {
                pace.went(&planned.object);
                told.note(&planned.object, world);
                planned.action.clone()
            }
            Err(failed) => {
                let error = ApiError { verb: failed.verb, code: failed.failure.code() };
                let mut action = drive.after(&planned.object, world, error);
                if let Some(fields) = unknown_fields(&failed.failure.fault.why()) {
                    action.message = format!("{}: {fields}", action.message);
                }
                pace.refused(planned, &action, failed.failure.retry_after, world);
                failed.note(planned.object.kind, world);
                action
            }
        };
        acted.push(Acted { object: planned.object.clone(), sent: planned.action.what.clone(), action });
    }
    acted
}

/// Looks whether the credential stands, of which no watch tells, where the operator misses a Secret.
pub(super) async fn look_for_credential(drive: &Drive, api: &dyn Api, world: &mut ObservedState) {
    let ground = Ground { infra_id: drive.infra_id.clone(), namespace: drive.owner.namespace.clone() };
    // Without an answer it is taken to stand.
    world.lacks_credential = lack_a_secret(world) && matches!(ground.credential(api).await, Ok(None));
}

/// The fields that the server says it does not know: names, no values, which may be secret.
fn unknown_fields(why: &str) -> Option<String> {
    why.find("unknown field").map(|start| shortened(&why[start..]))
}

/// What the server says of an object after a call.
enum Told {
    /// It stands so.
    Stands(Value),
    /// It is gone.
    Gone,
}

impl Told {
    fn note(self, id: &Need, world: &mut ObservedState) {
        match self {
            Self::Stands(object) => world.insert(id.kind, object),
            Self::Gone => world.remove(id),
        }
    }
}

/// A call that failed, with the object as it stands where that was not known.
struct Failed {
    verb: Verb,
    failure: Failure,
    stands: Option<Value>,
}

impl Failed {
    fn note(self, kind: &'static str, world: &mut ObservedState) {
        if let Some(object) = self.stands {
            world.insert(kind, object);
        }
    }
}

async fn send<'p>(
    drive: &Drive,
    api: &dyn Api,
    planned: &'p Planned,
    existing: Option<&Value>,
) -> (&'p Planned, Result<Told, Failed>) {
    let failed = |verb: Verb| move |failure: Failure| Failed { verb, failure, stands: None };
    let at = location(drive, planned, existing);
    let result = match &planned.action.what {
        What::Create(object) => match api.create(&at, object).await {
            Ok(object) => Ok(Told::Stands(object)),
            Err(failure) => {
                // What is in the way may be something of which no watch tells.
                let there =
                    if failure.code() == Some(409) { api.get(&at).await.ok().flatten() } else { None };
                Err(Failed { verb: Verb::Create, failure, stands: there })
            }
        },
        What::Patch(patch) => {
            let mut patch = patch.clone();
            let version =
                existing.map(|object| text(object, "/metadata/resourceVersion")).unwrap_or_default();
            json_patch::merge(&mut patch, &json!({ "metadata": { "resourceVersion": version } }));
            api.merge(&at, &patch).await.map(Told::Stands).map_err(failed(Verb::Patch))
        }
        _ => {
            let preconditions = existing.map_or_else(|| json!({}), preconditions);
            let gone = api.delete(&at, &preconditions).await;
            gone.map(|object| object.map_or(Told::Gone, Told::Stands)).map_err(failed(Verb::Delete))
        }
    };
    (planned, result)
}

/// What must hold of an object so that it is still the one that was decided about.
pub(super) fn preconditions(object: &Value) -> Value {
    json!({
        "uid": text(object, "/metadata/uid"),
        "resourceVersion": text(object, "/metadata/resourceVersion"),
    })
}

/// Where an object stands, in the version in which it is read or written.
pub(super) fn location(drive: &Drive, planned: &Planned, existing: Option<&Value>) -> Location {
    let written = match &planned.action.what {
        What::Create(object) => Some(object),
        _ => existing,
    };
    let kind = kinds::named(planned.object.kind);
    let version = written.map(|object| text(object, "/apiVersion")).filter(|version| !version.is_empty());
    Location {
        api_version: version
            .map(str::to_owned)
            .or_else(|| kind.map(kinds::Kind::api_version))
            .unwrap_or_default(),
        plural: kind.map_or("", |kind| kind.plural),
        namespace: Some(drive.owner.namespace.clone()),
        name: planned.object.name.clone(),
    }
}
