//! What of a cluster directory goes into the archive.
#![allow(clippy::disallowed_methods, reason = "this edge reads the files of a cluster directory")]

use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use landfall_install_config::verdict::{Strictness, judge};
use landfall_model::config::InstallConfig;
use walkdir::WalkDir;

use super::{Cleaner, Gathered, Piece, state};
use crate::prepare::{Basis, BasisOptions, Environment, FactsFrom, Options, Refusal};
use crate::workdir::logs;
use crate::{prepare, ui};

const CONFIG: &str = "install-config.yaml";
const FACTS: &str = "facts.json";
const METADATA: &str = "metadata.json";
const RECORDS: &str = ".landfall";
/// What makes a directory one of a cluster.
const OF_CLUSTER: &[&str] = &[CONFIG, METADATA, RECORDS];

/// Files that are taken as they are, but for secrets, with what they are.
const TAKEN: &[(&str, &str)] = &[
    (".landfall/steps.jsonl", "journal of steps"),
    (".landfall/journal.json", "checksums of written files"),
    (".landfall/ignition.json", "checksums of ignition files"),
    (METADATA, "input of destroy"),
    (FACTS, "facts of the cloud"),
    ("catalogue.yaml", "catalogue overlay"),
    ("catalogue.json", "catalogue overlay"),
    ("cloud-profile.yaml", "cloud profile"),
    ("cloud-profile.json", "cloud profile"),
];
/// Folders of which every file is taken.
const FOLDERS: &[(&str, &str)] =
    &[(".landfall/log", "output of an engine"), (".landfall/destroyed", "record of a destroyed cluster")];
/// Folders that are not listed file by file.
const UNLISTED: &[&str] = &[".terraform", ".git"];
/// The most that is taken of a file: its end.
const MOST_BYTES: u64 = 4 << 20;
/// The most files that are listed.
const MOST_FILES: usize = 5000;

/// Whether there is anything of a cluster in a directory.
#[must_use]
pub fn is_of_cluster(root: &Path) -> bool {
    OF_CLUSTER.iter().any(|name| root.join(name).exists())
}

/// Everything on this machine that support needs.
#[must_use]
pub fn gather(root: &Path) -> (Gathered, Cleaner) {
    let config = read(&root.join(CONFIG));
    let verdict = config.as_deref().map(|text| judge(text.as_bytes(), Strictness::default()));
    let known = verdict.as_ref().and_then(|verdict| verdict.config.as_ref());
    let cleaner = Cleaner::of(root, known);
    let mut all = Gathered::default();
    all.pieces.push(Piece::new("about.txt", "program and machine", &about(), &cleaner));
    all.pieces.push(Piece::new("files.txt", "files of the directory", &listing(root), &cleaner));
    let kept = logs(root);
    if kept.is_empty() {
        all.miss("landfall/landfall.log", "no command has written a log");
    }
    for path in kept {
        take(root, &path, "log of landfall", &cleaner, &mut all);
    }
    for (name, what) in TAKEN {
        let path = root.join(name);
        if path.exists() {
            take(root, &path, what, &cleaner, &mut all);
        } else if [METADATA, FACTS].contains(name) {
            all.miss(*name, "there is none");
        }
    }
    match (&config, &verdict) {
        (Some(text), Some(verdict)) => {
            let masked = verdict.mask.apply(text, text.len()).text;
            all.pieces.push(Piece::new(CONFIG, "install config", &masked, &cleaner));
        }
        _ => all.miss(CONFIG, "it cannot be read"),
    }
    match plan(root, known) {
        Ok(text) => all.pieces.push(Piece::new("plan.json", "plan of these files", &text, &cleaner)),
        Err(why) => all.miss("plan.json", why),
    }
    let mut found: Vec<(PathBuf, &str)> = Vec::new();
    for (folder, what) in FOLDERS {
        found.extend(files(&root.join(folder), 1).map(|path| (path, *what)));
    }
    for (path, what) in found {
        take(root, &path, what, &cleaner, &mut all);
    }
    for path in states(root) {
        let name = relative(root, &path);
        match read(&path).and_then(|text| state::masked(&text)) {
            Some(text) => all.pieces.push(Piece::new(name, "state of terraform", &text, &cleaner)),
            None => all.miss(name, "it is not a state that can be read"),
        }
    }
    (all, cleaner)
}

/// The states of terraform, by path.
pub(super) fn states(root: &Path) -> Vec<PathBuf> {
    let is_state = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name == "terraform.tfstate" || name == "errored.tfstate"
    };
    files(&root.join("terraform"), 2).filter(is_state).collect()
}

/// The files in a folder, by path; no links.
fn files(folder: &Path, depth: usize) -> impl Iterator<Item = PathBuf> {
    let found = WalkDir::new(folder).max_depth(depth).sort_by_file_name().into_iter().flatten();
    found.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path)
}

/// The text of a file, or its end where it is long; none where it is not a file or cannot be read.
pub(super) fn read(path: &Path) -> Option<String> {
    let mut file = fs::File::open(path).ok()?;
    let about = file.metadata().ok().filter(fs::Metadata::is_file)?;
    // A state that is cut off is not one any more.
    let is_long = about.len() > MOST_BYTES && path.extension().is_none_or(|end| end != "tfstate");
    let mut bytes = Vec::new();
    if is_long {
        file.seek(SeekFrom::Start(about.len() - MOST_BYTES)).ok()?;
    }
    file.read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    if !is_long {
        return Some(text.into_owned());
    }
    // The first line is cut off.
    let whole = text.split_once('\n').map_or("", |(_, rest)| rest);
    Some(format!("[only the last {} MiB]\n{whole}", MOST_BYTES >> 20))
}

fn take(root: &Path, path: &Path, what: &'static str, cleaner: &Cleaner, all: &mut Gathered) {
    let name = archived(root, path);
    match read(path) {
        Some(text) => all.pieces.push(Piece::new(name, what, &text, cleaner)),
        None => all.miss(name, "it cannot be read"),
    }
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).display().to_string()
}

/// The path in the archive, in which no folder is hidden.
fn archived(root: &Path, path: &Path) -> String {
    let name = relative(root, path);
    name.strip_prefix('.').map(str::to_owned).unwrap_or(name)
}

/// The program and the machine.
fn about() -> String {
    let (version, time) = (env!("CARGO_PKG_VERSION"), prepare::now());
    format!("landfall {version}\ngathered {time}\n{} {}\n", std::env::consts::OS, std::env::consts::ARCH)
}

/// Every file of the directory with its mode and size, as `ls` would list it.
fn listing(root: &Path) -> String {
    let mut text = String::new();
    let entries = WalkDir::new(root).sort_by_file_name().into_iter().filter_entry(|entry| {
        entry.depth() == 0 || !UNLISTED.contains(&entry.file_name().to_string_lossy().as_ref())
    });
    let mut entries = entries.flatten().filter(|entry| !entry.file_type().is_dir());
    for entry in entries.by_ref().take(MOST_FILES) {
        let Ok(about) = entry.metadata() else { continue };
        let mode = about.permissions().mode() & 0o7777;
        let name = ui::printable(&relative(root, entry.path()));
        let _ = writeln!(text, "{mode:04o} {:>10} {name}", about.len());
    }
    if entries.next().is_some() {
        text.push_str("and more\n");
    }
    text
}

/// The plan that the files give, or why there is none. No cloud is asked.
fn plan(root: &Path, config: Option<&InstallConfig>) -> Result<String, String> {
    if config.is_none() {
        return Err("the install config cannot be read".to_owned());
    }
    let facts = root.join(FACTS);
    if !facts.exists() {
        return Err(format!("there is no {FACTS}"));
    }
    let refused = |refusal: Refusal| match refusal {
        Refusal::Invalid(said)
        | Refusal::Usage(said)
        | Refusal::Unfit(said)
        | Refusal::NoFacts(said)
        | Refusal::Outside(said) => {
            let codes: Vec<&str> =
                said.findings.iter().filter(|one| one.is_error()).map(|one| one.code.as_str()).collect();
            format!("the config is refused: {}", codes.join(", "))
        }
        Refusal::Failed(fault) => fault.to_string(),
    };
    let wanted = BasisOptions { own_profile: true, own_release: true, ..BasisOptions::default() };
    let basis = Basis::new(&wanted, root).map_err(refused)?;
    let examined = prepare::examine(root, &basis, Strictness::default()).map_err(refused)?;
    let options = Options::reading(FactsFrom::File(facts));
    let outlook = prepare::outlook(root, &basis, &examined, &options, Environment).map_err(refused)?;
    serde_json::to_string_pretty(&outlook.plan).map_err(|fault| fault.to_string())
}
