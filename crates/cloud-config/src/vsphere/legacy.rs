//! The older form of vSphere's text, which is INI.

use serde_json::Value;

use super::super::ini::lines::{Line, Lines};
use super::{Document, SERVER, Settings};

/// What a variable holds.
#[derive(Clone, Copy)]
enum Form {
    Text,
    Number,
    Flag,
    List,
}

/// A variable of the older form. Its name in YAML is the same without hyphens, in camel case.
type Variable = (&'static str, Form);

static GLOBAL: [Variable; 13] = [
    ("user", Form::Text),
    ("password", Form::Text),
    ("server", Form::Text),
    ("port", Form::Number),
    ("insecure-flag", Form::Flag),
    ("datacenters", Form::List),
    ("ca-file", Form::Text),
    ("thumbprint", Form::Text),
    ("secret-name", Form::Text),
    ("secret-namespace", Form::Text),
    ("secrets-directory", Form::Text),
    ("ip-family", Form::List),
    ("soap-roundtrip-count", Form::Number),
];

static VIRTUAL_CENTER: [Variable; 12] = [
    ("user", Form::Text),
    ("password", Form::Text),
    ("server", Form::Text),
    ("port", Form::Number),
    ("insecure-flag", Form::Flag),
    ("datacenters", Form::List),
    ("ca-file", Form::Text),
    ("thumbprint", Form::Text),
    ("secret-name", Form::Text),
    ("secret-namespace", Form::Text),
    ("ip-family", Form::List),
    ("soap-roundtrip-count", Form::Number),
];

static LABELS: [Variable; 2] = [("zone", Form::Text), ("region", Form::Text)];

static NODES: [Variable; 6] = [
    ("internal-network-subnet-cidr", Form::Text),
    ("external-network-subnet-cidr", Form::Text),
    ("internal-vm-network-name", Form::Text),
    ("external-vm-network-name", Form::Text),
    ("exclude-internal-network-subnet-cidr", Form::Text),
    ("exclude-external-network-subnet-cidr", Form::Text),
];

/// What a text of the older form says, without the sections and variables that have no place in YAML.
///
/// # Errors
/// Why it cannot be read, in words that cite no value.
pub(super) fn read(text: &str) -> Result<Document, String> {
    let mut document = Document::default();
    let mut headed = false;
    let mut section: Option<(&mut Settings, &[Variable])> = None;
    for line in Lines::new(text) {
        let (_, line) = line.map_err(|fault| fault.to_string())?;
        match line {
            Line::Header { name, subsection } => {
                headed = true;
                section = document.section(name, subsection);
            }
            Line::Variable { .. } if !headed => {
                return Err("a variable is before the first section".to_owned());
            }
            Line::Variable { name, value } => {
                if let Some((settings, known)) = &mut section
                    && let Some((name, form)) =
                        known.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))
                {
                    let value =
                        form.read(value).ok_or_else(|| format!("`{name}` has a value of the wrong type"))?;
                    settings.insert(camel(name), value);
                }
            }
        }
    }
    for (name, settings) in &mut document.vcenter {
        if settings.get(SERVER).and_then(Value::as_str).is_none_or(str::is_empty) {
            settings.insert(SERVER.to_owned(), name.as_str().into());
        }
    }
    Ok(document)
}

impl Document {
    /// The place of a section, with the variables that it may have.
    fn section(
        &mut self,
        name: &str,
        subsection: Option<String>,
    ) -> Option<(&mut Settings, &'static [Variable])> {
        match (name.to_ascii_lowercase().as_str(), subsection) {
            ("global", None) => Some((&mut self.global, &GLOBAL)),
            ("virtualcenter", Some(server)) => {
                Some((self.vcenter.entry(server).or_default(), &VIRTUAL_CENTER))
            }
            ("labels", None) => Some((&mut self.labels, &LABELS)),
            ("nodes", None) => Some((&mut self.nodes, &NODES)),
            _ => None,
        }
    }
}

impl Form {
    /// The value of a variable; none where it is of another kind.
    fn read(self, value: Option<String>) -> Option<Value> {
        match (self, value) {
            (Self::Flag, None) => Some(true.into()),
            (_, None) => None,
            (Self::Flag, Some(word)) => flag(&word).map(Value::Bool),
            (Self::Text, Some(text)) => Some(text.into()),
            (Self::Number, Some(empty)) if empty.is_empty() => Some(Value::Null),
            (Self::Number, Some(number)) => number.parse::<u32>().ok().map(Value::from),
            (Self::List, Some(items)) => {
                let items = items.split(',').map(str::trim).filter(|item| !item.is_empty());
                Some(items.collect::<Vec<_>>().into())
            }
        }
    }
}

/// Whether a word means yes or no.
pub(super) fn flag(word: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    if is(&["true", "yes", "on", "1"]) {
        Some(true)
    } else if is(&["false", "no", "off", "0"]) {
        Some(false)
    } else {
        None
    }
}

fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for (position, word) in name.split('-').enumerate() {
        let (first, rest) = word.split_at(word.len().min(1));
        camel.push_str(&if position > 0 { first.to_ascii_uppercase() } else { first.to_owned() });
        camel.push_str(rest);
    }
    camel
}
