//! The folder `manifests/`: `assets.md`, B.2 to B.6.

use std::collections::BTreeSet;

use landfall_model::catalogue::minor_version;
use landfall_model::config::Proxy;
use landfall_model::config::capability_sets::{is_preview, optional_since};
use landfall_model::plan::{Plan, Since};
use landfall_rules::trust_bundle;
use serde_json::{Map, Value, json};

use super::terraform::written;
use super::{Extras, File, PlatformAssets, machine_config_server, text};

const CONFIG: &str = "config.openshift.io/v1";
const OPERATOR: &str = "operator.openshift.io/v1";

/// The metadata of an object of no namespace.
pub(super) fn named(name: &str) -> Value {
    json!({ "creationTimestamp": null, "name": name })
}

/// The metadata of an object in a namespace.
pub(super) fn placed(name: &str, namespace: &str) -> Value {
    json!({ "creationTimestamp": null, "name": name, "namespace": namespace })
}

fn file(name: &str, value: &Value) -> File {
    File::yaml(format!("manifests/{name}"), value)
}

/// The files of the folder.
pub(super) fn files(plan: &Plan, assets: &PlatformAssets, extras: &Extras<'_>) -> Vec<File> {
    let mut files = vec![
        file("cluster-dns-02-config.yml", &dns(plan, assets)),
        file("cluster-infrastructure-02-config.yml", &infrastructure(plan, assets)),
        file("cluster-ingress-02-config.yml", &ingress(plan, assets)),
        file("cluster-network-02-config.yml", &network(plan)),
        file("cluster-scheduler-02-config.yml", &scheduler(plan)),
        file("cvo-overrides.yaml", &cluster_version(plan)),
        file("kube-cloud-config.yaml", &kube_cloud_config()),
        file("kube-system-configmap-root-ca.yaml", &root_ca(extras)),
    ];
    let proxy = file("cluster-proxy-01-config.yaml", &proxy(plan, assets));
    files.push(if has_password(plan) { proxy.kept_secret() } else { proxy });
    if let Some(data) = &assets.cloud_config {
        let value = json!({
            "apiVersion": "v1",
            "data": data,
            "kind": "ConfigMap",
            "metadata": placed("cloud-provider-config", "openshift-config"),
        });
        files.push(file("cloud-provider-config.yaml", &value));
    }
    if let Some((name, config)) = &assets.csi_driver {
        files.push(file("cluster-csi-driver-config.yaml", &csi_driver(name, config)));
    }
    // Without it, the operator creates a public one.
    if !plan.cluster.external_ingress || assets.ingress_parameters.is_some() {
        let controller = ingress_controller(plan, assets);
        files.push(file("cluster-ingress-default-ingresscontroller.yaml", &controller));
    }
    files.extend(pod_network(plan, assets).map(|value| file("cluster-network-03-config.yml", &value)));
    files.extend(image_sources(plan));
    files.extend(trust_bundle_map(plan).map(|value| file("user-ca-bundle-config.yaml", &value)));
    files.extend(machine_config_server::files(plan, extras));
    files.extend(certificate_keys(plan).map(|value| file("cluster-pki-02-config.yaml", &value)));
    if assets.own_boot_images && plan.has(Since::Today) {
        files.push(file("90_cluster-mco-02-config.yaml", &kept_boot_images()));
    }
    files.push(file("openshift-config-secret-pull-secret.yaml", &pull_secret(plan)).kept_secret());
    files
}

/// The copy of the install config. It holds proxies' passwords if there are any.
pub(super) fn cluster_config(plan: &Plan, config: &Value) -> File {
    let note = "The install config that this cluster was created from, without its pull secret. Operators read it \
                while the cluster is installed.";
    let value = json!({
        "apiVersion": "v1",
        "data": { "install-config": text::yaml(config) },
        "kind": "ConfigMap",
        "metadata": {
            "annotations": { "kubernetes.io/description": note },
            "name": "cluster-config-v1",
            "namespace": "kube-system",
        },
    });
    let file = file("cluster-config.yaml", &value);
    if has_password(plan) { file.kept_secret() } else { file }
}

/// Whether a proxy's URL has a user part. Planning refuses endpoints with one.
fn has_password(plan: &Plan) -> bool {
    let proxy = plan.config.proxy.iter();
    proxy.flat_map(|p| [&p.http_proxy, &p.https_proxy]).any(|url| url.shown() != url.expose())
}

/// What the `Infrastructure` object says of the load balancers and of who answers for the cluster's names, on the clouds
/// whose status has it (`cloudLoadBalancerConfig` of config/v1).
///
/// In the cluster, the API is reached through its internal load balancer, as it is where the cloud has a private zone.
#[must_use]
pub fn load_balancer_config(plan: &Plan) -> Value {
    let addresses = plan.api_addresses();
    if addresses.is_empty() {
        return json!({ "dnsType": "PlatformDefault" });
    }
    json!({
        "dnsType": "ClusterHosted",
        "clusterHosted": { "apiIntLoadBalancerIPs": addresses, "apiLoadBalancerIPs": addresses },
    })
}

fn dns(plan: &Plan, assets: &PlatformAssets) -> Value {
    let mut spec = json!({ "baseDomain": plan.cluster.domain, "platform": assets.dns_platform });
    if let Some(zone) = &assets.public_zone {
        spec["publicZone"] = zone.clone();
    }
    if let Some(zone) = &assets.private_zone {
        spec["privateZone"] = zone.clone();
    }
    json!({ "apiVersion": CONFIG, "kind": "DNS", "metadata": named("cluster"), "spec": spec, "status": {} })
}

/// The name and key of the cloud provider's config, and the topology that the numbers of machines give.
fn infrastructure(plan: &Plan, assets: &PlatformAssets) -> Value {
    let cluster = &plan.cluster;
    let available = |few: bool| if few { "SingleReplica" } else { "HighlyAvailable" };
    let control_plane = available(cluster.control_plane_replicas < 3);
    let infrastructure = match cluster.compute_replicas {
        0 => control_plane,
        n => available(n == 1),
    };
    let cloud_config = match assets.cloud_config {
        Some(_) => json!({ "key": "config", "name": "cloud-provider-config" }),
        None => json!({ "name": "" }),
    };
    let with_type = |part: &Value| {
        let mut part = part.clone();
        part["type"] = assets.type_name.into();
        part
    };
    let partitioning = match plan.config.cpu_partitioning.as_str() {
        "" => "None",
        mode => mode,
    };
    json!({
        "apiVersion": CONFIG,
        "kind": "Infrastructure",
        "metadata": named("cluster"),
        "spec": { "cloudConfig": cloud_config, "platformSpec": with_type(&assets.infrastructure_spec) },
        "status": {
            "apiServerInternalURI": format!("https://api-int.{}:6443", cluster.domain),
            "apiServerURL": format!("https://api.{}:6443", cluster.domain),
            "controlPlaneTopology": control_plane,
            "cpuPartitioning": partitioning,
            "etcdDiscoveryDomain": "",
            "infrastructureName": plan.identity.infra_id,
            "infrastructureTopology": infrastructure,
            "platform": assets.type_name,
            "platformStatus": with_type(&assets.infrastructure_status),
        },
    })
}

fn ingress(plan: &Plan, assets: &PlatformAssets) -> Value {
    json!({
        "apiVersion": CONFIG,
        "kind": "Ingress",
        "metadata": named("cluster"),
        "spec": {
            "domain": format!("apps.{}", plan.cluster.domain),
            "loadBalancer": { "platform": assets.ingress_platform },
        },
        "status": { "defaultPlacement": "Workers" },
    })
}

fn ingress_controller(plan: &Plan, assets: &PlatformAssets) -> Value {
    let scope = if plan.cluster.external_ingress { "External" } else { "Internal" };
    let mut balancer = json!({ "scope": scope });
    if let Some(parameters) = &assets.ingress_parameters {
        balancer["providerParameters"] = parameters.clone();
    }
    json!({
        "apiVersion": OPERATOR,
        "kind": "IngressController",
        "metadata": placed("default", "openshift-ingress-operator"),
        "spec": {
            "clientTLS": { "clientCA": { "name": "" }, "clientCertificatePolicy": "" },
            "endpointPublishingStrategy": {
                "loadBalancer": balancer,
                "type": "LoadBalancerService",
            },
            "httpCompression": {},
            "httpErrorCodePages": { "name": "" },
            "tuningOptions": { "reloadInterval": "0s" },
            "unsupportedConfigOverrides": null,
        },
        "status": { "availableReplicas": 0, "domain": "", "selector": "" },
    })
}

fn network(plan: &Plan) -> Value {
    let networking = plan.config.networking.clone().unwrap_or_default();
    let pods = networking.cluster_network.iter();
    let pods = pods.map(|net| {
        let mut pods = json!({ "cidr": written(&net.cidr) });
        if net.host_prefix != 0 {
            pods["hostPrefix"] = net.host_prefix.into();
        }
        pods
    });
    let mut spec = json!({
        "clusterNetwork": pods.collect::<Vec<Value>>(),
        "externalIP": { "policy": {} },
        "networkType": networking.network_type,
        "serviceNetwork": networking.service_network.iter().map(written).collect::<Vec<String>>(),
    });
    if plan.has(Since::Today) {
        let anywhere = json!({ "nodeSelector": null, "tolerations": null });
        spec["networkDiagnostics"] =
            json!({ "mode": "", "sourcePlacement": anywhere, "targetPlacement": anywhere });
    }
    json!({ "apiVersion": CONFIG, "kind": "Network", "metadata": named("cluster"), "spec": spec, "status": {} })
}

/// Settings of the pod network, if the config or the platform has any.
fn pod_network(plan: &Plan, assets: &PlatformAssets) -> Option<Value> {
    let own = ["OVNKubernetes", "OpenShiftSDN"];
    let networking =
        plan.config.networking.as_ref().filter(|given| own.contains(&given.network_type.as_str()))?;
    let given = Some(networking.cluster_network_mtu).filter(|mtu| *mtu > 0);
    let mtu = given.or(assets.pod_network_mtu);
    let ovn = networking.ovn_kubernetes_config.as_ref().and_then(|ovn| ovn.ipv4.as_ref());
    let join = ovn.map(|ipv4| &ipv4.internal_join_subnet).filter(|join| join.given().is_some());
    if mtu.is_none() && join.is_none() {
        return None;
    }
    let is_sdn = networking.network_type == "OpenShiftSDN";
    let mut settings = if is_sdn { json!({ "mode": "" }) } else { json!({ "egressIPConfig": {} }) };
    if let Some(mtu) = mtu {
        settings["mtu"] = mtu.into();
    }
    if let Some(join) = join {
        settings["ipv4"] = json!({ "internalJoinSubnet": written(join) });
    }
    let key = if is_sdn { "openshiftSDNConfig" } else { "ovnKubernetesConfig" };
    let configured = network(plan);
    let part =
        |name: &str| if plan.has(Since::Today) { configured["spec"][name].clone() } else { Value::Null };
    Some(json!({
        "apiVersion": OPERATOR,
        "kind": "Network",
        "metadata": named("cluster"),
        "spec": {
            "clusterNetwork": part("clusterNetwork"),
            "defaultNetwork": { "type": networking.network_type, key: settings },
            "disableNetworkDiagnostics": false,
            "managementState": "Managed",
            "observedConfig": null,
            "serviceNetwork": part("serviceNetwork"),
            "unsupportedConfigOverrides": null,
        },
        "status": { "readyReplicas": 0 },
    }))
}

fn proxy(plan: &Plan, assets: &PlatformAssets) -> Value {
    let config = &plan.config;
    let mut spec = Map::new();
    let trusted = !config.additional_trust_bundle.is_empty()
        && (config.proxy.is_some() || config.additional_trust_bundle_policy == "Always");
    let bundle = if trusted { "user-ca-bundle" } else { "" };
    spec.insert("trustedCA".to_owned(), json!({ "name": bundle }));
    let mut status = Map::new();
    if let Some(given) = &config.proxy {
        for (key, value) in
            [("httpProxy", given.http_proxy.expose()), ("httpsProxy", given.https_proxy.expose())]
        {
            if !value.is_empty() {
                spec.insert(key.to_owned(), value.into());
                status.insert(key.to_owned(), value.into());
            }
        }
        if !given.no_proxy.is_empty() {
            spec.insert("noProxy".to_owned(), given.no_proxy.as_str().into());
        }
        if !status.is_empty() {
            status.insert("noProxy".to_owned(), exceptions(plan, assets, given).into());
        }
    }
    json!({ "apiVersion": CONFIG, "kind": "Proxy", "metadata": named("cluster"), "spec": spec, "status": status })
}

/// What is reached without the proxy: the cluster's own names and networks and what the user adds.
fn exceptions(plan: &Plan, assets: &PlatformAssets, given: &Proxy) -> String {
    if given.no_proxy.trim() == "*" {
        return "*".to_owned();
    }
    let fixed = ["127.0.0.1", "localhost", ".svc", ".cluster.local", "169.254.169.254"];
    let mut set: BTreeSet<String> = fixed.into_iter().map(str::to_owned).collect();
    set.insert(format!("api-int.{}", plan.cluster.domain));
    if let Some(networking) = &plan.config.networking {
        set.extend(networking.service_network.iter().map(written));
        set.extend(networking.machine_network.iter().map(|net| written(&net.cidr)));
        set.extend(networking.cluster_network.iter().map(|net| written(&net.cidr)));
    }
    set.extend(assets.no_proxy.iter().cloned());
    set.extend(
        given.no_proxy.split(',').map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()),
    );
    set.into_iter().collect::<Vec<String>>().join(",")
}

fn scheduler(plan: &Plan) -> Value {
    let mut spec =
        json!({ "mastersSchedulable": plan.cluster.compute_replicas == 0, "policy": { "name": "" } });
    if plan.has(Since::Today) {
        spec["profileCustomizations"] = json!({ "dynamicResourceAllocation": "" });
    }
    json!({ "apiVersion": CONFIG, "kind": "Scheduler", "metadata": named("cluster"), "spec": spec, "status": {} })
}

fn cluster_version(plan: &Plan) -> Value {
    let mut spec = json!({
        "channel": format!("stable-{}", plan.release),
        "clusterID": plan.identity.cluster_id,
    });
    if let Some(capabilities) = &plan.config.capabilities {
        let mut given = Map::new();
        if !capabilities.baseline_capability_set.is_empty() {
            given.insert(
                "baselineCapabilitySet".to_owned(),
                capabilities.baseline_capability_set.as_str().into(),
            );
        }
        // The cluster refuses what is not optional in its release, where it is always there.
        let release = minor_version(&plan.release);
        let has_previews = !plan.config.feature_set.is_empty();
        let is_known = |component: &&String| {
            release.is_none_or(|release| optional_since(component).is_none_or(|since| release >= since))
                && (has_previews || !is_preview(component))
        };
        let additional: Vec<&String> =
            capabilities.additional_enabled_capabilities.iter().filter(is_known).collect();
        if !additional.is_empty() {
            given.insert("additionalEnabledCapabilities".to_owned(), json!(additional));
        }
        spec["capabilities"] = given.into();
    }
    json!({
        "apiVersion": CONFIG,
        "kind": "ClusterVersion",
        "metadata": { "name": "version", "namespace": "openshift-cluster-version" },
        "spec": spec,
    })
}

fn kube_cloud_config() -> Value {
    json!({
        "apiVersion": "v1",
        "data": { "config": "" },
        "kind": "Secret",
        "metadata": { "name": "kube-cloud-cfg", "namespace": "kube-system" },
        "type": "Opaque",
    })
}

fn root_ca(extras: &Extras<'_>) -> Value {
    json!({
        "apiVersion": "v1",
        "data": { "ca.crt": extras.tls.root_ca },
        "kind": "ConfigMap",
        "metadata": { "name": "root-ca", "namespace": "kube-system" },
    })
}

/// The keys of the cluster's own certificates, where the config decides on those of signers. All others have RSA keys
/// of 2048 bits, as by OpenShift's default.
fn certificate_keys(plan: &Plan) -> Option<Value> {
    let key = &plan.config.pki.as_ref()?.signer_certificates.key;
    let mut signer = json!({ "algorithm": key.algorithm });
    if let Some(rsa) = &key.rsa {
        signer["rsa"] = json!({ "keySize": rsa.key_size });
    }
    if let Some(ecdsa) = &key.ecdsa {
        signer["ecdsa"] = json!({ "curve": ecdsa.curve });
    }
    let usual = json!({ "algorithm": "RSA", "rsa": { "keySize": 2048 } });
    let profile = json!({ "defaults": { "key": usual }, "signerCertificates": { "key": signer } });
    Some(json!({
        "apiVersion": "config.openshift.io/v1alpha1",
        "kind": "PKI",
        "metadata": named("cluster"),
        "spec": { "certificateManagement": { "mode": "Custom", "custom": profile } },
    }))
}

/// Keeps the machine config operator from replacing the images of machine sets that name their own.
fn kept_boot_images() -> Value {
    json!({
        "apiVersion": OPERATOR,
        "kind": "MachineConfiguration",
        "metadata": { "name": "cluster" },
        "spec": {
            "logLevel": "Normal",
            "managedBootImages": { "machineManagers": [{
                "apiGroup": "machine.openshift.io",
                "resource": "machinesets",
                "selection": { "mode": "None" },
            }] },
            "operatorLogLevel": "Normal",
        },
    })
}

fn pull_secret(plan: &Plan) -> Value {
    json!({
        "apiVersion": "v1",
        "data": { ".dockerconfigjson": text::base64(plan.config.pull_secret.expose()) },
        "kind": "Secret",
        "metadata": { "name": "pull-secret", "namespace": "openshift-config" },
        "type": "kubernetes.io/dockerconfigjson",
    })
}

fn csi_driver(name: &str, config: &Value) -> Value {
    json!({
        "apiVersion": OPERATOR,
        "kind": "ClusterCSIDriver",
        "metadata": named(name),
        "spec": {
            "driverConfig": config,
            "managementState": "Managed",
            "observedConfig": null,
            "unsupportedConfigOverrides": null,
        },
        "status": { "readyReplicas": 0 },
    })
}

/// Image mirrors in the form that the config uses; rules refuse both at once.
fn image_sources(plan: &Plan) -> Vec<File> {
    let mut files = Vec::new();
    let config = &plan.config;
    if !config.image_content_sources.is_empty() {
        let mirrors = config.image_content_sources.iter();
        let mirrors = mirrors.map(|m| {
            let list = (!m.mirrors.is_empty()).then_some(&m.mirrors);
            json!({ "mirrors": list, "source": m.source })
        });
        let value = json!({
            "apiVersion": "operator.openshift.io/v1alpha1",
            "kind": "ImageContentSourcePolicy",
            "metadata": named("image-policy"),
            "spec": { "repositoryDigestMirrors": mirrors.collect::<Vec<Value>>() },
        });
        files.push(file("image-content-source-policy.yaml", &value));
    }
    if !config.image_digest_sources.is_empty() {
        let mirrors = config.image_digest_sources.iter().map(|m| {
            let mut entry = json!({ "source": m.source });
            if !m.mirrors.is_empty() {
                entry["mirrors"] = m.mirrors.as_slice().into();
            }
            if !m.source_policy.is_empty() {
                entry["mirrorSourcePolicy"] = m.source_policy.as_str().into();
            }
            entry
        });
        let value = json!({
            "apiVersion": CONFIG,
            "kind": "ImageDigestMirrorSet",
            "metadata": named("image-digest-mirror"),
            "spec": { "imageDigestMirrors": mirrors.collect::<Vec<Value>>() },
            "status": {},
        });
        files.push(file("image-digest-mirror-set.yaml", &value));
    }
    files
}

/// A repository with its mirrors.
fn trust_bundle_map(plan: &Plan) -> Option<Value> {
    let certificates = trust_bundle::certificates(&plan.config.additional_trust_bundle);
    (!certificates.is_empty()).then(|| {
        let mut metadata = placed("user-ca-bundle", "openshift-config");
        if plan.has(Since::Today) {
            metadata["annotations"] = json!({ "openshift.io/owning-component": "End User" });
        }
        json!({
            "apiVersion": "v1",
            "data": { "ca-bundle.crt": certificates.concat() },
            "kind": "ConfigMap",
            "metadata": metadata,
        })
    })
}
