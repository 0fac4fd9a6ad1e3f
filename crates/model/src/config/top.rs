//! The fields of an install config that belong to no platform.

use std::collections::BTreeMap;

use landfall_diagnostics::secret::{Secret, SecretUrl};

use super::value::{Opaque, StrictText, Time, model};
use super::{MachinePool, Networking};
use crate::sections::Sections;

model! {
    /// An OpenShift install config: the settings of one cluster.
    pub struct InstallConfig {
        /// Version of the format. `v1beta3` and `v1beta4` are brought up to `v1`.
        #[schemars(extend("enum" = ["v1", "v1beta3", "v1beta4"], "x-required" = "always"))]
        pub api_version: StrictText,
        /// Kind of the object. Not used; `InstallConfig` by habit.
        pub kind: StrictText,
        /// Name of the cluster, and other Kubernetes object metadata that is accepted and not used.
        #[schemars(extend("x-required" = "always"))]
        pub metadata: Metadata,
        /// DNS domain under which the cluster's own domain, `<name>.<baseDomain>`, lies.
        #[schemars(extend("x-required" = "always", "examples" = ["example.com"]))]
        pub base_domain: String,
        /// Credentials of the image registries, as the JSON text that the registry's operator hands out.
        #[schemars(extend("x-required" = "always"))]
        pub pull_secret: Secret<String>,
        /// Public SSH keys that may log in to the machines, one a line.
        pub ssh_key: Secret<String>,
        /// Certificates in PEM form which the machines and landfall trust besides the system's.
        pub additional_trust_bundle: String,
        /// Whether the machines use the trust bundle for the proxy only or for everything.
        #[schemars(extend("enum" = ["Proxyonly", "Always"], "default" = "Proxyonly"))]
        pub additional_trust_bundle_policy: String,
        /// Networks of machines, pods and services.
        pub networking: Option<Networking>,
        /// The control plane's machines.
        pub control_plane: Option<MachinePool>,
        /// Arbiter machines, for platforms `none` and `external`.
        pub arbiter: Option<MachinePool>,
        /// Pools of machines for workloads: `worker` and, on AWS, `edge`.
        pub compute: Vec<MachinePool>,
        /// The platform to install on: one key with that platform's settings.
        #[schemars(extend("x-required" = "always"))]
        pub platform: Sections,
        /// Proxy for all of the cluster's traffic to the outside.
        pub proxy: Option<Proxy>,
        /// Image mirrors, in the older form without a policy. `imageDigestSources` replaces it.
        #[schemars(extend("deprecated" = true))]
        pub image_content_sources: Vec<ImageContentSource>,
        /// Mirrors from which images are pulled by digest.
        pub image_digest_sources: Vec<ImageDigestSource>,
        /// Whether the API and the applications are reachable from outside the network.
        #[schemars(extend("enum" = ["External", "Internal", "Mixed"], "default" = "External"))]
        pub publish: String,
        /// With `publish: Mixed`, what of the cluster is reachable from outside.
        pub operator_publishing_strategy: Option<OperatorPublishingStrategy>,
        /// Whether the cluster uses FIPS validated cryptography only.
        pub fips: bool,
        /// CPU partitioning of the machines.
        #[serde(rename = "cpuPartitioningMode")]
        #[schemars(extend("examples" = ["None", "AllNodes"], "default" = "None"))]
        pub cpu_partitioning: String,
        /// How the cluster's operators get their cloud credentials.
        #[schemars(extend("enum" = ["Mint", "Passthrough", "Manual"]))]
        pub credentials_mode: String,
        /// Settings of a single-node cluster that is its own bootstrap machine.
        pub bootstrap_in_place: Option<BootstrapInPlace>,
        /// Optional components of the cluster.
        pub capabilities: Option<Capabilities>,
        /// Set of features outside the default one. These clusters cannot be upgraded.
        #[schemars(extend("enum" = ["TechPreviewNoUpgrade", "DevPreviewNoUpgrade", "CustomNoUpgrade"]))]
        pub feature_set: String,
        /// With `featureSet: CustomNoUpgrade`, single features as `Name=true` or `Name=false`.
        pub feature_gates: Vec<String>,
        /// Operating system stream of the machines.
        #[schemars(extend("enum" = ["rhel-9", "rhel-10"], "default" = "rhel-10"))]
        pub os_image_stream: String,
        /// Parameters of the cluster's own signing keys.
        pub pki: Option<Pki>,
    }

    /// Kubernetes object metadata; only the name matters.
    pub struct Metadata {
        /// Name of the cluster: the first label of its domain and part of every resource's name.
        #[schemars(extend("x-required" = "always"))]
        pub name: String,
        /// Accepted, not used.
        pub generate_name: String,
        /// Accepted, not used.
        pub namespace: String,
        /// Accepted, not used.
        pub self_link: String,
        /// Accepted, not used.
        pub uid: String,
        /// Accepted, not used.
        pub resource_version: String,
        /// Accepted, not used.
        pub generation: i64,
        /// Accepted, not used.
        pub creation_timestamp: Time,
        /// Accepted, not used.
        pub deletion_timestamp: Time,
        /// Accepted, not used.
        pub deletion_grace_period_seconds: Option<i64>,
        /// Accepted, not used.
        pub labels: BTreeMap<String, String>,
        /// Accepted, not used.
        pub annotations: BTreeMap<String, String>,
        /// Accepted, not used.
        pub finalizers: Vec<String>,
        /// Accepted, not used.
        pub owner_references: Vec<OwnerReference>,
        /// Accepted, not used.
        pub managed_fields: Vec<ManagedFields>,
    }

    /// What an object belongs to. Accepted, not used.
    pub struct OwnerReference {
        /// Accepted, not used.
        pub api_version: String,
        /// Accepted, not used.
        pub kind: String,
        /// Accepted, not used.
        pub name: String,
        /// Accepted, not used.
        pub uid: String,
        /// Accepted, not used.
        pub controller: Option<bool>,
        /// Accepted, not used.
        pub block_owner_deletion: Option<bool>,
    }

    /// Which fields of an object somebody manages. Accepted, not used.
    pub struct ManagedFields {
        /// Accepted, not used.
        pub manager: String,
        /// Accepted, not used.
        pub operation: String,
        /// Accepted, not used.
        pub api_version: String,
        /// Accepted, not used.
        pub time: Option<Time>,
        /// Accepted, not used.
        pub fields_type: String,
        /// Accepted, not used.
        pub fields_v1: Option<Opaque<serde_json::Value>>,
        /// Accepted, not used.
        pub subresource: String,
    }

    /// Proxy for all of the cluster's traffic to the outside.
    pub struct Proxy {
        /// URL of the proxy for HTTP, itself reached over HTTP.
        #[schemars(extend("examples" = ["http://proxy.example.com:3128"]))]
        pub http_proxy: SecretUrl,
        /// URL of the proxy for HTTPS, itself reached over HTTP or HTTPS.
        #[schemars(extend("examples" = ["http://proxy.example.com:3128"]))]
        pub https_proxy: SecretUrl,
        /// Domains, addresses and networks that are reached without the proxy, separated by commas; `*` for all.
        #[schemars(extend("examples" = [".example.com,10.0.0.0/16"]))]
        pub no_proxy: String,
    }

    /// Mirrors of one repository.
    pub struct ImageContentSource {
        /// Repository that images name.
        pub source: String,
        /// Repositories to pull from instead, in this order.
        pub mirrors: Vec<String>,
    }

    /// Mirrors of one repository, with a policy.
    pub struct ImageDigestSource {
        /// Repository that images name.
        pub source: String,
        /// Repositories to pull from instead, in this order.
        pub mirrors: Vec<String>,
        /// What to do when no mirror has the image.
        #[schemars(extend("enum" = ["NeverContactSource", "AllowContactingSource"]))]
        pub source_policy: String,
    }

    /// With `publish: Mixed`, what of the cluster is reachable from outside.
    pub struct OperatorPublishingStrategy {
        /// Reach of the applications' routes.
        #[schemars(extend("enum" = ["External", "Internal"], "default" = "External"))]
        pub ingress: String,
        /// Reach of the Kubernetes API.
        #[schemars(extend("enum" = ["External", "Internal"], "default" = "External"))]
        pub apiserver: String,
    }

    /// Settings of a single-node cluster that is its own bootstrap machine.
    pub struct BootstrapInPlace {
        /// Disk to install to.
        #[schemars(extend("examples" = ["/dev/nvme0n1"]))]
        pub installation_disk: String,
    }

    /// Optional components of the cluster.
    pub struct Capabilities {
        /// Set of components to begin with. Must be given whenever `capabilities` is.
        #[schemars(extend("enum" = super::capability_sets::NAMES, "x-required" = "with capabilities"))]
        pub baseline_capability_set: String,
        /// Components on top of the set.
        pub additional_enabled_capabilities: Vec<String>,
    }

    /// Parameters of the cluster's own signing keys.
    pub struct Pki {
        /// Keys of the signer certificates.
        pub signer_certificates: SignerCertificates,
    }

    /// Keys of the signer certificates.
    pub struct SignerCertificates {
        /// The key's parameters.
        pub key: PkiKey,
    }

    /// Parameters of a key.
    pub struct PkiKey {
        /// Algorithm of the key.
        #[schemars(extend("enum" = ["RSA", "ECDSA"], "x-required" = "with pki"))]
        pub algorithm: String,
        /// Parameters of an RSA key.
        pub rsa: Option<Rsa>,
        /// Parameters of an ECDSA key.
        pub ecdsa: Option<Ecdsa>,
    }

    /// Parameters of an RSA key.
    pub struct Rsa {
        /// Size in bits: a multiple of 1024 from 2048 to 8192.
        pub key_size: i32,
    }

    /// Parameters of an ECDSA key.
    pub struct Ecdsa {
        /// Curve of the key.
        #[schemars(extend("enum" = ["P256", "P384", "P521"]))]
        pub curve: String,
    }
}

impl InstallConfig {
    /// Whether services have IPv6 addresses, and with them load balancers and names.
    #[must_use]
    pub fn has_ipv6_services(&self) -> bool {
        self.networking.as_ref().is_some_and(Networking::has_ipv6_services)
    }

    /// Every machine pool with its field path.
    pub fn pools(&self) -> impl Iterator<Item = (String, &MachinePool)> {
        let control = self.control_plane.iter().map(|pool| ("controlPlane".to_owned(), pool));
        let arbiter = self.arbiter.iter().map(|pool| ("arbiter".to_owned(), pool));
        let compute = self.compute.iter().enumerate().map(|(i, pool)| (format!("compute[{i}]"), pool));
        control.chain(arbiter).chain(compute)
    }

    /// The config as data, in which only what says something stands.
    ///
    /// Secrets are in it when `secrets` is true; otherwise placeholders of the same form, so that the
    /// result still reads as an install config.
    #[must_use]
    pub fn to_value(&self, secrets: bool) -> serde_json::Value {
        // The types hold nothing that JSON has no form for: keys are text, numbers are finite.
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if !self.pull_secret.is_empty() {
            let text = if secrets {
                self.pull_secret.expose().clone()
            } else {
                redacted_pull_secret(self.pull_secret.expose())
            };
            value["pullSecret"] = text.into();
        }
        if !self.ssh_key.is_empty() && (secrets || holds_public_keys(self.ssh_key.expose())) {
            value["sshKey"] = self.ssh_key.expose().clone().into();
        }
        if secrets {
            self.reveal(&mut value);
        }
        value
    }

    /// Puts passwords into the data of a config.
    fn reveal(&self, value: &mut serde_json::Value) {
        let mut set = |pointer: &str, text: &str| {
            if let Some(field) = value.pointer_mut(pointer) {
                *field = text.into();
            }
        };
        for (pointer, url) in self.platform.secret_urls() {
            set(&pointer, url);
        }
        if let Some(proxy) = &self.proxy {
            set("/proxy/httpProxy", proxy.http_proxy.expose());
            set("/proxy/httpsProxy", proxy.https_proxy.expose());
        }
        for (path, pool) in self.pools() {
            let pool_pointer = format!("/{}", path.replace('[', "/").replace(']', ""));
            for (i, credential) in pool.fencing.iter().flat_map(|f| &f.credentials).enumerate() {
                let pointer = format!("{pool_pointer}/fencing/credentials/{i}");
                set(&format!("{pointer}/password"), credential.password.expose());
                set(&format!("{pointer}/address"), credential.address.expose());
            }
        }
    }
}

/// Whether every line of a text has the data of a public key, whose first bytes are a length. A public key
/// is no secret, but nobody knows what a user pastes.
fn holds_public_keys(text: &str) -> bool {
    let lines = text.lines().filter(|line| !line.is_empty());
    lines.into_iter().all(|line| line.split_whitespace().any(|word| word.starts_with("AAAA")))
}

/// The registries of a pull secret without their credentials.
fn redacted_pull_secret(text: &str) -> String {
    let registries = super::pull_secret::parse(text).unwrap_or_default().0;
    let redacted: serde_json::Map<String, serde_json::Value> = registries
        .into_keys()
        .map(|registry| (registry, serde_json::json!({"auth": landfall_diagnostics::secret::REDACTED})))
        .collect();
    serde_json::json!({ "auths": redacted }).to_string()
}
