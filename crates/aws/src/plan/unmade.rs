//! Settings that an install config may have and that landfall's own machines and modules do not: better
//! refused than left out.

use landfall_diagnostics::Findings;

use super::{Planning, pages};

/// Refuses each of them.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let platform = planning.platform;
    let settings = [
        ("userProvisionedDNS", platform.user_provisioned_dns == "Enabled", "user-provisioned DNS"),
        ("ipFamily", platform.is_dual_stack(), "dual-stack networking"),
    ];
    for (field, _, what) in settings.into_iter().filter(|(_, wanted, _)| *wanted) {
        out.push(pages::not_made(&format!("platform.aws.{field}"), what));
    }
}
