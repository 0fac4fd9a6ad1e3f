//! Whether locks stand in the way of making the cluster, or of removing it.

use futures::future::join_all;
use landfall_model::azure::config::Platform;
use landfall_model::plan::Cluster;
use landfall_platform::cloud::{Answer, Check, check};

use super::{findings, not_proven};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::described::Lock;
use crate::cloud::fault::{Fault, Sort};
use crate::cloud::gather::{NETWORKS, PLATFORM, is_hub, resource};
use crate::cloud::session::Session;
use crate::cloud::zones;

/// The field that names the group of the base domain's zone.
pub(super) const DNS_GROUP: &str = "platform.azure.baseDomainResourceGroupName";

/// Something that must not be locked.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    /// Its resource id.
    id: String,
    /// What it is, for a sentence.
    what: String,
    /// Where the config names it.
    field: &'static str,
    /// Whether locks can be listed for it alone.
    group: bool,
}

/// A check of the subscription and of what the config names in it.
pub(super) fn checks<'s>(session: &'s Session<'_>) -> Vec<Check<'s>> {
    vec![check("azure.locks", PLATFORM, free(session))]
}

async fn free(session: &Session<'_>) -> Result<Answer, Answer> {
    let arm = session.arm().await?;
    let subscription = session.subscription().await?;
    let domain = base_domain(session);
    let places = places(session.platform, domain.as_deref(), &subscription);
    let locks = locks(arm, &subscription, &places).await?;
    Ok(judged(&locks, &places))
}

/// The base domain, where names of the cluster go into its public zone.
fn base_domain(session: &Session<'_>) -> Option<String> {
    let cluster = Cluster::of(session.asking.config);
    let used = is_hub(session) || cluster.external_api || cluster.external_ingress;
    Some(cluster.base_domain).filter(|_| used && !session.platform.has_user_dns())
}

/// What the cluster is made in, from the outside to the inside.
fn places(platform: &Platform, base_domain: Option<&str>, subscription: &str) -> Vec<Place> {
    let whole = Place {
        id: resource::subscription(subscription),
        what: "the subscription".to_owned(),
        field: PLATFORM,
        group: false,
    };
    let mut places = vec![whole];
    let groups = [
        (&platform.resource_group_name, "platform.azure.resourceGroupName"),
        (&platform.network_resource_group_name, "platform.azure.networkResourceGroupName"),
        (&platform.base_domain_resource_group_name, DNS_GROUP),
    ];
    for (name, field) in groups.into_iter().filter(|(name, _)| !name.is_empty()) {
        let id = resource::group(subscription, name);
        if !places.iter().any(|known| known.id == id) {
            places.push(Place { id, what: format!("the resource group `{name}`"), field, group: true });
        }
    }
    let group = platform.base_domain_resource_group_name.as_str();
    if let Some(domain) = base_domain.filter(|_| !group.is_empty()) {
        places.push(Place {
            id: resource::resource(subscription, group, zones::KIND, domain),
            what: format!("the DNS zone `{domain}`"),
            field: DNS_GROUP,
            group: false,
        });
    }
    let network = platform.virtual_network.as_str();
    if !network.is_empty() {
        let id = resource::resource(subscription, &platform.network_resource_group_name, NETWORKS, network);
        let subnets = platform.subnets.iter().map(|subnet| Place {
            id: format!("{id}/subnets/{}", resource::segment(&subnet.name)),
            what: format!("the subnet `{}`", subnet.name),
            field: "platform.azure.subnets",
            group: false,
        });
        let subnets: Vec<Place> = subnets.collect();
        places.push(Place {
            id,
            what: format!("the virtual network `{network}`"),
            field: "platform.azure.virtualNetwork",
            group: false,
        });
        places.extend(subnets);
    }
    places
}

/// The locks of the subscription and of everything in it, or else those of the groups.
async fn locks(arm: &Arm, subscription: &str, places: &[Place]) -> Result<Vec<Lock>, Answer> {
    let fault = match listed(arm, &resource::subscription(subscription)).await {
        Ok(locks) => return Ok(locks),
        Err(fault) => fault,
    };
    let groups: Vec<&Place> = places.iter().filter(|place| place.group).collect();
    if !matches!(fault.sort, Sort::Denied) || groups.is_empty() {
        return Err(not_proven(&fault));
    }
    let calls = groups.into_iter().map(|place| Box::pin(listed(arm, &place.id)));
    let mut all = Vec::new();
    for found in join_all(calls).await {
        all.extend(found.map_err(|fault| not_proven(&fault))?);
    }
    Ok(all)
}

async fn listed(arm: &Arm, scope: &str) -> Result<Vec<Lock>, Fault> {
    let path = format!("{scope}/providers/Microsoft.Authorization/locks");
    arm.list::<Lock>(Api::LOCKS, &path, &[]).await
}

/// A lock that is in the way.
pub(super) struct Held<'a> {
    /// Name of the lock.
    pub(super) name: &'a str,
    /// What it is on.
    pub(super) what: &'a str,
    /// Where the config names that.
    pub(super) field: &'static str,
}

/// What the locks on these places, and on nothing else, come to. One that lets nothing be made outweighs
/// those that let nothing be removed.
fn judged(locks: &[Lock], places: &[Place]) -> Answer {
    let on = |lock: &Lock| {
        let locked = lock.scope();
        places.iter().find(|place| place.id.eq_ignore_ascii_case(locked))
    };
    let held = locks.iter().filter_map(|lock| Some((lock, on(lock)?)));
    let held = held.map(|(lock, place)| {
        let held = Held { name: &lock.name, what: &place.what, field: place.field };
        (held, lock.is_read_only())
    });
    let (closed, kept): (Vec<_>, Vec<_>) = held.partition(|(_, read_only)| *read_only);
    let told: Vec<String> =
        closed.iter().chain(&kept).map(|(held, _)| format!("{} on {}", held.name, held.what)).collect();
    let answer = match (closed.as_slice(), kept.as_slice()) {
        ([(held, _), more @ ..], _) => Answer::found(findings::locked(held, more.len())),
        ([], [(held, _), more @ ..]) => Answer::found(findings::not_removable(held, more.len())),
        ([], []) => Answer::passed("no lock blocks the cluster"),
    };
    answer.with("locks", told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::config::Subnet;
    use landfall_platform::cloud::Verdict;
    use landfall_testing::assert_names;

    fn platform() -> Platform {
        Platform {
            resource_group_name: "rg".to_owned(),
            network_resource_group_name: "net-rg".to_owned(),
            virtual_network: "vnet".to_owned(),
            base_domain_resource_group_name: "dns-rg".to_owned(),
            subnets: vec![Subnet { name: "masters".to_owned(), ..Subnet::default() }],
            ..Platform::default()
        }
    }

    fn lock(scope: &str, level: &str) -> Lock {
        let id = format!("{scope}/providers/Microsoft.Authorization/locks/keep");
        let text = serde_json::json!({ "id": id, "name": "keep", "properties": { "level": level } });
        serde_json::from_value(text).unwrap_or_default()
    }

    fn found(locks: &[Lock]) -> (&'static str, String) {
        match judged(locks, &places(&platform(), Some("example.com"), "s")).verdict {
            Verdict::Found(finding) => (finding.code.as_str(), finding.field),
            _ => ("", String::new()),
        }
    }

    const GROUP: &str = "/subscriptions/s/resourcegroups/RG";

    #[test]
    fn a_lock_on_what_is_changed_is_in_the_way() {
        let of_group = ("LF1141", "platform.azure.resourceGroupName".to_owned());
        assert_eq!(found(&[lock(GROUP, "ReadOnly")]), of_group);
        assert_eq!(found(&[lock(GROUP, "CanNotDelete"), lock(GROUP, "ReadOnly")]), of_group);
        assert_eq!(found(&[lock("/subscriptions/s", "ReadOnly")]).0, "LF1141");
        let network = resource::resource("s", "net-rg", NETWORKS, "vnet");
        assert_eq!(found(&[lock(&network, "ReadOnly")]).1, "platform.azure.virtualNetwork");
    }

    #[test]
    fn locks_on_the_zone_and_on_subnets_are_seen() {
        let zone = resource::resource("s", "DNS-rg", "Microsoft.Network/dnszones", "example.com");
        let held = found(&[lock(&zone, "ReadOnly")]);
        assert_eq!(held, ("LF1141", "platform.azure.baseDomainResourceGroupName".to_owned()));
        let network = resource::resource("s", "net-rg", NETWORKS, "vnet");
        let held = found(&[lock(&format!("{network}/subnets/masters"), "CanNotDelete")]);
        assert_eq!(held, ("LF1142", "platform.azure.subnets".to_owned()));
        assert_eq!(found(&[lock(&format!("{network}/subnets/other"), "ReadOnly")]).0, "");
    }

    #[test]
    fn a_lock_against_removal_is_a_warning() {
        assert_eq!(found(&[lock(GROUP, "CanNotDelete")]).0, "LF1142");
        let platform =
            Platform { base_domain_resource_group_name: "dns-rg".to_owned(), ..Platform::default() };
        let locks = [lock("/subscriptions/s/resourceGroups/dns-rg", "CanNotDelete")];
        let (code, message) = match judged(&locks, &places(&platform, None, "s")).verdict {
            Verdict::Found(finding) => (finding.code.as_str(), finding.message),
            _ => ("", String::new()),
        };
        assert_eq!(code, "LF1142");
        assert_names(&message, &["`keep`", "`dns-rg`", "DNS zone"]);
    }

    #[test]
    fn locks_on_other_things_do_not_matter() {
        let other = resource::resource("s", "net-rg", NETWORKS, "other");
        let locks = [lock(&other, "ReadOnly"), lock("/subscriptions/s/resourceGroups/x", "ReadOnly")];
        assert_eq!(found(&locks).0, "");
        assert_eq!(found(&[Lock::default()]).0, "");
    }

    #[test]
    fn a_group_that_is_named_twice_is_one_place() {
        let platform = Platform { network_resource_group_name: "rg".to_owned(), ..platform() };
        let places = places(&platform, None, "s");
        assert_eq!(places.iter().filter(|place| place.group).count(), 2);
        assert_eq!(places.len(), 5);
    }
}
