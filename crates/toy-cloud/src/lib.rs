//! Platform `toy`: a cloud of ten resources, which lives in a JSON file.
//!
//! It implements the public traits of a platform and nothing else, so that a test of the whole program (`tests/toy`)
//! shows that a new cloud needs no change elsewhere than its README lists. Only builds with the feature `toy` have it.
//!
//! ```
//! # #[cfg(feature = "toy")]
//! # {
//! use landfall_platform::Platform;
//! use landfall_toy_cloud::PLATFORM;
//!
//! assert_eq!(PLATFORM.name(), "toy");
//! assert!(PLATFORM.cloud().is_some());
//! # }
//! ```

#![cfg(feature = "toy")]
#![forbid(unsafe_code)]

mod account;
mod cloud;
mod create;
mod plan;
mod remove;
mod render;
mod resources;
mod rules;

use landfall_diagnostics::{Finding, Findings};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::outline::Outline;
use landfall_model::plan::{Engine, Plan, Platforms, Stage};
use landfall_model::toy::config::Platform as Section;
use landfall_platform::native::Graph;
use landfall_platform::removal::{GivenTarget, Target};
use landfall_platform::{Offline, Platform};
use landfall_render::{Extras, PlatformAssets, Unset};
use landfall_rules::{Case, Dual, Families, Ipv6, Traits};
use serde_json::{Map, Value, json};

/// The key under `platform`.
const NAME: &str = "toy";
/// The key of the region in `metadata.json`.
const REGION: &str = "region";

const STAGES: &[Stage] = &[
    Stage { name: "cluster", only_for_bootstrap: false },
    Stage { name: "bootstrap", only_for_bootstrap: true },
];

/// Platform `toy`.
#[derive(Clone, Copy, Debug)]
pub struct Toy;

/// The platform, for the list of platforms.
pub const PLATFORM: Toy = Toy;

impl Platform for Toy {
    fn name(&self) -> &'static str {
        NAME
    }

    fn traits(&self, _: &InstallConfig, _: &Catalogue) -> Traits {
        Traits {
            name: NAME,
            exclusive: true,
            name_begins_with_letter: false,
            reserved_name: |_| None,
            publish: &["External"],
            credentials_modes: &["Manual"],
            without_cloud_credential: true,
            without_cloud_controller: true,
            needs_cloud_controller: false,
            mtu: false,
            families: Families {
                dual: Dual::Free,
                ipv6: Ipv6::Refused("the toy cloud does not support IPv6"),
                ipv4: true,
                ipv4_machines: false,
                first: |_, _| None,
                ranks: [3, 3, 4],
            },
            arbiter: false,
            fencing: false,
            compute_names: &["worker"],
            architectures: Some(&["amd64"]),
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

    fn account(&self, facts: &Facts) -> Option<String> {
        Some(facts.toy.as_ref()?.account.clone()).filter(|account| !account.is_empty())
    }

    fn target_of(&self, given: &GivenTarget) -> Target {
        let platform = Map::from_iter([(REGION.to_owned(), Value::from(given.region.as_str()))]);
        Target { infra_id: given.infra_id.clone(), platform, ..Target::default() }
    }

    fn config_of(&self, target: &Target) -> Result<InstallConfig, Box<Finding>> {
        let mut config = InstallConfig::default();
        config.metadata.name.clone_from(&target.cluster_name);
        let region = target.text(REGION).to_owned();
        config.platform.toy = Some(Section { region, ..Section::default() });
        Ok(config)
    }

    fn cloud(&self) -> Option<&'static dyn landfall_platform::cloud::Cloud> {
        Some(&cloud::CLOUD)
    }

    fn offline_facts(&self, offline: &Offline<'_>, _: &mut Findings) -> Facts {
        let section = offline.config.platform.toy.as_ref();
        Facts { toy: section.map(|toy| plan::known(toy, &offline.catalogue.toy)), ..Facts::default() }
    }

    fn plan(&self, case: &landfall_model::plan::Case<'_>, out: &mut Findings) -> Option<Platforms> {
        plan::plan(case, out)
    }

    fn outline(&self, plan: &Plan) -> Outline {
        resources::outline(plan)
    }

    fn assets(&self, plan: &Plan, _: &Extras<'_>) -> Option<PlatformAssets> {
        render::assets(plan)
    }

    fn unset(&self, _: &Plan) -> Option<Unset> {
        Some(Unset {
            top: json!({}),
            platform: json!({}),
            pool: json!({ "type": "" }),
            within_pool: json!({}),
        })
    }

    fn engine_fault(&self, _: &InstallConfig, _: &Catalogue, engine: Engine) -> Option<Box<Finding>> {
        (engine != Engine::Native).then(|| Box::new(rules::native_alone()))
    }

    fn stages(&self) -> &'static [Stage] {
        STAGES
    }

    fn resources(&self, plan: &Plan, _: &Catalogue) -> Result<Option<Graph>, Vec<Finding>> {
        Ok(resources::graph(plan))
    }
}
