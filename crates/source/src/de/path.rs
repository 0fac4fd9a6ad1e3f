//! Paths of values, and an error type without values.

use std::fmt;

use serde::de;

/// The path of a value, as a chain on the stack; it becomes text only for a finding.
pub(super) enum Path<'a> {
    Root,
    Name(&'a Path<'a>, &'a str),
    Key(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Name(Path::Root, name) => f.write_str(name),
            Self::Name(parent, name) => write!(f, "{parent}.{name}"),
            Self::Key(parent, key) => write!(f, "{parent}[{key}]"),
            Self::Index(parent, index) => write!(f, "{parent}[{index}]"),
        }
    }
}

/// Faults are collected, not returned; a type that refuses a value ends the reading of what holds it.
#[derive(Debug)]
pub enum Never {
    /// Why a type refuses a value, of which nothing is said yet.
    Untold(String),
    /// A finding says why.
    Told,
}

impl fmt::Display for Never {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Untold(why) => f.write_str(why),
            Self::Told => f.write_str("the value is refused"),
        }
    }
}

impl std::error::Error for Never {}

impl de::Error for Never {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::Untold(message.to_string())
    }
}
