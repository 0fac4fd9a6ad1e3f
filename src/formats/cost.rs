//! The cost of a plan.

use schemars::JsonSchema;

use super::Nullable;

/// Something that the cloud charges for.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct CostItem {
    /// Stage that creates it; `null` for what the cluster creates later.
    stage: Nullable<String>,
    /// Whether `destroy bootstrap` removes it.
    temporary: bool,
    kind: String,
    /// Machine pool; empty if it belongs to none.
    pool: String,
    count: u32,
    /// Units of each of them, such as the GiB of a volume.
    each: u64,
    /// Item of the price file.
    item: String,
    r#type: String,
    zone: String,
    unit: String,
    /// Price of a unit; `null` if the price file does not have it.
    price: Nullable<String>,
    /// Cost of all of them in a month.
    month: Nullable<String>,
}

/// A sum, as decimal numbers.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct CostTotal {
    /// The month's sum divided by its hours, rounded to ten decimal places.
    hour: String,
    month: String,
}

/// What a plan costs by the price file of `--prices`.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields, rename_all = "camelCase")]
#[allow(dead_code, reason = "the type describes a format")]
pub(super) struct Cost {
    currency: String,
    region: String,
    /// Where the prices come from.
    source: String,
    hours_per_month: u64,
    items: Vec<CostItem>,
    /// What has no price.
    missing: Vec<String>,
    /// Sum of all items that are not temporary; `null` if a price is missing.
    total: Nullable<CostTotal>,
    /// Sum of the temporary items; `null` if a price is missing.
    temporary: Nullable<CostTotal>,
    not_counted: Vec<String>,
}
