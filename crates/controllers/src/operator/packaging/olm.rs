//! The bundle for the Operator Lifecycle Manager.
//! See <https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/>.

use std::collections::BTreeMap;

use landfall_platform::Platform as _;
use landfall_render::yaml;
use serde_json::{Value, json};

use super::super::manifests::{
    ALL_NAMESPACES, Deployed, NAME, NAMESPACE as DEFAULT_NAMESPACE, Rules, labels, manifests, rule, rules,
};
use super::super::{deletion_policy, profiles};
use super::{CRD, MIN_KUBERNETES, PackageFile, about, file_name};

/// The pod's own namespace, which Kubernetes puts into its arguments.
const NAMESPACE: &str = "$(POD_NAMESPACE)";
/// What OpenShift asks about every operator, and the answers.
/// See <https://docs.openshift.com/container-platform/latest/operators/operator_sdk/osdk-generating-csvs.html>.
const FEATURES: [(&str, bool); 7] = [
    ("disconnected", true),
    ("fips-compliant", false),
    ("proxy-aware", true),
    ("tls-profiles", false),
    ("token-auth-aws", false),
    ("token-auth-azure", false),
    ("token-auth-gcp", false),
];
const PREFIX: &str = "operators.operatorframework.io.bundle";

pub(super) fn bundle(deployed: &Deployed) -> Vec<PackageFile> {
    // The manager cannot grant rights in single namespaces: where Secrets are not for the operator in all, users bind
    // the role, and give the right to the settings of Azure Service Operator themselves.
    let all = [ALL_NAMESPACES.to_owned()];
    let reads_all = deployed.secret_namespaces.contains(&all[0]);
    let secret_namespaces = if reads_all { all.to_vec() } else { Vec::new() };
    let own = Deployed {
        namespace: NAMESPACE.to_owned(),
        secret_namespaces,
        aso_namespaces: Vec::new(),
        ..deployed.clone()
    };
    let objects = manifests(&own);
    let mut files = Vec::new();
    for object in &objects {
        let mut object = object.clone();
        match object["kind"].as_str() {
            // The version creates account, rights and pods; the operator creates the webhook configurations.
            Some(
                "Namespace"
                | "ServiceAccount"
                | "Role"
                | "RoleBinding"
                | "ClusterRoleBinding"
                | "Deployment"
                | "ValidatingWebhookConfiguration"
                | "MutatingWebhookConfiguration"
                // Managers before OpenShift 4.20 refuse a bundle with one.
                | "NetworkPolicy"
                // The manager does not know these; the operator creates them.
                | deletion_policy::POLICY
                | deletion_policy::BINDING,
            ) => continue,
            Some("ClusterRole") if text_of(&object).starts_with(NAME) => continue,
            _ => {}
        }
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("namespace");
        }
        files.push(PackageFile::new(format!("manifests/{}", file_name(&object)), yaml(&object)));
    }
    let version = version(&own, &objects);
    files.push(PackageFile::new(format!("manifests/{NAME}.clusterserviceversion.yaml"), yaml(&version)));
    let annotations: BTreeMap<String, &str> = [
        ("mediatype.v1", "registry+v1"),
        ("manifests.v1", "manifests/"),
        ("metadata.v1", "metadata/"),
        ("package.v1", NAME),
        ("channels.v1", "stable"),
        ("channel.default.v1", "stable"),
    ]
    .into_iter()
    .map(|(key, value)| (format!("{PREFIX}.{key}"), value))
    .collect();
    files.push(PackageFile::new("metadata/annotations.yaml", yaml(&json!({ "annotations": annotations }))));
    let mut image = vec!["FROM scratch".to_owned()];
    image.extend(annotations.iter().map(|(key, value)| format!("LABEL {key}={value}")));
    image.push("COPY manifests /manifests/\nCOPY metadata /metadata/\n".to_owned());
    let image = image.join("\n");
    files.push(PackageFile::new("bundle.Dockerfile", image));
    files
}

/// The `ClusterServiceVersion`.
fn version(deployed: &Deployed, objects: &[Value]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let owned: Vec<Value> = of_kind(objects, CRD).map(about::owned).collect();
    let mut spec = of_kind(objects, "Deployment").next().map(|one| one["spec"].clone()).unwrap_or_default();
    if let Some(env) = spec.pointer_mut("/template/spec/containers/0/env").and_then(Value::as_array_mut) {
        let field = json!({ "fieldRef": { "fieldPath": "metadata.namespace" } });
        env.insert(0, json!({ "name": "POD_NAMESPACE", "valueFrom": field }));
    }
    let (own, others): (Vec<_>, Vec<_>) =
        rules(deployed).into_iter().partition(|(place, _)| place.as_deref() == Some(NAMESPACE));
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": format!("{NAME}.v{version}"),
            "namespace": "placeholder",
            "annotations": annotations(deployed, objects),
        },
        "spec": {
            "displayName": "landfall",
            "description": about::description(&deployed.controllers),
            "icon": [about::icon()],
            "version": version,
            "maturity": "alpha",
            "minKubeVersion": MIN_KUBERNETES,
            "keywords": about::keywords(),
            "provider": { "name": "landfall" },
            // What a mirror for clusters without internet has to copy.
            "relatedImages": [{ "name": "operator", "image": deployed.image }],
            "installModes": [
                // Only so do rights in the operator's namespace not become rights in all.
                { "type": "OwnNamespace", "supported": true },
                { "type": "SingleNamespace", "supported": false },
                { "type": "MultiNamespace", "supported": false },
                // There the right to the webhook's Secret would be one to all Secrets.
                { "type": "AllNamespaces", "supported": !profiles::are_judged(&deployed.controllers) },
            ],
            "customresourcedefinitions": { "owned": owned },
            "install": {
                "strategy": "deployment",
                "spec": {
                    "deployments": [{ "name": NAME, "label": labels(), "spec": spec }],
                    "permissions": permissions(own),
                    "clusterPermissions": permissions(others),
                },
            },
        },
    })
}

/// What a catalog shows in lists, and by what it filters.
fn annotations(deployed: &Deployed, objects: &[Value]) -> Value {
    let mut all = json!({
        "capabilities": "Basic Install",
        "categories": "Cloud Provider",
        "description": about::SUMMARY,
        "containerImage": deployed.image,
        "operatorframework.io/suggested-namespace": DEFAULT_NAMESPACE,
        "alm-examples": examples(objects).to_string(),
    });
    for (feature, is_there) in FEATURES {
        all[format!("features.operators.openshift.io/{feature}")] = json!(is_there.to_string());
    }
    all
}

/// An object of each kind that the bundle defines, for the forms of a console.
fn examples(objects: &[Value]) -> Value {
    let example = |definition: &Value| {
        let kind = definition.pointer("/spec/names/kind")?.as_str()?;
        let versions = json!([{ "version": "1.33.2" }]);
        let (name, spec) = match kind {
            "AzureInfrastructure" => (
                "demo",
                json!({
                    "installConfigRef": { "name": "demo-config" },
                    "credentialsSecretRef": { "name": "credentials" },
                    "adoptPolicy": "manage",
                }),
            ),
            "CloudProfile" => (
                "landscape",
                json!({
                    "type": landfall_azure::PLATFORM.name(),
                    "kubernetes": { "versions": versions },
                    "regions": [{ "name": "westeurope" }],
                    "machineTypes": [{ "name": "Standard_D4s_v5", "cpu": "4", "gpu": "0", "memory": "16Gi" }],
                }),
            ),
            "PrivateCloudProfile" => ("team", json!({ "parent": "landscape" })),
            "NamespacedCloudProfile" => {
                ("team", json!({ "parent": { "kind": "CloudProfile", "name": "landscape" } }))
            }
            _ => return None,
        };
        let group = definition.pointer("/spec/group")?.as_str()?;
        let version = definition.pointer("/spec/versions/0/name")?.as_str()?;
        let metadata = json!({ "name": name });
        Some(
            json!({ "apiVersion": format!("{group}/{version}"), "kind": kind, "metadata": metadata, "spec": spec }),
        )
    };
    of_kind(objects, CRD).filter_map(example).collect()
}

/// The name of an object.
fn text_of(object: &Value) -> &str {
    object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
}

fn of_kind<'a>(objects: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    objects.iter().filter(move |object| object["kind"] == kind)
}

/// Rules for the operator's account. OLM grants rights in the operator's namespace or in all of them: those in
/// another namespace hold in all, and those in its own, too, where it is installed for all namespaces.
fn permissions(rules: Vec<(Option<String>, Rules)>) -> Value {
    let mut all = Rules::new();
    for (about, verbs) in rules.into_iter().flat_map(|(_, rules)| rules) {
        all.entry(about).or_default().extend(verbs);
    }
    let rules: Vec<Value> = all.iter().map(|(about, verbs)| rule(about, verbs)).collect();
    json!([{ "serviceAccountName": NAME, "rules": rules }])
}
