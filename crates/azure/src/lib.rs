//! Platform `azure`: Microsoft Azure in every cloud of its own.
//!
//! The pure half computes; `cloud`, behind the feature of that name, asks Azure and removes from it. It knows no other
//! cloud.
//!
//! ```
//! use landfall_azure::PLATFORM;
//! use landfall_model::catalogue::Catalogue;
//! use landfall_platform::Platform;
//!
//! // The regions of the same cloud, and of no other.
//! let regions = PLATFORM.regions_beside(Catalogue::embedded(), "4.19", "usgovvirginia");
//! assert!(regions.iter().any(|region| region == "usgovtexas"));
//! assert!(!regions.iter().any(|region| region == "westeurope"));
//! ```

#![forbid(unsafe_code)]

#[cfg(feature = "cloud")]
mod cloud;
pub mod credentials;
mod defaults;
mod introduced;
mod offline;
mod outline;
pub mod permissions;
mod plan;
mod render;
mod resources;
mod rules;
mod survey;
pub mod target;
mod untracked;

pub use landfall_model::azure::{catalogue, config, facts, planned, values};

use landfall_diagnostics::{Finding, Findings};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::outline::Outline;
use landfall_model::plan::{Engine, Plan, Platforms, Stage};
use landfall_model::prices::Charges;
use landfall_platform::native::{BootSources, Graph};
use landfall_platform::removal::{GivenTarget, Target};
use landfall_platform::{Offline, Platform, World};
use landfall_render::{Credentials, Extras, PlatformAssets, Unset};
use landfall_rules::{Case, Dual, Families, First, Gated, Ipv6, Machines, Placement, Traits};

/// The stages of terraform.
const STAGES: &[Stage] = &[
    Stage { name: "vnet", only_for_bootstrap: false },
    Stage { name: "bootstrap", only_for_bootstrap: true },
    Stage { name: "cluster", only_for_bootstrap: false },
];

/// The platform's part in judging an install config.
pub struct Azure;

/// The names of the kinds of boot sources that are not in a storage account, as removal has them.
pub const IMAGE_KINDS: [&str; 3] = ["image version", "image definition", "image gallery"];

/// The platform as it stands in the list of platforms.
pub const PLATFORM: Azure = Azure;

impl Platform for Azure {
    fn name(&self) -> &'static str {
        rules::NAME
    }

    fn has_data_disks(&self) -> bool {
        true
    }

    fn upconvert(&self, config: &mut InstallConfig) -> Result<(), Box<Finding>> {
        defaults::upconvert(config);
        Ok(())
    }

    fn defaults(&self, config: &mut InstallConfig, catalogue: &Catalogue) {
        defaults::defaults(config, &catalogue.azure);
    }

    fn traits(&self, config: &InstallConfig, catalogue: &Catalogue) -> Traits {
        let azure = config.platform.azure.as_ref();
        let stack = azure.is_some_and(|azure| catalogue.azure.is_stack(&azure.cloud_name));
        Traits {
            name: rules::NAME,
            exclusive: true,
            name_begins_with_letter: true,
            reserved_name: rules::names::reserved,
            publish: &["External", "Internal", "Mixed"],
            credentials_modes: if stack { &["Manual"] } else { &["Passthrough", "Manual"] },
            without_cloud_credential: false,
            without_cloud_controller: false,
            needs_cloud_controller: false,
            mtu: false,
            families: families(stack, azure.is_some_and(config::Platform::is_dual_stack)),
            arbiter: false,
            fencing: false,
            compute_names: &["worker"],
            architectures: None,
            mixed_architectures: false,
            cluster_api: |_| false,
        }
    }

    fn check_platform(&self, case: &Case<'_>, out: &mut Findings) {
        rules::check_platform(case, out);
    }

    fn check_pools(&self, case: &Case<'_>, out: &mut Findings) {
        rules::check_pools(case, out);
    }

    fn gated(&self, config: &InstallConfig, _: &Catalogue) -> Vec<Gated> {
        rules::gates::gated(config)
    }

    fn placement(&self, config: &InstallConfig) -> Placement {
        let Some(platform) = &config.platform.azure else { return Placement::default() };
        let machines = |path: String, settings: &config::MachinePool| Machines {
            path,
            zones: settings.zones.clone(),
            machine_type: settings.vm_size.clone(),
        };
        let usual = platform.default_machine_platform.iter();
        let usual =
            usual.map(|settings| machines("platform.azure.defaultMachinePlatform".to_owned(), settings));
        let pools = config.pools().filter_map(|(path, pool)| {
            Some(machines(format!("{path}.platform.azure"), pool.platform.azure.as_ref()?))
        });
        Placement { region: platform.region.clone(), machines: usual.chain(pools).collect() }
    }

    fn superseded(&self) -> &'static [&'static str] {
        &["/platform/azure/controlPlaneSubnet", "/platform/azure/computeSubnet"]
    }

    #[cfg(feature = "cloud")]
    fn cloud(&self) -> Option<&'static dyn landfall_platform::cloud::Cloud> {
        Some(&cloud::CLOUD)
    }

    fn policy(&self, offline: &Offline<'_>) -> Option<serde_json::Value> {
        let subscription = offline.credentials.get(credentials::SUBSCRIPTION_ID);
        let subscription = subscription.map(|id| id.expose().as_str()).unwrap_or_default();
        Some(permissions::policy(offline.config, offline.catalogue, subscription))
    }

    fn regions_beside(&self, catalogue: &Catalogue, release: &str, region: &str) -> Vec<String> {
        let mut clouds = catalogue.azure.clouds.keys();
        let cloud = clouds.find(|cloud| catalogue.azure.location(cloud, region).is_some());
        let known = catalogue.known_regions(self.name(), release);
        let is_beside = |id: &str| cloud.is_some_and(|cloud| catalogue.azure.location(cloud, id).is_some());
        known.iter().filter(|known| is_beside(known.id)).map(|known| known.id.to_owned()).collect()
    }

    fn account_noun(&self) -> &'static str {
        "subscription"
    }

    fn account(&self, facts: &Facts) -> Option<String> {
        Some(facts.azure.as_ref()?.subscription_id.clone()).filter(|account| !account.is_empty())
    }

    fn target_of(&self, given: &GivenTarget) -> Target {
        target::target_of(given)
    }

    fn config_of(&self, target: &Target) -> Result<InstallConfig, Box<Finding>> {
        target::config_of(target)
    }

    fn survey(&self) -> Option<&'static dyn landfall_platform::survey::Survey> {
        Some(&survey::AzureSurvey)
    }

    fn credentials(&self, world: &dyn World) -> Credentials {
        credentials::credentials(world)
    }

    fn offline_facts(&self, offline: &Offline<'_>, _: &mut Findings) -> Facts {
        Facts { azure: offline::facts(offline), ..Facts::default() }
    }

    fn plan(&self, case: &landfall_model::plan::Case<'_>, out: &mut Findings) -> Option<Platforms> {
        plan::plan(case, out)
    }

    fn check_credentials(&self, plan: &Plan, credentials: &Credentials, out: &mut Findings) {
        let account = plan.platform.azure.as_ref().map(|azure| &azure.account);
        if let Some(finding) = account.and_then(|account| credentials::mismatch(account, credentials)) {
            out.push(finding);
        }
    }

    fn has_modules(&self, plan: &Plan) -> bool {
        plan.platform.azure.as_ref().is_none_or(|azure| !azure.cloud.stack)
    }

    fn outline(&self, plan: &Plan) -> Outline {
        outline::outline(plan)
    }

    fn charges(&self, plan: &Plan) -> Charges {
        outline::charges(plan)
    }

    fn assets(&self, plan: &Plan, extras: &Extras<'_>) -> Option<PlatformAssets> {
        render::assets(plan, extras)
    }

    fn machine_references(&self) -> &'static [&'static str] {
        &[
            "/image/resourceID",
            "/internalLoadBalancer",
            "/managedIdentity",
            "/networkResourceGroup",
            "/publicLoadBalancer",
            "/resourceGroup",
            "/subnet",
            "/vnet",
        ]
    }

    fn unset(&self, plan: &Plan) -> Option<Unset> {
        Some(render::unset(plan))
    }

    fn engine_fault(
        &self,
        config: &InstallConfig,
        catalogue: &Catalogue,
        engine: Engine,
    ) -> Option<Box<Finding>> {
        let platform = config.platform.azure.as_ref()?;
        let (name, cloud) = catalogue.azure.cloud(&platform.cloud_name)?;
        plan::engine_fault(name, cloud, engine)
    }

    fn introduced(&self) -> &'static [landfall_model::plan::Introduced] {
        introduced::INTRODUCED
    }

    fn stages(&self) -> &'static [Stage] {
        STAGES
    }

    fn resources(&self, plan: &Plan, catalogue: &Catalogue) -> Result<Option<Graph>, Vec<Finding>> {
        resources::graph(plan, &catalogue.azure)
    }

    fn boot_sources(&self, plan: &Plan, catalogue: &Catalogue) -> Result<Option<BootSources>, Vec<Finding>> {
        resources::boot_sources(plan, &catalogue.azure)
    }

    fn modules(&self) -> landfall_platform::untracked::Modules {
        untracked::MODULES
    }
}

/// How Azure stands to IPv6 (`docs/install-config.md`, section 8.6).
fn families(stack: bool, dual: bool) -> Families {
    Families {
        dual: Dual::IpFamily(dual),
        ipv6: Ipv6::Refused(if stack {
            "Azure Stack Hub does not support IPv6"
        } else {
            "Azure supports IPv6 only together with IPv4"
        }),
        // With an `ipFamily` of two families, IPv4 alone lacks an IPv6 machine network: section 11.7.
        ipv4: true,
        ipv4_machines: false,
        // Azure gives services IPv4 first whatever family is the machines' first one.
        first: |_, list| (list == "serviceNetwork").then_some(First::Ipv4),
        ranks: [0, 1, 3],
    }
}
