//! The pages of the engine, and what to do about each cause of trouble.

use landfall_diagnostics::{Code, Kind};

use super::run_errors::Cause;

/// There is no program.
pub(super) static NOT_FOUND: Code = Code::new("LF1200");

/// Every program is too old.
pub(super) static TOO_OLD: Code = Code::new("LF1201");

/// The program does not run.
pub(super) static CANNOT_RUN: Code = Code::new("LF1202");

/// The state cannot be read.
pub(super) static STATE: Code = Code::new("LF1204");

/// The work was interrupted.
pub(super) static INTERRUPTED: Code = Code::new("LF1205");

/// Terraform was killed.
pub(super) static KILLED: Code = Code::new("LF1206");

/// A file cannot be used.
pub(super) static FILE: Code = Code::new("LF1207");

/// The cloud takes no more calls.
pub(super) static THROTTLED: Code = Code::new("LF1210");

/// A limit is reached.
pub(super) static QUOTA: Code = Code::new("LF1211");

/// A permission is missing.
pub(super) static PERMISSION: Code = Code::new("LF1212");

/// A name is taken.
pub(super) static NAME_TAKEN: Code = Code::new("LF1213");

/// The cloud has no machines.
pub(super) static CAPACITY: Code = Code::new("LF1214");

/// The credentials are not valid.
pub(super) static CREDENTIALS: Code = Code::new("LF1215");

/// A provider is missing.
pub(super) static PROVIDER: Code = Code::new("LF1216");

/// An endpoint cannot be reached.
pub(super) static UNREACHABLE: Code = Code::new("LF1217");

/// It took too long.
pub(super) static TIME_OUT: Code = Code::new("LF1218");

/// Anything else.
pub(super) static OTHER: Code = Code::new("LF1219");

/// Another run holds the state.
pub(super) static LOCKED: Code = Code::new("LF1220");

/// The disk is full.
pub(super) static DISK: Code = Code::new("LF1221");

/// The cloud did not answer.
pub(super) static UNANSWERED: Code = Code::new("LF1226");

/// A provider crashed.
pub(super) static CRASHED: Code = Code::new("LF1227");

/// The state lacks resources.
pub static UNTRACKED: Code = Code::new("LF1222");

/// What is said of a cause.
pub(super) struct Advice {
    pub(super) code: &'static Code,
    pub(super) kind: Kind,
    /// What is the matter, to stand after the resource's address.
    pub(super) fact: &'static str,
    pub(super) help: &'static str,
}

const fn advice_of(code: &'static Code, kind: Kind, fact: &'static str, help: &'static str) -> Advice {
    Advice { code, kind, fact, help }
}

static THROTTLED_ADVICE: Advice = advice_of(
    &THROTTLED,
    Kind::TooMany,
    "was throttled by the cloud",
    "wait some minutes and run the same command again: it continues from here",
);
static QUOTA_ADVICE: Advice = advice_of(
    &QUOTA,
    Kind::TooMany,
    "exceeds a quota of the account",
    "raise the quota or free resources, then run the same command again: it continues from here",
);
static PERMISSION_ADVICE: Advice = advice_of(
    &PERMISSION,
    Kind::Forbidden,
    "is not allowed with these credentials",
    "grant that permission to the credentials, then run the same command again: it continues from here",
);
static NAME_TAKEN_ADVICE: Advice = advice_of(
    &NAME_TAKEN,
    Kind::Duplicate,
    "cannot be created because a resource of its name exists",
    "run the same command again: it first lists resources of this cluster that are missing in the state \
     (LF1222). Remove other resources by hand",
);
static CAPACITY_ADVICE: Advice = advice_of(
    &CAPACITY,
    Kind::NotSupported,
    "cannot be created because the cloud has no capacity for that machine type there",
    "run the same command again later, or choose other zones or another type in install-config.yaml",
);
static CREDENTIALS_ADVICE: Advice = advice_of(
    &CREDENTIALS,
    Kind::Invalid,
    "was rejected because the credentials are invalid or expired",
    "get new credentials, then run the same command again: it continues from here",
);
static PROVIDER_ADVICE: Advice = advice_of(
    &PROVIDER,
    Kind::Required,
    "lacks a provider",
    "without access to the registry, set a folder with the providers with --plugin-dir, then run the same \
     command again",
);
static UNREACHABLE_ADVICE: Advice = advice_of(
    &UNREACHABLE,
    Kind::Invalid,
    "needs an endpoint that could not be reached or is not trusted",
    "`landfall preflight` checks the endpoints; once they answer, run the same command again: it continues \
     from here",
);
static UNANSWERED_ADVICE: Advice = advice_of(
    &UNANSWERED,
    Kind::InternalError,
    "failed because the cloud did not answer a call properly",
    "run the same command again: it continues from here",
);
static CRASHED_ADVICE: Advice = advice_of(
    &CRASHED,
    Kind::InternalError,
    "failed because the provider crashed",
    "run the same command again: it first lists created resources that are missing in the state (LF1222)",
);
static TIME_OUT_ADVICE: Advice = advice_of(
    &TIME_OUT,
    Kind::Invalid,
    "was not ready in time",
    "run the same command again: it continues from here",
);
static OTHER_ADVICE: Advice = advice_of(
    &OTHER,
    Kind::InternalError,
    "has failed",
    "fix the reason, then run the same command again: it continues from here",
);
static LOCKED_ADVICE: Advice = advice_of(
    &LOCKED,
    Kind::Forbidden,
    "is locked by another process that uses its state",
    "wait until that has ended, then run the same command again",
);
static DISK_ADVICE: Advice = advice_of(
    &DISK,
    Kind::InternalError,
    "could not be written to the disk",
    "free disk space, then run the same command again: it continues from here",
);

/// What is said of a cause.
pub(super) fn advice(cause: Cause) -> &'static Advice {
    match cause {
        Cause::Throttled => &THROTTLED_ADVICE,
        Cause::Quota => &QUOTA_ADVICE,
        Cause::Unanswered | Cause::Missing => &UNANSWERED_ADVICE,
        Cause::Crashed => &CRASHED_ADVICE,
        Cause::Permission => &PERMISSION_ADVICE,
        Cause::NameTaken => &NAME_TAKEN_ADVICE,
        Cause::Capacity => &CAPACITY_ADVICE,
        Cause::Credentials => &CREDENTIALS_ADVICE,
        Cause::Provider => &PROVIDER_ADVICE,
        Cause::Unreachable => &UNREACHABLE_ADVICE,
        Cause::TimeOut => &TIME_OUT_ADVICE,
        Cause::Other => &OTHER_ADVICE,
        Cause::Locked => &LOCKED_ADVICE,
        Cause::Disk => &DISK_ADVICE,
    }
}
