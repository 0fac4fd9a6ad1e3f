//! Errors of Terraform and its providers, classified by remedy and stripped of secrets.
//!
//! Pure.

use std::sync::LazyLock;

use landfall_diagnostics::secret::{Scrub, without_user};
use serde::Deserialize;

use super::event::Diagnostic;

/// What stopped work on a resource, by what is to be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub enum Cause {
    /// The cloud takes no more calls for a while.
    Throttled,
    /// A limit of the account is reached.
    Quota,
    /// The credentials may not do this.
    Permission,
    /// There is something of that name already.
    NameTaken,
    /// The cloud has no machine of that type left.
    Capacity,
    /// The credentials are not, or no longer, valid.
    Credentials,
    /// A provider is missing or cannot be installed.
    Provider,
    /// An endpoint cannot be reached, or is not trusted.
    Unreachable,
    /// The cloud failed, the connection ended, or what came back was no answer of the cloud's.
    Unanswered,
    /// Something is missing that was created, or so it was said: the response was not the cloud's.
    Missing,
    /// The provider crashed: what it was creating may exist and not be in the state.
    Crashed,
    /// Something took longer than it may.
    TimeOut,
    /// Another run holds the state.
    Locked,
    /// The disk is full or cannot be written.
    Disk,
    /// Anything else.
    Other,
}

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What to do about it.
    pub cause: Cause,
    /// The address of the resource, where it is one's.
    pub address: Option<String>,
    /// What came back: without secrets, and not long.
    pub said: String,
}

/// A cause and its signs, in lower case: one of them must occur, all its parts where it is divided by [`AND`].
#[derive(Deserialize)]
struct Signs {
    cause: Cause,
    signs: Vec<String>,
}

/// The signs of all causes. The first entry that fits counts, so special cases come before general ones.
static SIGNS: LazyLock<Vec<Signs>> =
    LazyLock::new(|| serde_json::from_str(include_str!("data/signs.json")).unwrap_or_default());

/// Divides a sign into texts that must all occur.
const AND: &str = " & ";

/// So much of what came back is looked at, in bytes; the rest cannot be shown anyway.
const LOOKED_AT: usize = 16 << 10;
/// So much of it is shown, in characters.
const SHOWN: usize = 400;
/// Longer words are data: encoded messages, certificates, whole files.
const LONGEST_WORD: usize = 160;
/// So much is left of one.
const LEFT_OF_WORD: usize = 48;

/// Parts of a signed URL, in lower case, after which nothing may be seen.
const SIGNATURES: &[&str] =
    &["x-amz-signature=", "x-amz-credential=", "x-amz-security-token=", "signature=", "sig="];

impl Trouble {
    /// What a diagnostic says, without what `scrub` hides.
    pub(super) fn of(diagnostic: &Diagnostic, scrub: &Scrub) -> Self {
        let (summary, detail) = (beginning(&diagnostic.summary), beginning(&diagnostic.detail));
        let whole = match detail.trim() {
            "" => summary.to_owned(),
            detail => format!("{}: {detail}", summary.trim()),
        };
        Self {
            cause: cause(&whole),
            address: diagnostic.address.as_deref().filter(|address| !address.is_empty()).map(str::to_owned),
            said: shown(&whole, scrub),
        }
    }
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(LOOKED_AT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Whether what a cloud says means that it has no machine of a type left.
#[must_use]
pub fn lacks_capacity(said: &str) -> bool {
    cause(said) == Cause::Capacity
}

/// Whether an error tells whether an object exists: a call that was not answered does not.
pub(super) fn tells_of_objects(text: &str) -> bool {
    matches!(cause(text), Cause::Missing | Cause::Other)
}

fn cause(text: &str) -> Cause {
    let text = text.to_lowercase();
    let fits = |sign: &String| sign.split(AND).all(|part| text.contains(part));
    SIGNS.iter().find(|known| known.signs.iter().any(fits)).map_or(Cause::Other, |known| known.cause)
}

/// A text from outside as part of one line: no secrets, nothing of signed URLs, nothing that is too long.
pub(super) fn shown(text: &str, scrub: &Scrub) -> String {
    let clean = scrub.clean(text);
    let words: Vec<String> = clean.split_whitespace().map(word).collect();
    let line: String = words.join(" ").chars().filter(|c| !c.is_control()).collect();
    let line = line.trim_end_matches(['.', ':', ' ']);
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    }
}

fn word(text: &str) -> String {
    let quotes = ['"', '\'', '`', '<', '>'];
    text.split_inclusive(quotes).map(part).collect()
}

/// A word, or the text between quotation marks in one, with the mark after it.
fn part(text: &str) -> String {
    let (body, mark) = match text.char_indices().next_back() {
        Some((at, '"' | '\'' | '`' | '<' | '>')) => text.split_at(at),
        _ => (text, ""),
    };
    let small = body.to_ascii_lowercase();
    let signed = SIGNATURES.iter().filter_map(|sign| small.find(sign)).min();
    let body = if body.contains("://") {
        without_user(body)
    } else if let Some(at) = signed {
        format!("{}…", &body[..at])
    } else {
        body.to_owned()
    };
    let body = if body.chars().nth(LONGEST_WORD).is_some() {
        body.chars().take(LEFT_OF_WORD).chain(['…']).collect()
    } else {
        body
    };
    format!("{body}{mark}")
}

/// The errors in what terraform prints for people, as it does where it has no events.
pub(super) fn plain(text: &str) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut within = false;
    for line in text.lines() {
        // The frame that is drawn around what is said.
        let line = line.trim_matches([' ', '\t', '\r', '│', '╷', '╵']);
        if let Some(summary) = line.strip_prefix("Error: ") {
            found.push(error(summary));
            within = true;
        } else if line.starts_with("Warning: ") {
            within = false;
        } else if let Some(last) = found.last_mut()
            && within
            && !line.is_empty()
            && last.detail.len() < LOOKED_AT
        {
            last.detail.push_str(line);
            last.detail.push(' ');
        }
    }
    found
}

/// The end of what a program printed, as an error, where it gave none.
pub(super) fn last_words(text: &str) -> Option<Diagnostic> {
    const LINES: usize = 3;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let end = lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default();
    if end.is_empty() { None } else { Some(error(&end.join(" "))) }
}

fn error(summary: &str) -> Diagnostic {
    Diagnostic {
        severity: "error".to_owned(),
        summary: summary.to_owned(),
        detail: String::new(),
        address: None,
    }
}

#[cfg(test)]
mod tests;
