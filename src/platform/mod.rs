//! What a platform is to the rest: a trait, and the one list of those there are.
//!
//! The pure half of a platform (`config`, `defaults`, `rules`) computes; whatever calls a cloud will
//! live beside it and is not reached from here. The list itself is `supported!` in [`sections`].

pub mod aws;
pub mod azure;
pub mod external;
pub mod none;
pub mod sections;

use crate::config::InstallConfig;
use crate::finding::{Finding, Findings, Page};
use crate::rules::{Case, Gated, Traits};

/// One platform's part in judging an install config.
pub trait Platform: Sync {
    /// The key under `platform`.
    fn name(&self) -> &'static str;

    /// Brings older forms of the platform's fields up to date (`docs/install-config.md`, section 5).
    ///
    /// # Errors
    /// A finding that ends the work: forms which exclude each other.
    fn upconvert(&self, config: &mut InstallConfig) -> Result<(), Box<Finding>>;

    /// Fills the platform's own fields and those of its machine pools (section 6).
    fn defaults(&self, config: &mut InstallConfig);

    /// What the platform-neutral rules need to know.
    fn traits(&self, config: &InstallConfig) -> Traits;

    /// Judges the platform's own section, active or not.
    fn check_platform(&self, case: &Case<'_>, out: &mut Findings);

    /// Judges the sections of the machine pools; the platform is the active one.
    fn check_pools(&self, case: &Case<'_>, out: &mut Findings);

    /// The uses of fields behind a feature gate; the platform is the active one.
    fn gated(&self, config: &InstallConfig) -> Vec<Gated>;

    /// The pages of the platform's codes.
    fn pages(&self) -> &'static [&'static Page];

    /// The older fields whose value upconversion has moved to a newer one, as JSON pointers.
    fn superseded(&self) -> &'static [&'static str] {
        &[]
    }

    /// Field paths and the older ones that may hold the value instead.
    fn older_paths(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }
}

macro_rules! list {
    (pools: [$($pool:ident),*], plain: [$($plain:ident),*]) => {
        /// Every supported platform, in the order in which the first one present becomes active.
        pub const PLATFORMS: &[&dyn Platform] = &[$(&$pool::PLATFORM,)* $(&$plain::PLATFORM,)*];
    };
}

sections::supported! { list }

/// The platform of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static dyn Platform> {
    PLATFORMS.iter().copied().find(|platform| platform.name() == name)
}
