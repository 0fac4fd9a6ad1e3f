//! The pages of trust, endpoints, credentials and calls.

use landfall_diagnostics::Code;

/// Nothing gives credentials.
pub(super) const NO_CREDENTIALS: Code = Code::new("LF1001");

/// The source of credentials that is set up gives none.
pub(super) const CREDENTIAL_SOURCE: Code = Code::new("LF1002");

/// AWS does not accept the credentials.
pub(super) const REFUSED: Code = Code::new("LF1003");

/// The credentials' time is over.
pub(super) const EXPIRED: Code = Code::new("LF1004");

/// This machine's clock is wrong.
pub(super) const CLOCK: Code = Code::new("LF1005");

/// The credentials are of another partition.
pub(super) const PARTITION: Code = Code::new("LF1006");

/// The caller is the root user.
pub(super) const ROOT: Code = Code::new("LF1007");

/// The role for the hosted zone cannot be assumed.
pub(super) const ZONE_ROLE: Code = Code::new("LF1008");

/// A certificate that was given as a trust root cannot be one.
pub(super) const TRUST: Code = Code::new("LF1010");

/// Something that is set as an endpoint is no URL.
pub(super) const URL: Code = Code::new("LF1011");

/// Nothing answers at an endpoint.
pub(super) const UNREACHABLE: Code = Code::new("LF1012");

/// The TLS of an endpoint cannot be trusted.
pub(super) const TLS: Code = Code::new("LF1013");

/// Something answers at an endpoint, but not the service.
pub(super) const NOT_THE_SERVICE: Code = Code::new("LF1014");

/// An endpoint sends somewhere else.
pub(super) const REDIRECT: Code = Code::new("LF1015");

/// A call failed.
pub(super) const CALL: Code = Code::new("LF1020");
