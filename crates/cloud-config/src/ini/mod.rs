//! The INI dialect of AWS's cloud provider: what its configuration can say, and how it is read.
//!
//! The dialect is that of git's configuration files, more or less: sections with a quoted subsection, quoted
//! parts in mid value, its own escapes, flags without a value, variables that add up. Names are known
//! beforehand, each with the kind of value that it takes.

pub mod lines;
#[cfg(test)]
mod tests;
mod write;

use std::collections::BTreeMap;

use lines::{Line, Lines};

pub use write::{aligned, header, quoted, value, write};

/// Why a text cannot be read, and where. It cites nothing of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct Unreadable {
    line: usize,
    column: usize,
    what: &'static str,
}

impl Unreadable {
    /// The fault behind the first `at` bytes of the text.
    fn new(text: &str, at: usize, what: &'static str) -> Self {
        let before = text.get(..at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        Self { line, column, what }
    }
}

/// How to treat unknown names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are faults.
    Strict,
    /// They are left out.
    Tolerant,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A text; an empty one is as good as none.
    Text(String),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Number(i32),
    /// Texts, none of them empty, each of them once.
    List(Vec<String>),
    /// A flag that only older providers know: looked at where names are judged, and never written.
    OldFlag,
}

const TEXT: Value = Value::Text(String::new());
const FLAG: Value = Value::Flag(false);

/// What `[Global]` may hold, in the order in which it is written.
static GLOBAL: [(&str, Value); 18] = [
    ("Zone", TEXT),
    ("Region", TEXT),
    ("VPC", TEXT),
    ("SubnetID", TEXT),
    ("RouteTableID", TEXT),
    ("RoleARN", TEXT),
    ("SourceARN", TEXT),
    ("KubernetesClusterTag", TEXT),
    ("KubernetesClusterID", TEXT),
    ("DisableSecurityGroupIngress", FLAG),
    ("ElbSecurityGroup", TEXT),
    ("DisableStrictZoneCheck", Value::OldFlag),
    ("NodeIPFamilies", Value::List(Vec::new())),
    ("ClusterServiceLoadBalancerHealthProbeMode", TEXT),
    ("ClusterServiceSharedLoadBalancerHealthProbePort", Value::Number(0)),
    ("ClusterServiceSharedLoadBalancerHealthProbePath", TEXT),
    ("SupportedTopologyInstanceTypePattern", TEXT),
    ("NLBSecurityGroupMode", TEXT),
];

/// What `[ServiceOverride "..."]` may hold, in the order in which it is written.
static SERVICE_OVERRIDE: [(&str, Value); 6] = [
    ("Service", TEXT),
    ("Region", TEXT),
    ("URL", TEXT),
    ("SigningRegion", TEXT),
    ("SigningMethod", TEXT),
    ("SigningName", TEXT),
];

/// The variables of a section, with the value of each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section(Vec<(&'static str, Value)>);

/// A configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// `[Global]`.
    pub global: Section,
    /// `[ServiceOverride "..."]` by the text in quotes; empty without one.
    pub overrides: BTreeMap<String, Section>,
}

impl Default for File {
    fn default() -> Self {
        Self { global: Section(GLOBAL.to_vec()), overrides: BTreeMap::new() }
    }
}

/// What a text says.
///
/// # Errors
/// What is wrong with it first.
pub fn read(text: &[u8], mode: Mode) -> Result<File, Unreadable> {
    let Ok(text) = std::str::from_utf8(text) else {
        let valid = text.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        return Err(Unreadable::new(valid, valid.len(), "the text is not UTF-8"));
    };
    if let Some(at) = text.find(['\0', '\u{feff}']) {
        return Err(Unreadable::new(text, at, "the text has a NUL or a byte order mark"));
    }
    let mut file = File::default();
    let mut headed = false;
    let mut section: Option<&mut Section> = None;
    for line in Lines::new(text) {
        let (at, line) = line?;
        match line {
            Line::Header { name, subsection } => {
                headed = true;
                section = file.section(name, subsection);
                if section.is_none() && mode == Mode::Strict {
                    return Err(Unreadable::new(text, at, "unknown section"));
                }
            }
            Line::Variable { name, value } => {
                if !headed {
                    return Err(Unreadable::new(text, at, "a variable is before the first section"));
                }
                if let Some(section) = &mut section {
                    section.take(name, value, mode).map_err(|what| Unreadable::new(text, at, what))?;
                }
            }
        }
    }
    Ok(file)
}

impl File {
    /// The section of a header, created if necessary; none if it is unknown.
    fn section(&mut self, name: &str, subsection: Option<String>) -> Option<&mut Section> {
        if name.eq_ignore_ascii_case("Global") && subsection.is_none() {
            Some(&mut self.global)
        } else if name.eq_ignore_ascii_case("ServiceOverride") {
            let named = self.overrides.entry(subsection.unwrap_or_default());
            Some(named.or_insert_with(|| Section(SERVICE_OVERRIDE.to_vec())))
        } else {
            None
        }
    }
}

impl Section {
    /// The text of that name; none where the section has no text of that name.
    pub fn text(&mut self, name: &str) -> Option<&mut String> {
        self.0.iter_mut().find_map(|(known, value)| match value {
            Value::Text(text) if *known == name => Some(text),
            _ => None,
        })
    }

    /// Takes in one more line.
    fn take(&mut self, name: &str, given: Option<String>, mode: Mode) -> Result<(), &'static str> {
        let strict = mode == Mode::Strict;
        let known = self.0.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name));
        match known {
            Some((_, Value::OldFlag)) | None if !strict => Ok(()),
            Some((_, value)) => value.take(given),
            None => Err("unknown variable in this section"),
        }
    }
}

impl Value {
    /// Takes in what one more line gives; none where the line has no `=`.
    fn take(&mut self, given: Option<String>) -> Result<(), &'static str> {
        match (self, given) {
            (Self::Text(text), Some(given)) => *text = given,
            (Self::Flag(flag), given) => *flag = flag_of(given.as_deref())?,
            (Self::OldFlag, given) => {
                flag_of(given.as_deref())?;
            }
            (Self::Number(number), Some(given)) => *number = number_of(&given)?,
            (Self::List(list), Some(given)) => {
                if !given.is_empty() && !list.contains(&given) {
                    list.push(given);
                }
            }
            (Self::List(list), None) => list.clear(),
            (Self::Text(_) | Self::Number(_), None) => return Err("this variable needs a value"),
        }
        Ok(())
    }
}

/// A flag; its name alone sets it.
///
/// # Errors
/// It has another value.
pub fn flag_of(given: Option<&str>) -> Result<bool, &'static str> {
    let is = |words: [&str; 4], given: &str| words.iter().any(|word| word.eq_ignore_ascii_case(given));
    match given {
        None => Ok(true),
        Some(given) if is(["true", "yes", "on", "1"], given) => Ok(true),
        Some(given) if is(["false", "no", "off", "0"], given) => Ok(false),
        Some(_) => Err("this variable must be true or false"),
    }
}

fn number_of(given: &str) -> Result<i32, &'static str> {
    let number = number(given).and_then(|number| i32::try_from(number).ok());
    number.ok_or("this variable must be a 32-bit integer")
}

/// A whole number, decimal or behind `0x` hexadecimal; none where the text is not one.
pub fn number(given: &str) -> Option<i128> {
    let given = given.trim();
    let (negative, digits) = given.strip_prefix('-').map_or((false, given), |digits| (true, digits));
    match digits.strip_prefix("0x") {
        // The parser below would take a second sign.
        Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_') => {
            let number = i128::from_str_radix(&hex.replace('_', ""), 16).ok()?;
            Some(if negative { -number } else { number })
        }
        Some(_) => None,
        None => given.parse().ok(),
    }
}
