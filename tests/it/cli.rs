//! The program as it is called: streams, exit codes, files of every sort.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn landfall(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).output().expect("the program starts")
}

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(args).current_dir(folder).env_clear().stdin(Stdio::null());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("output is UTF-8")
}

fn lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

const GOOD: &str = include_str!("../../crates/diagnostics/src/base/none.yaml");

#[test]
fn judges_the_quickstart_files() {
    let output = landfall(root(), &["validate", "testdata/quickstart/aws.yaml"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(text(&output.stdout), "testdata/quickstart/aws.yaml: accepted\n");
    assert_eq!(text(&output.stderr), "");
    let output = landfall(root(), &["validate", "testdata/quickstart/rejected.yaml"]);
    assert_eq!(output.status.code(), Some(3));
    let output = landfall(root(), &["validate", "testdata/quickstart/broken.yaml", "-o", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let found = lines(&output);
    assert_eq!(found[0]["outcome"], "unparseable");
    assert_eq!(found[0]["findings"].as_array().map(Vec::len), Some(3));
    let first = &found[0]["findings"][0];
    let keys: Vec<&String> = first.as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        ["code", "column", "endColumn", "endLine", "field", "help", "kind", "line", "message", "severity"]
    );
}

#[test]
fn a_file_in_the_place_of_a_directory_is_named() {
    let file = "testdata/quickstart/aws.yaml";
    let commands: [(&str, &[&str]); 4] = [
        ("--dir", &["create", "manifests", "--offline"]),
        ("--dir", &["preflight"]),
        ("--dir", &["destroy", "cluster", "--yes"]),
        ("--fleet", &["create", "manifests", "--offline"]),
    ];
    for (flag, arguments) in commands {
        let output = landfall(root(), &[arguments, &[flag, file]].concat());
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert_eq!(text(&output.stderr), format!("error: {flag} {file} is not a directory\n"));
    }
}

#[test]
fn says_why_a_file_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::os::unix::fs::symlink("loop.yaml", at.join("loop.yaml")).unwrap();
    fs::create_dir(at.join("empty")).unwrap();
    for name in ["missing.yaml", "loop.yaml", "empty"] {
        let output = landfall(at, &["validate", name, "-o", "json"]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let found = lines(&output);
        assert_eq!(found[0]["findings"][0]["code"], "LF0001", "{name}");
        let output = landfall(at, &["validate", name]);
        let shown = text(&output.stdout) + &text(&output.stderr);
        assert!(
            shown.contains(name) && !shown.contains("panicked") && !shown.contains("backtrace"),
            "{shown}"
        );
    }
}

#[test]
fn says_that_a_file_may_not_be_read() {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret.yaml");
    fs::write(&file, GOOD).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let mut command = command(folder.path(), &["validate", "secret.yaml"]);
    if fs::read(&file).is_ok() {
        // The super-user reads everything, so another user runs a copy of the program.
        let copy = folder.path().join("landfall");
        fs::copy(env!("CARGO_BIN_EXE_landfall"), &copy).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        command = Command::new(copy);
        command.args(["validate", "secret.yaml"]).current_dir(folder.path()).uid(65534);
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("LF0001"));
}

#[test]
fn an_endless_file_is_refused() {
    let output = landfall(root(), &["validate", "/dev/zero", "-o", "json"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(lines(&output)[0]["findings"][0]["code"], "LF0003");
}

#[test]
fn reads_standard_input() {
    let mut child = command(root(), &["validate", "-", "-o", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(GOOD.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(lines(&output)[0]["outcome"], "accepted");
}

#[test]
fn judges_a_folder_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::create_dir_all(at.join("fleet/b")).unwrap();
    for i in 0..700 {
        fs::write(at.join(format!("fleet/c{i:04}.yaml")), GOOD.replace("demo", &format!("c{i}"))).unwrap();
    }
    fs::write(at.join("fleet/b/a.yml"), "apiVersion: v2\n").unwrap();
    fs::write(at.join("fleet/README.md"), "no config").unwrap();
    std::os::unix::fs::symlink("..", at.join("fleet/b/loop")).unwrap();
    let output = landfall(at, &["validate", "fleet", "-o", "json"]);
    let found = lines(&output);
    let files: Vec<&str> = found.iter().map(|f| f["file"].as_str().unwrap()).collect();
    let mut sorted = files.clone();
    sorted.sort_unstable();
    assert_eq!(files, sorted);
    assert_eq!(files.iter().filter(|f| f.contains("README")).count(), 0);
    assert_eq!(found.iter().filter(|f| f["outcome"] == "accepted").count(), 700);
    assert_eq!(output.status.code(), Some(3));
    let again = landfall(at, &["validate", "fleet", "-o", "json"]);
    assert_eq!(output.stdout, again.stdout, "two runs differ");
}

#[test]
fn unknown_fields_can_be_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.yaml"), format!("{GOOD}newField: 1\n")).unwrap();
    let output = landfall(folder.path(), &["validate", "a.yaml"]);
    assert_eq!(output.status.code(), Some(3));
    let output = landfall(folder.path(), &["validate", "--unknown-fields", "warn", "a.yaml"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("warning[LF0010]"));
}

#[test]
fn completes_a_config() {
    let output = landfall(root(), &["defaults", "testdata/quickstart/aws.yaml"]);
    assert_eq!(output.status.code(), Some(0));
    let config: Value = serde_yaml::from_str(&text(&output.stdout)).unwrap();
    assert_eq!(config["networking"]["serviceNetwork"][0], "172.30.0.0/16");
    assert!(!text(&output.stdout).contains("ZmFrZTpmYWtl"), "the pull secret is shown");
    let output =
        landfall(root(), &["defaults", "--show-secrets", "-o", "json", "testdata/quickstart/aws.yaml"]);
    let config: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(config["pullSecret"].as_str().unwrap().contains("ZmFrZTpmYWtl"));
    let folder = tempfile::tempdir().unwrap();
    let older = include_str!("../../crates/diagnostics/src/base/aws.yaml")
        .replace("us-east-1\n", "us-east-1\n    subnets: [a, b]\n");
    fs::write(folder.path().join("older.yaml"), older).unwrap();
    let output = landfall(folder.path(), &["defaults", "older.yaml"]);
    fs::write(folder.path().join("completed.yaml"), &output.stdout).unwrap();
    assert_eq!(landfall(folder.path(), &["validate", "completed.yaml"]).status.code(), Some(0));
    let output = landfall(root(), &["defaults", "testdata/quickstart/rejected.yaml"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(text(&output.stdout), "");
    assert!(text(&output.stderr).contains("LF0130"));
}

#[test]
fn explains_fields_and_codes() {
    let explain = |what: &str| {
        let output = landfall(root(), &["explain", what]);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, shown, _) = explain("platform.aws.serviceEndpoints");
    assert_eq!(code, Some(0));
    for wanted in ["LF0420", "LF0421", "url", "name"] {
        assert!(shown.contains(wanted), "{wanted} is missing:\n{shown}");
    }
    let (_, shown, _) = explain("compute[0].replicas");
    assert!(shown.contains("LF0301"), "{shown}");
    let (_, shown, _) = explain("publish");
    for wanted in ["External", "Internal", "Mixed", "LF0130"] {
        assert!(shown.contains(wanted), "{wanted} is missing:\n{shown}");
    }
    let (code, shown, _) = explain("LF0421");
    assert_eq!(code, Some(0));
    assert!(
        shown.contains("http://ec2.example.com") && shown.contains("https://ec2.example.com:8443"),
        "{shown}"
    );
    let (code, _, complaint) = explain("platform.aws.serviceEndpoint");
    assert_eq!(code, Some(1));
    assert!(complaint.contains("serviceEndpoints"), "{complaint}");
    let (code, _, _) = explain("LF9999");
    assert_eq!(code, Some(1));
    for page in landfall_diagnostics::pages() {
        let (code, shown, _) = explain(page.code);
        // A long title is broken at words.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(code == Some(0) && words(&shown).contains(&words(page.title)), "{}", page.code);
    }
}

#[test]
fn prints_schema_completion_manual_and_version() {
    let output = landfall(root(), &["schema"]);
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed, landfall_model::config::schema::schema());
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = landfall(root(), &["completion", shell]);
        assert_eq!(output.status.code(), Some(0));
        assert!(text(&output.stdout).contains("LANDFALL_COMPLETE"), "{shell}");
    }
    assert!(text(&landfall(root(), &["man"]).stdout).contains(".TH landfall"));
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(landfall(folder.path(), &["man", "--dir", "pages"]).status.code(), Some(0));
    assert!(folder.path().join("pages/landfall-validate.1").exists());
    assert_eq!(
        text(&landfall(root(), &["version"]).stdout).trim(),
        concat!("landfall ", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    for args in [&["validate"][..], &["frobnicate"], &["validate", "-o", "xml", "a"], &["--nonsense"]] {
        assert_eq!(landfall(root(), args).status.code(), Some(2), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_not_a_fault() {
    let mut child =
        command(root(), &["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn github_annotations_name_file_and_place() {
    let output = landfall(root(), &["validate", "-o", "github", "testdata/quickstart/broken.yaml"]);
    let shown = text(&output.stdout);
    assert!(shown.contains("::error file=testdata/quickstart/broken.yaml,line=9,"), "{shown}");
    assert!(shown.contains("title=LF0010::"), "{shown}");
}

#[test]
fn logs_and_loud_output_hold_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let canary = "c4n4ryc4n4ry";
    fs::write(folder.path().join("a.yaml"), GOOD.replace("ZmFrZTpmYWtl", canary)).unwrap();
    fs::write(
        folder.path().join("b.yaml"),
        format!("pullSecret: '{{\"auths\":\"{canary}\"}}'\nsshKey: [{canary}]\n"),
    )
    .unwrap();
    for form in ["text", "json", "sarif", "github"] {
        let output = landfall(
            folder.path(),
            &["-v", "--log-file", "log.txt", "validate", "-o", form, "a.yaml", "b.yaml"],
        );
        let log = fs::read_to_string(folder.path().join("log.txt")).unwrap();
        let shown = text(&output.stdout) + &text(&output.stderr) + &log;
        assert!(!log.is_empty() && !shown.contains(canary), "{form}: {shown}");
    }
    let misplaced = format!("{GOOD}proxy: {{httpProxy: 'http://p', noProxy: 'http://u:{canary}@h'}}\n");
    fs::write(folder.path().join("c.yaml"), misplaced).unwrap();
    for form in ["text", "json", "sarif", "github"] {
        let output = landfall(folder.path(), &["validate", "-o", form, "c.yaml"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(!text(&output.stdout).contains(canary), "{form}: {}", text(&output.stdout));
    }
    let output = landfall(folder.path(), &["-v", "defaults", "a.yaml"]);
    assert!(!(text(&output.stdout) + &text(&output.stderr)).contains(canary));
}
