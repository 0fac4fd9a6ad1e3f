//! The log of a cluster directory, as a user meets it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

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
