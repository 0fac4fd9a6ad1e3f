//! Destroy: everything a cluster owns, nothing else, and proof of it.
//!
//! All platforms share this crate. A platform's [`Removal`] discovers the resources of a cluster and removes
//! them; this crate decides the order. Each resource is tried as soon as its dependencies have gone, so that the
//! time is that of the longest chain. Resources that remain are reported with their holders, and a new scan of
//! the cloud proves the end. No file is touched.
//!
//! ```
//! use landfall_destroy::{Pace, Pauses};
//! use std::time::Duration;
//!
//! // Half as many calls at a time as usual, for at most 20 minutes.
//! let usual = Pace::default();
//! let gentle = Pace { parallel: usual.parallel / 2, timeout: Duration::from_mins(20), ..usual };
//! assert_eq!(gentle.pauses, Pauses { first: Duration::from_millis(250), longest: Duration::from_secs(15) });
//! ```

#![forbid(unsafe_code)]

mod account;
mod calls;
mod order;
pub mod pages;
mod pause;
mod polling;
mod progress;
mod proof;
mod region_check;
mod removal_state;
mod report;
mod schedule;
mod stuck;

pub use account::{Fault, account, nothing_found, same_account};
pub use landfall_net::stop::Stop;
pub use pause::Pauses;
pub use progress::{Blocked, KindState, State, Unwatched, Watcher, label};
pub use region_check::{Misplaced, may_pass, right_place};
pub use report::{Left, Outcome, Report};
pub use schedule::run;

use std::time::Duration;

use futures::future::join;
use landfall_diagnostics::Finding;
use landfall_platform::removal::{Account, Discovered, Disposition, Removal, Resource};

/// How a run goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The most calls that are under way at a time; at least one is.
    pub parallel: usize,
    /// When the run ends, whatever is left by then.
    pub timeout: Duration,
    /// How long a removal may take before the holders of the resource are reported.
    pub name_blockers: Duration,
    /// How long to wait before something is tried or looked at again.
    pub pauses: Pauses,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            parallel: 24,
            timeout: Duration::from_hours(1),
            name_blockers: Duration::from_secs(30),
            pauses: Pauses { first: Duration::from_millis(250), longest: Duration::from_secs(15) },
        }
    }
}

/// What a run would do.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Whose credentials these are.
    pub account: Account,
    /// What was found, for [`run`] to begin with.
    pub first: Discovered,
    /// What would be removed: each wave when those before it are gone.
    pub waves: Vec<Wave>,
    /// What would stay and lose the cluster's tag.
    pub released: Vec<Resource>,
    /// What is worth saying besides; with an error among it, nothing would be removed.
    pub notes: Vec<Finding>,
    /// What could not be looked at, so that there may be more.
    pub unseen: Vec<Finding>,
    /// What may be the cluster's and would stay.
    pub unproven: Vec<Finding>,
}

/// Resources of which none waits for another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wave {
    /// The resources, by kind and name.
    pub things: Vec<Resource>,
}

/// Says what a run would do, and changes nothing. Whose credentials these are is asked for again as long as `limit`
/// allows.
///
/// # Errors
/// The credentials' account is unknown.
pub async fn plan(removal: &dyn Removal, limit: Duration) -> Result<Planned, Fault> {
    let (account, first) = join(account(removal, limit), calls::discover(removal)).await;
    let account = account?;
    let mut waves = order::Order::of(first.things.iter()).waves(&first.things);
    for wave in &mut waves {
        wave.things.retain(|thing| thing.fate == Disposition::Removed);
        sort(&mut wave.things);
    }
    waves.retain(|wave| !wave.things.is_empty());
    let released = first.things.iter().filter(|thing| thing.fate == Disposition::Released);
    let mut released: Vec<Resource> = released.cloned().collect();
    sort(&mut released);
    let (notes, unseen, unproven) = (first.notes.clone(), first.unseen.clone(), first.unproven.clone());
    Ok(Planned { account, first, waves, released, notes, unseen, unproven })
}

/// By kind, name and id.
fn sort(things: &mut [Resource]) {
    things.sort_by(|a, b| (a.kind.name, &a.name, &a.id).cmp(&(b.kind.name, &b.name, &b.id)));
}

#[cfg(test)]
mod tests;
