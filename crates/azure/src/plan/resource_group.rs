//! Whether the existing resource group that the config names can be that of the cluster (`assets.md`, F.6).

use landfall_diagnostics::Findings;

use super::{Planning, cloud_pages, location};

/// The beginning of the tags that say to which cluster something belongs; a dot and the cluster's id follow.
const OWNER: &str = "kubernetes.io_cluster";

/// Compares the group with what the cloud has.
pub(super) fn check(planning: &Planning<'_>, out: &mut Findings) {
    let (name, region) = (planning.platform.resource_group_name.as_str(), planning.location());
    if name.is_empty() || !planning.of_cloud() {
        return;
    }
    let found = planning.facts.resource_group.as_ref();
    let found = found.filter(|group| group.name.is_empty() || group.name.eq_ignore_ascii_case(name));
    let Some(group) = found else {
        if planning.asked() {
            out.push(cloud_pages::no_group(name));
        }
        return;
    };
    if !group.location.is_empty() && !location::is_same(&group.location, region) {
        out.push(cloud_pages::group_elsewhere(name, group, region));
    }
    let owners = group.tags.keys().map(String::as_str).filter(|key| owner(key).is_some());
    let (own, others): (Vec<&str>, Vec<&str>) = owners.partition(|key| owner(key) == Some(planning.id()));
    if !others.is_empty() {
        out.push(cloud_pages::group_owned(name, &others));
    }
    // What is in a group with this cluster's own tag is this cluster's, and what was created from the same directory: the
    // installation goes on.
    if own.is_empty() && group.resources > 0 && !planning.case.installed {
        out.push(cloud_pages::group_not_empty(name, group));
    }
}

/// The id of the cluster that a tag gives something to; none for other tags.
pub(in super::super) fn owner(key: &str) -> Option<&str> {
    let (beginning, id) = key.split_at_checked(OWNER.len())?;
    beginning.eq_ignore_ascii_case(OWNER).then(|| id.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::owner;

    #[test]
    fn a_tag_names_its_cluster() {
        assert_eq!(owner("kubernetes.io_cluster.demo-bcd24"), Some("demo-bcd24"));
        assert_eq!(owner("Kubernetes.io_cluster.demo-bcd24"), Some("demo-bcd24"));
        assert_eq!(owner("kubernetes.io_cluster"), Some(""));
        assert_eq!(owner("kubernetes.io"), None);
        assert_eq!(owner("Team"), None);
    }
}
