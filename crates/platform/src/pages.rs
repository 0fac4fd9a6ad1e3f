//! The findings of asking a cloud, whichever it is.

use std::time::Duration;

use landfall_diagnostics::{Code, Finding, Kind};

const LATE: Code = Code::new("LF1090");

const NOT_GATHERED: Code = Code::new("LF1091");

const NO_REMOVAL: Code = Code::new("LF1092");

const UNPROVEN: Code = Code::new("LF1326");

const NOT_NATIVE: Code = Code::new("LF1420");

/// A setting of a plan that the native engine cannot create.
pub const NOT_NATIVE_SETTING: Code = Code::new("LF1421");

/// A platform on which landfall itself creates no clusters.
#[must_use]
pub fn not_native(platform: &str) -> Finding {
    let message = format!("the native engine creates no clusters on platform `{platform}`");
    Finding::error(&NOT_NATIVE, Kind::NotSupported, "platform", message)
        .help("use `--engine terraform`; nothing was created")
}

/// A cluster of a platform that landfall cannot remove anything from.
#[must_use]
pub fn no_removal(platform: &str, infra_id: &str) -> Finding {
    let message = format!("{infra_id} is a cluster on platform `{platform}`, which landfall cannot destroy");
    let help = "remove it with the platform's own tools";
    Finding::error(&NO_REMOVAL, Kind::NotSupported, "", message).help(help)
}

/// A resource without the cluster's tag that may belong to the cluster, and why it may.
#[must_use]
pub fn unproven(what: &str, why: &str) -> Finding {
    let message =
        format!("{what} is kept: it has no tag of the cluster, but may belong to it, because {why}");
    Finding::error(&UNPROVEN, Kind::Invalid, "", message)
}

/// A check that was broken off.
#[must_use]
pub fn late(field: &str, limit: Duration) -> Finding {
    let message = format!("no response before the run's {} s were over", limit.as_secs_f32());
    let help = "check the network, or set a longer time with --deadline";
    Finding::error(&LATE, Kind::InternalError, field, message).help(help)
}

/// A part of the facts that nobody could ask for.
#[must_use]
pub fn not_gathered(part: &str, why: &str) -> Finding {
    let message = format!("the {} could not be read: {why}", part.replace('-', " "));
    Finding::error(&NOT_GATHERED, Kind::Invalid, "", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_platform_without_resources_names_another_engine() {
        let finding = not_native("moon");
        assert_eq!(finding.code.as_str(), "LF1420");
        assert!(finding.message.contains("`moon`") && finding.help.is_some());
    }
}
