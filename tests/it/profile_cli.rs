//! `landfall profile`, and `--cloud-profile` on the commands of an installation.

mod joining;
mod judging;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use tempfile::TempDir;

const PARENT: &str = "\
apiVersion: core.gardener.cloud/v1beta1
kind: CloudProfile
metadata:
  name: base
spec:
  type: aws
  kubernetes:
    versions:
    - version: 1.28.6
  machineTypes:
  - name: m5.xlarge
    cpu: '4'
    memory: 16Gi
  regions:
  - name: us-east-1
    zones:
    - name: us-east-1a
    - name: us-east-1b
";

/// One conflict, one new region, one new type, one version with another date.
const PRIVATE: &str = "\
# Something else before it.
---
apiVersion: v1
kind: ConfigMap
---
apiVersion: core.gardener.cloud/v1beta1
kind: PrivateCloudProfile
metadata:
  name: team
  namespace: project
  generation: 3
spec:
  parent: base
  kubernetes:
    versions:
    - version: 1.28.6
      expirationDate: '2026-06-01T00:00:00Z'
  machineTypes:
  - name: m5.xlarge
    cpu: '8'
  - name: m7i.xlarge
    cpu: '4'
    memory: 16Gi
    usable: false
  regions:
  - name: europe-special
    zones:
    - name: europe-special-a
";

const EARLY: &str = "2026-01-01T00:00:00Z";
const LATE: &str = "2027-01-01T00:00:00Z";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "parent.yaml", PARENT);
    write(folder.path(), "private.yaml", PRIVATE);
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn landfall(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(arguments).current_dir(folder).env_clear().env("AWS_EC2_METADATA_DISABLED", "true");
    command.output().unwrap()
}

fn profile(folder: &Path, verb: &str, more: &[&str]) -> Output {
    let files = ["profile", verb, "--parent", "parent.yaml", "--profile", "private.yaml"];
    landfall(folder, &[&files[..], more].concat())
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json_of(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn prints_the_whole_profile_with_its_status() {
    let folder = folder();
    let output = profile(folder.path(), "render", &["-o", "json", "--now", EARLY]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let whole = json_of(&output);
    assert_eq!((&whole["kind"], &whole["metadata"]["name"]), (&json!("PrivateCloudProfile"), &json!("team")));
    let status = &whole["status"];
    assert_eq!(status["observedGeneration"], 3);
    assert_eq!(status["conditions"][0]["reason"], "Conflicts");
    assert_eq!(status["conflicts"][0]["path"], "spec.machineTypes[m5.xlarge]");
    let spec = &status["cloudProfile"]["spec"];
    assert_eq!(spec["kubernetes"]["versions"][0]["expirationDate"], "2026-06-01T00:00:00Z");
    assert_eq!(spec["machineTypes"][0]["cpu"], "4");
    assert_eq!(spec["regions"][0]["name"], "europe-special");
    // The entry of the private file that has no effect.
    let line = PRIVATE.lines().position(|line| line.contains("m5.xlarge")).unwrap() + 1;
    let warned = err(&output);
    assert!(warned.contains("LF1454") && warned.contains(&format!("private.yaml:{line}:")), "{warned}");
}

#[test]
fn what_has_expired_is_taken_out_first() {
    let folder = folder();
    let output = profile(folder.path(), "render", &["-o", "json", "--now", LATE]);
    let whole = json_of(&output);
    assert_eq!(whole["spec"].get("kubernetes"), None);
    let version = &whole["status"]["cloudProfile"]["spec"]["kubernetes"]["versions"][0];
    assert_eq!(version, &json!({ "version": "1.28.6" }));
    let wrong = profile(folder.path(), "render", &["--now", "tomorrow"]);
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn renders_the_example_of_the_proposal() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases = fs::read_to_string(root.join("testdata/conformance/cloud-profiles.jsonl")).unwrap();
    let case: Value = cases
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|case| case["id"] == "seed-example")
        .unwrap();
    let folder = folder();
    write(folder.path(), "parent.yaml", &case["parent"].to_string());
    write(folder.path(), "private.yaml", &case["profile"].to_string());
    let now = case["now"].as_str().unwrap();
    let output = profile(folder.path(), "render", &["-o", "json", "--now", now]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert_eq!(json_of(&output)["status"]["cloudProfile"]["spec"], case["expect"]["rendered"]);
}

#[test]
fn the_released_kind_has_its_own_form() {
    let folder = folder();
    let released = PRIVATE
        .replace("PrivateCloudProfile", "NamespacedCloudProfile")
        .replace("  parent: base\n", "  parent: {kind: CloudProfile, name: base}\n");
    // The newest version must not expire.
    let dated =
        "  kubernetes:\n    versions:\n    - version: 1.28.6\n      expirationDate: '2026-06-01T00:00:00Z'\n";
    let released = released.split("  regions:\n").next().unwrap().replace(dated, "");
    write(folder.path(), "private.yaml", &released);
    let output = profile(folder.path(), "render", &["-o", "json", "--now", EARLY]);
    assert_eq!((output.status.code(), err(&output).as_str()), (Some(0), ""));
    let whole = json_of(&output);
    assert_eq!(whole["status"]["cloudProfileSpec"]["machineTypes"][0]["cpu"], "8");
    assert_eq!(whole["status"]["observedGeneration"], 3);
}

#[test]
fn refuses_files_that_hold_something_else() {
    let folder = folder();
    let swapped = landfall(
        folder.path(),
        &["profile", "diff", "--parent", "private.yaml", "--profile", "parent.yaml", "-o", "json"],
    );
    assert_eq!(swapped.status.code(), Some(3));
    assert_eq!(json_of(&swapped)["findings"][0]["code"], "LF1450");
    let missing =
        landfall(folder.path(), &["profile", "render", "--parent", "no.yaml", "--profile", "private.yaml"]);
    assert_eq!(missing.status.code(), Some(1));
    write(folder.path(), "parent.yaml", &PARENT.replace("name: base", "name: other"));
    let other = profile(folder.path(), "diff", &["-o", "json"]);
    assert_eq!((other.status.code(), &json_of(&other)["findings"][0]["code"]), (Some(3), &json!("LF1453")));
    write(folder.path(), "parent.yaml", &PARENT.replace("version: 1.28.6", "version: 1.28"));
    let number = profile(folder.path(), "diff", &["-o", "json"]);
    let finding = &json_of(&number)["findings"][0];
    assert_eq!((&finding["code"], &finding["line"]), (&json!("LF1451"), &json!(9)));
}

#[test]
fn judges_a_profile_in_every_form() {
    let folder = folder();
    let good = profile(folder.path(), "check", &["--now", EARLY]);
    assert_eq!(good.status.code(), Some(0), "{}", out(&good));
    assert!(out(&good).contains("private.yaml: accepted"), "{}", out(&good));
    let found = json_of(&profile(folder.path(), "check", &["--now", EARLY, "-o", "json"]));
    let severities: Vec<&Value> =
        found["findings"].as_array().unwrap().iter().map(|f| &f["severity"]).collect();
    assert_eq!(severities, ["warning"]);
    let bad = PRIVATE.replace("    - version: 1.28.6\n", "    - version: 1.28.7\n");
    write(folder.path(), "private.yaml", &bad.replace("  parent: base\n", "  parent: base\n  type: aws\n"));
    let refused = profile(folder.path(), "check", &["-o", "json"]);
    assert_eq!(refused.status.code(), Some(3));
    let found = &json_of(&refused)["findings"][0];
    assert_eq!(
        (&found["code"], &found["field"], &found["line"]),
        (&json!("LF1452"), &json!("spec.type"), &json!(14))
    );
    write(folder.path(), "private.yaml", &bad);
    let alone = landfall(folder.path(), &["profile", "check", "--profile", "private.yaml"]);
    assert_eq!(alone.status.code(), Some(0), "{}", out(&alone));
    for (form, mark) in [("text", "error[LF1453]"), ("sarif", "\"LF1453\""), ("github", "::error")] {
        let output = profile(folder.path(), "check", &["-o", form]);
        assert_eq!(output.status.code(), Some(3), "{form}");
        assert!(out(&output).contains(mark), "{form}: {}", out(&output));
    }
}

#[test]
fn compares_a_profile_with_its_parent() {
    let folder = folder();
    let output = profile(folder.path(), "diff", &["--now", EARLY]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let shown = out(&output);
    assert!(shown.starts_with("--- parent.yaml\n+++ private.yaml\n@@ "), "{shown}");
    assert!(shown.contains("\n+- name: m7i.xlarge\n") && !shown.contains("\n-"), "{shown}");
    let coloured = out(&profile(folder.path(), "diff", &["--now", EARLY, "--color", "always"]));
    assert!(coloured.contains("\u{1b}[32m+"), "{coloured}");
    let listed = json_of(&profile(folder.path(), "diff", &["--now", EARLY, "-o", "json"]));
    let expected = json!([
        { "path": "spec.kubernetes.versions[1.28.6].expirationDate", "change": "added" },
        { "path": "spec.machineTypes[m7i.xlarge]", "change": "added" },
        { "path": "spec.regions[europe-special]", "change": "added" },
    ]);
    assert_eq!(listed, expected);
}

const CONFIG: &str = include_str!("../../testdata/quickstart/aws.yaml");

/// A folder with the rendered profile `team.json` and a cluster directory `demo`.
fn installation() -> TempDir {
    let folder = folder();
    let output = profile(folder.path(), "render", &["-o", "json", "--now", EARLY]);
    write(folder.path(), "team.json", &out(&output));
    write(folder.path(), "demo/install-config.yaml", CONFIG);
    folder
}

fn codes(output: &Output) -> Vec<String> {
    let report = json_of(output);
    let findings = report["findings"].as_array().unwrap().iter();
    findings.map(|finding| finding["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn only_the_regions_of_a_profile_are_known() {
    let folder = installation();
    let output = landfall(folder.path(), &["regions", "-o", "json", "--cloud-profile", "team.json"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(err(&output).contains(" team "), "{}", err(&output));
    let known: Vec<Value> = out(&output).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ids: Vec<&str> = known.iter().map(|region| region["region"].as_str().unwrap()).collect();
    assert_eq!(ids, ["europe-special", "us-east-1"]);
    let reasons = |region: &Value| region["reasons"].as_array().unwrap().clone();
    assert_eq!(reasons(&known[0]).len(), 1, "{known:?}");
    assert!(reasons(&known[0])[0].as_str().unwrap().contains("profile team"), "{known:?}");
    assert!(reasons(&known[1]).iter().any(|reason| !reason.as_str().unwrap().contains("profile")));
}

#[test]
fn what_a_profile_does_not_list_is_refused() {
    let folder = installation();
    let validate = |config: &str, profile: &str| {
        write(folder.path(), "config.yaml", config);
        landfall(folder.path(), &["validate", "config.yaml", "-o", "json", "--cloud-profile", profile])
    };
    let accepted = validate(CONFIG, "team.json");
    assert_eq!(accepted.status.code(), Some(0), "{}", out(&accepted));
    let region = validate(&CONFIG.replace("us-east-1", "us-east-2"), "team.json");
    assert_eq!((region.status.code(), codes(&region)), (Some(3), vec!["LF1461".to_owned()]));
    let pool = |settings: &str| {
        let with = format!("- name: worker\n  platform:\n    aws: {settings}\n");
        CONFIG.replace("- name: worker\n", &with)
    };
    for (settings, code) in [
        ("{zones: [us-east-1a], type: m5.xlarge}", None),
        ("{zones: [us-east-1c]}", Some("LF1462")),
        ("{type: m6i.xlarge}", Some("LF1463")),
        ("{type: m7i.xlarge}", Some("LF1463")),
    ] {
        let output = validate(&pool(settings), "team.json");
        assert_eq!(codes(&output).first().map(String::as_str), code, "{settings}");
    }
    write(
        folder.path(),
        "lacking.yaml",
        &PARENT.replace(
            "    - name: us-east-1a\n",
            "    - name: us-east-1a\n      unavailableMachineTypes: [m5.xlarge]\n",
        ),
    );
    let lacking = validate(&pool("{zones: [us-east-1a], type: m5.xlarge}"), "lacking.yaml");
    assert_eq!(codes(&lacking), ["LF1464"]);
    // A type without zones is in the other one, until that lacks it as well.
    assert!(codes(&validate(&pool("{type: m5.xlarge}"), "lacking.yaml")).is_empty());
    let lacks = "\n      unavailableMachineTypes: [m5.xlarge]\n";
    let nowhere = ["us-east-1a\n", "us-east-1b\n"]
        .into_iter()
        .fold(PARENT.to_owned(), |text, zone| text.replace(zone, &format!("{}{lacks}", zone.trim_end())));
    write(folder.path(), "nowhere.yaml", &nowhere);
    assert_eq!(codes(&validate(&pool("{type: m5.xlarge}"), "nowhere.yaml")), ["LF1464"]);
    write(folder.path(), "azure.yaml", &PARENT.replace("type: aws", "type: azure"));
    assert_eq!(codes(&validate(CONFIG, "azure.yaml")), ["LF1460"]);
    write(folder.path(), "moon.yaml", &PARENT.replace("type: aws", "type: moon"));
    assert_eq!(codes(&validate(CONFIG, "moon.yaml")), ["LF1456"]);
    let defaults =
        landfall(folder.path(), &["defaults", "config.yaml", "--cloud-profile", "azure.yaml", "-o", "json"]);
    assert_eq!(defaults.status.code(), Some(3));
}

#[test]
fn a_profile_must_be_rendered_before_it_is_used() {
    let folder = installation();
    let output = landfall(folder.path(), &["regions", "--cloud-profile", "private.yaml"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(err(&output).contains("landfall profile render --parent"), "{}", err(&output));
}

#[test]
fn machines_are_those_of_the_profile() {
    let folder = installation();
    let arguments =
        ["create", "manifests", "--offline", "--dir", "demo", "-v", "--cloud-profile", "team.json"];
    let output = landfall(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for figure in [" 2 regions", " 1 machine type"] {
        assert!(err(&output).contains(figure), "{figure}: {}", err(&output));
    }
    let mut machines = String::new();
    for entry in fs::read_dir(folder.path().join("demo/openshift")).unwrap() {
        let path = entry.unwrap().path();
        if path.to_string_lossy().contains("99_openshift-cluster-api_") {
            machines.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    assert!(machines.contains("m5.xlarge") && !machines.contains("m6i."), "{machines}");
    assert!(machines.contains("us-east-1a") && !machines.contains("us-east-1c"), "{machines}");
}

#[test]
fn local_zones_of_a_profile_are_no_place_for_the_control_plane() {
    let folder = installation();
    write(folder.path(), "edge.yaml", &PARENT.replace("us-east-1b", "us-east-1-nyc-1a"));
    let arguments = ["create", "manifests", "--offline", "--dir", "demo", "--cloud-profile", "edge.yaml"];
    let output = landfall(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    for entry in fs::read_dir(folder.path().join("demo/openshift")).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains("us-east-1-nyc-1a"), "{}", path.display());
    }
}

/// A config for a location of Azure, whose compute machines are in two zones.
fn config_in_two_zones() -> String {
    include_str!("../../testdata/quickstart/azure.yaml")
        .replace("    cloudName: AzureUSGovernmentCloud\n", "")
        .replace("usgovvirginia", "eastus")
        .replace("[\"1\", \"2\", \"3\"]", "['1', '2']")
}

/// The manifests of machines that are planned with the profile `azure.yaml`, without asking Azure.
fn machines(folder: &Path, directory: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(["create", "manifests", "--offline", "--dir", directory, "--cloud-profile", "azure.yaml"]);
    command.current_dir(folder).env_clear();
    let output = command.env("AZURE_SUBSCRIPTION_ID", "s").env("AZURE_TENANT_ID", "t").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{directory}: {}", err(&output));
    let entries = fs::read_dir(folder.join(directory).join("openshift")).unwrap();
    entries.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap()).collect()
}

#[test]
fn sizes_of_a_profile_are_tried_until_one_is_in_its_zones() {
    let folder = installation();
    let text = PARENT
        .replace("type: aws", "type: azure")
        .replace("name: us-east-1\n", "name: eastus\n")
        .replace("us-east-1a\n", "'1'\n      unavailableMachineTypes: [Standard_D8s_v3]\n")
        .replace("us-east-1b\n", "'2'\n      unavailableMachineTypes: [Standard_D8s_v3]\n")
        .replace("m5.xlarge", "Standard_D8s_v3");
    let second = "  - name: standard_d8s_v5\n  regions:\n";
    write(folder.path(), "azure.yaml", &text.replace("  regions:\n", second));
    let config = config_in_two_zones();
    write(folder.path(), "demo/install-config.yaml", &config);
    let machines = machines(folder.path(), "demo");
    assert!(machines.contains("Standard_D8s_v5") && !machines.contains("Standard_D8s_v3"), "{machines}");
}

/// The catalogue has no size of this name.
#[test]
fn a_size_that_only_the_profile_knows_is_taken_without_a_cloud() {
    let folder = installation();
    let text = PARENT
        .replace("type: aws", "type: azure")
        .replace("name: us-east-1\n", "name: eastus\n")
        .replace("us-east-1a\n", "'1'\n")
        .replace("us-east-1b\n", "'2'\n")
        .replace("m5.xlarge", "Standard_Moon4s");
    write(folder.path(), "azure.yaml", &text);
    let config = config_in_two_zones();
    let typed = "name: master\n  platform: {azure: {type: Standard_Moon4s}}\n";
    for (directory, config) in [("usual", config.clone()), ("named", config.replace("name: master\n", typed))]
    {
        write(folder.path(), &format!("{directory}/install-config.yaml"), &config);
        let machines = machines(folder.path(), directory);
        assert!(machines.contains("Standard_Moon4s"), "{directory}: {machines}");
    }
}

#[test]
fn a_profile_without_a_fitting_type_stops_planning() {
    let folder = installation();
    write(
        folder.path(),
        "none.yaml",
        &PARENT.replace("name: m5.xlarge", "name: t9.tiny").replace("16Gi", "1Gi"),
    );
    let arguments =
        ["create", "manifests", "--offline", "--dir", "demo", "--cloud-profile", "none.yaml", "-o", "json"];
    let output = landfall(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(4), "{}", out(&output));
    for named in ["LF0704", "cloud profile `base`", "amd64 master", "t9.tiny"] {
        assert!(out(&output).contains(named), "{named}: {}", out(&output));
    }
}

#[test]
fn the_wizard_takes_what_the_profile_lists() {
    let folder = installation();
    write(folder.path(), "pull-secret.json", r#"{"auths":{"registry.example.com":{"auth":"ZmFrZTpmYWtl"}}}"#);
    let create = |directory: &str, platform: &[&str]| {
        let first = ["create", "install-config", "--dir", directory, "--cloud-profile", "team.json"];
        let answers = ["--no-ssh-key", "--base-domain", "example.com", "--name", "demo"];
        let secret = ["--pull-secret-file", "pull-secret.json"];
        landfall(folder.path(), &[&first[..], &answers, &secret, platform].concat())
    };
    for (directory, region) in [("one", "us-east-1"), ("two", "europe-special")] {
        let output = create(directory, &["--platform", "aws", "--region", region]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    }
    let refused = create("three", &["--platform", "aws", "--region", "eu-west-1"]);
    assert!(refused.status.code() == Some(2) && err(&refused).contains("LF1461"), "{}", err(&refused));
    let azure = ["--platform", "azure", "--region", "eastus", "--base-domain-resource-group", "dns-rg"];
    let other = create("four", &azure);
    assert!(other.status.code() == Some(2) && err(&other).contains("LF1460"), "{}", err(&other));
}
