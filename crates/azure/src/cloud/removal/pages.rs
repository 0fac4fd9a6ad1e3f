//! The pages of what is found on the way to remove a cluster.

use landfall_diagnostics::{Code, Finding, Kind, few};
use landfall_platform::removal::Resource;

use super::names::Owner;

/// The most names in a sentence.
const MOST: usize = 5;

/// Something could not be looked at.
pub(super) static UNSEEN: Code = Code::new("LF1351");

/// The caller may not remove something.
pub(super) static DENIED: Code = Code::new("LF1352");

/// A deny assignment is in the way.
pub(super) static DENY_ASSIGNMENT: Code = Code::new("LF1353");

/// The directory could not be looked at.
pub(super) static DIRECTORY: Code = Code::new("LF1354");

/// Another cluster uses something of this one.
pub(super) static USED: Code = Code::new("LF1355");

/// A group of the cluster's name stays.
pub(super) static FOREIGN_GROUP: Code = Code::new("LF1356");

/// A zone with the cluster's tag that is in no group of the cluster's.
pub(super) fn public_zone(id: &str) -> Finding {
    let why = "it has the cluster's tag, and installations create only private ones";
    landfall_platform::pages::unproven(&format!("the DNS zone `{id}`"), why)
        .help("remove that tag, or delete the zone yourself; then run the same command again")
}

/// What stays, as it tells of what could not be looked at.
pub(super) fn held(held: &[Resource]) -> Finding {
    let names: Vec<String> = held.iter().map(|one| format!("{} {}", one.kind.name, one.name)).collect();
    let message = format!("{} stay until all of the cluster could be read", few(&names, MOST));
    Finding::warning(&UNSEEN, Kind::Invalid, "", message)
        .help("they tell of records and roles elsewhere; they go with the next complete search")
}

/// Something without the cluster's tag that may be the cluster's, and why it may be.
pub(super) fn unproven(id: &str, why: &str, owner: &Owner) -> Finding {
    let tag = owner.tag();
    landfall_platform::pages::unproven(&format!("`{id}`"), why).help(format!(
        "if it is the cluster's, tag it {tag}=owned; to keep it, tag it {tag}=shared; then run the same command \
         again"
    ))
}
