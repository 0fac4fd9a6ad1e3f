//! `landfall aso install` and `landfall aso upgrade`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_aso::detect::permissions;
use landfall_engine_aso::install::{Ready, Refused, Release, Request, Step, apply, healthy, pages, ready};
use landfall_kube::Failure;
use serde_json::json;
use tokio::time::Instant;

use super::check::known;
use super::management::{ASKING, KubeconfigArgs, Management, Refused as NotApplied, outcome};
use super::settings::{text, unreadable};
use crate::cli::destroy::basis;
use crate::cli::duration::within_a_day;
use crate::cli::namespace::namespace;
use crate::cli::{Ended, Exit, Settings, engine, signals};
use crate::prepare::{self, Refusal};
use crate::ui::{Pulse, Waiting, can_ask, json as json_form, of_limit, watched};

/// What is installed, and where.
#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("release").required(true).args(["manifest", "chart"]))]
pub struct Args {
    /// Manifest of the release, `azureserviceoperator_vX.Y.Z.yaml`; can be repeated
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    manifest: Vec<PathBuf>,

    /// Helm chart of the release, rendered by `helm template`
    #[arg(long, value_name = "CHART", value_hint = clap::ValueHint::AnyPath)]
    chart: Option<String>,

    /// Values file for the chart; can be repeated
    #[arg(long, value_name = "FILE", requires = "chart", value_hint = clap::ValueHint::FilePath)]
    values: Vec<PathBuf>,

    /// Namespace for the chart
    #[arg(long, value_name = "NAME", default_value = "azureserviceoperator-system", value_parser = namespace)]
    namespace: String,

    /// CRDs that the operator installs; default: as in the release or the running operator, else what landfall needs
    #[arg(long, value_name = "PATTERN")]
    crd_pattern: Option<String>,

    /// Cloud of the operator; default: that of the running operator, else the public cloud
    #[arg(long, value_name = "NAME")]
    cloud_name: Option<String>,

    /// Catalogue overlay file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    catalogue: Option<PathBuf>,

    #[command(flatten)]
    kubeconfig: KubeconfigArgs,

    /// Apply the release without confirmation
    #[arg(long)]
    yes: bool,

    /// Timeout, such as `10m`
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = within_a_day)]
    timeout: Duration,
}

/// Does it, and tells what came of it.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, step: Step, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = basis(args.catalogue.as_ref(), &directory)?;
    let release = release(args)?;
    let clouds = &basis.catalogue.azure;
    let cloud = args.cloud_name.as_deref().map(|name| known(name, clouds)).transpose()?;
    let runtime = prepare::runtime()?;
    let pattern = args.crd_pattern.as_deref();
    let request = Request { step, cloud: cloud.as_deref(), clouds, pattern };
    let ended = runtime.block_on(work(args, release, &request, settings));
    runtime.shutdown_background();
    ended
}

async fn work(
    args: &Args,
    release: Release,
    request: &Request<'_>,
    settings: &Settings,
) -> Result<Exit, Ended> {
    let management = Management::of(args.kubeconfig.kubeconfig.as_deref())?;
    let client = management.client();
    let looked = ready(client, release, request);
    let ready = watched(&settings.printer, ASKING, None, looked).await.map_err(|refused| match refused {
        Refused::Findings(findings) => (findings, Exit::Unfit),
        Refused::Fault(fault) => management.unfit(&Failure::from(fault)),
    })?;
    engine::report(&ready.warnings, settings);
    if !args.yes {
        if !can_ask() {
            return Err(Ended::Usage("no terminal for the confirmation: use --yes".to_owned()));
        }
        engine::consent(&question(&ready, request.step, management.server()), None, settings)?;
    }
    let deadline = Instant::now() + args.timeout;
    let applied = async {
        let record = |line: &str| settings.printer.record(line);
        let release = &ready.release;
        let noted = ready.gate.begin(client, release).await;
        noted.map_err(|fault| management.unfit(&Failure::from(fault)))?;
        let applied = apply(client, release, deadline, &record);
        let count = watched(&settings.printer, "applying the release", Some(args.timeout), applied).await;
        let count = count.map_err(|finding| (vec![*finding], Exit::PartWay))?;
        let what = "waiting for Azure Service Operator";
        let line = Waiting::new(what, Some(args.timeout), settings.printer.draws());
        let pulse = Pulse::default();
        let stands = |why: &str| {
            line.stands(why);
            if let Some(taken) = pulse.due().filter(|_| !settings.printer.draws()) {
                let time = of_limit(taken, Some(args.timeout));
                settings.printer.talk(&format!("{what}: {time}, {why}"));
            }
        };
        let cloud = (ready.cloud.as_str(), request.clouds);
        let healthy = healthy(client, (release, &ready.gate), cloud, deadline, &stands).await;
        healthy.map(|()| count).map_err(|findings| (findings, Exit::PartWay))
    };
    let applied: Result<usize, NotApplied> = tokio::select! {
        applied = applied => applied,
        () = signals::asked() => Err((Vec::new(), Exit::Interrupted)),
    };
    told(applied, &ready, settings)
}

fn question(ready: &Ready, step: Step, server: &str) -> String {
    let Release { version, namespace, .. } = &ready.release;
    match (&ready.from, step) {
        (Some(from), Step::Upgrade) => {
            format!("Upgrade Azure Service Operator from {from} to {version} in {namespace} of {server}?")
        }
        _ => format!("Install Azure Service Operator {version} in {namespace} of {server}?"),
    }
}

fn told(applied: Result<usize, NotApplied>, ready: &Ready, settings: &Settings) -> Result<Exit, Ended> {
    let (count, (findings, exit)) = match applied {
        Ok(count) => (Some(count), (Vec::new(), Exit::Done)),
        Err(ended) => (None, ended),
    };
    let Release { version, namespace, .. } = &ready.release;
    let all: Vec<Finding> = ready.warnings.iter().chain(&findings).cloned().collect();
    let value = json!({
        "outcome": outcome(exit),
        "from": ready.from.as_ref().map(ToString::to_string),
        "version": version.to_string(),
        "operatorNamespace": namespace,
        "applied": count,
        "findings": json_form::placeless(&all),
    });
    let done = format!("Azure Service Operator {version} is usable in {namespace}");
    engine::concluded(&value, (&findings, exit), &done, true, settings)
}

/// The release that is given.
fn release(args: &Args) -> Result<Release, Refusal> {
    if let Some(chart) = &args.chart {
        let rendered =
            rendered(args, chart).map_err(|why| unreadable(Path::new(chart), pages::unreadable(&why)))?;
        let release = Release::read(&[rendered]);
        let release = release.map_err(|finding| unreadable(Path::new(chart), *finding))?;
        let is_own = args.values.is_empty() && args.crd_pattern.is_none();
        return Ok(if is_own { release.without_pattern() } else { release });
    }
    let texts = args.manifest.iter().map(|path| text(path)).collect::<Result<Vec<String>, _>>()?;
    let first = args.manifest.first().cloned().unwrap_or_default();
    Release::read(&texts).map_err(|finding| unreadable(&first, *finding))
}

/// The manifest of a chart. A chart wants to know which CRDs to install.
fn rendered(args: &Args, chart: &str) -> Result<String, String> {
    let failed =
        |error: std::io::Error| format!("`helm` cannot be run ({error}): install it, or use --manifest");
    let pattern = args.crd_pattern.clone();
    let usual = || args.values.is_empty().then(|| permissions::crd_pattern(&permissions::planned(true)));
    let mut command = Command::new("helm");
    command.args(["template", "aso2", chart, "--namespace", &args.namespace, "--include-crds", "--no-hooks"]);
    for values in &args.values {
        command.arg("--values").arg(values);
    }
    let file = tempfile::NamedTempFile::new().map_err(failed)?;
    if let Some(pattern) = pattern.or_else(usual) {
        std::fs::write(file.path(), json!({ "crdPattern": pattern }).to_string()).map_err(failed)?;
        command.arg("--values").arg(file.path());
    }
    // What helm says goes to the user as it is.
    let output = command.stderr(std::process::Stdio::inherit()).output().map_err(failed)?;
    if !output.status.success() {
        return Err(format!("`helm template` ends with {}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|_| "`helm template` does not print text".to_owned())
}
