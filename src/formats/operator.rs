//! Azure Service Operator in a management cluster.

use schemars::JsonSchema;

use super::words::{Ended, Verdict};
use super::{Nullable, Remark};

/// An upgrade of the operator.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
struct Upgrade {
    to: String,
    stored_versions_compared: bool,
}

/// Output of `aso check`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct OperatorCheck {
    verdict: Verdict,
    operator_namespace: Nullable<String>,
    version: Nullable<String>,
    installer: Nullable<String>,
    #[schemars(rename = "infraID")]
    infra_id: Nullable<String>,
    namespace: Nullable<String>,
    cloud: Nullable<String>,
    upgrade: Nullable<Upgrade>,
    findings: Vec<Remark>,
}

/// Output of `aso install` and `aso upgrade`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct OperatorRelease {
    outcome: Ended,
    /// The version that was installed before.
    from: Nullable<String>,
    version: String,
    operator_namespace: String,
    /// How many objects were applied.
    applied: Nullable<u64>,
    findings: Vec<Remark>,
}

/// An object of Azure Service Operator after a run.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
struct ObjectWork {
    kind: String,
    name: String,
    action: String,
    policy: Nullable<String>,
    message: String,
}

/// Output of `aso pause`, `aso resume`, `aso handover` and `aso move`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct ObjectsReport {
    outcome: Ended,
    #[schemars(rename = "infraID")]
    infra_id: String,
    namespace: String,
    work: Vec<ObjectWork>,
    findings: Vec<Remark>,
}
