//! What a cloud profile lets a cluster use: platform, region, zones and types of machines.

use landfall_diagnostics::{Code, Finding, Findings, Kind, nearest, shortened};
use landfall_model::catalogue::{Allowance, AllowedRegion};

use super::{Case, Machines};

/// The profile is for another platform.
const PLATFORM: Code = Code::new("LF1460");
/// The region is not in the profile.
const REGION: Code = Code::new("LF1461");
/// A zone is not in the profile.
const ZONE: Code = Code::new("LF1462");
/// The type of machine is not in the profile.
const TYPE: Code = Code::new("LF1463");
/// The zone does not have the type.
const LACKING: Code = Code::new("LF1464");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(allowance) = &case.catalogue.allowance else {
        return;
    };
    let profile = shortened(&allowance.profile);
    let Some(platform) = case.config.platform.present().first().copied() else {
        return;
    };
    if platform != allowance.platform {
        let message = format!(
            "the cloud profile `{profile}` is for clusters on {}, not on {platform}",
            allowance.platform
        );
        let help = format!("use a profile for {platform}, or create the cluster on {}", allowance.platform);
        let finding = Finding::error(&PLATFORM, Kind::NotSupported, "platform", message);
        out.push(finding.at(format!("platform.{platform}")).help(help));
        return;
    }
    let name = case.placement.region.as_str();
    let region = allowance.regions.get(name);
    if region.is_none() && !name.is_empty() {
        let message = format!("the cloud profile `{profile}` does not list the region `{}`", shortened(name));
        let known: Vec<&str> = allowance.regions.keys().map(String::as_str).collect();
        let field = format!("platform.{platform}.region");
        let finding = Finding::error(&REGION, Kind::NotSupported, field, message);
        out.push(finding.help(instead(name, &known)));
    }
    for machines in &case.placement.machines {
        check_type(allowance, machines, out);
        if let Some(region) = region {
            check_zones(allowance, (name, region), machines, out);
        }
    }
}

fn check_type(allowance: &Allowance, machines: &Machines, out: &mut Findings) {
    let name = machines.machine_type.as_str();
    if name.is_empty() || allowance.allows_type(name) {
        return;
    }
    let profile = shortened(&allowance.profile);
    let message = if allowance.machine_type(name).is_some() {
        format!("the cloud profile `{profile}` marks the machine type `{}` as unusable", shortened(name))
    } else {
        format!("the cloud profile `{profile}` does not list the machine type `{}`", shortened(name))
    };
    let known = usable(allowance);
    let finding = Finding::error(&TYPE, Kind::NotSupported, format!("{}.type", machines.path), message);
    out.push(finding.help(instead(name, &known)));
}

fn check_zones(
    allowance: &Allowance,
    (name, region): (&str, &AllowedRegion),
    machines: &Machines,
    out: &mut Findings,
) {
    let kind = machines.machine_type.as_str();
    for (i, zone) in machines.zones.iter().enumerate() {
        let field = format!("{}.zones[{i}]", machines.path);
        if !region.allows_zone(zone) {
            out.push(zone_not_listed(allowance, name, zone, field));
        } else if region.lacks(zone, kind) {
            out.push(lacking_in(allowance, name, zone, kind, field));
        }
    }
    if machines.zones.is_empty() && allowance.allows_type(kind) && region.lacks_everywhere(kind) {
        out.push(lacking_everywhere(allowance, name, kind, format!("{}.type", machines.path)));
    }
}

/// Says that a profile does not list a zone of a region.
#[must_use]
pub fn zone_not_listed(allowance: &Allowance, region: &str, zone: &str, field: String) -> Finding {
    let message = format!(
        "the cloud profile `{}` does not list the zone `{}` of {}",
        shortened(&allowance.profile),
        shortened(zone),
        shortened(region)
    );
    let known = zones(allowance, region);
    Finding::error(&ZONE, Kind::NotSupported, field, message).help(instead(zone, &known))
}

/// Says that a profile lists none of the zones that a region is known to have.
#[must_use]
pub fn no_zone_listed(allowance: &Allowance, region: &str, known: &[String], field: String) -> Finding {
    let (profile, region_name) = (shortened(&allowance.profile), shortened(region));
    let message =
        format!("the cloud profile `{profile}` lists no zone that `{region_name}` has for the machines");
    let help = format!(
        "the profile lists {}, the region has {}: the profile's owner can add zones",
        first_of(&zones(allowance, region)),
        first_of(known)
    );
    Finding::error(&ZONE, Kind::NotSupported, field, message).help(help)
}

/// Says that a zone does not have a type of machine, as a profile has it.
#[must_use]
pub fn lacking_in(
    allowance: &Allowance,
    region: &str,
    zone: &str,
    machine_type: &str,
    field: String,
) -> Finding {
    let (profile, kind) = (shortened(&allowance.profile), shortened(machine_type));
    let message = format!("the zone `{}` has no `{kind}` in the cloud profile `{profile}`", shortened(zone));
    let lacks =
        |zone: &str| allowance.regions.get(region).is_some_and(|known| known.lacks(zone, machine_type));
    let having: Vec<&str> = zones(allowance, region).into_iter().filter(|zone| !lacks(zone)).collect();
    let help = if having.is_empty() {
        "use another machine type: no zone of the region has this one".to_owned()
    } else {
        format!("use another machine type, or the zones {}", having.join(", "))
    };
    Finding::error(&LACKING, Kind::Invalid, field, message).help(help)
}

/// Says that none of the zones that a profile lists for a region has a type of machine.
#[must_use]
pub fn lacking_everywhere(allowance: &Allowance, region: &str, machine_type: &str, field: String) -> Finding {
    let message = format!(
        "no zone that the cloud profile `{}` lists for {} has `{}`",
        shortened(&allowance.profile),
        shortened(region),
        shortened(machine_type)
    );
    let has = |name: &str| allowance.regions.get(region).is_none_or(|known| !known.lacks_everywhere(name));
    let mut others = usable(allowance);
    others.retain(|name| !name.eq_ignore_ascii_case(machine_type) && has(name));
    let help = if others.is_empty() {
        "the profile has no other type there: the profile's owner can add one".to_owned()
    } else {
        format!("use another machine type: the profile lists {}", first_of(&others))
    };
    Finding::error(&LACKING, Kind::Invalid, field, message).help(help)
}

/// That a profile lists no type that is known to fit machines of an architecture and role.
#[must_use]
pub fn none_fits(allowance: &Allowance, architecture: &str, role: &str) -> String {
    format!(
        "the cloud profile `{}` lists no machine type that is known to fit {} {role} machines",
        shortened(&allowance.profile),
        shortened(architecture)
    )
}

/// What is to be done where no type that a profile lists will do.
#[must_use]
pub fn add_a_type(allowance: &Allowance) -> String {
    match usable(allowance).as_slice() {
        [] => "the profile lists none: the profile's owner can add one".to_owned(),
        known => format!("the profile lists {}: the profile's owner can add a suitable one", first_of(known)),
    }
}

/// The types that machines may have.
fn usable(allowance: &Allowance) -> Vec<&str> {
    allowance.usable().map(|kind| kind.name.as_str()).collect()
}

/// The zones that a profile lists for a region.
fn zones<'a>(allowance: &'a Allowance, region: &str) -> Vec<&'a str> {
    allowance.regions.get(region).into_iter().flat_map(AllowedRegion::zone_names).collect()
}

/// What to name in the place of something that the profile does not list.
fn instead(name: &str, known: &[&str]) -> String {
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if known.is_empty() {
        return "the profile lists none: the profile's owner can add it".to_owned();
    }
    format!("the profile lists {}", first_of(known))
}

/// The names, or the first of many.
#[must_use]
pub fn first_of(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 10;
    let first: Vec<&str> = names.iter().take(MOST).map(AsRef::as_ref).collect();
    let more = if names.len() > MOST { " and others" } else { "" };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Placement;
    use landfall_model::catalogue::{AllowedType, AllowedZone, Catalogue};
    use landfall_model::config::InstallConfig;

    fn catalogue() -> Catalogue {
        let zone = |name: &str, lacking: &[&str]| AllowedZone {
            name: name.to_owned(),
            lacking: lacking.iter().map(|lacking| (*lacking).to_owned()).collect(),
        };
        let zones = vec![zone("moon-a", &["m.large", "m.rare"]), zone("moon-b", &["m.rare"])];
        let kind =
            |name: &str, usable| AllowedType { name: name.to_owned(), usable, ..AllowedType::default() };
        Catalogue::default().with_allowance(Allowance {
            profile: "team".to_owned(),
            platform: "aws".to_owned(),
            regions: [("moon-base-1".to_owned(), AllowedRegion { zones, added: false })].into(),
            machine_types: ["m.large", "m.rare", "m.small"]
                .map(|name| kind(name, true))
                .into_iter()
                .chain([kind("m.huge", false)])
                .collect(),
        })
    }

    fn found(
        region: &str,
        zones: &[&str],
        machine_type: &str,
    ) -> Vec<(&'static str, String, Option<String>)> {
        let mut config = InstallConfig::default();
        config.platform.aws.get_or_insert_default();
        let machines = Machines {
            path: "compute[0].platform.aws".to_owned(),
            zones: zones.iter().map(|zone| (*zone).to_owned()).collect(),
            machine_type: machine_type.to_owned(),
        };
        let catalogue = catalogue();
        let case = Case {
            config: &config,
            catalogue: &catalogue,
            release: None,
            present: &[],
            active: None,
            gated: Vec::new(),
            placement: Placement { region: region.to_owned(), machines: vec![machines] },
        };
        let mut out = Findings::default();
        check(&case, &mut out);
        let found = out.into_vec().into_iter();
        found.map(|finding| (finding.code.as_str(), finding.field, finding.help)).collect()
    }

    #[test]
    fn what_the_profile_lists_may_be_used() {
        assert!(found("moon-base-1", &["moon-b"], "m.large").is_empty());
        assert!(found("moon-base-1", &[], "").is_empty());
        assert!(found("", &[], "").is_empty());
    }

    #[test]
    fn regions_zones_and_types_are_those_of_the_profile() {
        let at = |field: &str| format!("compute[0].platform.aws.{field}");
        let region = "platform.aws.region".to_owned();
        let cases = [
            (found("moon-base-2", &["moon-z"], ""), "LF1461", region, "`moon-base-1`"),
            (found("moon-base-1", &["moon-c"], ""), "LF1462", at("zones[0]"), "`moon-a`"),
            (found("moon-base-1", &[], "m.larg"), "LF1463", at("type"), "`m.large`"),
            (found("moon-base-1", &["moon-b", "moon-a"], "m.large"), "LF1464", at("zones[1]"), " moon-b"),
        ];
        for (found, code, field, value) in cases {
            let places: Vec<(&str, &str)> = found.iter().map(|(code, at, _)| (*code, at.as_str())).collect();
            assert_eq!(places, [(code, field.as_str())]);
            let help = found.first().and_then(|(.., help)| help.as_deref()).unwrap_or_default();
            assert!(help.contains(value), "{help}");
        }
        let not_usable = found("moon-base-1", &[], "m.huge");
        assert_eq!(not_usable.first().map(|(code, ..)| *code), Some("LF1463"));
    }

    #[test]
    fn a_type_without_zones_is_in_one_of_the_profiles() {
        let at = "compute[0].platform.aws.type".to_owned();
        let rare = found("moon-base-1", &[], "m.Rare");
        let places: Vec<(&str, &str)> = rare.iter().map(|(code, at, _)| (*code, at.as_str())).collect();
        assert_eq!(places, [("LF1464", at.as_str())]);
        assert!(
            rare.iter().all(|(.., help)| help.as_ref().is_some_and(|help| help.contains("m.large, m.small")))
        );
        let named = found("moon-base-1", &["moon-a"], "m.rare");
        assert_eq!(
            named.iter().map(|(_, field, _)| field.as_str()).collect::<Vec<_>>(),
            ["compute[0].platform.aws.zones[0]"]
        );
        assert!(found("moon-base-2", &[], "m.rare").iter().all(|(code, ..)| *code == "LF1461"));
    }

    #[test]
    fn many_names_are_cut_short() {
        assert_eq!(first_of(&["a", "b"]), "a, b");
        let (ten, eleven) = (first_of(&["m5"; 10]), first_of(&["m5"; 11]));
        assert_eq!((ten.matches("m5").count(), eleven.matches("m5").count()), (10, 10));
        assert!(ten.ends_with("m5") && !eleven.ends_with("m5"), "{eleven}");
        assert!(add_a_type(&Allowance::default()).contains(" none"));
    }

    #[test]
    fn a_cluster_is_on_the_platform_of_the_profile() {
        let mut config = InstallConfig::default();
        config.platform.none.get_or_insert_default();
        let placement = Placement::default();
        let catalogue = catalogue();
        let case = Case {
            config: &config,
            catalogue: &catalogue,
            release: None,
            present: &[],
            active: None,
            gated: Vec::new(),
            placement,
        };
        let mut out = Findings::default();
        check(&case, &mut out);
        let codes: Vec<&str> = out.into_vec().iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(codes, ["LF1460"]);
    }
}
