//! Tests of packages: they hold what the manifests say, and nothing else.

use std::collections::BTreeSet;

use super::super::CONTROLLERS;
use super::super::Monitoring;
use super::super::manifests::NAME;
use super::*;

fn deployed(names: &[&str]) -> Deployed {
    Deployed {
        image: "example.com/landfall:1".to_owned(),
        namespace: "here".to_owned(),
        target_namespace: "there".to_owned(),
        maps: crate::object_refs::MapNames::default(),
        release: Some("4.20.1".to_owned()),
        expiry: crate::cloud_profile::Expiry::default(),
        take_over: false,
        controllers: CONTROLLERS.iter().filter(|one| names.contains(&one.name)).collect(),
        replicas: 2,
        metrics_tls: true,
        admission_policies: true,
        monitoring: None,
        monitoring_labels: Vec::new(),
        runbooks: None,
        watch_namespace: None,
        unique_infra_ids: false,
        watch_labels: None,
        profiles: &landfall_kube::kinds::LANDFALL_PROFILES,
        workers: None,
        rollout_limit: 0,
        secret_namespaces: Vec::new(),
        aso_namespaces: vec!["aso".to_owned()],
        token_audience: None,
    }
}

const CHOICES: [&[&str]; 3] = [
    &["kube-cloud-config", "cloud-config-sync", "endpoint-mirror"],
    &["private-cloud-profile", "cloud-profile", "cloud-profile-admission"],
    &["azure-infrastructure"],
];

fn parsed(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap_or_default()
}

/// Objects in an order of their own.
fn sorted(objects: impl IntoIterator<Item = Value>) -> Vec<String> {
    let all: BTreeSet<String> = objects.into_iter().map(|object| object.to_string()).collect();
    all.into_iter().collect()
}

#[test]
fn a_base_is_the_manifests() {
    for names in CHOICES {
        let deployed = deployed(names);
        let files = package(&deployed, Packaging::Kustomize);
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), files.len(), "two objects in one file");
        let base = files.iter().find(|file| file.path == "kustomization.yaml").map(|file| parsed(&file.text));
        let named = base.and_then(|base| base["resources"].as_array().cloned()).unwrap_or_default();
        assert_eq!(named.len() + 1, files.len());
        let of = |name: &Value| files.iter().find(|file| *name == file.path.as_str());
        let objects: Vec<Value> = named.iter().filter_map(of).map(|file| parsed(&file.text)).collect();
        assert_eq!(objects, manifests(&deployed));
    }
}

/// What Helm makes of a template with the chart's own values.
fn rendered(template: &str, values: &Value) -> Value {
    let mut text = template.replace("{{ .Release.Namespace }}", "here");
    if let Some(inner) = text.strip_prefix("{{- if .Values.createSharedObjects }}\n") {
        assert_eq!(values["createSharedObjects"], true);
        text = inner.trim_end_matches("{{- end }}\n").to_owned();
    }
    for name in ["image", "targetNamespace"] {
        let value = values[name].as_str().unwrap_or_default();
        text = text.replace(&format!("{{{{ .Values.{name} }}}}"), value);
    }
    text = text.replace("{{ .Values.replicas }}", &values["replicas"].to_string());
    for name in ["resources", "imagePullSecrets", "nodeSelector", "tolerations"] {
        text = text.replace(&format!("{{{{ .Values.{name} | toJson }}}}"), &values[name].to_string());
    }
    for name in ["rolloutLimit", "workers", "watchLabelSelector"] {
        let begin = format!("        {{{{- with .Values.{name} }}}}\n");
        let Some((before, rest)) = text.split_once(&begin) else { continue };
        let (block, after) = rest.split_once("        {{- end }}\n").unwrap_or_default();
        let value = values[name].as_str().map_or_else(|| values[name].to_string(), str::to_owned);
        let is_empty = ["null", "0", ""].contains(&value.as_str());
        let block = if is_empty { String::new() } else { block.replace("{{ . }}", &value) };
        text = format!("{before}{block}{after}");
    }
    assert!(!text.contains("{{"), "{text}");
    let mut object = parsed(&text);
    if let Some(pod) = object.pointer_mut("/spec/template/spec").and_then(Value::as_object_mut) {
        pod.retain(|name, value| !(name == "imagePullSecrets" && *value == json!([])) && *value != json!({}));
    }
    object
}

#[test]
fn a_chart_has_the_settings_that_are_changed_in_operation() {
    let chosen = Deployed { rollout_limit: 3, watch_labels: "!shard".parse().ok(), ..deployed(CHOICES[2]) };
    let files = package(&chosen, Packaging::Helm);
    let mut values = file(&files, "values.yaml");
    assert_eq!((&values["rolloutLimit"], &values["watchLabelSelector"]), (&json!(3), &json!("!shard")));
    assert_eq!(values["imagePullSecrets"], json!([]));
    values["imagePullSecrets"] = json!([{ "name": "registry" }]);
    values["workers"] = json!(7);
    let template = files.iter().find(|file| file.path.starts_with("templates/deployment"));
    let pod = rendered(template.map_or("", |file| file.text.as_str()), &values);
    let pod = &pod["spec"]["template"]["spec"];
    assert_eq!(pod["imagePullSecrets"][0]["name"], "registry");
    let args = pod["containers"][0]["args"].to_string();
    for flag in ["--rollout-limit=3", "--workers=7", "--watch-label-selector=!shard"] {
        assert!(args.contains(&format!("\"{flag}\"")), "{args}");
    }
    // A value that no template uses is not in the chart.
    let has = |names: &[&str], value: &str| {
        file(&package(&deployed(names), Packaging::Helm), "values.yaml").get(value).is_some()
    };
    assert_eq!(CHOICES.map(|names| has(names, "targetNamespace")), [true, false, false]);
    assert_eq!(CHOICES.map(|names| has(names, "rolloutLimit")), [false, false, true]);
}

#[test]
fn a_chart_with_its_own_values_is_the_manifests() {
    for names in CHOICES {
        let deployed = deployed(names);
        let files = package(&deployed, Packaging::Helm);
        let values = files.iter().find(|file| file.path == "values.yaml").map(|file| parsed(&file.text));
        let values = values.unwrap_or_default();
        let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.len(), files.len(), "two objects in one file");
        let objects = files.iter().filter_map(|file| {
            let is_definition = file.path.starts_with("crds/");
            if is_definition {
                return Some(parsed(&file.text));
            }
            file.path.starts_with("templates/").then(|| rendered(&file.text, &values))
        });
        let expected = manifests(&deployed).into_iter().filter(|object| object["kind"] != "Namespace");
        assert_eq!(sorted(objects), sorted(expected.map(with_target_name)));
    }
}

/// An object as a chart has it: rights in the target namespace have their own name.
fn with_target_name(mut object: Value) -> Value {
    if object["metadata"]["namespace"] == "there" {
        for path in ["/metadata/name", "/roleRef/name"] {
            if let Some(name) = object.pointer_mut(path) {
                *name = json!("landfall-operator-here-target");
            }
        }
    }
    object
}

fn file(files: &[PackageFile], path: &str) -> Value {
    files.iter().find(|file| file.path == path).map(|file| parsed(&file.text)).unwrap_or_default()
}

#[test]
fn rights_in_the_target_namespace_are_apart_from_all_others() {
    let deployed = Deployed { target_namespace: "openshift-config".to_owned(), ..deployed(CHOICES[0]) };
    let files = package(&deployed, Packaging::Helm);
    let values = file(&files, "values.yaml");
    let templates = files.iter().filter(|file| file.path.starts_with("templates/role"));
    let mut seen = BTreeSet::new();
    for template in templates {
        let object = rendered(&template.text, &values);
        let id =
            format!("{} {} {}", object["kind"], object["metadata"]["namespace"], object["metadata"]["name"]);
        assert!(seen.insert(id), "{object}");
    }
    assert_eq!(seen.len(), 10);
}

#[test]
fn the_schema_of_values_knows_all_of_them_and_no_others() {
    for names in CHOICES {
        let files = package(&deployed(names), Packaging::Helm);
        let (values, schema) = (file(&files, "values.yaml"), file(&files, "values.schema.json"));
        assert_eq!(schema["additionalProperties"], false);
        let named = |value: &Value| -> BTreeSet<String> {
            value.as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default()
        };
        let mut known = named(&schema["properties"]);
        assert!(known.remove("global") && known.remove("enabled"));
        assert_eq!(known, named(&values));
    }
}

#[test]
fn a_further_release_can_leave_out_what_all_operators_share() {
    let shared = |names: &[&str]| -> Vec<String> {
        let files = package(&deployed(names), Packaging::Helm);
        let guarded = files.iter().filter(|file| file.text.contains("createSharedObjects }}"));
        guarded.map(|file| file.path.clone()).collect()
    };
    let paths = shared(CHOICES[2]);
    for name in
        ["clusterrole-landfall-infrastructure-view", "validatingadmissionpolicy-landfall-deletion-protection"]
    {
        assert!(paths.contains(&format!("templates/{name}.yaml")), "{paths:?}");
    }
    assert!(!paths.iter().any(|path| path.contains("landfall-operator")), "{paths:?}");
    // A configuration of webhooks names the service of its release.
    assert!(!shared(CHOICES[1]).iter().any(|path| path.contains("webhook")));
    assert!(shared(CHOICES[0]).is_empty());
}

#[test]
fn a_chart_with_policies_needs_a_cluster_that_knows_them() {
    let needed = |admission_policies| {
        let files = package(&Deployed { admission_policies, ..deployed(CHOICES[2]) }, Packaging::Helm);
        file(&files, "Chart.yaml")["kubeVersion"].clone()
    };
    assert_eq!((needed(true), needed(false)), (json!(">=1.30.0-0"), json!(">=1.27.0-0")));
}

#[test]
fn a_bundle_tells_a_catalog_what_it_needs() {
    for names in CHOICES {
        let deployed = deployed(names);
        let files = package(&deployed, Packaging::Olm);
        let version = file(&files, "manifests/landfall-operator.clusterserviceversion.yaml");
        let images = json!([{ "name": "operator", "image": deployed.image }]);
        assert_eq!(version["spec"]["relatedImages"], images);
        assert_eq!(version["spec"]["icon"][0]["mediatype"], "image/svg+xml");
        let annotations = &version["metadata"]["annotations"];
        assert_eq!(annotations["containerImage"], deployed.image);
        assert_eq!(annotations["features.operators.openshift.io/disconnected"], "true");
        assert!(annotations["description"].as_str().is_some_and(|text| text.len() <= 135));
        // In the other mode, the operator's rights in its own namespace hold in all.
        let supported = |mode: &str| {
            let modes = version["spec"]["installModes"].as_array().cloned().unwrap_or_default();
            modes.iter().any(|one| one["type"] == mode && one["supported"] == true)
        };
        assert!(supported("OwnNamespace") && !supported("SingleNamespace"));
        let has_own_secret = names.contains(&"cloud-profile-admission");
        assert_eq!(supported("AllNamespaces"), !has_own_secret, "{names:?}");
    }
}

#[test]
fn a_bundle_has_the_rights_and_the_pods_of_the_manifests() {
    for names in CHOICES {
        let deployed = deployed(names);
        let files = package(&deployed, Packaging::Olm);
        let version = files.iter().find(|file| file.path.ends_with(".clusterserviceversion.yaml"));
        let version = version.map(|file| parsed(&file.text)).unwrap_or_default();
        let install = &version["spec"]["install"]["spec"];
        let all = manifests(&deployed);
        let pods = all.iter().find(|object| object["kind"] == "Deployment").cloned().unwrap_or_default();
        let bundled = install["deployments"][0]["spec"].to_string();
        assert_eq!(install["deployments"][0]["spec"]["selector"], pods["spec"]["selector"]);
        assert!(bundled.contains("--namespace=$(POD_NAMESPACE)") && !bundled.contains("--namespace=here"));
        let pairs = |rules: &[Value]| -> BTreeSet<(String, String)> {
            let of = |rule: &Value| {
                let verbs = rule["verbs"].as_array().cloned().unwrap_or_default();
                let about = format!("{} {} {}", rule["apiGroups"], rule["resources"], rule["resourceNames"]);
                verbs.into_iter().map(|verb| (about.clone(), verb.to_string())).collect::<Vec<_>>()
            };
            rules.iter().flat_map(of).collect()
        };
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let bundled = ["permissions", "clusterPermissions"].map(|name| list(&install[name][0]["rules"]));
        let expected: Vec<Value> = all
            .iter()
            .filter(|object| object["metadata"]["name"].as_str().is_some_and(|name| name.starts_with(NAME)))
            .flat_map(|object| list(&object["rules"]))
            .collect();
        // What it cannot grant in the namespace of Azure Service Operator, it does not grant in all.
        let of_settings =
            expected.iter().filter(|rule| rule["resourceNames"][0] == "aso-controller-settings");
        let of_settings: Vec<Value> = of_settings.cloned().collect();
        assert_eq!(!of_settings.is_empty(), names == CHOICES[2]);
        let mut granted = pairs(&bundled.concat());
        assert!(granted.is_disjoint(&pairs(&of_settings)), "{granted:?}");
        granted.extend(pairs(&of_settings));
        assert_eq!(granted, pairs(&expected));
        assert!(!expected.is_empty());
        // There is an example of each kind that it defines.
        let examples = version["metadata"]["annotations"]["alm-examples"].as_str().unwrap_or("[]");
        let examples: Vec<Value> = serde_json::from_str(examples).unwrap_or_default();
        let kinds = |objects: &[Value], path: &str| -> Vec<Value> {
            objects.iter().filter_map(|object| object.pointer(path).cloned()).collect()
        };
        let defined = list(&version["spec"]["customresourcedefinitions"]["owned"]);
        assert_eq!(kinds(&examples, "/kind"), kinds(&defined, "/kind"));
        // Whoever installs it chooses the namespace.
        for file in files.iter().filter(|file| file.path.starts_with("manifests/")) {
            assert!(!file.text.contains("namespace: here"), "{}: {}", file.path, file.text);
        }
        let definitions = all.iter().filter(|object| object["kind"] == CRD).count();
        assert_eq!(list(&version["spec"]["customresourcedefinitions"]["owned"]).len(), definitions);
    }
}

#[test]
fn every_package_has_the_right_to_write_the_deletion_policies_that_it_wants() {
    for (packaging, file) in [
        (Packaging::Olm, "clusterserviceversion"),
        (Packaging::Helm, "clusterrole"),
        (Packaging::Kustomize, "clusterrole"),
    ] {
        for admission_policies in [true, false] {
            let files = package(&Deployed { admission_policies, ..deployed(CHOICES[2]) }, packaging);
            let told: String =
                files.iter().filter(|one| one.path.contains(file)).map(|one| one.text.as_str()).collect();
            for plural in ["validatingadmissionpolicies", "validatingadmissionpolicybindings"] {
                let expected = if admission_policies { 2 } else { 0 };
                assert_eq!(told.matches(plural).count(), expected, "{file}: {told}");
            }
        }
    }
}

#[test]
fn helm_leaves_the_braces_of_alerts_and_panels_alone() {
    let deployed = Deployed { monitoring: Some(Monitoring::Openshift), ..deployed(CHOICES[0]) };
    let files = package(&deployed, Packaging::Helm);
    let text = |name: &str| {
        let file = files.iter().find(|file| file.path.starts_with(&format!("templates/{name}")));
        file.map(|file| file.text.clone()).unwrap_or_default()
    };
    for (name, own) in [
        ("prometheusrule", " $labels.controller }}"),
        ("configmap-landfall-operator-dashboard", "controller}}"),
    ] {
        let text = text(name);
        assert!(text.contains("{{ .Release.Namespace }}"), "{text}");
        assert!(text.contains(&format!("{{{{ `{{{{` }}}}{own}")), "{text}");
        // What Helm fills in is the namespace, and braces.
        let rest = text.replace("{{ .Release.Namespace }}", "").replace("{{ `{{` }}", "");
        assert!(!rest.contains("{{"), "{rest}");
    }
}
