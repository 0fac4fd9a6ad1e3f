//! Everything that it takes to run the operator in a cluster, as manifests.

use std::collections::{BTreeMap, BTreeSet};

use landfall_kube::kinds::{LANDFALL_PROFILES, ProfileKinds};
use landfall_render::yaml;
use serde_json::{Value, json};

use super::monitoring::Monitoring;
use super::profiles::{self, WEBHOOK, WEBHOOK_PORT, WEBHOOK_SERVICE};
use super::rights::{ELECTION, Right, Scope};
use super::secure_metrics::METRICS_PORT;
use super::selector::Labels;
use super::{PORT, Registered, crds_of, deletion_policy, hardening, rights};
use crate::azure_infrastructure;
use crate::cloud_profile::Expiry;
use crate::object_refs::MapNames;

/// The name of all that is created.
pub(super) const NAME: &str = "landfall-operator";
/// The namespace of an operator unless another is wished.
pub const NAMESPACE: &str = "landfall";
/// The `ConfigMap` into which OpenShift puts what the cluster trusts, and the label by which it does.
/// See <https://docs.openshift.com/container-platform/latest/networking/configuring-a-custom-pki.html>.
const TRUSTED: &str = "landfall-trusted-ca";
const INJECT: &str = "config.openshift.io/inject-trusted-cabundle";
/// The folder and the file in which the pod finds it.
const TRUSTED_FOLDER: &str = "/etc/pki/ca-trust/extracted/pem";
const TRUSTED_FILE: &str = "tls-ca-bundle.pem";
/// The port of the metrics, and what their certificate is mounted as.
pub(super) const METRICS: &str = "metrics";
/// The Secret with the certificate of the metrics, and the annotation by which OpenShift creates it.
/// See <https://docs.openshift.com/container-platform/latest/security/certificates/service-serving-certificate.html>.
pub(super) const METRICS_SECRET: &str = "landfall-operator-metrics";
const SERVING_CERTIFICATE: &str = "service.beta.openshift.io/serving-cert-secret-name";
/// Where the pod finds it.
const METRICS_FOLDER: &str = "/etc/landfall/metrics";
/// Where Azure's workload identities have their token.
const TOKEN_FOLDER: &str = "/var/run/secrets/azure/tokens";
const TOKEN_FILE: &str = "azure-identity-token";
const TOKEN: &str = "azure-token";
const RBAC: &str = "rbac.authorization.k8s.io";

/// How the operator is to run.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Deployed {
    /// The image that holds this program.
    pub image: String,
    /// The operator's namespace.
    pub namespace: String,
    /// The namespace that cloud configuration is written to.
    pub target_namespace: String,
    /// The names of the maps with cloud configuration.
    pub maps: MapNames,
    /// The release that it belongs to, where it is reported.
    pub release: Option<String>,
    /// What is removed from profiles when it expires.
    pub expiry: Expiry,
    /// Whether it runs beside operators of OpenShift's own that do the same.
    pub take_over: bool,
    /// The controllers that it runs.
    pub controllers: Vec<&'static Registered>,
    /// How many replicas there are, of which one works.
    pub replicas: u8,
    /// Whether metrics are served over TLS, for whoever may read them.
    pub metrics_tls: bool,
    /// Whether the API server itself refuses the deletion of protected clusters.
    pub admission_policies: bool,
    /// By what the operator is watched, if by anything.
    pub monitoring: Option<Monitoring>,
    /// Labels of what Prometheus selects, beside landfall's: key and value.
    pub monitoring_labels: Vec<(String, String)>,
    /// Where the book's pages about alerts are, as a URL that ends with a slash; without it, alerts link to no page.
    pub runbooks: Option<String>,
    /// The only namespace whose clusters it works on.
    pub watch_namespace: Option<String>,
    /// Whether it also reads which infrastructure IDs clusters of other namespaces have, and keeps the policies.
    pub unique_infra_ids: bool,
    /// Which of the clusters it works on; none for all.
    pub watch_labels: Option<Labels>,
    /// The kinds of profiles.
    pub profiles: &'static ProfileKinds,
    /// How many objects each controller works on at once; none for its own number.
    pub workers: Option<u8>,
    /// How many clusters may take the plan of another landfall at once.
    pub rollout_limit: u16,
    /// The namespaces whose Secrets it may read where it watches all; [`ALL_NAMESPACES`] for all.
    pub secret_namespaces: Vec<String>,
    /// The namespaces of Azure Service Operator, in which its settings are read.
    pub aso_namespaces: Vec<String>,
    /// The audience of the token by which Azure knows workload identities, if there is to be one:
    /// <https://learn.microsoft.com/entra/workload-id/workload-identity-federation-create-trust>.
    pub token_audience: Option<String>,
}

/// What names all namespaces.
pub const ALL_NAMESPACES: &str = "*";
/// The role to be bound in each namespace whose Secrets the operator may read.
pub(crate) const SECRETS_ROLE: &str = "landfall-secrets";

impl Deployed {
    fn goes_outside(&self) -> bool {
        self.controllers.iter().any(|controller| controller.goes_outside())
    }

    /// Where Secrets may be read; none for all namespaces.
    fn secret_places(&self) -> Vec<Option<String>> {
        match &self.watch_namespace {
            Some(watched) => vec![Some(watched.clone())],
            None if self.secret_namespaces.iter().any(|one| one == ALL_NAMESPACES) => vec![None],
            None => self.secret_namespaces.iter().cloned().map(Some).collect(),
        }
    }

    /// A name for what the operator has outside its namespace. A cluster may have several operators with an account
    /// each, and none may replace what belongs to another. What is watched does not change the name: rights of other
    /// flags are replaced when the manifests are applied again.
    pub(super) fn outside(&self, name: &str) -> String {
        if self.namespace == NAMESPACE { name.to_owned() } else { format!("{name}-{}", self.namespace) }
    }
}

/// All manifests, in the order in which they must be created.
#[must_use]
pub fn manifests(deployed: &Deployed) -> Vec<Value> {
    let namespace = deployed.namespace.as_str();
    let has_profiles = deployed.controllers.iter().any(|controller| controller.profiles);
    let mut all = crds_of(&deployed.controllers, deployed.profiles);
    all.extend([
        json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "name": namespace, "labels": labels(), "annotations": kept() },
        }),
        json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata(Some(namespace)),
        }),
    ]);
    for (place, rules) in rules(deployed) {
        all.extend(role(place.as_deref(), &rules, deployed));
    }
    all.extend(secrets_role(deployed));
    if deployed.goes_outside() {
        let mut map = metadata(Some(namespace));
        map["name"] = json!(TRUSTED);
        map["labels"][INJECT] = json!("true");
        // Without `data`, so that to apply it again takes away nothing.
        all.push(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": map }));
    }
    all.push(deployment(deployed));
    all.extend(hardening::around(deployed));
    all.push(metrics_service(deployed));
    if let Some(monitoring) = deployed.monitoring {
        all.extend(monitoring.objects(deployed));
    }
    if has_profiles {
        all.extend(profiles::roles(deployed.profiles));
    }
    if deployed.controllers.iter().any(|controller| controller.name == azure_infrastructure::NAME) {
        all.extend(profiles::infrastructure_roles());
        if deployed.admission_policies {
            all.extend(deletion_policy::policies());
        }
    }
    if profiles::are_judged(&deployed.controllers) {
        all.extend(profiles::judge(deployed.profiles, namespace, &labels()));
    }
    all
}

/// The Service of the metrics. With TLS, OpenShift writes a certificate for it.
fn metrics_service(deployed: &Deployed) -> Value {
    let mut metadata = metadata(Some(&deployed.namespace));
    let port = if deployed.metrics_tls {
        metadata["annotations"] = json!({ SERVING_CERTIFICATE: METRICS_SECRET });
        json!({ "name": METRICS, "port": METRICS_PORT, "targetPort": METRICS })
    } else {
        json!({ "name": METRICS, "port": PORT, "targetPort": "http" })
    };
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": { "selector": labels(), "ports": [port] },
    })
}

/// Objects as a stream of YAML documents.
#[must_use]
pub fn documents(objects: &[Value]) -> String {
    let mut text = String::new();
    for object in objects {
        text.push_str("---\n");
        text.push_str(&yaml(object));
    }
    text
}

pub(super) fn labels() -> Value {
    json!({ "app.kubernetes.io/name": NAME })
}

/// The annotations of what clusters depend on. Argo CD, Flux and Helm keep it when it is gone from Git or from the chart,
/// and when the application, Kustomization or release is deleted. See
/// <https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/>,
/// <https://fluxcd.io/flux/components/kustomize/kustomizations/#controlling-the-apply-behavior-of-resources> and
/// <https://helm.sh/docs/howto/charts_tips_and_tricks/#tell-helm-not-to-uninstall-a-resource>.
pub(super) fn kept() -> Value {
    json!({
        "argocd.argoproj.io/sync-options": "Prune=false,Delete=false",
        "helm.sh/resource-policy": "keep",
        "kustomize.toolkit.fluxcd.io/prune": "disabled",
    })
}

pub(super) fn metadata(namespace: Option<&str>) -> Value {
    match namespace {
        Some(namespace) => json!({ "name": NAME, "namespace": namespace, "labels": labels() }),
        None => json!({ "name": NAME, "labels": labels() }),
    }
}

/// What a rule is about: group, resource, names.
pub(super) type About = (&'static str, String, Vec<String>);
/// The rules of one role, each with what may be done.
pub(super) type Rules = BTreeMap<About, BTreeSet<&'static str>>;

/// The rules of all chosen controllers, by namespace; without one for the whole cluster.
pub(super) fn rules(deployed: &Deployed) -> BTreeMap<Option<String>, Rules> {
    let mut all: BTreeMap<Option<String>, Rules> = BTreeMap::new();
    let chosen = deployed.controllers.iter().flat_map(|controller| controller.rights);
    let metrics: &[Right] = if deployed.metrics_tls { rights::METRICS } else { &[] };
    let looks_beyond = deployed.watch_namespace.is_none() || deployed.unique_infra_ids;
    let is_wanted = |right: &&Right| {
        (deployed.admission_policies || !right.is_of_policies())
            && (looks_beyond || right.scope != Scope::Optional)
    };
    for right in chosen.chain(ELECTION).chain(metrics).filter(is_wanted) {
        let right = right.with_profiles(deployed.profiles);
        let Right { scope, kind, names, verbs, .. } = right;
        let places = match scope {
            Scope::Cluster | Scope::Optional => vec![None],
            Scope::Watched => vec![deployed.watch_namespace.clone()],
            Scope::Secrets => deployed.secret_places(),
            Scope::Namespace(namespace) => vec![Some(namespace.to_owned())],
            Scope::Target => vec![Some(deployed.target_namespace.clone())],
            Scope::Own => vec![Some(deployed.namespace.clone())],
            Scope::Aso => deployed.aso_namespaces.iter().cloned().map(Some).collect(),
        };
        let names = names.iter().map(|&name| match kind.kind {
            "ConfigMap" => deployed.maps.chosen(name).to_owned(),
            _ => name.to_owned(),
        });
        let about = (kind.group, right.resource(), names.collect::<Vec<String>>());
        for place in places {
            let rules = all.entry(place).or_default();
            rules.entry(about.clone()).or_default().extend(verbs.iter().copied());
        }
    }
    all
}

/// The role for Secrets, which nothing binds: users do, in the namespaces of their clusters.
fn secrets_role(deployed: &Deployed) -> Option<Value> {
    if deployed.secret_places().contains(&None) || deployed.watch_namespace.is_some() {
        return None;
    }
    let mut rules = Rules::new();
    let rights = deployed.controllers.iter().flat_map(|controller| controller.rights);
    for right in rights.filter(|right| right.scope == Scope::Secrets) {
        rules.entry((right.kind.group, right.resource(), Vec::new())).or_default().extend(right.verbs);
    }
    if rules.is_empty() {
        return None;
    }
    let mut metadata = metadata(None);
    metadata["name"] = json!(SECRETS_ROLE);
    let rules: Vec<Value> = rules.iter().map(|(about, verbs)| rule(about, verbs)).collect();
    Some(
        json!({ "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole", "metadata": metadata, "rules": rules }),
    )
}

/// A role and its binding to the operator's account.
fn role(place: Option<&str>, rules: &Rules, deployed: &Deployed) -> [Value; 2] {
    let account_namespace = deployed.namespace.as_str();
    let mut metadata = metadata(place);
    if place != Some(account_namespace) {
        metadata["name"] = json!(deployed.outside(NAME));
    }
    let name = metadata["name"].clone();
    let kind = if place.is_some() { "Role" } else { "ClusterRole" };
    let rules: Vec<Value> = rules.iter().map(|(about, verbs)| rule(about, verbs)).collect();
    let version = format!("{RBAC}/v1");
    [
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata, "rules": rules }),
        json!({
            "apiVersion": version,
            "kind": format!("{kind}Binding"),
            "metadata": metadata,
            "roleRef": { "apiGroup": RBAC, "kind": kind, "name": name },
            "subjects": [{ "kind": "ServiceAccount", "name": NAME, "namespace": account_namespace }],
        }),
    ]
}

pub(super) fn rule((group, resource, names): &About, verbs: &BTreeSet<&str>) -> Value {
    let mut rule = json!({ "apiGroups": [group], "resources": [resource], "verbs": verbs });
    if !names.is_empty() {
        rule["resourceNames"] = json!(names);
    }
    rule
}

fn deployment(deployed: &Deployed) -> Value {
    let control_plane = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"];
    let tolerations: Vec<Value> = control_plane
        .iter()
        .map(|key| json!({ "key": key, "operator": "Exists", "effect": "NoSchedule" }))
        .collect();
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(Some(&deployed.namespace)),
        "spec": {
            "replicas": deployed.replicas,
            "selector": { "matchLabels": labels() },
            "template": {
                "metadata": { "labels": labels() },
                "spec": {
                    "serviceAccountName": NAME,
                    "priorityClassName": "system-cluster-critical",
                    // What is under way may take 20 s, and the lease is given back after that.
                    "terminationGracePeriodSeconds": 30,
                    "tolerations": tolerations,
                    "topologySpreadConstraints": hardening::spread(),
                    "affinity": { "podAntiAffinity": {
                        "preferredDuringSchedulingIgnoredDuringExecution": [{
                            "weight": 100,
                            "podAffinityTerm": {
                                "labelSelector": { "matchLabels": labels() },
                                "topologyKey": "kubernetes.io/hostname",
                            },
                        }],
                    }},
                    "securityContext": {
                        "runAsNonRoot": true,
                        "seccompProfile": { "type": "RuntimeDefault" },
                    },
                    "containers": [container(deployed)],
                },
            },
        },
    });
    let mut volumes = Vec::new();
    if deployed.goes_outside() {
        // The pod also starts while the map is empty.
        let map = json!({
            "name": TRUSTED,
            "optional": true,
            "items": [{ "key": "ca-bundle.crt", "path": TRUSTED_FILE }],
        });
        volumes.push(json!({ "name": "trusted-ca", "configMap": map }));
    }
    if deployed.metrics_tls {
        // The pod also starts without it.
        let secret = json!({ "secretName": METRICS_SECRET, "optional": true });
        volumes.push(json!({ "name": METRICS, "secret": secret }));
    }
    if let Some(audience) = &deployed.token_audience {
        let token = json!({ "audience": audience, "expirationSeconds": 3600, "path": TOKEN_FILE });
        let sources = json!([{ "serviceAccountToken": token }]);
        volumes.push(json!({ "name": TOKEN, "projected": { "sources": sources } }));
    }
    if !volumes.is_empty() {
        deployment["spec"]["template"]["spec"]["volumes"] = volumes.into();
    }
    deployment
}

fn container(deployed: &Deployed) -> Value {
    let names: Vec<&str> = deployed.controllers.iter().map(|controller| controller.name).collect();
    let probe = |path: &str| json!({ "httpGet": { "path": path, "port": "http" }, "periodSeconds": 10 });
    let mut args = vec![
        "operator".to_owned(),
        "run".to_owned(),
        format!("--controllers={}", names.join(",")),
        format!("--namespace={}", deployed.namespace),
        format!("--target-namespace={}", deployed.target_namespace),
        format!("--listen=0.0.0.0:{PORT}"),
    ];
    let usual = MapNames::default();
    if deployed.maps.target != usual.target {
        args.push(format!("--target-config-map={}", deployed.maps.target));
    }
    if deployed.maps.managed != usual.managed {
        args.push(format!("--managed-config-map={}", deployed.maps.managed));
    }
    if !deployed.expiry.images {
        args.push("--clean-machine-images=false".to_owned());
    }
    if deployed.expiry.cloud_profiles {
        args.push("--clean-cloud-profiles".to_owned());
    }
    if deployed.take_over {
        args.push("--take-over".to_owned());
    }
    if let Some(namespace) = &deployed.watch_namespace {
        args.push(format!("--watch-namespace={namespace}"));
        if deployed.unique_infra_ids {
            args.push("--unique-infra-ids".to_owned());
        }
    }
    if deployed.profiles != &LANDFALL_PROFILES {
        args.push(format!("--profile-group={}", deployed.profiles.cloud.group));
    }
    if let Some(labels) = &deployed.watch_labels {
        args.push(format!("--watch-label-selector={labels}"));
    }
    if let Some(workers) = deployed.workers {
        args.push(format!("--workers={workers}"));
    }
    if deployed.rollout_limit > 0 {
        args.push(format!("--rollout-limit={}", deployed.rollout_limit));
    }
    if !deployed.admission_policies {
        args.push("--admission-policies=false".to_owned());
    }
    let release = deployed.release.iter();
    let mut env: Vec<Value> = release.map(|one| json!({ "name": "RELEASE_VERSION", "value": one })).collect();
    let mut mounts = Vec::new();
    if deployed.goes_outside() {
        // The image has roots of its own, which stay trusted: the file is besides.
        env.push(json!({ "name": "SSL_CERT_FILE", "value": format!("{TRUSTED_FOLDER}/{TRUSTED_FILE}") }));
        mounts.push(json!({ "name": "trusted-ca", "mountPath": TRUSTED_FOLDER, "readOnly": true }));
    }
    if deployed.token_audience.is_some() {
        let value = format!("{TOKEN_FOLDER}/{TOKEN_FILE}");
        env.push(json!({ "name": "AZURE_FEDERATED_TOKEN_FILE", "value": value }));
        mounts.push(json!({ "name": TOKEN, "mountPath": TOKEN_FOLDER, "readOnly": true }));
    }
    let mut ports = vec![json!({ "name": "http", "containerPort": PORT })];
    if deployed.metrics_tls {
        args.push(format!("--metrics-listen=0.0.0.0:{METRICS_PORT}"));
        args.push(format!("--metrics-cert-dir={METRICS_FOLDER}"));
        ports.push(json!({ "name": METRICS, "containerPort": METRICS_PORT }));
        mounts.push(json!({ "name": METRICS, "mountPath": METRICS_FOLDER, "readOnly": true }));
    }
    if profiles::are_judged(&deployed.controllers) {
        args.push(format!("--webhook-listen=0.0.0.0:{WEBHOOK_PORT}"));
        args.push(format!("--webhook-service={WEBHOOK_SERVICE}"));
        ports.push(json!({ "name": WEBHOOK, "containerPort": WEBHOOK_PORT }));
    }
    json!({
        "name": "operator",
        "image": deployed.image,
        "args": args,
        "env": env,
        "volumeMounts": mounts,
        "ports": ports,
        "livenessProbe": probe("/healthz"),
        "readinessProbe": probe("/readyz"),
        "resources": hardening::resources(),
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"] },
            "readOnlyRootFilesystem": true,
        },
    })
}

#[cfg(test)]
mod tests;
