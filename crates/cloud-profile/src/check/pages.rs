//! The codes of profiles in files. Their subject is no install config, so that they have no examples of one.

use landfall_diagnostics::Code;

/// The file holds no such object.
pub const OBJECT: Code = Code::new("LF1450");
/// A value is of another type.
pub const TYPE: Code = Code::new("LF1451");
/// The profile is refused for what it says itself.
pub const ENTRY: Code = Code::new("LF1452");
/// The profile is refused for what its parent says.
pub const PARENT: Code = Code::new("LF1453");
/// The parent says something else.
pub const CONFLICT: Code = Code::new("LF1454");
/// A profile that inherits was not joined with its parent.
pub const NOT_RENDERED: Code = Code::new("LF1455");
/// The profile is for a provider that landfall does not install on.
pub const PROVIDER: Code = Code::new("LF1456");
/// A version is taken out of a profile.
pub const EXPIRED: Code = Code::new("LF1457");
