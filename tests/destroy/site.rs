//! Landfall as somebody runs it who destroys a cluster: a directory with `metadata.json` and nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::front::Front;
use crate::moto::Keys;
use crate::program::Ran;
use crate::terminal::Terminal;
use crate::world::{ACCOUNT, ID, World};

/// In every secret that a test makes up.
pub const CANARY: &str = "c4n4ryc4n4ry";

/// A cluster directory, a home and an environment.
pub struct Site {
    directory: TempDir,
    home: TempDir,
    environment: BTreeMap<String, String>,
    secret: String,
}

impl Site {
    /// A directory without anything in it, and the keys of a user.
    pub fn empty(keys: &Keys) -> Self {
        let (directory, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let site = Self { directory, home, environment: BTreeMap::new(), secret: keys.secret.clone() };
        let home = site.home.path().to_str().unwrap().to_owned();
        site.with("HOME", home)
            .with("PATH", std::env::var("PATH").unwrap_or_default())
            .with("AWS_EC2_METADATA_DISABLED", "true")
            .with("AWS_ACCESS_KEY_ID", keys.id.as_str())
            .with("AWS_SECRET_ACCESS_KEY", keys.secret.as_str())
    }

    /// A directory with this as its `metadata.json`.
    pub fn new(keys: &Keys, metadata: &str) -> Self {
        let site = Self::empty(keys);
        std::fs::write(site.metadata_path(), metadata).unwrap();
        site
    }

    /// The directory of a world's cluster as landfall left it, with all services behind a front.
    pub fn of(world: &World, front: &Front) -> Self {
        let metadata = world.metadata(ACCOUNT, &[]);
        Self::new(&world.keys, &metadata).behind(front)
    }

    /// With all services behind a front.
    pub fn behind(self, front: &Front) -> Self {
        self.with("AWS_ENDPOINT_URL", front.url())
    }

    /// With a variable in the environment.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.insert(name.to_owned(), value.into());
        self
    }

    /// With a file in the home that the environment names.
    pub fn naming(self, variable: &str, file: &str, text: &str) -> Self {
        let path = self.home.path().join(file);
        std::fs::write(&path, text).unwrap();
        self.with(variable, path.to_str().unwrap())
    }

    /// The file that says which cluster the directory is of.
    pub fn metadata_path(&self) -> PathBuf {
        self.directory.path().join("metadata.json")
    }

    /// Where it is kept of a cluster that is gone.
    pub fn kept_metadata_path(&self) -> PathBuf {
        self.directory.path().join(format!(".landfall/destroyed/{ID}-metadata.json"))
    }

    /// The files of the directory, but for landfall's own records.
    pub fn files(&self) -> BTreeMap<String, String> {
        let root = self.directory.path();
        let entries = WalkDir::new(root).into_iter().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().is_file()).map(|entry| {
            let below = entry.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            (below, std::fs::read_to_string(entry.path()).unwrap_or_default())
        });
        files.filter(|(path, _)| !path.starts_with(".landfall")).collect()
    }

    /// Starts a command in the directory.
    pub fn start(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs a command in the directory, as loudly as can be, and looks for secrets in all that it says.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let log = self.home.path().join("landfall.log");
        let loudly = ["-v", "--log-file", log.to_str().unwrap()];
        let output = self.command(&[arguments, &loudly].concat()).stdin(Stdio::null()).output().unwrap();
        let ran = Ran {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        self.are_silent("standard output", &ran.out);
        self.are_silent("standard error", &ran.err);
        self.are_silent("the log", &std::fs::read_to_string(log).unwrap_or_default());
        self.records_are_silent(self.directory.path());
        ran
    }

    /// `landfall destroy cluster` that does not ask, with more arguments; gives what it says as JSON.
    pub fn destroy(&self, more: &[&str]) -> Ran {
        self.run(&[&["destroy", "cluster", "--yes", "-o", "json"][..], more].concat())
    }

    /// A command in the directory, at a terminal.
    pub fn terminal(&self, arguments: &[&str]) -> Terminal {
        let directory = self.directory.path();
        let all = [arguments, &["--dir", directory.to_str().unwrap()][..]].concat();
        let own = self.environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let environment: Vec<(&str, &str)> = own.chain([("TERM", "xterm"), ("NO_COLOR", "1")]).collect();
        Terminal::landfall(directory, &all, &environment)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_landfall"));
        command.args(arguments).arg("--dir").arg(self.directory.path());
        command.env_clear().envs(&self.environment);
        command
    }

    fn records_are_silent(&self, directory: &Path) {
        for entry in WalkDir::new(directory).into_iter().map(Result::unwrap) {
            if entry.file_type().is_file() {
                let text = String::from_utf8_lossy(&std::fs::read(entry.path()).unwrap()).into_owned();
                self.are_silent(&entry.path().display().to_string(), &text);
            }
        }
    }

    #[track_caller]
    fn are_silent(&self, what: &str, text: &str) {
        for secret in [self.secret.as_str(), CANARY] {
            if let Some(at) = text.find(secret) {
                let around: String = text[..at].chars().rev().take(300).collect();
                let around: String = around.chars().rev().collect();
                panic!("{what}: a secret is shown after this:\n{around}");
            }
        }
    }
}
