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
/// The folder of a platform with files for other releases of its provider, a folder for each.
const ALTERNATIVES: &str = "alternatives";

/// The module of one stage of a platform as a single file.
#[must_use]
pub fn joined(platform: &str, stage: &Stage) -> File {
    join(self::stage(platform, stage), stage)
}

fn join(files: Vec<File>, stage: &Stage) -> File {
    let mut text = String::new();
    for file in files {
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

/// The files of one stage of a platform for other releases of its provider, which take other arguments. Each names
/// the releases that it is for, as [`stage`] does.
#[must_use]
pub fn alternatives(platform: &str, stage: &Stage) -> Vec<Vec<File>> {
    let Some(folders) = MODULES.get_dir(format!("{platform}/{ALTERNATIVES}")) else { return Vec::new() };
    let other = |folder: &Dir<'static>| {
        let mut files = self::stage(platform, stage);
        let of_stage = MODULES.get_dir(folder.path().join(stage.name));
        for file in folder.files().chain(of_stage.into_iter().flat_map(Dir::files)) {
            let name = file.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let end = format!("/{name}");
            if let Some(known) = files.iter_mut().find(|known| known.path.ends_with(&end)) {
                *known = File::open(known.path.clone(), file.contents());
            }
        }
        files
    };
    folders.dirs().map(other).collect()
}

/// The modules of [`alternatives`] as single files.
#[must_use]
pub fn joined_alternatives(platform: &str, stage: &Stage) -> Vec<File> {
    alternatives(platform, stage).into_iter().map(|files| join(files, stage)).collect()
}
