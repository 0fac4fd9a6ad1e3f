//! What stands in the management cluster besides the operator's objects: the namespace, the anchor that owns
//! all objects of a cluster, and the Secret with the credential.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use landfall_diagnostics::secret::{REDACTED, Secret};
use landfall_model::azure::planned::MANAGED_IDENTITY;
use landfall_model::plan::Plan;
use serde_json::{Map, Value, json};

use super::core::Owner;
use super::keys;

/// The namespace of a cluster's objects.
#[must_use]
pub fn namespace(infra_id: &str, name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": { "name": name, "labels": labels(infra_id) },
    })
}

/// The anchor, with what somebody who finds it would like to know. None for a plan of another platform.
#[must_use]
pub fn anchor(plan: &Plan, namespace: &str) -> Option<Value> {
    let azure = plan.platform.azure.as_deref()?;
    let infra_id = &plan.identity.infra_id;
    let mut labels = labels(infra_id);
    labels[keys::MOVE_HIERARCHY] = "true".into();
    Some(json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": keys::anchor_name(infra_id),
            "namespace": namespace,
            "labels": labels,
            "annotations": { (keys::BLOCK_MOVE): "true" },
            "finalizers": [keys::CLEANUP],
        },
        "data": {
            "infraID": infra_id,
            "engine": "aso",
            "cloudName": azure.cloud.name,
            "region": azure.location,
            "subscriptionID": azure.account.subscription_id,
            "resourceGroup": azure.groups.cluster,
            "publish": plan.config.publish,
            "outboundType": azure.outbound_type,
        },
    }))
}

/// The anchor as an owner, once the API server gave it a uid.
#[must_use]
pub fn owner(infra_id: &str, namespace: &str, uid: &str) -> Owner {
    Owner {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: keys::anchor_name(infra_id),
        namespace: namespace.to_owned(),
        uid: uid.to_owned(),
    }
}

/// How the operator proves who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// By the secret of an application.
    Secret(Secret<String>),
    /// By the certificate of an application: PEM or PKCS#12, with its private key.
    Certificate {
        /// The certificate.
        certificate: Secret<Vec<u8>>,
        /// Its password, which may be empty.
        password: Secret<String>,
    },
    /// By a token of the management cluster.
    WorkloadIdentity,
    /// By the identity of the machine that it runs on.
    ManagedIdentity,
}

/// The credential with which the operator makes a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Subscription.
    pub subscription_id: String,
    /// Tenant of the subscription.
    pub tenant_id: String,
    /// Application or identity.
    pub client_id: String,
    /// How that is proven.
    pub proof: Proof,
}

impl Credential {
    /// Where it comes from, as facts name it; none where that makes no difference to a plan.
    #[must_use]
    pub fn source(&self) -> Option<&'static str> {
        (self.proof == Proof::ManagedIdentity).then_some(MANAGED_IDENTITY)
    }

    /// The Secret for the operator. What must not be shown is in it only where `shown` says so.
    #[must_use]
    pub fn secret(&self, infra_id: &str, owner: &Owner, shown: bool) -> Value {
        let mut text = Map::new();
        let mut data = Map::new();
        for (key, value) in [
            ("AZURE_SUBSCRIPTION_ID", &self.subscription_id),
            ("AZURE_TENANT_ID", &self.tenant_id),
            ("AZURE_CLIENT_ID", &self.client_id),
        ] {
            text.insert(key.to_owned(), value.as_str().into());
        }
        let open =
            |secret: &Secret<String>| Value::from(if shown { secret.expose().as_str() } else { REDACTED });
        match &self.proof {
            Proof::Secret(secret) => {
                text.insert("AZURE_CLIENT_SECRET".to_owned(), open(secret));
            }
            Proof::Certificate { certificate, password } => {
                let key = "AZURE_CLIENT_CERTIFICATE".to_owned();
                if shown {
                    // PKCS#12 is no text.
                    data.insert(key, STANDARD.encode(certificate.expose()).into());
                } else {
                    text.insert(key, REDACTED.into());
                }
                text.insert("AZURE_CLIENT_CERTIFICATE_PASSWORD".to_owned(), open(password));
            }
            Proof::WorkloadIdentity => {
                text.insert("AUTH_MODE".to_owned(), "workloadidentity".into());
            }
            Proof::ManagedIdentity => {
                text.insert("AUTH_MODE".to_owned(), "podidentity".into());
            }
        }
        let mut secret = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": keys::credential_name(infra_id),
                "namespace": owner.namespace,
                "labels": labels(infra_id),
                "ownerReferences": [owner.reference()],
            },
            "type": "Opaque",
            "stringData": text,
        });
        if !data.is_empty() {
            secret["data"] = data.into();
        }
        secret
    }
}

fn labels(infra_id: &str) -> Value {
    json!({ (keys::CLUSTER): infra_id })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys_with(proof: Proof, shown: bool) -> Value {
        let credential = Credential {
            subscription_id: "s".to_owned(),
            tenant_id: "t".to_owned(),
            client_id: "c".to_owned(),
            proof,
        };
        let mut secret = credential.secret("demo-x7k2p", &owner("demo-x7k2p", "clusters", "uid"), shown);
        let mut all = secret["stringData"].take();
        if let (Some(all), Some(data)) = (all.as_object_mut(), secret["data"].as_object()) {
            all.extend(data.clone());
        }
        for plain in ["AZURE_SUBSCRIPTION_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_ID"] {
            assert!(all.as_object_mut().and_then(|all| all.remove(plain)).is_some(), "{plain}");
        }
        all
    }

    #[test]
    fn a_managed_identity_is_known_to_plans() {
        let source = |proof| {
            let id = String::new;
            Credential { subscription_id: id(), tenant_id: id(), client_id: id(), proof }.source()
        };
        assert_eq!(source(Proof::ManagedIdentity), Some("managed-identity"));
        assert_eq!(source(Proof::WorkloadIdentity), None);
    }

    #[test]
    fn each_proof_has_its_keys() {
        let secret = || Proof::Secret(Secret::new("canary".to_owned()));
        assert_eq!(keys_with(secret(), true), json!({ "AZURE_CLIENT_SECRET": "canary" }));
        assert_eq!(keys_with(secret(), false), json!({ "AZURE_CLIENT_SECRET": REDACTED }));
        let certificate = || Proof::Certificate {
            certificate: Secret::new(b"canary".to_vec()),
            password: Secret::new("sparrow".to_owned()),
        };
        let shown =
            json!({ "AZURE_CLIENT_CERTIFICATE": "Y2FuYXJ5", "AZURE_CLIENT_CERTIFICATE_PASSWORD": "sparrow" });
        assert_eq!(keys_with(certificate(), true), shown);
        let hidden =
            json!({ "AZURE_CLIENT_CERTIFICATE": REDACTED, "AZURE_CLIENT_CERTIFICATE_PASSWORD": REDACTED });
        assert_eq!(keys_with(certificate(), false), hidden);
        assert_eq!(keys_with(Proof::WorkloadIdentity, true), json!({ "AUTH_MODE": "workloadidentity" }));
        assert_eq!(keys_with(Proof::ManagedIdentity, true), json!({ "AUTH_MODE": "podidentity" }));
    }
}
