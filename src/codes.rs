//! Every code that landfall gives to a finding, whichever crate found it.

use landfall_diagnostics::Page;

use crate::{prepare, wait};

/// The pages of all codes, sorted by code.
#[must_use]
pub fn pages() -> Vec<&'static Page> {
    let mut all = landfall_install_config::verdict::pages();
    all.extend(landfall_engine_terraform::pages::ALL);
    all.extend(landfall_engine_aso::translate::pages::PAGES);
    all.extend(landfall_engine_aso::detect::pages::PAGES);
    all.extend(landfall_engine_aso::drive::pages::PAGES);
    all.extend(wait::pages::ALL);
    all.extend(landfall_cloud_config::pages::ALL);
    all.extend(landfall_cloud_profile::check::pages::PAGES);
    all.extend(landfall_destroy::pages::PAGES);
    all.extend(prepare::target::pages::ALL);
    all.sort_by_key(|page| page.code);
    all
}
