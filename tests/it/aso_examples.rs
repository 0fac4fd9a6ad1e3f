//! The objects of Azure Service Operator: the examples come out of their input.

mod decided;
mod native;
mod removable;
mod rendered;
mod same_settings;
mod variants;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use landfall_diagnostics::secret::Secret;
use landfall_diagnostics::{Finding, Findings, Severity};
use landfall_engine_aso::anchor;
use landfall_engine_aso::anchor::{Credential, Proof};
use landfall_engine_aso::core::{Context, Op, What, decide};
use landfall_engine_aso::translate::patches::Patches;
use landfall_engine_aso::translate::{Creator, Domains, Ignition, Input, Translation, translate};
use landfall_install_config::assets;
use landfall_install_config::verdict::{Strictness, judge_keeping};
use landfall_model::azure::config::Platform;
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::{Case, Engine, Identity, Plan};
use landfall_platform::Offline;
use serde_json::{Value, json};

use crate::clusters::Fixed;

const UID: &str = "6f0c2b1e-0f7d-4a53-9d55-0d6f3c1f0a11";
const CLIENT: &str = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee";
/// The version of the image in the first example, which its input does not say.
const IMAGE: &str = "420.94.20260101";
/// What stands in the first example for the pointer of the bootstrap machine.
const POINTER: &str = r#"{"ignition":{"version":"3.2.0"}}"#;
/// The address in the second example that the load balancer's status tells.
const ADDRESS: &str = "10.20.0.10";

fn folder(example: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/aso").join(example)
}

fn read(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_yaml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn input(example: &str, file: &str) -> Value {
    read(&folder(example).join("input").join(file))
}

/// The files of an example in their order.
fn expected(example: &str) -> Vec<(String, Value)> {
    let entries = std::fs::read_dir(folder(example)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
    files.sort();
    files.iter().map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), read(path))).collect()
}

/// The plan of a config with the settings of an example. That the SSH key of the first example is none counts for
/// nothing here.
fn plan(engine: &Value, config: &Value) -> Result<Plan, Vec<Finding>> {
    plan_for(Engine::Aso, engine, config)
}

/// The same for another engine.
fn plan_for(by: Engine, engine: &Value, config: &Value) -> Result<Plan, Vec<Finding>> {
    let catalogue = Catalogue::embedded();
    let text = config.to_string();
    let verdict = judge_keeping(text.as_bytes(), Strictness::default(), catalogue);
    let errors = verdict.findings.into_iter().filter(|finding| finding.severity == Severity::Error);
    let errors: Vec<Finding> = errors.filter(|finding| finding.code.as_str() != "LF0106").collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    let (config, given) = (verdict.config.unwrap(), verdict.given.unwrap());
    let world = Fixed::of(&json!({ "azure": { "credentials": {
        "subscriptionId": engine["subscriptionID"],
        "tenantId": engine["tenantID"],
        "clientId": CLIENT,
        "clientSecret": "REPLACE_ME",
    } } }));
    let credentials = assets::credentials(&config, &world);
    // The first one with both families of addresses and the user's DNS, and that with NAT gateways of today.
    let is_newer = |azure: &Platform| azure.is_dual_stack() || azure.has_user_dns();
    let release = if config.platform.azure.as_ref().is_some_and(is_newer) { "4.22" } else { "4.20" };
    let mut out = Findings::default();
    let offline = Offline { config: &config, catalogue, release, credentials: &credentials };
    let facts = assets::offline_facts(&offline, &mut out);
    let infra_id = engine["infraID"].as_str().unwrap().to_owned();
    let identity = Identity { infra_id, cluster_id: String::new() };
    let case = Case {
        config: &config,
        given: &given,
        facts: &facts,
        catalogue,
        release,
        identity: &identity,
        installed: false,
        own_records: &[],
        engine: by,
    };
    assets::plan(&case, &mut out).ok_or_else(|| out.into_vec())
}

/// The plan of an example, changed.
fn changed(example: &str, change: impl FnOnce(&mut Value)) -> Plan {
    let mut config = input(example, "install-config.yaml");
    change(&mut config);
    plan(&input(example, "engine.yaml"), &config).unwrap_or_else(|findings| panic!("{findings:#?}"))
}

/// Both families of addresses.
fn dual_stack(config: &mut Value) {
    config["featureSet"] = json!("TechPreviewNoUpgrade");
    config["platform"]["azure"]["ipFamily"] = json!("DualStackIPv4Primary");
    config["networking"] = json!({
        "networkType": "OVNKubernetes",
        "machineNetwork": [{ "cidr": "10.0.0.0/16" }, { "cidr": "fd00:10::/48" }],
        "clusterNetwork": [
            { "cidr": "10.128.0.0/14", "hostPrefix": 23 }, { "cidr": "fd01::/48", "hostPrefix": 64 },
        ],
        "serviceNetwork": ["172.30.0.0/16", "fd02::/112"],
    });
}

static NO_PATCHES: Patches = Patches::new();

fn input_of(plan: &Plan) -> Input<'_> {
    let name = &plan.platform.azure.as_ref().unwrap().cloud.name;
    Input {
        plan,
        cloud: Domains::of(&Catalogue::embedded().azure, name),
        machines: false,
        bootstrap: false,
        api_internal_ip: None,
        ignition: Ignition::default(),
        patches: &NO_PATCHES,
        creator: Creator::Operator,
    }
}

fn objects(translation: &Translation, plan: &Plan, namespace: &str) -> Vec<Value> {
    let infra_id = &plan.identity.infra_id;
    let owner = anchor::owner(infra_id, namespace, UID);
    let context = Context::new(infra_id, jiff::Timestamp::UNIX_EPOCH);
    let create = |desired| match decide(Op::Reconcile(desired), None, &owner, &context).what {
        What::Create(object) => object,
        other => panic!("{desired:?}: {}", other.name()),
    };
    translation.objects.iter().map(create).collect()
}

/// An example made by landfall.
fn made(example: &str) -> Vec<Value> {
    let engine = input(example, "engine.yaml");
    let mut plan = changed(example, |_| {});
    IMAGE.clone_into(&mut plan.platform.azure.as_mut().unwrap().image.release);
    let input = Input {
        machines: engine["machines"] == "aso",
        bootstrap: engine["stage"] == "bootstrap",
        ignition: Ignition { bootstrap: Some(POINTER), control_plane: None },
        ..input_of(&plan)
    };
    let mut translation = translate(&input).unwrap();
    let balancer = json!({ "status": { "frontendIPConfigurations": [{ "privateIPAddress": ADDRESS }] } });
    translation.bind(|kind, _| (kind == "LoadBalancer").then_some(&balancer));
    let text = |field: &str| engine[field].as_str().unwrap().to_owned();
    let (infra_id, namespace) = (text("infraID"), text("namespace"));
    let credential = Credential {
        subscription_id: text("subscriptionID"),
        tenant_id: text("tenantID"),
        client_id: CLIENT.to_owned(),
        proof: Proof::Secret(Secret::new("REPLACE_ME".to_owned())),
    };
    let owner = anchor::owner(&infra_id, &namespace, UID);
    let mut all = vec![
        anchor::namespace(&infra_id, &namespace),
        anchor::anchor(&plan, &namespace).unwrap(),
        credential.secret(&infra_id, &owner, true),
    ];
    all.extend(objects(&translation, &plan, &namespace));
    all
}

#[test]
fn the_examples_come_out_of_their_input() {
    for (example, count) in [("public", 27), ("byo-private", 19)] {
        let expected = expected(example);
        let made = made(example);
        let kinds: Vec<&Value> = made.iter().map(|object| &object["kind"]).collect();
        assert_eq!(expected.len(), count, "{example}");
        assert_eq!(made.len(), count, "{example}: {kinds:?}");
        for ((file, expected), made) in expected.iter().zip(&made) {
            assert_eq!(made, expected, "{example}/{file}");
        }
    }
}

fn render(example: &str, arguments: &[&str]) -> Output {
    let folder = folder(example).join("input");
    render_files(&folder.join("install-config.yaml"), &folder.join("engine.yaml"), arguments)
}

fn render_files(config: &Path, engine: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["aso", "render", "-o", "json", "--anchor-uid", UID])
        .arg(config)
        .arg("--engine-settings")
        .arg(engine)
        .args(arguments)
        .env_clear()
        .env("AZURE_CLIENT_ID", CLIENT)
        .env("AZURE_CLIENT_SECRET", "REPLACE_ME")
        .output()
        .unwrap()
}

#[test]
fn render_refuses_an_operator_of_another_cloud() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("settings.yaml");
    let marker = "AZURE_CLIENT_SECRET: very-secret-marker";
    let refused = |text: &str, code: i32| {
        std::fs::write(&path, text).unwrap();
        let output = render("byo-private", &["--controller-settings", path.to_str().unwrap()]);
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(!said.contains("very-secret-marker"), "{said}");
        said
    };
    let head = "kind: Secret\nmetadata:\n  name: aso-controller-settings\n";
    let said = refused(&format!("{head}stringData:\n  {marker}\n"), 4);
    assert!(said.contains("LF1526"), "{said}");
    let said = refused(&format!("stringData: {{\n  {marker}"), 3);
    assert!(said.contains("LF1507"), "{said}");
}

#[test]
fn what_only_the_operator_makes_is_for_its_clusters() {
    let directory = tempfile::tempdir().unwrap();
    let mut config = input("byo-private", "install-config.yaml");
    config["platform"]["azure"]["allowSharedKeyAccess"] = false.into();
    std::fs::write(directory.path().join("install-config.yaml"), config.to_string()).unwrap();
    let engine = folder("byo-private").join("input/engine.yaml");
    let run = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(arguments)
            .arg("--dir")
            .arg(directory.path())
            .env_clear()
            .env("AZURE_SUBSCRIPTION_ID", "11111111-2222-3333-4444-555555555555")
            .env("AZURE_TENANT_ID", "99999999-8888-7777-6666-555555555555")
            .env("AZURE_CLIENT_ID", CLIENT)
            .env("AZURE_CLIENT_SECRET", "REPLACE_ME")
            .output()
            .unwrap();
        let said =
            format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        (output.status.code(), said)
    };
    let (code, said) = run(&["create", "manifests", "--offline"]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("LF0783") && said.contains("--engine aso"), "{said}");
    let (code, said) = run(&["aso", "render", "--engine-settings", engine.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("allowSharedKeyAccess: false"), "{said}");
    // An earlier run noted which engine makes this cluster.
    let noted = json!({
        "clusterName": "gov1",
        "clusterID": "11111111-1111-1111-1111-111111111111",
        "infraID": "gov1-b4n9w",
        "landfall": { "engine": "aso", "namespace": "gov1-b4n9w" },
        "azure": { "region": "usgovvirginia" },
    });
    std::fs::write(directory.path().join("metadata.json"), noted.to_string()).unwrap();
    let (code, said) = run(&["create", "manifests", "--offline"]);
    assert_eq!(code, Some(0), "{said}");
}
