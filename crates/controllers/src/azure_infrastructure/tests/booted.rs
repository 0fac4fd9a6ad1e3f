//! What machines start from, created for clusters whose Secret has ignition files.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Kind as Sort};
use landfall_net::stop::Stop;
use landfall_platform::pages::NOT_NATIVE_SETTING;
use tokio::sync::Notify;

use super::*;

const SSH_KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER";
const MASTER: &str = r#"{"ignition":{"version":"3.2.0","config":{"merge":[{"source":"https://api-int"}]}}}"#;
/// The bootstrap machine's whole config, not a pointer.
const WHOLE: &str = r#"{"ignition":{"version":"3.2.0"},"storage":{"files":["c4n4ry"]}}"#;
const POINTER: &str =
    r#"{"ignition":{"version":"3.2.0","config":{"replace":{"source":"https://blob?sig=s1gn4ture"}}}}"#;
const GIVEN: &str = r#"{"ignition":{"version":"3.1.0"}}"#;
const MACHINES: &str = "virtualmachines";
const WAITS: &str = "machines wait for image and ignition config";

/// Creates nothing, and answers when it is let.
#[derive(Default)]
struct FakeCreator {
    answers: Mutex<VecDeque<Booted>>,
    let_go: Notify,
    /// The orders so far: the whole config, and what stops them.
    orders: Mutex<Vec<(Secret<String>, Stop)>>,
    has_token: AtomicBool,
    /// The orders to remove images: cluster, cloud and group.
    removals: Mutex<Vec<[String; 3]>>,
}

impl FakeCreator {
    /// Orders from now on are answered like this.
    fn answers(&self, booted: Booted) {
        if let Ok(mut answers) = self.answers.lock() {
            answers.push_back(booted);
        }
        self.let_go.notify_one();
    }

    fn orders(&self) -> Vec<(Secret<String>, Stop)> {
        self.orders.lock().map(|orders| orders.clone()).unwrap_or_default()
    }
}

/// The creator as controllers have it.
struct Shared(Arc<FakeCreator>);

impl BootCreator for Shared {
    fn has_token(&self) -> bool {
        self.0.has_token.load(Ordering::Relaxed)
    }

    fn create(&self, order: BootOrder) -> BoxFuture<'static, Booted> {
        if let Ok(mut orders) = self.0.orders.lock() {
            orders.push((order.bootstrap, order.stop.clone()));
        }
        self.answered(order.stop)
    }

    fn remove(&self, order: BootRemoval) -> BoxFuture<'static, Booted> {
        if let Ok(mut removals) = self.0.removals.lock() {
            removals.push([order.infra_id, order.cloud_name, order.group]);
        }
        self.answered(order.stop)
    }
}

impl Shared {
    fn answered(&self, stop: Stop) -> BoxFuture<'static, Booted> {
        let creator = Arc::clone(&self.0);
        async move {
            tokio::select! {
                () = creator.let_go.notified() => {}
                () = stop.asked() => return Err(Vec::new()),
            }
            let answer = creator.answers.lock().ok().and_then(|mut answers| answers.pop_front());
            answer.unwrap_or_else(|| Err(Vec::new()))
        }
        .boxed()
    }
}

fn refused() -> Booted {
    Err(vec![Finding::error(&NOT_NATIVE_SETTING, Sort::Invalid, "", "a policy forbids galleries")])
}

fn pointer() -> Secret<String> {
    Secret::new(POINTER.to_owned())
}

fn secret(keys: &[(&str, &str)]) -> Value {
    let data: Map<String, Value> =
        keys.iter().map(|(key, text)| ((*key).to_owned(), STANDARD.encode(text).into())).collect();
    json!({ "kind": "Secret", "metadata": {}, "data": data })
}

/// A controller with a creator, and a cluster whose Secret has these keys.
fn booting(keys: &[(&str, &str)], config: &str) -> (Stage, Arc<FakeCreator>) {
    let mut stage = Stage::new(&json!({
        "infraID": "demo-x7k2p",
        "machines": "aso",
        "stage": "bootstrap",
        "ignitionSecretRef": { "name": "ignition" },
    }));
    let creator = Arc::new(FakeCreator::default());
    stage.controller.boots = Some(Arc::new(Shared(Arc::clone(&creator))));
    let config = format!("{config}sshKey: {SSH_KEY}\n");
    stage.played.put(at("secrets", "config"), secret(&[(CONFIG_KEY, &config)]));
    stage.played.put(at("secrets", "ignition"), secret(keys));
    (stage, creator)
}

fn files() -> (Stage, Arc<FakeCreator>) {
    booting(&[("bootstrap.ign", WHOLE), ("master.ign", MASTER)], CONFIG)
}

/// The ignition config of a machine; empty where there is none.
fn config_of(stage: &Stage, name: &str) -> String {
    let machine = stage.played.read(&at(MACHINES, &format!("demo-x7k2p-{name}"))).unwrap_or_default();
    let data = machine["spec"]["osProfile"]["customData"].as_str().unwrap_or_default();
    String::from_utf8(STANDARD.decode(data).unwrap_or_default()).unwrap_or_default()
}

fn ready(stage: &Stage) -> String {
    format!("{}: {}", stage.condition("Ready"), stage.told("Ready"))
}

#[tokio::test(start_paused = true)]
async fn machines_get_image_and_ignition_config_of_the_controller() {
    let (stage, creator) = files();
    stage.rounds(1).await;
    // It begins once all is there that it needs.
    assert!(creator.orders().is_empty());
    stage.rounds(24).await;
    let orders = creator.orders();
    assert_eq!(orders.len(), 1, "{}", ready(&stage));
    assert!(orders.iter().all(|(whole, _)| whole.expose() == WHOLE));
    assert_eq!(stage.condition("Ready"), "False InProgress");
    assert!(stage.told("Ready").starts_with(WAITS), "{}", ready(&stage));
    let status = stage.resource()["status"].to_string();
    assert!(status.contains("waiting for value: image and ignition config"), "{status}");
    assert!(stage.played.all(MACHINES).is_empty());

    creator.answers(Ok(pointer()));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!(config_of(&stage, "bootstrap"), POINTER);
    for master in ["master-0", "master-1", "master-2"] {
        assert_eq!(config_of(&stage, master), MASTER);
    }
    assert_eq!(creator.orders().len(), 1);
    let resource = stage.resource().to_string();
    assert!(!resource.contains("c4n4ry") && !resource.contains("s1gn4ture"), "{resource}");
    let objects = KINDS.iter().flat_map(|kind| stage.played.all(kind.plural));
    assert!(objects.into_iter().all(|object| !object.to_string().contains(&STANDARD.encode(WHOLE))));

    // The machines go with the stage, and nothing else changes.
    stage.change(&json!({ "spec": { "stage": "install" }, "metadata": { "generation": 2 } }));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{:#}", stage.resource()["status"]);
    assert_eq!((stage.played.all(MACHINES).len(), config_of(&stage, "master-0")), (3, MASTER.to_owned()));
}

#[tokio::test(start_paused = true)]
async fn other_files_change_no_machine_that_exists() {
    let (stage, creator) = files();
    creator.answers(Ok(pointer()));
    stage.rounds(36).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
    let before = stage.resource()["status"]["planHash"].clone();
    let writes = stage.played.writes.load(Ordering::Relaxed);
    let other = secret(&[("bootstrap.ign", r#"{"ignition":{},"x":1}"#), ("master.ign", GIVEN)]);
    stage.played.put(at("secrets", "ignition"), other);
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
    assert_eq!(stage.condition("UpdateAvailable"), "");
    assert_eq!(
        (config_of(&stage, "bootstrap"), config_of(&stage, "master-0")),
        (POINTER.into(), MASTER.into())
    );
    assert_eq!(stage.resource()["status"]["planHash"], before);
    assert_eq!(creator.orders().len(), 1);
    // That of the Secret is one.
    assert_eq!(stage.played.writes.load(Ordering::Relaxed), writes + 1);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_reported_and_tried_again() {
    let (stage, creator) = files();
    creator.answers(refused());
    stage.rounds(24).await;
    let (first, orders) = (ready(&stage), creator.orders().len());
    assert!(orders >= 2, "{first}");
    // The second attempt goes on.
    assert!(first.starts_with("False InProgress"), "{first}");
    creator.answers(refused());
    stage.rounds(2).await;
    assert!(ready(&stage).starts_with("False BootSourcesFailed"), "{}", ready(&stage));
    assert!(stage.told("Ready").contains("a policy forbids galleries (LF1421)"), "{}", ready(&stage));
    assert_eq!(stage.condition("Progressing"), "True InProgress");
    creator.answers(Ok(pointer()));
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
    assert_eq!(config_of(&stage, "bootstrap"), POINTER);
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_the_work_begins_again_and_a_machine_keeps_its_pointer() {
    let (stage, creator) = files();
    stage.rounds(24).await;
    assert_eq!(creator.orders().len(), 1);
    let restart = || {
        if let Ok(mut memories) = stage.controller.memories.lock() {
            memories.clear();
        }
    };
    restart();
    stage.rounds(2).await;
    assert_eq!(creator.orders().len(), 2, "{}", ready(&stage));
    creator.answers(Ok(pointer()));
    stage.rounds(12).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
    restart();
    stage.rounds(4).await;
    assert_eq!((creator.orders().len(), config_of(&stage, "bootstrap")), (2, POINTER.to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_pause_or_a_deletion_stops_the_work() {
    for patch in [
        json!({ "spec": { "paused": true }, "metadata": { "generation": 2 } }),
        json!({ "metadata": { "deletionTimestamp": "2026-01-01T00:00:00Z" } }),
    ] {
        let (stage, creator) = files();
        stage.rounds(24).await;
        let orders = creator.orders();
        assert!(orders.len() == 1 && orders.iter().all(|(_, stop)| !stop.is_asked()));
        stage.change(&patch);
        stage.rounds(1).await;
        assert!(orders.iter().all(|(_, stop)| stop.is_asked()), "{patch}");
        // Nothing is removed while a call may go on.
        assert_eq!(stage.told("Progressing"), "waiting for calls to Azure to end");
        stage.rounds(12).await;
        assert_eq!(creator.orders().len(), 1);
        let is_gone = stage.resource().is_null();
        assert!(is_gone || stage.condition("Progressing") == "False Paused", "{}", stage.told("Progressing"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_creates_nothing() {
    let (stage, creator) = files();
    stage.change(&json!({ "spec": { "adoptPolicy": "skip" } }));
    stage.rounds(24).await;
    assert!(creator.orders().is_empty(), "{}", ready(&stage));
}

#[tokio::test(start_paused = true)]
async fn pointers_count_before_files() {
    let keys =
        [("bootstrap.ign", WHOLE), ("master.ign", MASTER), ("bootstrap", GIVEN), ("controlPlane", GIVEN)];
    let (stage, creator) = booting(&keys, CONFIG);
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
    assert_eq!((config_of(&stage, "bootstrap"), config_of(&stage, "master-0")), (GIVEN.into(), GIVEN.into()));
    assert!(creator.orders().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_no_pointer_is_refused() {
    let (stage, creator) = booting(&[("bootstrap.ign", WHOLE), ("master.ign", WHOLE)], CONFIG);
    assert!(stage.controller.run(&key()).await.is_err());
    assert_eq!(stage.condition("Validated"), "False ConfigRejected");
    assert!(stage.told("Validated").contains("LF1508"), "{}", stage.told("Validated"));
    assert!(!stage.resource().to_string().contains("c4n4ry"));
    // The Secret may change without the resource.
    assert_eq!(stage.condition("Progressing"), "False Failed");
    let files = secret(&[("bootstrap.ign", WHOLE), ("master.ign", MASTER)]);
    stage.played.put(at("secrets", "ignition"), files);
    creator.answers(Ok(pointer()));
    stage.rounds(36).await;
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
}

#[tokio::test(start_paused = true)]
async fn a_missing_file_is_named_and_its_machines_wait() {
    let (stage, creator) = booting(&[("bootstrap.ign", WHOLE)], CONFIG);
    stage.rounds(24).await;
    assert!(stage.told("Ready").contains("controlPlane or master.ign"), "{}", ready(&stage));
    let (other, other_creator) = booting(&[("master.ign", MASTER)], CONFIG);
    other.rounds(24).await;
    assert!(other.told("Ready").contains("bootstrap or bootstrap.ign"), "{}", ready(&other));
    for (stage, creator) in [(stage, creator), (other, other_creator)] {
        assert!(creator.orders().is_empty() && stage.played.all(MACHINES).is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn what_landfall_cannot_create_needs_pointers() {
    let is_refused = |stage: &Stage, why: &str| {
        let told = stage.told("Ready");
        assert!(told.contains(why) && told.contains("keys bootstrap and controlPlane"), "{told}");
        assert!(stage.played.all(MACHINES).is_empty());
    };
    // A program that calls no cloud.
    let (mut stage, _) = files();
    stage.controller.boots = None;
    stage.rounds(24).await;
    assert_eq!(stage.condition("Ready"), "False PointersRequired");
    is_refused(&stage, "feature `azure`");

    // A credential that only the operator can use.
    for (mode, why, has_token) in [
        ("workloadidentity", "--workload-identity-audience", false),
        ("workloadidentity", "", true),
        ("podidentity", "", false),
    ] {
        let (stage, creator) = files();
        creator.has_token.store(has_token, Ordering::Relaxed);
        let data = json!({ "AUTH_MODE": STANDARD.encode(mode), "AZURE_CLIENT_SECRET": null });
        assert!(stage.played.merged(&at("secrets", "azure"), &json!({ "data": data })).is_ok());
        stage.rounds(24).await;
        if !why.is_empty() {
            is_refused(&stage, why);
        }
        assert_eq!(creator.orders().len(), usize::from(why.is_empty()), "{mode}");
    }
}

/// A cluster in a group of the user's that is Ready, with images in it, and goes.
async fn going_from_a_group_of_the_user() -> (Stage, Arc<FakeCreator>) {
    let config = CONFIG.replace("region: eastus,", "region: eastus, resourceGroupName: ours,");
    let (stage, creator) = booting(&[("bootstrap.ign", WHOLE), ("master.ign", MASTER)], &config);
    creator.answers(Ok(pointer()));
    for _ in 0..48 {
        stage.rounds(1).await;
        // The played operator does not find the group.
        in_azure(&stage, "resourcegroups", "ResourceGroup");
        let images = stage.resource()["metadata"]["annotations"][anchor::IMAGES].clone();
        assert!(creator.orders().is_empty() || images == "AzurePublicCloud/ours", "{images}");
    }
    assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
    stage.change(&json!({ "metadata": {
        "annotations": { (anchor::PROTECTION): null },
        "deletionTimestamp": "2026-01-01T00:00:00Z",
    }}));
    stage.rounds(24).await;
    (stage, creator)
}

#[tokio::test(start_paused = true)]
async fn images_in_a_group_of_the_user_go_with_the_cluster() {
    let (stage, creator) = going_from_a_group_of_the_user().await;
    assert_eq!(stage.condition("Ready"), "False Removing", "{}", ready(&stage));
    assert!(stage.told("Ready").contains("image gallery in ours"), "{}", ready(&stage));
    // All else is gone, but not the credentials.
    assert!(stage.played.all(MACHINES).is_empty());
    assert!(
        !stage.played.read(&at("secrets", "azure")).unwrap_or_default()["metadata"]["finalizers"].is_null()
    );
    creator.answers(refused());
    stage.rounds(2).await;
    assert_eq!(stage.condition("Ready"), "False BootSourcesFailed", "{}", ready(&stage));
    assert!(stage.told("Ready").contains("a policy forbids galleries (LF1421)"), "{}", ready(&stage));
    assert!(stage.told("Ready").contains(anchor::IMAGES), "{}", ready(&stage));
    creator.answers(Ok(Secret::default()));
    stage.rounds(24).await;
    assert!(stage.resource().is_null(), "{:#}", stage.resource());
    let order = ["demo-x7k2p", "AzurePublicCloud", "ours"].map(str::to_owned);
    let removals = creator.removals.lock().map(|removals| removals.clone()).unwrap_or_default();
    assert_eq!(removals, [order.clone(), order]);
}

#[tokio::test(start_paused = true)]
async fn images_stay_where_the_user_says_so() {
    let (mut stage, _) = going_from_a_group_of_the_user().await;
    stage.controller.boots = None;
    stage.rounds(2).await;
    assert_eq!(stage.condition("Ready"), "False BootSourcesFailed", "{}", ready(&stage));
    assert!(stage.told("Ready").contains("feature `azure`"), "{}", ready(&stage));
    stage.change(&json!({ "metadata": { "annotations": { (anchor::IMAGES): null } } }));
    stage.rounds(4).await;
    assert!(stage.resource().is_null(), "{:#}", stage.resource());
}

/// Has Azure show resources of a kind, without the tag of the cluster.
fn in_azure(stage: &Stage, plural: &str, kind: &'static str) {
    for mut object in stage.played.all(plural) {
        let name = object["metadata"]["name"].as_str().unwrap_or_default().to_owned();
        object["status"] =
            json!({ "conditions": [{ "type": "Ready", "status": "True", "reason": "Succeeded" }] });
        let object = stage.played.put(at(plural, &name), object);
        drop(stage.controller.driver.store.note(ObjectEvent::Is(kind, object)));
    }
}

#[tokio::test(start_paused = true)]
async fn machines_find_the_api_by_its_address_where_the_user_has_the_records() {
    let config = CONFIG.replace("region: eastus,", "region: eastus, userProvisionedDNS: Enabled,");
    let master = MASTER.replace("https://api-int", "https://api-int.demo.example.com:22623/config/master");
    for (given, address) in [(Value::Null, "10.0.127.254"), ("10.0.0.9".into(), "10.0.0.9")] {
        let (stage, creator) = booting(&[("bootstrap.ign", WHOLE), ("master.ign", &master)], &config);
        stage.change(&json!({ "spec": { "apiInternalIP": given, "release": "4.22" } }));
        creator.answers(Ok(pointer()));
        stage.rounds(36).await;
        assert_eq!(stage.condition("Ready"), "True Done", "{}", ready(&stage));
        let internal = stage.played.read(&at("loadbalancers", "demo-x7k2p-internal")).unwrap_or_default();
        assert_eq!(internal["spec"]["frontendIPConfigurations"][0]["privateIPAddress"], address);
        let server = format!("https://{address}:22623/config/master");
        assert!(config_of(&stage, "master-0").contains(&server), "{}", config_of(&stage, "master-0"));
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_put_into_an_account_of_somebody_else() {
    let (stage, creator) = files();
    for _ in 0..24 {
        stage.rounds(1).await;
        in_azure(&stage, "storageaccounts", "StorageAccount");
    }
    assert!(creator.orders().is_empty(), "{}", ready(&stage));
    assert!(stage.told("Ready").contains("without the cluster's tag"), "{}", ready(&stage));
}
