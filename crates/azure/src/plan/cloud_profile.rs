//! What planning says where it is the cloud profile that leaves nothing to choose.

use landfall_diagnostics::{Finding, Kind, shortened};
use landfall_model::catalogue::Allowance;
use landfall_rules::allowance;

use super::pages::{DEFAULT_SIZE, REGION};
use super::sizes::Wish;

/// `candidates` are the sizes that the profile lists and that are known to fit, `fitting` those that it lists and
/// that the location offers.
pub(super) fn no_size(
    profile: &Allowance,
    location: &str,
    wish: &Wish<'_>,
    candidates: &[&str],
    fitting: &[&str],
) -> Finding {
    let name = shortened(&profile.profile);
    let message = if candidates.is_empty() {
        allowance::none_fits(profile, wish.architecture, wish.role.name())
    } else {
        format!(
            "`{}` offers none of the machine types that the cloud profile `{name}` lists ({})",
            shortened(location),
            allowance::first_of(candidates)
        )
    };
    let field = format!("{}.platform.azure.type", wish.path);
    let help = if fitting.is_empty() {
        allowance::add_a_type(profile)
    } else {
        format!("set {field}; the location offers {}", allowance::first_of(fitting))
    };
    Finding::error(&DEFAULT_SIZE, Kind::Required, field, message).at(REGION).help(help)
}
