//! What planning says where it is the cloud profile that leaves nothing to choose.

use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_model::aws::facts::Subnet;
use landfall_model::catalogue::{Allowance, AllowedRegion};
use landfall_rules::allowance;

use super::instance_types::Wish;
use super::pages::{DEFAULT_TYPE, REGION};

/// `known` are the zones that there are for the machines.
pub(super) fn no_zone(profile: &Allowance, region: &str, pool: &str, known: &[String]) -> Finding {
    allowance::no_zone_listed(profile, region, known, format!("{pool}.platform.aws.zones")).at(REGION)
}

/// The subnet with the number `i` in the config is in a zone that the profile does not list.
pub(super) fn subnet_outside(profile: &Allowance, region: &str, i: usize, subnet: &Subnet) -> Finding {
    let field = format!("platform.aws.vpc.subnets[{i}].id");
    let allowed = profile.regions.get(region).into_iter();
    let listed: Vec<&str> = allowed.flat_map(AllowedRegion::zone_names).collect();
    allowance::zone_not_listed(profile, region, &subnet.zone, field).help(format!(
        "the subnet `{}` is in that zone: use subnets in {}",
        shortened(&subnet.id),
        allowance::first_of(&listed)
    ))
}

/// `candidates` are the types that the profile lists and that are known to fit; `help` is what to do.
pub(super) fn no_type(
    profile: &Allowance,
    region: &str,
    wish: &Wish<'_>,
    candidates: &[String],
    help: String,
) -> Finding {
    let name = shortened(&profile.profile);
    let message = if candidates.is_empty() {
        allowance::none_fits(profile, wish.architecture, wish.role.name())
    } else {
        format!(
            "none of the machine types that the cloud profile `{name}` lists ({}) is available in {} of `{}`",
            allowance::first_of(candidates),
            wish.zones.join(", "),
            shortened(region)
        )
    };
    let field = format!("{}.platform.aws.type", wish.path);
    Finding::error(&DEFAULT_TYPE, Kind::Required, field, message).at(REGION).help(help)
}
