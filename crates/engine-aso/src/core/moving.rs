//! An object on its way to another management cluster.

use serde_json::{Map, Value, json};

use super::{Object, Owner};
use crate::keys;

/// The object as it is made in the other management cluster, below its anchor there: without what the API
/// server and the operator wrote into it.
#[must_use]
pub fn moved(object: &Value, owner: &Owner) -> Value {
    let metadata = |field: &str| object.get("metadata").and_then(|metadata| metadata.get(field));
    json!({
        "apiVersion": object.get("apiVersion"),
        "kind": object.get("kind"),
        "metadata": {
            "name": metadata("name"),
            "namespace": owner.namespace,
            "labels": without_the_operators(metadata("labels")),
            "annotations": without_the_operators(metadata("annotations")),
            "ownerReferences": [owner.reference()],
        },
        "spec": object.get("spec"),
    })
}

/// Labels or annotations without those that the operator writes.
fn without_the_operators(map: Option<&Value>) -> Map<String, Value> {
    let engines = [keys::POLICY, keys::CREDENTIAL_FROM];
    let kept = |key: &str| engines.contains(&key) || !key.starts_with(keys::OPERATOR_PREFIX);
    let all = map.and_then(Value::as_object).into_iter().flatten();
    all.filter(|(key, _)| kept(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Whether a move may begin: nothing changes in Azure because of any of the cluster's own objects.
#[must_use]
pub fn may_move<'a>(objects: impl IntoIterator<Item = Object<'a>>, owner: &Owner, infra_id: &str) -> bool {
    objects.into_iter().filter(|object| owner.owns(*object, infra_id)).all(Object::is_paused)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner() -> Owner {
        Owner {
            api_version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            name: keys::anchor_name("demo-x7k2p"),
            namespace: "demo-x7k2p".to_owned(),
            uid: "new".to_owned(),
        }
    }

    #[test]
    fn only_what_the_engine_wrote_moves() {
        let object = json!({
            "apiVersion": "resources.azure.com/v1api20200601",
            "kind": "ResourceGroup",
            "metadata": {
                "name": "demo-x7k2p-rg",
                "namespace": "demo-x7k2p",
                "uid": "u",
                "resourceVersion": "7",
                "generation": 3,
                "finalizers": ["serviceoperator.azure.com/finalizer"],
                "labels": {(keys::CLUSTER): "demo-x7k2p", "serviceoperator.azure.com/owner-uid": "u"},
                "annotations": {
                    (keys::POLICY): "skip",
                    (keys::PRE_PAUSE): "manage",
                    "serviceoperator.azure.com/operator-namespace": "capz-system",
                    "serviceoperator.azure.com/poller-resume-id": "y",
                },
                "ownerReferences": [{"kind": "ResourceGroup", "uid": "old"}],
            },
            "spec": {"location": "eastus"},
            "status": {"id": "x"},
        });
        let wanted = json!({
            "apiVersion": "resources.azure.com/v1api20200601",
            "kind": "ResourceGroup",
            "metadata": {
                "name": "demo-x7k2p-rg",
                "namespace": "demo-x7k2p",
                "labels": {(keys::CLUSTER): "demo-x7k2p"},
                "annotations": {(keys::POLICY): "skip", (keys::PRE_PAUSE): "manage"},
                "ownerReferences": [owner().reference()],
            },
            "spec": {"location": "eastus"},
        });
        assert_eq!(moved(&object, &owner()), wanted);
        assert!(may_move([Object(&wanted)], &owner(), "demo-x7k2p"));
        let running = json!({"metadata": {"labels": {(keys::CLUSTER): "demo-x7k2p"}}});
        assert!(!may_move([Object(&wanted), Object(&running)], &owner(), "demo-x7k2p"));
        assert!(may_move([Object(&json!({}))], &owner(), "demo-x7k2p"));
    }
}
