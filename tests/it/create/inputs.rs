//! Files on standard input, and platforms without a cloud.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::{CONFIG, directory, files, said};

fn landfall(folder: &Path, arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("AWS_EC2_METADATA_DISABLED", "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command that refuses the command line reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

#[test]
fn facts_overlays_and_profiles_may_be_standard_input() {
    let site = directory(CONFIG);
    let offline =
        landfall(site.path(), &["create", "manifests", "--offline", "--infra-id", "demo-bcd24"], "");
    assert_eq!(offline.status.code(), Some(0), "{}", said(&offline));
    let facts = std::fs::read_to_string(site.path().join("facts.json")).unwrap();
    let other = directory(CONFIG);
    let from_input =
        landfall(other.path(), &["create", "manifests", "--facts", "-", "--infra-id", "demo-bcd24"], &facts);
    assert_eq!(from_input.status.code(), Some(0), "{}", said(&from_input));
    assert_eq!(files(site.path()).get("facts.json"), files(other.path()).get("facts.json"));
    let profile = "spec:\n  regions:\n  - name: eu-central-1\n";
    for (flag, text) in [("--catalogue", "version: 1\n"), ("--cloud-profile", profile)] {
        let output = landfall(other.path(), &["create", "manifests", "--offline", flag, "-"], text);
        assert!(!said(&output).contains("cannot read"), "{flag}: {}", said(&output));
    }
}

#[test]
fn the_config_of_objects_may_be_standard_input() {
    let azure = include_str!("../../../testdata/quickstart/azure.yaml");
    let folder = tempfile::tempdir().unwrap();
    let id = "11111111-2222-3333-4444-555555555555";
    let arguments = ["aso", "render", "-", "--subscription-id", id, "--tenant-id", id];
    let rendered = landfall(folder.path(), &[&arguments[..], &["--infra-id", "demo-bcd24"]].concat(), azure);
    assert!(!said(&rendered).contains("cannot read"), "{}", said(&rendered));
    for (flag, text) in [("--engine-settings", "infraID: demo-bcd24\n"), ("--aso-patches", "[]\n")] {
        let file = folder.path().join("install-config.yaml");
        std::fs::write(file, azure).unwrap();
        let arguments = ["aso", "render", "--subscription-id", id, "--tenant-id", id, flag, "-"];
        let rendered = landfall(folder.path(), &arguments, text);
        assert!(!said(&rendered).contains("cannot read"), "{flag}: {}", said(&rendered));
    }
}

#[test]
fn standard_input_is_read_once() {
    let site = directory(CONFIG);
    for arguments in [
        &["validate", "-", "-"][..],
        &["create", "manifests", "--offline", "--stream", "-", "--catalogue", "-"],
    ] {
        let output = landfall(site.path(), arguments, CONFIG);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains("only once"), "{arguments:?}: {}", said(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_platform_without_a_cloud_is_exit_code_1() {
    let site = directory(include_str!("../../../crates/diagnostics/src/base/none.yaml"));
    for (arguments, words) in [
        (&["create", "manifests", "--offline"][..], "LF0651"),
        (&["create", "manifests"], "LF0651"),
        (&["create", "cluster", "--plan", "--offline"], "`none`"),
        (&["create", "permissions-policy"], "`none`"),
        (&["preflight"], "`none`"),
        (&["facts"], "`none`"),
        (&["facts", "--offline"], "`none`"),
    ] {
        let output = landfall(site.path(), arguments, "");
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", said(&output));
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_kubeconfig_that_cannot_be_read_is_exit_code_1() {
    let site = directory(CONFIG);
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(["validate", "install-config.yaml", "--cloud-profile-ref", "base"])
        .current_dir(site.path())
        .env_clear()
        .env("KUBECONFIG", "/nonexistent/kubeconfig")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("LF1240"), "{}", said(&output));
    assert!(!said(&output).contains(":1:1"), "{}", said(&output));
}
