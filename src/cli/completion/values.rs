//! The values that complete what is typed behind a flag or as an argument.

#![allow(clippy::disallowed_methods, reason = "folders are listed here, for what is typed")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

use clap::{Command, ValueEnum};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use landfall_model::catalogue::{self, Catalogue};
use landfall_model::config::schema::{FieldDoc, field};

use super::super::Output;
use crate::prepare::INSTALL_CONFIG;

/// Files that only a cluster directory has.
const OF_CLUSTERS: [&str; 3] = [INSTALL_CONFIG, "metadata.json", ".landfall"];

/// A command line whose arguments know their values. `words` is what is typed, of which some values depend.
pub(super) fn completed(command: Command, words: &[OsString]) -> Command {
    let formats = formats(&command, words);
    with_values(command, words, &formats)
}

/// The same for a command below, whose formats are known.
fn with_values(command: Command, words: &[OsString], formats: &[(&'static str, String)]) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|below| below.get_name().to_owned()).collect();
    let command = below.into_iter().fold(command, |command, below| {
        command.mut_subcommand(below, |below| with_values(below, words, formats))
    });
    let ids: Vec<String> = command.get_arguments().map(|argument| argument.get_id().to_string()).collect();
    let is_explain = command.get_name() == "explain";
    ids.into_iter().fold(command, |command, id| match (id.as_str(), is_explain) {
        ("region", _) => {
            let platform = value_of("--platform", words);
            add(command, id, move |typed| regions(platform.as_deref(), typed))
        }
        ("release", _) => add(command, id, releases),
        ("cloud_name", _) => add(command, id, clouds),
        ("accept", _) => add(command, id, codes),
        ("output", _) => {
            let formats = formats.to_vec();
            add(command, id, move |typed| begun(&formats, typed))
        }
        ("dir", _) => add(command, id, directories),
        ("subject", true) => add(command, id, subjects),
        _ => command,
    })
}

fn add(
    command: Command,
    id: String,
    values: impl Fn(&str) -> Vec<CompletionCandidate> + Send + Sync + 'static,
) -> Command {
    let completer =
        ArgValueCompleter::new(move |typed: &OsStr| typed.to_str().map(&values).unwrap_or_default());
    command.mut_arg(id, |argument| argument.add(completer))
}

/// The value of a flag among words.
fn value_of(flag: &str, words: &[OsString]) -> Option<String> {
    let words: Vec<&str> = words.iter().filter_map(|word| word.to_str()).collect();
    let after = words.iter().position(|word| *word == flag).and_then(|at| words.get(at + 1));
    let joined = || words.iter().find_map(|word| word.strip_prefix(flag)?.strip_prefix('='));
    after.copied().or_else(joined).map(str::to_owned)
}

/// A value with what it means, where that is known.
fn candidate(value: impl Into<OsString>, meaning: &str) -> CompletionCandidate {
    let help = Some(meaning).filter(|meaning| !meaning.is_empty());
    CompletionCandidate::new(value).help(help.map(|meaning| meaning.to_owned().into()))
}

/// The known regions of a platform, or of all.
fn regions(platform: Option<&str>, typed: &str) -> Vec<CompletionCandidate> {
    let catalogue = Catalogue::embedded();
    let release = catalogue.default_release().unwrap_or_default();
    let platforms = catalogue::PLATFORMS.iter().filter(|name| platform.is_none_or(|wanted| wanted == **name));
    let regions = platforms.flat_map(|name| catalogue.known_regions(name, release));
    let matching = regions.filter(|region| region.id.starts_with(typed));
    matching.map(|region| candidate(region.id, region.name)).collect()
}

fn releases(typed: &str) -> Vec<CompletionCandidate> {
    let names = Catalogue::embedded().releases.keys();
    names.filter(|name| name.starts_with(typed)).map(|name| candidate(name, "")).collect()
}

/// The formats of the command that is typed, of a command line that begins with `command`.
fn formats(command: &Command, words: &[OsString]) -> Vec<(&'static str, String)> {
    let mut path = Vec::new();
    let mut reached = command;
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if let Some(below) = reached.get_subcommands().find(|below| below.get_name() == word) {
            path.push(word);
            reached = below;
        }
    }
    let named = Output::of(&path).iter().map(|output| (output.name(), meaning(*output)));
    named.collect()
}

/// The help of a format.
fn meaning(output: Output) -> String {
    let value = output.to_possible_value();
    value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
}

/// Those of the values that begin with what is typed.
fn begun(values: &[(&'static str, String)], typed: &str) -> Vec<CompletionCandidate> {
    let matching = values.iter().enumerate().filter(|(_, (name, _))| name.starts_with(typed));
    matching.map(|(place, (name, meaning))| candidate(*name, meaning).display_order(Some(place))).collect()
}

fn clouds(typed: &str) -> Vec<CompletionCandidate> {
    let names = Catalogue::embedded().azure.clouds.keys();
    names.filter(|name| name.starts_with(typed)).map(|name| candidate(name, "")).collect()
}

/// The codes of findings.
fn codes(typed: &str) -> Vec<CompletionCandidate> {
    let typed = typed.to_ascii_uppercase();
    let pages = landfall_diagnostics::pages();
    let matching = pages.iter().filter(|page| page.code.starts_with(&typed));
    matching.map(|page| candidate(page.code, page.title)).collect()
}

/// What can be explained: fields, step by step, and the codes where the word begins like one.
fn subjects(typed: &str) -> Vec<CompletionCandidate> {
    let begun: String = typed.chars().take(2).collect();
    let is_code = !typed.is_empty() && "LF".starts_with(&begun.to_ascii_uppercase());
    let mut subjects = fields(typed);
    if is_code {
        subjects.extend(codes(typed));
    }
    subjects
}

/// The fields that begin with what is typed, and those below the only one: a shell then ends the word at the field's
/// name, without a blank.
fn fields(typed: &str) -> Vec<CompletionCandidate> {
    let (parent, begun) = typed.rsplit_once('.').unwrap_or(("", typed));
    let below = |doc: &FieldDoc, parent: &str, begun: &str| -> Vec<CompletionCandidate> {
        let dot = if parent.is_empty() { "" } else { "." };
        let matching = doc.fields.iter().filter(|line| line.name.starts_with(begun));
        let path = |name: &str| format!("{parent}{dot}{name}");
        matching.map(|line| candidate(path(&line.name), first_line(&line.description))).collect()
    };
    let mut fields = field(parent).map(|doc| below(&doc, parent, begun)).unwrap_or_default();
    let only = match &fields[..] {
        [only] => only.get_value().to_str().unwrap_or_default().to_owned(),
        _ => typed.to_owned(),
    };
    if !begun.is_empty()
        && let Ok(doc) = field_spelt(&only)
    {
        fields.extend(below(&doc, &only, ""));
    }
    fields
}

/// A field whose path is spelt as it is in the config.
fn field_spelt(path: &str) -> Result<FieldDoc, ()> {
    field(path)
        .map_err(|_| ())
        .and_then(|doc| if doc.field.replace("[]", "") == path { Ok(doc) } else { Err(()) })
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The directories that begin with what is typed; cluster directories come first, and are complete.
fn directories(typed: &str) -> Vec<CompletionCandidate> {
    let (parent, begun) = typed.rfind('/').map_or(("", typed), |at| typed.split_at(at + 1));
    let home = || std::env::home_dir().unwrap_or_default();
    let folder = match parent.strip_prefix("~/") {
        Some(below) => home().join(below),
        None if parent.is_empty() => Path::new(".").to_path_buf(),
        None => Path::new(parent).to_path_buf(),
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())));
    let mut found: Vec<(String, bool)> = named
        .filter(|(name, path)| {
            let is_shown = begun.starts_with('.') || !name.starts_with('.');
            name.starts_with(begun) && is_shown && path.is_dir()
        })
        .map(|(name, path)| (name, is_cluster(&path)))
        .collect();
    found.sort_by(|(one, is_one), (other, is_other)| (!is_one, one).cmp(&(!is_other, other)));
    let shown = found.iter().enumerate().map(|(place, (name, is_cluster))| {
        let (slash, meaning) = if *is_cluster { ("", "cluster directory") } else { ("/", "") };
        candidate(format!("{parent}{name}{slash}"), meaning).display_order(Some(place))
    });
    shown.collect()
}

fn is_cluster(folder: &Path) -> bool {
    OF_CLUSTERS.iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(found: &[CompletionCandidate]) -> Vec<&str> {
        found.iter().filter_map(|one| one.get_value().to_str()).collect()
    }

    #[test]
    fn regions_are_those_of_the_platform_that_was_typed() {
        let words = ["landfall", "regions", "--platform=azure"].map(OsString::from);
        assert_eq!(value_of("--platform", &words).as_deref(), Some("azure"));
        assert_eq!(value_of("--region", &words), None);
        assert_eq!(values(&regions(Some("aws"), "eu-west-1")), ["eu-west-1"]);
        assert!(regions(Some("azure"), "eu-west-1").is_empty());
        assert!(regions(None, "").len() > 60);
        let found = regions(None, "us-east-1");
        assert!(found[0].get_help().is_some_and(|help| help.to_string().contains("Virginia")), "{found:?}");
    }

    #[test]
    fn formats_are_those_of_the_command_that_was_typed() {
        let command = crate::cli::command();
        let of = |line: &str| -> Vec<&str> {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            formats(&command, &words).into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(of("landfall validate -o"), ["text", "json", "sarif", "github"]);
        assert_eq!(of("landfall --quiet profile render -o"), ["text", "yaml", "json"]);
        assert_eq!(of("landfall man -o"), ["text"]);
        let named = formats(&command, &["landfall", "facts"].map(OsString::from));
        assert_eq!(values(&begun(&named, "j")), ["json"]);
        assert!(named.iter().all(|(_, meaning)| !meaning.is_empty()), "{named:?}");
    }

    #[test]
    fn fields_are_completed_step_by_step() {
        for typed in ["platform.aw", "platform.aws"] {
            let aws = fields(typed);
            let aws = values(&aws);
            assert!(aws.contains(&"platform.aws") && aws.contains(&"platform.aws.region"), "{aws:?}");
        }
        assert_eq!(values(&fields("baseDom")), ["baseDomain"]);
        assert_eq!(values(&fields("platform.aws.serviceEndpoints.u")), ["platform.aws.serviceEndpoints.url"]);
        assert!(values(&fields("")).contains(&"baseDomain"));
        assert!(fields("nowhere.at").is_empty());
    }

    #[test]
    fn codes_are_completed_where_a_word_begins_like_one() {
        assert_eq!(values(&subjects("LF0102")), ["LF0102"]);
        assert!(values(&subjects("lf01")).contains(&"LF0102"));
        assert!(values(&subjects("l")).contains(&"LF0102"));
        assert!(!values(&subjects("")).contains(&"LF0102") && !values(&subjects("é")).contains(&"LF0102"));
    }

    #[test]
    fn cluster_directories_come_first() -> std::io::Result<()> {
        let root = tempfile::tempdir()?;
        for name in ["abc", "zone", ".hidden", "zoo/.landfall"] {
            fs::create_dir_all(root.path().join(name))?;
        }
        fs::write(root.path().join("zfile"), "")?;
        let typed = |name: &str| format!("{}/{name}", root.path().display());
        let found = directories(&typed(""));
        assert_eq!(values(&found), [typed("zoo"), typed("abc/"), typed("zone/")]);
        assert_eq!(values(&directories(&typed("zo"))), [typed("zoo"), typed("zone/")]);
        assert_eq!(values(&directories(&typed(".h"))), [typed(".hidden/")]);
        Ok(())
    }
}
