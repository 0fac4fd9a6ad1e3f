//! Settings that an install config may have and that landfall's own machines and modules do not, or those of
//! one engine only: better refused than left out.

use landfall_diagnostics::Findings;
use landfall_model::azure::config::MachinePool;
use landfall_model::plan::Engine;

use super::{NAT_GATEWAY, NAT_GATEWAYS, Planning, pages};

/// Azure Service Operator changes nothing in a network of the user's.
const NOT_OPERATOR: &[Engine] = &[Engine::Terraform, Engine::Native];
/// No engine makes it.
const NOBODY: &[Engine] = &[];

/// A field, whether it asks for something, what that is, and the engines that make it.
type Setting = (&'static str, bool, &'static str, &'static [Engine]);

/// Refuses each of them that the engine does not make.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    refuse(planning, "platform.azure", &of_cluster(planning), out);
    for (path, pool) in planning.case.config.pools() {
        if let Some(machines) = &pool.platform.azure {
            let settings = of_pool(machines, path.starts_with("compute"));
            refuse(planning, &format!("{path}.platform.azure"), &settings, out);
        }
    }
}

fn refuse(planning: &Planning<'_>, path: &str, settings: &[Setting], out: &mut Findings) {
    let engine = planning.case.engine;
    for (field, wanted, what, engines) in settings {
        if *wanted && !engines.contains(&engine) {
            out.push(pages::not_made(&format!("{path}.{field}"), what, engine, engines));
        }
    }
}

fn of_cluster(planning: &Planning<'_>) -> [Setting; 1] {
    let platform = planning.platform;
    let outbound = platform.outbound_type.as_str();
    let existing = !platform.virtual_network.is_empty();
    let in_existing = existing && [NAT_GATEWAY.0, NAT_GATEWAYS].contains(&outbound);
    [("outboundType", in_existing, "a NAT gateway in an existing network", NOT_OPERATOR)]
}

fn of_pool(machines: &MachinePool, compute: bool) -> [Setting; 2] {
    let identity = machines.identity.as_ref();
    let given = identity.and_then(|identity| identity.user_assigned_identities.as_ref()).map_or(0, Vec::len);
    // Compute machines are made by the cluster's machine sets, which name one identity.
    let several = compute && given > 1;
    let mut disks = machines.data_disks.iter().flatten().filter_map(|disk| disk.managed_disk.as_ref());
    let confidential = disks.any(|disk| {
        disk.security_profile.as_ref().is_some_and(|profile| !profile.security_encryption_type.is_empty())
    });
    [
        ("identity", several, "several identities of one compute machine", NOBODY),
        ("dataDisks", confidential, "data disks that are encrypted like a confidential machine's", NOBODY),
    ]
}
