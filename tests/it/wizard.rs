//! `landfall create install-config`: at a terminal, without one, and stopped in between.

mod choices;

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::terminal::Terminal;

const KEY: &str =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBERERERERERERERERERERERERERERERERERERERERER me@example.com";
const SECRET: &str = r#"{"auths":{"registry.example.com":{"auth":"Y2FuYXJ5OmNhbmFyeQ=="}}}"#;
/// Parts of the secret that must not be seen anywhere.
const CANARIES: &[&str] = &["Y2FuYXJ5", "registry.example.com"];

/// The command, in the directory that is made.
const CREATE: &[&str] = &["create", "install-config", "--dir", "cluster"];
/// A catalogue with one more region.
const OVERLAY: &str = "\
aws:
  partitions:
    aws-moon:
      dnsSuffix: moon.example
      regionPattern: ^moon-\\w+-\\d+$
      apiRecordType: CNAME
      regions:
        moon-base-1:
          name: Moon (Tranquility)
          zones: [moon-base-1a, moon-base-1b]
";

/// A user's home and an empty cluster directory in it.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(tempfile::tempdir().unwrap());
        home.write(".ssh/id_ed25519.pub", &format!("{KEY}\n"));
        home.write(".ssh/broken.pub", "this is no key\n");
        home.write("pull-secret.json", SECRET);
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", self.0.path().display().to_string()),
            ("TERM", "xterm".to_owned()),
            ("NO_COLOR", "1".to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ]
    }

    fn terminal_with(&self, more: &[&str], variables: &[(&str, &str)]) -> Terminal {
        let own = self.variables();
        let mut all: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
        all.extend(variables);
        let arguments = [CREATE, more].concat();
        Terminal::landfall(self.0.path(), &arguments, &all)
    }

    fn terminal_of(&self, size: (u16, u16), more: &[&str]) -> Terminal {
        let own = self.variables();
        let all: Vec<(&str, &str)> = own.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Terminal::of_size(size, self.0.path(), &[CREATE, more].concat(), &all)
    }

    fn terminal(&self, more: &[&str]) -> Terminal {
        self.terminal_with(more, &[])
    }

    /// Runs the program where there is no terminal.
    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(arguments).current_dir(self.0.path()).env_clear().envs(self.variables());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that reads nothing may be gone already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        child.wait_with_output().unwrap()
    }

    fn create(&self, more: &[&str]) -> Output {
        let arguments = [CREATE, more].concat();
        self.run(&arguments, "")
    }

    fn config(&self) -> Value {
        serde_yaml::from_str(&fs::read_to_string(self.path("cluster/install-config.yaml")).unwrap()).unwrap()
    }

    fn validates(&self) -> bool {
        self.run(&["validate", "cluster/install-config.yaml"], "").status.code() == Some(0)
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The flags of a whole config for AWS.
const FLAGS: &[&str] = &[
    "--ssh-key-file",
    "~/.ssh/id_ed25519.pub",
    "--platform",
    "aws",
    "--region",
    "eu-west-1",
    "--base-domain",
    "example.com",
    "--name",
    "demo",
    "--pull-secret-file",
    "pull-secret.json",
];

/// Those flags with another value for one of them.
fn flags_with<'a>(flag: &str, value: &'a str) -> Vec<&'a str> {
    let mut flags: Vec<&str> = FLAGS.to_vec();
    let at = flags.iter().position(|word| *word == flag).unwrap();
    flags[at + 1] = value;
    flags
}

/// Answers the questions up to the base domain.
fn answer_half(terminal: &mut Terminal) {
    terminal.wait_for("Public SSH key");
    terminal.press("\r");
    terminal.wait_for("aws  Amazon Web Services");
    terminal.press("\r");
    terminal.wait_for("Africa (Cape Town)");
    terminal.press("frankfurt");
    // The list is taken off the screen before it is drawn anew.
    terminal.wait_until("list of one region", |screen| {
        screen.contains("> eu-central-1  Europe (Frankfurt)") && !screen.contains("Cape Town")
    });
    terminal.press("\r");
    terminal.wait_for("Base domain:");
    terminal.press("example.com\r");
    terminal.wait_for("Cluster name:");
}

/// Takes the usual machines.
fn usual_machines(terminal: &mut Terminal) {
    terminal.wait_for("> defaults: ");
    terminal.press("\r");
    terminal.wait_for("Pull secret:");
}

#[test]
fn leads_through_all_questions() {
    let home = Home::new();
    let mut terminal = home.terminal(&[]);
    let screen = terminal.wait_until("list of keys", |screen| screen.contains("none: "));
    assert!(screen.contains("~/.ssh/id_ed25519.pub  ssh-ed25519  me@example.com"), "{screen}");
    assert!(screen.contains("another file") && screen.contains("none"), "{screen}");
    assert!(!screen.contains("broken.pub"), "{screen}");
    answer_half(&mut terminal);
    let screen = terminal.screen();
    assert!(screen.contains("DNS zones ") && !screen.contains("hidden-region.md"), "{screen}");
    terminal.press("Demo\r");
    terminal.wait_for("error: `Demo`");
    terminal.press("\u{7f}\u{7f}\u{7f}\u{7f}demo\r");
    usual_machines(&mut terminal);
    terminal.press("{}\r");
    terminal.wait_for("`auths`");
    // As it comes out of an editor: on several lines.
    terminal.press(&SECRET.replace(":{", ":{\r  "));
    terminal.press("\r");
    assert_eq!(terminal.exit(), 0, "{}", terminal.screen());
    assert!(terminal.is_restored());
    let all = terminal.all();
    assert!(all.contains("landfall create cluster --dir cluster"), "{all}");
    assert!(CANARIES.iter().all(|canary| !all.contains(canary)), "{all}");

    let config = home.config();
    assert_eq!(config["metadata"]["name"], "demo");
    assert_eq!(config["baseDomain"], "example.com");
    assert_eq!(config["platform"]["aws"]["region"], "eu-central-1");
    assert_eq!(config["sshKey"], KEY);
    assert_eq!(config["pullSecret"], SECRET);
    assert_eq!(mode(&home.path("cluster/install-config.yaml")), 0o600);
    assert!(!home.path("cluster/.landfall/wizard.json").exists());
    assert!(home.validates());
}

#[test]
fn goes_on_after_ctrl_c() {
    let home = Home::new();
    let mut terminal = home.terminal(&[]);
    answer_half(&mut terminal);
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130, "{}", terminal.screen());
    assert!(terminal.is_restored());
    terminal.wait_for("run the same command again");
    let kept = home.path("cluster/.landfall/wizard.json");
    assert_eq!(mode(&kept), 0o600);
    assert!(fs::read_to_string(&kept).unwrap().contains("eu-central-1"));
    assert!(!home.path("cluster/install-config.yaml").exists());

    let mut terminal = home.terminal(&[]);
    terminal.wait_for("stopped run are the defaults");
    terminal.wait_for("Public SSH key");
    terminal.press("\r");
    terminal.wait_for("aws  Amazon Web Services");
    terminal.press("\r");
    terminal.wait_for("> eu-central-1  Europe (Frankfurt)");
    terminal.press("\r");
    terminal.wait_for("Base domain [example.com]:");
    terminal.press("\r");
    terminal.wait_for("Cluster name:");
    terminal.press("demo\r");
    usual_machines(&mut terminal);
    let (begin, _) = SECRET.split_at(50);
    terminal.press(begin);
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130, "{}", terminal.screen());
    assert!(terminal.is_restored());
    let kept = fs::read_to_string(&kept).unwrap();
    assert!(kept.contains("demo"), "{kept}");
    let seen = terminal.all() + &kept;
    assert!(CANARIES.iter().all(|canary| !seen.contains(canary)), "{seen}");
}

#[test]
fn ctrl_c_stops_in_a_list_as_well() {
    let home = Home::new();
    for question in ["Public SSH key", "Amazon Web Services", "Africa (Cape Town)"] {
        let mut terminal = home.terminal(&[]);
        for earlier in ["Public SSH key", "Amazon Web Services", "Africa (Cape Town)"] {
            terminal.wait_for(earlier);
            if earlier == question {
                break;
            }
            terminal.press("\r");
        }
        terminal.press("\u{3}");
        assert_eq!(terminal.exit(), 130, "{question}: {}", terminal.screen());
        assert!(terminal.is_restored(), "{question}");
    }
}

#[test]
fn goes_on_after_the_terminal_was_lost() {
    let home = Home::new();
    let mut terminal = home.terminal(&[]);
    answer_half(&mut terminal);
    terminal.hang_up();
    let mut terminal = home.terminal(&FLAGS[..6]);
    terminal.wait_for("stopped run are the defaults");
    terminal.wait_for("Base domain [example.com]:");
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130);
}

#[test]
fn proposes_the_region_of_the_environment() {
    let home = Home::new();
    let flags = ["--no-ssh-key", "--platform", "aws"];
    let mut terminal = home.terminal_with(&flags, &[("AWS_REGION", "sa-east-1")]);
    terminal.wait_for("> sa-east-1  South America");
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130);
    let mut terminal = home.terminal_with(&flags, &[("AWS_REGION", "xx-hidden-1")]);
    terminal.wait_for("`xx-hidden-1` from your environment is not in the list");
    terminal.wait_for("us-gov-west-1");
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130);
}

/// What helps those whose region is not listed comes when it is asked for, and must not scroll away.
#[test]
fn a_list_leaves_room_for_the_hint_above_it() {
    let home = Home::new();
    let mut terminal = home.terminal_of((30, 100), &["--no-ssh-key", "--platform", "aws"]);
    let screen = terminal.wait_until("list of regions", |screen| screen.contains("> us-east-1  US East"));
    assert!(!screen.contains("serviceEndpoints"), "{screen}");
    terminal.press("moon-1");
    let screen = terminal.wait_until("no match", |screen| screen.contains("no match; Ctrl-U clears"));
    assert!(screen.contains("> another region") && !screen.contains("us-east-1"), "{screen}");
    terminal.press("\r");
    // All regions have a place in brackets behind their names.
    let is_region = |line: &&str| line.contains("  ") && line.contains(" (");
    let screen =
        terminal.wait_until("list of regions", |screen| screen.lines().filter(is_region).count() >= 20);
    assert!(screen.contains("serviceEndpoints") && screen.contains("Region ("), "{screen}");
    terminal.press("\u{3}");
    assert_eq!(terminal.exit(), 130);
}

#[test]
fn asks_only_what_no_flag_answers() {
    let home = Home::new();
    let name = FLAGS.iter().position(|word| *word == "--name").unwrap();
    let flags = [&FLAGS[..name], &FLAGS[name + 2..]].concat();
    let mut terminal = home.terminal(&flags);
    terminal.wait_for("Cluster name:");
    terminal.press("demo\r");
    terminal.wait_for("> defaults: ");
    terminal.press("\r");
    assert_eq!(terminal.exit(), 0, "{}", terminal.screen());
    let all = terminal.all();
    assert!(!all.contains("Region") && !all.contains("Base domain"), "{all}");
    assert!(home.validates());
}

#[test]
fn asks_nothing_with_all_flags() {
    let home = Home::new();
    let mut terminal = home.terminal(FLAGS);
    assert_eq!(terminal.exit(), 0, "{}", terminal.screen());
    assert!(home.validates());
}

#[test]
fn needs_no_terminal_with_all_flags() {
    let home = Home::new();
    let flags = [&flags_with("--pull-secret-file", "-")[..], &["-o", "json"]].concat();
    let arguments = [CREATE, &flags[..]].concat();
    let output = home.run(&arguments, SECRET);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(said["file"], "cluster/install-config.yaml");
    assert_eq!((&said["platform"], &said["region"]), (&Value::from("aws"), &Value::from("eu-west-1")));
    assert!(home.validates());
    assert_eq!(home.config()["pullSecret"], SECRET);
    assert_eq!(mode(&home.path("cluster/install-config.yaml")), 0o600);
}

#[test]
fn writes_a_config_for_another_cloud_of_azure() {
    let home = Home::new();
    let output = home.create(&[
        "--no-ssh-key",
        "--platform",
        "azure",
        "--cloud-name",
        "AzureUSGovernmentCloud",
        "--region",
        "usgovvirginia",
        "--base-domain",
        "example.com",
        "--base-domain-resource-group",
        "dns-rg",
        "--name",
        "demo",
        "--pull-secret-file",
        "pull-secret.json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let azure = &home.config()["platform"]["azure"];
    assert_eq!(azure["cloudName"], "AzureUSGovernmentCloud");
    assert_eq!(azure["baseDomainResourceGroupName"], "dns-rg");
    assert!(home.validates());
}

#[test]
fn names_the_flags_that_are_missing() {
    let home = Home::new();
    let output = home.create(&["--platform", "azure", "--name", "demo"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    for flag in
        ["--ssh-key-file", "--region", "--base-domain", "--base-domain-resource-group", "--pull-secret-file"]
    {
        assert!(said.contains(flag), "{flag}: {said}");
    }
    assert!(!said.contains("--name"), "{said}");
    assert!(said.contains("Usage: landfall create install-config "), "{said}");
    assert!(!home.path("cluster").exists());
}

#[test]
fn refuses_flags_that_cannot_be_used() {
    let home = Home::new();
    home.write("empty.json", "{\"auths\":{}}");
    home.write("nothing", "");
    for (flag, value, words) in [
        ("--name", "Demo", "error[LF0102]: --name: `Demo` "),
        ("--base-domain", "example_1.com", "error[LF0105]: --base-domain: "),
        ("--region", "eu-wset-1", "`eu-west-1`?"),
        ("--region", "xx-hidden-1", "`xx-hidden-1` "),
        ("--region", "cn-north-1", "set these flags: --ami-id"),
        ("--region", "eusc-de-east-1", "use another region, or write `featureSet"),
        ("--ssh-key-file", "pull-secret.json", "error[LF0106]: --ssh-key-file: "),
        ("--pull-secret-file", "empty.json", "error[LF0110]: --pull-secret-file: "),
        ("--pull-secret-file", "nothing", "--pull-secret-file: "),
        ("--platform", "moon", "possible values: aws, azure"),
    ] {
        let output = home.create(&flags_with(flag, value));
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{flag}: {said}");
        assert!(said.contains(words), "{flag}: {said}");
        assert!(!said.contains("<COMMAND>") && !said.contains("single quotes"), "{flag}: {said}");
        assert!(!home.path("cluster").exists(), "{flag}");
    }
    for (flag, value, words) in [
        ("--compute-replicas", "many", "`many`"),
        ("--publish", "Public", "`Public`"),
        ("--control-plane-replicas", "2", "error[LF0326]: --control-plane-replicas: "),
        ("--ami-id", "image", "--ami-id: `image` is not the ID of an AMI"),
    ] {
        let output = home.create(&[FLAGS, &[flag, value]].concat());
        let said = text(&output.stderr);
        assert!(output.status.code() == Some(2) && said.contains(words), "{flag}: {said}");
    }
    let output = home.create(&[FLAGS, &["--cloud-name", "AzurePublicCloud"]].concat());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    let output = home.create(&flags_with("--pull-secret-file", "nowhere.json"));
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
}

#[test]
fn a_region_of_an_overlay_is_known() {
    let home = Home::new();
    home.write("moon.yaml", OVERLAY);
    let output =
        home.create(&[&flags_with("--region", "moon-base-1")[..], &["--catalogue", "moon.yaml"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(home.config()["platform"]["aws"]["region"], "moon-base-1");
    assert!(home.validates());
}

#[test]
fn never_replaces_a_config() {
    let home = Home::new();
    home.write("cluster/install-config.yaml", "mine");
    let output = home.create(FLAGS);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains("install-config.yaml") && said.contains(" cluster"), "{said}");
    let mut terminal = home.terminal(&[]);
    assert_eq!(terminal.exit(), 1, "{}", terminal.screen());
    assert!(!terminal.all().contains("Public SSH key"));
    assert_eq!(fs::read_to_string(home.path("cluster/install-config.yaml")).unwrap(), "mine");
}
