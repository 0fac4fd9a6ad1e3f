//! Settings that an install config may have and that landfall's own machines and modules do not: better
//! refused than left out.

use landfall_diagnostics::Findings;

use super::{Planning, pages};

/// Refuses each of them.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let platform = planning.platform;
    if platform.user_provisioned_dns == "Enabled" {
        out.push(pages::not_made("platform.aws.userProvisionedDNS", "user-provisioned DNS"));
    }
}
