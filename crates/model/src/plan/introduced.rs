//! Which release has which setting: tables of the rules and of planning.

use landfall_diagnostics::Findings;

use super::pages;
use crate::config::InstallConfig;

/// A setting of install configs that not every release has.
#[derive(Clone, Copy, Debug)]
pub struct Introduced {
    /// The first release that has it, as major and minor version.
    pub since: [u64; 2],
    /// The feature gate that it is behind; none for a setting that needs none.
    pub gate: Option<&'static str>,
    /// The field by which a config uses it; none where it does not.
    pub used: Used,
}

/// The field by which a config uses a setting.
pub type Used = fn(&InstallConfig) -> Option<String>;

impl Introduced {
    /// A setting with the first release that has it, its feature gate, and the field by which a config uses it.
    #[must_use]
    pub const fn new(since: [u64; 2], gate: Option<&'static str>, used: Used) -> Self {
        Self { since, gate, used }
    }
}

/// Refuses settings that the release does not have: its installer would refuse them, and its cluster does not know
/// what is made of them.
pub fn check_introduced(table: &[Introduced], config: &InstallConfig, release: [u64; 2], out: &mut Findings) {
    for setting in table.iter().filter(|setting| release < setting.since) {
        if let Some(field) = (setting.used)(config) {
            out.push(pages::not_in_release(&field, setting.since, release));
        }
    }
}
