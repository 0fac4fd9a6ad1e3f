//! Everything that it takes to run the operator in a cluster, as manifests.

use std::collections::{BTreeMap, BTreeSet};

use landfall_render::yaml;
use serde_json::{Value, json};

use super::hardening;
use super::profiles::{self, WEBHOOK, WEBHOOK_PORT, WEBHOOK_SERVICE};
use super::rights::{ELECTION, Right, Scope};
use super::{PORT, Registered, crds_of};

/// The name of all that is created.
pub(super) const NAME: &str = "landfall-operator";
/// The `ConfigMap` into which OpenShift puts what the cluster trusts, and the label by which it does.
/// See <https://docs.openshift.com/container-platform/latest/networking/configuring-a-custom-pki.html>.
const TRUSTED: &str = "landfall-trusted-ca";
const INJECT: &str = "config.openshift.io/inject-trusted-cabundle";
/// The folder and the file in which the pod finds it.
const TRUSTED_FOLDER: &str = "/etc/pki/ca-trust/extracted/pem";
const TRUSTED_FILE: &str = "tls-ca-bundle.pem";
const RBAC: &str = "rbac.authorization.k8s.io";

/// How the operator is to run.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// The image that holds this program.
    pub image: String,
    /// The operator's namespace.
    pub namespace: String,
    /// The namespace that cloud configuration is written to.
    pub target_namespace: String,
    /// The release that it belongs to, where it is reported.
    pub release: Option<String>,
    /// Whether versions of machine images expire in profiles as those of Kubernetes do.
    pub clean_images: bool,
    /// Whether it runs beside operators of OpenShift's own that do the same.
    pub take_over: bool,
    /// The controllers that it runs.
    pub controllers: Vec<&'static Registered>,
    /// How many replicas there are, of which one works.
    pub replicas: u8,
}

impl Deployed {
    fn goes_outside(&self) -> bool {
        self.controllers.iter().any(|controller| controller.goes_outside())
    }
}

/// All manifests, in the order in which they must be created.
#[must_use]
pub fn manifests(deployed: &Deployed) -> Vec<Value> {
    let namespace = deployed.namespace.as_str();
    let has_profiles = deployed.controllers.iter().any(|controller| controller.profiles);
    let mut all = crds_of(&deployed.controllers);
    all.extend([
        json!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "name": namespace, "labels": labels() },
        }),
        json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata(Some(namespace)),
        }),
    ]);
    for (place, rules) in rules(deployed) {
        all.extend(role(place.as_deref(), &rules, namespace));
    }
    if deployed.goes_outside() {
        let mut map = metadata(Some(namespace));
        map["name"] = json!(TRUSTED);
        map["labels"][INJECT] = json!("true");
        // Without `data`, so that to apply it again takes away nothing.
        all.push(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": map }));
    }
    all.push(deployment(deployed));
    all.extend(hardening::around(deployed));
    all.push(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(Some(namespace)),
        "spec": {
            "selector": labels(),
            "ports": [{ "name": "metrics", "port": PORT, "targetPort": "http" }],
        },
    }));
    if has_profiles {
        all.extend(profiles::roles());
    }
    if profiles::are_judged(&deployed.controllers) {
        all.extend(profiles::judge(namespace, &labels()));
    }
    all
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

pub(super) fn metadata(namespace: Option<&str>) -> Value {
    match namespace {
        Some(namespace) => json!({ "name": NAME, "namespace": namespace, "labels": labels() }),
        None => json!({ "name": NAME, "labels": labels() }),
    }
}

/// What a rule is about: group, resource, names.
pub(super) type About = (&'static str, String, &'static [&'static str]);
/// The rules of one role, each with what may be done.
pub(super) type Rules = BTreeMap<About, BTreeSet<&'static str>>;

/// The rules of all chosen controllers, by namespace; without one for the whole cluster.
pub(super) fn rules(deployed: &Deployed) -> BTreeMap<Option<String>, Rules> {
    let mut all: BTreeMap<Option<String>, Rules> = BTreeMap::new();
    let chosen = deployed.controllers.iter().flat_map(|controller| controller.rights);
    for right in chosen.chain(ELECTION) {
        let Right { scope, kind, names, verbs, .. } = right;
        let place = match scope {
            Scope::Cluster => None,
            Scope::Namespace(namespace) => Some((*namespace).to_owned()),
            Scope::Target => Some(deployed.target_namespace.clone()),
            Scope::Own => Some(deployed.namespace.clone()),
        };
        let rules = all.entry(place).or_default();
        rules.entry((kind.group, right.resource(), *names)).or_default().extend(verbs.iter().copied());
    }
    all
}

/// A role and its binding to the operator's account.
fn role(place: Option<&str>, rules: &Rules, account_namespace: &str) -> [Value; 2] {
    let kind = if place.is_some() { "Role" } else { "ClusterRole" };
    let rules: Vec<Value> = rules.iter().map(|(about, verbs)| rule(about, verbs)).collect();
    let version = format!("{RBAC}/v1");
    [
        json!({ "apiVersion": version, "kind": kind, "metadata": metadata(place), "rules": rules }),
        json!({
            "apiVersion": version,
            "kind": format!("{kind}Binding"),
            "metadata": metadata(place),
            "roleRef": { "apiGroup": RBAC, "kind": kind, "name": NAME },
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
    if deployed.goes_outside() {
        // The pod also starts while the map is empty.
        let map = json!({
            "name": TRUSTED,
            "optional": true,
            "items": [{ "key": "ca-bundle.crt", "path": TRUSTED_FILE }],
        });
        deployment["spec"]["template"]["spec"]["volumes"] =
            json!([{ "name": "trusted-ca", "configMap": map }]);
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
    if !deployed.clean_images {
        args.push("--clean-machine-images=false".to_owned());
    }
    if deployed.take_over {
        args.push("--take-over".to_owned());
    }
    let release = deployed.release.iter();
    let mut env: Vec<Value> = release.map(|one| json!({ "name": "RELEASE_VERSION", "value": one })).collect();
    let mut mounts = Vec::new();
    if deployed.goes_outside() {
        // The image has roots of its own, which stay trusted: the file is besides.
        env.push(json!({ "name": "SSL_CERT_FILE", "value": format!("{TRUSTED_FOLDER}/{TRUSTED_FILE}") }));
        mounts.push(json!({ "name": "trusted-ca", "mountPath": TRUSTED_FOLDER, "readOnly": true }));
    }
    let mut ports = vec![json!({ "name": "http", "containerPort": PORT })];
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
mod tests {
    use super::super::CONTROLLERS;
    use super::*;

    fn deployed(names: &[&str]) -> Deployed {
        Deployed {
            image: "example.com/landfall:1".to_owned(),
            namespace: "here".to_owned(),
            target_namespace: "there".to_owned(),
            release: None,
            clean_images: true,
            take_over: false,
            controllers: CONTROLLERS.iter().filter(|one| names.contains(&one.name)).collect(),
            replicas: 2,
        }
    }

    fn of(names: &[&str]) -> Vec<Value> {
        manifests(&deployed(names))
    }

    fn places(all: &[Value], kind: &str) -> Vec<String> {
        let roles = all.iter().filter(|object| object["kind"] == kind);
        roles.map(|role| role["metadata"]["namespace"].as_str().unwrap_or_default().to_owned()).collect()
    }

    #[test]
    fn a_controller_gets_its_own_rights_and_no_others() {
        let all = of(&["endpoint-mirror"]);
        assert_eq!(places(&all, "Role"), ["default", "here"]);
        assert_eq!(places(&all, "ClusterRole"), [""]);
        let rules: Vec<&Value> =
            all.iter().filter_map(|object| object["rules"].as_array()).flatten().collect();
        assert!(rules.iter().all(|rule| rule["resources"][0] != "configmaps"), "{rules:?}");
        let status = json!({
            "apiGroups": ["config.openshift.io"],
            "resources": ["infrastructures/status"],
            "resourceNames": ["cluster"],
            "verbs": ["patch"],
        });
        assert!(rules.contains(&&status), "{rules:?}");
    }

    #[test]
    fn the_target_is_a_setting() {
        let all = of(&["cloud-config-sync"]);
        let expected = ["default", "here", "openshift-config", "openshift-config-managed", "there"];
        assert_eq!(places(&all, "Role"), expected);
        assert_eq!(places(&all, "RoleBinding"), expected);
    }

    #[test]
    fn the_pod_has_no_privileges() {
        let all = of(&["kube-cloud-config"]);
        let deployment = all.iter().find(|object| object["kind"] == "Deployment");
        let container = deployment.and_then(|object| object.pointer("/spec/template/spec/containers/0"));
        let context = container.map(|container| container["securityContext"].clone()).unwrap_or_default();
        assert_eq!(
            context,
            json!({
                "allowPrivilegeEscalation": false,
                "capabilities": { "drop": ["ALL"] },
                "readOnlyRootFilesystem": true,
            })
        );
        let args = container.map(|container| container["args"].to_string()).unwrap_or_default();
        assert!(args.contains("--controllers=kube-cloud-config\""), "{args}");
    }

    #[test]
    fn who_goes_outside_trusts_what_the_cluster_trusts() {
        let pod = |names: &[&str]| {
            let all = of(names);
            let of_kind = |kind: &str| all.iter().find(|object| object["kind"] == kind).cloned();
            let spec = of_kind("Deployment").map(|one| one["spec"]["template"]["spec"].clone());
            (of_kind("ConfigMap"), spec.unwrap_or_default())
        };
        let (map, spec) = pod(&["endpoint-mirror"]);
        let map = map.unwrap_or_default();
        assert_eq!(map["metadata"]["labels"][INJECT], "true");
        assert!(map["data"].is_null(), "{map}");
        let volume = &spec["volumes"][0];
        assert_eq!(volume["configMap"]["name"], map["metadata"]["name"]);
        let container = &spec["containers"][0];
        let (mount, variable) = (&container["volumeMounts"][0], &container["env"][0]);
        assert_eq!(mount["name"], volume["name"]);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let file =
            format!("{}/{}", text(&mount["mountPath"]), text(&volume["configMap"]["items"][0]["path"]));
        assert_eq!((&variable["name"], &variable["value"]), (&json!("SSL_CERT_FILE"), &json!(file)));
        let (map, spec) = pod(&["cloud-config-sync"]);
        assert!(map.is_none() && spec["volumes"].is_null(), "{spec}");
    }

    #[test]
    fn settings_reach_the_pod() {
        let usual = container(&deployed(&["cloud-config-sync"]));
        let args = usual["args"].to_string();
        assert!(usual["env"] == json!([]) && !args.contains("machine-images"), "{usual}");
        let release = Some("5.0.0".to_owned());
        let set = Deployed { release, clean_images: false, ..deployed(&["private-cloud-profile"]) };
        let set = container(&set);
        assert_eq!(set["env"], json!([{ "name": "RELEASE_VERSION", "value": "5.0.0" }]));
        assert!(set["args"].to_string().contains("\"--clean-machine-images=false\""), "{set}");
        assert!(!set["args"].to_string().contains("--take-over"), "{set}");
        let set = container(&Deployed { take_over: true, ..deployed(&["cloud-config-sync"]) });
        assert!(set["args"].to_string().contains("\"--take-over\""), "{set}");
    }

    #[test]
    fn profiles_bring_their_kinds_roles_and_judge() {
        let kinds = |names: &[&str]| {
            let count =
                |all: &[Value], kind: &str| all.iter().filter(|object| object["kind"] == kind).count();
            let all = of(names);
            [
                "CustomResourceDefinition",
                "ClusterRole",
                "Service",
                "ValidatingWebhookConfiguration",
                "MutatingWebhookConfiguration",
            ]
            .map(|kind| count(&all, kind))
        };
        assert_eq!(kinds(&["endpoint-mirror"]), [0, 1, 1, 0, 0]);
        assert_eq!(kinds(&["private-cloud-profile"]), [3, 4, 1, 0, 0]);
        assert_eq!(kinds(&["private-cloud-profile", "cloud-profile-admission"]), [3, 4, 2, 1, 1]);
    }
}
