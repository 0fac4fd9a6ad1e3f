//! Every code that landfall gives to a finding, whichever room found it.

use crate::finding::Page;
use crate::{cloudconf, destroy, engine, prepare, profile, verdict, wait};

/// The pages of all codes, sorted by code.
#[must_use]
pub fn pages() -> Vec<&'static Page> {
    let mut all = verdict::pages();
    all.extend(engine::terraform::pages::ALL);
    all.extend(engine::aso::translate::pages::PAGES);
    all.extend(engine::aso::detect::pages::PAGES);
    all.extend(engine::aso::drive::pages::PAGES);
    all.extend(wait::pages::ALL);
    all.extend(cloudconf::pages::ALL);
    all.extend(profile::check::pages::PAGES);
    all.extend(destroy::pages::PAGES);
    all.extend(prepare::target::pages::ALL);
    all.sort_by_key(|page| page.code);
    all
}
