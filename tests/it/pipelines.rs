//! What others run in their pipelines: the action, the hook and the example for GitLab, with the shells that run them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const BINARY: &str = env!("CARGO_BIN_EXE_landfall");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> Value {
    serde_yaml::from_str(&fs::read_to_string(root().join(name)).unwrap()).unwrap()
}

/// A repository with a valid config, and one in a folder with a blank that is not valid.
fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let valid = fs::read_to_string(root().join("testdata/quickstart/aws.yaml")).unwrap();
    for (name, text) in
        [("good", valid.clone()), ("not good", valid.replace("publish: External", "publish: Everywhere"))]
    {
        let clusters = folder.path().join("clusters").join(name);
        fs::create_dir_all(&clusters).unwrap();
        fs::write(clusters.join("install-config.yaml"), text).unwrap();
    }
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the step of the action as a runner does: its output, and what it set.
fn action(files: &str) -> (Output, String) {
    let step = read("action.yml")["runs"]["steps"][0].clone();
    assert_eq!(step["shell"], "bash", "{step}");
    let folder = repository();
    let set = folder.path().join("output");
    fs::write(&set, "").unwrap();
    // The runner names the shell's flags.
    let output = Command::new("bash")
        .args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()])
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([("FILES", files), ("LANDFALL", BINARY), ("CATALOGUE", ""), ("SOURCE", "/nonexistent")])
        .env("RUNNER_TEMP", folder.path())
        .env("GITHUB_OUTPUT", &set)
        .output()
        .unwrap();
    let set = fs::read_to_string(set).unwrap();
    (output, set)
}

#[test]
fn the_action_annotates_what_is_not_valid_and_ends_with_its_code() {
    let default = read("action.yml")["inputs"]["files"]["default"].as_str().unwrap().to_owned();
    for files in
        [default.as_str(), "clusters/good/install-config.yaml\nclusters/not good/install-config.yaml\n"]
    {
        let (output, set) = action(files);
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(3), "{said}{}", text(&output.stderr));
        assert!(said.starts_with("::error file=clusters/not good/install-config.yaml,"), "{said}");
        assert_eq!(set, "exit-code=3\n");
    }
    let (output, set) = action("clusters/good/*.yaml\r\n");
    assert_eq!((output.status.code(), set.as_str()), (Some(0), "exit-code=0\n"), "{}", text(&output.stderr));
}

#[test]
fn the_action_says_that_nothing_matches() {
    for (files, why) in [("moon/*.yaml", "no file matches moon/*.yaml"), ("\n", "the input files is empty")] {
        let (output, set) = action(files);
        assert_eq!((output.status.code(), set.as_str()), (Some(1), "exit-code=1\n"));
        assert!(text(&output.stdout).contains(why), "{}", text(&output.stdout));
    }
}

#[test]
fn the_inputs_of_the_action_reach_its_step() {
    let action = read("action.yml");
    let step = &action["runs"]["steps"][0];
    let given: Vec<String> =
        step["env"].as_object().unwrap().values().map(|v| v.as_str().unwrap().to_owned()).collect();
    for input in action["inputs"].as_object().unwrap().keys() {
        assert!(given.contains(&format!("${{{{ inputs.{input} }}}}")), "{input} is not used: {given:?}");
    }
    let output = action["outputs"]["exit-code"]["value"].as_str().unwrap();
    assert_eq!(output, format!("${{{{ steps.{}.outputs.exit-code }}}}", step["id"].as_str().unwrap()));
}

#[test]
fn the_hook_runs_on_install_configs_alone() {
    let hook = read(".pre-commit-hooks.yaml")[0].clone();
    let files = regex_lite::Regex::new(hook["files"].as_str().unwrap()).unwrap();
    for (name, wanted) in [
        ("install-config.yaml", true),
        ("clusters/a/install-config.yml", true),
        ("my-install-config.yaml", false),
        ("install-config.yaml.bak", false),
    ] {
        assert_eq!(files.is_match(name), wanted, "{name}");
    }
    let folder = repository();
    let mut words = hook["entry"].as_str().unwrap().split(' ');
    assert_eq!(words.next(), Some("landfall"));
    let words: Vec<&str> = words.collect();
    for (name, code) in [("good", 0), ("not good", 3)] {
        let file = format!("clusters/{name}/install-config.yaml");
        let output =
            Command::new(BINARY).args(&words).arg(&file).current_dir(folder.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
    }
}

#[test]
fn the_example_for_gitlab_leaves_its_report() {
    let page = fs::read_to_string(root().join("docs/how-to/ci.md")).unwrap();
    let example = page.split("## GitLab").nth(1).and_then(|rest| rest.split("```yaml").nth(1)).unwrap();
    let example: Value = serde_yaml::from_str(example.split("```").next().unwrap()).unwrap();
    let job = &example["install-configs"];
    let folder = repository();
    let programs = folder.path().join("bin");
    fs::create_dir(&programs).unwrap();
    std::os::unix::fs::symlink(BINARY, programs.join("landfall")).unwrap();
    let mut path = programs.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    let script: Vec<&str> =
        job["script"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
    let output = Command::new("sh")
        .args(["-e", "-c", &script.join("\n")])
        .current_dir(folder.path())
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let kept = job["artifacts"]["paths"][0].as_str().unwrap();
    let report: Value = serde_json::from_slice(&fs::read(folder.path().join(kept)).unwrap()).unwrap();
    assert_eq!(report["version"], "2.1.0");
    assert!(!report["runs"][0]["results"].as_array().unwrap().is_empty());
}
