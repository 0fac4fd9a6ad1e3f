//! Files with the user's own changes to single objects.

use std::path::Path;

use landfall_engine_aso::translate::pages;
use landfall_engine_aso::translate::patches::Patch;

use super::settings::{text, unreadable};
use crate::prepare::Refusal;

/// The patches of a file. What is wrong with it is said without its content.
///
/// # Errors
/// It cannot be read, or it is no list of patches.
pub fn read(path: &Path) -> Result<Vec<Patch>, Refusal> {
    let why = "it is not a list of maps with kind, name and patch, each a string";
    serde_saphyr::from_str(&text(path)?).map_err(|_| unreadable(path, pages::settings(why)))
}
