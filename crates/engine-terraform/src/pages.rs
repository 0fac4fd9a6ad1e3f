//! The pages of the engine, and what to do about each cause of trouble.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use landfall_diagnostics::{Code, Kind};
use serde::Deserialize;

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
#[derive(Clone, Default, Deserialize)]
pub(super) struct Advice {
    /// What is the matter, to stand after the resource's address.
    pub(super) fact: String,
    pub(super) help: String,
}

static ADVICE: LazyLock<BTreeMap<Cause, Advice>> =
    LazyLock::new(|| serde_json::from_str(include_str!("data/advice.json")).unwrap_or_default());

/// What is said of a cause.
pub(super) fn advice(cause: Cause) -> Advice {
    ADVICE.get(&cause).cloned().unwrap_or_default()
}

/// The page of a cause, and the sort of fault.
pub(super) fn page(cause: Cause) -> (&'static Code, Kind) {
    match cause {
        Cause::Throttled => (&THROTTLED, Kind::TooMany),
        Cause::Quota => (&QUOTA, Kind::TooMany),
        Cause::Unanswered | Cause::Missing => (&UNANSWERED, Kind::InternalError),
        Cause::Crashed => (&CRASHED, Kind::InternalError),
        Cause::Permission => (&PERMISSION, Kind::Forbidden),
        Cause::NameTaken => (&NAME_TAKEN, Kind::Duplicate),
        Cause::Capacity => (&CAPACITY, Kind::NotSupported),
        Cause::Credentials => (&CREDENTIALS, Kind::Invalid),
        Cause::Provider => (&PROVIDER, Kind::Required),
        Cause::Unreachable => (&UNREACHABLE, Kind::Invalid),
        Cause::TimeOut => (&TIME_OUT, Kind::Invalid),
        Cause::Other => (&OTHER, Kind::InternalError),
        Cause::Locked => (&LOCKED, Kind::Forbidden),
        Cause::Disk => (&DISK, Kind::InternalError),
    }
}
