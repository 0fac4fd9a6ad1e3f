//! The journals of the cluster's machines, read with the system's `ssh`.
#![allow(clippy::disallowed_methods, reason = "this edge reads where machines are, and starts ssh")]

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use futures::future::join_all;
use landfall_diagnostics::shortened;
use landfall_net::calls;
use serde_json::Value;
use tempfile::NamedTempFile;
use tokio::io::AsyncReadExt;
use tokio::process::Command;
use tokio::time::timeout;
use walkdir::WalkDir;

use super::{Cleaner, Missing, Piece, files};

/// The user of Red Hat CoreOS.
const USER: &str = "core";
/// What a machine is asked for: the journal since its last start, and its containers.
const SCRIPT: &str = "sudo journalctl --boot --no-pager --output short-iso --lines 50000; echo; \
    sudo crictl ps --all 2>&1; echo; systemctl --no-pager list-units --failed";
/// The most that is taken of what a machine says.
const MOST_BYTES: u64 = 32 << 20;
/// The outputs of the engine that say where machines are.
const BOOTSTRAP: &str = "bootstrap_ip";
const CONTROL_PLANE: &str = "control_plane_ips";

/// Where the machines are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Addresses {
    /// The bootstrap machine; none where it is gone or not known.
    pub bootstrap: Option<String>,
    /// The control plane.
    pub control_plane: Vec<String>,
}

impl Addresses {
    /// Those that the engine noted in a cluster directory.
    #[must_use]
    pub fn noted(root: &Path) -> Self {
        let mut noted = Self::default();
        let folder = root.join("terraform");
        let outputs = WalkDir::new(&folder).max_depth(1).sort_by_file_name().into_iter().flatten();
        let outputs = outputs.map(walkdir::DirEntry::into_path);
        for path in files::states(root).into_iter().chain(outputs) {
            let text = files::read(&path).unwrap_or_default();
            let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
            let output = |name: &str| match value.get("outputs") {
                Some(outputs) => outputs[name]["value"].clone(),
                None => value[name].clone(),
            };
            if let Some(bootstrap) = output(BOOTSTRAP).as_str().and_then(|text| address(text).ok()) {
                noted.bootstrap.get_or_insert(bootstrap);
            }
            if noted.control_plane.is_empty() {
                let all = output(CONTROL_PLANE);
                let all = all.as_array().into_iter().flatten().filter_map(Value::as_str);
                noted.control_plane = all.filter_map(|text| address(text).ok()).collect();
            }
        }
        noted
    }

    /// Whether no machine is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bootstrap.is_none() && self.control_plane.is_empty()
    }
}

/// An IP address or a host name, which no program takes for an option.
///
/// # Errors
/// It is neither.
pub fn address(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty()
        && text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "-.".contains(c));
    if is_name || text.parse::<IpAddr>().is_ok() {
        Ok(text.to_owned())
    } else {
        Err("neither an IP address nor a host name".to_owned())
    }
}

/// How machines are asked.
#[derive(Debug)]
pub struct Journals<'a> {
    /// The private key.
    pub key: &'a Path,
    /// The program, usually `ssh`.
    pub program: PathBuf,
    /// How long one machine may take.
    pub limit: Duration,
}

/// The journals of all machines, or why one could not be read. The control plane is reached through the bootstrap
/// machine, where its address is known.
pub async fn journals(
    asked: &Journals<'_>,
    addresses: &Addresses,
    cleaner: &Cleaner,
) -> Vec<Result<Piece, Missing>> {
    let mut machines: Vec<(String, &str, Option<&str>)> = Vec::new();
    let bootstrap = addresses.bootstrap.as_deref();
    machines.extend(bootstrap.map(|address| (format!("bootstrap-{address}"), address, None)));
    let control_plane = addresses.control_plane.iter();
    machines.extend(control_plane.map(|one| (format!("control-plane-{one}"), one.as_str(), bootstrap)));
    let each = machines.into_iter().map(|(name, address, through)| async move {
        let path = format!("machines/{}.log", name.replace(':', "-"));
        match asked.one(address, through).await {
            Ok(text) => Ok(Piece::new(path, "journal of a machine", &text, cleaner)),
            Err(why) => Err(Missing { path, why: cleaner.clean(&why) }),
        }
    });
    join_all(each).await
}

impl Journals<'_> {
    /// What one machine says.
    async fn one(&self, address: &str, through: Option<&str>) -> Result<String, String> {
        // The keys of new machines are not known, and nobody is to be asked.
        let known = NamedTempFile::new().map_err(|fault| fault.to_string())?;
        let mut command = Command::new(&self.program);
        command.args(self.options(known.path()));
        if let Some(through) = through {
            let mut words = vec![quoted(&self.program.display().to_string())];
            words.extend(self.options(known.path()).iter().map(|word| quoted(word)));
            words.push(format!("-W '[%h]:%p' {USER}@{through}"));
            command.arg("-o").arg(format!("ProxyCommand={}", words.join(" ")));
        }
        command.arg(format!("{USER}@{address}")).arg(SCRIPT);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let _call = calls::begin(format!("ssh {address}"));
        let mut child = command.spawn().map_err(|fault| match fault.kind() {
            std::io::ErrorKind::NotFound => "there is no program `ssh` on PATH".to_owned(),
            _ => fault.to_string(),
        })?;
        let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("its output cannot be read".to_owned());
        };
        let work = async {
            let (mut said, mut errors) = (Vec::new(), Vec::new());
            let (mut out, mut err) = (out.take(MOST_BYTES), err.take(MOST_BYTES));
            let (read, _) = tokio::join!(out.read_to_end(&mut said), err.read_to_end(&mut errors));
            drop((out, err));
            (read, said, errors, child.wait().await)
        };
        let Ok((read, said, errors, status)) = timeout(self.limit, work).await else {
            return Err(format!("no answer within {} s", self.limit.as_secs()));
        };
        read.map_err(|fault| fault.to_string())?;
        let errors = String::from_utf8_lossy(&errors);
        let last = errors.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        // 255 is that of ssh itself; others are those of the last command, which may not be there.
        match status.map(|status| status.code()) {
            Ok(Some(code)) if code != 255 && !said.is_empty() => {
                Ok(String::from_utf8_lossy(&said).into_owned())
            }
            Ok(_) if !last.is_empty() => Err(shortened(last)),
            Ok(code) => {
                Err(format!("ssh ended with {}", code.map_or("a signal".to_owned(), |code| code.to_string())))
            }
            Err(fault) => Err(fault.to_string()),
        }
    }

    /// The options of every connection.
    fn options(&self, known_hosts: &Path) -> Vec<String> {
        let mut options = vec!["-i".to_owned(), self.key.display().to_string()];
        let hosts = format!("UserKnownHostsFile={}", known_hosts.display());
        let settings = [
            "BatchMode=yes",
            "IdentitiesOnly=yes",
            "StrictHostKeyChecking=accept-new",
            "ConnectTimeout=10",
            "ServerAliveInterval=5",
            "ServerAliveCountMax=3",
            "LogLevel=ERROR",
            &hosts,
        ];
        options.extend(settings.iter().flat_map(|setting| ["-o".to_owned(), (*setting).to_owned()]));
        options
    }
}

/// A word as a shell takes it, in a text in which `ssh` replaces what follows a percent sign.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''").replace('%', "%%"))
}
