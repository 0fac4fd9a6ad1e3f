//! Every code that landfall gives to a finding, whichever room found it.

use crate::finding::Page;
use crate::{cloudconf, destroy, engine, prepare, verdict, wait};

/// The pages of all codes, sorted by code.
#[must_use]
pub fn pages() -> Vec<&'static Page> {
    let mut all = verdict::pages();
    all.extend(engine::terraform::pages::ALL);
    all.extend(wait::pages::ALL);
    all.extend(cloudconf::pages::ALL);
    all.extend(destroy::pages::PAGES);
    all.extend(prepare::target::pages::ALL);
    all.sort_by_key(|page| page.code);
    all
}
