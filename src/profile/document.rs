//! Files that hold profiles: from their text to an object whose parts know their places.
//!
//! A file may hold several documents, as long as one of them is of a kind that is asked for.

use std::ops::Range;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::check::pages;
use super::types::{API_VERSION, CloudProfile, Object};
use crate::finding::{Finding, Findings, Kind, Severity, Span, shortened, sort};
use crate::source::{self, Decoder, Mask, NodeKind, Scalar, Tree};

/// An object of a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its kind: one of those that were asked for.
    pub kind: &'static str,
    /// The object as it was written.
    pub object: Value,
    /// The text up to the end of the object, in which other documents are blank.
    text: String,
}

impl Document {
    /// The one object of a YAML or JSON text that is of one of these kinds.
    ///
    /// # Errors
    /// Everything that is wrong with the text, or that there is no such object, or more than one.
    pub fn read(text: &str, kinds: &[&'static str]) -> Result<Self, Vec<Finding>> {
        let mut wanted: Option<(Range<usize>, &'static str)> = None;
        let mut broken = None;
        let mut others = Vec::new();
        for range in documents(text) {
            let part = text.get(range.clone()).unwrap_or_default();
            let mut findings = Findings::default();
            let tree = source::read(part, &mut findings);
            let found = kind_of(&tree);
            match kinds.iter().copied().find(|kind| found.as_deref() == Some(*kind)) {
                Some(kind) if wanted.is_none() => wanted = Some((range, kind)),
                Some(kind) => return Err(vec![several(kind, range.start)]),
                None if findings.errors() > 0 => broken = broken.or(Some(range)),
                None => others.extend(found),
            }
        }
        match (wanted, broken) {
            (Some((range, kind)), _) => Self::of(text, range, kind),
            // Nobody knows what it would be.
            (None, Some(range)) => Self::of(text, range, kinds.first().copied().unwrap_or_default()),
            (None, None) => Err(vec![none_of(kinds, &others)]),
        }
    }

    fn of(text: &str, range: Range<usize>, kind: &'static str) -> Result<Self, Vec<Finding>> {
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        let before = text.get(..range.start).unwrap_or_default();
        let mut own: String = before.bytes().map(blank).collect();
        own.push_str(text.get(range).unwrap_or_default());
        let mut findings = Findings::default();
        let tree = source::read(&own, &mut findings);
        let mut mask = Mask::default();
        let object: Value = Decoder::new(&tree, &[], Severity::Error, &mut findings, &mut mask).decode();
        if findings.errors() > 0 {
            let cut = source::cut_short(&findings);
            let mut faults: Vec<Finding> = findings.into_vec().into_iter().chain(cut).collect();
            sort(&mut faults);
            return Err(faults);
        }
        drop(tree);
        let document = Self { kind, object, text: own };
        let version = document.object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
        if version != API_VERSION {
            let finding = Finding::not_supported(&pages::OBJECT, "apiVersion", version, &[API_VERSION]);
            return Err(document.placed(vec![finding]));
        }
        Ok(document)
    }

    /// The name of the object; empty without one.
    #[must_use]
    pub fn name(&self) -> &str {
        self.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
    }

    /// A part of the object, such as `spec`, as a type; its default where it is not there.
    ///
    /// # Errors
    /// Everything that the type does not take, with its place.
    pub fn part<T: DeserializeOwned + Default>(&self, path: &str) -> Result<T, Vec<Finding>> {
        let Some(value) = self.value(path) else {
            return Ok(T::default());
        };
        serde_json::from_value(value.clone()).map_err(|_| {
            let mut faults = Vec::new();
            misfits::<T>(value, path.to_owned(), &|part: Value| part, &mut faults);
            self.placed(faults)
        })
    }

    /// The value at a path such as `status.cloudProfile`; none where there is none, or null.
    #[must_use]
    pub fn value(&self, path: &str) -> Option<&Value> {
        self.object.pointer(&format!("/{}", path.replace('.', "/"))).filter(|value| !value.is_null())
    }

    /// The object with this spec and status in the place of its own.
    #[must_use]
    pub fn with<Spec, Status>(&self, spec: Spec, status: Option<Status>) -> Object<Spec, Status> {
        let metadata = self.value("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        Object { api_version: API_VERSION.to_owned(), kind: self.kind.to_owned(), metadata, spec, status }
    }

    /// The object as a cloud profile, from which others inherit.
    ///
    /// # Errors
    /// Everything that the type does not take, with its place.
    pub fn cloud_profile(&self) -> Result<CloudProfile, Vec<Finding>> {
        Ok(self.with(self.part("spec")?, None))
    }

    /// The findings with their places, in the order of these.
    #[must_use]
    pub fn placed(&self, mut findings: Vec<Finding>) -> Vec<Finding> {
        let tree = source::read(&self.text, &mut Findings::default());
        for finding in findings.iter_mut().filter(|finding| finding.span.is_none()) {
            finding.span = Some(tree.place(finding.at.as_deref().unwrap_or(&finding.field)).0);
        }
        sort(&mut findings);
        findings
    }

    /// A path whose brackets hold names, as those of conflicts do, with the numbers of the entries in them.
    #[must_use]
    pub fn numbered(&self, path: &str) -> String {
        let mut numbered = String::new();
        let mut at = Some(&self.object);
        for step in steps(path) {
            let Some(name) = step.strip_prefix('[').map(|step| step.trim_end_matches(']')) else {
                let key = step.trim_start_matches('.');
                at = at.and_then(|at| at.get(key));
                numbered.push_str(step);
                continue;
            };
            let entries = at.and_then(Value::as_array);
            let found =
                entries.and_then(|entries| entries.iter().position(|entry| key_of(entry) == Some(name)));
            at = entries.zip(found).and_then(|(entries, number)| entries.get(number));
            numbered.push_str(&found.map_or_else(|| step.to_owned(), |number| format!("[{number}]")));
        }
        numbered
    }
}

/// The text by which an entry of a list is known among the others: its name, or its version.
pub(super) fn key_of(entry: &Value) -> Option<&str> {
    entry.get("name").or_else(|| entry.get("version")).and_then(Value::as_str)
}

/// The steps of a path: names with the dot before them, and brackets.
fn steps(path: &str) -> Vec<&str> {
    let mut steps = Vec::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let end = if first == '[' {
            rest.find(']').map(|end| end + 1)
        } else {
            let behind = first.len_utf8();
            rest.get(behind..).and_then(|rest| rest.find(['.', '['])).map(|end| end + behind)
        };
        let (step, after) = rest.split_at(end.unwrap_or(rest.len()));
        steps.push(step);
        rest = after;
    }
    steps
}

/// Where the documents of a text stand.
fn documents(text: &str) -> Vec<Range<usize>> {
    let mut starts = vec![0];
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let begins = line
            .strip_prefix("---")
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if begins && offset > 0 {
            starts.push(offset);
        }
        offset += line.len();
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(start, end)| *start..end).collect()
}

fn kind_of(tree: &Tree<'_>) -> Option<String> {
    let NodeKind::Map(map) = tree.target(tree.root()?).kind else {
        return None;
    };
    let entry = tree.entries(map).iter().find(|entry| entry.key == "kind")?;
    match tree.scalar(entry.value)? {
        Scalar::Text(kind) => Some(kind.to_owned()),
        _ => None,
    }
}

fn several(kind: &str, at: usize) -> Finding {
    let message = format!("the file holds another {kind} before this one");
    let finding = Finding::error(&pages::OBJECT, Kind::Duplicate, "", message).span(Span::new(at, at));
    finding.help("keep each in a file of its own")
}

fn none_of(kinds: &[&str], others: &[String]) -> Finding {
    let message = match others.first() {
        Some(other) => format!("the file holds a {}, and no {}", shortened(other), kinds.join(" or ")),
        None => format!("the file holds no {}", kinds.join(" or ")),
    };
    let help = format!("name a file with `kind: {}`", kinds.first().copied().unwrap_or_default());
    Finding::error(&pages::OBJECT, Kind::Required, "kind", message).help(help).span(Span::default())
}

/// What a type does not take of a value. `alone` wraps a part of the value in all that it stands in, and nothing
/// else; types whose fields may all be left out take that, unless it is this part that they do not take.
fn misfits<T: DeserializeOwned>(
    value: &Value,
    path: String,
    alone: &dyn Fn(Value) -> Value,
    faults: &mut Vec<Finding>,
) {
    let Err(fault) = serde_json::from_value::<T>(alone(value.clone())) else {
        return;
    };
    let before = faults.len();
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let inner = |part: Value| alone(Value::Object(Map::from_iter([(key.clone(), part)])));
                misfits::<T>(member, format!("{path}.{key}"), &inner, faults);
            }
        }
        Value::Array(entries) => {
            for (i, entry) in entries.iter().enumerate() {
                let inner = |part: Value| alone(Value::Array(vec![part]));
                misfits::<T>(entry, format!("{path}[{i}]"), &inner, faults);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    if faults.len() == before {
        let fault = fault.to_string();
        let message = format!("`{}` cannot be read: {}", shortened(&path), shortened(&fault));
        let mut finding = Finding::error(&pages::TYPE, Kind::TypeInvalid, path, message);
        if matches!(value, Value::Bool(_) | Value::Number(_)) && fault.contains("expected a string") {
            finding = finding.help("put the value in quotes: without them it is no text");
        }
        faults.push(finding);
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::{CLOUD_PROFILE, CloudProfileSpec, PRIVATE_CLOUD_PROFILE};
    use super::*;

    const TWO: &str = "# two\n---\nkind: Other\ntext: |\n  a\n---\napiVersion: core.gardener.cloud/v1beta1\n\
                       kind: CloudProfile\nmetadata: {name: a}\nspec:\n  type: aws\n  machineImages:\n  - name: x\n    \
                       versions: [{version: '1'}]\n";

    fn read(text: &str) -> Result<Document, Vec<(&'static str, String)>> {
        let told = |findings: Vec<Finding>| findings.into_iter().map(|f| (f.page.code, f.message)).collect();
        Document::read(text, &[CLOUD_PROFILE]).map_err(told)
    }

    #[test]
    fn finds_the_one_document_of_its_kind() -> Result<(), Vec<(&'static str, String)>> {
        let document = read(TWO)?;
        assert_eq!((document.kind, document.name()), (CLOUD_PROFILE, "a"));
        let finding = Finding::error(&pages::OBJECT, Kind::Invalid, "spec.type", "x");
        let placed = document.placed(vec![finding]);
        let shown = placed.first().and_then(|finding| TWO.get(finding.span?.range()));
        assert_eq!(shown, Some("aws"));
        let path = "spec.machineImages[x].versions[1].classification";
        assert_eq!(document.numbered(path), "spec.machineImages[0].versions[0].classification");
        assert_eq!(document.numbered("spec.regions[eu.1].labels"), "spec.regions[eu.1].labels");
        Ok(())
    }

    #[test]
    fn says_what_a_file_holds_instead() {
        let codes = |text: &str| -> Vec<&'static str> {
            read(text).err().unwrap_or_default().into_iter().map(|(code, _)| code).collect()
        };
        assert_eq!(codes("kind: Other\n"), ["LF1450"]);
        assert_eq!(codes(""), ["LF1450"]);
        assert_eq!(codes(&format!("{TWO}{}", &TWO[6..])), ["LF1450"]);
        assert_eq!(codes("kind: CloudProfile\napiVersion: v1\n"), ["LF1450"]);
        assert_eq!(codes("kind: [\n").first(), Some(&"LF0005"));
        assert!(Document::read(TWO, &[PRIVATE_CLOUD_PROFILE]).is_err());
    }

    #[test]
    fn says_everything_that_a_type_does_not_take() -> Result<(), Vec<(&'static str, String)>> {
        let text = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nspec:\n  type: 5\n  machineTypes:\n  \
                    - {name: a, cpu: 4, usable: 'yes'}\n  - {name: b}\n  regions: all\n  providerConfig: 7\n";
        let document = read(text)?;
        let faults = document.part::<CloudProfileSpec>("spec").err().unwrap_or_default();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["spec.type", "spec.machineTypes[0].usable", "spec.regions"]);
        assert!(faults.first().is_some_and(|fault| fault.help.is_some()));
        assert_eq!(document.part::<CloudProfileSpec>("status").ok(), Some(CloudProfileSpec::default()));
        Ok(())
    }

    #[test]
    fn a_path_ends_whatever_it_holds() {
        assert_eq!(steps("spec.a[b.c].d"), ["spec", ".a", "[b.c]", ".d"]);
        assert_eq!(steps("ä[b"), ["ä", "[b"]);
        assert_eq!(steps("..x"), [".", ".x"]);
        assert!(steps("").is_empty());
    }
}
