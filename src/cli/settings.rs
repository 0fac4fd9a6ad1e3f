//! The flags that every verb has, resolved once.

#![allow(
    clippy::disallowed_methods,
    reason = "the environment and the terminals are looked at here, and the log file is opened"
)]

use std::fs::File;
use std::io::{IsTerminal, stderr, stdout};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;

use crate::ui::{Colours, Printer, Volume};

/// The flags that every verb has.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// Cluster directory; default: the working directory
    #[arg(long, global = true, value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub dir: Option<PathBuf>,

    /// Output format
    #[arg(short, long, global = true, value_enum, value_name = "FORMAT", default_value_t = Output::Text)]
    pub output: Output,

    /// When to use colours; auto: on terminals, unless `NO_COLOR` is set
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub color: Colour,

    /// Print errors only
    #[arg(short, long, global = true)]
    pub quiet: bool,

    /// Verbose log on standard error
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,

    /// Append the verbose log to this file
    #[arg(long, global = true, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub log_file: Option<PathBuf>,
}

/// Output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people
    Text,
    /// JSON, one object a line where there are many
    Json,
    /// YAML, for `defaults` and `profile render`
    Yaml,
    /// SARIF 2.1.0, for `validate` and `profile check`
    Sarif,
    /// Workflow commands of GitHub Actions, for `validate` and `profile check`
    Github,
}

impl Output {
    /// The formats of a command, by the names of the commands that lead to it.
    #[must_use]
    pub fn of(command: &[&str]) -> &'static [Self] {
        match command {
            ["validate"] | ["profile", "check"] => &[Self::Text, Self::Json, Self::Sarif, Self::Github],
            ["defaults"] | ["profile", "render"] => &[Self::Text, Self::Yaml, Self::Json],
            ["cloud-config" | "completion" | "man" | "operator", ..] => &[Self::Text],
            _ => &[Self::Text, Self::Json],
        }
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
            Self::Yaml => "yaml",
            Self::Sarif => "sarif",
            Self::Github => "github",
        }
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On terminals, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What the flags of every verb come to.
#[derive(Debug)]
pub struct Settings {
    /// The cluster directory, if one was named; the working directory otherwise.
    pub dir: Option<PathBuf>,
    /// Form of the data.
    pub output: Output,
    /// The way to the user.
    pub printer: Printer,
}

impl Settings {
    /// Looks at the terminals and the environment and opens the log file.
    ///
    /// # Errors
    /// `--dir` names something else than a directory, or the log file cannot be opened.
    pub fn resolve(global: &Global) -> anyhow::Result<Self> {
        if let Some(directory) = &global.dir {
            directory_of("--dir", directory)?;
        }
        let volume = match (global.quiet, global.verbose) {
            (true, _) => Volume::Quiet,
            (_, true) => Volume::Verbose,
            _ => Volume::Normal,
        };
        let wished = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let on = |terminal: bool| match global.color {
            Colour::Auto => terminal && wished,
            Colour::Always => true,
            Colour::Never => false,
        };
        let colours = Colours { data: on(stdout().is_terminal()), talk: on(stderr().is_terminal()) };
        let log = match &global.log_file {
            Some(path) => {
                let opened = File::options().create(true).append(true).open(path);
                Some(opened.with_context(|| format!("cannot open the log file {}", path.display()))?)
            }
            None => None,
        };
        Ok(Self {
            dir: global.dir.clone(),
            output: global.output,
            printer: Printer::new(volume, colours, log),
        })
    }
}

/// Checks what a flag names that takes a directory. Whether it exists is for the command to say.
///
/// # Errors
/// It exists, and is not a directory.
pub fn directory_of(flag: &str, path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(path.is_dir() || !path.exists(), "{flag} {} is not a directory", path.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_not_a_directory() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("aws.yaml");
        assert!(directory_of("--dir", folder.path()).is_ok() && directory_of("--dir", &file).is_ok());
        std::fs::write(&file, "")?;
        let fault = directory_of("--fleet", &file).err().map(|fault| fault.to_string()).unwrap_or_default();
        assert_eq!(fault, format!("--fleet {} is not a directory", file.display()));
        Ok(())
    }
}
