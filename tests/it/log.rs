//! The log of a cluster directory and the archive for support, as a user meets them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::read::GzDecoder;

const LOG: &str = ".landfall/landfall.log";
const AWS: &str = include_str!("../../testdata/quickstart/aws.yaml");
/// A secret of the environment, which the files of the cluster get.
const CANARY: &str = "canaryCANARYcanaryCANARYcanaryCANARY0123";

fn landfall(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(args).current_dir(folder).env_clear().stdin(Stdio::null());
    command.env("AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE").env("AWS_SECRET_ACCESS_KEY", CANARY);
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A cluster directory with the config of the quickstart, its auth in a pull secret replaced.
fn directory(config: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("demo")).unwrap();
    fs::write(folder.path().join("demo/install-config.yaml"), config).unwrap();
    folder
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_command_of_a_cluster_directory_keeps_a_log() {
    let folder = directory(AWS);
    let log = folder.path().join("demo").join(LOG);
    // What only shows leaves nothing behind.
    let output = landfall(folder.path(), &["create", "cluster", "--plan", "--offline", "--dir", "demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!folder.path().join("demo/.landfall").exists());
    let output = landfall(folder.path(), &["create", "manifests", "--offline", "--dir", "demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!text(&output.stderr).contains("log: "), "{}", text(&output.stderr));
    let said = fs::read_to_string(&log).unwrap();
    assert!(said.contains(": create manifests --dir --offline") && said.contains(" ended with 0 "), "{said}");
    assert!(!said.contains(CANARY), "{said}");
    assert_eq!(mode(&log), 0o600);
    assert_eq!(mode(&folder.path().join("demo/.landfall")), 0o700);
}

#[test]
fn an_error_names_the_log_which_has_it() {
    let folder = directory(&AWS.replace("apiVersion: v1", "apiVersion: v9"));
    let output = landfall(folder.path(), &["create", "manifests", "--offline", "--dir", "demo"]);
    assert_eq!(output.status.code(), Some(3));
    let said = text(&output.stderr);
    assert!(said.ends_with("log: demo/.landfall/landfall.log\n"), "{said}");
    let log = fs::read_to_string(folder.path().join("demo").join(LOG)).unwrap();
    assert!(log.lines().any(|line| line.contains(" error ") && line.contains("v9")), "{log}");
    assert!(log.contains(" ended with 3 "), "{log}");

    // Without a cluster there is no log, and where it cannot be written, the command works as before.
    let empty = tempfile::tempdir().unwrap();
    let output = landfall(empty.path(), &["preflight"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(!text(&output.stderr).contains("log: ") && fs::read_dir(empty.path()).unwrap().next().is_none());
    let folder = directory(AWS);
    fs::write(folder.path().join("demo/.landfall"), "not a folder").unwrap();
    let output = landfall(folder.path(), &["facts", "--offline", "--dir", "demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
}

/// Every file of an archive below its one folder.
fn unpacked(path: &Path) -> BTreeMap<String, String> {
    let mut archive = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    let mut files = BTreeMap::new();
    for mut entry in archive.entries().unwrap().map(Result::unwrap) {
        let name = entry.path().unwrap().display().to_string();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(name.split_once('/').unwrap().1.to_owned(), text(&bytes));
    }
    files
}

#[test]
fn an_archive_for_support_has_no_secret() {
    let pull_secret = "canary-of-the-pull-secret";
    assert!(AWS.contains("pullSecret"), "{AWS}");
    let config: String = AWS
        .lines()
        .map(|line| {
            if line.starts_with("pullSecret") {
                format!("pullSecret: '{{\"auths\":{{\"quay.io\":{{\"auth\":\"{pull_secret}\"}}}}}}'\n")
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    let folder = directory(&config);
    let root = folder.path().join("demo");
    let output = landfall(folder.path(), &["create", "manifests", "--offline", "--dir", "demo"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let key = fs::read_to_string(root.join("auth/tls/root-ca.key")).unwrap();
    let key_line = key.lines().nth(2).unwrap();
    // An engine that prints everything.
    fs::create_dir_all(root.join(".landfall/log")).unwrap();
    let loud = format!("{CANARY}\n{pull_secret}\n{key}\n{}\n", key.replace('\n', "\\n"));
    fs::write(root.join(".landfall/log/cluster-apply-1.jsonl"), &loud).unwrap();

    let output = landfall(folder.path(), &["gather", "--dir", "demo", "--out", "a.tar.gz"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(mode(&folder.path().join("a.tar.gz")), 0o600);
    let files = unpacked(&folder.path().join("a.tar.gz"));
    let listed = text(&output.stdout);
    for (name, content) in &files {
        assert!(name == "MANIFEST" || listed.contains(name.as_str()), "{name}: {listed}");
        for secret in [CANARY, pull_secret, key_line] {
            assert!(!content.contains(secret), "{name}: {content}");
        }
    }
    for name in [
        "MANIFEST",
        "landfall/landfall.log",
        "plan.json",
        "facts.json",
        "metadata.json",
        "install-config.yaml",
    ] {
        assert!(files.contains_key(name), "{name}: {listed}");
    }
    assert!(!files.keys().any(|name| name.starts_with("auth") || name.starts_with("openshift")), "{listed}");
    let plan: serde_json::Value = serde_json::from_str(&files["plan.json"]).unwrap();
    assert!(
        plan["identity"]["infraId"].as_str().or(plan["identity"]["infraID"].as_str()).is_some(),
        "{plan}"
    );

    // By default the archive is in the working directory, under the name of the cluster.
    let output = landfall(folder.path(), &["gather", "--dir", "demo", "-o", "json"]);
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let archive = value["archive"].as_str().unwrap();
    assert!(archive.starts_with("landfall-gather-demo-") && archive.ends_with(".tar.gz"), "{archive}");
    assert!(folder.path().join(archive).is_file());
}
