//! The older form of vSphere's text, which is INI.

use serde_json::Value;

use super::super::ini::lines::{Line, Lines};
use super::super::ini::{flag_of, number};
use super::super::shape::{Fields, Shape, find};
use super::{Document, GLOBAL, LABELS, NODES, PORT, SERVER, Settings, VIRTUAL_CENTER};

/// Settings of `[Global]` that are read and do not become YAML.
const NOT_PASSED_ON: [&str; 3] = ["ipFamily", "apiDisable", "apiBinding"];

/// What a text of the older form says, without the sections and variables that have no place in YAML.
///
/// # Errors
/// Why it cannot be read, in words that cite no value.
pub(super) fn read(text: &str) -> Result<Document, String> {
    let mut document = Document::default();
    let mut headed = false;
    let mut section: Option<(&mut Settings, Fields)> = None;
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
                if let Some((settings, fields)) = &mut section
                    && let Some((shape, field)) =
                        find(fields, |field| kebab(field).eq_ignore_ascii_case(name))
                {
                    let value = read_value(field, shape, value)
                        .ok_or_else(|| format!("`{}` has a value of the wrong type", kebab(field)))?;
                    settings.insert(field.to_owned(), value);
                }
            }
        }
    }
    for field in NOT_PASSED_ON {
        document.global.remove(field);
    }
    for (name, settings) in &mut document.vcenter {
        if settings.get(SERVER).and_then(Value::as_str).is_none_or(str::is_empty) {
            settings.insert(SERVER.to_owned(), name.as_str().into());
        }
    }
    Ok(document)
}

impl Document {
    /// The place of a section, with the fields that it may have.
    fn section(&mut self, name: &str, subsection: Option<String>) -> Option<(&mut Settings, Fields)> {
        match (name.to_ascii_lowercase().as_str(), subsection) {
            ("global", None) => Some((&mut self.global, GLOBAL)),
            ("virtualcenter", server) => {
                Some((self.vcenter.entry(server.unwrap_or_default()).or_default(), VIRTUAL_CENTER))
            }
            ("labels", None) => Some((&mut self.labels, LABELS)),
            ("nodes", None) => Some((&mut self.nodes, NODES)),
            _ => None,
        }
    }
}

/// The value of a variable; none where it has another type.
fn read_value(field: &str, shape: &Shape, given: Option<String>) -> Option<Value> {
    if let Shape::Word = shape {
        return flag_of(given.as_deref()).ok().map(Value::Bool);
    }
    let given = given?;
    match shape {
        Shape::Whole(..) if field == PORT && given.is_empty() => Some(Value::Null),
        Shape::Whole(..) if field == PORT => given.parse::<u64>().ok().map(Value::from),
        Shape::Whole(..) => u64::try_from(number(&given)?).ok().map(Value::from),
        Shape::List(_) => {
            let items = given.split(',').map(str::trim).filter(|item| !item.is_empty());
            Some(items.collect::<Vec<_>>().into())
        }
        _ => Some(given.into()),
    }
}

/// The name in the older form, which has hyphens in place of capitals.
fn kebab(name: &str) -> String {
    let mut kebab = String::with_capacity(name.len());
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            kebab.push('-');
        }
        kebab.push(letter.to_ascii_lowercase());
    }
    kebab
}
