//! `landfall preflight`.

use std::path::PathBuf;

use landfall_diagnostics::Finding;

use super::accept::AcceptArgs;
use super::asking::{AskArgs, Live};
use super::create::{BasisArgs, judged, said};
use super::input::Reading;
use super::{Ended, Exit, Output, Settings};
use crate::preflight::Report;
use crate::prepare::{Error, Said, examine, preflight};
use crate::ui::{Judged, checks};

/// Check the cloud before an installation
///
/// Reads `install-config.yaml` in the cluster directory. Checks endpoints, trust, credentials, permissions,
/// region, zones, instance types, images, network, DNS and quotas. Changes nothing. Exit code 4 if a check
/// failed.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    basis: BasisArgs,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    accept: AcceptArgs,

    #[command(flatten)]
    asking: AskArgs,
}

/// Runs all checks and tells what came of each.
///
/// # Errors
/// Something outside of the input and the cloud went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let live = Live::new("preflight", Some(args.asking.limit()), &settings.printer);
    let basis = args.basis.basis(&directory, settings)?;
    let examined = examine(&directory, &basis, args.reading.into())?;
    let report = preflight(&directory, &examined, &basis, &args.asking.ask(&live))?;
    drop(live);
    let mut report = report.ok_or_else(|| Error::NoCloud { platform: examined.platform() })?;
    args.accept.say_unused(&report.accept(&args.accept.accept), settings);
    let findings = report.findings();
    let said = &examined.said;
    tell(&report, said, &Judged { findings: &findings, ..judged(said) }, settings)?;
    Ok(if report.passed() { Exit::Done } else { Exit::of_cloud(report.may_pass()) })
}

fn tell(report: &Report, accepted: &Said, judged: &Judged<'_>, settings: &Settings) -> anyhow::Result<()> {
    for checked in &report.checks {
        let took = checked.took.as_millis();
        settings.printer.detail(&format!("{}: {} ({took} ms)", checked.id, checked.message));
    }
    if settings.output == Output::Json {
        settings.printer.data(&checks::json(report, judged.text))?;
        return Ok(());
    }
    // What a check finds is told once.
    let is_found =
        |one: &Finding| judged.findings.iter().any(|found| (found.code, found.span) == (one.code, one.span));
    let mut warnings = accepted.again();
    warnings.findings.retain(|one| !is_found(one));
    said(&warnings, settings);
    settings.printer.data(&checks::text(report, judged, settings.printer.styles().data))?;
    settings.printer.talk(&checks::summary(report));
    Ok(())
}
