//! Settings that an install config may have and that landfall's own machines and modules do not: better
//! refused than left out.

use landfall_diagnostics::Findings;

use super::{Planning, pages};

/// Refuses each of them.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let platform = planning.platform;
    let roles = platform.vpc.subnets.iter().any(|subnet| !subnet.roles.is_empty());
    let settings = [
        ("userProvisionedDNS", platform.user_provisioned_dns == "Enabled", "DNS records of the user's own"),
        ("publicIpv4Pool", !platform.public_ipv4_pool.is_empty(), "a pool of public addresses"),
        ("ipFamily", platform.is_dual_stack(), "two address families"),
        ("vpc.subnets", roles, "subnets chosen by their roles"),
    ];
    for (field, _, what) in settings.into_iter().filter(|(_, wanted, _)| *wanted) {
        out.push(pages::not_made(&format!("platform.aws.{field}"), what));
    }
    for (path, pool) in planning.case.config.pools() {
        let Some(machines) = &pool.platform.aws else { continue };
        // Terraform makes the control plane, and its modules take no more than the variables have.
        let by_terraform = path == "controlPlane";
        let settings = [
            ("cpuOptions", machines.cpu_options.is_some(), "a choice of processor settings"),
            ("hostPlacement", machines.host_placement.is_some(), "dedicated hosts"),
            (
                "iamProfile",
                by_terraform && !machines.iam_profile.is_empty(),
                "an instance profile of the user's own",
            ),
            (
                "rootVolume.throughput",
                by_terraform && machines.root_volume.throughput.is_some(),
                "a throughput of the control plane's volumes",
            ),
        ];
        for (field, _, what) in settings.into_iter().filter(|(_, wanted, _)| *wanted) {
            out.push(pages::not_made(&format!("{path}.platform.aws.{field}"), what));
        }
    }
}
