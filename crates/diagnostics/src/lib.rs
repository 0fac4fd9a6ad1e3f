//! What landfall has to say about an input: findings, their codes and their places.
//!
//! A [`Finding`] is a value. Whoever finds something returns it; it is sorted by place and shown in
//! one room only (`ui`). Nothing here prints, reads a file or knows what a rule is about.
//!
//! ```
//! use landfall_diagnostics::{Finding, Kind, page, nearest};
//!
//! let code = page("LF0715").map(|page| page.code);
//! assert!(code.is_some());
//! assert_eq!(nearest("us-eats-1", ["us-east-1", "eu-west-1"]), Some("us-east-1"));
//! ```

#![forbid(unsafe_code)]

mod base;
mod clock;
mod code;
mod nearest;
mod page;
mod pages;
mod place;
pub mod secret;

pub use base::Base;
pub use clock::clock;
pub use code::Code;
pub use nearest::nearest;
pub use page::Page;
pub use pages::{page, pages};
pub use place::{LineIndex, Place, Span};

use serde::Serialize;

/// How much a finding weighs. A warning never rejects a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file is refused.
    Error,
    /// Worth knowing; the file is accepted.
    Warning,
}

/// The sort of fault, in the words of Kubernetes' field errors plus three for text that cannot become
/// an install config at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Kind {
    /// A value is missing.
    Required,
    /// A value breaks a rule.
    Invalid,
    /// A value is not one of the accepted ones.
    NotSupported,
    /// A value or a key appears twice.
    Duplicate,
    /// A value must not be given here.
    Forbidden,
    /// A list or map has too many entries.
    TooMany,
    /// A list is longer than another one allows.
    TooLong,
    /// A later computation is impossible with this value; of a cloud, that it, or the way to it, was in trouble.
    InternalError,
    /// A value has the wrong type.
    TypeInvalid,
    /// The text is not readable as YAML.
    Parse,
    /// A key is not known.
    Unknown,
}

impl Kind {
    /// The name as `-o json` gives it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Required => "Required",
            Self::Invalid => "Invalid",
            Self::NotSupported => "NotSupported",
            Self::Duplicate => "Duplicate",
            Self::Forbidden => "Forbidden",
            Self::TooMany => "TooMany",
            Self::TooLong => "TooLong",
            Self::InternalError => "InternalError",
            Self::TypeInvalid => "TypeInvalid",
            Self::Parse => "Parse",
            Self::Unknown => "Unknown",
        }
    }
}

/// A second place that belongs to a finding, such as the first of two equal entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// What is to be seen there.
    pub label: String,
    /// The field path of the place.
    pub at: String,
    /// The bytes of the place, once it was looked up.
    pub span: Option<Span>,
}

/// An error or a warning about an input.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The code, whose page says what the rule is for.
    pub code: &'static Code,
    /// Error or warning.
    pub severity: Severity,
    /// The sort of fault.
    pub kind: Kind,
    /// Field path as the OpenShift installer reports it, which is not always that of the value.
    pub field: String,
    /// Field path of the real place, where it differs from `field`.
    pub at: Option<String>,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// A second place worth seeing.
    pub related: Option<Related>,
    /// The bytes that the finding points at, once they were looked up.
    pub span: Option<Span>,
}

impl Finding {
    /// An error at `field`, with the place still to be looked up.
    pub fn error(
        code: &'static Code,
        kind: Kind,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            kind,
            field: field.into(),
            at: None,
            message: message.into(),
            help: None,
            related: None,
            span: None,
        }
    }

    /// A warning at `field`, with the place still to be looked up.
    pub fn warning(
        code: &'static Code,
        kind: Kind,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { severity: Severity::Warning, ..Self::error(code, kind, field, message) }
    }

    /// An error for a value that is none of the accepted ones, with the nearest of them as help.
    pub fn not_supported(
        code: &'static Code,
        field: impl Into<String>,
        value: &str,
        accepted: &[&str],
    ) -> Self {
        let message = match value {
            "" => format!("a value is missing; accepted: {}", accepted.join(", ")),
            value => format!("`{}` is not accepted; accepted: {}", shortened(value), accepted.join(", ")),
        };
        let mut finding = Self::error(code, Kind::NotSupported, field, message);
        finding.help = nearest(value, accepted.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        finding
    }

    /// Whether the cloud, or the way to it, was in trouble, so that the same run may end better another time.
    #[must_use]
    pub fn may_pass(&self) -> bool {
        self.kind == Kind::InternalError
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the field path of the real place, for the paths that the OpenShift installer reports
    /// differently (`docs/install-config.md`, section 14).
    #[must_use]
    pub fn at(mut self, at: impl Into<String>) -> Self {
        self.at = Some(at.into());
        self
    }

    /// Adds a second place worth seeing.
    #[must_use]
    pub fn related(mut self, label: impl Into<String>, at: impl Into<String>) -> Self {
        self.related = Some(Related { label: label.into(), at: at.into(), span: None });
        self
    }

    /// Sets the bytes that the finding points at.
    #[must_use]
    pub fn span(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Whether the finding refuses the file.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// A number with its noun, such as `1 tag` or `3 tags`.
#[must_use]
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("{count} {noun}") } else { format!("{count} {noun}s") }
}

/// The first few names for a message, and how many there are besides, as in `a, b and 3 more`.
#[must_use]
pub fn few(names: &[impl AsRef<str>], most: usize) -> String {
    let first: Vec<&str> = names.iter().take(most).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(most) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// A value for a message: long ones are cut, line breaks shown as blanks.
#[must_use]
pub fn shortened(value: &str) -> String {
    const MOST: usize = 80;
    let line: String = value.chars().take(MOST).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if value.chars().nth(MOST).is_some() { format!("{line}…") } else { line }
}

/// The most errors, and the most warnings, that are kept of one file; a file with more is broken in a way
/// that a longer list would not explain, and a hostile one must not fill the memory.
pub const MOST_FINDINGS: usize = 1000;

/// A growing list of findings with an upper bound for each severity.
#[derive(Debug, Default)]
pub struct Findings {
    list: Vec<Finding>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    /// Takes a finding in, or only counts it when there are too many of its severity.
    pub fn push(&mut self, finding: Finding) {
        let count = self.count(finding.severity);
        *count += 1;
        if *count <= MOST_FINDINGS {
            self.list.push(finding);
        }
    }

    /// Takes over all findings of another list.
    pub fn extend(&mut self, other: Self) {
        let (errors, warnings) = other.dropped();
        other.list.into_iter().for_each(|finding| self.push(finding));
        self.errors += errors;
        self.warnings += warnings;
    }

    /// Counts a finding that would not be kept, so that it need not be created.
    pub fn skip(&mut self, severity: Severity) {
        *self.count(severity) += 1;
    }

    fn count(&mut self, severity: Severity) -> &mut usize {
        match severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        }
    }

    /// Whether further findings of a severity are only counted.
    #[must_use]
    pub fn is_full(&self, severity: Severity) -> bool {
        let count = if severity == Severity::Error { self.errors } else { self.warnings };
        count >= MOST_FINDINGS
    }

    /// How many errors there are, kept or not.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many errors, and how many warnings, are not kept.
    #[must_use]
    pub fn dropped(&self) -> (usize, usize) {
        (self.errors.saturating_sub(MOST_FINDINGS), self.warnings.saturating_sub(MOST_FINDINGS))
    }

    /// Gives the findings away, in the order in which they came.
    #[must_use]
    pub fn into_vec(self) -> Vec<Finding> {
        self.list
    }
}

/// Sorts findings by place, then by code, field and message, so that the order depends on nothing but
/// the file.
pub fn sort(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.span.map_or((0, 0), |s| (s.start, s.end)), f.code.as_str());
        key(a)
            .cmp(&key(b))
            .then_with(|| a.field.cmp(&b.field))
            .then_with(|| a.kind.cmp(&b.kind))
            .then_with(|| a.message.cmp(&b.message))
    });
}
