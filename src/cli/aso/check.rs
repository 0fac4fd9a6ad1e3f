//! `landfall aso check`.

use std::path::{Path, PathBuf};

use semver::Version;
use serde_json::json;

use super::manage::NameArgs;
use super::management::{KubeconfigArgs, Management, refuse, rights};
use super::settings::{Machines, text, unreadable};
use crate::catalogue::Catalogue;
use crate::cli::create::refused;
use crate::cli::{Exit, Output, Settings, engine};
use crate::engine::aso::detect::look::release::{Offered, offered};
use crate::engine::aso::detect::{self, Installer, Report, Verdict, Wanted, pages, permissions};
use crate::finding::Finding;
use crate::prepare::{self, Basis, BasisOptions, Refusal};
use crate::ui::json as json_form;
use crate::ui::layout::table;

/// Look whether a management cluster can have clusters, and write nothing
///
/// Looks at the operator, its version, its kinds and the cloud that it is set up for; with a namespace, whether
/// exactly one operator watches it; with an infrastructure id, whether the rights for that cluster are there.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    name: NameArgs,

    #[command(flatten)]
    kubeconfig: KubeconfigArgs,

    /// Who makes the machines
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Machines::None)]
    machines: Machines,

    /// Name of the cloud that the operator is to serve; the public one unless given
    #[arg(long, value_name = "NAME")]
    cloud_name: Option<String>,

    /// Lay this file over the catalogue
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    catalogue: Option<PathBuf>,

    /// Say what stands against an upgrade of the operator to this version, such as v2.19.0
    #[arg(long, value_name = "VERSION", value_parser = version)]
    upgrade_to: Option<Version>,

    /// The CRDs of that release, to compare the versions in which objects are stored
    #[arg(long, value_name = "FILE", requires = "upgrade_to", value_hint = clap::ValueHint::FilePath)]
    upgrade_crds: Option<PathBuf>,
}

fn version(text: &str) -> Result<Version, String> {
    detect::read_version(text).ok_or_else(|| "give a version such as `v2.19.0`".to_owned())
}

/// For whom it is looked: an infrastructure id, where it is known, and a namespace, which may be empty.
type Place = (Option<String>, String);

/// Looks, and tells what was found.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let options = BasisOptions { overlay: args.catalogue.clone(), ..BasisOptions::default() };
    let read = Basis::new(&options, &directory).and_then(|basis| {
        let release = args.upgrade_crds.as_deref().map(release).transpose()?;
        Ok((basis, release))
    });
    let (basis, release) = match read {
        Ok(read) => read,
        Err(refusal) => return refused(refusal, settings),
    };
    let place = args.name.place(settings).unwrap_or_default();
    let runtime = prepare::runtime()?;
    let looked = runtime.block_on(looked(args, &place, &basis.catalogue, release.as_ref()));
    runtime.shutdown_background();
    match looked {
        Ok(report) => told(args, &place, &report, settings),
        Err((findings, exit)) => refuse(&findings, exit, settings),
    }
}

/// The versions of the CRDs in a file.
fn release(path: &Path) -> Result<Offered, Refusal> {
    offered(&text(path)?).map_err(|why| unreadable(path, pages::release(why)))
}

async fn looked(
    args: &Args,
    (infra_id, namespace): &Place,
    catalogue: &Catalogue,
    release: Option<&Offered>,
) -> Result<Report, (Vec<Finding>, Exit)> {
    let unanswered = |findings: Vec<Finding>| (findings, Exit::Unfit);
    let management = Management::of(args.kubeconfig.kubeconfig.as_deref());
    let management = management.map_err(|(finding, exit)| (vec![*finding], exit))?;
    let machines = args.machines == Machines::Aso;
    let kinds = permissions::planned(machines);
    let wanted = Wanted { cloud: args.cloud_name.as_deref().unwrap_or_default(), namespace, kinds: &kinds };
    let rights = infra_id.as_deref().map(|id| rights(Some(id), machines)).unwrap_or_default();
    let mut report = management.examine(&wanted, &rights, catalogue).await.map_err(unanswered)?;
    if let Some(to) = args.upgrade_to.as_ref().filter(|_| report.verdict != Verdict::Absent) {
        let crds = match release {
            Some(release) => management.upgraded(release).await.map_err(unanswered)?,
            None => Vec::new(),
        };
        let installer = report.installer.unwrap_or(Installer::Other);
        report.findings.extend(detect::upgrade(report.version.as_ref(), to, installer, &crds));
    }
    Ok(report)
}

/// Tells what was found.
fn told(
    args: &Args,
    (infra_id, namespace): &Place,
    report: &Report,
    settings: &Settings,
) -> anyhow::Result<Exit> {
    let version = report.version.as_ref().map(Version::to_string);
    let installer = report.installer.map(Installer::name);
    let namespace = Some(namespace).filter(|name| !name.is_empty());
    let to = args.upgrade_to.as_ref().map(Version::to_string);
    let compared = args.upgrade_crds.is_some();
    let text = if settings.output == Output::Json {
        let value = json!({
            "verdict": report.verdict.name(),
            "operatorNamespace": report.operator_namespace,
            "version": version,
            "installer": installer,
            "infraID": infra_id,
            "namespace": namespace,
            "upgrade": to.map(|to| json!({ "to": to, "storedVersionsCompared": compared })),
            "findings": json_form::placeless(&report.findings),
        });
        format!("{value}\n")
    } else {
        let not_named = || "not looked at: no cluster is named".to_owned();
        let stored = if compared { "compared" } else { "not compared: name the CRDs with --upgrade-crds" };
        let rows = [
            ("verdict", Some(report.verdict.name().to_owned())),
            ("operator", report.operator_namespace.clone()),
            ("version", version),
            ("installed by", installer.map(str::to_owned)),
            ("namespace", Some(namespace.cloned().unwrap_or_else(not_named))),
            ("rights", Some(infra_id.as_ref().map_or_else(not_named, |id| format!("those for {id}")))),
            ("stored versions", to.as_ref().map(|_| stored.to_owned())),
            ("upgrade to", to),
        ];
        let rows = rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        table(&rows.collect::<Vec<(String, String)>>(), 0)
    };
    settings.printer.data(&text)?;
    engine::report(&report.findings, settings);
    let at_fault = report.findings.iter().any(Finding::is_error);
    Ok(if at_fault { Exit::Unfit } else { Exit::Done })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_written_as_releases_are() {
        assert_eq!(version("v2.19.0"), Ok(Version::new(2, 19, 0)));
        assert_eq!(version("2.19.0"), version("v2.19.0"));
        for wrong in ["", "2.19", "vv2.19.0", "latest"] {
            assert!(version(wrong).is_err(), "{wrong}");
        }
    }
}
