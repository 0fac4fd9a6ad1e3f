//! The book in `docs`: its links lead somewhere, its commands exist, and those that need no cloud run.

mod reference;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use clap::error::ErrorKind;

/// The most lines of a page, and of the README.
const MOST: usize = 200;
const MOST_OF_README: usize = 120;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every document that people read, with its path from the root and its text.
fn documents() -> Vec<(String, String)> {
    let mut paths = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned(), "deploy/README.md".to_owned()];
    for entry in walkdir::WalkDir::new(root().join("docs")).sort_by_file_name() {
        let entry = entry.unwrap();
        if entry.path().extension().is_some_and(|extension| extension == "md") {
            paths.push(entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
    let read = |path: String| {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

/// The pages of the book that people write, without the finding codes.
fn pages() -> Vec<(String, String)> {
    documents().into_iter().filter(|(path, _)| path.starts_with("docs/") && !is_code(path)).collect()
}

fn is_code(path: &str) -> bool {
    path.starts_with("docs/codes/")
}

/// A fenced block: what stands behind the fence, and the lines in it.
struct Block<'t> {
    info: &'t str,
    text: String,
    line: usize,
}

/// The fenced blocks of a page, and its other lines with their numbers.
fn split(text: &str) -> (Vec<Block<'_>>, Vec<(usize, &str)>) {
    let (mut blocks, mut prose) = (Vec::new(), Vec::new());
    let mut open: Option<Block<'_>> = None;
    for (index, line) in text.lines().enumerate() {
        match (&mut open, line.trim_start().strip_prefix("```")) {
            (None, Some(info)) => open = Some(Block { info, text: String::new(), line: index + 1 }),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some(block), None) => {
                block.text.push_str(line);
                block.text.push('\n');
            }
            (None, None) => prose.push((index + 1, line)),
        }
    }
    assert!(open.is_none(), "a fence is left open in:\n{text}");
    (blocks, prose)
}

/// A line without what stands in backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("` `")
}

/// The anchor of a heading, as GitHub and mdBook write it.
fn anchor(heading: &str) -> String {
    let kept = |c: char| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    heading.trim().chars().filter_map(kept).collect()
}

fn anchors(text: &str) -> BTreeSet<String> {
    let (_, prose) = split(text);
    let heading = |(_, line): &(usize, &str)| {
        let name = line.trim_start_matches('#');
        (name.len() < line.len() && name.starts_with(' ')).then(|| anchor(name))
    };
    prose.iter().filter_map(heading).collect()
}

/// A path without `..` in it.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => assert!(normal.pop(), "{} leads out", path.display()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// The targets of the links and pictures of a line.
fn targets(line: &str) -> Vec<String> {
    let line = without_code(line);
    line.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())).collect()
}

#[test]
fn links_lead_somewhere() {
    let documents = documents();
    let mut wrong = Vec::new();
    for (path, text) in &documents {
        for (number, line) in split(text).1 {
            for target in targets(line) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let (file, fragment) = target.split_once('#').unwrap_or((&target, ""));
                let folder = Path::new(path).parent().unwrap();
                let file = if file.is_empty() { PathBuf::from(path) } else { normal(&folder.join(file)) };
                if !root().join(&file).exists() {
                    wrong.push(format!("{path}:{number}: {target}: no such file"));
                } else if !fragment.is_empty() {
                    let text = fs::read_to_string(root().join(&file)).unwrap();
                    if !anchors(&text).contains(fragment) {
                        wrong.push(format!("{path}:{number}: {target}: no such heading"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_summary_once() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let mut listed: Vec<String> = summary
        .lines()
        .flat_map(targets)
        .filter(|target| !target.is_empty())
        .map(|target| format!("docs/{target}"))
        .collect();
    let count = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), count, "a page is listed twice");
    let mut there: Vec<String> = pages().into_iter().map(|(path, _)| path).collect();
    there.retain(|path| path != "docs/SUMMARY.md");
    there.sort();
    assert_eq!(listed, there);
}

#[test]
fn pages_are_short() {
    for (path, text) in pages() {
        let lines = text.lines().count();
        assert!(lines <= MOST, "{path} has {lines} lines");
    }
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.lines().count() <= MOST_OF_README, "README.md has {} lines", readme.lines().count());
}

#[test]
fn pictures_are_small() {
    for entry in walkdir::WalkDir::new(root().join("docs/pictures")) {
        let entry = entry.unwrap();
        let size = entry.metadata().unwrap().len();
        assert!(size < 60_000 || entry.file_type().is_dir(), "{}: {size} bytes", entry.path().display());
    }
}

/// The commands of a block of shell, one a line: continued lines are joined.
fn commands(block: &Block<'_>) -> Vec<String> {
    block
        .text
        .replace("\\\n", " ")
        .lines()
        .map(|line| line.trim().trim_start_matches("$ ").to_owned())
        .collect()
}

/// The words of a command up to what the shell does with its output.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for c in command.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, '|' | '>' | '<' | ';' | '&' | '#' | ')') => break,
            (None, ' ') => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            (_, c) => word.push(c),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[test]
fn commands_of_the_documents_exist() {
    let mut seen = 0;
    for (path, text) in documents().into_iter().filter(|(path, _)| !is_code(path)) {
        for block in split(&text).0 {
            if !["console", "console run", "sh", "yaml"].contains(&block.info) {
                continue;
            }
            for line in commands(&block) {
                let Some(at) = line.find("landfall ") else { continue };
                let line_start = line[..at].trim_end();
                let starts_command = line_start.is_empty()
                    || ["|", "run:", "&&", "$(", "<(", "if", "-"].iter().any(|end| line_start.ends_with(end))
                    || line_start.split(' ').all(|word| word.contains('='));
                if !starts_command || line.contains("...") {
                    continue;
                }
                seen += 1;
                let words = words(&line[at..]);
                let parsed = landfall::cli::command().try_get_matches_from(&words);
                let known = parsed.as_ref().err().is_none_or(|error| {
                    matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion)
                });
                assert!(known, "{path}:{}: {line}\n{}", block.line, parsed.unwrap_err());
            }
        }
    }
    assert!(seen > 100, "only {seen} commands were found");
}

/// The value of a key such as `file=` behind a fence.
fn key<'i>(info: &'i str, name: &str) -> Option<&'i str> {
    info.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='))
}

/// The variables that a block exports.
fn exports(block: &Block<'_>) -> Vec<(String, String)> {
    let lines = commands(block);
    let values = lines.iter().filter_map(|line| line.strip_prefix("export "));
    let pairs = values.flat_map(|values| values.split(' ')).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[test]
fn commands_that_need_no_cloud_run() {
    let program = Path::new(env!("CARGO_BIN_EXE_landfall"));
    let tools = std::env::var("PATH").unwrap();
    let path = format!("{}:{tools}", program.parent().unwrap().display());
    let mut runs = 0;
    for (page, text) in documents() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(root().join("testdata"), folder.path().join("testdata")).unwrap();
        // A block may use what an earlier block of its page exports, and nothing else.
        let mut exported: Vec<(String, String)> = Vec::new();
        for block in split(&text).0 {
            if let Some(name) = key(block.info, "file") {
                let file = folder.path().join(name);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, &block.text).unwrap();
            }
            if block.info.strip_prefix("console run").is_none() {
                continue;
            }
            let expected: i32 = key(block.info, "exit").map_or(0, |code| code.parse().unwrap());
            let output = Command::new("bash")
                .args(["-euo", "pipefail", "-c", &block.text])
                .current_dir(folder.path())
                .env_clear()
                .env("PATH", &path)
                .env("HOME", folder.path())
                .envs(exported.iter().cloned())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(expected), "{page}:{}:\n{}{said}", block.line, block.text);
            exported.extend(exports(&block));
            runs += 1;
        }
    }
    assert!(runs > 20, "only {runs} blocks were run");
}

#[test]
fn names_of_pages_in_the_code_are_right() {
    let mut wrong = Vec::new();
    for folder in ["src", "crates", "tests", "benches", "templates", "tools", "deploy"] {
        for entry in walkdir::WalkDir::new(root().join(folder)) {
            let entry = entry.unwrap();
            let Ok(text) = fs::read_to_string(entry.path()) else { continue };
            for rest in text.split("docs/").skip(1) {
                let name = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
                let end = rest.find(|c| !name(c)).unwrap_or(rest.len());
                if let Some(page) = rest[..end].strip_suffix(".md").or(rest[..end].strip_suffix(".md."))
                    && !page.starts_with("codes/")
                    && !root().join(format!("docs/{page}.md")).exists()
                {
                    wrong.push(format!("{}: docs/{page}.md", entry.path().display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
