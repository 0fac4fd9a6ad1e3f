//! A release of the operator: the objects of its manifest.

use std::collections::{BTreeMap, BTreeSet};

use ::kube::Client;
use landfall_diagnostics::Finding;
use landfall_kube::Fault;
use semver::Version;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

use super::pages;
use crate::detect::look::release::Offered;
use crate::detect::look::{CONTAINER, container, operator_in};
use crate::detect::{DEPLOYMENT, SETTINGS, crd_name, version_of};
use crate::drive::text;
use crate::kinds::Kind;

/// Where the operator's own releases are.
const NAMESPACE: &str = "azureserviceoperator-system";
/// The operator's argument for the CRDs that it installs.
const PATTERN: &str = "--crd-pattern";
/// Kinds in the order in which they are applied; others come before the last two.
const ORDER: [&str; 12] = [
    "Namespace",
    "CustomResourceDefinition",
    "ServiceAccount",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "ConfigMap",
    "Secret",
    "Service",
    "Issuer",
    "Certificate",
];
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];
/// Kinds of the whole cluster among those of a release.
const OF_CLUSTER: [&str; 7] = [
    "Namespace",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "PriorityClass",
];

/// A release of the operator.
#[derive(Clone)]
pub struct Release {
    /// Its objects, in the order in which they are applied.
    objects: Vec<Value>,
    /// The namespace of the operator.
    pub namespace: String,
    /// Its version.
    pub version: Version,
    offered: Offered,
}

/// Without the objects: a release may have a Secret.
impl std::fmt::Debug for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "release {} in {}", self.version, self.namespace)
    }
}

impl Release {
    /// The release in the YAML documents of these texts.
    ///
    /// # Errors
    /// They are not a release of the operator; nothing of the text is in the finding.
    pub fn read(texts: &[String]) -> Result<Self, Box<Finding>> {
        let refuse = |why: &str| Box::new(pages::unreadable(why));
        let mut objects = Vec::new();
        for document in texts.iter().flat_map(|text| serde_yaml::Deserializer::from_str(text)) {
            let read = Option::<Value>::deserialize(document);
            let read = read.map_err(|_| refuse("it is not a YAML file of Kubernetes objects"))?;
            objects.extend(read.into_iter().flat_map(flattened));
        }
        if objects.iter().any(|object| text(object, "/kind").is_empty() || name(object).is_empty()) {
            return Err(refuse("a document has no kind or no name"));
        }
        // The server would repeat them in its answer.
        if objects.iter().any(|object| text(object, "/kind") == "Secret" && !has_texts(object)) {
            return Err(refuse("a Secret has a value that is not a string: write it in quotes"));
        }
        let operator = objects.iter().find(|object| is_operator(object));
        let operator = operator.ok_or_else(|| refuse(&format!("it has no Deployment `{DEPLOYMENT}`")))?;
        let label = || text(operator, "/metadata/labels/app.kubernetes.io~1version");
        let image = container(operator).map(|container| text(container, "/image")).unwrap_or_default();
        let version = version_of(image, label());
        let version = version.ok_or_else(|| refuse("neither its image nor its labels have a version"))?;
        let namespace = match text(operator, "/metadata/namespace") {
            "" => NAMESPACE.to_owned(),
            namespace => namespace.to_owned(),
        };
        let is_namespace = |object: &Value| text(object, "/kind") == "Namespace" && name(object) == namespace;
        if !objects.iter().any(is_namespace) {
            objects
                .push(json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": namespace } }));
        }
        objects.sort_by_key(rank);
        for object in &mut objects {
            let mut metadata = json!({ "labels": { "app.kubernetes.io/managed-by": "landfall" } });
            let kind = text(object, "/kind");
            if !OF_CLUSTER.contains(&kind) && text(object, "/metadata/namespace").is_empty() {
                json_patch::merge(&mut metadata, &json!({ "namespace": namespace }));
            }
            json_patch::merge(object, &json!({ "metadata": metadata }));
        }
        let offered = objects.iter().filter(|object| text(object, "/kind") == "CustomResourceDefinition");
        let offered = offered.map(|crd| (name(crd).to_owned(), versions(crd))).collect();
        Ok(Self { objects, namespace, version, offered })
    }

    /// The versions of the CRDs in it.
    #[must_use]
    pub fn offered(&self) -> &Offered {
        &self.offered
    }

    /// Its objects, in the order in which they are applied.
    pub fn objects(&self) -> impl Iterator<Item = &Value> {
        self.objects.iter()
    }

    /// The same release with a Secret for the operator's settings, in which these are set unless it has others.
    #[must_use]
    pub fn with_settings(mut self, settings: &BTreeMap<&'static str, String>) -> Self {
        if !self.objects().any(is_settings) {
            let metadata = json!({
                "name": SETTINGS, "namespace": self.namespace, "labels": { "app.kubernetes.io/managed-by": "landfall" },
            });
            self.objects.push(json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata }));
            self.objects.sort_by_key(rank);
        }
        for secret in self.objects.iter_mut().filter(|object| is_settings(object)) {
            let is_set = |key: &str| {
                let of = |field: &str| secret.get(field).and_then(|values| values.get(key)?.as_str());
                ["data", "stringData"].into_iter().filter_map(of).any(|value| !value.is_empty())
            };
            let missing: Map<String, Value> = settings
                .iter()
                .filter(|(key, _)| !is_set(key))
                .map(|(key, value)| ((*key).to_owned(), json!(value)))
                .collect();
            json_patch::merge(secret, &json!({ "stringData": missing }));
        }
        self
    }

    /// The kinds of its objects that its own CRDs do not bring: API version and kind.
    pub(super) fn foreign_kinds(&self) -> BTreeSet<(&str, &str)> {
        let crds = self.objects().filter(|object| text(object, "/kind") == "CustomResourceDefinition");
        let own: BTreeSet<(&str, &str)> =
            crds.map(|crd| (text(crd, "/spec/group"), text(crd, "/spec/names/kind"))).collect();
        let all = self.objects().map(|object| (text(object, "/apiVersion"), text(object, "/kind")));
        all.filter(|(version, kind)| !own.contains(&(version.rsplit_once('/').unwrap_or_default().0, *kind)))
            .collect()
    }

    /// Whether its operator will serve a kind: its pattern covers it, or the release has its CRD.
    pub(super) fn serves(&self, kind: &Kind) -> bool {
        let wanted = format!("{}/{}", kind.group, kind.kind);
        let covered = |pattern: &str| pattern.split(';').any(|glob| matches(glob.trim(), &wanted));
        self.offered.contains_key(&crd_name(kind)) || self.pattern().is_some_and(covered)
    }

    /// Whether its webhooks have certificates of cert-manager.
    #[must_use]
    pub fn needs_cert_manager(&self) -> bool {
        self.objects().any(|object| text(object, "/apiVersion").starts_with("cert-manager.io/"))
    }

    fn operator(&self) -> Option<&Value> {
        self.objects().find(|object| is_operator(object))
    }

    /// Which CRDs the operator installs, where the release says it.
    #[must_use]
    pub fn pattern(&self) -> Option<&str> {
        self.operator().and_then(pattern)
    }

    /// The same release, of which it is not known which CRDs its operator installs.
    #[must_use]
    pub fn without_pattern(self) -> Self {
        self.with_pattern("")
    }

    /// The same release whose operator installs these CRDs.
    #[must_use]
    pub fn with_pattern(mut self, wanted: &str) -> Self {
        for operator in self.objects.iter_mut().filter(|object| is_operator(object)) {
            let Some(containers) = operator.pointer_mut("/spec/template/spec/containers") else { continue };
            let mut containers = containers.as_array_mut().into_iter().flatten();
            let Some(container) = containers.find(|one| text(one, "/name") == CONTAINER) else { continue };
            let mut arguments = container.get("args").and_then(Value::as_array).cloned().unwrap_or_default();
            arguments.retain(|argument| !argument.as_str().unwrap_or_default().starts_with(PATTERN));
            arguments.push(json!(format!("{PATTERN}={wanted}")));
            container["args"] = Value::Array(arguments);
        }
        self
    }
}

/// The pattern of the operator that runs in a namespace.
pub(super) async fn running_pattern(client: &Client, namespace: &str) -> Result<Option<String>, Fault> {
    let running = operator_in(client, namespace).await?;
    Ok(running.as_ref().and_then(pattern).map(str::to_owned))
}

fn is_operator(object: &Value) -> bool {
    text(object, "/kind") == "Deployment" && name(object) == DEPLOYMENT
}

/// Whether an object is the Secret with the operator's settings.
pub(super) fn is_settings(object: &Value) -> bool {
    text(object, "/kind") == "Secret" && name(object) == SETTINGS
}

/// Whether the values of a Secret are strings.
fn has_texts(secret: &Value) -> bool {
    let of = |field: &str| secret.get(field).and_then(Value::as_object).into_iter().flatten();
    of("data").chain(of("stringData")).all(|(_, value)| value.is_string() || value.is_null())
}

/// Whether a text is one of a glob with `*`, in letters of any case, as the operator has it.
fn matches(glob: &str, text: &str) -> bool {
    let (glob, text) = (glob.to_ascii_lowercase(), text.to_ascii_lowercase());
    let mut parts = glob.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    if !glob.contains('*') {
        return rest.is_empty();
    }
    let mut last = "";
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        (rest, last) = (after, part);
    }
    rest.is_empty() || last.is_empty() || text.ends_with(last)
}

/// The objects of a document, which may be a list.
fn flattened(document: Value) -> Vec<Value> {
    match document {
        Value::Object(mut list) if list.get("kind").is_some_and(|kind| kind == "List") => {
            match list.remove("items") {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            }
        }
        Value::Null => Vec::new(),
        object => vec![object],
    }
}

fn rank(object: &Value) -> usize {
    let kind = text(object, "/kind");
    let last = || LAST.contains(&kind).then_some(ORDER.len() + 1);
    ORDER.iter().position(|known| *known == kind).or_else(last).unwrap_or(ORDER.len())
}

fn pattern(operator: &Value) -> Option<&str> {
    let mut arguments = container(operator)?.get("args")?.as_array()?.iter().filter_map(Value::as_str);
    arguments
        .find_map(|argument| argument.strip_prefix(PATTERN)?.strip_prefix('='))
        .filter(|text| !text.is_empty())
}

fn versions(crd: &Value) -> Vec<String> {
    let versions = crd.pointer("/spec/versions").and_then(Value::as_array).into_iter().flatten();
    versions.map(|version| text(version, "/name").to_owned()).collect()
}

pub(super) fn name(object: &Value) -> &str {
    text(object, "/metadata/name")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATOR: &str = "
apiVersion: apps/v1
kind: Deployment
metadata: { name: azureserviceoperator-controller-manager }
spec:
  template:
    spec:
      containers:
      - { name: proxy, image: 'proxy:v1' }
      - { name: manager, image: 'registry.example.com/aso:v2.19.0', args: [--v=2, --crd-pattern=] }
";

    fn release(more: &str) -> Result<Release, Box<Finding>> {
        Release::read(&[format!("{OPERATOR}---\n{more}")])
    }

    #[test]
    fn objects_come_in_the_order_in_which_they_are_needed() -> Result<(), Box<Finding>> {
        let more = "
apiVersion: v1
kind: List
items:
- { apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: { name: a } }
- { apiVersion: v1, kind: Service, metadata: { name: b, namespace: other } }
- { apiVersion: v1, kind: Namespace, metadata: { name: c } }
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: { name: d }
---
# Nothing.
";
        let release = release(more)?;
        let kinds: Vec<&str> = release.objects().map(|object| text(object, "/kind")).collect();
        let wanted = [
            "Namespace",
            "Namespace",
            "Service",
            "Certificate",
            "Deployment",
            "MutatingWebhookConfiguration",
        ];
        assert_eq!(kinds, wanted);
        let namespaces: Vec<&str> =
            release.objects().map(|object| text(object, "/metadata/namespace")).collect();
        assert_eq!(namespaces, ["", "", "other", NAMESPACE, NAMESPACE, ""]);
        assert!(release.needs_cert_manager() && release.offered().is_empty());
        assert_eq!(release.version, Version::new(2, 19, 0));
        Ok(())
    }

    #[test]
    fn the_operator_installs_the_crds_of_the_pattern() -> Result<(), Box<Finding>> {
        let release = release("")?;
        assert_eq!(release.pattern(), None);
        let release = release.with_pattern("a/*;b/C");
        assert_eq!(release.pattern(), Some("a/*;b/C"));
        let arguments = release.operator().and_then(container).and_then(|one| one.get("args"));
        assert_eq!(arguments, Some(&json!(["--v=2", "--crd-pattern=a/*;b/C"])));
        Ok(())
    }

    #[test]
    fn settings_of_the_cloud_are_set_where_the_release_has_none() -> Result<(), Box<Finding>> {
        let settings = BTreeMap::from([
            ("AZURE_AUTHORITY_HOST", "https://a/".to_owned()),
            ("AZURE_TENANT_ID", String::new()),
        ]);
        let set = |release: Release| {
            let release = release.with_settings(&settings);
            let found = release.objects().find(|object| is_settings(object)).cloned().unwrap_or_default();
            found["stringData"].clone()
        };
        assert_eq!(set(release("")?), json!({ "AZURE_AUTHORITY_HOST": "https://a/", "AZURE_TENANT_ID": "" }));
        let given = "{ kind: Secret, metadata: { name: aso-controller-settings }, data: { AZURE_AUTHORITY_HOST: eA==, AZURE_TENANT_ID: '' } }";
        assert_eq!(set(release(given)?), json!({ "AZURE_TENANT_ID": "" }));
        Ok(())
    }

    #[test]
    fn a_pattern_covers_kinds() -> Result<(), Box<Finding>> {
        let serves = |pattern: &str| -> Result<bool, Box<Finding>> {
            let kind = crate::kinds::named("VirtualNetwork");
            Ok(kind.is_some_and(|kind| {
                release("").is_ok_and(|release| release.with_pattern(pattern).serves(kind))
            }))
        };
        for covers in
            ["*", "network.azure.com/*", "a/B; NETWORK.azure.com/virtualnetwork", "*/Virtual*", "net*Network"]
        {
            assert!(serves(covers)?, "{covers}");
        }
        for other in [
            "",
            "network.azure.com/VirtualNetworksSubnet",
            "network.azure.com/Virtual",
            "*Subnet",
            "compute*",
        ] {
            assert!(!serves(other)?, "{other}");
        }
        Ok(())
    }

    #[test]
    fn what_is_no_release_is_refused_without_its_text() {
        let unquoted = format!(
            "{OPERATOR}---\nkind: Secret\nmetadata: {{ name: a }}\nstringData: {{ canary: 12345 }}\n"
        );
        assert!(Release::read(&[unquoted]).is_err_and(|finding| finding.message.contains("in quotes")));
        for text in ["canary", "kind: [canary", "kind: Secret\nmetadata: {}\n", ""] {
            let refused = Release::read(&[text.to_owned()]).err();
            assert_eq!(refused.as_ref().map(|finding| finding.code.as_str()), Some("LF1562"), "{text}");
            assert!(refused.is_some_and(|finding| !finding.message.contains("canary")), "{text}");
        }
        let unversioned = OPERATOR.replace(":v2.19.0", "");
        assert!(Release::read(&[unversioned]).is_err());
    }
}
