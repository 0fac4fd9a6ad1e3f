//! What is looked at before anything is written: whether the operator is there and runs, which version and
//! which kinds it serves, whether it watches the namespace, and of which cloud it is.
//!
//! An operator is used as it is or refused, never changed.

mod cloud;
pub mod look;
pub mod pages;
pub mod permissions;
mod seen;
mod version;

use std::collections::BTreeMap;

use semver::Version;

pub use cloud::{endpoints_of, is_served, running_cloud, unserved};
pub use seen::{Cluster, Crd, DEPLOYMENT, Deployment, Installer, Reading, SETTINGS, Settings, crd_name};
pub use version::{MINIMUM, TESTED, Upgraded, read as read_version, upgrade, version_of};

use super::kinds::Kind;
use landfall_diagnostics::{Finding, Severity};
use landfall_model::azure::catalogue::{Catalogue, Cloud};

/// What an operator is wanted for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The cloud of the install config; empty for the default cloud.
    pub cloud: &'a str,
    /// The namespace of the cluster's objects; empty where no cluster is meant.
    pub namespace: &'a str,
    /// The kinds of these objects.
    pub kinds: &'a [&'static Kind],
}

/// What an operator is good for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// It can be used.
    #[default]
    Usable,
    /// There is none.
    Absent,
    /// It cannot serve this cluster: the cloud, its version or its kinds are not those needed.
    Incompatible,
    /// It serves somebody else: other namespaces, another cloud, or not alone.
    Conflict,
    /// It does not run.
    Unhealthy,
}

impl Verdict {
    /// The verdict in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Usable => "ok",
            Self::Absent => "absent",
            Self::Incompatible => "incompatible",
            Self::Conflict => "conflict",
            Self::Unhealthy => "unhealthy",
        }
    }
}

/// What was found out.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// What the operator is good for; the first error of `findings` is the reason.
    pub verdict: Verdict,
    /// The operator's namespace, where there is one.
    pub operator_namespace: Option<String>,
    /// The operator's version, where it is known.
    pub version: Option<Version>,
    /// Who installed it, where it is there.
    pub installer: Option<Installer>,
    /// The version in which objects of a kind are written, by the name of the kind's CRD.
    pub versions: BTreeMap<String, &'static str>,
    /// The CRDs that are missing.
    pub missing: Vec<String>,
    /// All that stands against its use, and all that is worth knowing.
    pub findings: Vec<Finding>,
}

impl Report {
    /// What is worth knowing although it stands against nothing.
    pub fn warnings(&self) -> impl Iterator<Item = &str> {
        let warnings = self.findings.iter().filter(|finding| finding.severity == Severity::Warning);
        warnings.map(|finding| finding.message.as_str())
    }

    fn refuse(&mut self, verdict: Verdict, finding: Finding) {
        if self.verdict == Verdict::Usable {
            self.verdict = verdict;
        }
        self.findings.push(finding);
    }

    fn judge_running(&mut self, operator: Option<&Deployment>) {
        match operator {
            None => self.refuse(Verdict::Unhealthy, pages::no_operator()),
            Some(operator) if operator.available == 0 => {
                self.refuse(Verdict::Unhealthy, pages::not_available(operator));
            }
            Some(_) => {}
        }
    }

    fn judge_version(&mut self, version: Option<Version>, installer: Installer) {
        match &version {
            None => self.findings.push(pages::no_version()),
            Some(version) if version::release(version) < version::release(&MINIMUM) => {
                self.refuse(Verdict::Incompatible, pages::too_old(version, installer));
            }
            Some(version) if version.major != TESTED.0 => {
                self.refuse(Verdict::Incompatible, pages::unknown_major(version, installer));
            }
            Some(version) if version.minor > TESTED.1 => self.findings.push(pages::untested(version)),
            Some(_) => {}
        }
        self.version = version;
    }

    fn judge_kinds(&mut self, cluster: &Cluster, kinds: &[&'static Kind]) {
        let mut unserved = Vec::new();
        for kind in kinds {
            let name = crd_name(kind);
            let Some(crd) = cluster.crd(kind) else {
                self.missing.push(name);
                continue;
            };
            let served = kind.versions.into_iter().find(|version| crd.served.iter().any(|s| s == version));
            match served {
                Some(version) => {
                    self.versions.insert(name, version);
                }
                None => unserved.push(*kind),
            }
        }
        if !self.missing.is_empty() {
            let finding = pages::missing(&self.missing, &permissions::crd_pattern(kinds));
            self.refuse(Verdict::Incompatible, finding);
        }
        if !unserved.is_empty() {
            self.refuse(Verdict::Incompatible, pages::unserved(&unserved));
        }
    }

    fn judge_watching(&mut self, watching: &[&Deployment], namespace: &str) {
        match watching {
            [] => self.refuse(Verdict::Conflict, pages::nobody_watches(namespace)),
            [_] => {}
            several => self.refuse(Verdict::Conflict, pages::several_watch(several, namespace)),
        }
    }

    fn judge_cloud(
        &mut self,
        reading: Option<&Reading>,
        namespace: &str,
        (name, wanted): (&str, &Cloud),
        clouds: &Catalogue,
    ) {
        match reading {
            Some(Reading::Read(settings)) => {
                if let Some(other) = cloud::other(settings, wanted, clouds) {
                    self.refuse(Verdict::Conflict, pages::other_cloud(&other, name));
                }
            }
            Some(Reading::Refused) => self.findings.push(pages::settings_refused(namespace)),
            None => self.findings.push(pages::no_settings(namespace)),
        }
    }
}

/// Says whether the operator of a management cluster can be used for what is wanted, and what stands against
/// it. Where several things do, the one that must be put right first gives the verdict.
#[must_use]
pub fn detect(cluster: &Cluster, wanted: &Wanted<'_>, clouds: &Catalogue) -> Report {
    let mut report = Report::default();
    let cloud = clouds.cloud(wanted.cloud).filter(|(_, cloud)| is_served(cloud));
    if cloud.is_none() {
        report.refuse(Verdict::Incompatible, pages::cloud(wanted.cloud));
    }
    let operators = cluster.operators();
    if operators.is_empty() && !cluster.has_crds() {
        report.refuse(Verdict::Absent, pages::absent(&permissions::crd_pattern(wanted.kinds)));
        return report;
    }
    let watches = |operator: &&Deployment| cluster.watches(operator, wanted.namespace);
    let watching: Vec<&Deployment> = operators.iter().copied().filter(watches).collect();
    // The one that would do the work; without one that watches, what is said holds for any.
    let meant = if watching.is_empty() { &operators } else { &watching };
    let operator = meant.iter().find(|operator| operator.available > 0).or(meant.first()).copied();
    let installer = cluster.installer(operator);
    report.operator_namespace = operator.map(|operator| operator.namespace.clone());
    report.installer = Some(installer);
    report.judge_running(operator);
    report.judge_version(cluster.version(operator), installer);
    report.judge_kinds(cluster, wanted.kinds);
    let is_for_cluster = !wanted.namespace.is_empty();
    if is_for_cluster && !operators.is_empty() {
        report.judge_watching(&watching, wanted.namespace);
    }
    // Which of several is meant, only a namespace can say.
    if let Some(cloud) = cloud.filter(|_| is_for_cluster || watching.len() == 1) {
        for operator in watching {
            let namespace = operator.namespace.as_str();
            report.judge_cloud(cluster.settings.get(namespace), namespace, cloud, clouds);
        }
    }
    report
}

#[cfg(test)]
mod tests;
