//! What was seen of the operator in a management cluster, as values.

use std::collections::BTreeMap;

use semver::Version;

use super::super::kinds::Kind;
use super::version;

/// The name of the operator's Deployment, in whatever namespace.
pub const DEPLOYMENT: &str = "azureserviceoperator-controller-manager";
/// The name of the Secret with the operator's settings, in its namespace.
pub const SETTINGS: &str = "aso-controller-settings";
/// The label that every CRD of the operator carries, and its value.
pub const OF_OPERATOR: (&str, &str) = ("app.kubernetes.io/name", "azure-service-operator");

const VERSION: &str = "app.kubernetes.io/version";
/// The version as old releases write it.
const OLD_VERSION: &str = "serviceoperator.azure.com/version";
/// The label, with its value, of CRDs that came with the Cluster API provider.
const OF_PROVIDER: (&str, &str) = ("cluster.x-k8s.io/provider", "infrastructure-azure");
/// Where the Cluster API provider puts the operator.
const PROVIDER_NAMESPACE: &str = "capz-system";
/// The label, with its value, of a Deployment that landfall made.
const OF_LANDFALL: (&str, &str) = ("app.kubernetes.io/managed-by", "landfall");

/// The settings that name the cloud's endpoints: authority, resource manager, audience of its tokens.
pub(super) const ENDPOINTS: [&str; 3] =
    ["AZURE_AUTHORITY_HOST", "AZURE_RESOURCE_MANAGER_ENDPOINT", "AZURE_RESOURCE_MANAGER_AUDIENCE"];

/// The name of a kind's CRD.
#[must_use]
pub fn crd_name(kind: &Kind) -> String {
    format!("{}.{}", kind.plural, kind.group)
}

/// A CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Crd {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The versions that it serves.
    pub served: Vec<String>,
    /// The versions in which objects may be stored.
    pub stored: Vec<String>,
}

impl Crd {
    fn is_of_operator(&self) -> bool {
        has(&self.labels, OF_OPERATOR)
    }

    fn version(&self) -> Option<Version> {
        let own = self.labels.get(VERSION).filter(|_| self.is_of_operator());
        own.or_else(|| self.labels.get(OLD_VERSION)).and_then(|text| version::read(text))
    }
}

/// A Deployment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deployment {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: BTreeMap<String, String>,
    /// The image of its main container.
    pub image: String,
    /// How many of its replicas are available.
    pub available: u32,
}

/// What an operator is told by its settings, as far as it matters here: no credential is among it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// The cloud's authority, resource manager and audience; empty where the operator takes those of the
    /// public cloud.
    pub endpoints: [String; 3],
    /// The namespaces that it watches; none where it watches all.
    pub target_namespaces: Vec<String>,
    /// Whether it only answers webhooks, and watches nothing.
    pub only_webhooks: bool,
}

impl Settings {
    /// The settings that are in a Secret, of which `value` gives the text of a key.
    #[must_use]
    pub fn of(value: impl Fn(&str) -> Option<String>) -> Self {
        let text = |key: &str| value(key).unwrap_or_default().trim().to_owned();
        let namespaces = text("AZURE_TARGET_NAMESPACES");
        let named = namespaces.split(',').map(str::trim).filter(|name| !name.is_empty());
        Self {
            endpoints: ENDPOINTS.map(text),
            target_namespaces: named.map(str::to_owned).collect(),
            only_webhooks: text("AZURE_OPERATOR_MODE").eq_ignore_ascii_case("webhooks"),
        }
    }

    fn watch(&self, namespace: &str) -> bool {
        let targets = &self.target_namespaces;
        let is_target = || namespace.is_empty() || targets.iter().any(|target| target == namespace);
        !self.only_webhooks && (targets.is_empty() || is_target())
    }
}

/// What reading the settings of an operator came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reading {
    /// They were read.
    Read(Settings),
    /// Whoever asks may not read them.
    Refused,
}

/// Who installed an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Installer {
    /// This program.
    Landfall,
    /// The Cluster API provider for Azure, together with itself.
    ClusterApi,
    /// Somebody else.
    Other,
}

impl Installer {
    /// Who that is, in a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Landfall => "landfall",
            Self::ClusterApi => "cluster-api",
            Self::Other => "other",
        }
    }

    /// What to do for another version of the operator.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Landfall => "landfall installed it",
            Self::ClusterApi => "it came with the Cluster API provider for Azure, and changes with that",
            Self::Other => "landfall did not install it: ask its owner",
        }
    }
}

/// What was seen of the operator in a management cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cluster {
    /// CRDs: those of the operator, and those of the kinds that are needed.
    pub crds: Vec<Crd>,
    /// Deployments; those of other names do not count.
    pub deployments: Vec<Deployment>,
    /// The settings of the operators by namespace; without those that have none.
    pub settings: BTreeMap<String, Reading>,
}

impl Cluster {
    /// The operators.
    pub(super) fn operators(&self) -> Vec<&Deployment> {
        self.deployments.iter().filter(|one| one.name == DEPLOYMENT).collect()
    }

    /// Whether there is a CRD of the operator.
    pub(super) fn has_crds(&self) -> bool {
        self.crds.iter().any(Crd::is_of_operator)
    }

    /// The CRD of a kind.
    pub(super) fn crd(&self, kind: &Kind) -> Option<&Crd> {
        let name = crd_name(kind);
        self.crds.iter().find(|crd| crd.name == name)
    }

    /// Whether an operator watches a namespace, or any at all where that is empty. One that tells nothing of
    /// itself is taken to watch all, as operators do.
    pub(super) fn watches(&self, operator: &Deployment, namespace: &str) -> bool {
        match self.settings.get(&operator.namespace) {
            Some(Reading::Read(settings)) => settings.watch(namespace),
            Some(Reading::Refused) | None => true,
        }
    }

    /// The version of an operator: that of its image, else the one that is written on the CRDs.
    pub(super) fn version(&self, operator: Option<&Deployment>) -> Option<Version> {
        let of_image = operator.and_then(|operator| version::of_image(&operator.image));
        of_image.or_else(|| self.crds.iter().filter_map(Crd::version).max())
    }

    /// Who installed an operator, or the CRDs alone.
    pub(super) fn installer(&self, operator: Option<&Deployment>) -> Installer {
        let provided = || self.crds.iter().any(|crd| crd.is_of_operator() && has(&crd.labels, OF_PROVIDER));
        match operator {
            Some(operator) if has(&operator.labels, OF_LANDFALL) => Installer::Landfall,
            Some(operator) if operator.namespace == PROVIDER_NAMESPACE => Installer::ClusterApi,
            _ if provided() => Installer::ClusterApi,
            // An installation that was stopped.
            None if self.crds.iter().any(|crd| crd.is_of_operator() && has(&crd.labels, OF_LANDFALL)) => {
                Installer::Landfall
            }
            _ => Installer::Other,
        }
    }
}

fn has(labels: &BTreeMap<String, String>, (key, value): (&str, &str)) -> bool {
    labels.get(key).is_some_and(|found| found == value)
}
