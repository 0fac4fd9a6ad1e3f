//! What stands against removing a thing, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, shortened};
use landfall_platform::removal::Resource;

use crate::fault::Fault;

const DENIED: Code = Code::new("LF1335");
const PROTECTED: Code = Code::new("LF1336");
const RETAINED: Code = Code::new("LF1337");
const MANAGED: Code = Code::new("LF1338");
const UNKNOWN: Code = Code::new("LF1339");

/// The caller may not do this.
pub(super) fn denied(fault: &Fault, thing: &Resource) -> Finding {
    let call = &fault.call;
    let explicit = fault.message.contains("explicit deny");
    let help = if explicit && fault.message.contains("service control policy") {
        format!("a policy of the organization denies {call}: ask those who manage the organization")
    } else if explicit {
        format!("a policy explicitly denies {call}: remove the denial, or use another caller")
    } else {
        format!("allow the caller the action {call}, or use other credentials, then run the command again")
    };
    against(&DENIED, fault, thing).help(help)
}

/// Somebody protected it.
pub(super) fn protected(fault: &Fault, thing: &Resource) -> Finding {
    let help = format!("turn off the protection of the {}, then run the command again", thing.kind.name);
    against(&PROTECTED, fault, thing).help(help)
}

/// A lock keeps it.
pub(super) fn retained(fault: &Fault, thing: &Resource) -> Finding {
    let help =
        "remove the legal hold, or wait until the retention period is over, then run the command again";
    against(&RETAINED, fault, thing).help(help)
}

/// Another service manages it.
pub(super) fn managed(fault: &Fault, thing: &Resource) -> Finding {
    against(&MANAGED, fault, thing)
        .help("remove it with the service that manages it, then run the command again")
}

/// Nobody here knows how it goes.
pub(super) fn unknown(thing: &Resource) -> Finding {
    let message = format!("landfall cannot remove {}, which carries the cluster's tag", shortened(&thing.id));
    Finding::error(&UNKNOWN, Kind::NotSupported, "", message).help(thing.kind.help)
}

fn against(code: &'static Code, fault: &Fault, thing: &Resource) -> Finding {
    let what = format!("{} {}", thing.kind.name, shortened(super::bare(&thing.id)));
    let message = format!("the {what} cannot be removed: {}", fault.sentence());
    Finding::error(code, Kind::Forbidden, "", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Sort;
    use landfall_platform::removal::{Disposition, Kind as Sorted};

    static VOLUME: Sorted = Sorted { name: "volume", batch: 1, help: "detach it", last: false };

    fn fault(message: &str) -> Fault {
        Fault {
            call: "ec2:DeleteVolume".to_owned(),
            sort: Sort::Denied,
            code: Some("UnauthorizedOperation".to_owned()),
            message: message.to_owned(),
            request_id: None,
            status: Some(403),
        }
    }

    fn volume() -> Resource {
        Resource {
            id: "arn:aws:ec2:us-east-1:123456789012:volume/vol-1".to_owned(),
            kind: &VOLUME,
            name: String::new(),
            fate: Disposition::Removed,
            after: Vec::new(),
        }
    }

    fn help_of(message: &str) -> String {
        denied(&fault(message), &volume()).help.unwrap_or_default()
    }

    #[test]
    fn every_refusal_names_the_thing_and_what_to_do() {
        let (fault, thing) = (fault("no"), volume());
        let findings =
            [protected(&fault, &thing), retained(&fault, &thing), managed(&fault, &thing), unknown(&thing)];
        let codes: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
        assert_eq!(codes, ["LF1336", "LF1337", "LF1338", "LF1339"]);
        for finding in findings {
            assert!(finding.message.contains("vol-1"), "{}", finding.message);
            assert!(finding.help.is_some_and(|help| !help.is_empty()));
        }
    }

    #[test]
    fn a_denial_names_the_action_and_who_can_lift_it() {
        let finding = denied(&fault("You are not authorized"), &volume());
        assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1335", true));
        for part in ["volume vol-1", "ec2:DeleteVolume", "UnauthorizedOperation", "You are not authorized"] {
            assert!(finding.message.contains(part), "{}", finding.message);
        }
        let of_caller = finding.help.unwrap_or_default();
        assert!(of_caller.contains("ec2:DeleteVolume"), "{of_caller}");
        let of_organization = help_of("with an explicit deny in a service control policy");
        assert!(of_organization.contains("organization"), "{of_organization}");
        let of_policy = help_of("with an explicit deny in an identity-based policy");
        assert!(of_policy.contains("ec2:DeleteVolume") && of_policy != of_caller, "{of_policy}");
    }
}
