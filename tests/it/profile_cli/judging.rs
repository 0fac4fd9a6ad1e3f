//! Which profile of a file is judged, and where the file comes from.

use std::io::Write;
use std::process::Stdio;

use super::*;

/// Runs landfall with a text as its standard input.
fn fed(folder: &Path, text: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
    command.args(arguments).current_dir(folder).env_clear();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn a_cloud_profile_is_judged_as_well() {
    let folder = folder();
    let check = |text: &str| {
        write(folder.path(), "base.yaml", text);
        landfall(folder.path(), &["profile", "check", "--profile", "base.yaml", "-o", "json"])
    };
    let good = check(PARENT);
    assert_eq!((good.status.code(), codes(&good)), (Some(0), vec![]));
    let bad = check(&PARENT.replace("memory: 16Gi", "memory: 16Foo"));
    assert_eq!((bad.status.code(), codes(&bad)), (Some(3), vec!["LF1452".to_owned()]));
    // Beside one that inherits, it is its parent.
    let both = check(&format!("{PARENT}{}", PRIVATE.replace("# Something", "---\n# Something")));
    assert_eq!(both.status.code(), Some(0), "{}", out(&both));
    let none = check("kind: ConfigMap\n");
    assert_eq!((none.status.code(), codes(&none)), (Some(3), vec!["LF1450".to_owned()]));
    for kind in ["NamespacedCloudProfile", " CloudProfile"] {
        assert!(out(&none).contains(kind), "{}", out(&none));
    }
}

#[test]
fn one_of_the_files_may_be_standard_input() {
    let folder = folder();
    for (parent, own, text) in [("-", "private.yaml", PARENT), ("parent.yaml", "-", PRIVATE)] {
        for verb in ["check", "render", "diff"] {
            let arguments = ["profile", verb, "--parent", parent, "--profile", own, "--now", EARLY];
            let output = fed(folder.path(), text, &arguments);
            assert_eq!(output.status.code(), Some(0), "{verb}: {}", err(&output));
        }
    }
    let twice = fed(folder.path(), "", &["profile", "check", "--parent", "-", "--profile", "-"]);
    assert_eq!(twice.status.code(), Some(2));
    for flag in ["`--parent`", "`--profile`", "`-`"] {
        assert!(err(&twice).contains(flag), "{}", err(&twice));
    }
}

#[test]
fn what_kubectl_prints_is_looked_into() {
    let folder = folder();
    let indented = |text: &str| {
        let object = text.rsplit("---\n").next().unwrap();
        let lines: Vec<String> = object.lines().map(|line| format!("  {line}\n")).collect();
        format!("-{}", lines.concat().strip_prefix(' ').unwrap())
    };
    let list = |items: &str| format!("apiVersion: v1\nitems:\n{items}kind: List\n");
    write(folder.path(), "parent.yaml", &list(&indented(PARENT)));
    let own = format!("{}{}", indented("kind: Other\n"), indented(PRIVATE));
    write(folder.path(), "private.yaml", &list(&own));
    let output = profile(folder.path(), "check", &["--now", EARLY]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("warning[LF1454]") && out(&output).contains("name: m5.xlarge"));
    let rendered = profile(folder.path(), "render", &["--now", EARLY, "-o", "json"]);
    assert_eq!(json_of(&rendered)["metadata"]["name"], "team");
}

#[test]
fn what_expires_is_reported() {
    let folder = folder();
    for verb in ["check", "render", "diff"] {
        let output = profile(folder.path(), verb, &["--now", LATE]);
        assert_eq!(output.status.code(), Some(0), "{verb}: {}", err(&output));
        let told = format!("{}{}", out(&output), err(&output));
        assert!(told.contains("warning[LF1457]") && told.contains("private.yaml:17:"), "{verb}: {told}");
    }
}
