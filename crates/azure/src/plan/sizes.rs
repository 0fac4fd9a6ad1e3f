//! Machine sizes: `assets.md`, B.10, F.5 and G.3.

use std::collections::BTreeSet;

use landfall_diagnostics::{Finding, Findings};
use landfall_model::azure::config::MachinePool;
use landfall_model::azure::facts::Size;
use landfall_model::catalogue::Role;
use landfall_model::plan::TypeOffer;

use super::{Planning, cloud_pages, cloud_profile, pages};

/// Capability: a part of the network card can be handed to the machine.
pub(super) const ACCELERATED: &str = "AcceleratedNetworkingEnabled";
/// Capability: disks of the premium types can be attached.
const PREMIUM: &str = "PremiumIO";
/// Capability: kind of the processors.
const ARCHITECTURE: &str = "CpuArchitectureType";
/// Capability: generations of virtual machines, joined by commas.
const GENERATIONS: &str = "HyperVGenerations";
/// Capability: ultra disks can be attached.
const ULTRA: &str = "UltraSSDAvailable";
/// Capability: how memory is kept from the host.
const CONFIDENTIAL: &str = "ConfidentialComputingType";
/// The values of it with which a whole machine is confidential.
const WHOLE_MACHINES: &[&str] = &["SNP", "TDX"];
/// Capability, or rather the lack of one: the machines have no trusted launch.
const NOT_TRUSTED: &str = "TrustedLaunchDisabled";

/// What a pool needs of its size.
pub(super) struct Wish<'a> {
    /// Field path of the pool.
    pub path: &'a str,
    /// What the machines are for.
    pub role: Role,
    /// Processor architecture.
    pub architecture: &'a str,
    /// Settings of the machines.
    pub settings: &'a MachinePool,
    /// Type of the disk that they start from.
    pub disk_type: &'a str,
}

/// A size, and what the location says of it.
pub(super) struct Chosen<'a> {
    /// Name.
    pub name: &'a str,
    /// What the location says.
    pub size: &'a Size,
}

impl Chosen<'_> {
    /// Whether the size has a capability; none where nothing is said of it.
    pub(super) fn has(&self, capability: &str) -> Option<bool> {
        self.size.capabilities.get(capability).map(|value| value.eq_ignore_ascii_case("true"))
    }

    /// The zones that have a capability, where these are told one by one.
    fn zones_with(&self, capability: &str) -> Option<Vec<&str>> {
        let told = self.size.capabilities.get(&format!("{capability}@zones"))?;
        Some(told.split(',').map(str::trim).filter(|zone| !zone.is_empty()).collect())
    }

    /// A capability that is a number.
    fn number(&self, names: &[&str]) -> Option<f64> {
        let value = names.iter().find_map(|name| self.size.capabilities.get(*name))?;
        value.trim().parse::<f64>().ok().filter(|number| number.is_finite())
    }

    /// Virtual CPUs; a size may let a machine use fewer than it counts.
    fn vcpus(&self) -> Option<f64> {
        self.number(&["vCPUsAvailable", "vCPUs"])
    }

    /// Memory in GiB.
    fn memory_gb(&self) -> Option<f64> {
        self.number(&["MemoryGB"])
    }
}

/// The size that the config names, or else the best of the catalogue's, if the location offers it. What the pool
/// asks of it and it does not have is said in `out`.
pub(super) fn choose<'a>(planning: &Planning<'a>, wish: &Wish<'_>, out: &mut Findings) -> Option<Chosen<'a>> {
    let named = wish.settings.vm_size.as_str();
    let chosen = if named.is_empty() { usual(planning, wish) } else { offered(planning, named) };
    let Some(chosen) = chosen else {
        out.push(if named.is_empty() {
            without_candidate(planning, wish)
        } else if planning.asked() {
            cloud_pages::size_not_offered(planning.location(), wish, named, &fitting(planning, wish))
        } else {
            let known = planning.facts.sizes.keys().map(String::as_str);
            pages::size_not_known(planning.location(), wish, named, known)
        });
        return None;
    };
    if !is_open(&chosen) {
        out.push(pages::size_restricted(planning.location(), wish, chosen.name, &chosen.size.restriction));
    }
    check(planning, wish, &chosen, out);
    Some(chosen)
}

/// Whether the location lets the subscription use a size.
fn is_open(chosen: &Chosen<'_>) -> bool {
    chosen.size.restriction.is_empty()
}

/// The sizes to choose from for a pool that names none.
fn candidates<'a>(planning: &Planning<'a>, wish: &Wish<'_>) -> Vec<&'a str> {
    planning.catalogue().candidates(&planning.platform.cloud_name, wish.architecture, wish.role)
}

/// Of the candidates that the location offers, the first that nothing stands against and that can be in all zones
/// of the pool, else in some of them.
fn usual<'a>(planning: &Planning<'a>, wish: &Wish<'_>) -> Option<Chosen<'a>> {
    let names = candidates(planning, wish).into_iter();
    let offered: Vec<Chosen<'a>> = names.filter_map(|name| offered(planning, name)).filter(is_open).collect();
    let given = &wish.settings.zones;
    let wanted: BTreeSet<&str> = if given.is_empty() {
        offered.iter().flat_map(|chosen| zones(planning, chosen)).collect()
    } else {
        given.iter().map(String::as_str).collect()
    };
    let rank = |chosen: &Chosen<'a>| {
        let mut against = Findings::default();
        check(planning, wish, chosen, &mut against);
        let there = zones(planning, chosen).into_iter().filter(|zone| wanted.contains(zone)).count();
        let reach = match there {
            all if all == wanted.len() => Reach::Everywhere,
            0 => Reach::Nowhere,
            _ => Reach::Somewhere,
        };
        (against.errors() > 0, reach)
    };
    offered.into_iter().min_by_key(rank)
}

/// How many of the zones of a pool have a size, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    Everywhere,
    Somewhere,
    Nowhere,
}

/// The zones that offer a size and in which a cloud profile, if there is one, allows it.
pub(super) fn zones<'a>(planning: &Planning<'_>, chosen: &Chosen<'a>) -> Vec<&'a str> {
    let catalogue = planning.case.catalogue;
    let allows = |zone: &&str| catalogue.allows_type_in(planning.location(), zone, chosen.name);
    chosen.size.zones.iter().map(String::as_str).filter(allows).collect()
}

/// What is to be said where the location offers no candidate.
fn without_candidate(planning: &Planning<'_>, wish: &Wish<'_>) -> Finding {
    let (location, candidates) = (planning.location(), candidates(planning, wish));
    let fitting = fitting(planning, wish);
    if let Some(profile) = &planning.case.catalogue.allowance {
        return cloud_profile::no_size(profile, location, wish, &candidates, &fitting);
    }
    pages::no_default_size(location, wish, candidates.first().copied().unwrap_or_default(), &fitting)
}

/// The size of a name, which Azure writes in its own capitals.
fn offered<'a>(planning: &Planning<'a>, name: &str) -> Option<Chosen<'a>> {
    let sizes = &planning.facts.sizes;
    let same = || sizes.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
    sizes.get_key_value(name).or_else(same).map(|(name, size)| Chosen { name, size })
}

/// Looks for what the size does not have.
fn check(planning: &Planning<'_>, wish: &Wish<'_>, chosen: &Chosen<'_>, out: &mut Findings) {
    let untold = untold(planning, chosen);
    if !untold.is_empty() {
        out.push(cloud_pages::size_untold(wish, chosen.name, &untold));
    }
    if !is_large_enough(planning, wish, chosen) {
        let least = planning.catalogue().minimums(wish.role).cloned().unwrap_or_default();
        let has = (chosen.vcpus(), chosen.memory_gb());
        out.push(pages::too_small(wish, chosen.name, has, &least));
    }
    if !has_architecture(wish, chosen) {
        out.push(pages::other_architecture(wish, chosen.name));
    }
    if planning.catalogue().unsupported_families.contains(&chosen.size.family) {
        out.push(pages::unsupported_family(wish, chosen.name, &chosen.size.family));
    }
    let settings = wish.settings;
    // Of the first two capabilities every cloud has a word on every size. On the others silence is a "no"
    // only where the cloud itself was asked.
    let wanted = [
        (settings.vm_networking_type == "Accelerated", ACCELERATED, true, "vmNetworkingType"),
        (wish.disk_type.starts_with("Premium"), PREMIUM, true, "osDisk.diskType"),
        (settings.encryption_at_host, "EncryptionAtHostSupported", planning.asked(), "encryptionAtHost"),
    ];
    for (_, capability, always_said, field) in wanted.into_iter().filter(|(wanted, ..)| *wanted) {
        if !chosen.has(capability).unwrap_or(!always_said) {
            out.push(pages::capability_missing(wish, chosen.name, capability, field));
        }
    }
    let ultra = settings.ultra_ssd_capability == "Enabled";
    let ultra = ultra.then(|| ultra_disks(planning, wish, chosen)).flatten();
    for finding in ultra.into_iter().chain(protection(planning, wish, chosen)) {
        out.push(finding);
    }
}

/// What the cloud does not say of the size though it was asked. Stack Hubs have one architecture and need not
/// name it.
fn untold(planning: &Planning<'_>, chosen: &Chosen<'_>) -> Vec<&'static str> {
    let told = [
        ("vCPUs", chosen.vcpus().is_some()),
        ("MemoryGB", chosen.memory_gb().is_some()),
        (ARCHITECTURE, planning.stack() || chosen.size.capabilities.contains_key(ARCHITECTURE)),
    ];
    told.into_iter().filter(|(_, told)| planning.asked() && !told).map(|(name, _)| name).collect()
}

/// What stands against ultra disks.
fn ultra_disks(planning: &Planning<'_>, wish: &Wish<'_>, chosen: &Chosen<'_>) -> Option<Finding> {
    if !chosen.size.restriction.is_empty() {
        // It has no zones as none is open, which is told already.
        return None;
    }
    if planning.asked() && chosen.size.zones.is_empty() {
        return Some(cloud_pages::ultra_without_zones(planning.location(), wish, chosen.name));
    }
    let Some(having) = chosen.zones_with(ULTRA) else {
        let has = chosen.has(ULTRA).unwrap_or(!planning.asked());
        return (!has).then(|| cloud_pages::no_ultra(wish, chosen.name, ULTRA));
    };
    let given = &wish.settings.zones;
    let zones =
        if given.is_empty() { zones(planning, chosen) } else { given.iter().map(String::as_str).collect() };
    let missing: Vec<&str> = zones.into_iter().filter(|zone| !having.contains(zone)).collect();
    (!missing.is_empty()).then(|| cloud_pages::ultra_not_in_zones(wish, chosen.name, &missing, &having))
}

/// What stands against the protected start that is asked for.
fn protection(planning: &Planning<'_>, wish: &Wish<'_>, chosen: &Chosen<'_>) -> Option<Finding> {
    let kind = wish.settings.settings.as_ref()?.security_type.as_str();
    let said = chosen.size.capabilities.get(CONFIDENTIAL);
    let confidential = said.map(|kind| WHOLE_MACHINES.iter().any(|known| kind.eq_ignore_ascii_case(known)));
    let refused = match kind {
        "ConfidentialVM" => !confidential.unwrap_or(!planning.asked()),
        "TrustedLaunch" => chosen.has(NOT_TRUSTED) == Some(true) || confidential == Some(true),
        _ => false,
    };
    refused.then(|| match kind {
        "ConfidentialVM" => cloud_pages::not_confidential(wish, chosen.name),
        _ => cloud_pages::not_trusted(wish, chosen.name),
    })
}

/// The highest generation that the size can be.
pub(super) fn generation(
    planning: &Planning<'_>,
    wish: &Wish<'_>,
    chosen: &Chosen<'_>,
    out: &mut Findings,
) -> Option<String> {
    let given = chosen.size.capabilities.get(GENERATIONS).map_or("", String::as_str);
    let highest = given.split(',').map(str::trim).filter(|name| !name.is_empty()).max();
    // Stack Hubs have the first one only and need not say so.
    let highest = highest.or_else(|| planning.stack().then_some("V1"));
    let protected =
        wish.settings.settings.as_ref().is_some_and(|security| !security.security_type.is_empty());
    if highest.is_none() {
        out.push(pages::capability_missing(wish, chosen.name, GENERATIONS, "type"));
    } else if protected && highest == Some("V1") {
        out.push(pages::capability_missing(
            wish,
            chosen.name,
            "HyperVGenerations V2",
            "settings.securityType",
        ));
    }
    highest.map(str::to_owned)
}

fn is_large_enough(planning: &Planning<'_>, wish: &Wish<'_>, chosen: &Chosen<'_>) -> bool {
    planning.catalogue().minimums(wish.role).is_none_or(|least| {
        chosen.vcpus().is_none_or(|vcpus| vcpus >= f64::from(least.vcpus))
            && chosen.memory_gb().is_none_or(|memory| memory >= f64::from(least.memory_gb))
    })
}

fn has_architecture(wish: &Wish<'_>, chosen: &Chosen<'_>) -> bool {
    let wanted = if wish.architecture == "arm64" { "Arm64" } else { "x64" };
    let own = chosen.size.capabilities.get(ARCHITECTURE);
    own.is_none_or(|own| own.eq_ignore_ascii_case(wanted))
}

/// The sizes of the facts that would do for the pool, by name.
fn fitting<'a>(planning: &Planning<'a>, wish: &Wish<'_>) -> Vec<&'a str> {
    let all = planning.facts.sizes.iter().map(|(name, size)| Chosen { name, size });
    let families = &planning.catalogue().unsupported_families;
    all.filter(|chosen| planning.case.catalogue.allows_type(chosen.name))
        .filter(|chosen| chosen.size.restriction.is_empty() && !families.contains(&chosen.size.family))
        .filter(|chosen| has_architecture(wish, chosen) && is_large_enough(planning, wish, chosen))
        .map(|chosen| chosen.name)
        .collect()
}

/// The sizes of the facts that fit a pool, the usual ones first.
pub(super) fn offers(planning: &Planning<'_>, wish: &Wish<'_>) -> Vec<TypeOffer> {
    let usual = candidates(planning, wish);
    let mut names = fitting(planning, wish);
    names.sort_by_key(|name| usual.iter().position(|own| own == name).unwrap_or(usize::MAX));
    let fits = |chosen: &Chosen<'_>| {
        let mut against = Findings::default();
        check(planning, wish, chosen, &mut against);
        generation(planning, wish, chosen, &mut against);
        let zones = zones(planning, chosen);
        against.errors() == 0 && (chosen.size.zones.is_empty() || !zones.is_empty())
    };
    let offered = names.into_iter().filter_map(|name| offered(planning, name)).filter(fits);
    offered
        .map(|chosen| {
            let mut zones: Vec<String> = zones(planning, &chosen).into_iter().map(str::to_owned).collect();
            zones.sort();
            TypeOffer { name: chosen.name.to_owned(), zones }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_capabilities() {
        let text =
            [("vCPUs", "8"), ("vCPUsAvailable", "4"), ("MemoryGB", "3.5"), (PREMIUM, "True"), ("Odd", "NaN")];
        let capabilities = text.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let size = Size { capabilities, ..Size::default() };
        let chosen = Chosen { name: "n", size: &size };
        assert_eq!(chosen.vcpus().map(|n| n.to_string()), Some("4".to_owned()));
        assert_eq!(chosen.memory_gb().map(|n| n.to_string()), Some("3.5".to_owned()));
        assert_eq!((chosen.has(PREMIUM), chosen.has(ACCELERATED)), (Some(true), None));
        assert!(chosen.number(&["Odd"]).is_none());
    }
}
