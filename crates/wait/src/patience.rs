//! How often is asked, and when asking again is of no use.

use std::time::Duration;

use landfall_kube::Fault;
use landfall_net::Sort;

/// Pauses grow up to this one.
const LONGEST: Duration = Duration::from_secs(5);
/// The first pause.
const SHORTEST: Duration = Duration::from_secs(1);

/// So many refusals in a row are one for good: something on the way may answer in the API's place for a
/// moment, such as a load balancer that still has another server behind it.
const FEW: usize = 3;
/// So many are taken of an API that answered before: its servers are replaced one by one while a cluster is
/// installed, and each begins without knowing its users.
const MANY: usize = 12;

/// What is remembered from one call to the next.
#[derive(Debug, Default)]
pub(super) struct Patience {
    answered: bool,
    refusals: usize,
    pauses: u32,
}

impl Patience {
    /// The server answered what it was asked, and whether that was something new.
    pub(super) fn answered(&mut self, new: bool) {
        let pauses = if new { 0 } else { self.pauses };
        *self = Self { answered: true, refusals: 0, pauses };
    }

    /// Whether waiting will not help, now that this happened too. What a wrong certificate or a refused user
    /// is at the third time it is for good; everything else may be that the cluster is not there yet.
    pub(super) fn is_over(&mut self, fault: &Fault) -> bool {
        if matches!(fault, Fault::Setup(_)) {
            return true;
        }
        if !is_refusal(fault) {
            self.refusals = 0;
            return false;
        }
        self.refusals += 1;
        self.refusals >= if self.answered { MANY } else { FEW }
    }

    /// How long to wait before the next call: longer each time, and a little different for everybody.
    /// `chance` is any number.
    pub(super) fn pause(&mut self, chance: u8) -> Duration {
        let grown = SHORTEST * 2_u32.saturating_pow(self.pauses);
        self.pauses = self.pauses.saturating_add(1).min(8);
        grown.min(LONGEST) + Duration::from_millis(u64::from(chance))
    }
}

/// Whether the server, or what stands in its place, turned us away.
pub(super) fn is_refusal(fault: &Fault) -> bool {
    match fault {
        Fault::Unauthorized | Fault::Forbidden(_) => true,
        Fault::Way { sort, .. } => is_certificate(*sort),
        _ => false,
    }
}

/// Whether the certificate is what is wrong.
pub(super) fn is_certificate(sort: Sort) -> bool {
    matches!(sort, Sort::UnknownAuthority | Sort::OtherName | Sort::Expired)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(sort: Sort) -> Fault {
        Fault::Way { sort, why: String::new() }
    }

    #[test]
    fn what_may_heal_is_waited_for() {
        let mut patience = Patience::default();
        for sort in [Sort::NameUnknown, Sort::Refused, Sort::Closed, Sort::NotYetValid, Sort::ProxyRefused] {
            assert!((0..100).all(|_| !patience.is_over(&way(sort))), "{sort:?}");
        }
        assert!((0..100).all(|_| !patience.is_over(&Fault::NotFound)));
        assert!(patience.is_over(&Fault::Setup(String::new())));
    }

    #[test]
    fn what_does_not_heal_ends_at_the_third_time_in_a_row() {
        for fault in [Fault::Unauthorized, Fault::Forbidden(String::new()), way(Sort::UnknownAuthority)] {
            let mut patience = Patience::default();
            let over: Vec<bool> = (0..3).map(|_| patience.is_over(&fault)).collect();
            assert_eq!(over, [false, false, true], "{fault:?}");
        }
        let mut patience = Patience::default();
        let between = [Fault::Unauthorized, Fault::Unauthorized, way(Sort::Closed), Fault::Unauthorized];
        assert!(between.iter().all(|fault| !patience.is_over(fault)));
    }

    #[test]
    fn an_api_that_answered_is_given_more_time() {
        let mut patience = Patience::default();
        patience.answered(false);
        let over = (1..=20).find(|_| patience.is_over(&Fault::Unauthorized));
        assert_eq!(over, Some(12));
    }

    #[test]
    fn pauses_grow_to_a_bound() {
        let mut patience = Patience::default();
        let seconds: Vec<u64> = (0..6).map(|_| patience.pause(255).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 5, 5, 5]);
        patience.answered(false);
        assert_eq!(patience.pause(0), LONGEST);
        patience.answered(true);
        assert_eq!(patience.pause(0), SHORTEST);
    }
}
