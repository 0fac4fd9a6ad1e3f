//! A management cluster that was reached, with what it serves.

use landfall_engine_aso::detect::{Report, permissions};
use landfall_engine_aso::drive::{Feed, Ground, Place};
use landfall_engine_aso::kinds::Kind;
use landfall_net::stop::Stop;

use super::management::{self, Management, Refused, Shown};
use crate::cli::Exit;

/// A management cluster with the kinds that it serves.
pub struct Reached {
    /// The cluster.
    pub management: Management,
    /// The kinds that can be looked at.
    pub kinds: Vec<&'static Kind>,
    /// What was found of the operator.
    pub report: Report,
}

impl Reached {
    /// What a management cluster serves in the namespace of a cluster.
    ///
    /// # Errors
    /// It does not answer, or does not permit to look at kinds that are `needed`.
    pub async fn of(
        management: Management,
        ground: &Ground,
        needed: impl Fn(&Kind) -> bool,
    ) -> Result<Self, Refused> {
        let served = management.served(&permissions::kinds(true), &ground.namespace).await;
        let (kinds, report) = served.map_err(|findings| (findings, Exit::Unfit))?;
        let closed = management::closed(&kinds, &report, ground, needed);
        if !closed.is_empty() {
            return Err((closed, Exit::Unfit));
        }
        Ok(Self { management, kinds, report })
    }

    /// News of all objects in the namespace of a cluster.
    pub fn feed(&self, ground: &Ground) -> Feed {
        self.management.feed(&self.kinds, &self.report, ground)
    }

    /// Where a cluster is worked on, for as long as is shown.
    pub fn place<'a>(&'a self, ground: &'a Ground, shown: &'a Shown<'_>, stop: &'a Stop) -> Place<'a> {
        self.management.place(&self.kinds, ground, shown, stop)
    }
}
