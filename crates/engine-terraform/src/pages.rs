//! The pages of the engine, and what to do about each cause of trouble.

use landfall_diagnostics::{Base, Kind, Page, Severity};

use super::trouble::Cause;

/// Every page of the engine, by code.
pub static ALL: &[&Page] = &[
    &NOT_FOUND,
    &TOO_OLD,
    &CANNOT_RUN,
    &STATE,
    &INTERRUPTED,
    &KILLED,
    &FILE,
    &THROTTLED,
    &QUOTA,
    &PERMISSION,
    &NAME_TAKEN,
    &CAPACITY,
    &CREDENTIALS,
    &PROVIDER,
    &UNREACHABLE,
    &TIME_OUT,
    &OTHER,
    &LOCKED,
    &DISK,
];

const fn page(code: &'static str, title: &'static str, text: &'static str) -> Page {
    Page { code, title, text, severity: Severity::Error, fields: &[], base: Base::Whole, bad: "", good: "" }
}

/// There is no program.
pub(super) static NOT_FOUND: Page = page(
    "LF1200",
    "OpenTofu or Terraform is installed",
    "Infrastructure is made by one of them. The program that --terraform names is taken, else `tofu`, else \
     `terraform`, the first on PATH that is new enough. Neither comes with landfall.",
);

/// Every program is too old.
pub(super) static TOO_OLD: Page = page(
    "LF1201",
    "OpenTofu or Terraform is new enough",
    "Version 1.6 or newer is needed. Where both are on PATH, one that is new enough is enough.",
);

/// The program does not run.
pub(super) static CANNOT_RUN: Page = page(
    "LF1202",
    "the program of the engine runs",
    "It is started once with `version -json` before anything else is done. A program for another kind of \
     machine, a file without the right to be run, and a folder on a file system that runs no programs fail here.",
);

/// The state cannot be read.
pub(super) static STATE: Page = page(
    "LF1204",
    "the state of a stage can be read",
    "terraform/<stage>/terraform.tfstate says what was made. It is written by Terraform alone, with a copy of \
     the one before beside it. Without it nothing can be resumed, so it is never taken for an empty one.",
);

/// The work was interrupted.
pub(super) static INTERRUPTED: Page = page(
    "LF1205",
    "the work on the infrastructure was not interrupted",
    "Ctrl-C is passed on to Terraform once: it begins nothing new, finishes what it is making and writes its \
     state, which may take minutes. Pressing it again does not hurry it, as that would cost the state. The next \
     run goes on from there.",
);

/// Terraform was killed.
pub(super) static KILLED: Page = page(
    "LF1206",
    "nothing kills the engine",
    "Terraform was ended by a signal that landfall did not send: for lack of memory, or by hand. Its state holds \
     what was finished; what was just being made may stand in the cloud and not in the state.",
);

/// A file cannot be used.
pub(super) static FILE: Page = page(
    "LF1207",
    "the engine can use its files",
    "Logs lie in .landfall/, configuration and state in terraform/. All of them are for their owner alone.",
);

/// The cloud takes no more calls.
pub(super) static THROTTLED: Page = page(
    "LF1210",
    "the cloud takes the calls of the engine",
    "A cloud takes so many calls in a while, of an account and for a region. The providers wait and try again; \
     where others of the account call as well, that may not be enough.",
);

/// A limit is reached.
pub(super) static QUOTA: Page = page(
    "LF1211",
    "the account has room for the cluster",
    "Preflight compares what a cluster needs with the limits that a cloud tells, but others may use them up \
     between, and some limits are told by nobody.",
);

/// A permission is missing.
pub(super) static PERMISSION: Page = page(
    "LF1212",
    "the credentials may make what a cluster needs",
    "`landfall create permissions-policy` prints what is needed: for AWS a policy, for Azure a role. A policy of an \
     organisation, a boundary, or a lock on a group of resources can refuse what a role allows.",
);

/// A name is taken.
pub(super) static NAME_TAKEN: Page = page(
    "LF1213",
    "the names of the cluster's resources are free",
    "Names hold the infrastructure ID, which is new for each cluster. One is taken where an earlier run was \
     killed after the cloud had made the thing and before the state knew, or where somebody chose the ID.",
);

/// The cloud has no machines.
pub(super) static CAPACITY: Page = page(
    "LF1214",
    "the cloud has machines of the chosen types",
    "A type that is offered in a zone can be used up there for minutes or days. No quota tells of it.",
);

/// The credentials are not valid.
pub(super) static CREDENTIALS: Page = page(
    "LF1215",
    "the credentials are valid until the work is done",
    "Credentials of a session end after a while. The work takes minutes to an hour.",
);

/// A provider is missing.
pub(super) static PROVIDER: Page = page(
    "LF1216",
    "the providers can be installed",
    "The engine takes its providers from the folder that --plugin-dir names, else from where its own \
     configuration says (~/.terraformrc or ~/.tofurc: mirrors, caches), else from the registry. A folder holds \
     registry.terraform.io/hashicorp/<provider>/<version>/<system>/, for this machine's system. OpenTofu looks for \
     registry.opentofu.org in place of registry.terraform.io.",
);

/// An endpoint cannot be reached.
pub(super) static UNREACHABLE: Page = page(
    "LF1217",
    "the engine reaches the cloud",
    "Terraform and its providers call the same endpoints as preflight, through the same proxy, and trust what \
     they are given to trust. Where preflight passes and they fail, look for a rule that tells programs apart.",
);

/// It took too long.
pub(super) static TIME_OUT: Page = page(
    "LF1218",
    "what is made is ready in time",
    "Each provider waits a fixed time for each kind of resource. What was too slow may be ready by now.",
);

/// Anything else.
pub(super) static OTHER: Page = page(
    "LF1219",
    "the engine does its work",
    "What Terraform or a provider said is shown as it came, without what may be secret and cut where it is long. \
     The log in .landfall/ has all of it; it may hold secrets.",
);

/// Another run holds the state.
pub(super) static LOCKED: Page = page(
    "LF1220",
    "nobody else works on the state",
    "Terraform locks its state while it works. Another one holds it: started by hand, or on another machine \
     that shares the folder.",
);

/// The disk is full.
pub(super) static DISK: Page = page(
    "LF1221",
    "the disk takes what the engine writes",
    "A provider takes up to a gigabyte, and a state must be written whenever something was made.",
);

/// What is said of a cause.
pub(super) struct Advice {
    pub(super) page: &'static Page,
    pub(super) kind: Kind,
    /// What is the matter, to stand after the resource's address.
    pub(super) fact: &'static str,
    pub(super) help: &'static str,
}

const fn advice_of(page: &'static Page, kind: Kind, fact: &'static str, help: &'static str) -> Advice {
    Advice { page, kind, fact, help }
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
    "if it is left over from an earlier run of this cluster, remove it by hand, then run the same command again: it \
     goes on from here",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_of_the_engine_and_not_twice() {
        let mut codes: Vec<&str> = ALL.iter().map(|page| page.code).collect();
        assert!(codes.iter().all(|code| ("LF1200"..="LF1229").contains(code)));
        assert!(codes.is_sorted());
        codes.dedup();
        assert_eq!(codes.len(), ALL.len());
    }
}
