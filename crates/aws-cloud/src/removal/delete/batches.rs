//! One call for many things that failed as a whole: which of them it failed for, and what to try next.
//!
//! EC2 refuses a list of ids when one of them is not there, is protected or may not be touched, and names it
//! in the message. The one that is named is settled by that, and the rest are asked for again; where none is
//! named, each is asked for by itself.

use std::collections::BTreeMap;

use landfall_platform::removal::{Outcome, Resource};

use super::answers::{self, Meaning};
use super::bare;
use crate::fault::Fault;

/// Outcomes of things, by their ids.
pub(super) type Outcomes<'t> = BTreeMap<&'t str, Outcome>;

/// Settles the things that a failed call says something about; the lots to ask for next.
pub(super) fn blame<'t>(
    fault: &Fault,
    lot: Vec<&'t Resource>,
    outcomes: &mut Outcomes<'t>,
) -> Vec<Vec<&'t Resource>> {
    let of_all = [Meaning::Failed, Meaning::Unaccepted].contains(&answers::meaning(fault));
    if lot.len() == 1 || of_all {
        outcomes.extend(lot.into_iter().map(|thing| (thing.id.as_str(), answers::outcome(fault, thing))));
        return Vec::new();
    }
    let (named, rest): (Vec<&Resource>, Vec<&Resource>) =
        lot.into_iter().partition(|thing| mentions(&fault.message, bare(&thing.id)));
    if named.is_empty() {
        return rest.into_iter().map(|thing| vec![thing]).collect();
    }
    outcomes.extend(named.into_iter().map(|thing| (thing.id.as_str(), answers::outcome(fault, thing))));
    if rest.is_empty() { Vec::new() } else { vec![rest] }
}

/// The outcomes of things in their order.
pub(super) fn in_order(things: &[&Resource], mut outcomes: Outcomes<'_>) -> Vec<Outcome> {
    let unsaid = || Outcome::Failed { why: "AWS returned no result for it".to_owned() };
    things.iter().map(|thing| outcomes.remove(thing.id.as_str()).unwrap_or_else(unsaid)).collect()
}

/// Whether a message names an id, and not only one that begins with it.
fn mentions(message: &str, id: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    !id.is_empty()
        && message.match_indices(id).any(|(at, _)| ends(message.get(at + id.len()..).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Sort;
    use landfall_platform::removal::{Disposition, Kind};

    static INSTANCE: Kind = Kind { name: "instance", batch: 50, help: "", last: false };

    fn thing(id: &str) -> Resource {
        Resource {
            id: format!("arn:aws:ec2:us-east-1:123456789012:instance/{id}"),
            kind: &INSTANCE,
            name: String::new(),
            fate: Disposition::Removed,
            after: Vec::new(),
        }
    }

    fn fault(sort: Sort, code: &str, message: &str) -> Fault {
        Fault {
            call: "ec2:TerminateInstances".to_owned(),
            sort,
            code: Some(code.to_owned()),
            message: message.to_owned(),
            request_id: None,
            status: Some(400),
        }
    }

    #[test]
    fn what_is_named_is_settled_and_the_rest_asked_for_again() {
        let things = ["i-1", "i-12", "i-3"].map(thing);
        let lot: Vec<&Resource> = things.iter().collect();
        let mut outcomes = Outcomes::new();
        let missing =
            fault(Sort::NotFound, "InvalidInstanceID.NotFound", "The instance ID 'i-1' does not exist");
        let next = blame(&missing, lot, &mut outcomes);
        let next: Vec<Vec<&str>> =
            next.iter().map(|lot| lot.iter().map(|thing| bare(&thing.id)).collect()).collect();
        assert_eq!(next, [["i-12", "i-3"]]);
        assert_eq!(outcomes.len(), 1);
        assert!(matches!(outcomes.values().next(), Some(Outcome::Gone)));
    }

    #[test]
    fn where_none_is_named_each_is_asked_for() {
        let things = ["i-1", "i-2"].map(thing);
        let lot: Vec<&Resource> = things.iter().collect();
        let mut outcomes = Outcomes::new();
        let missing = fault(Sort::NotFound, "InvalidInstanceID.NotFound", "One is missing");
        assert_eq!(blame(&missing, lot.clone(), &mut outcomes).len(), 2);
        assert!(outcomes.is_empty());
        let throttled = fault(Sort::Throttled, "RequestLimitExceeded", "");
        assert!(blame(&throttled, lot.clone(), &mut outcomes).is_empty());
        let ordered = in_order(&lot, outcomes);
        assert_eq!(ordered.iter().filter(|outcome| matches!(outcome, Outcome::Failed { .. })).count(), 2);
        assert_eq!(in_order(&lot, Outcomes::new()).len(), 2);
    }

    #[test]
    fn an_id_is_not_named_by_a_longer_one() {
        assert!(mentions("The IDs 'i-12, i-1' do not exist", "i-1"));
        assert!(!mentions("The ID 'i-12' does not exist", "i-1"));
        assert!(!mentions("anything", ""));
    }
}
