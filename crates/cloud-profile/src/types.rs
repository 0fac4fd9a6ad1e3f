//! The objects of cloud profiles, as they stand in files and in the API of a cluster.
//!
//! Every part may be left out, and what is left out is not written; whether it may be missing is for
//! admission to judge. Times, versions and quantities are kept as they were written.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::quantity::Quantity;

/// The API groups of profiles, with their version, as an object's `apiVersion` names them: landfall's own, and that of
/// Gardener.
pub const API_VERSIONS: [&str; 2] = ["profiles.landfall.dev/v1beta1", "core.gardener.cloud/v1beta1"];

/// The kind of profiles for a whole installation, from which the others inherit.
pub const CLOUD_PROFILE: &str = "CloudProfile";
/// The resource name of [`CLOUD_PROFILE`].
pub const CLOUD_PROFILES: &str = "cloudprofiles";
/// The kind of profiles for one project, as it was proposed.
pub const PRIVATE_CLOUD_PROFILE: &str = "PrivateCloudProfile";
/// The resource name of [`PRIVATE_CLOUD_PROFILE`].
pub const PRIVATE_CLOUD_PROFILES: &str = "privatecloudprofiles";
/// The kind of profiles for one project, as it was released.
pub const NAMESPACED_CLOUD_PROFILE: &str = "NamespacedCloudProfile";
/// The resource name of [`NAMESPACED_CLOUD_PROFILE`].
pub const NAMESPACED_CLOUD_PROFILES: &str = "namespacedcloudprofiles";

/// A profile for a whole installation.
pub type CloudProfile = Object<CloudProfileSpec, CloudProfileStatus>;
/// A profile for one project, as it was proposed.
pub type PrivateCloudProfile = Object<PrivateCloudProfileSpec, PrivateCloudProfileStatus>;
/// A profile for one project, as it was released.
pub type NamespacedCloudProfile = Object<NamespacedCloudProfileSpec, NamespacedCloudProfileStatus>;

/// What a machine type or a flavor of an image can do: the values of each capability by its name.
pub type Capabilities = BTreeMap<String, Vec<String>>;

/// An object of the API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Object<Spec, Status> {
    /// Group and version of the API.
    pub api_version: String,
    /// The kind of the object.
    pub kind: String,
    /// Name, namespace and the like.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub metadata: Map<String, Value>,
    /// The desired state.
    pub spec: Spec,
    /// The observed state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

impl<Spec, Status> Object<Spec, Status> {
    /// The name of the object; empty without one.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// The namespace of the object; empty without one.
    #[must_use]
    pub fn namespace(&self) -> &str {
        self.text("namespace")
    }

    fn text(&self, key: &str) -> &str {
        self.metadata.get(key).and_then(Value::as_str).unwrap_or_default()
    }
}

/// What came of a cloud profile: others write it, and none of it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(extend("x-kubernetes-preserve-unknown-fields" = true))]
pub struct CloudProfileStatus {}

/// Reads a value; a null, as an empty line of YAML gives it, is one that is not given.
fn given<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// The schema of what is passed on untouched.
fn opaque(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "x-kubernetes-preserve-unknown-fields": true })
}

/// The schema of what a controller wrote: what went into it was checked where it came from, and a server that
/// checks all of it again takes twice as long to write it. It has one owner as a whole, so that the server need
/// not compare its fields.
fn joined(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "x-kubernetes-map-type": "atomic",
        "x-kubernetes-preserve-unknown-fields": true,
    })
}

/// The schema of a list whose entries are passed on untouched.
fn opaque_list(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": opaque(generator) })
}

/// Defines structs whose fields may all be left out, and are not written when they say nothing.
macro_rules! parts {
    ($( $(#[$meta:meta])* pub struct $name:ident {
        $( $(#[$field_meta:meta])* pub $field:ident : $ty:ty, )*
    } )*) => { $(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default, rename_all = "camelCase")]
        pub struct $name {
            $( $(#[$field_meta])*
            #[serde(skip_serializing_if = "landfall_model::config::value::Zero::is_zero", deserialize_with = "given")]
            pub $field: $ty, )*
        }
    )* };
}

parts! {
    /// The resources that clusters of one provider may use.
    pub struct CloudProfileSpec {
        /// The provider of the infrastructure.
        #[serde(rename = "type")]
        pub provider: String,
        /// Certificates in PEM form that machines trust.
        pub ca_bundle: Option<String>,
        /// The offered versions of Kubernetes.
        pub kubernetes: Option<Kubernetes>,
        /// The images that machines may start from.
        pub machine_images: Vec<Arc<MachineImage>>,
        /// The types of machines.
        pub machine_types: Vec<Arc<MachineType>>,
        /// The types of volumes.
        pub volume_types: Vec<Arc<VolumeType>>,
        /// The regions.
        pub regions: Vec<Arc<Region>>,
        /// Settings that only the provider understands.
        #[schemars(schema_with = "opaque")]
        pub provider_config: Option<Value>,
        /// Which seeds may host the control planes of clusters.
        #[schemars(schema_with = "opaque")]
        pub seed_selector: Option<Value>,
        /// Limits of clusters.
        pub limits: Option<Limits>,
        /// Machine type and image of bastions.
        #[schemars(schema_with = "opaque")]
        pub bastion: Option<Value>,
        /// The capabilities that images and machine types may name, with their values.
        #[schemars(schema_with = "opaque")]
        pub machine_capabilities: Option<Value>,
        /// Settings of control planes.
        #[schemars(schema_with = "opaque")]
        pub control_plane: Option<Value>,
    }

    /// The offered versions of Kubernetes.
    pub struct Kubernetes {
        /// The versions.
        pub versions: Vec<Version>,
    }

    /// A version of Kubernetes.
    pub struct Version {
        /// The version: three numbers with dots.
        pub version: String,
        /// When the version expires.
        pub expiration_date: Option<String>,
        /// Support of the version: `preview`, `supported` or `deprecated`.
        pub classification: Option<String>,
        /// The stages of its life, in place of date and classification.
        pub lifecycle: Vec<LifecycleStage>,
    }

    /// A stage in the life of a version.
    pub struct LifecycleStage {
        /// Support of the version in this stage.
        pub classification: String,
        /// When the stage begins; without one, it has begun.
        pub start_time: Option<String>,
    }

    /// An image that machines may start from.
    pub struct MachineImage {
        /// The name of the image.
        pub name: String,
        /// To which versions machines are updated: `patch`, `minor` or `major`.
        pub update_strategy: Option<String>,
        /// The versions.
        pub versions: Vec<MachineImageVersion>,
    }

    /// A version of an image.
    pub struct MachineImageVersion {
        /// The version: one to three numbers with dots.
        pub version: String,
        /// When the version expires.
        pub expiration_date: Option<String>,
        /// Support of the version: `preview`, `supported` or `deprecated`.
        pub classification: Option<String>,
        /// The stages of its life, in place of date and classification.
        pub lifecycle: Vec<LifecycleStage>,
        /// The container runtimes that it has.
        pub cri: Vec<ContainerRuntimeInterface>,
        /// The processor architectures that it supports.
        pub architectures: Vec<String>,
        /// The supported versions of the kubelet.
        pub kubelet_version_constraint: Option<String>,
        /// Whether machines can be updated to it in place.
        pub in_place_updates: Option<InPlaceUpdates>,
        /// The flavors of the image, each with its capabilities.
        pub capability_flavors: Vec<Capabilities>,
    }

    /// A container runtime of an image.
    pub struct ContainerRuntimeInterface {
        /// Its name.
        pub name: String,
        /// The low-level runtimes that it supports.
        #[schemars(schema_with = "opaque_list")]
        pub container_runtimes: Vec<Value>,
    }

    /// Whether machines can be updated in place.
    pub struct InPlaceUpdates {
        /// Whether in-place updates are supported.
        pub supported: Option<bool>,
        /// The lowest version that supports in-place updates.
        pub min_version_for_update: Option<String>,
    }

    /// A type of machine.
    pub struct MachineType {
        /// The name of the type.
        pub name: String,
        /// Processors.
        pub cpu: Option<Quantity>,
        /// Graphics processors.
        pub gpu: Option<Quantity>,
        /// Memory.
        pub memory: Option<Quantity>,
        /// The disk that comes with the machine.
        pub storage: Option<Storage>,
        /// Whether the type may be used; it may unless this is false.
        pub usable: Option<bool>,
        /// The processor architecture.
        pub architecture: Option<String>,
        /// What the machine can do.
        pub capabilities: Capabilities,
        /// Settings of the manager of machines.
        #[schemars(schema_with = "opaque")]
        pub machine_controller_manager: Option<Value>,
    }

    /// The disk that comes with a machine.
    pub struct Storage {
        /// The class of the disk.
        pub class: String,
        /// The type of the disk.
        #[serde(rename = "type")]
        pub kind: String,
        /// The size, where it is fixed.
        pub size: Option<Quantity>,
        /// The minimum size, if the size can be chosen.
        pub min_size: Option<Quantity>,
    }

    /// A type of volume.
    pub struct VolumeType {
        /// The name of the type.
        pub name: String,
        /// The class of the type.
        pub class: String,
        /// Whether the type may be used; it may unless this is false.
        pub usable: Option<bool>,
        /// The minimum size of a volume.
        pub min_size: Option<Quantity>,
    }

    /// A region.
    pub struct Region {
        /// The name of the region.
        pub name: String,
        /// Its zones.
        pub zones: Vec<Zone>,
        /// Labels by which seeds are chosen.
        pub labels: BTreeMap<String, String>,
        /// Access restrictions of the region.
        #[schemars(schema_with = "opaque_list")]
        pub access_restrictions: Vec<Value>,
    }

    /// A zone of a region.
    pub struct Zone {
        /// The name of the zone.
        pub name: String,
        /// The machine types that the zone lacks.
        pub unavailable_machine_types: Vec<String>,
        /// The volume types that the zone lacks.
        pub unavailable_volume_types: Vec<String>,
    }

    /// Limits of clusters.
    pub struct Limits {
        /// The maximum number of nodes of a cluster.
        pub max_nodes_total: Option<i64>,
    }

    /// What a private profile adds to its parent.
    pub struct PrivateCloudProfileSpec {
        /// The name of the parent cloud profile.
        pub parent: String,
        /// Versions of Kubernetes of the parent with other dates.
        pub kubernetes: Option<Kubernetes>,
        /// Further images, further versions of images, and versions of the parent with other dates.
        pub machine_images: Vec<Arc<MachineImage>>,
        /// Further types of machines.
        pub machine_types: Vec<Arc<MachineType>>,
        /// Further types of volumes.
        pub volume_types: Vec<Arc<VolumeType>>,
        /// Further regions and zones.
        pub regions: Vec<Arc<Region>>,
        /// Further certificates in PEM form.
        pub ca_bundle: Option<String>,
        /// Limits that the parent does not have.
        pub limits: Option<Limits>,
    }

    /// The status of a private profile.
    pub struct PrivateCloudProfileStatus {
        /// The profile joined with its parent.
        #[schemars(schema_with = "joined")]
        pub cloud_profile: Option<CloudProfile>,
        /// Entries in which the profile contradicts its parent.
        pub conflicts: Vec<Conflict>,
        /// The state of the profile.
        pub conditions: Vec<Condition>,
        /// The generation of the profile that was joined.
        pub observed_generation: Option<i64>,
    }

    /// An entry in which a private profile contradicts its parent, which is preferred.
    pub struct Conflict {
        /// The part of the profile.
        pub path: String,
        /// What is wrong in a word: `differs` or `not-in-parent`.
        pub reason: String,
        /// What is wrong in a sentence.
        pub message: String,
        /// The fields that differ, for messages; not part of the object.
        #[serde(skip)]
        pub fields: Vec<&'static str>,
    }

    /// A condition.
    pub struct Condition {
        /// Type of the condition.
        #[serde(rename = "type")]
        pub kind: String,
        /// Status: `True`, `False` or `Unknown`.
        pub status: String,
        /// Why, in a word.
        pub reason: String,
        /// Why, in a sentence.
        pub message: String,
        /// Time of the last change of the status.
        pub last_transition_time: Option<String>,
        /// The generation of the profile that was observed.
        pub observed_generation: Option<i64>,
    }

    /// The additions and overrides of a namespaced profile to its parent.
    pub struct NamespacedCloudProfileSpec {
        /// The parent cloud profile.
        pub parent: ParentReference,
        /// Versions of Kubernetes of the parent with other dates.
        pub kubernetes: Option<Kubernetes>,
        /// Further images, and images of the parent with other versions.
        pub machine_images: Vec<Arc<MachineImage>>,
        /// Machine types, also in place of the parent's.
        pub machine_types: Vec<Arc<MachineType>>,
        /// Volume types, also in place of the parent's.
        pub volume_types: Vec<Arc<VolumeType>>,
        /// Further certificates in PEM form.
        pub ca_bundle: Option<String>,
        /// Limits in place of the parent's.
        pub limits: Option<Limits>,
        /// Settings that only the provider understands.
        #[schemars(schema_with = "opaque")]
        pub provider_config: Option<Value>,
    }

    /// The cloud profile that a profile inherits from.
    pub struct ParentReference {
        /// The kind of the parent.
        pub kind: String,
        /// The name of the parent.
        pub name: String,
    }

    /// The status of a namespaced profile.
    pub struct NamespacedCloudProfileStatus {
        /// The profile joined with its parent.
        #[schemars(schema_with = "joined")]
        pub cloud_profile_spec: Option<CloudProfileSpec>,
        /// The generation of the profile that was joined.
        pub observed_generation: Option<i64>,
    }
}

impl landfall_model::config::value::Zero for ParentReference {}
