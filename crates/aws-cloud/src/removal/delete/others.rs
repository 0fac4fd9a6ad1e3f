//! What landfall knows no way to remove, and only lists of tags tell of.
//!
//! Tags are listed for a while after the end of what they are on, and the service of such a thing is not
//! asked here. It is gone once the list has it no more. That is asked again for some time, in which somebody
//! may remove it; what is listed even then is taken to be there.

use std::collections::BTreeMap;
use std::sync::PoisonError;
use std::time::Duration;

use landfall_platform::removal::{Outcome, Resource};
use tokio::time::Instant;

use super::answers::{self, Meaning};
use super::{Stop, pages, tags};
use crate::removal::AwsRemoval;

/// How long a list may go on to have what is gone.
const LATE: Duration = Duration::from_mins(2);

/// Looks whether somebody else has removed a thing.
pub(super) async fn remove(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<Outcome, Stop> {
    match Box::pin(is_listed(removal, thing)).await {
        Ok(false) => Ok(Outcome::Gone),
        Ok(true) => {
            let mut unremoved = removal.unremoved.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(listed(&mut unremoved, thing, Instant::now()))
        }
        // Who may not ask knows nothing of its end.
        Err(Stop::Fault(fault)) if matches!(answers::meaning(&fault), Meaning::Denied | Meaning::Gone) => {
            Ok(Outcome::Refused(Box::new(pages::unknown(thing))))
        }
        Err(stop) => Err(stop),
    }
}

/// What becomes of a thing that is listed now.
fn listed(unremoved: &mut BTreeMap<String, Instant>, thing: &Resource, now: Instant) -> Outcome {
    let since = *unremoved.entry(thing.id.clone()).or_insert(now);
    if since + LATE <= now {
        return Outcome::Refused(Box::new(pages::unknown(thing)));
    }
    Outcome::Held { why: "landfall cannot remove it, and AWS still lists its tags".to_owned() }
}

/// Whether a list of tags has a thing.
pub(super) async fn is_listed(removal: &AwsRemoval<'_>, thing: &Resource) -> Result<bool, Stop> {
    Ok(!Box::pin(tags::carried(removal, &[thing])).await?.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::removal::kinds;
    use landfall_platform::removal::Disposition;

    #[test]
    fn what_is_listed_for_long_is_there() {
        let thing = Resource {
            id: "arn:aws:rds:us-east-1:123456789012:db:demo".to_owned(),
            kind: &kinds::OTHER,
            name: String::new(),
            fate: Disposition::Removed,
            after: Vec::new(),
        };
        let (mut unremoved, begin) = (BTreeMap::new(), Instant::now());
        let mut after = |time: Duration| listed(&mut unremoved, &thing, begin + time);
        assert!(matches!(after(Duration::ZERO), Outcome::Held { .. }));
        assert!(matches!(after(LATE / 2), Outcome::Held { .. }));
        let refused = match after(LATE) {
            Outcome::Refused(finding) => finding.message,
            _ => String::new(),
        };
        assert!(refused.contains(&thing.id), "{refused}");
    }
}
