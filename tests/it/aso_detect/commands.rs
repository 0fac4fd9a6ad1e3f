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
    assert!(!text(&own.stdout).contains("virtualmachines"));
    // What the user has of any kind is looked for before it goes with the cluster.
    assert!(text(&own.stdout).contains("keyvault.azure.com"));
    let shared = roles(&["--namespace", "fleet", "--machines", "aso"]);
    assert_eq!(names(&shared), ["ClusterRole/null", "Role/fleet"]);
    assert!(text(&shared.stdout).contains("virtualmachines"));
    assert!(!text(&shared.stdout).contains("resourceNames"));
    assert_eq!(roles(&[]).status.code(), Some(2));

    let yaml = landfall(folder.path(), &["aso", "roles", "--infra-id", "demo-x7k2p"]);
    let documents: Vec<Value> = serde_yaml::Deserializer::from_str(text(&yaml.stdout))
        .map(|document| serde::Deserialize::deserialize(document).unwrap())
        .collect();
    assert_eq!(documents, lines(&own)[..2]);
}

#[test]
fn what_can_be_no_cluster_is_refused_by_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let verbs = ["check", "roles", "pause", "resume", "handover"].map(|verb| vec![verb]);
    let relocate = vec!["move", "--from-kubeconfig", "a", "--to-kubeconfig", "b"];
    for verb in verbs.into_iter().chain([relocate]) {
        let run = |more: &[&str]| landfall(folder.path(), &[&["aso"], verb.as_slice(), more].concat());
        for id in ["", "GOV_"] {
            let output = run(&["--infra-id", id]);
            assert_eq!(output.status.code(), Some(2), "{verb:?} {id}");
            assert!(text(&output.stderr).contains("LF0653"), "{verb:?} {}", text(&output.stderr));
        }
        for namespace in ["", "a/b", "BAD_"] {
            let output = run(&["--infra-id", "demo-x7k2p", "--namespace", namespace]);
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{verb:?} {said}");
            assert!(said.contains("--namespace"), "{verb:?} {said}");
        }
        // The file is there, and does not say which cluster it is of.
        std::fs::write(folder.path().join("metadata.json"), "{").unwrap();
        let output = run(&[]);
        assert_eq!(output.status.code(), Some(3), "{verb:?}");
        assert!(text(&output.stderr).contains("LF1381"), "{verb:?} {}", text(&output.stderr));
        std::fs::remove_file(folder.path().join("metadata.json")).unwrap();
    }
    let output = landfall(folder.path(), &["aso", "roles", "--namespace", "a", "--operator-namespace", "A"]);
    assert_eq!(output.status.code(), Some(2));
    let output = landfall(folder.path(), &["aso", "render", "--namespace", "BAD_"]);
    assert_eq!(output.status.code(), Some(2));
    let arguments = ["create", "cluster", "--engine", "aso", "--yes", "--namespace", "BAD_"];
    assert_eq!(landfall(folder.path(), &arguments).status.code(), Some(2));
    // The log of the commands that found a metadata.json.
    let left: Vec<_> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, [".landfall"]);
}

#[test]
fn a_namespace_of_a_file_is_one_that_kubernetes_takes() {
    let folder = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/quickstart/azure.yaml");
    std::fs::write(folder.path().join("engine.yaml"), "namespace: BAD_\n").unwrap();
    let render = ["aso", "render", config.to_str().unwrap(), "--engine-settings", "engine.yaml"];
    let output = landfall(folder.path(), &render);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("LF1507") && said.contains("lower-case letters"), "{said}");
}

#[test]
fn the_directory_of_another_cluster_is_none_of_a_named_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("metadata.json"), "{").unwrap();
    let roles = |more: &[&str]| {
        let arguments = [&["aso", "roles", "--infra-id", "demo-x7k2p", "-o", "json"], more].concat();
        landfall(folder.path(), &arguments)
    };
    assert_eq!(roles(&[]).status.code(), Some(0));
    assert_eq!(roles(&["--dir", "."]).status.code(), Some(3));
}

#[test]
fn clusters_of_one_namespace_have_roles_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let names = |infra_id: &str| -> Vec<Value> {
        let arguments = ["aso", "roles", "-o", "json", "--namespace", "fleet", "--infra-id", infra_id];
        let roles = lines(&landfall(folder.path(), &arguments));
        roles.into_iter().map(|role| role["metadata"]["name"].clone()).collect()
    };
    assert_eq!(names("one-aaaaa"), ["landfall-aso", "landfall-aso-one-aaaaa"]);
    assert_eq!(names("two-bbbbb"), ["landfall-aso", "landfall-aso-two-bbbbb"]);
}

#[test]
fn a_management_cluster_that_does_not_answer_is_named_and_nothing_was_begun() {
    let folder = tempfile::tempdir().unwrap();
    // The port is one at which nobody listens any more.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let kubeconfig = format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts:\n- name: a\n  context: {{ cluster: a, \
         user: a }}\nclusters:\n- name: a\n  cluster: {{ server: 'https://127.0.0.1:{port}' }}\nusers:\n- \
         name: a\n  user: {{ token: canary }}\n"
    );
    std::fs::write(folder.path().join("a"), kubeconfig).unwrap();
    let relocate = ["move", "--from-kubeconfig", "a", "--to-kubeconfig", "a"];
    for verb in [&["pause", "--kubeconfig", "a"][..], &relocate] {
        let output = landfall(folder.path(), &[&["aso"], verb, &["--infra-id", "demo-x7k2p"]].concat());
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{said}");
        assert!(said.contains("LF1532") && said.contains(&format!("127.0.0.1:{port}")), "{said}");
        assert!(!said.contains("canary"), "{said}");
    }
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
        assert!(arguments.is_empty() || said.contains(" none "), "{said}");
        assert!(!said.contains("auth/kubeconfig"), "{said}");
    }
    let output = check(&["-o", "json", "--kubeconfig", "none"]);
    assert_eq!(lines(&output)[0]["outcome"], "refused");
    std::fs::write(folder.path().join("empty"), "kind: Config\n").unwrap();
    let output = check(&["--kubeconfig", "empty"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("LF1241") && said.contains("--kubeconfig"), "{said}");
    for wrong in [&["--upgrade-to", "2.19"][..], &["--upgrade-crds", "empty"], &["--cloud-name", "Foo"]] {
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
    assert_eq!(by("image gallery and image version"), Some("landfall".into()));
    assert_eq!(by("bootstrap machine, control plane"), Some("user".into()));
    let both = landfall(folder.path(), &["explain", "--engine", "aso", "publish"]);
    assert_eq!(both.status.code(), Some(2));
}
