//! What matters here of the clusters that refer to profiles, which the API calls shoots.

use landfall_diagnostics::shortened;
use serde_json::Value;

use crate::types::{CLOUD_PROFILE, PRIVATE_CLOUD_PROFILE};

/// A reference to a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The kind of the profile.
    pub kind: String,
    /// The name of the profile.
    pub name: String,
}

impl Reference {
    /// The reference in the spec of a cluster: `cloudProfile`, whose kind may be left out, or the older
    /// `cloudProfileName`.
    #[must_use]
    pub fn of(spec: &Value) -> Option<Self> {
        let reference = spec.get("cloudProfile").unwrap_or(&Value::Null);
        let (kind, name) = match text(reference, "/name") {
            Some(name) => (text(reference, "/kind").unwrap_or(CLOUD_PROFILE), name),
            None => (CLOUD_PROFILE, text(spec, "/cloudProfileName")?),
        };
        Some(Self { kind: kind.to_owned(), name: name.to_owned() })
    }

    /// Whether it leads to the profile of this kind and name.
    #[must_use]
    pub fn is_to(&self, kind: &str, name: &str) -> bool {
        self.kind == kind && self.name == name
    }
}

/// A group of worker machines of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// The name of the group.
    pub name: String,
    /// The machine type.
    pub machine_type: Option<String>,
    /// Name and version of the machine image.
    pub image: Option<(String, String)>,
    /// The volume type.
    pub volume_type: Option<String>,
    /// The least number of machines.
    pub minimum: i64,
    /// The zones of machines of an `AzureInfrastructure`.
    pub zones: Vec<String>,
}

impl Worker {
    fn of(worker: &Value) -> Self {
        let owned = |path: &str| text(worker, path).map(str::to_owned);
        Self {
            name: owned("/name").unwrap_or_default(),
            machine_type: owned("/machine/type"),
            image: owned("/machine/image/name").zip(owned("/machine/image/version")),
            volume_type: owned("/volume/type"),
            minimum: worker.get("minimum").and_then(Value::as_i64).unwrap_or_default(),
            zones: Vec::new(),
        }
    }
}

/// The kind of object that a cluster is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterKind {
    /// A cluster of Gardener's.
    #[default]
    Shoot,
    /// A cluster's infrastructure in Azure.
    AzureInfrastructure,
}

impl ClusterKind {
    /// The name of the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shoot => "Shoot",
            Self::AzureInfrastructure => "AzureInfrastructure",
        }
    }
}

/// A cluster that refers to a profile.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shoot {
    /// The kind of object that it is.
    pub kind: ClusterKind,
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The profile that it refers to.
    pub profile: Option<Reference>,
    /// The version of Kubernetes.
    pub kubernetes: String,
    /// The region.
    pub region: String,
    /// The zones of an `AzureInfrastructure`.
    pub zones: Vec<String>,
    /// The groups of worker machines.
    pub workers: Vec<Worker>,
}

impl Shoot {
    /// What matters of the object of a cluster.
    #[must_use]
    pub fn of(object: &Value) -> Self {
        let owned = |path: &str| text(object, path).map(str::to_owned).unwrap_or_default();
        Self {
            kind: ClusterKind::Shoot,
            namespace: owned("/metadata/namespace"),
            name: owned("/metadata/name"),
            profile: object.get("spec").and_then(Reference::of),
            kubernetes: owned("/spec/kubernetes/version"),
            region: owned("/spec/region"),
            zones: Vec::new(),
            workers: entries(object, "/spec/provider/workers").map(Worker::of).collect(),
        }
    }

    /// What matters of an `AzureInfrastructure`: which profile it refers to, and what of that its plan uses, which its
    /// status says.
    #[must_use]
    pub fn of_infrastructure(object: &Value) -> Self {
        let owned = |path: &str| text(object, path).map(str::to_owned);
        let profile = owned("/spec/cloudProfileRef/name").map(|name| {
            let kind =
                owned("/spec/cloudProfileRef/kind").unwrap_or_else(|| PRIVATE_CLOUD_PROFILE.to_owned());
            Reference { kind, name }
        });
        let (namespace, name) = (owned("/metadata/namespace"), owned("/metadata/name"));
        let (namespace, name) = (namespace.unwrap_or_default(), name.unwrap_or_default());
        let zones = texts(object, "/status/zones");
        // Where an earlier version wrote the status, it names the zones of all types together.
        let worker = |machine: String| {
            let mut machines = entries(object, "/status/machines");
            let known = machines.find(|one| text(one, "/type") == Some(&machine));
            let zones = known.map_or_else(|| zones.clone(), |one| texts(one, "/zones"));
            Worker { machine_type: Some(machine), zones, ..Worker::default() }
        };
        let workers = texts(object, "/status/machineTypes").into_iter().map(worker).collect();
        let region = owned("/status/region").unwrap_or_default();
        let kind = ClusterKind::AzureInfrastructure;
        Self { kind, namespace, name, profile, region, zones, workers, ..Self::default() }
    }

    /// Whether it is an `AzureInfrastructure`.
    #[must_use]
    pub fn is_infrastructure(&self) -> bool {
        self.kind == ClusterKind::AzureInfrastructure
    }

    /// Its kind, namespace and name, as refusals show them.
    pub(super) fn shown(&self) -> String {
        format!("{} `{}/{}`", self.kind.name(), shortened(&self.namespace), shortened(&self.name))
    }

    /// Whether the cluster refers to the profile of this kind and name.
    #[must_use]
    pub fn refers_to(&self, kind: &str, name: &str) -> bool {
        self.profile.as_ref().is_some_and(|reference| reference.is_to(kind, name))
    }

    /// Whether a worker runs this version of a machine image.
    pub(super) fn runs_image(&self, name: &str, version: &str) -> bool {
        let mut images = self.workers.iter().filter_map(|worker| worker.image.as_ref());
        images.any(|(own, own_version)| own == name && own_version == version)
    }

    /// The least number of machines in all groups.
    pub(super) fn minimum(&self) -> i64 {
        self.workers.iter().fold(0, |sum, worker| sum.saturating_add(worker.minimum))
    }
}

/// The entries of a list.
fn entries<'a>(value: &'a Value, path: &str) -> impl Iterator<Item = &'a Value> {
    value.pointer(path).and_then(Value::as_array).into_iter().flatten()
}

/// The texts of a list.
fn texts(value: &Value, path: &str) -> Vec<String> {
    entries(value, path).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A text that is not empty.
fn text<'a>(value: &'a Value, path: &str) -> Option<&'a str> {
    value.pointer(path).and_then(Value::as_str).filter(|text| !text.is_empty())
}
