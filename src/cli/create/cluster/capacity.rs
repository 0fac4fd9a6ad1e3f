//! What can be chosen in place of a machine type that the cloud has no machine of.

use landfall_diagnostics::Finding;
use landfall_engine_terraform::lacks_capacity;
use landfall_model::plan::{Plan, TypeOffer};

/// So many types are named.
const MOST: usize = 5;

/// Adds the machine types that fit the control plane, and the zones that offer them, to findings of a cloud that has
/// no capacity.
pub(super) fn add_offers(findings: &mut [Finding], plan: &Plan) {
    let offers = plan.control_plane_offers();
    if offers.is_empty() {
        return;
    }
    for finding in findings.iter_mut().filter(|finding| lacks_capacity(&finding.message)) {
        let named = format!("types of the region that fit: {}", listed(offers));
        finding.help = Some(match finding.help.take() {
            Some(help) => format!("{help}; {named}"),
            None => named,
        });
    }
}

fn listed(offers: &[TypeOffer]) -> String {
    let one = |offer: &TypeOffer| match offer.zones.as_slice() {
        [] => offer.name.clone(),
        [zone] => format!("{} in zone {zone}", offer.name),
        zones => format!("{} in zones {}", offer.name, zones.join(", ")),
    };
    let first: Vec<String> = offers.iter().take(MOST).map(one).collect();
    let more = if offers.len() > MOST { "; and others" } else { "" };
    format!("{}{more}", first.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_named_with_its_zones() {
        let offer = |name: &str, zones: &[&str]| TypeOffer {
            name: name.to_owned(),
            zones: zones.iter().map(|zone| (*zone).to_owned()).collect(),
        };
        let mut offers = vec![offer("a", &["1", "2"]), offer("b", &["3"]), offer("c", &[])];
        assert_eq!(listed(&offers), "a in zones 1, 2; b in zone 3; c");
        offers.extend(["d", "e", "f"].map(|name| offer(name, &[])));
        assert!(listed(&offers).ends_with("c; d; e; and others"));
    }
}
