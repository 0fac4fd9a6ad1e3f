//! Tests of the manifests.

use super::super::CONTROLLERS;
use super::*;

fn deployed(names: &[&str]) -> Deployed {
    Deployed {
        image: "example.com/landfall:1".to_owned(),
        namespace: "here".to_owned(),
        target_namespace: "there".to_owned(),
        maps: crate::object_refs::MapNames::default(),
        release: None,
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

fn of(names: &[&str]) -> Vec<Value> {
    manifests(&deployed(names))
}

#[test]
fn what_clusters_depend_on_is_kept_when_it_is_gone_from_git() {
    let names = ["azure-infrastructure", "private-cloud-profile", "cloud-profile-admission"];
    for object in of(&names) {
        let annotations = &object["metadata"]["annotations"];
        let kept = [
            "CustomResourceDefinition",
            "Namespace",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
        ];
        let is_kept = object["kind"].as_str().is_some_and(|kind| kept.contains(&kind));
        for (key, value) in [
            ("argocd.argoproj.io/sync-options", "Prune=false,Delete=false"),
            ("helm.sh/resource-policy", "keep"),
            ("kustomize.toolkit.fluxcd.io/prune", "disabled"),
        ] {
            assert_eq!(annotations[key] == value, is_kept, "{key}: {}", object["metadata"]);
        }
    }
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
    let rules: Vec<&Value> = all.iter().filter_map(|object| object["rules"].as_array()).flatten().collect();
    let maps = rules.iter().filter(|rule| rule["resources"][0] == "configmaps");
    let is_own = |rule: &&Value| {
        rule["resourceNames"][0] == "landfall-verified-endpoints" || rule["verbs"] == json!(["create"])
    };
    assert!(maps.clone().count() == 2 && maps.clone().all(is_own), "{rules:?}");
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
fn the_maps_are_settings() {
    let maps = crate::object_refs::MapNames { target: "cloud-config".to_owned(), ..Default::default() };
    let all = manifests(&Deployed { maps, ..deployed(&["cloud-config-sync"]) });
    let rules: Vec<String> =
        all.iter().filter(|one| one["kind"] == "Role").map(|one| one["rules"].to_string()).collect();
    let named = |name: &str| rules.iter().filter(|rules| rules.contains(&format!("\"{name}\""))).count();
    assert_eq!([named("cloud-config"), named("cloud-conf"), named("kube-cloud-config")], [1, 0, 1]);
    let pod = all.iter().find(|one| one["kind"] == "Deployment").map(Value::to_string).unwrap_or_default();
    assert!(
        pod.contains("--target-config-map=cloud-config") && !pod.contains("--managed-config-map"),
        "{pod}"
    );
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
    let file = format!("{}/{}", text(&mount["mountPath"]), text(&volume["configMap"]["items"][0]["path"]));
    assert_eq!((&variable["name"], &variable["value"]), (&json!("SSL_CERT_FILE"), &json!(file)));
    let (map, spec) = pod(&["cloud-config-sync"]);
    assert!(map.is_none() && !spec["volumes"].to_string().contains("trusted"), "{spec}");
}

#[test]
fn a_workload_identity_has_a_token_of_the_account() {
    let audience = "api://AzureADTokenExchange".to_owned();
    let all = manifests(&Deployed {
        token_audience: Some(audience.clone()),
        ..deployed(&["azure-infrastructure"])
    });
    let deployment = all.iter().find(|object| object["kind"] == "Deployment").cloned().unwrap_or_default();
    let spec = &deployment["spec"]["template"]["spec"];
    let volumes = spec["volumes"].as_array().cloned().unwrap_or_default();
    let volume = volumes.iter().find(|volume| volume["name"] == "azure-token").cloned().unwrap_or_default();
    let token = &volume["projected"]["sources"][0]["serviceAccountToken"];
    assert_eq!(token["audience"], audience);
    let container = &spec["containers"][0];
    let by_name = |list: &str, name: &str| {
        let all = container[list].as_array().into_iter().flatten();
        all.clone().find(|one| one["name"] == name).cloned().unwrap_or_default()
    };
    let folder = by_name("volumeMounts", "azure-token")["mountPath"].as_str().unwrap_or_default().to_owned();
    let file = format!("{folder}/{}", token["path"].as_str().unwrap_or_default());
    assert_eq!(by_name("env", "AZURE_FEDERATED_TOKEN_FILE")["value"], file);
}

#[test]
fn one_namespace_needs_no_rights_in_others() {
    let names = &["azure-infrastructure"];
    let all = manifests(&Deployed {
        watch_namespace: Some("team".to_owned()),
        workers: Some(3),
        rollout_limit: 5,
        ..deployed(names)
    });
    assert_eq!(places(&all, "Role"), ["aso", "here", "team"]);
    let of = |all: &[Value], kind: &str, name: &str| {
        let found = all.iter().find(|one| one["kind"] == kind && one["metadata"]["name"] == name);
        found.cloned().unwrap_or_default()
    };
    let wide = of(&all, "ClusterRole", "landfall-operator-here");
    let resources: Vec<&Value> =
        wide["rules"].as_array().into_iter().flatten().map(|rule| &rule["resources"][0]).collect();
    let expected = ["customresourcedefinitions", "deployments", "tokenreviews", "selfsubjectaccessreviews"];
    assert!(expected.iter().all(|one| resources.iter().any(|found| *found == one)), "{resources:?}");
    for narrow in [
        "leases",
        "azureinfrastructures",
        "azureinfrastructures/status",
        "virtualnetworks",
        "events",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
    ] {
        assert!(resources.iter().all(|found| *found != narrow), "{narrow}");
    }
    // Who applies the manifests creates the policies.
    assert!(all.iter().any(|one| one["kind"] == deletion_policy::POLICY));
    let binding = of(&all, "ClusterRoleBinding", "landfall-operator-here");
    assert_eq!(
        (&binding["roleRef"]["name"], &binding["subjects"][0]["namespace"]),
        (&json!("landfall-operator-here"), &json!("here"))
    );
    let args = of(&all, "Deployment", NAME).to_string();
    assert!(args.contains("--watch-namespace=team") && args.contains("--workers=3"), "{args}");
    assert!(args.contains("--rollout-limit=5") && !args.contains("--unique-infra-ids"), "{args}");
    // Operators that share clusters by label have an account each as well, with the same rights.
    let shard = Deployed { watch_labels: "shard=1".parse().ok(), ..deployed(names) };
    let shard = manifests(&shard);
    assert!(of(&shard, "Deployment", NAME).to_string().contains("--watch-label-selector=shard=1"));
    let rules = |all: &[Value]| of(all, "ClusterRole", "landfall-operator-here")["rules"].clone();
    let all = manifests(&deployed(names));
    assert_eq!(rules(&shard), rules(&all));
    assert!(rules(&all).is_array());
    // Without it, the same rights hold in all namespaces.
    assert_eq!(places(&manifests(&deployed(names)), "Role"), ["aso", "here"]);
}

#[test]
fn ids_of_other_namespaces_are_read_only_if_that_is_wished() {
    let watched = |unique_infra_ids, admission_policies| {
        let watch_namespace = Some("team".to_owned());
        let names = &["azure-infrastructure"];
        let all =
            manifests(&Deployed { admission_policies, watch_namespace, unique_infra_ids, ..deployed(names) });
        let wide = all.iter().filter(|one| one["metadata"]["name"] == "landfall-operator-here");
        let wide = wide.filter(|one| one["kind"] == "ClusterRole").filter_map(|one| one["rules"].as_array());
        let rules: Vec<Value> = wide.flatten().cloned().collect();
        let count = |plural: &str| rules.iter().filter(|rule| rule["resources"][0] == plural).count();
        let args = all.iter().find(|one| one["kind"] == "Deployment").map(Value::to_string);
        let counts = [
            count("azureinfrastructures"),
            count("validatingadmissionpolicies"),
            count("validatingadmissionpolicybindings"),
        ];
        (counts, args.is_some_and(|args| args.contains("\"--unique-infra-ids\"")))
    };
    assert_eq!(watched(false, true), ([0, 0, 0], false));
    assert_eq!(watched(true, true), ([1, 2, 2], true));
    assert_eq!(watched(true, false), ([1, 0, 0], true));
}

#[test]
fn of_azure_service_operator_the_settings_are_read_where_it_is_and_one_deployment_by_name() {
    for watch_namespace in [None, Some("team".to_owned())] {
        let aso_namespaces = vec!["aso".to_owned(), "capz-system".to_owned()];
        let narrow = Deployed { watch_namespace, aso_namespaces, ..deployed(&["azure-infrastructure"]) };
        let all = manifests(&narrow);
        let settings = json!([{
            "apiGroups": [""],
            "resources": ["secrets"],
            "resourceNames": ["aso-controller-settings"],
            "verbs": ["get"],
        }]);
        let at = |place: &str| {
            let mut roles = all.iter().filter(|one| one["kind"] == "Role");
            roles.find(|role| role["metadata"]["namespace"] == place).cloned().unwrap_or_default()
        };
        for place in &narrow.aso_namespaces {
            assert_eq!(
                (&at(place)["rules"], &at(place)["metadata"]["name"]),
                (&settings, &json!("landfall-operator-here"))
            );
        }
        assert_eq!(places(&all, "Role"), places(&all, "RoleBinding"));
        let wide = all.iter().filter(|one| one["kind"] == "ClusterRole");
        let wide: Vec<&Value> = wide.filter_map(|one| one["rules"].as_array()).flatten().collect();
        assert!(!wide.iter().any(|rule| rule.to_string().contains("aso-controller-settings")), "{wide:?}");
        let deployments = wide.iter().filter(|rule| rule["resources"] == json!(["deployments"]));
        let names: Vec<&Value> = deployments.map(|rule| &rule["resourceNames"]).collect();
        assert_eq!(names, [&json!(["azureserviceoperator-controller-manager"])]);
    }
    // Controllers without it have no rights there.
    assert!(!places(&of(&["cloud-config-sync"]), "Role").contains(&"aso".to_owned()));
}

#[test]
fn secrets_are_read_only_in_the_namespaces_that_are_named() {
    let told = |namespaces: &[&str]| {
        let secret_namespaces = namespaces.iter().map(|&one| one.to_owned()).collect();
        let all = manifests(&Deployed { secret_namespaces, ..deployed(&["azure-infrastructure"]) });
        let reads = |object: &&Value| {
            let rules = object["rules"].as_array().into_iter().flatten();
            rules
                .filter(|rule| rule["resourceNames"].is_null())
                .any(|rule| rule["resources"] == json!(["secrets"]))
        };
        let place = |object: &Value| {
            let metadata = &object["metadata"];
            let [name, namespace] =
                ["name", "namespace"].map(|one| metadata[one].as_str().unwrap_or_default());
            format!("{namespace}/{name}")
        };
        let mut found: Vec<String> = all.iter().filter(reads).map(place).collect();
        found.sort();
        found
    };
    assert_eq!(told(&[]), ["/landfall-secrets"]);
    let both = ["/landfall-secrets", "one/landfall-operator-here", "two/landfall-operator-here"];
    assert_eq!(told(&["one", "two"]), both);
    assert_eq!(told(&["*"]), ["/landfall-operator-here"]);
    // Controllers that read none have no role for it.
    let others = manifests(&deployed(&["kube-cloud-config"]));
    assert!(others.iter().all(|one| one["metadata"]["name"] != SECRETS_ROLE));
}

/// Who applies one after the other has both.
#[test]
fn operators_of_several_namespaces_leave_each_other_what_they_have() {
    let installed = |namespace: &str, watched: Option<&str>| {
        let deployed = Deployed {
            namespace: namespace.to_owned(),
            watch_namespace: watched.map(str::to_owned),
            monitoring: Some(Monitoring::Openshift),
            // The judge of profiles is registered once in a cluster.
            controllers: CONTROLLERS.iter().filter(|one| !profiles::are_judged(&[one])).collect(),
            ..deployed(&[])
        };
        let of = |object: Value| {
            let place = ["/kind", "/metadata/namespace", "/metadata/name"];
            (place.map(|path| object.pointer(path).map(Value::to_string)), object)
        };
        manifests(&deployed).into_iter().map(of).collect::<BTreeMap<_, _>>()
    };
    for (one, other) in
        [(("landfall", None), ("here", None)), (("here", Some("team")), ("there", Some("team")))]
    {
        let (one, other) = (installed(one.0, one.1), installed(other.0, other.1));
        for (place, object) in &one {
            assert!(other.get(place).is_none_or(|others| others == object), "{place:?}");
        }
    }
    // The only operator has the plain name.
    let alone = installed(NAMESPACE, None);
    let role = [Some("\"ClusterRole\"".to_owned()), None, Some(format!("\"{NAME}\""))];
    assert!(alone.contains_key(&role), "{:?}", alone.keys());
}

/// What is applied again with other flags replaces the rights of before.
#[test]
fn what_is_watched_does_not_change_the_names_of_rights() {
    for namespace in [NAMESPACE, "here"] {
        let names = |watch_namespace: Option<&str>, labels: &str| {
            let all = manifests(&Deployed {
                namespace: namespace.to_owned(),
                watch_namespace: watch_namespace.map(str::to_owned),
                watch_labels: labels.parse().ok(),
                monitoring: Some(Monitoring::Prometheus),
                ..deployed(&["azure-infrastructure"])
            });
            let bindings = all.into_iter().filter(|one| one["kind"] == "ClusterRoleBinding");
            bindings.map(|one| one["metadata"]["name"].to_string()).collect::<Vec<_>>()
        };
        let wide = names(None, "");
        assert!(!wide.is_empty());
        assert_eq!(names(Some("team"), ""), wide);
        assert_eq!(names(None, "shard=1"), wide);
    }
}

#[test]
fn metrics_are_for_those_who_may_read_them() {
    let all = of(&["cloud-config-sync"]);
    let find =
        |all: &[Value], kind: &str| all.iter().find(|one| one["kind"] == kind).cloned().unwrap_or_default();
    let (service, pod) =
        (find(&all, "Service"), find(&all, "Deployment")["spec"]["template"]["spec"].clone());
    let secret = &service["metadata"]["annotations"][SERVING_CERTIFICATE];
    assert_eq!(pod["volumes"][0]["secret"]["secretName"], *secret);
    assert_eq!(pod["volumes"][0]["secret"]["optional"], true);
    assert_eq!(service["spec"]["ports"][0]["targetPort"], METRICS);
    let args = pod["containers"][0]["args"].to_string();
    let folder = pod["containers"][0]["volumeMounts"][0]["mountPath"].as_str().unwrap_or_default();
    assert!(args.contains(&format!("--metrics-cert-dir={folder}")), "{args}");
    let asks = |all: &[Value]| {
        let mut rules = all.iter().filter_map(|one| one["rules"].as_array()).flatten();
        rules.any(|rule| rule["resources"][0] == "tokenreviews" && rule["verbs"] == json!(["create"]))
    };
    assert!(asks(&all));
    let open = manifests(&Deployed { metrics_tls: false, ..deployed(&["cloud-config-sync"]) });
    assert!(!asks(&open) && !find(&open, "Deployment").to_string().contains("metrics-listen"));
    assert_eq!(find(&open, "Service")["spec"]["ports"][0]["port"], PORT);
}

#[test]
fn settings_reach_the_pod() {
    let usual = container(&deployed(&["cloud-config-sync"]));
    let args = usual["args"].to_string();
    assert!(usual["env"] == json!([]) && !args.contains("--clean-"), "{usual}");
    let release = Some("5.0.0".to_owned());
    let expiry = Expiry { images: false, cloud_profiles: true };
    let set = Deployed { release, expiry, ..deployed(&["private-cloud-profile"]) };
    let set = container(&set);
    assert_eq!(set["env"], json!([{ "name": "RELEASE_VERSION", "value": "5.0.0" }]));
    assert!(set["args"].to_string().contains("\"--clean-machine-images=false\""), "{set}");
    assert!(set["args"].to_string().contains("\"--clean-cloud-profiles\""), "{set}");
    assert!(!set["args"].to_string().contains("--take-over"), "{set}");
    let set = container(&Deployed { take_over: true, ..deployed(&["cloud-config-sync"]) });
    assert!(set["args"].to_string().contains("\"--take-over\""), "{set}");
    assert!(!set["args"].to_string().contains("admission-policies"), "{set}");
    let set = container(&Deployed { admission_policies: false, ..deployed(&["azure-infrastructure"]) });
    assert!(set["args"].to_string().contains("\"--admission-policies=false\""), "{set}");
}

#[test]
fn infrastructures_are_read_for_profiles_of_either_group() {
    for profiles in [&landfall_kube::kinds::LANDFALL_PROFILES, &landfall_kube::kinds::GARDENER_PROFILES] {
        let controllers = ["private-cloud-profile", "namespaced-cloud-profile", "cloud-profile"];
        for name in controllers.into_iter().chain(["cloud-profile-admission"]) {
            let all = manifests(&Deployed { profiles, ..deployed(&[name]) });
            let mut rules = all.iter().filter_map(|object| object["rules"].as_array()).flatten();
            let is_read = rules.any(|rule| {
                rule["resources"] == json!(["azureinfrastructures"])
                    && rule["verbs"] == json!(["get", "list", "watch"])
            });
            assert!(is_read, "{name}");
        }
    }
}

#[test]
fn profiles_bring_their_kinds_roles_and_judge() {
    let kinds = |names: &[&str]| {
        let count = |all: &[Value], kind: &str| all.iter().filter(|object| object["kind"] == kind).count();
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
    assert_eq!(kinds(&["azure-infrastructure"]), [1, 4, 1, 0, 0]);
    assert_eq!(kinds(&["private-cloud-profile"]), [3, 4, 1, 0, 0]);
    assert_eq!(kinds(&["private-cloud-profile", "cloud-profile-admission"]), [3, 4, 2, 1, 1]);
}
