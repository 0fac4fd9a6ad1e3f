//! From text to a tree in which every value knows its place, and from the tree to typed values.
//!
//! Reads YAML 1.1 as the OpenShift installer does (`docs/install-config.md`, section 3), with limits
//! that make a hostile file cheap. Knows nothing of install configs: field names come from the types
//! that are deserialised.
//!
//! ```
//! use landfall_diagnostics::Findings;
//! use landfall_source::{Scalar, read, resolve};
//!
//! let text = "metadata:\n  name: demo\nmetadata:\n  name: other\n";
//! let mut findings = Findings::default();
//! read(text, &mut findings);
//! let duplicate = &findings.into_vec()[0];
//! assert_eq!(duplicate.kind.name(), "Duplicate");
//! // The second key begins at the third line.
//! assert_eq!(duplicate.span.map(|span| span.range().start), Some(23));
//!
//! // YAML 1.1: a word that newer parsers take for text.
//! assert_eq!(resolve("yes"), Scalar::Bool(true));
//! ```

#![forbid(unsafe_code)]

mod de;
mod mask;
pub mod pages;
mod scalar;
mod tree;

pub use de::{Check, Decoder, FormFault, STRICT_TEXT_NAME, fold_eq};
pub use mask::{Mask, Masked};
pub use scalar::{Scalar, resolve};
pub use tree::{Entry, Node, NodeId, NodeKind, Slice, Tree};

use landfall_diagnostics::{Finding, Findings, Kind, Span};

/// The largest file that is read, in bytes.
pub const MOST_BYTES: usize = 10_000_000;
/// The most values of a file, aliases and merge keys written out.
pub const MOST_NODES: usize = 50_000;
/// The most levels of a file.
pub const MOST_DEPTH: usize = 100;

/// The text of a file's bytes, without its byte order mark.
///
/// # Errors
/// The finding says what the bytes are instead: too many, UTF-16, or not text.
pub fn text_of(bytes: &[u8]) -> Result<&str, Box<Finding>> {
    if bytes.len() > MOST_BYTES {
        let message = "the file is larger than the limit of 10 MB";
        return Err(Box::new(Finding::error(&pages::TOO_LARGE, Kind::Parse, "", message)));
    }
    let encoding = |message: String, help: &str| {
        Box::new(Finding::error(&pages::ENCODING, Kind::Parse, "", message).help(help))
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(encoding(
            "the file is UTF-16, not UTF-8".to_owned(),
            "save it as UTF-8, or convert it with `iconv -f UTF-16 -t UTF-8`",
        ));
    }
    if bytes.contains(&0) {
        return Err(encoding(
            "the file contains NUL bytes: it is binary data or UTF-16 without a byte order mark".to_owned(),
            "use the install config itself, saved as UTF-8",
        ));
    }
    std::str::from_utf8(bytes).map_err(|fault| {
        encoding(
            format!("byte {} of the file is not UTF-8", fault.valid_up_to() + 1),
            "save the file as UTF-8",
        )
    })
}

/// Reads `text` as far as it can be read.
///
/// All faults go to `findings` with their place; where there is one, the tree holds what stands before
/// it.
pub fn read<'t>(text: &'t str, findings: &mut Findings) -> Tree<'t> {
    tree::read(text, findings)
}

/// The finding for a list that was cut, if it was; an error exactly if errors are missing.
#[must_use]
pub fn cut_short(findings: &Findings) -> Option<Finding> {
    let (errors, warnings) = findings.dropped();
    let message = format!("{} further findings are not shown", errors + warnings);
    let (page, kind) = (&pages::TOO_MANY_FINDINGS, Kind::TooMany);
    let finding = match (errors, warnings) {
        (0, 0) => return None,
        (0, _) => Finding::warning(page, kind, "", message),
        _ => Finding::error(page, kind, "", message),
    };
    Some(finding.span(Span::new(usize::MAX, usize::MAX)))
}
