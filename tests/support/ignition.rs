//! Ignition configs as an installer writes them.

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

/// What a machine starts with that gets all else from the machine config server of a domain.
pub fn pointer(domain: &str, role: &str, authority: &str) -> String {
    let authority = format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(authority));
    json!({
        "ignition": {
            "config": { "merge": [{ "source": format!("https://api-int.{domain}:22623/config/{role}") }] },
            "security": { "tls": { "certificateAuthorities": [{ "source": authority }] } },
            "version": "3.2.0",
        }
    })
    .to_string()
}

/// The copy of the install config that the cluster's operators read.
const CLUSTER_CONFIG: &str = "apiVersion: v1
kind: ConfigMap
metadata:
  name: cluster-config-v1
  namespace: kube-system
data:
  install-config: |
    networking:
      machineNetwork:
      - cidr: 10.0.0.0/16
";

/// The certificates of the cluster: the same for all clusters of a test, as they differ in their length.
fn tls() -> &'static landfall_render::Tls {
    static TLS: OnceLock<landfall_render::Tls> = OnceLock::new();
    TLS.get_or_init(|| {
        let names = landfall_certificates::Names { domain: "demo.example.com", addresses: &[] };
        landfall_certificates::issue(names, jiff::civil::date(2026, 1, 1), None).unwrap()
    })
}

/// What the bootstrap machine starts with: too large for user data, and full of secrets.
pub fn bootstrap(secret: &str) -> String {
    let tls = tls();
    let pair = |certificate: &str, key: &str| {
        let (certificate, key) = (STANDARD.encode(certificate), STANDARD.encode(key));
        format!("kind: Secret\ndata:\n  tls.crt: {certificate}\n  tls.key: {key}\n")
    };
    let authority = pair(&tls.root_ca, tls.root_key.as_ref().unwrap().expose());
    let server = pair(&tls.machine_config_server, tls.machine_config_server_key.expose());
    let file = |path: &str, text: &str| {
        let source = format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(text));
        json!({ "path": path, "mode": 0o600, "overwrite": true, "contents": { "source": source } })
    };
    json!({
        "ignition": { "version": "3.2.0" },
        "passwd": { "users": [{ "name": "core", "passwordHash": secret }] },
        "storage": { "files": [
            file("/opt/openshift/tls/root-ca.key", secret),
            file("/opt/openshift/manifests/cluster-config.yaml", CLUSTER_CONFIG),
            file("/opt/openshift/manifests/machine-config-server-ca-secret.yaml", &authority),
            file("/opt/openshift/manifests/machine-config-server-tls-secret.yaml", &server),
            file("/opt/openshift/tls/machine-config-server.crt", &tls.machine_config_server),
            file("/opt/openshift/large", &"x".repeat(200_000)),
        ] },
    })
    .to_string()
}
