//! What commands print with `-o json` fits the schemas in the reference.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The schema of this name.
fn schema(name: &str) -> Value {
    let all = landfall::formats::schemas();
    all.into_iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}: no schema")).1
}

/// The lines that a command prints with `-o json`, and its exit code. No cloud can be reached.
fn printed(folder: &Path, arguments: &[&str]) -> (Vec<Value>, Option<i32>) {
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(arguments)
        .args(["-o", "json"])
        .current_dir(folder)
        .env_clear()
        .envs([
            ("HOME", "/nonexistent"),
            ("AWS_ACCESS_KEY_ID", "AKIAX"),
            ("AWS_SECRET_ACCESS_KEY", "x"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
            ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"),
            ("AZURE_SUBSCRIPTION_ID", "00000000-0000-0000-0000-000000000001"),
            ("AZURE_TENANT_ID", "00000000-0000-0000-0000-000000000002"),
        ])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    (lines, output.status.code())
}

fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.iter_errors(value).map(|e| format!("{}: {e}", e.instance_path())).collect()
}

/// Asserts that a command prints at least one line, that each fits the schema, and that a key more would not.
fn fits(folder: &Path, arguments: &[&str], name: &str, code: i32) {
    let schema = schema(name);
    let (lines, ended) = printed(folder, arguments);
    assert_eq!(ended, Some(code), "{arguments:?}: {lines:?}");
    assert!(!lines.is_empty(), "{arguments:?} prints nothing");
    for line in lines {
        assert_eq!(faults(&schema, &line), Vec::<String>::new(), "{arguments:?}: {line:#}");
        if let Value::Object(mut map) = line {
            map.insert("surplus".to_owned(), Value::Null);
            assert!(!faults(&schema, &Value::Object(map)).is_empty(), "{name} accepts any key");
        }
    }
}

#[test]
fn schemas_are_valid_and_closed() {
    for (name, schema) in landfall::formats::schemas() {
        assert!(jsonschema::meta::is_valid(&schema), "{name} is not a JSON Schema");
        assert!(!faults(&schema, &serde_json::json!({})).is_empty(), "{name} accepts an empty object");
    }
}

#[test]
fn output_without_a_cloud_fits_its_schema() {
    let examples = root().join("testdata/quickstart");
    fits(&examples, &["validate", "aws.yaml"], "validate", 0);
    fits(&examples, &["validate", "rejected.yaml", "broken.yaml"], "validate", 3);
    fits(&examples, &["version"], "version", 0);
    fits(&examples, &["graph"], "graph", 0);
    fits(&examples, &["regions"], "regions", 0);
    fits(&examples, &["explain", "LF0422"], "explain-code", 0);
    for field in ["platform.aws.region", "publish", "controlPlane.replicas", "compute[]"] {
        fits(&examples, &["explain", field], "explain-field", 0);
    }
    fits(&examples, &["explain", "--engine", "aso"], "explain-engine", 0);
}

#[test]
fn output_about_a_directory_fits_its_schema() {
    let folder = tempfile::tempdir().unwrap();
    let fleet = folder.path();
    fs::create_dir(fleet.join("demo")).unwrap();
    fs::copy(root().join("testdata/quickstart/aws.yaml"), fleet.join("demo/install-config.yaml")).unwrap();
    let manifests = ["create", "manifests", "--offline", "--dir", "demo"];
    fits(fleet, &manifests, "create-manifests", 0);
    fits(fleet, &["create", "manifests", "--offline", "--fleet", "."], "create-manifests", 0);
    let plan = ["create", "cluster", "--plan", "--offline", "--dir", "demo"];
    fits(fleet, &plan, "create-cluster-plan", 0);
    fits(fleet, &["graph", "--resources", "--dir", "demo"], "graph-resources", 0);
    fs::create_dir(fleet.join("azure")).unwrap();
    fs::copy(root().join("testdata/quickstart/azure.yaml"), fleet.join("azure/install-config.yaml")).unwrap();
    let objects = ["create", "cluster", "--engine", "aso", "--plan", "--offline", "--dir", "azure"];
    fits(fleet, &objects, "create-cluster-plan-aso", 0);
    fits(fleet, &["gather", "--dir", "demo", "--out", "a.tar.gz"], "gather", 0);
    let preflight = ["preflight", "--dir", "demo", "--timeout", "200ms", "--deadline", "5s"];
    fits(fleet, &preflight, "preflight", 4);
    fs::create_dir(fleet.join("empty")).unwrap();
    fits(fleet, &["destroy", "cluster", "--dir", "empty", "--yes"], "refused", 1);
    fits(fleet, &["gather", "--dir", "empty"], "refused", 1);
    fits(fleet, &["wait-for", "api", "--dir", "empty"], "wait-for", 1);
    fits(fleet, &["aso", "check", "--kubeconfig", "nowhere"], "refused", 1);
}

#[test]
fn a_removal_fits_its_schema() {
    let account =
        serde_json::json!({ "id": "123456789012", "caller": "arn:aws:iam::123456789012:user/lander" });
    let page = fs::read_to_string(root().join("docs/reference/contract/destroy.md")).unwrap();
    let (_, page) = page.split_once("## `landfall destroy cluster -o json`").unwrap();
    let blocks: Vec<Value> = page
        .split("```json\n")
        .skip(1)
        .take(3)
        .map(|block| serde_json::from_str(block.split_once("```").unwrap().0).unwrap())
        .collect();
    for (value, name) in blocks.iter().zip(["destroy-cluster-plan", "destroy-cluster", "destroy-find"]) {
        assert_eq!(faults(&schema(name), value), Vec::<String>::new(), "{name}");
    }
    assert_eq!(blocks[0]["account"], account);
}
