//! Instance types: `assets.md`, B.9 and G.3.

use landfall_diagnostics::{Finding, Findings};
use landfall_model::aws::facts::{IPV6, InstanceType, NITRO, SEV_SNP};
use landfall_model::catalogue::Role;
use landfall_model::plan::TypeOffer;
use landfall_rules::allowance;

use super::{Planning, cloud_pages, cloud_profile, dual_stack, pages};
use crate::type_names::proposed;

/// The rule of the first releases: `data/default-instance-types.json`.
const OLDEST_RULE: &str = "seed";

/// What a pool needs of its instance type.
pub(super) struct Wish<'a> {
    /// Field path of the pool.
    pub path: &'a str,
    /// Role of the machines.
    pub role: Role,
    /// Processor architecture.
    pub architecture: &'a str,
    /// Whether the control plane is a single machine.
    pub single: bool,
    /// Zones to be covered.
    pub zones: &'a [String],
    /// Whether these are the user's own choice.
    pub zones_given: bool,
}

/// The catalogue's first candidate that is offered in all zones and large enough. Where none is, and the
/// zones are not the user's choice, the first one that is offered in some of them.
pub(super) fn choose(planning: &Planning<'_>, wish: &Wish<'_>, out: &mut Findings) -> Option<String> {
    let rule = planning.case.catalogue.instance_type_rule(planning.case.release);
    let candidates = planning.catalogue().candidates(rule, wish.architecture, wish.role, wish.single);
    let fitting = || candidates.iter().filter(|name| is_large_enough(planning, name, wish.role));
    let covering = |name: &&String| is_everywhere(planning, name, wish);
    let touching = |name: &&String| wish.zones.iter().any(|zone| is_offered(planning, name, zone));
    let chosen = fitting()
        .find(covering)
        .or_else(|| fitting().find(|name| !wish.zones_given && touching(name)))
        .cloned();
    if let Some(assumed) = chosen.is_none().then(|| last_resort(planning, wish, candidates)).flatten() {
        out.push(pages::assumed_type(planning.region(), wish, assumed));
        return Some(assumed.to_owned());
    }
    if chosen.is_none() {
        let help = without_candidate(planning, wish, candidates);
        let region = planning.region();
        out.push(match &planning.case.catalogue.allowance {
            Some(profile) => cloud_profile::no_type(profile, region, wish, candidates, help),
            None => pages::no_default_type(region, wish, candidates, help),
        });
    }
    chosen
}

/// The default type where the region's offerings are unknown: by the oldest rule, else the first usual candidate. Of the
/// oldest rule it takes the newest series, as a region that the catalogue does not know is new as well.
fn last_resort<'a>(planning: &Planning<'a>, wish: &Wish<'_>, candidates: &'a [String]) -> Option<&'a str> {
    if planning.asked() || !planning.facts.instance_types.is_empty() {
        return None;
    }
    let oldest = planning.catalogue().candidates(OLDEST_RULE, wish.architecture, wish.role, false);
    let series = |name: &str| name.split('.').next().map(str::to_owned);
    let is_of_series = |name: &&String| oldest.iter().any(|old| series(old) == series(name));
    let of_series = candidates.iter().filter(is_of_series);
    let is_usable = |name: &&String| {
        is_large_enough(planning, name, wish.role)
            && wish.zones.iter().all(|zone| is_allowed(planning, name, zone))
    };
    // A control plane of one machine needs more, which only later rules say.
    let old: Vec<&String> = if wish.single { of_series.collect() } else { oldest.iter().rev().collect() };
    old.into_iter().chain(candidates).find(is_usable).map(String::as_str)
}

/// What to do where no candidate will do, by what the region has in their place.
fn without_candidate(planning: &Planning<'_>, wish: &Wish<'_>, candidates: &[String]) -> String {
    let field = format!("{}.platform.aws.type", wish.path);
    let sought: Vec<&str> = candidates.iter().map(String::as_str).collect();
    let listed = |names: Vec<&str>| allowance::first_of(&proposed(names, &sought, 1));
    let there = of_architecture(planning, wish).filter(|name| is_everywhere(planning, name, wish));
    let (large, small): (Vec<&str>, Vec<&str>) =
        there.partition(|name| is_large_enough(planning, name, wish.role));
    let zones = wish.zones.join(", ");
    if !large.is_empty() {
        format!("set {field}; the region offers {}", listed(large))
    } else if let Some(allowance) = &planning.case.catalogue.allowance {
        allowance::add_a_type(allowance)
    } else if !small.is_empty() {
        let (vcpus, memory) = least(planning, wish.role);
        format!(
            "the instance types offered there are too small ({}); a {} machine needs {vcpus} virtual CPUs \
             and {memory} MiB of memory: use other zones, or another region",
            listed(small),
            wish.role.name()
        )
    } else if !planning.asked() {
        format!("set {field}; landfall does not know which types the region offers")
    } else if planning.facts.instance_types.is_empty() {
        format!("the cloud lists no instance types of the region; set {field} if you know one")
    } else {
        format!("set {field} to a type that is offered in {zones}, or use other zones")
    }
}

/// The types of the facts that fit a pool and are offered in some of `zones`, the usual ones first.
pub(super) fn offers(planning: &Planning<'_>, wish: &Wish<'_>, zones: &[String]) -> Vec<TypeOffer> {
    let rule = planning.case.catalogue.instance_type_rule(planning.case.release);
    let usual = planning.catalogue().candidates(rule, wish.architecture, wish.role, wish.single);
    let mut names: Vec<&str> = suitable(planning, wish).collect();
    names.sort_by_key(|name| usual.iter().position(|own| own == name).unwrap_or(usize::MAX));
    let zones_of =
        |name: &str| zones.iter().filter(|zone| is_offered(planning, name, zone)).cloned().collect();
    let offers = names.into_iter().map(|name| TypeOffer { name: name.to_owned(), zones: zones_of(name) });
    offers.filter(|offer| !offer.zones.is_empty()).collect()
}

/// Looks at an instance type that the config names.
pub(super) fn check(planning: &Planning<'_>, name: &str, wish: &Wish<'_>, out: &mut Findings) {
    let known = &planning.facts.instance_types;
    if planning.asked() && !known.is_empty() && !known.contains_key(name) {
        let offered: Vec<&str> = suitable(planning, wish).collect();
        out.push(cloud_pages::no_such_type(planning.region(), wish.path, name, &offered));
    }
    let architectures = known.get(name).map(|offer| offer.architectures.as_slice()).unwrap_or_default();
    let unknown = architectures.is_empty() || wish.architecture.is_empty();
    if !unknown && !architectures.iter().any(|has| has == wish.architecture) {
        out.push(cloud_pages::other_architecture(wish.path, name, architectures, wish.architecture));
    }
    if let Some((vcpus, memory_mib)) = size(planning, name) {
        let least = least(planning, wish.role);
        if vcpus < least.0 || memory_mib < least.1 {
            out.push(pages::too_small(wish, name, (vcpus, memory_mib), least));
        }
    }
    if let Some(allowance) = planning.case.catalogue.allowance.as_ref().filter(|_| wish.zones_given) {
        for zone in wish.zones.iter().filter(|zone| !is_allowed(planning, name, zone)) {
            let field = format!("{}.platform.aws.type", wish.path);
            out.push(allowance::lacking_in(allowance, planning.region(), zone, name, field));
        }
    }
    let Some(offer) = planning.facts.instance_types.get(name).filter(|_| wish.zones_given) else {
        return;
    };
    let missing: Vec<&str> =
        wish.zones.iter().filter(|zone| !offer.zones.contains(zone)).map(String::as_str).collect();
    if !missing.is_empty() {
        out.push(pages::not_offered(wish, name, &missing, &offering(planning, name, offer.zones.clone())));
    }
}

/// Refuses a type that the config names without what its machines need, as far as the cloud says what it has.
pub(super) fn check_features(
    planning: &Planning<'_>,
    name: &str,
    path: &str,
    sev_snp: bool,
    out: &mut Findings,
) {
    let Some(offer) = planning.facts.instance_types.get(name).filter(|offer| !offer.features.is_empty())
    else {
        return;
    };
    let is_dual_stack = planning.platform.is_dual_stack();
    let (ipv6, processor) = (&dual_stack::IPV6, &cloud_pages::ARCHITECTURE);
    let needs = [
        (IPV6, is_dual_stack, ipv6, "IPv6, which a dual-stack cluster needs"),
        (
            NITRO,
            is_dual_stack,
            ipv6,
            "an IPv6 metadata service, which a dual-stack cluster needs: it is not on Nitro",
        ),
        (SEV_SNP, sev_snp, processor, "AMD SEV-SNP, which `cpuOptions` asks for"),
    ];
    for (feature, needed, code, what) in needs {
        if needed && !offer.features.iter().any(|has| has == feature) {
            out.push(cloud_pages::lacks_feature(code, path, name, what));
        }
    }
}

/// The zones of `zones` that offer a type. All of them where nobody knows the type.
pub(super) fn offering(planning: &Planning<'_>, name: &str, mut zones: Vec<String>) -> Vec<String> {
    zones.retain(|zone| may_offer(planning, name, zone) && is_allowed(planning, name, zone));
    zones
}

/// What is to be said of a type that no zone offers. Where one of `known` does, it is the cloud profile that leaves
/// none.
pub(super) fn nowhere(planning: &Planning<'_>, path: &str, name: &str, known: &[String]) -> Finding {
    let offered = known.iter().any(|zone| may_offer(planning, name, zone));
    match planning.case.catalogue.allowance.as_ref().filter(|_| offered) {
        Some(allowance) => {
            let field = format!("{path}.platform.aws.type");
            allowance::lacking_everywhere(allowance, planning.region(), name, field)
        }
        None => pages::offered_nowhere(planning.region(), path, name),
    }
}

/// Whether the cloud offers a type in a zone, as far as anybody knows.
fn may_offer(planning: &Planning<'_>, name: &str, zone: &str) -> bool {
    let offer = planning.facts.instance_types.get(name);
    offer.is_none_or(|offer| offer.zones.iter().any(|z| z == zone))
}

fn is_offered(planning: &Planning<'_>, name: &str, zone: &str) -> bool {
    let offer = planning.facts.instance_types.get(name);
    offer.is_some_and(|offer| offer.zones.iter().any(|z| z == zone)) && is_allowed(planning, name, zone)
}

/// Whether a cloud profile, if there is one, has the type in the zone.
fn is_allowed(planning: &Planning<'_>, name: &str, zone: &str) -> bool {
    planning.case.catalogue.allows_type_in(planning.region(), zone, name)
}

/// The least virtual CPUs and MiB of memory for a role.
fn least(planning: &Planning<'_>, role: Role) -> (u32, u64) {
    planning.catalogue().minimums(role).map_or((0, 0), |least| (least.vcpus, u64::from(least.memory_mib)))
}

fn is_large_enough(planning: &Planning<'_>, name: &str, role: Role) -> bool {
    let least = least(planning, role);
    size(planning, name).is_none_or(|(vcpus, memory)| vcpus >= least.0 && memory >= least.1)
}

/// Virtual CPUs and memory in MiB, from the facts or else from the catalogue.
fn size(planning: &Planning<'_>, name: &str) -> Option<(u32, u64)> {
    let asked = planning.facts.instance_types.get(name).and_then(asked_size);
    asked.or_else(|| {
        let known = planning.catalogue().instance_types.get(name)?;
        Some((known.vcpus, u64::from(known.memory_mib)))
    })
}

fn asked_size(offer: &InstanceType) -> Option<(u32, u64)> {
    let vcpus = u32::try_from(offer.vcpus).ok().filter(|n| *n > 0)?;
    Some((vcpus, u64::try_from(offer.memory_mib).ok()?))
}

/// Whether all zones of the pool offer a type.
fn is_everywhere(planning: &Planning<'_>, name: &str, wish: &Wish<'_>) -> bool {
    wish.zones.iter().all(|zone| is_offered(planning, name, zone))
}

/// The types of the facts that fit the pool's role and architecture, wherever they are offered.
fn suitable<'a>(planning: &Planning<'a>, wish: &Wish<'_>) -> impl Iterator<Item = &'a str> {
    of_architecture(planning, wish).filter(move |name| is_large_enough(planning, name, wish.role))
}

/// The types of the facts that fit the pool's architecture and may be used.
fn of_architecture<'a>(planning: &Planning<'a>, wish: &Wish<'_>) -> impl Iterator<Item = &'a str> {
    let fits = move |offer: &InstanceType| {
        offer.architectures.is_empty() || offer.architectures.iter().any(|a| a == wish.architecture)
    };
    let catalogue = planning.case.catalogue;
    let all = planning.facts.instance_types.iter();
    all.filter(move |(name, offer)| fits(offer) && catalogue.allows_type(name)).map(|(name, _)| name.as_str())
}
