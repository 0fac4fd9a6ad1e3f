//! A machine with no other program: the root folder has landfall, the libraries that it is linked with, and the files of
//! the cluster.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::listing::Listing;

const LANDFALL: &str = env!("CARGO_BIN_EXE_landfall");

/// Copies a file to the same path below a root.
fn bring(root: &Path, file: &Path) {
    let target = root.join(file.strip_prefix("/").unwrap());
    std::fs::create_dir_all(target.parent().unwrap()).unwrap();
    // The path may be a link.
    let file = file.canonicalize().unwrap();
    std::fs::hard_link(&file, &target).or_else(|_| std::fs::copy(&file, &target).map(drop)).unwrap();
}

/// The libraries that a program is linked with, and what loads them.
fn libraries(program: &str) -> Vec<PathBuf> {
    let listed = Command::new("ldd").arg(program).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    listed.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from).collect()
}

#[test]
#[ignore = "needs moto"]
fn no_other_program_is_needed() {
    let installation = super::installation();
    let before = Listing::of(installation.cloud());
    let root = tempfile::tempdir().unwrap();
    bring(root.path(), Path::new(LANDFALL));
    for file in libraries(LANDFALL).into_iter().chain(installation.files()) {
        bring(root.path(), &file);
    }
    let programs = walkdir::WalkDir::new(root.path()).into_iter().map(Result::unwrap);
    let programs = programs.filter(|entry| entry.path().ancestors().any(|path| path.ends_with("bin")));
    assert_eq!(programs.count(), 0, "there are programs");

    let said = installation.alone(root.path(), &installation.native_command()).ends(0).json();
    assert_eq!(said["outcome"], "done", "{said}");
    let made = Listing::of(installation.cloud()).since(&before);
    assert!(made.each().count() > 50, "{:?}", made.counts());
    let said = installation.alone(root.path(), &["destroy", "cluster", "--yes"]).ends(0).json();
    assert_eq!(said["outcome"], "gone", "{said}");
    Listing::of(installation.cloud()).is_as(&before);
}
