//! The manifests as files: a Kustomize base, a Helm chart, an OLM bundle. All of them come from the objects of
//! [`manifests`].

mod about;
mod helm;
mod olm;
#[cfg(test)]
mod tests;

use landfall_render::yaml;
use serde_json::{Value, json};

use super::manifests::{Deployed, manifests};

/// The kind of a definition of a kind.
const CRD: &str = "CustomResourceDefinition";

/// The first version of Kubernetes that knows all fields of the manifests.
const MIN_KUBERNETES: &str = "1.27.0";

/// How the manifests are packaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packaging {
    /// A base for Kustomize.
    Kustomize,
    /// A chart for Helm.
    Helm,
    /// A bundle for the Operator Lifecycle Manager.
    Olm,
}

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageFile {
    /// The path inside of the package, with `/` between folders.
    pub path: String,
    /// The content.
    pub text: String,
}

impl PackageFile {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }
}

/// All files of a package. In a chart and in a bundle, whoever installs it chooses the operator's namespace.
#[must_use]
pub fn package(deployed: &Deployed, packaging: Packaging) -> Vec<PackageFile> {
    match packaging {
        Packaging::Kustomize => kustomize(&manifests(deployed)),
        Packaging::Helm => helm::chart(deployed),
        Packaging::Olm => olm::bundle(deployed),
    }
}

fn kustomize(objects: &[Value]) -> Vec<PackageFile> {
    let mut files: Vec<PackageFile> =
        objects.iter().map(|object| PackageFile::new(file_name(object), yaml(object))).collect();
    let resources: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let base = json!({
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": resources,
    });
    files.push(PackageFile::new("kustomization.yaml", yaml(&base)));
    files
}

/// The name of an object's file, which no other object has.
fn file_name(object: &Value) -> String {
    let text = |path: &str| object.pointer(path).and_then(Value::as_str).unwrap_or_default().to_lowercase();
    let mut parts = vec![text("/kind"), text("/metadata/name")];
    if matches!(object["kind"].as_str(), Some("Role" | "RoleBinding")) {
        parts.push(text("/metadata/namespace"));
    }
    format!("{}.yaml", parts.join("-"))
}
