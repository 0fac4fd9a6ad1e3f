//! The terraform modules, which are part of the program: `templates/terraform`.
//!
//! A stage is a folder with the files that all platforms share, those of its platform and its own.

use include_dir::{Dir, include_dir};

use super::File;
use crate::plan::Stage;

static MODULES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/templates/terraform");

/// The folder with what all platforms share.
const SHARED: &str = "common";

/// The files of one stage of a platform.
#[must_use]
pub fn stage(platform: &str, stage: &Stage) -> Vec<File> {
    let folders = [SHARED.to_owned(), platform.to_owned(), format!("{platform}/{}", stage.name)];
    let found = folders.iter().filter_map(|folder| MODULES.get_dir(folder)).flat_map(Dir::files);
    found
        .filter_map(|file| {
            let name = file.path().file_name()?.to_str()?;
            Some(File::open(format!("terraform/{}/{name}", stage.name), file.contents()))
        })
        .collect()
}
