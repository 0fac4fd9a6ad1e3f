//! The terraform modules, which are part of the program: `templates/terraform`.
//!
//! A stage is made of the files that all platforms share, those of its platform and its own. In a cluster
//! directory it is one file: a cluster has a few dozen files as it is, and a fleet thousands.

use include_dir::{Dir, include_dir};
use landfall_model::plan::Stage;

use super::File;

static MODULES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../templates/terraform");

/// The folder with what all platforms share.
const SHARED: &str = "common";

/// The module of one stage of a platform as a single file.
#[must_use]
pub fn joined(platform: &str, stage: &Stage) -> File {
    let mut text = String::new();
    for file in self::stage(platform, stage) {
        let name = file.path.rsplit('/').next().unwrap_or_default();
        text.extend(["# ", name, "\n\n", &String::from_utf8_lossy(&file.bytes), "\n"]);
    }
    // Every file ends its last line.
    text.pop();
    File::open(format!("terraform/{}/main.tf", stage.name), text)
}

/// The source files of one stage of a platform.
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
