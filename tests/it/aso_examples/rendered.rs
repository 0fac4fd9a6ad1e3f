//! What the command prints of a cluster.

use std::path::Path;
use std::process::Output;

use serde_json::{Value, json};

use super::{IMAGE, expected, folder, input, render, render_files};

/// A file that says which image the release has; the version is that of the first example.
const STREAM: &str = r#"{ "architectures": { "x86_64": { "rhel-coreos-extensions": { "azure-disk": {
    "release": "420.94.202601010000-0", "url": "https://example.com/rhcos.vhd" } } } } }"#;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn documents(output: &Output) -> Vec<Value> {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The files of an example, as far as they can be known before anything stands.
fn foreseen(example: &str) -> Vec<Value> {
    let mut all: Vec<Value> = expected(example).into_iter().map(|(_, object)| object).collect();
    for object in &mut all {
        // The address of a load balancer that Azure chooses is known once it stands.
        let is_late = object["kind"] == "PrivateDnsZonesARecord" && example == "byo-private";
        if let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut).filter(|_| is_late) {
            spec.remove("aRecords");
        }
    }
    all
}

#[test]
fn the_examples_are_printed() {
    let directory = tempfile::tempdir().unwrap();
    let stream = directory.path().join("stream.json");
    std::fs::write(&stream, STREAM).unwrap();
    let operator = folder("byo-private").join("input/aso-controller-settings.yaml");
    let more = [
        ("public", ["--stream", stream.to_str().unwrap()]),
        ("byo-private", ["--controller-settings", operator.to_str().unwrap()]),
    ];
    for (example, [flag, file]) in more {
        let output = render(example, &[flag, file]);
        let printed = documents(&output);
        assert!(!text(&output.stdout).contains("REPLACE_ME"));
        let mut wanted = foreseen(example);
        for object in &mut wanted {
            if let Some(secret) = object.pointer_mut("/stringData/AZURE_CLIENT_SECRET") {
                *secret = "<redacted>".into();
            }
        }
        assert_eq!(printed, wanted, "{example}");
        let shown = documents(&render(example, &[flag, file, "--show-secrets"]));
        assert_eq!(shown, foreseen(example), "{example}");
    }
}

#[test]
fn without_a_stream_the_image_alone_differs() {
    let printed = documents(&render("public", &["--show-secrets"]));
    let differing: Vec<(Value, Value)> =
        printed.into_iter().zip(foreseen("public")).filter(|(one, other)| one != other).collect();
    let [(made, wanted)] = differing.as_slice() else { panic!("{differing:#?}") };
    let id = "/spec/storageProfile/imageReference/reference/armId";
    let versions = |object: &Value| {
        object.pointer(id).unwrap().as_str().unwrap().rsplit_once('/').map(|id| id.0.to_owned())
    };
    assert_eq!(versions(made), versions(wanted));
    assert!(wanted.pointer(id).unwrap().as_str().unwrap().ends_with(IMAGE));
}

/// Prints the first example with this in place of its SSH key.
fn with_key(directory: &Path, key: &str, change: impl FnOnce(&mut Value)) -> (Option<i32>, String, String) {
    let mut config = input("public", "install-config.yaml");
    config["sshKey"] = key.into();
    change(&mut config);
    let path = directory.join("install-config.yaml");
    std::fs::write(&path, config.to_string()).unwrap();
    let output = render_files(&path, &folder("public").join("input/engine.yaml"), &[]);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_key_that_only_a_machine_would_refuse_is_a_warning() {
    let directory = tempfile::tempdir().unwrap();
    let (code, printed, said) = with_key(directory.path(), "ssh-ed25519 AAAAexample me", |_| {});
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("LF0106") && said.contains("warning"), "{said}");
    assert!(printed.contains("ssh-ed25519 AAAAexample me"), "{printed}");
}

#[test]
fn what_may_be_a_private_key_is_refused_and_not_printed() {
    let directory = tempfile::tempdir().unwrap();
    let private = "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----";
    for key in [private, "canary", "ssh-ed25519 canary", "# canary"] {
        let (code, printed, said) = with_key(directory.path(), key, |_| {});
        assert_eq!(code, Some(3), "{said}");
        assert!(!printed.contains("canary") && !said.contains("canary"), "{printed}{said}");
    }
}

#[test]
fn whatever_else_is_wrong_is_refused_as_ever() {
    let directory = tempfile::tempdir().unwrap();
    let (code, printed, said) = with_key(directory.path(), "ssh-ed25519 AAAAexample me", |config| {
        config["baseDomain"] = "Not A Domain".into();
    });
    assert_eq!(code, Some(3), "{printed}{said}");
}

/// Prints the second example with these settings of the engine in place of the same ones of its own.
fn with_settings(directory: &Path, settings: &Value, arguments: &[&str]) -> Output {
    let mut all = input("byo-private", "engine.yaml");
    all.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let path = directory.join("engine.yaml");
    std::fs::write(&path, all.to_string()).unwrap();
    render_files(&folder("byo-private").join("input/install-config.yaml"), &path, arguments)
}

#[test]
fn an_installed_cluster_has_the_objects_that_were_made() {
    let directory = tempfile::tempdir().unwrap();
    let stage = |stage: &str| documents(&with_settings(directory.path(), &json!({ "stage": stage }), &[]));
    assert_eq!(stage("handover"), stage("install"));
}

#[test]
fn patches_change_what_is_printed() {
    let directory = tempfile::tempdir().unwrap();
    let patch = |kind: &str, patch: &str| json!([{ "kind": kind, "name": "gov1-b4n9w-nsg", "patch": patch }]);
    let location = |output: &Output| {
        let all = documents(output);
        let group = all.iter().find(|one| one["kind"] == "NetworkSecurityGroup").unwrap();
        group["spec"]["location"].clone()
    };
    let right = |location: &str| {
        patch("NetworkSecurityGroup", &json!({ "spec": { "location": location } }).to_string())
    };
    let settings = |patches: Value, arguments: &[&str]| {
        with_settings(directory.path(), &json!({ "patches": patches }), arguments)
    };
    assert_eq!(location(&settings(right("moon"), &[])), "moon");
    let file = directory.path().join("patches.yaml");
    let flag = ["--aso-patches", file.to_str().unwrap()];
    std::fs::write(&file, right("mars").to_string()).unwrap();
    assert_eq!(location(&settings(right("moon"), &flag)), "mars");
    let refused = |output: &Output, code: i32, page: &str| {
        let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(said.contains(page) && !said.contains("canary"), "{said}");
        said
    };
    refused(&settings(patch("networksecuritygroup", "{}"), &[]), 4, "LF1510");
    for wrong in [r#"["canary"]"#, r#"{"metadata":{"name":"canary"}}"#] {
        refused(&settings(patch("NetworkSecurityGroup", wrong), &[]), 4, "LF1510");
    }
    std::fs::write(&file, patch("networksecuritygroup", "{}").to_string()).unwrap();
    let said = refused(&render("byo-private", &flag), 4, "LF1510");
    assert!(said.contains(file.to_str().unwrap()), "{said}");
    for wrong in ["canary", "- {kind: A, name: b, patch: {canary: c}}", "- {kind: A, name: b, canary: c}"] {
        std::fs::write(&file, wrong).unwrap();
        let said = refused(&render("byo-private", &flag), 3, "LF1507");
        assert!(said.contains("the patches cannot be read"), "{said}");
        assert!(said.contains(file.to_str().unwrap()), "{said}");
    }
}
