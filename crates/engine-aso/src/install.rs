//! Installs the operator in a management cluster, and upgrades it, from a release that the user gives.
//!
//! Nothing is written before all that can be known stands: the release is one, cert-manager runs, and the step from
//! the installed version is one that the operator supports. The end is a gate: the new operator runs, is usable, and
//! every object of a cluster that was Ready is Ready again.

mod apply;
mod health;
pub mod pages;
mod release;

use std::collections::BTreeMap;
use std::time::Duration;

use ::kube::Client;
use landfall_diagnostics::Finding;
use landfall_kube::Fault;
use landfall_model::azure::catalogue::{Catalogue, Cloud};
use semver::Version;
use tokio::time::Instant;

pub use apply::apply;
pub use health::{Gate, healthy};
pub use release::Release;

use crate::detect::look::{look, release::upgraded, running};
use crate::detect::permissions::{crd_pattern, planned, required};
use crate::detect::{self, Installer, Report, Verdict, Wanted};

/// How often is looked again at what is waited for.
const AGAIN: Duration = Duration::from_secs(2);

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// There is no operator yet.
    Install,
    /// A newer release takes the place of the one that landfall installed.
    Upgrade,
}

/// A release that may be applied.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The release, with the CRDs that it is to install.
    pub release: Release,
    /// The cloud that its operator serves.
    pub cloud: String,
    /// The version that is installed.
    pub from: Option<Version>,
    /// What must hold afterwards.
    pub gate: Gate,
    /// What is worth knowing.
    pub warnings: Vec<Finding>,
}

/// Why a release is not applied.
#[derive(Debug)]
pub enum Refused {
    /// All that stands against it.
    Findings(Vec<Finding>),
    /// The cluster does not answer, or does not permit to look.
    Fault(Fault),
}

impl From<Fault> for Refused {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// What is wanted of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What is to be done.
    pub step: Step,
    /// The cloud that it is to serve; by default that of the running operator, else the default cloud.
    pub cloud: Option<&'a str>,
    /// The clouds that there are.
    pub clouds: &'a Catalogue,
    /// Which CRDs it is to install itself; by default what the release says, else what the running operator has, else
    /// those that landfall needs.
    pub pattern: Option<&'a str>,
}

/// Looks whether a release may be installed, or may follow the installed one.
///
/// # Errors
/// What stands against it, or that the cluster does not answer.
pub async fn ready(client: &Client, release: Release, request: &Request<'_>) -> Result<Ready, Refused> {
    let clouds = request.clouds;
    let all = planned(true);
    let cluster = look(client, &all).await?;
    let operator = detect::running_cloud(&cluster, clouds);
    let cloud = request.cloud.or(operator).unwrap_or(clouds.default_cloud.as_str());
    let report = detect::detect(&cluster, &Wanted { cloud, namespace: "", kinds: &all }, clouds);
    let is_there = report.operator_namespace.is_some();
    let mut found = pages::unusable(&release.version);
    match clouds.cloud(cloud).filter(|(_, cloud)| detect::is_served(cloud)) {
        None => found.push(detect::pages::cloud(cloud)),
        Some(_) if is_there => {
            found.extend(report.findings.iter().filter(|one| detect::pages::is_other_cloud(one)).cloned());
        }
        Some(_) => {}
    }
    found.extend(misplaced(&release, request.step, &report));
    let installer = report.installer.unwrap_or(Installer::Other);
    if report.verdict != Verdict::Absent {
        let mut crds = Vec::new();
        if !release.offered().is_empty() {
            crds = upgraded(client, release.offered()).await?;
            crds.retain(|upgraded| release.offered().contains_key(&upgraded.crd.name));
        }
        found.extend(detect::upgrade(report.version.as_ref(), &release.version, Installer::Landfall, &crds));
        if is_there && installer != Installer::Landfall && request.step == Step::Upgrade {
            found.push(pages::not_ours(installer));
        }
    }
    if release.needs_cert_manager() && !running(client, "cert-manager-webhook").await? {
        found.push(pages::no_cert_manager());
    } else {
        found.extend(apply::unserved(client, &release).await?.iter().map(|kind| pages::unserved(kind)));
    }
    let own = release.pattern().map(str::to_owned);
    let running = if is_there && own.is_none() {
        release::running_pattern(client, &release.namespace).await?
    } else {
        None
    };
    let usual = || release.offered().is_empty().then(|| crd_pattern(&all));
    let pattern = request.pattern.map(str::to_owned).or(own).or(running).or_else(usual);
    let release = match pattern {
        Some(pattern) => release.with_pattern(&pattern),
        None => release,
    };
    let lacking: Vec<String> =
        required(false).into_iter().filter(|kind| !release.serves(kind)).map(detect::crd_name).collect();
    if !lacking.is_empty() {
        found.push(detect::pages::missing(&lacking, &crd_pattern(&all)));
    }
    if found.iter().any(Finding::is_error) {
        detect::pages::without_config(&mut found);
        return Err(Refused::Findings(found));
    }
    let kinds = all.into_iter().filter(|kind| release.serves(kind)).collect();
    let gate =
        if is_there { Gate::of(client, &release, kinds, &report).await? } else { Gate::serving(kinds) };
    let usual = clouds.cloud(cloud).map(|(_, cloud)| settings(cloud)).unwrap_or_default();
    let (release, cloud) = (release.with_settings(&usual), cloud.to_owned());
    Ok(Ready { release, cloud, from: report.version, gate, warnings: found })
}

/// What stands against this step in a cluster like this.
fn misplaced(release: &Release, step: Step, report: &Report) -> Option<Finding> {
    let is_own = report.installer == Some(Installer::Landfall);
    let is_same = report.version.as_ref() == Some(&release.version);
    match (step, report.operator_namespace.as_deref()) {
        (Step::Upgrade, _) if report.verdict == Verdict::Absent => Some(pages::not_installed()),
        (Step::Upgrade, None) => Some(pages::only_crds()),
        // An installation that was stopped goes on.
        (Step::Install, Some(namespace)) if !is_own || !is_same => {
            Some(pages::installed(report.version.as_ref(), namespace))
        }
        (_, Some(namespace)) if namespace != release.namespace => {
            Some(pages::elsewhere(&release.namespace, namespace))
        }
        // CRDs without an operator get one, unless they come with somebody else's.
        (Step::Install, None) if report.installer == Some(Installer::ClusterApi) => {
            Some(pages::installed(report.version.as_ref(), ""))
        }
        _ => None,
    }
}

/// The settings of a new operator for a cloud. They have no credential, because every object names its own.
fn settings(cloud: &Cloud) -> BTreeMap<&'static str, String> {
    let none =
        ["AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_ID"].map(|key| (key, String::new()));
    detect::endpoints_of(cloud).into_iter().map(|(key, url)| (key, url.to_owned())).chain(none).collect()
}

/// What is left of the time until then; none where it is over.
fn left(deadline: Instant) -> Option<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    (!left.is_zero()).then_some(left)
}
