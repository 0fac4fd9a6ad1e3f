//! Landfall as a user runs it: a cluster directory, an environment of its own, and what comes out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::moto::Keys;

/// A config that says no more than it must.
pub const CONFIG: &str = include_str!("../../testdata/quickstart/aws.yaml");

/// The services that every installation calls.
pub const SERVICES: &[&str] = &["ec2", "elasticloadbalancing", "iam", "route53", "s3", "sts", "tagging"];

/// Servers of these tests share few processors with each other, so a run waits for them longer than usual.
const PATIENT: &[&str] = &["--timeout", "20s"];

const STATUSES: &[&str] = &["passed", "failed", "warned", "skipped"];

/// The config for a region, with lines of YAML more below `platform.aws`.
pub fn config(region: &str, platform: &str) -> String {
    let line = "    region: us-east-1\n";
    assert!(CONFIG.contains(line), "{CONFIG}");
    CONFIG.replace(line, &format!("    region: {region}\n{platform}"))
}

/// The lines of YAML that give services endpoints.
pub fn endpoints<S: AsRef<str>>(given: &[(&str, S)]) -> String {
    let lines = given.iter().map(|(name, url)| format!("    - name: {name}\n      url: {}\n", url.as_ref()));
    let lines: Vec<String> = lines.collect();
    format!("    serviceEndpoints:\n{}", lines.concat())
}

/// The line and column of a value, as findings give them: the first place that `text` stands at.
pub fn place(config: &str, text: &str) -> (u64, u64) {
    let lines = config.lines().enumerate();
    let mut found = lines.filter_map(|(i, line)| line.find(text).map(|column| (i, column)));
    let Some((line, column)) = found.next() else {
        panic!("{text} is not in {config}");
    };
    (u64::try_from(line).unwrap() + 1, u64::try_from(column).unwrap() + 1)
}

/// A cluster directory, a home and an environment.
pub struct Landfall {
    directory: TempDir,
    home: TempDir,
    environment: BTreeMap<String, String>,
}

impl Landfall {
    /// With this config and no credentials, and nothing else in the environment that the SDK would read.
    pub fn new(config: &str) -> Self {
        let (directory, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(directory.path().join("install-config.yaml"), config).unwrap();
        let landfall = Self { directory, home, environment: BTreeMap::new() };
        let home = landfall.home.path().to_str().unwrap().to_owned();
        let path = std::env::var("PATH").unwrap_or_default();
        landfall.with("HOME", home).with("PATH", path).with("AWS_EC2_METADATA_DISABLED", "true")
    }

    /// With a variable in the environment.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.insert(name.to_owned(), value.into());
        self
    }

    /// With the keys of a user in the environment.
    pub fn keys(self, keys: &Keys) -> Self {
        self.with("AWS_ACCESS_KEY_ID", &*keys.id).with("AWS_SECRET_ACCESS_KEY", &*keys.secret)
    }

    /// With a file that the environment names.
    pub fn naming(self, variable: &str, file: &str, text: &str) -> Self {
        let path = self.write(file, text);
        self.with(variable, path)
    }

    /// Writes a file into the home, and gives its path.
    pub fn write(&self, file: &str, text: &str) -> String {
        let path = self.home.path().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// A variable of the environment.
    pub fn variable(&self, name: &str) -> &str {
        &self.environment[name]
    }

    /// All variables of the environment.
    #[allow(dead_code, reason = "others use it")]
    pub fn environment(&self) -> &BTreeMap<String, String> {
        &self.environment
    }

    /// The cluster directory.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Runs a command in the cluster directory.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_landfall"))
            .args(arguments)
            .arg("--dir")
            .arg(self.directory.path())
            .env_clear()
            .envs(&self.environment)
            .output()
            .unwrap();
        Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command that asks the cloud, and waits for slow servers.
    pub fn ask(&self, arguments: &[&str]) -> Ran {
        self.run(&[arguments, PATIENT].concat())
    }

    /// What preflight reports, waiting for slow servers.
    pub fn preflight(&self) -> Report {
        Report::of(self.ask(&["preflight", "-o", "json"]))
    }

    /// What preflight reports for a release.
    pub fn preflight_for(&self, release: &str) -> Report {
        Report::of(self.ask(&["preflight", "-o", "json", "--release", release]))
    }

    /// What preflight reports when it may take only so long.
    pub fn preflight_within(&self, deadline: &str) -> Report {
        Report::of(self.ask(&["preflight", "-o", "json", "--deadline", deadline]))
    }

    /// What preflight reports with its usual patience.
    pub fn preflight_at_once(&self) -> Report {
        Report::of(self.run(&["preflight", "-o", "json"]))
    }
}

/// What came of a run.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Ran {
    /// What it printed, as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|fault| panic!("{fault}: {self}"))
    }

    /// Fails unless it ended so.
    #[track_caller]
    pub fn ends(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self}");
        self
    }
}

impl fmt::Display for Ran {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ended with {:?}\n{}\n{}", self.code, self.out, self.err)
    }
}

/// A report of preflight that keeps to the contract.
pub struct Report {
    pub ran: Ran,
    checks: Vec<Value>,
}

impl Report {
    fn of(ran: Ran) -> Self {
        let report = ran.json();
        let checks = report["checks"].as_array().cloned().unwrap_or_default();
        assert!(!checks.is_empty(), "{ran}");
        let mut ids = BTreeSet::new();
        for check in &checks {
            assert!(ids.insert(text(check, "id").to_owned()), "twice: {check}");
            assert!(!text(check, "id").is_empty() && !text(check, "message").is_empty(), "{check}");
            assert!(STATUSES.contains(&text(check, "status")), "{check}");
            assert!(check["durationMs"].is_u64() && check["evidence"].is_object(), "{check}");
            let told = ["failed", "warned"].contains(&text(check, "status"));
            assert_eq!(told, text(check, "code").starts_with("LF"), "{check}");
            assert_eq!(told, !text(check, "help").is_empty(), "what is to be done: {check}");
        }
        let failed = checks.iter().any(|check| text(check, "status") == "failed");
        // Only trouble of the cloud ends with 5.
        let codes = if failed { &[4, 5][..] } else { &[0] };
        assert!(ran.code.is_some_and(|code| codes.contains(&code)), "{ran}");
        assert_eq!(report["outcome"], if failed { "failed" } else { "passed" }, "{ran}");
        Self { ran, checks }
    }

    /// The checks with a status, by id.
    pub fn with(&self, status: &str) -> BTreeSet<&str> {
        let checks = self.checks.iter().filter(|check| text(check, "status") == status);
        checks.map(|check| text(check, "id")).collect()
    }

    /// All checks.
    pub fn all(&self) -> &[Value] {
        &self.checks
    }

    /// A check.
    #[track_caller]
    pub fn check(&self, id: &str) -> &Value {
        let found = self.checks.iter().find(|check| text(check, "id") == id);
        found.unwrap_or_else(|| panic!("there is no check {id}: {}", self.ran))
    }

    /// A check, which must have ended so.
    #[track_caller]
    pub fn is(&self, id: &str, status: &str) -> &Value {
        let check = self.check(id);
        assert_eq!(text(check, "status"), status, "{check}");
        check
    }

    /// A check, which must have ended so with a finding of this code.
    #[track_caller]
    pub fn reports(&self, id: &str, status: &str, code: &str) -> &Value {
        let check = self.is(id, status);
        assert_eq!(text(check, "code"), code, "{check}");
        check
    }

    /// A check, which must have ended so and say all of these words.
    #[track_caller]
    pub fn says(&self, id: &str, status: &str, words: &[&str]) -> &Value {
        let check = self.is(id, status);
        for word in words {
            assert!(text(check, "message").contains(word), "`{word}` is missing: {check}");
        }
        check
    }

    /// Fails unless everything was well, or could not be known.
    #[track_caller]
    pub fn passes(&self) {
        let (failed, warned) = (self.with("failed"), self.with("warned"));
        assert!(failed.is_empty() && warned.is_empty(), "{failed:?} {warned:?} {}", self.ran);
    }
}

/// A text in an object; empty where there is none.
pub fn text<'a>(object: &'a Value, key: &str) -> &'a str {
    object[key].as_str().unwrap_or_default()
}

/// The place of a check or a finding in the config.
pub fn place_of(object: &Value) -> (u64, u64) {
    let number = |key: &str| object[key].as_u64().unwrap_or_default();
    (number("line"), number("column"))
}
