//! What a call failed for, as the engine tells failures apart.

use landfall_platform::native::Failure;

use super::pages;
use crate::cloud::fault::{Fault, Sort};

/// Whether Azure itself said so, rather than something on the way to it.
pub(super) fn is_answer(fault: &Fault) -> bool {
    matches!(fault.sort, Sort::Service | Sort::Denied | Sort::NotFound)
        && !fault.is_trouble()
        && fault.code.is_some()
}

/// The failure of a call.
pub(super) fn failure(fault: &Fault) -> Failure {
    let finding = Box::new(pages::refused(fault));
    match fault.sort {
        Sort::Throttled => Failure::Throttled(finding),
        Sort::TimedOut | Sort::Unreachable | Sort::NotUnderstood => Failure::Unknown(finding),
        _ if fault.is_trouble() => Failure::Unknown(finding),
        Sort::NotFound | Sort::Service if fault.passes() => Failure::NotYet(finding),
        _ => Failure::Refused(finding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(sort: Sort, code: &str) -> Fault {
        let code = Some(code.to_owned());
        Fault { call: "PUT x".to_owned(), sort, code, message: "no".to_owned(), correlation_id: None }
    }

    #[test]
    fn what_passes_is_told_from_what_does_not() {
        let of = |sort, code| failure(&fault(sort, code));
        assert!(matches!(of(Sort::Throttled, "TooManyRequests"), Failure::Throttled(_)));
        assert!(matches!(of(Sort::Service, "InternalServerError"), Failure::Unknown(_)));
        assert!(matches!(of(Sort::Service, "PrincipalNotFound"), Failure::NotYet(_)));
        let refused = of(Sort::Service, "SkuNotAvailable");
        assert!(matches!(&refused, Failure::Refused(finding) if finding.code.as_str() == "LF1430"));
        assert!(is_answer(&fault(Sort::Service, "AllocationFailed")));
        assert!(!is_answer(&fault(Sort::Service, "InternalServerError")));
    }
}
