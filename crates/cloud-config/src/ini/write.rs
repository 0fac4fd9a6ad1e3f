//! From a configuration to its text.

use std::collections::BTreeMap;

use super::{File, Section, Value};

/// The text of a configuration: sections by their headers, an empty line between them.
pub fn write(file: &File) -> String {
    let overrides: BTreeMap<String, &Section> =
        file.overrides.iter().map(|(name, section)| (header(name), section)).collect();
    let global = std::iter::once(("Global".to_owned(), &file.global));
    let sections = global.chain(overrides);
    sections
        .map(|(header, section)| format!("[{header}]\n{}", aligned(&lines(section))))
        .collect::<Vec<_>>()
        .join("\n")
}

/// The header of a service override.
pub fn header(name: &str) -> String {
    if name.is_empty() {
        return "ServiceOverride".to_owned();
    }
    format!("ServiceOverride \"{}\"", name.replace('\\', r"\\").replace('"', r#"\""#))
}

/// Lines of names and values as they stand, the `=` of all of them in one column.
pub fn aligned(lines: &[(&str, String)]) -> String {
    // The peer counts bytes.
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let line = |(name, value): &(&str, String)| {
        let blanks = " ".repeat(width.saturating_sub(name.len()));
        format!("{name}{blanks} = {value}\n")
    };
    lines.iter().map(line).collect::<Vec<_>>().concat()
}

/// A value as it may stand behind `=`: bare where it is read so, else in quotes.
pub fn value(value: &str) -> String {
    if value.trim() == value && !value.contains(['"', '\\', '\n', ';', '#']) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', r"\\").replace('"', r#"\""#).replace('\n', r"\n"))
}

/// The variables of a section that have something to say.
fn lines(section: &Section) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for (name, held) in &section.0 {
        match held {
            Value::Text(text) if !text.is_empty() => lines.push((*name, quoted(text))),
            Value::Text(_) | Value::OldFlag => {}
            Value::Flag(flag) => lines.push((*name, flag.to_string())),
            Value::Number(number) => lines.push((*name, number.to_string())),
            Value::List(list) => lines.extend(list.iter().map(|item| (*name, quoted(item)))),
        }
    }
    lines
}

/// A value in the form in which `OpenShift`'s own operator writes it, as far as the provider reads that back:
/// where there is a back-quote, between empty quoted parts.
pub fn quoted(text: &str) -> String {
    if text.contains('`') && !text.contains(['"', '\\', '\n']) {
        return format!("\"\"\"{text}\"\"\"");
    }
    value(text)
}
