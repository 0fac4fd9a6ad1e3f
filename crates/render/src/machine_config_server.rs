//! The certificates of the machine config server: `assets.md`, B.6.

use landfall_model::plan::{Plan, Since};
use serde_json::{Value, json};

use super::{Extras, File, Validity, text};

const NAMESPACE: &str = "openshift-machine-config-operator";
const COMPONENT: &str = "Machine Config Operator";
const KIND: &str = "auth.openshift.io/managed-certificate-type";
const ISSUER: &str = "auth.openshift.io/certificate-issuer";

/// The secret of the server; from 4.19 on also the authority that signed it, which the machine config
/// operator renews it with. The authority's secret is left out where its key is not known.
pub(super) fn files(plan: &Plan, extras: &Extras<'_>) -> Vec<File> {
    let tls = extras.tls;
    let pair = |certificate: &str, key: &str| json!({ "tls.crt": text::base64(certificate), "tls.key": text::base64(key) });
    let mut server = json!({
        "apiVersion": "v1",
        "data": pair(&tls.machine_config_server, tls.machine_config_server_key.expose()),
        "kind": "Secret",
        "metadata": { "name": "machine-config-server-tls", "namespace": NAMESPACE },
        "type": "Opaque",
    });
    if !plan.has(Since::Today) {
        return vec![file("machine-config-server-tls-secret.yaml", &server).kept_secret()];
    }
    server["type"] = "kubernetes.io/tls".into();
    let mut notes = signed(tls.machine_config_server_validity.as_ref());
    notes["auth.openshift.io/certificate-hostnames"] = format!("api-int.{}", plan.cluster.domain).into();
    notes["openshift.io/description"] =
        "Secret containing the MachineConfigServer TLS certificate and key".into();
    server["metadata"]["annotations"] = notes;
    server["metadata"]["labels"] = json!({ KIND: "target" });
    let bundle = json!({
        "apiVersion": "v1",
        "data": { "ca-bundle.crt": tls.root_ca },
        "kind": "ConfigMap",
        "metadata": {
            "annotations": {
                "openshift.io/description":
                    "CA bundle that stores all valid CAs for the MachineConfigServer TLS certificate",
                "openshift.io/owning-component": COMPONENT,
            },
            "labels": { KIND: "ca-bundle" },
            "name": "machine-config-server-ca",
            "namespace": NAMESPACE,
        },
    });
    let mut files = vec![
        file("machine-config-server-tls-secret.yaml", &server).kept_secret(),
        file("machine-config-server-ca-configmap.yaml", &bundle),
    ];
    if let Some(key) = &tls.root_key {
        let mut notes = signed(tls.root_validity.as_ref());
        notes["openshift.io/description"] = "CA used to sign the MachineConfigServer TLS certificate".into();
        let authority = json!({
            "apiVersion": "v1",
            "data": pair(&tls.root_ca, key.expose()),
            "kind": "Secret",
            "metadata": {
                "annotations": notes,
                "labels": { KIND: "signer" },
                "name": "machine-config-server-ca",
                "namespace": NAMESPACE,
            },
            "type": "kubernetes.io/tls",
        });
        files.push(file("machine-config-server-ca-secret.yaml", &authority).kept_secret());
    }
    files
}

/// What the operator reads of a certificate that the root authority signed.
fn signed(validity: Option<&Validity>) -> Value {
    let mut notes = json!({ ISSUER: "root-ca", "openshift.io/owning-component": COMPONENT });
    if let Some(validity) = validity {
        notes["auth.openshift.io/certificate-not-after"] = validity.not_after.as_str().into();
        notes["auth.openshift.io/certificate-not-before"] = validity.not_before.as_str().into();
    }
    notes
}

fn file(name: &str, value: &Value) -> File {
    File::yaml(format!("manifests/{name}"), value)
}
