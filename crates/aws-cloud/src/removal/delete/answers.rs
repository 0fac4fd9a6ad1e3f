//! What an error of AWS means for the thing that was to go.

use std::sync::LazyLock;

use landfall_diagnostics::Finding;
use landfall_platform::removal::{Outcome, Resource};

use super::pages;
use crate::fault::{Fault, Sort};
use crate::pages as credentials;

/// What an error means for a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The thing is not there.
    Gone,
    /// Something holds it, or is being done with it.
    Held,
    /// The cloud was asked too often, cannot be heard, or has another reason.
    Failed,
    /// The caller may not remove it.
    Denied,
    /// It is protected against deletion.
    Protected,
    /// A lock or a retention period keeps it.
    Retained,
    /// Another service manages it.
    Managed,
    /// The credentials are not accepted.
    Unaccepted,
}

/// Codes, what a message must contain for the row to count (in lower case; empty for any), and what they
/// mean. The first row that fits counts. What is not in the table is judged by the fault's sort: above all,
/// codes that end in `NotFound` or begin with `NoSuch` are of things that are gone.
static MEANINGS: LazyLock<Vec<(&str, &str, &str)>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../data/error-meanings.json")).unwrap_or_default()
});

/// What a fault means for the thing that the call was about.
pub(super) fn meaning(fault: &Fault) -> Meaning {
    let code = fault.code.as_deref().unwrap_or_default();
    let message = fault.message.to_ascii_lowercase();
    let row = MEANINGS.iter().find(|(known, words, _)| *known == code && message.contains(words));
    match row.map(|(_, _, meaning)| *meaning) {
        Some("gone") => Meaning::Gone,
        Some("held") => Meaning::Held,
        Some("protected") => Meaning::Protected,
        Some("retained") => Meaning::Retained,
        Some("managed") => Meaning::Managed,
        _ => of_sort(fault.sort),
    }
}

fn of_sort(sort: Sort) -> Meaning {
    match sort {
        Sort::NotFound => Meaning::Gone,
        Sort::Denied => Meaning::Denied,
        Sort::NotEnabled | Sort::Credentials | Sort::Expired | Sort::Clock => Meaning::Unaccepted,
        Sort::Throttled
        | Sort::TimedOut
        | Sort::Unreachable
        | Sort::Unrenewed
        | Sort::NotUnderstood
        | Sort::Service => Meaning::Failed,
    }
}

/// What a fault makes of a thing.
pub(super) fn outcome(fault: &Fault, thing: &Resource) -> Outcome {
    let refused = |finding: Finding| Outcome::Refused(Box::new(finding));
    match meaning(fault) {
        Meaning::Gone => Outcome::Gone,
        Meaning::Held => Outcome::Held { why: fault.sentence() },
        Meaning::Failed => Outcome::Failed { why: fault.sentence() },
        Meaning::Denied => refused(pages::denied(fault, thing)),
        Meaning::Protected => refused(pages::protected(fault, thing)),
        Meaning::Retained => refused(pages::retained(fault, thing)),
        Meaning::Managed => refused(pages::managed(fault, thing)),
        Meaning::Unaccepted => refused(unaccepted(fault)),
    }
}

/// The credentials are refused, whatever is asked.
fn unaccepted(fault: &Fault) -> Finding {
    let mut finding = fault.finding("");
    finding.code = match fault.sort {
        Sort::Expired => &credentials::EXPIRED,
        Sort::Clock => &credentials::CLOCK,
        Sort::Credentials => &credentials::REFUSED,
        _ => finding.code,
    };
    finding
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn fault(sort: Sort, code: &str, message: &str) -> Fault {
        Fault {
            call: "ec2:DeleteVolume".to_owned(),
            sort,
            code: Some(code.to_owned()),
            message: message.to_owned(),
            request_id: None,
            status: Some(400),
        }
    }

    fn of_service(code: &str, message: &str) -> Meaning {
        meaning(&fault(Sort::Service, code, message))
    }

    #[test]
    fn codes_say_what_became_of_a_thing() {
        let not_found = fault(Sort::NotFound, "InvalidVolume.NotFound", "");
        assert_eq!(meaning(&not_found), Meaning::Gone);
        assert_eq!(of_service("InvalidPlacementGroup.Unknown", ""), Meaning::Gone);
        assert_eq!(of_service("DependencyViolation", "has dependencies"), Meaning::Held);
        assert_eq!(of_service("ValidationError", "no"), Meaning::Failed);
        assert_eq!(meaning(&fault(Sort::Throttled, "RequestLimitExceeded", "")), Meaning::Failed);
        assert_eq!(meaning(&fault(Sort::Denied, "UnauthorizedOperation", "")), Meaning::Denied);
        assert_eq!(meaning(&fault(Sort::Expired, "ExpiredToken", "")), Meaning::Unaccepted);
    }

    #[test]
    fn the_same_code_can_mean_several_things() {
        let eni = "Network interface 'eni-1' is currently in use.";
        assert_eq!(of_service("InvalidParameterValue", eni), Meaning::Held);
        let backup = "This snapshot is managed by the AWS Backup service";
        assert_eq!(of_service("InvalidParameterValue", backup), Meaning::Managed);
        let image = "This image is managed by AWS Backup and cannot be deleted via EC2 APIs.";
        assert_eq!(meaning(&fault(Sort::Credentials, "AuthFailure", image)), Meaning::Managed);
        assert_eq!(of_service("InvalidParameterValue", "bad value"), Meaning::Failed);
        let protected = "Modify its 'disableApiTermination' instance attribute and try again";
        assert_eq!(of_service("OperationNotPermitted", protected), Meaning::Protected);
        let balancer = "cannot be deleted because deletion protection is enabled";
        assert_eq!(of_service("OperationNotPermitted", balancer), Meaning::Protected);
        assert_eq!(of_service("OperationNotPermitted", "not yours"), Meaning::Held);
        let mapped = "You do not have permission to access the specified resource.";
        assert_eq!(meaning(&fault(Sort::Credentials, "AuthFailure", mapped)), Meaning::Held);
        assert_eq!(meaning(&fault(Sort::Credentials, "AuthFailure", "")), Meaning::Unaccepted);
        let locked = "Access Denied because object protected by object lock.";
        assert_eq!(meaning(&fault(Sort::Denied, "AccessDenied", locked)), Meaning::Retained);
    }

    #[test]
    fn no_row_is_hidden_behind_an_earlier_one() {
        let mut any: BTreeSet<&str> = BTreeSet::new();
        assert!(MEANINGS.len() > 30);
        for (code, words, meaning) in MEANINGS.iter() {
            assert!(["gone", "held", "protected", "retained", "managed"].contains(meaning), "{code} {words}");
            assert!(!any.contains(code), "{code} {words}");
            assert_eq!(*words, words.to_ascii_lowercase());
            if words.is_empty() {
                any.insert(*code);
            }
        }
    }

    #[test]
    fn credentials_that_are_over_are_told_as_such() {
        let finding = unaccepted(&fault(Sort::Expired, "ExpiredToken", "expired"));
        assert_eq!(*finding.code, credentials::EXPIRED);
        assert!(finding.help.is_some());
    }
}
