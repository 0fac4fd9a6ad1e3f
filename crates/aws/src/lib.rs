//! Platform `aws`: Amazon Web Services in every partition, with any endpoints.
//!
//! It computes: rules, planning, rendering, permissions, the graph of resources. What asks AWS and changes it is
//! `landfall-aws-cloud`, which [`Aws::with_edge`] takes in. It knows no other cloud.
//!
//! ```
//! use landfall_aws::PLATFORM;
//! use landfall_model::catalogue::Catalogue;
//! use landfall_platform::Platform;
//!
//! assert_eq!(PLATFORM.name(), "aws");
//! let regions = PLATFORM.regions_beside(Catalogue::embedded(), "4.19", "cn-north-1");
//! assert!(regions.iter().any(|region| region == "cn-northwest-1"));
//! ```

#![forbid(unsafe_code)]

pub mod credentials;
mod defaults;
pub mod ignition;
mod introduced;
pub mod offline;
mod outline;
pub mod permissions;
mod plan;
mod render;
mod resources;
pub mod rules;
pub mod survey;
pub mod tags;
pub mod target;
pub mod type_names;
mod untracked;

pub use landfall_model::aws::{catalogue, config, facts, planned, values};

use landfall_diagnostics::{Finding, Findings};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::outline::Outline;
use landfall_model::plan::{Case as Planning, Engine, Introduced, Plan, Platforms, Stage};
use landfall_model::prices::Charges;
use landfall_platform::cloud::Cloud;
use landfall_platform::native::Graph;
use landfall_platform::removal::{GivenTarget, Target};
use landfall_platform::survey::Survey;
use landfall_platform::{Layouts, Offline, Platform, World};
use landfall_render::{Credentials, Extras, PlatformAssets, Unset};
use landfall_rules::{Case, Dual, Families, First, Gated, Ipv6, Machines, Placement, Traits};
use serde_json::{Map, Value};

/// The key under `platform`.
pub const NAME: &str = "aws";

/// Name of the pool whose machines are in local zones.
pub const EDGE: &str = "edge";

/// The stages of terraform.
const STAGES: &[Stage] = &[
    Stage { name: "cluster", only_for_bootstrap: false },
    Stage { name: "bootstrap", only_for_bootstrap: true },
];

/// What asks AWS: the part of the platform that needs its SDK.
#[derive(Clone, Copy)]
pub struct Edge {
    /// The calls.
    pub cloud: &'static dyn Cloud,
    /// What a user is asked, with what the SDK knows of the user's profiles.
    pub survey: &'static dyn Survey,
}

/// Platform `aws`.
pub struct Aws {
    edge: Option<Edge>,
}

/// The platform without what asks AWS.
pub const PLATFORM: Aws = Aws { edge: None };

impl Aws {
    /// The platform with what asks AWS.
    #[must_use]
    pub const fn with_edge(edge: Edge) -> Self {
        Self { edge: Some(edge) }
    }
}

impl Platform for Aws {
    fn name(&self) -> &'static str {
        NAME
    }

    fn upconvert(&self, config: &mut InstallConfig) -> Result<(), Box<Finding>> {
        config.platform.aws.as_mut().map_or(Ok(()), defaults::upconvert)
    }

    fn defaults(&self, config: &mut InstallConfig, catalogue: &Catalogue) {
        defaults::defaults(config, &catalogue.aws);
    }

    fn traits(&self, config: &InstallConfig, _: &Catalogue) -> Traits {
        let dual = config.platform.aws.as_ref().is_some_and(config::Platform::is_dual_stack);
        Traits {
            name: self.name(),
            exclusive: true,
            name_begins_with_letter: false,
            reserved_name: |_| None,
            publish: &["External", "Internal"],
            credentials_modes: &["Mint", "Passthrough", "Manual"],
            without_cloud_credential: false,
            without_cloud_controller: false,
            needs_cloud_controller: false,
            mtu: true,
            families: Families {
                dual: Dual::IpFamily(dual),
                ipv6: if dual {
                    Ipv6::Contradicted
                } else {
                    Ipv6::Refused("platform `aws` does not support IPv6 alone")
                },
                ipv4: !dual,
                ipv4_machines: true,
                first: first_family,
                ranks: [3, 0, 2],
            },
            arbiter: false,
            fencing: false,
            compute_names: &["edge", "worker"],
            architectures: Some(values::ARCHITECTURES),
            mixed_architectures: true,
            cluster_api: |name| name != "master",
        }
    }

    fn check_platform(&self, case: &Case<'_>, out: &mut Findings) {
        if let Some(platform) = &case.config.platform.aws {
            rules::check_platform(case, platform, out);
        }
    }

    fn check_pools(&self, case: &Case<'_>, out: &mut Findings) {
        if let Some(platform) = &case.config.platform.aws {
            rules::check_pools(case, platform, out);
        }
    }

    fn gated(&self, config: &InstallConfig, catalogue: &Catalogue) -> Vec<Gated> {
        let platform = config.platform.aws.as_ref();
        platform.map(|platform| rules::gated(config, platform, &catalogue.aws)).unwrap_or_default()
    }

    fn placement(&self, config: &InstallConfig) -> Placement {
        let Some(platform) = &config.platform.aws else { return Placement::default() };
        let machines = |path: String, settings: &config::MachinePool| Machines {
            path,
            zones: settings.zones.clone(),
            machine_type: settings.instance_type.clone(),
        };
        let usual = platform.default_machine_platform.iter();
        let usual =
            usual.map(|settings| machines("platform.aws.defaultMachinePlatform".to_owned(), settings));
        let pools = config.pools().filter_map(|(path, pool)| {
            Some(machines(format!("{path}.platform.aws"), pool.platform.aws.as_ref()?))
        });
        Placement { region: platform.region.clone(), machines: usual.chain(pools).collect() }
    }

    fn cloud(&self) -> Option<&'static dyn Cloud> {
        self.edge.map(|edge| edge.cloud)
    }

    fn policy(&self, offline: &Offline<'_>) -> Option<Value> {
        Some(permissions::policy(offline.config, offline.catalogue, offline.release))
    }

    fn may_mean(&self, catalogue: &Catalogue, written: &str, known: &str) -> bool {
        catalogue.aws.may_mean(written, known)
    }

    fn account(&self, facts: &Facts) -> Option<String> {
        Some(facts.aws.as_ref()?.caller.as_ref()?.account.clone()).filter(|account| !account.is_empty())
    }

    fn has_profiles(&self) -> bool {
        true
    }

    fn regions_beside(&self, catalogue: &Catalogue, release: &str, region: &str) -> Vec<String> {
        let partition = |id: &str| catalogue.aws.partition_of(id).map(|(name, _)| name.to_owned());
        let own = partition(region);
        let known = catalogue.known_regions(NAME, release);
        known.iter().filter(|known| partition(known.id) == own).map(|known| known.id.to_owned()).collect()
    }

    fn target_of(&self, given: &GivenTarget) -> Target {
        target::target_of(given)
    }

    fn config_of(&self, target: &Target) -> Result<InstallConfig, Box<Finding>> {
        target::config_of(target)
    }

    fn survey(&self) -> Option<&'static dyn Survey> {
        Some(self.edge.map_or(&survey::SURVEY, |edge| edge.survey))
    }

    fn credentials(&self, world: &dyn World) -> Credentials {
        credentials::credentials(world)
    }

    fn offline_facts(&self, offline: &Offline<'_>, _: &mut Findings) -> Facts {
        Facts { aws: offline::facts(offline), ..Facts::default() }
    }

    fn add_found(&self, case: &Planning<'_>, config: &mut InstallConfig, given: &mut InstallConfig) {
        defaults::add_edge_pool(case, config, given);
    }

    fn plan(&self, case: &Planning<'_>, out: &mut Findings) -> Option<Platforms> {
        plan::plan(case, out)
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

    fn engine_fault(&self, _: &InstallConfig, _: &Catalogue, _: Engine) -> Option<Box<Finding>> {
        None
    }

    fn layouts(&self) -> Option<&'static Layouts> {
        Some(&resources::LAYOUTS)
    }

    fn resources(&self, plan: &Plan, _: &Catalogue) -> Result<Option<Graph>, Vec<Finding>> {
        resources::graph(plan)
    }

    fn machine_references(&self) -> &'static [&'static str] {
        &["/iamInstanceProfile", "/loadBalancers", "/securityGroups", "/subnet"]
    }

    fn introduced(&self) -> &'static [Introduced] {
        introduced::INTRODUCED
    }

    fn completed_ignition(&self, ignition: &str, variables: &Map<String, Value>) -> Option<String> {
        ignition::completed_from(ignition, variables)
    }

    fn unset(&self, plan: &Plan) -> Option<Unset> {
        Some(render::unset(plan))
    }

    fn stages(&self) -> &'static [Stage] {
        STAGES
    }

    fn modules(&self) -> landfall_platform::untracked::Modules {
        untracked::MODULES
    }

    fn superseded(&self) -> &'static [&'static str] {
        &["/platform/aws/subnets", "/platform/aws/amiID", "/platform/aws/preserveBootstrapIgnition"]
    }

    fn older_paths(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("platform.aws.vpc.subnets", "platform.aws.subnets"),
            ("platform.aws.defaultMachinePlatform.amiID", "platform.aws.amiID"),
        ]
    }
}

fn first_family(config: &InstallConfig, _: &str) -> Option<First> {
    match config.platform.aws.as_ref()?.ip_family.as_str() {
        "DualStackIPv4Primary" => Some(First::Ipv4),
        "DualStackIPv6Primary" => Some(First::Ipv6),
        _ => None,
    }
}
