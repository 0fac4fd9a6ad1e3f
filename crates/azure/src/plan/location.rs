//! The location: whether the facts are those of it, and what it is called (`assets.md`, F.5).

use landfall_diagnostics::{Finding, Findings, nearest, shortened};

use super::{Planning, cloud_pages, pages};

/// Whether two names are of one location, however each is written.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    plain(one) == plain(other)
}

/// A location's name as the resource manager writes it: in lower case, without blanks.
pub(crate) fn plain(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect()
}

/// Refuses facts of another location, and a name that is only near to that of the facts.
pub(super) fn check_fit(planning: &Planning<'_>, out: &mut Findings) {
    let (found, wanted) = (&planning.facts.location, planning.location());
    if found.name.is_empty() || found.name == wanted {
        return;
    }
    let meant = is_same(&found.name, wanted) || is_same(&found.display_name, wanted);
    out.push(if meant {
        cloud_pages::location_spelled(wanted, &found.name)
    } else {
        pages::facts_of_another("region", &found.name, wanted)
    });
}

/// What is to be said where nothing is known of the location: that the cloud does not have it, or that nobody
/// asked.
pub(super) fn unknown(planning: &Planning<'_>) -> Finding {
    let (facts, name) = (planning.facts, planning.location());
    let asked = planning.of_cloud() && !facts.cloud_name.is_empty() && !facts.subscription_id.is_empty();
    if asked {
        cloud_pages::location_not_offered(name, &shortened(&facts.cloud_name), hint(planning, name))
    } else {
        let known = known(planning);
        let near = nearest(&plain(name), known);
        pages::location_not_known(name, &planning.catalogue().clouds_with(name), near, !planning.of_cloud())
    }
}

/// The locations of the config's cloud that the catalogue knows.
fn known<'a>(planning: &Planning<'a>) -> Vec<&'a str> {
    let cloud = planning.catalogue().cloud(&planning.platform.cloud_name);
    cloud.into_iter().flat_map(|(_, cloud)| cloud.locations.keys()).map(String::as_str).collect()
}

/// What may have been meant.
fn hint(planning: &Planning<'_>, name: &str) -> String {
    let catalogue = planning.catalogue();
    let written = plain(name);
    let known = known(planning);
    if known.contains(&name) {
        return "ask Azure support to allow the location for the subscription, or choose another one"
            .to_owned();
    }
    if known.contains(&written.as_str()) {
        return format!("did you mean `{}`?", shortened(&written));
    }
    let list = "use one that `az account list-locations -o table` shows";
    match (nearest(&written, known), catalogue.clouds_with(&written).first()) {
        (_, Some(other)) => {
            format!("the catalogue has it in the cloud {other}: set platform.azure.cloudName")
        }
        (Some(near), None) => format!("did you mean `{near}`? or {list}"),
        (None, None) => list.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn blanks_and_capitals_make_no_other_location() {
        assert!(["East US", "EASTUS", "eastus", " east us"].iter().all(|name| is_same(name, "eastus")));
        assert!(!is_same("eastus2", "eastus"));
    }
}
