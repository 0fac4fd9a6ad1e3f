//! The controller makes clusters that users ask for, keeps them, and removes them, each with a credential of
//! its own.

use serde_json::{Value, json};

use super::controller::{Asked, Controller, managed};
use super::identity::at;
use super::management::place_of;
use super::site::{CANARY, config};
use super::stands::{PUBLIC, is_ready, keeps_secrets, like_example, policy};
use super::table::{Azure, Trouble};
use super::until::until;

fn has_finalizer(object: &Value) -> bool {
    object["metadata"]["finalizers"].as_array().is_some_and(|all| !all.is_empty())
}

#[test]
#[ignore = "needs an API server"]
fn a_cluster_is_made_kept_paused_and_removed() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let mut controller = Controller::start(&management);
    let config = config("public", |_| {});
    let asked = Asked::make(&management, PUBLIC, &config, &json!({}));
    // It is killed in the midst of it.
    until("something is made", || (!azure.ids().is_empty()).then_some(()));
    controller = controller.again(&management, PUBLIC);
    asked.says("Ready", "True", &[]);
    like_example(&management, PUBLIC, "public");
    let whole = azure.ids();
    let object = asked.get().unwrap_or_default();
    assert_eq!(at(&object, "/status/infraID"), PUBLIC, "{object}");
    assert_eq!(object["status"]["observedGeneration"], object["metadata"]["generation"]);
    keeps_secrets(&management, PUBLIC, &[&controller.log(), &object.to_string()]);
    assert!(management.get(&asked.credential()).is_some_and(|secret| has_finalizer(&secret)));

    for number in ["aso_engine_actions_total", "aso_engine_objects", "aso_engine_time_to_ready_seconds_count"]
    {
        assert!(controller.number(number) > 0, "{number}: {}", controller.numbers());
    }

    // One that begins anew looks at everything, and where nothing changed, it writes nothing.
    let before = (management.versions(PUBLIC), object);
    controller = controller.again(&management, PUBLIC);
    until("it looked", || (controller.number("aso_engine_reconcile_seconds_count") > 0).then_some(()));
    until("it rests", || (controller.number("landfall_queue_length") == 0).then_some(()));
    assert_eq!((management.versions(PUBLIC), asked.get().unwrap_or_default()), before);
    assert_eq!(controller.number("landfall_writes_total"), 0, "{}", controller.numbers());

    // What is lost is made again.
    let network = place_of(PUBLIC, "VirtualNetwork", "demo-x7k2p-vnet");
    let uid = at(&management.get(&network).unwrap_or_default(), "/metadata/uid").to_owned();
    management.server.call("DELETE", &network, &Value::Null).unwrap();
    until("the object is another one", || {
        let object = management.get(&network)?;
        (at(&object, "/metadata/uid") != uid && is_ready(&object) && policy(&object) == "manage")
            .then_some(())
    });
    // Azure deletes subnets with their network, which the operator notices when it looks at them next.
    management.look_again();
    until("all are there again", || (azure.ids() == whole).then_some(()));
    asked.says("Ready", "True", &[]);

    // While it is paused, what is lost stays lost.
    asked.change(&json!({ "spec": { "paused": true } }));
    until("it says so", || {
        let object = asked.get()?;
        (object["status"]["observedGeneration"] == object["metadata"]["generation"]).then_some(())
    });
    let rule = place_of(PUBLIC, "NetworkSecurityGroupsSecurityRule", "demo-x7k2p-nsg-apiserver-in");
    management.server.call("DELETE", &rule, &Value::Null).unwrap();
    until("the rule is gone", || management.get(&rule).is_none().then_some(()));
    asked.change(&json!({ "spec": { "paused": false } }));
    until("the rule comes again", || management.get(&rule).filter(is_ready));
    asked.says("Ready", "True", &[]);

    // What is Ready does not go with a resource that is deleted by mistake.
    asked.delete();
    asked.says("Progressing", "False", &["DeletionProtected", "aso.landfall.dev/deletion-protection"]);
    assert_eq!(azure.ids(), whole);
    asked.unprotect();
    // The credential is kept until the last object is gone.
    management.server.call("DELETE", &asked.credential(), &Value::Null).unwrap();
    until("it is gone", || asked.get().is_none().then_some(()));
    assert!(azure.ids().is_empty(), "{:?}", azure.ids());
    until("the objects are gone", || management.objects(PUBLIC).is_empty().then_some(()));
    until("the credential is gone", || management.get(&asked.credential()).is_none().then_some(()));
    assert!(!controller.log().contains(CANARY));
}

#[test]
#[ignore = "needs an API server"]
fn problems_are_reported_in_conditions() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let controller = Controller::start(&management);

    // A config that is not valid, with the field and without its secrets.
    let wrong = config("public", |config| config["platform"]["azure"]["outboundType"] = "Pigeon".into());
    let asked = Asked::make(&management, "wrong-a1b2c", &wrong, &json!({}));
    asked.says("Validated", "False", &["outboundType"]);
    let object = asked.get().unwrap_or_default();
    assert!(!object.to_string().contains("Y2FuYXJ5OmNhbmFyeQ=="), "{object}");
    assert!(management.objects("wrong-a1b2c").is_empty());

    // No credential.
    let right = config("public", |_| {});
    let more = json!({ "credentialsSecretRef": { "name": "of-nobody" } });
    let asked = Asked::make(&management, "alone-a1b2c", &right, &more);
    asked.says("CredentialsReady", "False", &["of-nobody"]);
    assert!(management.objects("alone-a1b2c").is_empty());
    asked.change(&json!({ "spec": { "credentialsSecretRef": { "name": "azure" } } }));
    asked.says("Ready", "True", &[]);

    // A resource that Azure refuses, and the condition goes when the reason does.
    let name = "other-a1b2c-vnet";
    let refused =
        Trouble::Refused { reason: "AuthorizationFailed", message: "the client may not".to_owned() };
    azure.troubles("VirtualNetwork", name, refused);
    // Another one is somebody else's.
    let foreign = "/resourcegroups/other-a1b2c-rg/networksecuritygroups/other-a1b2c-nsg";
    azure.has(foreign, &[("team", "corp")]);
    let before = azure.at(foreign);
    // A record in the user's zone belongs to one cluster only.
    let config = config("public", |config| config["metadata"]["name"] = "other".into());
    let other = Asked::make(&management, "other-a1b2c", &config, &json!({}));
    other.says("Ready", "False", &["other-a1b2c-vnet", "the client may not"]);
    azure.is_well();
    management.look_again();
    other.says("Ready", "True", &[]);
    assert_eq!(azure.at(foreign), before);
    let events = management.get("/api/v1/namespaces/other-a1b2c/events").unwrap_or_default();
    let is_told = |event: &&Value| event["type"] == "Warning" && event["reason"] == "ForeignResource";
    let told = events["items"].as_array().into_iter().flatten().filter(is_told);
    assert_eq!(told.count(), 1, "{events}");
    keeps_secrets(&management, "other-a1b2c", &[&controller.log()]);
}

#[test]
#[ignore = "needs an API server"]
fn what_clusterctl_moves_away_stays_in_azure() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let _controller = Controller::start(&management);
    let asked = Asked::make(&management, PUBLIC, &config("public", |_| {}), &json!({}));
    asked.says("Ready", "True", &[]);
    let whole = azure.table().resources.clone();

    // As clusterctl does it: pause, wait until the move may begin, and delete what was copied, with a mark.
    asked.change(&json!({ "spec": { "paused": true } }));
    let block = "clusterctl.cluster.x-k8s.io/block-move";
    until("the move may begin", || {
        asked.get()?["metadata"]["annotations"].get(block).is_none().then_some(())
    });
    let objects = management.objects(PUBLIC);
    assert!(objects.iter().all(|object| policy(object) == "skip"), "{objects:?}");
    let mark =
        json!({ "metadata": { "annotations": { "clusterctl.cluster.x-k8s.io/delete-for-move": "" } } });
    asked.change(&mark);
    asked.delete();
    until("it is gone", || asked.get().is_none().then_some(()));
    until("its objects are gone", || management.objects(PUBLIC).is_empty().then_some(()));
    assert_eq!(azure.table().resources, whole);
}

#[test]
#[ignore = "needs an API server"]
fn a_second_resource_of_one_id_is_refused_and_touches_nothing() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let controller = Controller::start(&management);
    let asked = Asked::make(&management, PUBLIC, &config("public", |_| {}), &json!({}));
    asked.says("Ready", "True", &[]);
    let first = asked.get().unwrap_or_default();
    let before = (management.versions(PUBLIC), azure.ids());

    // A copy with all its marks.
    let mut copy = json!({
        "apiVersion": first["apiVersion"],
        "kind": first["kind"],
        "metadata": {
            "name": "copy",
            "namespace": first["metadata"]["namespace"],
            "labels": first["metadata"]["labels"],
            "finalizers": first["metadata"]["finalizers"],
        },
        "spec": first["spec"],
    });
    copy["spec"]["infraID"] = PUBLIC.into();
    let path = format!("/apis/aso.landfall.dev/v1alpha1/namespaces/{PUBLIC}/azureinfrastructures");
    management.server.call("POST", &path, &copy).unwrap();
    let place = format!("{path}/copy");
    until("it is refused", || {
        let object = management.get(&place)?;
        object.to_string().contains("InfraIdTaken").then_some(())
    });
    management.server.call("DELETE", &place, &Value::Null).unwrap();
    until("it is gone", || management.get(&place).is_none().then_some(()));
    until("it rests", || (controller.number("landfall_queue_length") == 0).then_some(()));
    assert_eq!((management.versions(PUBLIC), azure.ids()), before);
    asked.says("Ready", "True", &[]);
}

#[test]
#[ignore = "needs an API server"]
fn an_operator_without_a_replica_is_reported_until_one_is_back() {
    let azure = Azure::empty();
    let management = managed(&azure);
    let _controller = Controller::start(&management);
    let asked = Asked::make(&management, PUBLIC, &config("public", |_| {}), &json!({}));
    asked.says("Ready", "True", &[]);
    asked.says("OperatorReady", "True", &["Usable"]);
    management.replicas(0);
    asked.says("OperatorReady", "False", &["OperatorUnusable", "azureserviceoperator-controller-manager"]);
    management.replicas(1);
    asked.says("OperatorReady", "True", &["Usable"]);
    asked.says("Ready", "True", &[]);
    assert!(azure.table().deletes.is_empty());
}
