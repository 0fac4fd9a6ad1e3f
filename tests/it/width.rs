//! What commands print on terminals of different widths: whole words, in columns, within the width.

use std::fs;

use tempfile::TempDir;

use crate::terminal::Terminal;

/// Commands whose text a person reads, in a directory with an install config.
const COMMANDS: &[(&str, &[&str])] = &[
    ("plan", &["create", "cluster", "--plan", "--offline", "--infra-id", "demo-x7k2p", "-q"]),
    ("explain-field", &["explain", "platform.aws"]),
    ("explain-code", &["explain", "LF0102"]),
    ("explain-list", &["explain", "--list"]),
    ("explain-engine", &["explain", "--engine", "aso"]),
    ("regions", &["regions"]),
    ("validate", &["validate", "broken.yaml", "rejected.yaml"]),
    ("profile-diff", &["profile", "diff", "--parent", "parent.yaml", "--profile", "profile.yaml", "-q"]),
    ("profile-regions", &["regions", "--cloud-profile", "parent.yaml", "-q"]),
    ("facts", &["facts", "--offline"]),
    ("wait-for", &["wait-for", "install-complete", "--kubeconfig", "plain.kubeconfig"]),
    ("gather", &["gather", "--dir", "demo", "--out", "COLUMNS.tar.gz"]),
];
/// Those whose text at 80 columns is kept to be read.
const KEPT: &[&str] = &["plan", "validate", "profile-diff", "profile-regions", "facts"];

/// A profile whose values are longer than a line, and its parent, whose name is a reason for each of its regions.
const PARENT: &str = "\
apiVersion: core.gardener.cloud/v1beta1
kind: CloudProfile
metadata:
  name: regions-that-the-platform-team-has-approved
spec:
  type: aws
  kubernetes:
    versions:
    - version: 1.28.6
  machineTypes:
  - name: m6i.xlarge
    cpu: '4'
    memory: 16Gi
  regions:
  - name: us-east-1
    zones:
    - name: us-east-1a
  - name: ap-southeast-1
    zones:
    - name: ap-southeast-1a
";
const PROFILE: &str = "\
apiVersion: core.gardener.cloud/v1beta1
kind: PrivateCloudProfile
metadata:
  name: team
  namespace: project
spec:
  parent: regions-that-the-platform-team-has-approved
  regions:
  - name: eu-central-1
    zones:
    - name: eu-central-1a
    labels:
      example.com/reason: the regulator of a customer asks for data that stay in Germany, until the contract ends
";
/// A kubeconfig that is refused, with a message that is longer than a line.
const PLAIN: &str = "\
apiVersion: v1
kind: Config
clusters: [{name: demo, cluster: {server: 'http://api.a-cluster-with-a-long-name.some-team.example.com:6443'}}]
users: [{name: admin, user: {token: x}}]
contexts: [{name: admin, context: {cluster: demo, user: admin}}]
current-context: admin
";

fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("install-config.yaml", include_str!("../../testdata/quickstart/aws.yaml")),
        ("broken.yaml", include_str!("../../testdata/quickstart/broken.yaml")),
        ("rejected.yaml", include_str!("../../testdata/quickstart/rejected.yaml")),
        ("parent.yaml", PARENT),
        ("profile.yaml", PROFILE),
        ("plain.kubeconfig", PLAIN),
        ("demo/install-config.yaml", include_str!("../../testdata/quickstart/aws.yaml")),
        (
            "demo/metadata.json",
            r#"{"infraID":"demo-x7k2p","clusterName":"demo","aws":{"region":"us-east-1"}}"#,
        ),
        ("demo/.landfall/log/cluster-apply-1.jsonl", "{}\n"),
    ] {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    home
}

/// What a command prints on a terminal with so many columns.
fn printed(home: &TempDir, arguments: &[&str], columns: u16) -> String {
    let folder = home.path().display().to_string();
    let variables = [("HOME", folder.as_str()), ("TERM", "xterm"), ("NO_COLOR", "1")];
    let arguments: Vec<String> =
        arguments.iter().map(|one| one.replace("COLUMNS", &columns.to_string())).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut terminal = Terminal::of_size((50, columns), home.path(), &arguments, &variables);
    terminal.exit();
    terminal.all().replace("\r\n", "\n")
}

#[test]
fn text_for_people_stays_within_the_terminal() {
    let home = home();
    for (name, arguments) in COMMANDS {
        for columns in [80, 100, 120] {
            let text = printed(&home, arguments, columns);
            assert!(text.lines().count() > 3, "{name}: {text}");
            // A single word, such as a path, is not broken.
            let too_long =
                |line: &&str| line.chars().count() > usize::from(columns) && line.trim_start().contains(' ');
            let long: Vec<&str> = text.lines().filter(too_long).collect();
            assert!(long.is_empty(), "{name} at {columns} columns: {long:#?}");
            if columns == 80 && KEPT.contains(name) {
                landfall_testing::assert_text(&format!("terminal-80-{name}"), &text);
            }
        }
    }
}

/// The result of a run and what is said besides are wrapped like everything else.
#[test]
fn the_result_of_written_files_stays_within_the_terminal() {
    let home = home();
    let name = "a-directory-of-a-cluster-of-the-team";
    fs::create_dir(home.path().join(name)).unwrap();
    let config = include_str!("../../testdata/quickstart/aws.yaml");
    fs::write(home.path().join(name).join("install-config.yaml"), config).unwrap();
    let text = printed(&home, &["create", "manifests", "--offline", "--dir", name], 60);
    assert!(text.contains("no long-lived cloud credentials") && text.contains(" written"), "{text}");
    // A path is one word.
    let is_long = |line: &&str| line.chars().count() > 60 && !line.contains("/install-config.yaml");
    let long: Vec<&str> = text.lines().filter(is_long).collect();
    assert!(long.is_empty(), "{long:#?}");
}

/// A wide screen is used, up to the width at which lines can still be read.
#[test]
fn a_wider_terminal_has_fewer_lines() {
    let home = home();
    let lines = |columns| {
        let text = printed(&home, &["explain", "LF0102"], columns);
        (text.lines().count(), text.lines().map(|line| line.chars().count()).max().unwrap_or(0))
    };
    let (narrow, wide, widest) = (lines(80), lines(120), lines(300));
    assert!(narrow.0 > wide.0 && narrow.1 <= 80 && wide.1 > 80, "{narrow:?} {wide:?}");
    assert_eq!(wide, widest);
}

/// Without a terminal a message is one line, and the same file gives the same bytes.
#[test]
fn without_a_terminal_a_message_is_one_line() {
    let home = home();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(["validate", "rejected.yaml"]).current_dir(home.path()).env_clear();
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let message = text.lines().find(|line| line.starts_with("error[LF0102]")).unwrap_or_default();
    assert!(message.chars().count() > 120, "{text}");
}

/// Elsewhere than on a terminal, a comparison is a patch.
#[test]
fn without_a_terminal_a_comparison_keeps_its_lines() {
    let home = home();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(["profile", "diff", "--parent", "parent.yaml", "--profile", "profile.yaml"]);
    let output = command.current_dir(home.path()).env_clear().output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = text.lines().find(|line| line.contains("regulator")).unwrap_or_default();
    assert!(line.starts_with('+') && line.ends_with("contract ends"), "{text}");
}
