//! What the API server asks the operator about, and what it writes without asking.

use serde_json::{Value, json};

use super::judging::parent;
use super::webhook::{Webhook, all};
use super::world::{CONTROLLERS, NAMESPACED, PARENT, PRIVATE, PROJECT, Place, World};

const AWS: Place<'_> = Place(PARENT, "", "aws");
const MINE: Place<'_> = Place(PRIVATE, PROJECT, "mine");
const RELEASED: Place<'_> = Place(NAMESPACED, PROJECT, "released");

/// Whether a change of an object is accepted while the webhook is down.
fn is_written(world: &World, place: Place<'_>, change: &Value) -> bool {
    match world.cluster.server.call("PATCH", &place.path(), change) {
        Ok(_) => true,
        Err(fault) => {
            let why = fault.why();
            assert!(
                why.contains("failed calling webhook") || why.contains("failed to call webhook"),
                "{why}"
            );
            false
        }
    }
}

#[test]
#[ignore = "needs a current API server"]
fn while_nobody_judges_only_what_no_rule_concerns_is_written() {
    let controllers = all(CONTROLLERS);
    let world = World::start(&controllers);
    let webhook = Webhook::new();
    let operator = webhook.start(&world, &controllers);
    world.make(AWS, &parent());
    world.make(MINE, &json!({ "parent": "aws", "limits": { "maxNodesTotal": 9 } }));
    world.make(RELEASED, &json!({ "parent": { "kind": "CloudProfile", "name": "aws" } }));
    world.says(MINE, "True", "RenderedCleanly");
    world.kept(AWS);
    drop(operator);

    let label = json!({ "metadata": { "labels": { "team": "moon" } } });
    let finalizer = json!({ "metadata": { "finalizers": ["gardener", "example.com/other"] } });
    for place in [AWS, MINE, RELEASED] {
        assert!(is_written(&world, place, &finalizer), "{}", place.path());
    }
    for place in [AWS, MINE] {
        assert!(is_written(&world, place, &label), "{}", place.path());
    }
    let status = json!({ "status": { "observedGeneration": 1 } });
    assert!(world.cluster.server.call("PATCH", &format!("{}/status", MINE.path()), &status).is_ok());
    // Each of these is for a rule to judge.
    assert!(!is_written(&world, RELEASED, &label));
    let more = json!({ "spec": { "regions": [{ "name": "moon-1" }] } });
    assert!(!is_written(&world, AWS, &more));
    assert!(!is_written(&world, MINE, &json!({ "spec": { "limits": { "maxNodesTotal": 10 } } })));
    let other = Place(PRIVATE, PROJECT, "other");
    let made = other.object(&json!({ "parent": "aws" }));
    assert!(world.cluster.server.call("POST", &other.collection(), &made).is_err());

    // The finalizers of a deleted profile can be removed without the webhook.
    world.delete(RELEASED);
    assert!(is_written(&world, RELEASED, &json!({ "metadata": { "finalizers": null } })));
    world.goes(RELEASED);

    let _operator = webhook.start(&world, &controllers);
    assert!(is_written(&world, MINE, &json!({ "spec": { "limits": { "maxNodesTotal": 10 } } })));
}
