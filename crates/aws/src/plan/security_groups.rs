//! The existing security groups that pools name (`assets.md`, F.2).

use landfall_diagnostics::Findings;

use super::{Planning, cloud_pages};

/// Refuses security groups that the cloud does not have, or has in another network than the subnets.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
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
