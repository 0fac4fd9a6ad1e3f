//! An operator is installed from a release, and upgraded to the next one.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use super::identity::at;
use super::management::{Management, OPERATOR, place_of};
use super::site::{Run, Site, config};
use super::stands::PUBLIC;
use super::table::Azure;
use super::until::until;
use crate::running::Ran;

const DEPLOYMENT: &str = "azureserviceoperator-controller-manager";
const GOVERNMENT: &str = "AzureUSGovernmentCloud";
/// A group of a cluster, which is Ready before the upgrade.
const GROUP: &str = "demo-x7k2p-rg";

/// A release as its project publishes it, without what is of no concern here.
fn release(version: &str) -> String {
    let labels = json!({ "app.kubernetes.io/name": "azure-service-operator", "control-plane": "manager" });
    let container = json!({
        "name": "manager",
        "image": format!("mcr.microsoft.com/k8s/azureserviceoperator:{version}"),
        "args": ["--v=2", "--crd-pattern="],
    });
    let objects = [
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "name": DEPLOYMENT, "namespace": OPERATOR, "labels": labels },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": { "containers": [container] } },
            },
        }),
        json!({
            "apiVersion": "cert-manager.io/v1", "kind": "Issuer",
            "metadata": { "name": "selfsigned", "namespace": OPERATOR }, "spec": { "selfSigned": {} },
        }),
        json!({
            "apiVersion": "v1", "kind": "ServiceAccount",
            "metadata": { "name": "azureserviceoperator-default", "namespace": OPERATOR },
        }),
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": OPERATOR } }),
    ];
    objects.map(|object| format!("---\n{object}\n")).concat()
}

struct Upgrading {
    management: Management,
    site: Site,
}

impl Upgrading {
    fn start(&self, verb: &str, version: &str, more: &[&str]) -> Run {
        let file = self.site.path().join(format!("{version}.yaml"));
        std::fs::write(&file, release(version)).unwrap();
        let manifest = ["aso", verb, "-o", "json", "--yes", "--manifest", file.to_str().unwrap()];
        let kubeconfig = self.management.server.kubeconfig();
        self.site.start(&[&manifest[..], more].concat(), Some(&kubeconfig))
    }

    fn run(&self, verb: &str, version: &str, more: &[&str]) -> Ran {
        self.start(verb, version, more).end()
    }

    fn deployment(&self) -> Option<Value> {
        self.management.get(&format!("/apis/apps/v1/namespaces/{OPERATOR}/deployments/{DEPLOYMENT}"))
    }

    /// Plays the roll-out of a version.
    fn rolls_out(&self, version: &str) {
        let deployment = until("the new version of the Deployment", || {
            self.deployment().filter(|deployment| deployment.to_string().contains(&format!(":{version}")))
        });
        let status = json!({
            "observedGeneration": deployment["metadata"]["generation"],
            "replicas": 1, "updatedReplicas": 1, "readyReplicas": 1, "availableReplicas": 1,
        });
        let place = format!("/apis/apps/v1/namespaces/{OPERATOR}/deployments/{DEPLOYMENT}/status");
        self.management.server.change(&place, &json!({ "status": status }));
    }

    /// Installs what a release needs.
    fn cert_manager(&self) {
        let server = &self.management.server;
        let names =
            json!({ "kind": "Issuer", "listKind": "IssuerList", "plural": "issuers", "singular": "issuer" });
        let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let version = json!({
            "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
        });
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "issuers.cert-manager.io" },
            "spec": {
                "group": "cert-manager.io", "names": names, "scope": "Namespaced", "versions": [version],
            },
        });
        server.make("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
        self.management.namespace("cert-manager");
        let labels = json!({ "app": "webhook" });
        let containers = json!([{ "name": "webhook", "image": "webhook:v1" }]);
        let deployment = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "cert-manager-webhook" },
            "spec": {
                "selector": { "matchLabels": labels },
                "template": { "metadata": { "labels": labels }, "spec": { "containers": containers } },
            },
        });
        let place = "/apis/apps/v1/namespaces/cert-manager/deployments";
        server.make(place, &deployment);
        let status = json!({ "replicas": 1, "readyReplicas": 1, "availableReplicas": 1 });
        server.change(&format!("{place}/cert-manager-webhook/status"), &json!({ "status": status }));
    }

    /// The group of a cluster, as the operator reports it.
    fn group(&self, status: &str) {
        let place = place_of(PUBLIC, "ResourceGroup", GROUP);
        if self.management.get(&place).is_none() {
            self.management.namespace(PUBLIC);
            let labels = json!({ "aso.landfall.dev/cluster": PUBLIC });
            let group = "resources.azure.com/";
            let (_, version) = place.split_once(group).unwrap();
            let object = json!({
                "apiVersion": format!("{group}{}", version.split('/').next().unwrap()),
                "kind": "ResourceGroup", "metadata": { "name": GROUP, "labels": labels },
                "spec": { "location": "eastus" },
            });
            let (collection, _) = place.rsplit_once('/').unwrap();
            self.management.server.make(collection, &object);
        }
        let ready = json!({
            "type": "Ready", "status": status, "reason": "Played", "observedGeneration": 1,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        });
        let status = json!({ "status": { "conditions": [ready] } });
        self.management.server.change(&format!("{place}/status"), &status);
    }
}

/// The codes of what is found.
fn codes(ran: &Ran) -> Vec<String> {
    let findings = ran.json()["findings"].as_array().cloned().unwrap_or_default();
    findings.iter().map(|finding| at(finding, "/code").to_owned()).collect()
}

#[test]
#[ignore = "needs an API server"]
fn a_release_is_installed_and_the_next_one_follows_it() {
    let management = Management::bare(&Azure::empty());
    let upgrading = Upgrading { management, site: Site::new(PUBLIC, &config("public", |_| {})) };
    let government = ["--cloud-name", GOVERNMENT];
    // Nothing is written before all that is needed stands.
    assert_eq!(codes(&upgrading.run("install", "v2.19.0", &government).ends(4)), ["LF1564"]);
    assert_eq!(upgrading.management.get(&format!("/api/v1/namespaces/{OPERATOR}")), None);
    upgrading.cert_manager();
    assert_eq!(codes(&upgrading.run("upgrade", "v2.19.0", &government).ends(4)), ["LF1563"]);

    let run = upgrading.start("install", "v2.19.0", &government);
    upgrading.rolls_out("v2.19.0");
    // It installs its CRDs itself.
    upgrading.management.define();
    let said = run.end().ends(0).json();
    assert_eq!((&said["outcome"], &said["version"]), (&json!("done"), &json!("2.19.0")), "{said}");
    assert_eq!((&said["applied"], &said["from"]), (&json!(5), &Value::Null), "{said}");
    let deployment = upgrading.deployment().unwrap();
    assert_eq!(deployment["metadata"]["labels"]["app.kubernetes.io/managed-by"], "landfall");
    let arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"].to_string();
    assert!(arguments.contains("--crd-pattern=") && arguments.contains("network.azure.com/VirtualNetwork;"));
    let place = format!("/api/v1/namespaces/{OPERATOR}/secrets/aso-controller-settings");
    let settings = || upgrading.management.get(&place).unwrap()["data"].clone();
    // https://login.microsoftonline.us/
    let authority = at(&settings(), "/AZURE_AUTHORITY_HOST").to_owned();
    assert!(authority.starts_with("aHR0cHM6Ly9sb2dpbi5taWNyb3NvZnRvbmxpbmUudX"), "{authority}");
    assert_eq!(codes(&upgrading.run("install", "v2.20.0", &government).ends(4)), ["LF1563"]);
    // The same again goes on where a run stopped.
    upgrading.run("install", "v2.19.0", &government).ends(0);

    // The next release, and what its owner set stays.
    assert_eq!(codes(&upgrading.run("upgrade", "v2.21.0", &government).ends(4)), ["LF1528"]);
    let server = &upgrading.management.server;
    server.change(&place, &json!({ "data": { "MAX_CONCURRENT_RECONCILES": "Mw==" } }));
    upgrading.group("True");
    let run = upgrading.start("upgrade", "v2.20.0", &[&government[..], &["--timeout", "10s"]].concat());
    upgrading.rolls_out("v2.20.0");
    upgrading.group("False");
    let ran = run.end().ends(5);
    assert_eq!(codes(&ran), ["LF1566"]);
    assert!(ran.out.contains(&format!("ResourceGroup {PUBLIC}/{GROUP}")), "{}", ran.out);
    upgrading.group("True");
    let said = upgrading.run("upgrade", "v2.20.0", &government).ends(0).json();
    assert_eq!((&said["outcome"], &said["from"]), (&json!("done"), &json!("2.20.0")), "{said}");
    assert_eq!(settings()["MAX_CONCURRENT_RECONCILES"], "Mw==");
    let arguments =
        upgrading.deployment().unwrap()["spec"]["template"]["spec"]["containers"][0]["args"].clone();
    assert!(arguments.to_string().contains("network.azure.com/VirtualNetwork;"), "{arguments}");
}

#[test]
#[ignore = "needs an API server"]
fn an_operator_of_somebody_else_is_not_upgraded() {
    let management = Management::bare(&Azure::empty());
    management.install(&json!({}));
    let upgrading = Upgrading { management, site: Site::new(PUBLIC, &config("public", |_| {})) };
    upgrading.cert_manager();
    let before = upgrading.management.versions(OPERATOR);
    let found = codes(&upgrading.run("upgrade", "v2.20.0", &[]).ends(4));
    assert!(found.contains(&"LF1563".to_owned()), "{found:?}");
    assert_eq!(upgrading.management.versions(OPERATOR), before);
}

#[test]
#[ignore = "needs an API server"]
fn what_the_server_refuses_is_named() {
    let management = Management::bare(&Azure::empty());
    let upgrading = Upgrading { management, site: Site::new(PUBLIC, &config("public", |_| {})) };
    upgrading.cert_manager();
    let file = upgrading.site.path().join("wrong.yaml");
    let text = release("v2.19.0").replace("azureserviceoperator-default", "Not_A_Name");
    std::fs::write(&file, text).unwrap();
    let manifest = ["aso", "install", "-o", "json", "--yes", "--manifest", file.to_str().unwrap()];
    let kubeconfig = upgrading.management.server.kubeconfig();
    let ran = upgrading.site.start(&manifest, Some(&kubeconfig)).end().ends(5);
    assert_eq!(codes(&ran), ["LF1565"]);
    assert!(ran.out.contains("ServiceAccount Not_A_Name cannot be applied"), "{}", ran.out);
}

/// Plays `helm` by a script, which may use the shell's own commands alone.
fn play_helm(site: &mut Site, script: &str) {
    let helm = site.path().join("helm");
    std::fs::write(&helm, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&helm, std::fs::Permissions::from_mode(0o755)).unwrap();
    site.environment.insert("PATH".to_owned(), site.path().display().to_string());
}

#[test]
#[ignore = "needs an API server"]
fn a_release_is_installed_from_its_chart() {
    const CHART: &str = "aso2/azure-service-operator";
    const INSTALL: [&str; 7] = ["aso", "install", "-o", "json", "--yes", "--chart", CHART];
    let management = Management::bare(&Azure::empty());
    let mut upgrading = Upgrading { management, site: Site::new(PUBLIC, &config("public", |_| {})) };
    upgrading.cert_manager();
    let kubeconfig = upgrading.management.server.kubeconfig();
    let install = |site: &Site, more: &[&str]| site.start(&[&INSTALL[..], more].concat(), Some(&kubeconfig));

    upgrading.site.environment.insert("PATH".to_owned(), "/nowhere".to_owned());
    let ran = install(&upgrading.site, &[]).end();
    assert!(ran.code != Some(0) && ran.to_string().contains("install it, or use --manifest"), "{ran}");
    play_helm(&mut upgrading.site, "echo 'Error: no such chart' >&2; exit 1");
    let ran = install(&upgrading.site, &[]).end();
    assert!(ran.code != Some(0) && ran.err.contains("no such chart"), "{ran}");
    assert!(upgrading.deployment().is_none());

    let folder = upgrading.site.path().display().to_string();
    upgrading.site.file("rendered", &release("v2.19.0"));
    let print = format!("while read -r line; do echo \"$line\"; done <{folder}/rendered");
    play_helm(&mut upgrading.site, &format!("for one; do echo \"$one\"; done >{folder}/asked\n{print}"));
    let run = install(&upgrading.site, &["--values", "own.yaml"]);
    upgrading.rolls_out("v2.19.0");
    upgrading.management.define();
    let ran = run.end().ends(0);
    assert_eq!(ran.json()["version"], "2.19.0", "{ran}");
    let asked = std::fs::read_to_string(upgrading.site.path().join("asked")).unwrap();
    let asked: Vec<&str> = asked.lines().collect();
    for wanted in [&["template"][..], &[CHART, "--namespace", OPERATOR], &["--values", "own.yaml"]] {
        assert!(asked.windows(wanted.len()).any(|part| part == wanted), "{wanted:?}: {asked:?}");
    }
}
