//! The existing security groups that pools name (`assets.md`, F.2).

use landfall_diagnostics::Findings;
use landfall_model::plan::{Since, is_from};

use super::{Planning, cloud_pages};

/// The most groups that an interface may have, unless AWS has raised the quota of the account.
const MOST: usize = 5;

/// Warns where the machines of a pool get more groups, with those that are made, than an interface may have.
fn check_number(planning: &Planning<'_>, out: &mut Findings) {
    let newer = is_from(planning.case.release, Since::ClusterApi);
    for (path, pool) in planning.case.config.pools() {
        let Some(settings) = &pool.platform.aws else { continue };
        let own = own_groups(newer, path == "controlPlane").len();
        let given = settings.additional_security_group_ids.len();
        if given > 0 && own + given > MOST {
            out.push(cloud_pages::too_many_groups(&path, own, given, MOST));
        }
    }
}

/// Ends of the names of the cluster's own groups that a machine has (`assets.md`, A.2).
pub(crate) fn own_groups(newer: bool, is_control_plane: bool) -> &'static [&'static str] {
    match (newer, is_control_plane) {
        (true, true) => &["node", "lb", "controlplane"],
        (true, false) => &["node", "lb"],
        (false, true) => &["master-sg"],
        (false, false) => &["worker-sg"],
    }
}

/// Warns of too many security groups for one machine, and refuses those that the cloud does not have, or has in
/// another network than the subnets.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    check_number(planning, out);
    if !planning.asked() {
        return;
    }
    let vpc = planning.facts.vpc.as_str();
    for (path, pool) in planning.case.config.pools() {
        let Some(settings) = &pool.platform.aws else { continue };
        for (i, id) in settings.additional_security_group_ids.iter().enumerate() {
            match planning.facts.security_groups.iter().find(|group| group.id == *id) {
                None => out.push(cloud_pages::no_such_group(planning.region(), &path, i, id)),
                Some(group) if !vpc.is_empty() && !group.vpc.is_empty() && group.vpc != vpc => {
                    out.push(cloud_pages::group_elsewhere(&path, i, group, vpc));
                }
                Some(_) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::own_groups;

    #[test]
    fn machines_have_more_groups_from_4_16_on() {
        assert_eq!([true, false].map(|newer| own_groups(newer, true).len()), [3, 1]);
        assert_eq!([true, false].map(|newer| own_groups(newer, false).len()), [2, 1]);
    }
}
