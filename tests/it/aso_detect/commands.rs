//! What the commands say that look at a management cluster, or at what it must permit.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

/// Runs a command without an environment, in a directory of its own.
fn landfall(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(arguments).current_dir(folder).env_clear().output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn roles_are_printed_for_a_cluster_or_a_namespace() {
    let folder = tempfile::tempdir().unwrap();
    let roles = |more: &[&str]| landfall(folder.path(), &[&["aso", "roles", "-o", "json"], more].concat());
    let names = |output: &Output| -> Vec<String> {
        let of =
            |role: &Value| format!("{}/{}", role["kind"], role["metadata"]["namespace"]).replace('"', "");
        lines(output).iter().map(of).collect()
    };
    let own = roles(&["--infra-id", "demo-x7k2p", "--operator-namespace", "operator"]);
    assert_eq!(own.status.code(), Some(0));
    assert_eq!(names(&own), ["ClusterRole/null", "Role/demo-x7k2p", "Role/operator"]);
    assert!(text(&own.stdout).contains("demo-x7k2p-aso-secret"));
    assert!(!text(&own.stdout).contains("compute.azure.com"));
    let shared = roles(&["--namespace", "fleet", "--machines", "aso"]);
    assert_eq!(names(&shared), ["ClusterRole/null", "Role/fleet"]);
    assert!(text(&shared.stdout).contains("compute.azure.com"));
    assert!(!text(&shared.stdout).contains("resourceNames"));
    assert_eq!(roles(&[]).status.code(), Some(2));

    let yaml = landfall(folder.path(), &["aso", "roles", "--infra-id", "demo-x7k2p"]);
    let documents: Vec<Value> = serde_yaml::Deserializer::from_str(text(&yaml.stdout))
        .map(|document| serde::Deserialize::deserialize(document).unwrap())
        .collect();
    assert_eq!(documents, lines(&own)[..2]);
}

#[test]
fn a_management_cluster_is_named_by_flag_or_environment() {
    let folder = tempfile::tempdir().unwrap();
    let check = |more: &[&str]| landfall(folder.path(), &[&["aso", "check"], more].concat());
    for arguments in [&[][..], &["--kubeconfig", "none"][..]] {
        let output = check(arguments);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("LF1240") && said.contains("KUBECONFIG"), "{said}");
        assert!(!said.contains("auth/kubeconfig"), "{said}");
    }
    let output = check(&["-o", "json", "--kubeconfig", "none"]);
    assert_eq!(lines(&output)[0]["outcome"], "refused");
    std::fs::write(folder.path().join("empty"), "kind: Config\n").unwrap();
    let output = check(&["--kubeconfig", "empty"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("LF1241") && said.contains("--kubeconfig"), "{said}");
    for wrong in [&["--upgrade-to", "2.19"][..], &["--upgrade-crds", "empty"][..]] {
        assert_eq!(check(wrong).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn what_is_no_release_is_refused_without_a_word_of_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("crds.yaml"), "kind: Secret\nmetadata: canary\n").unwrap();
    let arguments = ["aso", "check", "--upgrade-to", "v2.20.0", "--upgrade-crds", "crds.yaml"];
    let output = landfall(folder.path(), &arguments);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("LF1560") && !said.contains("canary"), "{said}");
}

#[test]
fn explains_what_the_engine_leaves_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let shown = landfall(folder.path(), &["explain", "--engine", "aso"]);
    assert_eq!(shown.status.code(), Some(0));
    let data = landfall(folder.path(), &["explain", "--engine", "aso", "-o", "json"]);
    let data = lines(&data).remove(0);
    let outside = data["outside"].as_array().unwrap();
    for one in outside {
        let what = one["what"].as_str().unwrap();
        assert!(text(&shown.stdout).contains(what), "{what}");
    }
    let by = |what: &str| outside.iter().find(|one| one["what"] == what).map(|one| one["by"].clone());
    assert_eq!(by("public zone lookup"), Some("landfall".into()));
    assert_eq!(by("image gallery and image version"), Some("user".into()));
    let both = landfall(folder.path(), &["explain", "--engine", "aso", "publish"]);
    assert_eq!(both.status.code(), Some(2));
}
