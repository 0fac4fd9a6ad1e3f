//! What of the cluster's `Infrastructure` and `Network` objects counts here.

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::shape::{INT32, INT64, Shape};

const TEXTS: Shape = Shape::List(&Shape::Scalar);
const OWNER: Shape = Shape::Object(&[
    (Shape::Scalar, "apiVersion kind name uid"),
    (Shape::Flag, "controller blockOwnerDeletion"),
]);
const MANAGER: Shape = Shape::Object(&[
    (Shape::Scalar, "manager operation apiVersion fieldsType subresource"),
    (Shape::Time, "time"),
]);

/// The metadata of an object.
const METADATA: Shape = Shape::Object(&[
    (Shape::Scalar, "name generateName namespace selfLink uid resourceVersion"),
    (INT64, "generation deletionGracePeriodSeconds"),
    (Shape::Time, "creationTimestamp deletionTimestamp"),
    (Shape::Map(&Shape::Scalar), "labels annotations"),
    (TEXTS, "finalizers"),
    (Shape::List(&OWNER), "ownerReferences"),
    (Shape::List(&MANAGER), "managedFields"),
]);

const NAMED: Shape = Shape::Object(&[(Shape::Scalar, "type uuid name")]);
const PRISM: Shape = Shape::Object(&[(Shape::Scalar, "address"), (INT32, "port")]);
const ADDRESSES: Shape =
    Shape::Object(&[(TEXTS, "apiIntLoadBalancerIPs apiLoadBalancerIPs ingressLoadBalancerIPs")]);
const HOST_GROUP: Shape = Shape::Object(&[(Shape::Scalar, "vmGroup hostGroup vmHostRule")]);
const AFFINITY: Shape = Shape::Object(&[(Shape::Scalar, "type"), (HOST_GROUP, "hostGroup")]);
const FAILURE_DOMAIN: Shape = Shape::Object(&[
    (Shape::Scalar, "name region zone server"),
    (AFFINITY, "regionAffinity zoneAffinity"),
    (
        Shape::Object(&[
            (Shape::Scalar, "datacenter computeCluster datastore resourcePool folder template"),
            (TEXTS, "networks"),
        ]),
        "topology",
    ),
    (NAMED, "cluster"),
    (Shape::List(&NAMED), "subnets"),
]);
const SIDE: Shape =
    Shape::Object(&[(Shape::Scalar, "network"), (TEXTS, "networkSubnetCidr excludeNetworkSubnetCidr")]);

/// What `spec` and `status` say of a platform. The same name has the same shape on all of them.
const PLATFORM: Shape = Shape::Object(&[
    (
        Shape::Scalar,
        "region location zone resourceGroup resourceGroupName resourceGroupID networkResourceGroupName \
         cloudName armEndpoint ipFamily projectID apiServerInternalIP ingressIP nodeDNSIP dnsRecordsType \
         providerType cisInstanceCRN dnsInstanceCRN platformName",
    ),
    (TEXTS, "apiServerInternalIPs ingressIPs machineNetworks"),
    (Shape::List(&Shape::Object(&[(Shape::Scalar, "name url")])), "serviceEndpoints"),
    (Shape::List(&Shape::Object(&[(Shape::Scalar, "key value parentID")])), "resourceTags resourceLabels"),
    (NAMED, "loadBalancer"),
    (Shape::Object(&[(Shape::Scalar, "dnsType"), (ADDRESSES, "clusterHosted")]), "cloudLoadBalancerConfig"),
    (Shape::Object(&[(Shape::Scalar, "state")]), "cloudControllerManager"),
    (
        Shape::List(&Shape::Object(&[(Shape::Scalar, "server"), (INT32, "port"), (TEXTS, "datacenters")])),
        "vcenters",
    ),
    (Shape::List(&FAILURE_DOMAIN), "failureDomains"),
    (Shape::Object(&[(SIDE, "external internal")]), "nodeNetworking"),
    (PRISM, "prismCentral"),
    (Shape::List(&Shape::Object(&[(Shape::Scalar, "name"), (PRISM, "endpoint")])), "prismElements"),
]);
const PLATFORMS: Shape = Shape::Object(&[
    (Shape::Scalar, "type"),
    (
        PLATFORM,
        "aws azure gcp baremetal openstack ovirt vsphere ibmcloud kubevirt equinixMetal powervs alibabaCloud \
         nutanix external",
    ),
]);

/// A whole Infrastructure object in a file. What does not count here is checked, too.
pub(super) const INFRASTRUCTURE: Shape = Shape::Object(&[
    (Shape::Text, "apiVersion kind"),
    (METADATA, "metadata"),
    (
        Shape::Object(&[
            (Shape::Object(&[(Shape::Scalar, "name key")]), "cloudConfig"),
            (PLATFORMS, "platformSpec"),
        ]),
        "spec",
    ),
    (
        Shape::Object(&[
            (
                Shape::Scalar,
                "infrastructureName platform etcdDiscoveryDomain apiServerURL apiServerInternalURI \
                 controlPlaneTopology infrastructureTopology cpuPartitioning",
            ),
            (PLATFORMS, "platformStatus"),
        ]),
        "status",
    ),
]);

/// A Network object in a file, as far as it counts here.
pub(super) const NETWORK: Shape = Shape::Object(&[
    (Shape::Text, "apiVersion kind"),
    (METADATA, "metadata"),
    (Shape::Object(&[(TEXTS, "serviceNetwork")]), "spec"),
]);

/// A whole `ConfigMap` in a file.
pub(super) const CONFIG_MAP: Shape = Shape::Object(&[
    (Shape::Text, "apiVersion kind"),
    (METADATA, "metadata"),
    (Shape::Map(&Shape::Scalar), "data"),
    (Shape::Map(&Shape::Text), "binaryData"),
    (Shape::Word, "immutable"),
]);

/// A value that may be null, which is as good as absent.
pub(super) fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(from).map(Option::unwrap_or_default)
}

/// An object that may be null, which is as good as absent. A list is none, whatever it holds.
pub(super) fn object<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    from: D,
) -> Result<T, D::Error> {
    optional_object(from).map(Option::unwrap_or_default)
}

/// The same, of which it counts whether it is there.
pub(super) fn optional_object<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let members = Option::<Map<String, Value>>::deserialize(from)?;
    let read = |members| T::deserialize(Value::Object(members)).map_err(D::Error::custom);
    members.map(read).transpose()
}

/// A list of objects, each of which may be null.
pub(super) fn objects<'de, D: Deserializer<'de>, T: DeserializeOwned + Default>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let items = Option::<Vec<Value>>::deserialize(from)?.unwrap_or_default();
    items.into_iter().map(|item| object(item).map_err(D::Error::custom)).collect()
}

/// A list of texts, each of which may be null.
pub(super) fn texts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let items = Option::<Vec<Option<String>>>::deserialize(from)?.unwrap_or_default();
    Ok(items.into_iter().map(Option::unwrap_or_default).collect())
}

/// `infrastructures.config.openshift.io/cluster`, as far as it counts here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Infrastructure {
    /// What is wished for.
    #[serde(deserialize_with = "object")]
    pub spec: Spec,
    /// What is.
    #[serde(deserialize_with = "object")]
    pub status: Status,
}

/// `spec` of the Infrastructure object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spec {
    /// Which map and key hold the user's configuration.
    #[serde(deserialize_with = "object")]
    pub cloud_config: CloudConfig,
    /// What the user says of the platform.
    #[serde(deserialize_with = "object")]
    pub platform_spec: PlatformSpec,
}

/// `spec.cloudConfig`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct CloudConfig {
    /// Name of the map in `openshift-config`; may be empty.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// Key in it; may be empty.
    #[serde(deserialize_with = "or_default")]
    pub key: String,
}

/// `spec.platformSpec`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PlatformSpec {
    /// vSphere's part, as it is.
    #[serde(deserialize_with = "optional_object")]
    pub vsphere: Option<Value>,
}

/// `status` of the Infrastructure object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    /// The old name of the platform.
    #[serde(deserialize_with = "or_default")]
    pub platform: String,
    /// The platform.
    #[serde(deserialize_with = "optional_object")]
    pub platform_status: Option<PlatformStatus>,
}

/// `status.platformStatus`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlatformStatus {
    /// The platform's name.
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub platform: String,
    /// AWS's part.
    #[serde(deserialize_with = "optional_object")]
    pub aws: Option<AwsStatus>,
    /// Azure's part.
    #[serde(deserialize_with = "optional_object")]
    pub azure: Option<AzureStatus>,
    /// vSphere's part.
    #[serde(deserialize_with = "optional_object")]
    pub vsphere: Option<VSphereStatus>,
}

/// `status.platformStatus.aws`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AwsStatus {
    /// The region.
    #[serde(deserialize_with = "or_default")]
    pub region: String,
    /// Custom endpoints, in their order.
    #[serde(deserialize_with = "objects")]
    pub service_endpoints: Vec<ServiceEndpoint>,
}

/// One custom endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ServiceEndpoint {
    /// Service, as in `ec2`.
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// Its URL.
    #[serde(deserialize_with = "or_default")]
    pub url: String,
}

/// `status.platformStatus.azure`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AzureStatus {
    /// Name of the cloud; may be empty.
    #[serde(deserialize_with = "or_default")]
    pub cloud_name: String,
}

/// `status.platformStatus.vsphere`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct VSphereStatus {
    /// Addresses of the API server inside.
    #[serde(rename = "apiServerInternalIPs", deserialize_with = "texts")]
    pub api_server_internal_ips: Vec<String>,
    /// Addresses of the ingress.
    #[serde(rename = "ingressIPs", deserialize_with = "texts")]
    pub ingress_ips: Vec<String>,
}

impl Infrastructure {
    /// The platform's name, and whether it is the old form's; empty where there is none.
    #[must_use]
    pub fn platform(&self) -> (&str, bool) {
        match &self.status.platform_status {
            Some(status) if !status.platform.is_empty() => (&status.platform, false),
            _ => (&self.status.platform, true),
        }
    }
}

/// `networks.config.openshift.io/cluster`, as far as it counts here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Network {
    /// What is wished for.
    #[serde(deserialize_with = "object")]
    pub spec: NetworkSpec,
}

/// `spec` of the Network object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkSpec {
    /// The networks of services.
    #[serde(deserialize_with = "texts")]
    pub service_network: Vec<String>,
}
