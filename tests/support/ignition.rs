//! Ignition configs as an installer writes them.

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

/// What the bootstrap machine starts with: too large for user data, and full of secrets.
pub fn bootstrap(secret: &str) -> String {
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
            file("/opt/openshift/large", &"x".repeat(200_000)),
        ] },
    })
    .to_string()
}
