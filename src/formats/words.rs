//! The words that a value of `-o json` can be.

use schemars::JsonSchema;

macro_rules! words {
    ($($(#[$meta:meta])* $name:ident { $($(#[$variant_meta:meta])* $variant:ident),* $(,)? })*) => {$(
        $(#[$meta])*
        #[derive(JsonSchema)]
        #[schemars(rename_all = "camelCase", inline)]
        #[allow(dead_code, reason = "the type describes a format")]
        pub(super) enum $name { $($(#[$variant_meta])* $variant),* }
    )*};
}

words! {
    /// Weight of a finding.
    Severity { Error, Warning }
    /// Result of a check.
    Status { Passed, Failed, Warned, Skipped, Accepted }
    /// Result of a file.
    Judged { Accepted, Rejected, Unparseable }
    /// Result of preflight.
    Checked { Passed, Failed }
    /// Why nothing was done.
    Refusal { Refused, Left, Partial }
    /// Source of facts.
    Source { Cloud, Catalogue }
    /// Result of a run of an engine.
    Ended { Done, Stopped, Interrupted, Refused }
    /// Result of a wait.
    Waited { Done, TimedOut, Refused, Interrupted }
    /// What the run waited for.
    Goal { Api, #[schemars(rename = "bootstrap-complete")] Bootstrap, #[schemars(rename = "install-complete")] Installation }
    /// Result of a removal.
    Removal { Gone, Left, TimedOut, Interrupted, Refused }
    /// The word for a plan.
    Planned { Planned }
    /// The word for a cluster that was gone before the run.
    AlreadyGone { AlreadyGone }
    /// State of Azure Service Operator.
    Verdict { Ok, Absent, Unhealthy, Incompatible, Conflict }
    /// Kind of an asset.
    AssetKind { Input, Value, File, Cloud }
}
