//! `landfall cloud-config`.

#![allow(
    clippy::disallowed_methods,
    reason = "the file of the Infrastructure object is looked at before it is read, and the result is written"
)]

use std::ffi::OsString;
use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::builder::PossibleValuesParser;
use landfall_cloud_config::target::Gate;
use landfall_cloud_config::{Fault, Infrastructure, Network, bootstrap, pages, target};
use landfall_diagnostics::{Finding, Kind};
use landfall_install_config::verdict::Outcome;
use landfall_source::Mask;

use super::input::Input;
use super::{Exit, Settings};
use crate::ui::{Judged, text};

/// The mode of folders that are made on the way to the result.
const FOLDER: u32 = 0o755;
/// The mode of the result.
const FILE: u32 = 0o644;

/// Generate cloud provider configuration
///
/// Runs the same code as the controllers of `landfall operator`, on files: for a cluster that does not run
/// yet, or to test a configuration. Calls nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Stitch(Stitch),
    Ccm(Ccm),
}

/// Generate the `ConfigMap` `kube-cloud-config`
///
/// Adds AWS's service endpoints or Azure's cloud to the user's configuration; passes on that of other
/// platforms. The files are YAML or JSON, the manifest is YAML. One file can be standard input. Exit code 3
/// if a file is not valid or they contradict each other; then nothing is written.
#[derive(Debug, clap::Args)]
struct Stitch {
    /// File with the Infrastructure object, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    infrastructure: PathBuf,

    /// File with the user's `ConfigMap`, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    cloud_config: Option<PathBuf>,

    /// Output file, overwritten; default: standard output
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// Generate the cloud controller manager's `cloud.conf`
///
/// Reads the configuration in `kube-cloud-config`. Exit code 3 if it is invalid or contradicts the cluster.
/// One file can be standard input.
#[derive(Debug, clap::Args)]
struct Ccm {
    /// Platform of the cluster
    #[arg(
        long,
        value_name = "PLATFORM",
        ignore_case = true,
        value_parser = PossibleValuesParser::new(target::platforms())
    )]
    platform: String,

    /// File with the text, or - for standard input
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    source: PathBuf,

    /// Enabled feature gate of the cluster; repeatable
    #[arg(long, value_name = "NAME")]
    feature_gate: Vec<String>,

    /// File of the Infrastructure object, or -, for Azure's cloud and vSphere's servers and networks; default
    /// for Azure: the cloud in the configuration
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    infrastructure: Option<PathBuf>,

    /// File of the Network object, or -, for vSphere's address families
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    network: Option<PathBuf>,
}

/// Makes what the arguments say.
///
/// # Errors
/// Standard output or the result cannot be written.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    if args.what.standard_inputs() > 1 {
        settings.printer.report("error: standard input can be read only once: use - for one of the files\n");
        return Ok(Exit::Usage);
    }
    let made = match &args.what {
        What::Stitch(args) => stitched(args, settings),
        What::Ccm(args) => transformed(args, settings),
    };
    let made = match made {
        Ok(made) => made,
        Err(refused) => {
            refused.tell(settings);
            return Ok(refused.exit);
        }
    };
    match &args.what {
        What::Stitch(Stitch { out: Some(out), .. }) => {
            replace(out, made.as_bytes()).with_context(|| format!("cannot write {}", out.display()))?;
        }
        _ => settings.printer.data(&made)?,
    }
    Ok(Exit::Done)
}

impl What {
    /// For how many of the files standard input is to stand.
    fn standard_inputs(&self) -> usize {
        let files = match self {
            Self::Stitch(args) => [Some(&args.infrastructure), args.cloud_config.as_ref(), None],
            Self::Ccm(args) => [Some(&args.source), args.infrastructure.as_ref(), args.network.as_ref()],
        };
        files.into_iter().flatten().filter(|file| file.as_path() == Path::new("-")).count()
    }
}

/// Why nothing was made.
struct Refused {
    file: String,
    finding: Box<Finding>,
    exit: Exit,
}

impl Refused {
    fn tell(&self, settings: &Settings) {
        settings.printer.report(&rendered(&self.file, &self.finding, Outcome::Rejected, settings));
    }

    fn fault(fault: &Fault, file: &Path) -> Self {
        Self {
            file: file.display().to_string(),
            finding: Box::new(pages::finding(fault)),
            exit: Exit::NotValid,
        }
    }
}

/// A finding about a file, as people read it.
fn rendered(file: &str, finding: &Finding, outcome: Outcome, settings: &Settings) -> String {
    let findings = std::slice::from_ref(finding);
    let judged = Judged { file, text: "", outcome, findings, mask: &Mask::default() };
    text::findings(&judged, settings.printer.styles().talk)
}

fn stitched(args: &Stitch, settings: &Settings) -> Result<String, Refused> {
    let inputs =
        [("Infrastructure object", Some(&args.infrastructure)), ("ConfigMap", args.cloud_config.as_ref())];
    for (object, input) in inputs {
        if let Some((out, input)) = args.out.as_ref().zip(input)
            && is_same(out, input)
        {
            let file = out.display().to_string();
            let finding = Box::new(pages::output_is_input(&file, object));
            return Err(Refused { file, finding, exit: Exit::Usage });
        }
    }
    let infrastructure = infrastructure_text(&args.infrastructure)?;
    let user = args.cloud_config.as_deref().map(read).transpose()?;
    let made = bootstrap::stitch(&infrastructure, user.as_deref()).map_err(|fault| {
        let user = args.cloud_config.as_deref().filter(|_| is_about_text(&fault));
        Refused::fault(&fault, user.unwrap_or(&args.infrastructure))
    })?;
    if let Some((file, user)) = args.cloud_config.as_deref().zip(user) {
        let another = bootstrap::another_map(&infrastructure, &user);
        let another = another.map(|(found, named)| pages::another_map(&found, &named));
        let missing = bootstrap::missing_key(&infrastructure, &user);
        for finding in another.into_iter().chain(missing.map(|key| pages::key_not_there(&key))) {
            warn(file, &finding, settings);
        }
    }
    Ok(made)
}

fn warn(file: &Path, finding: &Finding, settings: &Settings) {
    settings.printer.aside(&rendered(&file.display().to_string(), finding, Outcome::Accepted, settings));
}

fn transformed(args: &Ccm, settings: &Settings) -> Result<String, Refused> {
    let source = read(&args.source)?;
    let infrastructure = match &args.infrastructure {
        Some(file) => {
            let text = infrastructure_text(file)?;
            let read =
                bootstrap::infrastructure(&text).and_then(|object| of_platform(object, &args.platform));
            read.map_err(|fault| Refused::fault(&fault, file))?
        }
        None => target::presumed(known(&args.platform), &source),
    };
    let network = match &args.network {
        Some(file) => bootstrap::network(&read(file)?).map_err(|fault| Refused::fault(&fault, file))?,
        None => Network::default(),
    };
    let is_on = args.feature_gate.iter().any(|name| name == target::NLB_SECURITY_GROUP);
    let gate = if is_on { Gate::On } else { Gate::Off };
    let made = target::transform(&infrastructure, &network, &source, gate).map_err(|fault| {
        // Endpoints are those of the text here.
        let is_of_text = is_about_text(&fault) || matches!(fault, Fault::EndpointInvalid { .. });
        let object = args.infrastructure.as_deref().filter(|_| !is_of_text);
        Refused::fault(&fault, object.unwrap_or(&args.source))
    })?;
    let unknown = args.feature_gate.iter().filter(|gate| !target::GATES.contains(&gate.as_str()));
    let unknown: Vec<Finding> = unknown.map(|gate| pages::gate_not_known(gate, &target::GATES)).collect();
    settings.printer.aside(&text::placeless(&unknown, settings.printer.styles().talk));
    Ok(made)
}

/// The platform as objects write it.
fn known(platform: &str) -> &'static str {
    target::platforms().find(|known| known.eq_ignore_ascii_case(platform)).unwrap_or_default()
}

fn of_platform(object: Infrastructure, platform: &str) -> Result<Infrastructure, Fault> {
    let (found, wanted) = (object.platform().0, known(platform));
    if found == wanted {
        return Ok(object);
    }
    Err(Fault::PlatformMismatch { wanted, found: found.to_owned() })
}

/// Whether a fault is one of the user's text, not of the cluster's objects.
fn is_about_text(fault: &Fault) -> bool {
    matches!(
        fault,
        Fault::ConfigUnreadable(_)
            | Fault::OverrideConflict(_)
            | Fault::CloudNotString(_)
            | Fault::CloudConflict { .. }
            | Fault::LegacySettingChanged(_)
            | Fault::ManifestUnreadable(_)
    )
}

/// The text of the Infrastructure object's file, which must be a file with something in it.
fn infrastructure_text(path: &Path) -> Result<String, Refused> {
    if let Ok(about) = fs::metadata(path)
        && !about.is_file()
    {
        let file = path.display().to_string();
        let message = format!("cannot read {file}: it is not a regular file");
        let finding = Box::new(Finding::error(&landfall_source::pages::UNREADABLE, Kind::Parse, "", message));
        return Err(Refused { file, finding, exit: Exit::Failed });
    }
    let text = read(path)?;
    if text.is_empty() {
        return Err(Refused::fault(&Fault::InfrastructureFileEmpty, path));
    }
    Ok(text)
}

fn read(path: &Path) -> Result<String, Refused> {
    let input = Input::single(path);
    let refused = |finding, exit| Refused { file: input.name(), finding, exit };
    let bytes = input.read().map_err(|finding| refused(finding, Exit::Failed))?;
    landfall_source::text_of(&bytes).map(str::to_owned).map_err(|finding| refused(finding, Exit::NotValid))
}

fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => false,
    }
}

/// Puts a file in place as a whole, with the folders that it lies in.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file name"));
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(FOLDER).create(folder)?;
    }
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.new", std::process::id()));
    let beside = path.with_file_name(beside);
    let replaced = write(&beside, bytes).and_then(|()| fs::rename(&beside, path));
    if replaced.is_err() {
        // What went wrong first is what is told.
        let _ = fs::remove_file(&beside);
    }
    replaced
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(FILE).open(path)?;
    file.set_permissions(Permissions::from_mode(FILE))?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_counted() {
        let stitch = |infrastructure: &str, user: Option<&str>| {
            let (infrastructure, cloud_config) = (infrastructure.into(), user.map(PathBuf::from));
            What::Stitch(Stitch { infrastructure, cloud_config, out: None }).standard_inputs()
        };
        assert_eq!(stitch("-", Some("-")), 2);
        assert_eq!(stitch("-", Some("./-")), 1);
        assert_eq!(stitch("a", None), 0);
    }
}
