//! By what the operator is watched: objects of the Prometheus operator, alerts with a page each, and a dashboard.

use serde_json::{Value, json};

use super::manifests::{Deployed, METRICS, METRICS_SECRET, NAME, labels, metadata};
use super::secure_metrics::PATH;

/// The account by which Prometheus reads the metrics, and its token.
const READER: &str = "landfall-metrics-reader";
const TOKEN: &str = "landfall-metrics-reader-token";
const DASHBOARD: &str = "landfall-operator-dashboard";

/// Whose certificate authority signs the certificate of the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Monitoring {
    /// OpenShift's, which every namespace has in a `ConfigMap`.
    Openshift,
    /// That in the Secret of the certificate, as cert-manager writes it.
    Prometheus,
}

/// What stands for the operator's namespace in an expression: each operator has the rules, for its own replicas.
const OWN: &str = "NAMESPACE";

/// An alert.
struct Alert {
    name: &'static str,
    severity: &'static str,
    /// For how long it must hold.
    lasting: &'static str,
    /// With [`OWN`] for the operator's namespace.
    expression: String,
    summary: &'static str,
}

/// A panel of the dashboard.
struct Panel {
    title: &'static str,
    unit: &'static str,
    legend: &'static str,
    expression: &'static str,
}

/// The alerts: blocks with name, severity and duration, the summary, and the lines of the expression. A counter that
/// begins with its first error has not increased.
fn alerts() -> impl Iterator<Item = Alert> {
    include_str!("alerts.txt").split("\n\n").filter_map(|block| {
        let mut lines = block.lines();
        let mut words = lines.next()?.split(' ');
        let (name, severity, lasting) = (words.next()?, words.next()?, words.next()?);
        let summary = lines.next()?;
        Some(Alert { name, severity, lasting, expression: lines.collect::<Vec<_>>().join(" "), summary })
    })
}

/// The panels: blocks with title, unit, legend and expression. A replica that stands by has no clusters in a rollout, so
/// that the sum is over operators.
fn panels() -> impl Iterator<Item = Panel> {
    include_str!("panels.txt").split("\n\n").filter_map(|block| {
        let mut lines = block.lines();
        let (title, unit) = (lines.next()?, lines.next()?);
        Some(Panel { title, unit, legend: lines.next()?, expression: lines.next()? })
    })
}

impl Monitoring {
    /// The objects by which the operator is watched.
    pub(super) fn objects(self, deployed: &Deployed) -> Vec<Value> {
        let namespace = deployed.namespace.as_str();
        let mut all = Vec::new();
        if deployed.metrics_tls {
            all.extend(reader(deployed));
        }
        all.extend([self.monitor(deployed), rules(deployed), dashboard(namespace)]);
        all
    }

    fn monitor(self, deployed: &Deployed) -> Value {
        let namespace = deployed.namespace.as_str();
        let mut endpoint = json!({ "port": METRICS, "path": PATH, "interval": "30s" });
        if deployed.metrics_tls {
            let authority = match self {
                Self::Openshift => {
                    json!({ "configMap": { "name": "openshift-service-ca.crt", "key": "service-ca.crt" } })
                }
                Self::Prometheus => json!({ "secret": { "name": METRICS_SECRET, "key": "ca.crt" } }),
            };
            endpoint["scheme"] = json!("https");
            endpoint["authorization"] = json!({ "credentials": { "name": TOKEN, "key": "token" } });
            endpoint["tlsConfig"] =
                json!({ "ca": authority, "serverName": format!("{NAME}.{namespace}.svc") });
        }
        json!({
            "apiVersion": "monitoring.coreos.com/v1",
            "kind": "ServiceMonitor",
            "metadata": selected(deployed),
            "spec": { "selector": { "matchLabels": labels() }, "endpoints": [endpoint] },
        })
    }
}

/// The metadata of what Prometheus selects.
fn selected(deployed: &Deployed) -> Value {
    let mut metadata = metadata(Some(&deployed.namespace));
    for (key, value) in &deployed.monitoring_labels {
        metadata["labels"][key] = json!(value);
    }
    metadata
}

/// The account that may read the metrics, with a token.
fn reader(deployed: &Deployed) -> [Value; 4] {
    let namespace = deployed.namespace.as_str();
    let named = |name: &str| json!({ "name": name, "namespace": namespace, "labels": labels() });
    let rbac = "rbac.authorization.k8s.io";
    let mut token = named(TOKEN);
    token["annotations"] = json!({ "kubernetes.io/service-account.name": READER });
    [
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": named(READER) }),
        json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": token,
            "type": "kubernetes.io/service-account-token",
        }),
        json!({
            "apiVersion": format!("{rbac}/v1"),
            "kind": "ClusterRole",
            "metadata": { "name": deployed.outside(READER), "labels": labels() },
            "rules": [{ "nonResourceURLs": [PATH], "verbs": ["get"] }],
        }),
        json!({
            "apiVersion": format!("{rbac}/v1"),
            "kind": "ClusterRoleBinding",
            "metadata": { "name": deployed.outside(READER), "labels": labels() },
            "roleRef": { "apiGroup": rbac, "kind": "ClusterRole", "name": deployed.outside(READER) },
            "subjects": [{ "kind": "ServiceAccount", "name": READER, "namespace": namespace }],
        }),
    ]
}

fn rules(deployed: &Deployed) -> Value {
    let rule = |alert: Alert| {
        let mut annotations = json!({ "summary": alert.summary });
        if let Some(runbooks) = &deployed.runbooks {
            annotations["runbook_url"] = json!(format!("{runbooks}{}.html", alert.name));
        }
        json!({
            "alert": alert.name,
            "expr": alert.expression.replace(OWN, &deployed.namespace),
            "for": alert.lasting,
            "labels": { "severity": alert.severity },
            "annotations": annotations,
        })
    };
    json!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": selected(deployed),
        "spec": { "groups": [{ "name": NAME, "rules": alerts().map(rule).collect::<Vec<_>>() }] },
    })
}

/// The `ConfigMap` that Grafana's sidecar looks for.
fn dashboard(namespace: &str) -> Value {
    let panel = |(at, panel): (usize, Panel)| {
        json!({
            "id": at + 1,
            "type": "timeseries",
            "title": panel.title,
            "datasource": { "type": "prometheus", "uid": "${datasource}" },
            "fieldConfig": { "defaults": { "unit": panel.unit }, "overrides": [] },
            "gridPos": { "x": (at % 2) * 12, "y": (at / 2) * 8, "w": 12, "h": 8 },
            "targets": [{ "refId": "A", "expr": panel.expression, "legendFormat": panel.legend }],
        })
    };
    let source = json!({ "name": "datasource", "type": "datasource", "query": "prometheus" });
    let namespaces = json!({
        "name": "namespace",
        "type": "query",
        "datasource": { "type": "prometheus", "uid": "${datasource}" },
        "query": "label_values(landfall_leader, namespace)",
        // When the range of time changes.
        "refresh": 2,
        "multi": true,
        "includeAll": true,
        "allValue": ".*",
        "current": { "text": "All", "value": "$__all" },
    });
    let dashboard = json!({
        "uid": NAME,
        "title": "landfall operator",
        "schemaVersion": 39,
        "time": { "from": "now-6h", "to": "now" },
        "refresh": "1m",
        "templating": { "list": [source, namespaces] },
        "panels": panels().enumerate().map(panel).collect::<Vec<_>>(),
    });
    let mut metadata = metadata(Some(namespace));
    metadata["name"] = json!(DASHBOARD);
    metadata["labels"]["grafana_dashboard"] = json!("1");
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": { "landfall-operator.json": dashboard.to_string() },
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use include_dir::{Dir, include_dir};

    use super::super::{CONTROLLERS, Metrics};
    use super::*;
    use crate::Key;

    static PAGES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../docs/runbooks");

    fn deployed(metrics_tls: bool) -> Deployed {
        Deployed {
            image: "landfall".to_owned(),
            namespace: "here".to_owned(),
            target_namespace: "there".to_owned(),
            maps: crate::object_refs::MapNames::default(),
            release: None,
            expiry: crate::cloud_profile::Expiry::default(),
            take_over: false,
            controllers: CONTROLLERS.iter().collect(),
            replicas: 2,
            metrics_tls,
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
        }
    }

    /// The names of metrics in an expression.
    fn metrics_of(expression: &str) -> BTreeSet<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words = expression.split(|c| !is_part(c));
        let own = words.filter(|word| word.starts_with("landfall_") || word.starts_with("aso_engine_"));
        own.map(str::to_owned).collect()
    }

    #[test]
    fn alerts_and_panels_are_about_metrics_that_there_are() {
        let metrics = Metrics::new();
        let key = Key { namespace: None, name: "cluster".to_owned() };
        metrics.reconciled("a", &key, Duration::ZERO);
        metrics.failed("a", &key, ("terminal", "b"), Duration::ZERO);
        metrics.waiting("a", 1);
        metrics.wrote("a");
        metrics.leads(true);
        metrics.engine().sample();
        let text = metrics.text();
        let of_panels = panels().map(|panel| panel.expression.to_owned());
        let expressions: Vec<String> = alerts().map(|alert| alert.expression).chain(of_panels).collect();
        let named: BTreeSet<String> = expressions.iter().flat_map(|one| metrics_of(one)).collect();
        assert!(named.len() > 6, "{named:?}");
        for name in named {
            let base = name.trim_end_matches("_bucket").trim_end_matches("_total");
            assert!(text.contains(&format!("# TYPE {base} ")), "{name}");
        }
        for expression in expressions {
            let count = |c: char| expression.matches(c).count();
            assert_eq!(
                [count('('), count('['), count('{')],
                [count(')'), count(']'), count('}')],
                "{expression}"
            );
        }
    }

    /// A refused object is not tried again, so that counters of errors stay as they are.
    #[test]
    fn refused_objects_are_alerted_as_long_as_they_are_refused() {
        let refused = alerts().filter(|alert| alert.expression.contains("category=\"terminal\""));
        let expressions: Vec<String> = refused.map(|alert| alert.expression).collect();
        assert!(!expressions.is_empty());
        for expression in expressions {
            assert!(expression.contains("landfall_failing_objects"), "{expression}");
        }
    }

    /// The counter of a category is not there before its first error.
    #[test]
    fn the_first_internal_error_is_alerted() {
        assert!(!Metrics::new().text().contains("category=\"panic\""));
        let about = alerts().filter(|alert| alert.expression.contains("category=\"panic\""));
        let expressions: Vec<String> = about.map(|alert| alert.expression).collect();
        assert!(!expressions.is_empty());
        for expression in expressions {
            assert!(
                expression.contains("increase(") && expression.contains("} offset 1h) > 0"),
                "{expression}"
            );
        }
    }

    #[test]
    fn each_alert_has_a_page_of_its_own() {
        let names: BTreeSet<String> = alerts().map(|alert| format!("{}.md", alert.name)).collect();
        let pages = PAGES.files().filter_map(|file| file.path().to_str().map(str::to_owned));
        assert_eq!(pages.collect::<BTreeSet<_>>(), names);
        for alert in alerts() {
            let page = PAGES.get_file(format!("{}.md", alert.name)).and_then(|file| file.contents_utf8());
            let page = page.unwrap_or_default();
            assert!(page.starts_with(&format!("# {}\n", alert.name)), "{}", alert.name);
            for name in metrics_of(&alert.expression) {
                assert!(page.contains(name.trim_end_matches("_bucket")), "{}: {name}", alert.name);
            }
        }
    }

    #[test]
    fn alerts_link_to_pages_where_somebody_has_them() {
        let links = |deployed: &Deployed| -> Vec<Value> {
            let rules = rules(deployed)["spec"]["groups"][0]["rules"].as_array().cloned().unwrap_or_default();
            rules.iter().map(|rule| rule["annotations"]["runbook_url"].clone()).collect()
        };
        let without = links(&deployed(true));
        assert!(without.len() == alerts().count() && without.iter().all(Value::is_null));
        let runbooks = Some("https://docs.example.com/landfall/runbooks/".to_owned());
        let with = links(&Deployed { runbooks, ..deployed(true) });
        assert_eq!(with[0], "https://docs.example.com/landfall/runbooks/LandfallOperatorDown.html");
        assert_eq!(with.iter().filter_map(Value::as_str).collect::<BTreeSet<_>>().len(), alerts().count());
    }

    #[test]
    fn every_block_of_the_files_is_read() {
        let blocks = |text: &str| text.split("\n\n").count();
        assert_eq!(alerts().count(), blocks(include_str!("alerts.txt")));
        assert_eq!(panels().count(), blocks(include_str!("panels.txt")));
        assert!(alerts().all(|alert| !alert.expression.is_empty()));
    }

    #[test]
    fn every_panel_is_of_the_chosen_namespaces() {
        for Panel { title, expression, .. } in panels() {
            let named = expression.matches("landfall_").count() + expression.matches("aso_engine_").count();
            assert_eq!(expression.matches("{namespace=~\"$namespace\"}").count(), named, "{title}");
        }
    }

    #[test]
    fn what_prometheus_selects_has_its_labels() {
        let monitoring_labels = vec![("release".to_owned(), "stack".to_owned())];
        let all = Monitoring::Prometheus.objects(&Deployed { monitoring_labels, ..deployed(true) });
        let labelled = all.iter().filter(|one| one["metadata"]["labels"]["release"] == "stack");
        let kinds: Vec<&str> = labelled.filter_map(|one| one["kind"].as_str()).collect();
        assert_eq!(kinds, ["ServiceMonitor", "PrometheusRule"]);
    }

    #[test]
    fn the_reader_has_what_the_monitor_names() {
        for monitoring in [Monitoring::Openshift, Monitoring::Prometheus] {
            let all = monitoring.objects(&deployed(true));
            let of = |kind: &str| all.iter().find(|one| one["kind"] == kind).cloned().unwrap_or_default();
            let endpoint = of("ServiceMonitor")["spec"]["endpoints"][0].clone();
            assert_eq!(endpoint["authorization"]["credentials"]["name"], of("Secret")["metadata"]["name"]);
            let account = &of("Secret")["metadata"]["annotations"]["kubernetes.io/service-account.name"];
            assert_eq!(*account, of("ServiceAccount")["metadata"]["name"]);
            assert_eq!(of("ClusterRoleBinding")["subjects"][0]["name"], *account);
            assert_eq!(of("ClusterRole")["rules"][0]["nonResourceURLs"][0], endpoint["path"]);
            assert_eq!(endpoint["tlsConfig"]["serverName"], "landfall-operator.here.svc");
            assert!(
                endpoint["tlsConfig"]["ca"].is_object()
                    && endpoint["tlsConfig"]["insecureSkipVerify"].is_null()
            );
        }
        let open = Monitoring::Openshift.objects(&deployed(false));
        let kinds: Vec<&str> = open.iter().filter_map(|one| one["kind"].as_str()).collect();
        assert_eq!(kinds, ["ServiceMonitor", "PrometheusRule", "ConfigMap"]);
        assert_eq!(open[0]["spec"]["endpoints"][0]["scheme"], Value::Null);
    }
}
