//! Files that hold profiles: from their text to an object whose parts know their places.
//!
//! A file may hold several documents, or a list as `kubectl get` prints it, as long as one object is of a kind that is
//! asked for.

mod held;
mod type_errors;

use std::ops::Range;

use landfall_diagnostics::{Finding, Findings, Kind, Severity, shortened, sort};
use landfall_source::{Decoder, Mask};
use serde::de::DeserializeOwned;
use serde_json::Value;

use self::held::{Held, held, key_span};
use self::type_errors::type_errors;
use super::check::pages;
use super::types::{API_VERSIONS, CloudProfile, Object};

/// An object of a file.
#[derive(Clone, Debug)]
pub struct Document {
    /// Its kind: one of those that were asked for.
    pub kind: &'static str,
    /// The object as it was written.
    pub object: Value,
    /// The text up to the end of the object, in which other documents are blank.
    text: String,
    /// Its number in the list that it stands in, if it does.
    item: Option<usize>,
}

/// An object that is of a kind that was asked for.
struct Wanted {
    kind: &'static str,
    range: Range<usize>,
    item: Option<usize>,
}

impl Document {
    /// The one object of a YAML or JSON text that is of one of these kinds.
    ///
    /// # Errors
    /// Everything that is wrong with the text, or that there is no such object, or more than one.
    pub fn read(text: &str, kinds: &[&'static str]) -> Result<Self, Vec<Finding>> {
        let mut wanted: Option<Wanted> = None;
        let mut broken = None;
        let mut others = Vec::new();
        for range in documents(text) {
            let part = text.get(range.clone()).unwrap_or_default();
            let mut findings = Findings::default();
            let found = held(&landfall_source::read(part, &mut findings), range.start);
            let (meant, rest): (Vec<Held>, Vec<Held>) =
                found.into_iter().partition(|object| kinds.contains(&object.kind.as_str()));
            if meant.is_empty() && findings.errors() > 0 {
                broken = broken.or(Some(range));
                continue;
            }
            others.extend(rest);
            for object in meant {
                let Some(kind) = kinds.iter().copied().find(|kind| object.kind == *kind) else { continue };
                if let Some(first) = &wanted {
                    return Err(vec![several(first.kind, &object)]);
                }
                wanted = Some(Wanted { kind, range: range.clone(), item: object.item });
            }
        }
        // Nobody knows what it would be.
        let unknown = |range| Wanted { kind: kinds.first().copied().unwrap_or_default(), range, item: None };
        match wanted.or_else(|| broken.map(unknown)) {
            Some(wanted) => Self::of(text, wanted),
            None => Err(vec![none_of(kinds, others.first())]),
        }
    }

    fn of(text: &str, wanted: Wanted) -> Result<Self, Vec<Finding>> {
        let Wanted { kind, range, item } = wanted;
        let blank = |byte: u8| if byte == b'\n' { '\n' } else { ' ' };
        let before = text.get(..range.start).unwrap_or_default();
        let mut own: String = before.bytes().map(blank).collect();
        own.push_str(text.get(range).unwrap_or_default());
        let mut findings = Findings::default();
        let tree = landfall_source::read(&own, &mut findings);
        let mut mask = Mask::default();
        let mut object: Value = Decoder::new(&tree, &[], Severity::Error, &mut findings, &mut mask).decode();
        if findings.errors() > 0 {
            let cut = landfall_source::cut_short(&findings);
            let mut faults: Vec<Finding> = findings.into_vec().into_iter().chain(cut).collect();
            sort(&mut faults);
            return Err(faults);
        }
        drop(tree);
        if let Some(item) = item {
            object = object.pointer_mut(&format!("/items/{item}")).map(Value::take).unwrap_or_default();
        }
        let document = Self { kind, object, text: own, item };
        let version = document.api_version();
        if !API_VERSIONS.contains(&version) {
            let finding = Finding::not_supported(&pages::OBJECT, "apiVersion", version, &API_VERSIONS);
            return Err(document.placed(vec![finding]));
        }
        Ok(document)
    }

    /// Group and version of the object.
    fn api_version(&self) -> &str {
        self.object.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
    }

    /// The name of the object; empty without one.
    #[must_use]
    pub fn name(&self) -> &str {
        self.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
    }

    /// A part of the object, such as `spec`, as a type.
    ///
    /// # Errors
    /// Everything that the type does not take, with its place, or that the part is missing.
    pub fn part<T: DeserializeOwned>(&self, path: &str) -> Result<T, Vec<Finding>> {
        let Some(value) = self.value(path) else {
            let finding = Finding::error(&pages::TYPE, Kind::Required, path, format!("`{path}` is missing"));
            let help = format!("add the content of the {} below `{path}:`", self.kind);
            return Err(self.placed(vec![finding.help(help)]));
        };
        serde_json::from_value(value.clone()).map_err(|_| {
            let mut faults = Vec::new();
            type_errors::<T>(value, path.to_owned(), &|part: Value| part, &mut faults);
            self.placed(faults)
        })
    }

    /// The value at a path such as `status.cloudProfile` or `spec.regions[0]`; none where there is none, or null.
    #[must_use]
    pub fn value(&self, path: &str) -> Option<&Value> {
        self.object.pointer(&pointer(path)).filter(|value| !value.is_null())
    }

    /// The object with this spec and status in the place of its own.
    #[must_use]
    pub fn with<Spec, Status>(&self, spec: Spec, status: Option<Status>) -> Object<Spec, Status> {
        let metadata = self.value("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        Object {
            api_version: self.api_version().to_owned(),
            kind: self.kind.to_owned(),
            metadata,
            spec,
            status,
        }
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
        let tree = landfall_source::read(&self.text, &mut Findings::default());
        for finding in findings.iter_mut().filter(|finding| finding.span.is_none()) {
            let path = self.rooted(finding.at.as_deref().unwrap_or(&finding.field));
            // Of a field that nobody knows, the name is what is wrong.
            let key = (finding.kind == Kind::Unknown).then(|| key_span(&tree, &path)).flatten();
            finding.span = Some(key.unwrap_or_else(|| tree.place(&path).0));
        }
        sort(&mut findings);
        findings
    }

    /// A path of the object as one of the text.
    fn rooted(&self, path: &str) -> String {
        match self.item {
            None => path.to_owned(),
            Some(item) if path.is_empty() => format!("items[{item}]"),
            Some(item) => format!("items[{item}].{path}"),
        }
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

    /// A path whose brackets hold numbers, with the names of the entries in them: the other way round than
    /// [`Document::numbered`].
    #[must_use]
    pub fn named(&self, path: &str) -> String {
        named(&self.object, path)
    }
}

/// The text by which an entry of a list is known among the others: its name, or its version.
pub(super) fn key_of(entry: &Value) -> Option<&str> {
    entry.get("name").or_else(|| entry.get("version")).and_then(Value::as_str)
}

/// A path of an object whose brackets hold numbers, with the names of the entries in them, where they have names.
pub(super) fn named(object: &Value, path: &str) -> String {
    let mut named = String::new();
    let mut at = Some(object);
    for step in steps(path) {
        let number = step.strip_prefix('[').map(|step| step.trim_end_matches(']'));
        at = match number {
            Some(number) => at.zip(number.parse::<usize>().ok()).and_then(|(at, number)| at.get(number)),
            None => at.and_then(|at| at.get(step.trim_start_matches('.'))),
        };
        let key = number.and(at).and_then(key_of);
        named.push_str(&key.map_or_else(|| step.to_owned(), |key| format!("[{key}]")));
    }
    named
}

/// The JSON pointer of a path with dots and numbers in brackets.
pub(super) fn pointer(path: &str) -> String {
    format!("/{}", path.replace(['.', '['], "/").replace(']', ""))
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

fn several(first: &str, object: &Held) -> Finding {
    let kind = &object.kind;
    let message = if first == kind {
        format!("the file contains another {kind} before this one")
    } else {
        format!("the file contains a {first} before this {kind}, and only one is allowed")
    };
    let finding = Finding::error(&pages::OBJECT, Kind::Duplicate, "kind", message).span(object.span);
    finding.help("keep each in its own file")
}

fn none_of(kinds: &[&str], other: Option<&Held>) -> Finding {
    let message = match other {
        Some(other) => {
            format!("the file contains a {}, but no {}", shortened(&other.kind), kinds.join(" or "))
        }
        None => format!("the file contains no {}", kinds.join(" or ")),
    };
    let named: Vec<String> = kinds.iter().map(|kind| format!("`kind: {kind}`")).collect();
    let help = format!("use a file with {}", named.join(" or "));
    let place = other.map(|other| other.span).unwrap_or_default();
    Finding::error(&pages::OBJECT, Kind::Required, "kind", message).help(help).span(place)
}

#[cfg(test)]
mod tests {
    use super::super::types::{CLOUD_PROFILE, CloudProfileSpec, PRIVATE_CLOUD_PROFILE};
    use super::*;

    const TWO: &str = "# two\n---\nkind: Other\ntext: |\n  a\n---\napiVersion: \
        core.gardener.cloud/v1beta1\nkind: CloudProfile\nmetadata: {name: a}\nspec:\n  type: aws\n  \
        machineImages:\n  - name: x\n    versions: [{version: '1'}]\n";

    fn read(text: &str) -> Result<Document, Vec<(&'static str, String)>> {
        let told =
            |findings: Vec<Finding>| findings.into_iter().map(|f| (f.code.as_str(), f.message)).collect();
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
        let text = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nspec:\n  type: 5\n  \
            machineTypes:\n  - {name: a, cpu: 4, usable: 'yes'}\n  - {name: b}\n  regions: all\n  \
            providerConfig: 7\n";
        let document = read(text)?;
        let faults = document.part::<CloudProfileSpec>("spec").err().unwrap_or_default();
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["spec.type", "spec.machineTypes[0].usable", "spec.regions"]);
        assert!(faults.first().is_some_and(|fault| fault.help.is_some()));
        for (fault, value) in faults.iter().zip([" `5`", "`true` or `false`", " a list"]) {
            assert!(fault.message.contains(&fault.field) && fault.message.contains(value), "{fault:?}");
        }
        landfall_testing::assert_findings("profile-types", &faults);
        Ok(())
    }

    #[test]
    fn a_part_that_is_missing_is_reported() -> Result<(), Vec<(&'static str, String)>> {
        for text in ["", "spec:\n", "specs: {type: aws}\n"] {
            let document =
                read(&format!("apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\n{text}"))?;
            let faults = document.cloud_profile().err().unwrap_or_default();
            let found: Vec<(&str, Kind)> = faults.iter().map(|f| (f.code.as_str(), f.kind)).collect();
            assert_eq!(found, [("LF1451", Kind::Required)]);
            assert!(faults.iter().all(|fault| fault.message.contains("`spec`")), "{faults:?}");
        }
        Ok(())
    }

    #[test]
    fn types_speak_the_words_of_those_who_write_yaml() {
        let text = "apiVersion: core.gardener.cloud/v1beta1\nkind: CloudProfile\nspec:\n  kubernetes: \
            all\n  limits: {maxNodesTotal: 1.5}\n  machineTypes: [~, {name: a, cpu: true, capabilities: \
            [b]}]\n";
        let faults = read(text).map(|document| document.part::<CloudProfileSpec>("spec").err());
        let faults: Vec<_> = faults.into_iter().flatten().flatten().collect();
        let expected = [
            ("spec.kubernetes", " an object"),
            ("spec.limits.maxNodesTotal", " `1.5`"),
            ("spec.machineTypes[0]", " an object"),
            ("spec.machineTypes[1].cpu", " `true`"),
            ("spec.machineTypes[1].capabilities", " an object"),
        ];
        let fields: Vec<&str> = faults.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, expected.map(|(field, _)| field));
        for (fault, (_, value)) in faults.iter().zip(expected) {
            assert!(fault.message.contains(value), "{}", fault.message);
        }
        landfall_testing::assert_findings("profile-yaml-types", &faults);
    }

    #[test]
    fn a_path_ends_whatever_it_holds() {
        assert_eq!(steps("spec.a[b.c].d"), ["spec", ".a", "[b.c]", ".d"]);
        assert_eq!(steps("ä[b"), ["ä", "[b"]);
        assert_eq!(steps("..x"), [".", ".x"]);
        assert!(steps("").is_empty());
    }
}
