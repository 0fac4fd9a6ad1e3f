//! `landfall aso check`.

use std::path::{Path, PathBuf};

use landfall_diagnostics::{Finding, shortened};
use landfall_engine_aso::detect::look::release::{Offered, offered};
use landfall_engine_aso::detect::{self, Installer, Report, Verdict, Wanted, pages, permissions};
use landfall_model::azure::catalogue::Catalogue as Clouds;
use landfall_model::catalogue::Catalogue;
use semver::Version;
use serde_json::json;

use super::manage::{Meant, NameArgs};
use super::management::{ASKING, Driver, KubeconfigArgs, Management, Refused};
use super::settings::{Machines, text, unreadable};
use crate::cli::destroy::basis;
use crate::cli::{Ended, Exit, Output, Settings, engine};
use crate::prepare::{self, Refusal};
use crate::ui::layout::table;
use crate::ui::{json as json_form, watched};

/// Check a management cluster
///
/// Checks the operator, its version, its kinds and its cloud. With a namespace, also checks that exactly one
/// operator watches it, and the permissions for its clusters. With an infrastructure ID, checks the
/// permissions for that cluster. Changes nothing.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    name: NameArgs,

    #[command(flatten)]
    kubeconfig: KubeconfigArgs,

    /// Who creates the machines
    #[arg(long, value_enum, value_name = "WHO", default_value_t = Machines::None)]
    machines: Machines,

    /// Cloud of the operator; default: from the cluster directory, else the public cloud
    #[arg(long, value_name = "NAME")]
    cloud_name: Option<String>,

    /// Catalogue overlay file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    catalogue: Option<PathBuf>,

    /// Check an upgrade of the operator to this version, such as v2.19.0
    #[arg(long, value_name = "VERSION", value_parser = version)]
    upgrade_to: Option<Version>,

    /// File with the CRDs of that release, to check stored versions
    #[arg(long, value_name = "FILE", requires = "upgrade_to", value_hint = clap::ValueHint::FilePath)]
    upgrade_crds: Option<PathBuf>,
}

fn version(text: &str) -> Result<Version, String> {
    detect::read_version(text).ok_or_else(|| "use a version such as `v2.19.0`".to_owned())
}

/// Looks, and tells what was found.
///
/// # Errors
/// A stream cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = basis(args.catalogue.as_ref(), &directory)?;
    let release = args.upgrade_crds.as_deref().map(release).transpose()?;
    let mut meant = args.name.meant(settings)?;
    if let Some(name) = &args.cloud_name {
        meant.cloud = Some(known(name, &basis.catalogue.azure)?);
    }
    let runtime = prepare::runtime()?;
    let looked = looked(args, &meant, &basis.catalogue, release.as_ref());
    let looked = runtime.block_on(watched(&settings.printer, ASKING, None, looked));
    runtime.shutdown_background();
    let report = looked?;
    let cloud = meant.cloud.as_deref().filter(|name| !name.is_empty());
    let cloud = cloud.unwrap_or(basis.catalogue.azure.default_cloud.as_str());
    told(args, &meant, cloud, &report, settings)
}

/// The versions of the CRDs in a file.
fn release(path: &Path) -> Result<Offered, Refusal> {
    offered(&text(path)?).map_err(|why| unreadable(path, pages::release(why)))
}

/// The name of a cloud, in letters of any case, as the catalogue has it.
pub(super) fn known(name: &str, clouds: &Clouds) -> Result<String, Ended> {
    let found = clouds.clouds.keys().find(|known| known.eq_ignore_ascii_case(name));
    found.cloned().ok_or_else(|| {
        let all: Vec<&str> = clouds.clouds.keys().map(String::as_str).collect();
        let known = all.join(", ");
        Ended::Usage(format!("--cloud-name: unknown cloud `{}`; known are {known}", shortened(name)))
    })
}

async fn looked(
    args: &Args,
    meant: &Meant,
    catalogue: &Catalogue,
    release: Option<&Offered>,
) -> Result<Report, Refused> {
    let unanswered = |findings: Vec<Finding>| (findings, Exit::Unfit);
    let management = Management::of(args.kubeconfig.kubeconfig.as_deref())?;
    let machines = args.machines == Machines::Aso;
    let kinds = permissions::required(machines);
    let Meant { infra_id, namespace, cloud } = meant;
    let wanted = Wanted { cloud: cloud.as_deref().unwrap_or_default(), namespace, kinds: &kinds };
    let driver = Driver { infra_id: infra_id.as_deref(), machines };
    let driver = Some(driver).filter(|_| !namespace.is_empty());
    let mut report = management.examine(&wanted, driver, catalogue).await.map_err(unanswered)?;
    pages::without_config(&mut report.findings);
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
    Meant { infra_id, namespace, .. }: &Meant,
    cloud: &str,
    report: &Report,
    settings: &Settings,
) -> Result<Exit, Ended> {
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
            "cloud": cloud,
            "upgrade": to.map(|to| json!({ "to": to, "storedVersionsCompared": compared })),
            "findings": json_form::placeless(&report.findings),
        });
        format!("{value}\n")
    } else {
        let not_named = || "not checked: no cluster is set".to_owned();
        let stored = if compared { "compared" } else { "not compared: set the CRDs with --upgrade-crds" };
        let rights = match (infra_id, namespace) {
            (Some(id), _) => format!("those for {id}"),
            (None, Some(namespace)) => format!("those for all clusters in {namespace}"),
            (None, None) => not_named(),
        };
        let rows = [
            ("verdict", Some(report.verdict.name().to_owned())),
            ("operator", report.operator_namespace.clone()),
            ("version", version),
            ("installed by", installer.map(str::to_owned)),
            ("cloud", Some(cloud.to_owned())),
            ("namespace", Some(namespace.cloned().unwrap_or_else(not_named))),
            ("rights", Some(rights)),
            ("upgrade to", to.clone()),
            ("stored versions", to.map(|_| stored.to_owned())),
        ];
        let rows = rows.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        table(&rows.collect::<Vec<(String, String)>>(), 0, settings.printer.styles().data)
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
    fn a_cloud_is_one_of_the_catalogue() {
        let clouds = &Catalogue::embedded().azure;
        assert_eq!(known("azureusgovernmentcloud", clouds).ok().as_deref(), Some("AzureUSGovernmentCloud"));
        for wrong in ["", "Foo"] {
            let why = if let Err(Ended::Usage(why)) = known(wrong, clouds) { why } else { String::new() };
            assert!(why.contains("AzurePublicCloud") && why.contains("AzureChinaCloud"), "{why}");
        }
    }

    #[test]
    fn a_version_is_written_as_releases_are() {
        assert_eq!(version("v2.19.0"), Ok(Version::new(2, 19, 0)));
        assert_eq!(version("2.19.0"), version("v2.19.0"));
        for wrong in ["", "2.19", "vv2.19.0", "latest"] {
            assert!(version(wrong).is_err(), "{wrong}");
        }
    }
}
