//! The pages of trust, endpoints, credentials, the subscription and calls.

use landfall_diagnostics::Code;

/// A certificate that was given as a trust root cannot be one.
pub(super) const TRUST: Code = Code::new("LF1100");

/// Nobody knows the cloud.
pub(super) const CLOUD: Code = Code::new("LF1101");

/// The cloud was closed.
pub(super) const CLOSED: Code = Code::new("LF1102");

/// Something that is set as an endpoint cannot be one.
pub(super) const URL: Code = Code::new("LF1103");

/// A Stack Hub does not tell its endpoints.
pub(super) const DISCOVERY: Code = Code::new("LF1104");

/// A Stack Hub has an authority that cannot be used.
pub(super) const FEDERATION_SERVICES: Code = Code::new("LF1105");

/// Nothing answers at an endpoint.
pub(super) const UNREACHABLE: Code = Code::new("LF1106");

/// The TLS of an endpoint cannot be trusted.
pub(super) const TLS: Code = Code::new("LF1107");

/// Something answers at an endpoint, but not what should.
pub(super) const NOT_AZURE: Code = Code::new("LF1108");

/// An endpoint sends somewhere else.
pub(super) const REDIRECT: Code = Code::new("LF1109");

/// Nothing gives credentials.
pub(super) const NO_CREDENTIALS: Code = Code::new("LF1110");

/// Credentials that lack a part.
pub(super) const INCOMPLETE: Code = Code::new("LF1111");

/// A certificate that no token can be asked for with.
pub(super) const CERTIFICATE: Code = Code::new("LF1112");

/// The authority does not accept the credentials.
pub(super) const REFUSED: Code = Code::new("LF1113");

/// The credentials' time is over.
pub(super) const EXPIRED: Code = Code::new("LF1114");

/// The source of credentials gives no token.
pub(super) const NO_TOKEN: Code = Code::new("LF1115");

/// Nobody says which subscription it is.
pub(super) const SUBSCRIPTION: Code = Code::new("LF1116");

/// The subscription is not there.
pub(super) const NO_SUBSCRIPTION: Code = Code::new("LF1117");

/// Nothing can be made in the subscription.
pub(super) const DISABLED: Code = Code::new("LF1118");

/// The subscription may be disabled soon.
pub(super) const UNPAID: Code = Code::new("LF1119");

/// The subscription is of another tenant.
pub(super) const TENANT: Code = Code::new("LF1120");

/// A call failed.
pub(super) const CALL: Code = Code::new("LF1121");

/// The identity of a service, which terraform's provider cannot use.
pub(super) const IDENTITY_OF_SERVICE: Code = Code::new("LF1253");
