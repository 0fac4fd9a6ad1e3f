//! The findings of asking a cloud, whichever it is.

use std::time::Duration;

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity};

const LATE: Page = Page {
    code: "LF1090",
    title: "every question is answered before the time for the run is over",
    text: "All checks together have one deadline. What runs longer than that is broken off, and what it would \
           have said is not known. A slow network, a proxy or an endpoint that accepts connections and then \
           keeps silent are the usual reasons.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

const NOT_GATHERED: Page = Page {
    code: "LF1091",
    title: "everything that planning needs to know can be asked for",
    text: "A plan is made of facts: zones, instance types, networks, hosted zones. Where one of them cannot be \
           asked for, the plan would be a guess. `landfall preflight` says what stands in the way; facts that \
           were gathered elsewhere can be given with --facts, and --offline plans with the catalogue alone.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

const NO_REMOVAL: Page = Page {
    code: "LF1092",
    title: "a cluster is removed from a platform that landfall makes clusters on",
    text: "Landfall removes what it can find, and it can look at the clouds only that it makes clusters in. A \
           cluster on another platform is removed with the means of that platform.",
    severity: Severity::Error,
    fields: &[],
    base: Base::Whole,
    bad: "",
    good: "",
};

/// The pages of asking a cloud.
pub const PAGES: &[&Page] = &[&LATE, &NOT_GATHERED, &NO_REMOVAL];

/// A cluster of a platform that landfall cannot remove anything from.
#[must_use]
pub fn no_removal(platform: &str, infra_id: &str) -> Finding {
    let message = format!("{infra_id} is a cluster on platform `{platform}`, where landfall removes nothing");
    let help = "remove it with the means of that platform";
    Finding::error(&NO_REMOVAL, Kind::NotSupported, "", message).help(help)
}

/// A check that was broken off.
#[must_use]
pub fn late(field: &str, limit: Duration) -> Finding {
    let message = format!("no answer before the {} s of the run were over", limit.as_secs_f32());
    let help = "look at the network on the way, or give the run more time with --deadline";
    Finding::error(&LATE, Kind::Invalid, field, message).help(help)
}

/// A part of the facts that nobody could ask for.
#[must_use]
pub fn not_gathered(part: &str, why: &str) -> Finding {
    let message = format!("the {} could not be asked for: {why}", part.replace('-', " "));
    Finding::error(&NOT_GATHERED, Kind::Invalid, "", message)
}
