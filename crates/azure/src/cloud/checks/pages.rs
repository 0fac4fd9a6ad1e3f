//! The pages of the checks of Azure.

use landfall_diagnostics::Code;

/// A set of disk keys is not there, or is elsewhere.
pub(super) const DISK_SET: Code = Code::new("LF1130");

/// A set of disk keys is of the wrong kind.
pub(super) const DISK_SET_KIND: Code = Code::new("LF1131");

/// The storage account's key is not there.
pub(super) const KEY: Code = Code::new("LF1132");

/// The vault of the key can be purged.
pub(super) const VAULT: Code = Code::new("LF1133");

/// A marketplace image is not there.
pub(super) const IMAGE: Code = Code::new("LF1134");

/// A marketplace image does not fit its machines.
pub(super) const IMAGE_FIT: Code = Code::new("LF1135");

/// The terms of a marketplace image are not accepted.
pub(super) const IMAGE_TERMS: Code = Code::new("LF1136");

/// The config is wrong about the plan of a marketplace image.
pub(super) const IMAGE_PLAN: Code = Code::new("LF1137");

/// A managed identity is not there.
pub(super) const IDENTITY: Code = Code::new("LF1138");

/// The caller lacks rights.
pub(super) const PERMISSIONS: Code = Code::new("LF1139");

/// The caller lacks the right to assign roles.
pub(super) const ROLES: Code = Code::new("LF1140");

/// A lock forbids changes.
pub(super) const LOCKED: Code = Code::new("LF1141");

/// A lock forbids removal.
pub(super) const NOT_REMOVABLE: Code = Code::new("LF1142");

/// Resource providers are not registered.
pub(super) const PROVIDERS: Code = Code::new("LF1143");

/// Resource providers are being registered.
pub(super) const REGISTERING: Code = Code::new("LF1144");

/// A quota is too small.
pub(super) const QUOTA: Code = Code::new("LF1145");

/// A quota is nearly used up.
pub(super) const QUOTA_TIGHT: Code = Code::new("LF1146");

/// The operators cannot use the credentials that the cluster is made with.
pub(super) const OPERATORS: Code = Code::new("LF1147");

/// The operators are not given the credentials that the cluster is made with.
pub(super) const WITHOUT_SECRET: Code = Code::new("LF1148");

/// The image that the cluster brings along cannot be read, or not from here.
pub(super) const IMAGE_SOURCE: Code = Code::new("LF1149");
