//! What a platform is to the rest: the traits that a cloud implements, to judge, plan, render, ask, remove and survey.
//!
//! It knows no cloud by name. A crate for one implements [`Platform`], and `install-config` has the list of all.
//!
//! ```
//! use std::collections::BTreeMap;
//! use landfall_platform::native::{Properties, output, resolve};
//! use serde_json::json;
//!
//! // A subnet needs the id of its VPC, which is known once the VPC exists.
//! let subnet = json!({ "vpc": output("vpc/new", "id"), "cidr": "10.0.0.0/19" });
//! let mut outputs = BTreeMap::new();
//! assert_eq!(resolve(&subnet, &outputs), None);
//! let vpc = Properties::from_iter([("id".to_owned(), json!("vpc-1"))]);
//! outputs.insert("vpc/new".to_owned(), vpc);
//! assert_eq!(resolve(&subnet, &outputs), Some(json!({ "vpc": "vpc-1", "cidr": "10.0.0.0/19" })));
//! ```

#![forbid(unsafe_code)]

pub mod cloud;
pub mod native;
pub mod pages;
pub mod removal;
pub mod survey;
pub mod untracked;

use landfall_diagnostics::{Finding, Findings};
use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::outline::Outline;
use landfall_model::plan::{self, Plan, Platforms, Since};
use landfall_model::prices::Charges;
use landfall_render::{Credentials, Extras, PlatformAssets, Unset};
use landfall_rules::{Case, Gated, Placement, Traits};
use serde_json::{Map, Value};

/// Where a platform finds the user's credentials. The edge hands the real one in.
pub trait World {
    /// The value of an environment variable; none when it is not set or empty.
    fn variable(&self, name: &str) -> Option<String>;

    /// The bytes of a file; `~/` at the start of the path is the user's home.
    fn file(&self, path: &str) -> Option<Vec<u8>>;

    /// The profile whose credentials are to be used, whatever the environment has; none where the user names
    /// none.
    fn profile(&self) -> Option<String> {
        None
    }
}

/// What facts are made of where no cloud is asked.
#[derive(Clone, Copy, Debug)]
pub struct Offline<'a> {
    /// The completed config.
    pub config: &'a InstallConfig,
    /// What is known of all clouds.
    pub catalogue: &'a Catalogue,
    /// The OpenShift release.
    pub release: &'a str,
    /// The user's credentials, perhaps none.
    pub credentials: &'a Credentials,
}

/// Layouts of resources between which no release of an existing cluster can change: resources would be replaced, or exist
/// beside others.
#[derive(Debug)]
pub struct Layouts {
    /// What the newer one came with.
    pub since: Since,
    /// By what the older one is known.
    pub older: LayoutMarks,
    /// The same of the newer one.
    pub newer: LayoutMarks,
}

/// Resources that one layout has and the other has not.
#[derive(Clone, Copy, Debug)]
pub struct LayoutMarks {
    /// Their addresses in a state of Terraform.
    pub addresses: &'static [&'static str],
    /// One of them in the graph of the native engine.
    pub name: &'static str,
}

/// One platform's part in judging an install config.
pub trait Platform: Sync {
    /// The key under `platform`.
    fn name(&self) -> &'static str;

    /// Brings older forms of the platform's fields up to date (`docs/install-config.md`, section 5).
    ///
    /// # Errors
    /// A finding that ends the work: forms which exclude each other.
    fn upconvert(&self, _: &mut InstallConfig) -> Result<(), Box<Finding>> {
        Ok(())
    }

    /// Fills the platform's own fields and those of its machine pools (section 6).
    fn defaults(&self, _: &mut InstallConfig, _: &Catalogue) {}

    /// What the platform-neutral rules need to know.
    fn traits(&self, config: &InstallConfig, catalogue: &Catalogue) -> Traits;

    /// Judges the platform's own section, active or not.
    fn check_platform(&self, _: &Case<'_>, _: &mut Findings) {}

    /// Judges the sections of the machine pools; the platform is the active one.
    fn check_pools(&self, _: &Case<'_>, _: &mut Findings) {}

    /// The uses of fields behind a feature gate; the platform is the active one.
    fn gated(&self, _: &InstallConfig, _: &Catalogue) -> Vec<Gated> {
        Vec::new()
    }

    /// Where the config puts its cluster; nowhere on platforms without regions.
    fn placement(&self, _: &InstallConfig) -> Placement {
        Placement::default()
    }

    /// The account or subscription that facts were gathered in; none where they do not say.
    fn account(&self, _: &Facts) -> Option<String> {
        None
    }

    /// The two layouts of resources, one of which a release has; none where all releases have the same.
    fn layouts(&self) -> Option<&'static Layouts> {
        None
    }

    /// Whether the files of a user can have several profiles with credentials.
    fn has_profiles(&self) -> bool {
        false
    }

    /// The known regions of the cloud that has a region, sorted by their ids.
    fn regions_beside(&self, catalogue: &Catalogue, release: &str, _: &str) -> Vec<String> {
        catalogue.known_regions(self.name(), release).iter().map(|known| known.id.to_owned()).collect()
    }

    /// Whether somebody who wrote a region that is not known may have meant a known one; not where that would lead into
    /// another cloud of the platform.
    fn may_mean(&self, _: &Catalogue, _written: &str, _known: &str) -> bool {
        true
    }

    /// What the platform calls an account.
    fn account_noun(&self) -> &'static str {
        "account"
    }

    /// The cluster that the command line names, as its metadata would.
    fn target_of(&self, given: &removal::GivenTarget) -> removal::Target {
        removal::Target { infra_id: given.infra_id.clone(), ..removal::Target::default() }
    }

    /// The config that asking the cloud of a cluster needs, made of what is known of the cluster alone.
    ///
    /// # Errors
    /// A finding: something that is needed is not said, or cannot be read.
    fn config_of(&self, target: &removal::Target) -> Result<InstallConfig, Box<Finding>> {
        Err(Box::new(pages::no_removal(self.name(), &target.infra_id)))
    }

    /// The edge that asks the platform's cloud; none for platforms without one, and in a build that leaves it
    /// out.
    fn cloud(&self) -> Option<&'static dyn cloud::Cloud> {
        None
    }

    /// The platform's part in asking a user for a new config; none where the wizard writes none.
    fn survey(&self) -> Option<&'static dyn survey::Survey> {
        None
    }

    /// The credentials that the environment and files of this user give; none for platforms without any.
    fn credentials(&self, _: &dyn World) -> Credentials {
        Credentials::new()
    }

    /// The permissions that installing a config takes, as a policy of the platform's cloud; none where
    /// landfall knows none.
    fn policy(&self, _: &Offline<'_>) -> Option<Value> {
        None
    }

    /// The facts that the catalogue alone gives. What is only assumed, or cannot be known so, is said in
    /// warnings; what makes planning impossible is left to planning.
    fn offline_facts(&self, _: &Offline<'_>, _: &mut Findings) -> Facts {
        Facts::default()
    }

    /// Whether machines have data disks that `diskSetup` can be about.
    fn has_data_disks(&self) -> bool {
        false
    }

    /// Adds to the completed config of a case, and to the given one, what follows from the facts alone, such as a pool
    /// for subnets of a special kind.
    fn add_found(&self, _: &plan::Case<'_>, _: &mut InstallConfig, _: &mut InstallConfig) {}

    /// Decides everything that the platform has to decide. None, with the reasons as errors in `out`,
    /// where that cannot be done; none without errors where landfall makes no assets for the platform.
    fn plan(&self, _: &plan::Case<'_>, _: &mut Findings) -> Option<Platforms> {
        None
    }

    /// Compares the user's credentials with those that a plan was made with; what does not fit is a warning.
    fn check_credentials(&self, _: &Plan, _: &Credentials, _: &mut Findings) {}

    /// What the stages make of a plan, what of the user's own gets a mark, and what the cluster makes later;
    /// nothing for a plan of another platform, and where landfall has no modules.
    fn outline(&self, _: &Plan) -> Outline {
        Outline::default()
    }

    /// What of a plan the platform's cloud charges for; nothing for a plan of another platform, and where
    /// landfall creates no infrastructure.
    fn charges(&self, _: &Plan) -> Charges {
        Charges::default()
    }

    /// What the platform adds to the files of a cluster; none for a plan of another platform.
    fn assets(&self, _: &Plan, _: &Extras<'_>) -> Option<PlatformAssets> {
        None
    }

    /// How unset fields stand in the cluster's copy of the install config; none without assets.
    fn unset(&self, _: &Plan) -> Option<Unset> {
        None
    }

    /// Why an engine cannot create clusters where the config wants one; none where it can.
    fn engine_fault(&self, _: &InstallConfig, _: &Catalogue, engine: plan::Engine) -> Option<Box<Finding>> {
        (engine == plan::Engine::Native).then(|| Box::new(pages::not_native(self.name())))
    }

    /// Whether landfall has modules for a plan's cloud, where it has any for the platform.
    fn has_modules(&self, _: &Plan) -> bool {
        true
    }

    /// The stages of terraform, in the order in which they are applied; none where landfall has no modules.
    fn stages(&self) -> &'static [plan::Stage] {
        &[]
    }

    /// What the stages make, so that what terraform has lost track of can be found and imported; nothing
    /// where landfall does not look for that.
    fn modules(&self) -> untracked::Modules {
        untracked::Modules::default()
    }

    /// The infrastructure of a plan as a graph of resources, for the engine that creates them itself; none
    /// for a plan of another platform, and where that engine creates no clusters on the platform. The catalogue is
    /// that of the plan.
    ///
    /// # Errors
    /// Findings: settings of the plan that the engine cannot create.
    fn resources(&self, _: &Plan, _: &Catalogue) -> Result<Option<native::Graph>, Vec<Finding>> {
        Ok(None)
    }

    /// What the machines of a plan start from beside the objects of Azure Service Operator, which has no kinds for that;
    /// none where the platform knows no such operator. The catalogue is that of the plan.
    ///
    /// # Errors
    /// Findings: what of the plan prevents it.
    fn boot_sources(&self, _: &Plan, _: &Catalogue) -> Result<Option<native::BootSources>, Vec<Finding>> {
        Ok(None)
    }

    /// The bootstrap machine's Ignition config with what is known only after the stages before its own; none where
    /// nothing is to be added. `variables` has the variables of terraform and the outputs of those stages.
    fn completed_ignition(&self, _ignition: &str, _variables: &Map<String, Value>) -> Option<String> {
        None
    }

    /// The platform's settings that not every release has.
    fn introduced(&self) -> &'static [plan::Introduced] {
        &[]
    }

    /// JSON pointers to the fields of a machine's `spec.providerSpec.value` that name infrastructure of the
    /// plan.
    fn machine_references(&self) -> &'static [&'static str] {
        &[]
    }

    /// The older fields whose value upconversion has moved to a newer one, as JSON pointers.
    fn superseded(&self) -> &'static [&'static str] {
        &[]
    }

    /// Field paths and the older ones that may hold the value instead.
    fn older_paths(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
}
