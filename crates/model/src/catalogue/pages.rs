//! The codes of the catalogue.
//!
//! What can be wrong with the form of an overlay has the codes of reading (`LF00xx`); these are about what
//! it says. Their subject is no install config, so that they have no examples of one.

use landfall_diagnostics::Code;

/// A pattern that cannot be used.
pub const PATTERN: Code = Code::new("LF0601");
/// A name of something that is not there.
pub const REFERENCE: Code = Code::new("LF0602");
/// A value that is none of the accepted ones.
pub const CHOICE: Code = Code::new("LF0603");
/// A region with two partitions.
pub const TWICE: Code = Code::new("LF0604");
/// A document that is no stream metadata.
pub const NO_STREAM: Code = Code::new("LF0605");
