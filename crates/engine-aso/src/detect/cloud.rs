//! The cloud that an operator serves: one for all of its objects.

use landfall_diagnostics::Finding;
use landfall_model::azure::catalogue::{Catalogue, Cloud};

use super::pages;
use super::seen::{Cluster, ENDPOINTS, Reading, Settings};

/// Whether an operator can serve a cloud: a Stack Hub lacks the versions of the interfaces, and in a closed
/// cloud nothing answers.
#[must_use]
pub fn is_served(cloud: &Cloud) -> bool {
    !cloud.closed && !cloud.stack
}

/// What is to be said of a cloud that is known and that no operator serves.
#[must_use]
pub fn unserved(name: &str, clouds: &Catalogue) -> Option<Finding> {
    let is_unserved = clouds.cloud(name).is_some_and(|(_, cloud)| !is_served(cloud));
    is_unserved.then(|| pages::cloud(name))
}

/// The cloud that settings are of, where it is another one than the wanted.
pub(super) enum Other<'a> {
    /// This one.
    Known(&'a str),
    /// None that is known; these settings differ from the wanted cloud's, which are given with them.
    Unknown(Vec<(&'static str, &'a str)>),
}

/// The other cloud that settings are of; none where they are of the wanted one.
pub(super) fn other<'a>(settings: &Settings, wanted: &'a Cloud, clouds: &'a Catalogue) -> Option<Other<'a>> {
    let usual = clouds.cloud("").map(|(_, cloud)| endpoints(cloud)).unwrap_or_default();
    let given = settings.endpoints.iter().zip(usual);
    let set: Vec<&str> =
        given.map(|(given, usual)| if given.is_empty() { usual } else { given.as_str() }).collect();
    let unlike = differing(&set, wanted);
    if unlike.is_empty() {
        return None;
    }
    let mut served = clouds.clouds.iter().filter(|(_, cloud)| is_served(cloud));
    let known = served.find(|(_, cloud)| differing(&set, cloud).is_empty());
    Some(known.map_or(Other::Unknown(unlike), |(name, _)| Other::Known(name)))
}

/// The settings of a cloud that what is set differs from, with their values.
fn differing<'a>(set: &[&str], cloud: &'a Cloud) -> Vec<(&'static str, &'a str)> {
    let pairs = ENDPOINTS.into_iter().zip(set.iter().zip(endpoints(cloud)));
    pairs.filter(|(_, (set, own))| plain(set) != plain(own)).map(|(key, (_, own))| (key, own)).collect()
}

/// The cloud of the first operator whose settings could be read, if it is a known one.
#[must_use]
pub fn running_cloud<'a>(cluster: &Cluster, clouds: &'a Catalogue) -> Option<&'a str> {
    let read = |reading: &Reading| match reading {
        Reading::Read(settings) => Some(settings.clone()),
        Reading::Refused => None,
    };
    let settings = cluster.settings.values().find_map(read)?;
    let mut served = clouds.clouds.iter().filter(|(_, cloud)| is_served(cloud));
    served.find(|(_, cloud)| other(&settings, cloud, clouds).is_none()).map(|(name, _)| name.as_str())
}

/// The settings of a cloud's operator, with their keys.
#[must_use]
pub fn endpoints_of(cloud: &Cloud) -> [(&'static str, &str); 3] {
    let [authority, manager, audience] = endpoints(cloud);
    let [first, second, third] = ENDPOINTS;
    [(first, authority), (second, manager), (third, audience)]
}

/// What the settings of a cloud's operator say, in the order of [`ENDPOINTS`].
fn endpoints(cloud: &Cloud) -> [&str; 3] {
    [&cloud.active_directory_authority, &cloud.resource_manager_endpoint, &cloud.service_management_endpoint]
}

fn plain(url: &str) -> &str {
    url.trim_end_matches('/')
}
