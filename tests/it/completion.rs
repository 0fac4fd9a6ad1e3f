//! What the scripts of `landfall completion` complete, in a real bash and as zsh and fish ask.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

/// A folder with a cluster directory and another one in it.
fn home() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join("prod-1/.landfall")).unwrap();
    fs::create_dir_all(home.path().join("proposals")).unwrap();
    home
}

fn run(command: &mut Command, folder: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_landfall"));
    let own = program.parent().unwrap().display();
    let path = format!("{own}:{}", std::env::var("PATH").unwrap_or_default());
    command.current_dir(folder).env_clear().env("PATH", path).env("HOME", folder);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// What bash completes the last of these words to.
fn in_bash(home: &TempDir, words: &[&str]) -> Vec<String> {
    let last = words.len() - 1;
    let before = words[..last].last().unwrap();
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let script = format!(
        "source <(landfall completion bash)\nCOMP_WORDS=({}) COMP_CWORD={last} COMP_TYPE=9\n\
         _clap_complete_landfall landfall '{}' '{before}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        words[last]
    );
    run(Command::new("bash").args(["--norc", "-c", &script]), home.path())
}

#[test]
fn bash_completes_flags_and_values() {
    let home = home();
    let is = |words: &[&str], wanted: &[&str]| {
        let line = [&["landfall"], words].concat();
        assert_eq!(in_bash(&home, &line), wanted, "{words:?}");
    };
    is(&["reg"], &["regions"]);
    is(&["regions", "--platf"], &["--platform"]);
    is(&["regions", "--platform", "az"], &["azure"]);
    is(&["destroy", "find", "--region", "eu-central-"], &["eu-central-1", "eu-central-2"]);
    is(&["create", "install-config", "--platform", "azure", "--region", "eastus"], &["eastus", "eastus2"]);
    is(&["explain", "LF0102"], &["LF0102"]);
    is(&["validate", "-o", ""], &["text", "json", "sarif", "github"]);
    is(&["profile", "render", "--output", "y"], &["yaml"]);
    // With the fields below it, bash ends the word without a blank.
    let fields = in_bash(&home, &["landfall", "explain", "platform.aw"]);
    assert!(fields.len() > 1 && fields.iter().all(|field| field.starts_with("platform.aws")), "{fields:?}");
    is(&["explain", "platform.aws.serviceEndpoints.u"], &["platform.aws.serviceEndpoints.url"]);
    is(&["preflight", "--dir", "pro"], &["prod-1", "proposals/"]);
    is(&["wait-for", "inst"], &["install-complete"]);
    is(&["preflight", "--accept", "LF101"], &["LF1010", "LF1011", "LF1012", "LF1013", "LF1014", "LF1015"]);
}

/// fish and zsh show what a value means, too.
#[test]
fn other_shells_get_values_with_their_meaning() {
    let home = home();
    let program = env!("CARGO_BIN_EXE_landfall");
    let asked = |shell: &str, words: &[&str]| {
        let mut command = Command::new(program);
        command.arg("--").args(words);
        let index = (words.len() - 1).to_string();
        let shell =
            [("LANDFALL_COMPLETE", shell), ("_CLAP_COMPLETE_INDEX", index.as_str()), ("_CLAP_IFS", "\n")];
        let folder = home.path();
        command.current_dir(folder).env_clear().envs(shell);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let line = ["landfall", "destroy", "find", "--region", "eu-central-1"];
    assert_eq!(asked("fish", &line), "eu-central-1\tEurope (Frankfurt)\n");
    assert_eq!(asked("zsh", &line), "eu-central-1:Europe (Frankfurt)");
    assert_eq!(asked("fish", &["landfall", "preflight", "--dir", "prod"]), "prod-1\tcluster directory\n");
    assert_eq!(asked("tcsh", &line), "");
}

#[test]
fn every_script_asks_landfall() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(Command::new("landfall").args(["completion", shell]), home.path()).join("\n");
        assert!(script.contains("LANDFALL_COMPLETE") && script.contains(" -- "), "{shell}: {script}");
    }
}
