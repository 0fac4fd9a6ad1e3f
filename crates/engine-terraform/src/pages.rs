//! The pages of the engine, and what to do about each cause of trouble.

use landfall_diagnostics::{Code, Kind};

use super::trouble::Cause;

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
    "was refused because the cloud takes no more calls for a while",
    "wait some minutes and run the same command again: it goes on from here",
);
static QUOTA_ADVICE: Advice = advice_of(
    &QUOTA,
    Kind::TooMany,
    "does not fit into a limit of the account",
    "have the limit raised or free something, then run the same command again: it goes on from here",
);
static PERMISSION_ADVICE: Advice = advice_of(
    &PERMISSION,
    Kind::Forbidden,
    "is not allowed with these credentials",
    "give the credentials that permission, then run the same command again: it goes on from here",
);
static NAME_TAKEN_ADVICE: Advice = advice_of(
    &NAME_TAKEN,
    Kind::Duplicate,
    "cannot be made because there is something of its name",
    "run the same command again: on AWS it looks first for resources of this cluster that are not in the state \
     (LF1222). Remove by hand what is not this cluster's, or is on another platform",
);
static CAPACITY_ADVICE: Advice = advice_of(
    &CAPACITY,
    Kind::NotSupported,
    "cannot be made because the cloud has no machine of that type left there",
    "run the same command again later, or choose other zones or another type in install-config.yaml",
);
static CREDENTIALS_ADVICE: Advice = advice_of(
    &CREDENTIALS,
    Kind::Invalid,
    "was refused because the credentials are not valid, or no longer",
    "get new credentials, then run the same command again: it goes on from here",
);
static PROVIDER_ADVICE: Advice = advice_of(
    &PROVIDER,
    Kind::Required,
    "lacks a provider",
    "without a way to the registry, name a folder that holds the providers with --plugin-dir, then run the same \
     command again",
);
static UNREACHABLE_ADVICE: Advice = advice_of(
    &UNREACHABLE,
    Kind::Invalid,
    "needs an endpoint that could not be reached or is not trusted",
    "`landfall preflight` tells which endpoints answer; once they do, run the same command again: it goes on from \
     here",
);
static TIME_OUT_ADVICE: Advice = advice_of(
    &TIME_OUT,
    Kind::Invalid,
    "was not ready in time",
    "run the same command again: it goes on from here",
);
static OTHER_ADVICE: Advice = advice_of(
    &OTHER,
    Kind::InternalError,
    "has failed",
    "put right what is said, then run the same command again: it goes on from here",
);
static LOCKED_ADVICE: Advice = advice_of(
    &LOCKED,
    Kind::Forbidden,
    "is being worked on by another process that holds its state",
    "wait until that has ended, then run the same command again",
);
static DISK_ADVICE: Advice = advice_of(
    &DISK,
    Kind::InternalError,
    "could not be written to the disk",
    "make room, then run the same command again: it goes on from here",
);

/// What is said of a cause.
pub(super) fn advice(cause: Cause) -> &'static Advice {
    match cause {
        Cause::Throttled => &THROTTLED_ADVICE,
        Cause::Quota => &QUOTA_ADVICE,
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
