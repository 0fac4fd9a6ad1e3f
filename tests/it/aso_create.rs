//! What `create cluster --engine aso` says before it calls anybody, and what is noted of a cluster.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use landfall_install_config::assets;
use landfall_render::{Engine, Extras};
use serde_json::{Value, json};

use crate::clusters;

const ID: &str = "demo-x7k2p";
const AZURE: &str = include_str!("../../testdata/quickstart/azure.yaml");

/// A cluster directory with an install config.
fn site() -> tempfile::TempDir {
    let site = tempfile::tempdir().unwrap();
    fs::write(site.path().join("install-config.yaml"), AZURE).unwrap();
    site
}

/// The exit code of a command, and all that it says.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("AZURE_SUBSCRIPTION_ID", "11111111-2222-3333-4444-555555555555")
        .env("AZURE_TENANT_ID", "99999999-8888-7777-6666-555555555555")
        .env("AZURE_CLIENT_ID", "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee")
        .env("AZURE_CLIENT_SECRET", "REPLACE_ME")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

fn plan(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    run(folder, &[&["create", "cluster", "--plan", "--offline"], more].concat())
}

/// Notes in a directory what an earlier run made there.
fn note(folder: &Path, landfall: &Value) {
    let noted = json!({
        "clusterName": "demo",
        "clusterID": "11111111-1111-1111-1111-111111111111",
        "infraID": ID,
        "landfall": landfall,
        "azure": { "region": "usgovvirginia" },
    });
    fs::write(folder.join("metadata.json"), noted.to_string()).unwrap();
}

#[test]
fn a_cloud_that_no_operator_serves_is_refused() {
    let site = site();
    let hub = "AzureStackCloud\n    armEndpoint: https://management.local.azurestack.example";
    let config = AZURE.replace("AzureUSGovernmentCloud", hub);
    fs::write(site.path().join("install-config.yaml"), config + "credentialsMode: Manual\n").unwrap();
    let (code, said) = plan(site.path(), &["--engine", "aso"]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("LF1520") && !said.contains("--engine terraform"), "{said}");
}

#[test]
fn flags_of_another_engine_are_refused() {
    let site = site();
    let alone = ["--engine", "aso", "--aso-ignition-pointer", "pointer.ign"];
    let cases: [(&[&str], [&str; 2]); 7] = [
        (&["--aso-machines", "aso"], ["--aso-machines", "--engine aso"]),
        (&["--kubeconfig", "a"], ["--kubeconfig", "--engine aso"]),
        (&["--namespace", "a"], ["--namespace", "--engine aso"]),
        (&["--aso-ignition-pointer", "a"], ["--aso-ignition-pointer", "--engine aso"]),
        (&["--engine", "aso", "--terraform", "tofu"], ["--terraform", "--engine terraform"]),
        (&["--engine", "aso", "--plugin-dir", "a"], ["--plugin-dir", "--engine terraform"]),
        (&alone, ["--aso-ignition-pointer", "--aso-machines aso"]),
    ];
    for (flags, words) in cases {
        let (code, said) = plan(site.path(), flags);
        assert_eq!(code, Some(2), "{flags:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{flags:?}: {said}");
        assert!(words.iter().all(|word| said.contains(word)), "{flags:?}: {said}");
    }
}

#[test]
fn machines_are_not_made_without_what_they_start_with() {
    let site = site();
    let write = |name: &str, text: &str| fs::write(site.path().join(name), text).unwrap();
    let plan =
        |more: &[&str]| plan(site.path(), &[&["--engine", "aso", "--aso-machines", "aso"], more].concat());
    let refused = |more: &[&str], code: i32, words: &[&str]| {
        let (found, said) = plan(more);
        assert_eq!(found, Some(code), "{said}");
        assert!(words.iter().all(|word| said.contains(word)), "{said}");
        // The install config is not at fault.
        assert!(!said.contains("install-config.yaml:1"), "{said}");
    };
    refused(&[], 4, &["LF1542", "master.ign", "--ignition"]);
    let pointer = ["--aso-ignition-pointer", "pointer.ign"];
    refused(&pointer, 1, &["cannot read pointer.ign"]);
    write("pointer.ign", "{ very-secret-marker");
    refused(&pointer, 4, &["LF1508", "pointer.ign"]);
    assert!(!plan(&pointer).1.contains("very-secret-marker"));
    let small = r#"{"ignition":{"version":"3.2.0"}}"#;
    write("pointer.ign", small);
    refused(&pointer, 4, &["LF1542", "master.ign", "--ignition"]);
    write("master.ign", r#"{"ignition":{"version":"3.2.0"},"storage":{"files":[]}}"#);
    refused(&pointer, 4, &["LF1508", "master.ign"]);
    write("master.ign", small);
    // Without a pointer, landfall uploads the config of the bootstrap machine.
    for more in [&pointer[..], &[]] {
        let (code, said) = plan(more);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("-master-2\n") && said.contains("-bootstrap\n"), "{said}");
    }

    // They may be elsewhere.
    fs::create_dir(site.path().join("files")).unwrap();
    fs::rename(site.path().join("master.ign"), site.path().join("files/master.ign")).unwrap();
    let (code, said) = plan(&[&pointer[..], &["--ignition", "files"]].concat());
    assert_eq!(code, Some(0), "{said}");
    // The OpenShift installer would make them.
    let (code, said) = plan(&[&pointer[..], &["--ignition", "openshift-install"]].concat());
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("left out") && !said.contains("-master-0"), "{said}");
}

#[test]
fn a_plan_says_that_an_id_stands_for_one() {
    let site = site();
    let (code, said) = plan(site.path(), &["--engine", "aso"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("infrastructure ID") && !said.contains(ID), "{said}");
    let (_, said) = plan(site.path(), &["--engine", "aso", "--infra-id", ID]);
    assert!(!said.contains("infrastructure ID") && said.contains(ID), "{said}");
}

#[test]
fn later_runs_know_who_makes_the_machines() {
    let site = site();
    let folder = site.path();
    note(folder, &json!({ "engine": "aso", "namespace": "fleet", "machines": true }));
    let (code, said) = plan(folder, &[]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("LF1542"), "{said}");
    let (code, said) = plan(folder, &["--aso-machines", "none"]);
    assert_eq!(code, Some(0), "nothing was begun: {said}");
    let (code, said) = run(folder, &["aso", "render"]);
    assert_eq!(code, Some(0), "{said}");
    for words in ["namespace: fleet\n", "kind: VirtualMachine\n"] {
        assert!(said.contains(words), "{words}");
    }
    let (_, said) = run(folder, &["aso", "render", "--namespace", "other", "--machines", "none"]);
    for words in ["namespace: fleet\n", "kind: VirtualMachine\n"] {
        assert!(!said.contains(words), "{words}");
    }
}

#[test]
fn the_metadata_says_who_makes_the_machines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/plans/azure-nat-single");
    let (plan, _) = clusters::made(&folder);
    let credentials = assets::credentials(&plan.config, &clusters::Fixed(BTreeMap::new()));
    let tls = clusters::tls();
    for (machines, noted) in [(true, json!(true)), (false, Value::Null)] {
        let engine = Engine { name: "aso".to_owned(), namespace: "fleet".to_owned(), machines };
        let extras = Extras {
            credentials: &credentials,
            tls: &tls,
            invoker: "user",
            masters_schedulable: None,
            bootstrap_ignition: None,
            master_ignition: None,
            account: None,
            engine: Some(&engine),
        };
        let files = assets::files(&plan, &extras);
        let metadata = files.iter().find(|file| file.path == "metadata.json").unwrap();
        let metadata: Value = serde_json::from_slice(&metadata.bytes).unwrap();
        assert_eq!(metadata["landfall"]["machines"], noted);
        assert_eq!(metadata["landfall"]["namespace"], "fleet");
    }
}

#[test]
fn only_the_operators_own_settings_say_which_cloud_it_is_for() {
    let site = site();
    let named = |name: &str, data: &str| {
        format!("kind: Secret\nmetadata:\n  name: {name}\ndata:\n  AZURE_AUTHORITY_HOST: {data}\n")
    };
    let right = "aso-controller-settings";
    let texts = [
        AZURE.to_owned(),
        String::new(),
        "hello\n".to_owned(),
        named(right, "'%%%'"),
        named("aso-credential", ""),
        named(right, "aHR0cHM6Ly9h").replace("Secret", "ConfigMap"),
    ];
    let render = |text: &str| {
        fs::write(site.path().join("settings.yaml"), text).unwrap();
        run(site.path(), &["aso", "render", "--controller-settings", "settings.yaml"])
    };
    for text in texts {
        let (code, said) = render(&text);
        assert_eq!(code, Some(3), "{text}: {said}");
        assert!(said.contains("LF1507"), "{text}: {said}");
    }
    // It is read, and for another cloud.
    let (code, said) = render(&named(right, "aHR0cHM6Ly9h"));
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("LF1526"), "{said}");
}

#[test]
fn ids_of_render_are_uuids() {
    let site = site();
    for flag in ["--subscription-id", "--tenant-id", "--anchor-uid"] {
        let (code, said) = run(site.path(), &["aso", "render", flag, "x y"]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(flag) && said.contains("UUID"), "{said}");
    }
    fs::write(site.path().join("engine.yaml"), "tenantID: foo\n").unwrap();
    let (code, said) = run(site.path(), &["aso", "render", "--engine-settings", "engine.yaml"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("LF1507"), "{said}");
}

#[test]
fn a_config_of_another_platform_has_one_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let aws = include_str!("../../testdata/quickstart/aws.yaml");
    fs::write(folder.path().join("install-config.yaml"), aws).unwrap();
    let (code, said) = run(folder.path(), &["aso", "render"]);
    assert_eq!(code, Some(4), "{said}");
    assert!(said.contains("LF1500") && !said.contains("accepted") && !said.contains("--offline"), "{said}");
}
