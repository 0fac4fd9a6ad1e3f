//! `landfall gather`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use jiff::Timestamp;
use landfall_diagnostics::Finding;
use serde_json::{Value, json};

use super::destroy::ended;
use super::duration::within_an_hour;
use super::{Exit, Output, Settings, engine, signals};
use crate::gather::{Addresses, Gathered, Journals, MANIFEST, address, pages};
use crate::prepare::target;
use crate::ui::{Waiting, beating, counted, json as json_form, printable};
use crate::{gather, prepare};

/// Collect logs and states for support
///
/// Writes one archive (tar.gz, mode 0600) with landfall's log, the journal of steps, the engine's logs and states,
/// facts, plan, metadata and install config, and prints the list of what is in it. Secrets are replaced. With
/// `--ssh-key`, the journals of the bootstrap machine and the control plane are in it as well. Changes nothing.
///
/// With `-o json`, standard output is one object: `archive`, `files` with `path`, `bytes`, `about` and `redacted`,
/// `missing` with `path` and `why`, and `findings`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Archive to write; default: landfall-gather-ID-TIME.tar.gz in the working directory
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,

    /// Private SSH key of the machines, to read their journals
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    ssh_key: Option<PathBuf>,

    /// Address of the bootstrap machine; default: as the engine recorded it
    #[arg(long, value_name = "ADDRESS", requires = "ssh_key", value_parser = address, value_hint = clap::ValueHint::Hostname)]
    bootstrap: Option<String>,

    /// Address of a control plane machine; repeatable; default: as the engine recorded them
    #[arg(long, value_name = "ADDRESS", requires = "ssh_key", value_parser = address, value_hint = clap::ValueHint::Hostname)]
    control_plane: Vec<String>,

    /// Timeout for a machine, such as `90s`
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = within_an_hour)]
    timeout: Duration,
}

/// Writes the archive.
///
/// # Errors
/// The archive or standard output cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    if !gather::is_of_cluster(&directory) {
        let finding = pages::nothing(&directory.display().to_string());
        return ended("refused", &[finding], Exit::Failed, settings);
    }
    let (mut gathered, cleaner) = gather::gather(&directory);
    let mut findings = Vec::new();
    if let Some(key) = &args.ssh_key {
        let asked = Journals { key, program: PathBuf::from("ssh"), limit: args.timeout };
        let addresses = args.addresses(&directory);
        if addresses.is_empty() {
            findings.push(pages::no_address());
        }
        let Some(read) = machines(&asked, &addresses, &cleaner, settings)? else {
            settings.printer.talk("stopped; no archive was written");
            return Ok(Exit::Interrupted);
        };
        for one in read {
            match one {
                Ok(piece) => gathered.pieces.push(piece),
                Err(missing) => {
                    findings.push(pages::machine(missing.machine(), &missing.why));
                    gathered.missing.push(missing);
                }
            }
        }
    }
    let now: Timestamp = prepare::now().parse()?;
    let folder = format!("landfall-gather-{}-{}", name(&directory), now.strftime("%Y%m%dT%H%M%SZ"));
    let path = args.out.clone().unwrap_or_else(|| PathBuf::from(format!("{folder}.tar.gz")));
    gather::write(&path, &folder, now.as_second(), &gathered)
        .with_context(|| format!("cannot write the archive {}", path.display()))?;
    tell(&path, &gathered, &findings, settings)?;
    Ok(Exit::Done)
}

impl Args {
    /// Where the machines are: as the flags say, else as was noted.
    fn addresses(&self, directory: &Path) -> Addresses {
        if self.bootstrap.is_some() || !self.control_plane.is_empty() {
            let control_plane = self.control_plane.clone();
            return Addresses { bootstrap: self.bootstrap.clone(), control_plane };
        }
        Addresses::noted(directory)
    }
}

/// What the machines say; none where the user stops it.
fn machines(
    asked: &Journals<'_>,
    addresses: &Addresses,
    cleaner: &gather::Cleaner,
    settings: &Settings,
) -> anyhow::Result<Option<Vec<Result<gather::Piece, gather::Missing>>>> {
    let printer = &settings.printer;
    let runtime = prepare::runtime()?;
    let what = "reading journals over SSH";
    let line = Waiting::new(what, Some(asked.limit), printer.draws());
    let work = async {
        tokio::select! {
            read = gather::journals(asked, addresses, cleaner) => Some(read),
            () = signals::asked() => None,
        }
    };
    let read = runtime.block_on(beating(printer, what, Some(asked.limit), work));
    drop(line);
    runtime.shutdown_background();
    Ok(read)
}

/// What the archive is called after: the cluster, else its directory.
fn name(directory: &Path) -> String {
    let named = target::of_cluster(directory).ok().map(|named| named.target.infra_id);
    let of_directory = || {
        let path = std::path::absolute(directory).ok()?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    };
    let name =
        named.filter(|id| !id.is_empty()).or_else(of_directory).unwrap_or_else(|| "cluster".to_owned());
    name.chars().map(|c| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '-' }).collect()
}

/// Says what is in the archive.
fn tell(path: &Path, gathered: &Gathered, findings: &[Finding], settings: &Settings) -> anyhow::Result<()> {
    engine::report(findings, settings);
    let printer = &settings.printer;
    if settings.output == Output::Json {
        let files = gathered.pieces.iter().map(|piece| {
            json!({
                "path": piece.path,
                "bytes": piece.text().len(),
                "about": piece.about,
                "redacted": piece.redacted(),
            })
        });
        let missing = gathered.missing.iter().map(|one| json!({ "path": one.path, "why": one.why }));
        let value = json!({
            "archive": path.display().to_string(),
            "files": files.collect::<Vec<Value>>(),
            "missing": missing.collect::<Vec<Value>>(),
            "findings": json_form::placeless(findings),
        });
        printer.data(&format!("{value}\n"))?;
        return Ok(());
    }
    let shown = printable(&path.display().to_string());
    let manifest = gathered.manifest(printer.styles().data);
    printer.data(&format!("{manifest}{shown}: {}\n", counted(gathered.pieces.len(), "file")))?;
    printer.talk(&format!(
        "look through it before you send it: {MANIFEST} lists its files; landfall removes the secrets that it \
         knows, and what looks like one"
    ));
    Ok(())
}
