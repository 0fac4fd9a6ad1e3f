//! What keeps the operator available and contained: where its replicas run, how many may be gone, what it may use,
//! and who may connect to it.

use serde_json::{Value, json};

use super::manifests::{Deployed, METRICS, labels, metadata};
use super::profiles::{self, WEBHOOK};

/// The objects beside the Deployment: how many replicas may be evicted at once, and the ports that it answers on.
pub(super) fn around(deployed: &Deployed) -> [Value; 2] {
    let mut ports = vec![json!({ "port": "http", "protocol": "TCP" })];
    if deployed.metrics_tls {
        ports.push(json!({ "port": METRICS, "protocol": "TCP" }));
    }
    if profiles::are_judged(&deployed.controllers) {
        ports.push(json!({ "port": WEBHOOK, "protocol": "TCP" }));
    }
    let namespace = Some(deployed.namespace.as_str());
    [
        json!({
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": metadata(namespace),
            "spec": { "maxUnavailable": 1, "selector": { "matchLabels": labels() } },
        }),
        // What it connects to has no fixed address: the API server, and the endpoints that it probes.
        json!({
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "metadata": metadata(namespace),
            "spec": {
                "podSelector": { "matchLabels": labels() },
                "policyTypes": ["Ingress"],
                "ingress": [{ "ports": ports }],
            },
        }),
    ]
}

/// Replicas run in different zones where that is possible.
pub(super) fn spread() -> Value {
    json!([{
        "maxSkew": 1,
        "topologyKey": "topology.kubernetes.io/zone",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": { "matchLabels": labels() },
    }])
}

/// What a replica asks for, and what it may use at most.
pub(super) fn resources() -> Value {
    json!({
        "requests": { "cpu": "10m", "memory": "32Mi" },
        "limits": { "cpu": "1", "memory": "512Mi" },
    })
}

#[cfg(test)]
mod tests {
    use super::super::{CONTROLLERS, manifests};
    use super::*;

    fn of(names: &[&str], kind: &str) -> Value {
        let deployed = Deployed {
            image: "landfall".to_owned(),
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
            aso_namespaces: Vec::new(),
            token_audience: None,
        };
        manifests(&deployed).into_iter().find(|object| object["kind"] == kind).unwrap_or_default()
    }

    #[test]
    fn only_ports_of_the_pod_are_open() {
        for names in [&["endpoint-mirror"][..], &["private-cloud-profile", "cloud-profile-admission"]] {
            let deployment = of(names, "Deployment");
            let list = |object: &Value, path: &str| {
                object.pointer(path).and_then(Value::as_array).cloned().unwrap_or_default()
            };
            let own = list(&deployment, "/spec/template/spec/containers/0/ports");
            let open = list(&of(names, "NetworkPolicy"), "/spec/ingress/0/ports");
            let own: Vec<&Value> = own.iter().map(|port| &port["name"]).collect();
            let open: Vec<&Value> = open.iter().map(|port| &port["port"]).collect();
            assert_eq!(open, own);
            assert!(!own.is_empty());
        }
    }

    #[test]
    fn one_replica_stays_and_all_are_bounded() {
        let deployment = of(&["endpoint-mirror"], "Deployment");
        let budget = of(&["endpoint-mirror"], "PodDisruptionBudget");
        assert_eq!(
            (&deployment["spec"]["replicas"], &budget["spec"]["maxUnavailable"]),
            (&json!(2), &json!(1))
        );
        assert_eq!(budget["spec"]["selector"], deployment["spec"]["selector"]);
        let pod = &deployment["spec"]["template"]["spec"];
        assert_eq!(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
        assert_eq!(pod["priorityClassName"], "system-cluster-critical");
        let spread = &pod["topologySpreadConstraints"][0];
        assert_eq!(
            spread["labelSelector"]["matchLabels"],
            deployment["spec"]["template"]["metadata"]["labels"]
        );
        assert_eq!(pod["containers"][0]["resources"]["limits"]["memory"], "512Mi");
    }
}
