//! Checks of what facts do not hold: images, keys, roles, permissions, quotas. All of them only read.

mod address_pool;
mod iam;
mod images;
mod kms;
pub(super) mod pages;
mod permissions;
mod quota_limits;
mod quota_needs;
mod quota_use;
mod quotas;
mod settings;
mod simulation;
mod vpc;

pub(super) use quota_limits::{Limits, look_ahead};

use landfall_model::plan::Plan;
use landfall_platform::cloud::Check;

use super::session::Session;

/// The checks that need no plan.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    session.limits.want();
    let mut all = images::checks(session);
    all.extend(vpc::checks(session));
    all.extend(kms::checks(session));
    all.extend(iam::checks(session));
    all.extend(permissions::checks(session));
    all
}

/// The checks of what the plan uses up.
pub(super) fn of_plan<'s>(session: &'s Session<'_>, plan: &'s Plan) -> Vec<Check<'s>> {
    let mut all = address_pool::checks(session, plan);
    all.extend(quotas::checks(session, plan));
    all
}

/// The checks that would be made of a plan if there were one: id and field.
pub(super) fn without_plan() -> Vec<(String, String)> {
    quotas::without_plan()
}
