//! What landfall knows of Azure: clouds with their endpoints and locations, machine sizes, defaults.

mod allowed;
mod faults;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::catalogue::value::{Allowance, Fault, Image, Listing, Part, Release, Role, shipped};
use crate::config::value::model;

const CLOUDS: &str = include_str!("data/clouds.json");
const SIZES: &str = include_str!("data/sizes.json");
const DEFAULTS: &str = include_str!("data/defaults.json");

model! {
    /// What is known of Azure.
    pub struct Catalogue {
        /// Clouds by name, such as `AzurePublicCloud`.
        pub clouds: BTreeMap<String, Cloud>,
        /// Cloud of an install config that names none.
        pub default_cloud: String,
        /// Location that a prompt proposes.
        pub default_location: String,
        /// Machine sizes by name.
        pub sizes: BTreeMap<String, Size>,
        /// Size that machines have unless given, by architecture (`amd64`, `arm64`), then by role (`master`, `worker`).
        pub default_sizes: BTreeMap<String, BTreeMap<String, String>>,
        /// Size that machines of a Stack Hub have unless given, by role.
        pub stack_sizes: BTreeMap<String, String>,
        /// Sizes that a cloud profile allows besides, in the order in which they are tried, by architecture, then by
        /// role. They are no part of the document.
        #[serde(skip)]
        pub further_sizes: BTreeMap<String, BTreeMap<String, Vec<String>>>,
        /// The same for machines of a Stack Hub, by role.
        #[serde(skip)]
        pub further_stack_sizes: BTreeMap<String, Vec<String>>,
        /// Disks that machines start from, by role: `master`, `worker`, `bootstrap`.
        pub os_disks: BTreeMap<String, OsDisk>,
        /// Disks that machines of a Stack Hub start from, where they differ, by role.
        pub stack_os_disks: BTreeMap<String, OsDisk>,
        /// The least that machines must have, by role: `master`, `worker`.
        pub minimums: BTreeMap<String, Minimums>,
        /// Families of sizes that cannot run the operating system.
        pub unsupported_families: Vec<String>,
    }

    /// A cloud: its own accounts, endpoints and locations.
    pub struct Cloud {
        /// Name of the cloud for the Terraform provider; empty where it must be found by `metadataHost`.
        #[schemars(extend("examples" = ["public", "usgovernment"]))]
        pub terraform_environment: String,
        /// Metadata host from which the Terraform provider reads the cloud's endpoints.
        pub metadata_host: String,
        /// URL of the resource manager.
        #[schemars(extend("examples" = ["https://management.azure.com/"]))]
        pub resource_manager_endpoint: String,
        /// URL of the authority that issues tokens.
        #[schemars(extend("examples" = ["https://login.microsoftonline.com/"]))]
        pub active_directory_authority: String,
        /// Audience of the resource manager's tokens.
        pub token_audience: String,
        /// Scope to ask for the resource manager's tokens.
        pub token_scope: String,
        /// Domain of storage accounts.
        #[schemars(extend("examples" = ["core.windows.net"]))]
        pub storage_endpoint_suffix: String,
        /// Domain of blobs.
        #[schemars(extend("examples" = ["blob.core.windows.net"]))]
        pub blob_host_suffix: String,
        /// URL of Microsoft Graph, where the cloud has one.
        pub microsoft_graph_endpoint: Option<String>,
        /// URL of the directory's older interface.
        pub legacy_graph_endpoint: String,
        /// Domain of key vaults.
        pub key_vault_dns_suffix: String,
        /// URL that tokens of key vaults are for.
        pub key_vault_endpoint: String,
        /// Domain of the names of public addresses.
        pub public_ip_dns_suffix: String,
        /// URL of the classic service management.
        pub service_management_endpoint: String,
        /// Domain of container registries, where the cloud has them.
        pub container_registry_dns_suffix: Option<String>,
        /// The least TLS version to set on storage accounts; unset where the cloud cannot.
        #[schemars(extend("examples" = ["TLS1_2"]))]
        pub storage_min_tls: Option<String>,
        /// Whether machines reach the services of their host through the cluster's proxy, so that
        /// `noProxy` does not contain them.
        pub host_service_by_proxy: bool,
        /// Whether an install config may give tags.
        pub user_tags_allowed: bool,
        /// Whether objects of Azure Service Operator may have these tags, too.
        pub operator_tags_allowed: bool,
        /// Whether the cloud was closed, so that nothing answers there.
        pub closed: bool,
        /// Whether the cloud is a Stack Hub, whose resource manager reports its endpoints.
        pub stack: bool,
        /// Locations by name.
        pub locations: BTreeMap<String, Location>,
    }

    /// A location: what an install config calls a region.
    pub struct Location {
        /// Name for people.
        #[schemars(extend("examples" = ["East US"]))]
        pub display_name: String,
        /// Its availability zones; none where it is not divided.
        #[schemars(extend("examples" = [["1", "2", "3"]]))]
        pub zones: Vec<String>,
    }

    /// A machine size.
    pub struct Size {
        /// Number of virtual processors.
        #[serde(rename = "vCPUs")]
        pub vcpus: u32,
        /// Memory in GiB.
        #[serde(rename = "memoryGB")]
        pub memory_gb: u32,
        /// Architecture: `amd64` or `arm64`.
        pub architecture: String,
        /// Family, as quotas name it.
        pub family: String,
        /// Generations of virtual machines that it can be.
        #[schemars(extend("examples" = [["V1", "V2"]]))]
        pub hyper_v_generations: Vec<String>,
        /// Whether it takes disks of type `Premium_LRS`.
        #[serde(rename = "premiumIO")]
        pub premium_io: bool,
        /// Whether it has accelerated networking.
        pub accelerated_networking: bool,
    }

    /// A disk that machines start from.
    pub struct OsDisk {
        /// Size in GB.
        #[serde(rename = "sizeGB")]
        pub size_gb: u32,
        /// Type of the disk.
        #[serde(rename = "type")]
        pub kind: String,
    }

    /// The least that machines must have.
    pub struct Minimums {
        /// Number of virtual processors.
        #[serde(rename = "vCPUs")]
        pub vcpus: u32,
        /// Memory in GiB.
        #[serde(rename = "memoryGB")]
        pub memory_gb: u32,
    }
}

impl Catalogue {
    /// A cloud with its name; an empty name is the default cloud's.
    #[must_use]
    pub fn cloud(&self, name: &str) -> Option<(&str, &Cloud)> {
        let name = if name.is_empty() { self.default_cloud.as_str() } else { name };
        self.clouds.get_key_value(name).map(|(name, cloud)| (name.as_str(), cloud))
    }

    /// Whether a cloud is an Azure Stack Hub.
    #[must_use]
    pub fn is_stack(&self, name: &str) -> bool {
        self.cloud(name).is_some_and(|(_, cloud)| cloud.stack)
    }

    /// A location of a cloud.
    #[must_use]
    pub fn location(&self, cloud: &str, location: &str) -> Option<&Location> {
        self.cloud(cloud)?.1.locations.get(location)
    }

    /// The clouds, by name, that have a location.
    #[must_use]
    pub fn clouds_with(&self, location: &str) -> Vec<&str> {
        let with = self.clouds.iter().filter(|(_, cloud)| cloud.locations.contains_key(location));
        with.map(|(name, _)| name.as_str()).collect()
    }

    /// Whether some cloud lists a location.
    #[must_use]
    pub fn listed(&self, location: &str) -> bool {
        self.clouds.values().any(|cloud| cloud.locations.contains_key(location))
    }

    /// The zones of a location; empty where it has none or is not known.
    #[must_use]
    pub fn zones(&self, cloud: &str, location: &str) -> &[String] {
        self.location(cloud, location).map(|location| location.zones.as_slice()).unwrap_or_default()
    }

    /// What is known of a machine size, with its name. Azure tells no capitals from small letters in it.
    #[must_use]
    pub fn size(&self, name: &str) -> Option<(&str, &Size)> {
        let same = || self.sizes.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        self.sizes.get_key_value(name).or_else(same).map(|(known, size)| (known.as_str(), size))
    }

    /// The size that machines have unless given. A Stack Hub has one list for all architectures.
    #[must_use]
    pub fn default_size(&self, cloud: &str, architecture: &str, role: Role) -> Option<&str> {
        let stack = self.is_stack(cloud);
        let sizes = if stack { &self.stack_sizes } else { self.default_sizes.get(architecture)? };
        role.entry(sizes).map(String::as_str)
    }

    /// The sizes to choose from for machines without one, in their order: the one that they have unless given, then
    /// what a cloud profile allows besides.
    #[must_use]
    pub fn candidates(&self, cloud: &str, architecture: &str, role: Role) -> Vec<&str> {
        let stack = self.is_stack(cloud);
        let further =
            if stack { Some(&self.further_stack_sizes) } else { self.further_sizes.get(architecture) };
        let further = further.and_then(|sizes| role.entry(sizes)).into_iter().flatten();
        self.default_size(cloud, architecture, role).into_iter().chain(further.map(String::as_str)).collect()
    }

    /// The disk that machines start from unless given.
    #[must_use]
    pub fn os_disk(&self, cloud: &str, role: Role) -> Option<&OsDisk> {
        let stack = self.is_stack(cloud);
        let own = self.stack_os_disks.get(role.name()).filter(|_| stack);
        own.or_else(|| role.entry(&self.os_disks))
    }

    /// The least that machines of a role must have.
    #[must_use]
    pub fn minimums(&self, role: Role) -> Option<&Minimums> {
        role.entry(&self.minimums)
    }
}

impl Part for Catalogue {
    fn shipped() -> Self {
        Self { clouds: shipped(CLOUDS), sizes: shipped(SIZES), ..shipped(DEFAULTS) }
    }

    fn listings(&self) -> Vec<Listing<'_>> {
        let mut all: Vec<Listing<'_>> = Vec::new();
        for (name, cloud) in &self.clouds {
            let offered = *name == self.default_cloud && !cloud.closed;
            all.extend(cloud.locations.iter().map(|(id, location)| Listing {
                id: id.as_str(),
                name: location.display_name.as_str(),
                listed: true,
                offered,
            }));
        }
        all.sort_by_key(|listing| listing.id);
        all
    }

    fn image_in(architecture: &Value) -> Option<Image> {
        let disk = architecture.get("rhel-coreos-extensions")?.get("azure-disk")?;
        let text = |key: &str| disk.get(key).and_then(Value::as_str).map(str::to_owned);
        let url = text("url").filter(|url| !url.is_empty())?;
        Some(Image { release: text("release").unwrap_or_default(), url, ..Image::default() })
    }

    fn allow(&mut self, allowance: &Allowance) {
        self.take_in(allowance);
    }

    fn faults(&self, _: &BTreeMap<String, Release>) -> Vec<Fault> {
        self.contradictions()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_testing::misfit;

    #[test]
    fn the_documents_that_ship_can_be_read() {
        assert_eq!(misfit::<BTreeMap<String, Cloud>>(CLOUDS), None);
        assert_eq!(misfit::<BTreeMap<String, Size>>(SIZES), None);
        assert_eq!(misfit::<Catalogue>(DEFAULTS), None);
        let azure = Catalogue::shipped();
        let names: Vec<&str> = azure.clouds.keys().map(String::as_str).collect();
        let mut known = super::super::values::CLOUDS.to_vec();
        known.sort_unstable();
        assert_eq!(names, known);
    }

    #[test]
    fn clouds_have_their_own_endpoints() {
        let azure = Catalogue::shipped();
        for (name, cloud) in azure.clouds.iter().filter(|(_, cloud)| !cloud.stack) {
            let scope = format!("{}/.default", cloud.token_audience);
            assert_eq!(cloud.token_scope, scope, "{name}");
            assert_eq!(cloud.blob_host_suffix, format!("blob.{}", cloud.storage_endpoint_suffix), "{name}");
            for url in [&cloud.resource_manager_endpoint, &cloud.active_directory_authority] {
                assert!(url.starts_with("https://") && url.ends_with('/'), "{name} {url}");
            }
            assert!(!cloud.terraform_environment.is_empty() && !cloud.locations.is_empty(), "{name}");
        }
        assert_eq!(azure.cloud("").map(|(name, _)| name), Some("AzurePublicCloud"));
        assert_eq!(azure.cloud("AzureSunCloud"), None);
        let german = azure.cloud("AzureGermanCloud").map(|(_, cloud)| cloud);
        assert!(german.is_some_and(|cloud| cloud.closed && cloud.microsoft_graph_endpoint.is_none()));
        let tls = |name: &str| azure.cloud(name).is_some_and(|(_, cloud)| cloud.storage_min_tls.is_some());
        assert!(tls("AzureUSGovernmentCloud") && !tls("AzureChinaCloud"));
    }

    #[test]
    fn locations_are_named_as_azure_does() {
        let azure = Catalogue::shipped();
        for cloud in azure.clouds.values() {
            for (name, location) in &cloud.locations {
                let plain: String = location.display_name.to_lowercase().split(' ').collect();
                assert_eq!(name, &plain);
                assert_eq!(azure.clouds_with(name).len(), 1, "{name}");
            }
        }
        assert_eq!(azure.zones("", "eastus"), ["1", "2", "3"]);
        assert!(azure.zones("", "westus").is_empty());
        assert!(azure.listed("usgovvirginia") && !azure.listed("mooneast"));
        assert!(azure.location("AzureChinaCloud", "eastus").is_none());
    }

    #[test]
    fn default_sizes_are_known_and_large_enough() {
        let azure = Catalogue::shipped();
        for cloud in ["", "AzureStackCloud"] {
            for architecture in ["amd64", "arm64"] {
                for role in [Role::ControlPlane, Role::Compute, Role::Bootstrap] {
                    let name = azure.default_size(cloud, architecture, role).unwrap_or_default();
                    let size = azure.size(name).map(|(_, size)| size.clone()).unwrap_or_default();
                    let least = azure.minimums(role).cloned().unwrap_or_default();
                    let memory = if cloud.is_empty() { least.memory_gb } else { 14 };
                    assert!(size.vcpus >= least.vcpus && size.memory_gb >= memory.min(16), "{cloud} {name}");
                    assert!(size.premium_io && !size.hyper_v_generations.is_empty(), "{name}");
                    assert!(cloud == "AzureStackCloud" || size.architecture == architecture, "{name}");
                }
            }
        }
    }

    #[test]
    fn a_stack_hub_has_defaults_of_its_own() {
        let azure = Catalogue::shipped();
        let disk = |cloud: &str, role: Role| azure.os_disk(cloud, role).map(|disk| disk.size_gb);
        assert_eq!(disk("", Role::ControlPlane), Some(1024));
        assert_eq!(disk("AzureStackCloud", Role::ControlPlane), Some(128));
        assert_eq!(disk("AzureStackCloud", Role::Compute), Some(128));
        assert_eq!(disk("AzureStackCloud", Role::Bootstrap), Some(100));
        let size = azure.default_size("AzureStackCloud", "amd64", Role::Compute);
        assert_eq!(size, Some("Standard_DS3_v2"));
        assert_eq!(azure.default_size("", "arm64", Role::Bootstrap), Some("Standard_D8ps_v5"));
    }
}
