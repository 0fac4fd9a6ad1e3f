//! What is to be said of a look at a cluster's things, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, few, shortened};

use crate::session::Lost;

const UNSEEN: Code = Code::new("LF1320");
const OTHER_CLUSTERS: Code = Code::new("LF1321");

const NO_DOMAIN: Code = Code::new("LF1324");

const LEAD_ELSEWHERE: Code = Code::new("LF1325");

/// Something without the cluster's tag that may be the cluster's, and why it may be.
pub(super) fn unproven(what: &str, why: &str, tag: &str) -> Finding {
    landfall_platform::pages::unproven(what, why).help(format!(
        "if it is the cluster's, delete it, or tag it {tag}=owned; then run the same command again"
    ))
}

/// A public zone with the cluster's tag.
pub(super) fn public_zone(zone: &str, id: &str) -> Finding {
    let what = format!("the public hosted zone {} ({id})", shortened(zone));
    let why = "it has the cluster's tag, and installations create only private ones";
    landfall_platform::pages::unproven(&what, why)
        .help("remove that tag, or delete the zone yourself; then run the same command again")
}

/// A zone that the cluster shares, without the cluster's domain.
pub(super) fn no_domain(zone: &str) -> Finding {
    let message = format!(
        "the cluster has records in the hosted zone {}, and the cluster's domain is unknown",
        shortened(zone)
    );
    Finding::error(&NO_DOMAIN, Kind::Required, "", message)
        .help("set the domain with --infra-id, --region and --cluster-domain, such as demo.example.com")
}

/// Records of a zone, each with where it leads, that are not the cluster's.
pub(super) fn lead_elsewhere(zone: &str, records: &[String]) -> Finding {
    const MOST: usize = 5;
    let told: Vec<String> = records.iter().map(|record| shortened(record)).collect();
    let message = format!(
        "records in {} with names of the cluster are kept, because they point to none of its resources: {}",
        shortened(zone),
        few(&told, MOST)
    );
    Finding::warning(&LEAD_ELSEWHERE, Kind::Forbidden, "", message)
        .help("if no other cluster uses them, delete them by hand")
}

/// Something that could not be looked at, and why.
pub(super) fn unseen(what: &str, lost: &Lost) -> Finding {
    match lost {
        Lost::Unready(why) => {
            let message = format!("{what} cannot be read: {}", why.0);
            Finding::error(&UNSEEN, Kind::Invalid, "", message)
                .help("check the credentials, the endpoints and the network, and run the command again")
        }
        Lost::Fault(fault) => {
            let mut finding = fault.finding("");
            finding.message = format!("{what} cannot be read: {}", finding.message);
            finding
        }
    }
}

/// Other clusters that use a subnet of this one.
pub(super) fn used_by_others(subnet: &str, clusters: &[String]) -> Finding {
    let clusters: Vec<String> = clusters.iter().map(|id| shortened(id)).collect();
    let message = format!("the subnet {subnet} is shared with other clusters: {}", clusters.join(", "));
    Finding::error(&OTHER_CLUSTERS, Kind::Forbidden, "", message).help(
        "destroy those clusters first; if they are gone already, remove their tags \
         kubernetes.io/cluster/<id> from the subnet",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::{Fault, Sort};
    use landfall_platform::cloud::Unready;

    #[test]
    fn what_cannot_be_looked_at_is_named_with_the_reason() {
        let finding = unseen("buckets", &Lost::Unready(Unready("the endpoint is dead".to_owned())));
        assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1320", true));
        assert!(
            finding.message.starts_with("buckets ") && finding.message.ends_with(": the endpoint is dead")
        );
        let fault = Fault {
            call: "iam:ListRoles".to_owned(),
            sort: Sort::Denied,
            code: Some("AccessDenied".to_owned()),
            message: String::new(),
            request_id: None,
            status: Some(403),
        };
        let finding = unseen("roles", &Lost::Fault(fault));
        // What AWS answered is the finding of the call.
        assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1020", true));
        for part in ["roles ", "iam:ListRoles", "AccessDenied"] {
            assert!(finding.message.contains(part), "{}", finding.message);
        }
        assert!(finding.help.is_some_and(|help| help.contains("iam:ListRoles")));
    }

    #[test]
    fn the_other_clusters_are_named() {
        let clusters = ["one-bcd24", "two-bcd24"].map(str::to_owned);
        let finding = used_by_others("subnet-1", &clusters);
        assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1321", true));
        for part in ["subnet-1", "one-bcd24, two-bcd24"] {
            assert!(finding.message.contains(part), "{}", finding.message);
        }
    }

    #[test]
    fn what_is_not_proven_is_named_with_the_reason() {
        let finding = unproven("hosted zone Z1 (demo.example.com)", "its VPC vpc-1 does not exist", "key");
        assert_eq!(finding.code.as_str(), "LF1326");
        assert!(finding.message.starts_with("hosted zone Z1 (demo.example.com) "), "{}", finding.message);
        assert!(finding.message.ends_with(" its VPC vpc-1 does not exist"), "{}", finding.message);
        landfall_testing::assert_findings("aws-unproven", [&finding]);
        assert!(finding.is_error() && finding.help.is_some_and(|help| help.contains("key=owned")));
    }

    #[test]
    fn a_shared_zone_needs_the_domain() {
        let finding = no_domain("example.com");
        assert_eq!((finding.code.as_str(), finding.is_error()), ("LF1324", true));
        assert!(finding.message.contains("example.com"), "{}", finding.message);
        assert!(finding.help.is_some_and(|help| help.contains("--cluster-domain")));
    }

    #[test]
    fn records_that_lead_elsewhere_are_told_and_stay() {
        let records: Vec<String> =
            (0..7).map(|i| format!("a{i}.demo.example.com A to 192.0.2.{i}")).collect();
        let finding = lead_elsewhere("example.com", &records);
        assert!(!finding.is_error() && finding.message.contains("a4.demo.example.com A to 192.0.2.4"));
        assert!(finding.message.ends_with(" and 2 more"), "{}", finding.message);
        assert_eq!(finding.code.as_str(), "LF1325");
    }
}
