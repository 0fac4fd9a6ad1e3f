//! The codes of reading a file.

use landfall_diagnostics::Code;

/// The file could not be opened or read.
pub const UNREADABLE: Code = Code::new("LF0001");
/// The bytes are not UTF-8 text.
pub const ENCODING: Code = Code::new("LF0002");
/// The file is larger than any install config.
pub const TOO_LARGE: Code = Code::new("LF0003");
/// The tree has too many levels or nodes.
pub const TOO_DEEP: Code = Code::new("LF0004");
/// The text is not YAML.
pub const SYNTAX: Code = Code::new("LF0005");
/// A map has a key twice.
pub const DUPLICATE_KEY: Code = Code::new("LF0006");
/// A key is not text.
pub const KEY: Code = Code::new("LF0007");
/// A key is not a field of the format.
pub const UNKNOWN_FIELD: Code = Code::new("LF0010");
/// A value has another type than its field.
pub const WRONG_TYPE: Code = Code::new("LF0011");
/// A value with a fixed form cannot be read.
pub const FORM: Code = Code::new("LF0012");
/// More findings than anybody reads.
pub const TOO_MANY_FINDINGS: Code = Code::new("LF0013");
/// Text after the first document.
pub const MORE_DOCUMENTS: Code = Code::new("LF0020");
/// A scalar that reads as another text than was written.
pub const CONVERTED: Code = Code::new("LF0021");
/// A field name in another case.
pub const SPELLING: Code = Code::new("LF0022");
/// Text that only lenient YAML parsers read.
pub const LENIENT: Code = Code::new("LF0023");
