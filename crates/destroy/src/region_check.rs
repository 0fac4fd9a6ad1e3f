//! Checks that a cluster is searched for in the right region or subscription.
//!
//! Some resources can be found from every region, such as roles, hosted zones and buckets. Where nothing else is
//! found, the cluster itself may run on elsewhere, and what would be removed is all that tells of it.

use landfall_diagnostics::{Finding, Kind};
use landfall_platform::removal::{Discovered, Elsewhere, Removal, Target};

use super::pages;

/// Why nothing is removed in this place.
#[derive(Clone, Debug)]
pub struct Misplaced {
    /// What is to be said: the reason first, then what could not be asked.
    pub findings: Vec<Finding>,
    /// Whether the same command may end otherwise another time.
    pub may_pass: bool,
}

/// That what was found proves that this is the place of the cluster, or that no other place has anything of it.
/// `is_sure` is whether somebody knows that already: an earlier run in the same place, or the user.
///
/// # Errors
/// Another place has something of the cluster, or not every place could be asked, this one included.
pub async fn right_place(
    removal: &dyn Removal,
    target: &Target,
    found: &Discovered,
    is_sure: bool,
) -> Result<(), Misplaced> {
    if found.things.iter().any(|thing| removal.is_local(thing)) {
        return Ok(());
    }
    let elsewhere = removal.elsewhere(&found.things).await;
    judged(target, elsewhere, found, is_sure)
}

/// That everything here could be looked at: what could not may be all of the cluster that is here.
fn all_seen(found: &Discovered) -> Result<(), Misplaced> {
    if found.unseen.is_empty() || found.things.is_empty() {
        return Ok(());
    }
    let mut findings = found.unseen.clone();
    findings.push(pages::not_all_seen(&found.unseen));
    Err(Misplaced { findings, may_pass: may_pass(&found.unseen) })
}

fn judged(target: &Target, elsewhere: Elsewhere, found: &Discovered, is_sure: bool) -> Result<(), Misplaced> {
    if !elsewhere.found.is_empty() {
        return Err(Misplaced { findings: vec![pages::elsewhere(target, &elsewhere)], may_pass: false });
    }
    if !is_sure {
        all_seen(found)?;
    }
    // Where nothing at all was found, other rules say whether that proves anything.
    let proven = elsewhere.unseen.is_empty() || elsewhere.confirmed || is_sure || found.things.is_empty();
    if proven {
        return Ok(());
    }
    let may_pass = may_pass(&elsewhere.unseen);
    let mut findings = vec![pages::maybe_elsewhere(target, &elsewhere)];
    findings.extend(elsewhere.unseen);
    Err(Misplaced { findings, may_pass })
}

/// Whether what could not be looked at may be seen another time: nothing of it is a missing permission.
#[must_use]
pub fn may_pass(unseen: &[Finding]) -> bool {
    !unseen.iter().any(|finding| finding.kind == Kind::Forbidden)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::removal::FoundElsewhere;

    fn target() -> Target {
        Target { infra_id: "demo-bcd24".to_owned(), ..Target::default() }
    }

    fn here() -> Elsewhere {
        Elsewhere { here: "region eu-west-1".to_owned(), ..Elsewhere::default() }
    }

    /// Something that can be found from everywhere.
    fn found() -> Discovered {
        let thing = landfall_platform::removal::Resource {
            id: "role".to_owned(),
            kind: &landfall_platform::removal::Kind { name: "role", batch: 1, help: "", last: true },
            name: String::new(),
            fate: landfall_platform::removal::Disposition::Removed,
            after: Vec::new(),
        };
        Discovered { things: vec![thing], ..Discovered::default() }
    }

    #[test]
    fn the_place_that_has_the_cluster_is_named() {
        let there = FoundElsewhere {
            place: "region eu-central-1".to_owned(),
            evidence: "25 resources carry its tag".to_owned(),
            help: "--region eu-central-1".to_owned(),
        };
        let elsewhere = Elsewhere { found: vec![there], confirmed: true, ..here() };
        for is_sure in [false, true] {
            let refused = judged(&target(), elsewhere.clone(), &found(), is_sure).err();
            assert_eq!(refused.as_ref().map(|refused| refused.may_pass), Some(false));
            let findings = refused.map(|refused| refused.findings).unwrap_or_default();
            assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["LF1307"]);
            for finding in findings {
                let told = format!("{} {:?}", finding.message, finding.help);
                for word in
                    ["demo-bcd24", "eu-west-1", "eu-central-1", "25 resources", "--region eu-central-1"]
                {
                    assert!(told.contains(word), "{word}: {told}");
                }
            }
        }
    }

    #[test]
    fn what_could_not_be_looked_at_here_may_be_the_cluster() {
        let unseen = vec![pages::no_account("no answer")];
        let blind = Discovered { unseen: unseen.clone(), ..found() };
        let refused = all_seen(&blind).err().map(|refused| (refused.may_pass, refused.findings.len()));
        assert_eq!(refused, Some((true, 2)));
        assert!(all_seen(&found()).is_ok());
        // Whether nothing at all is a success, other rules say.
        assert!(all_seen(&Discovered { unseen, ..Discovered::default() }).is_ok());
    }

    #[test]
    fn what_could_not_be_asked_is_no_proof_unless_somebody_knows() {
        let denied = pages::not_all_seen(&[]);
        let unseen = |kind: Kind| vec![Finding { kind, ..denied.clone() }];
        let of = |kind: Kind| Elsewhere { unseen: unseen(kind), ..here() };
        for (kind, may_pass) in [(Kind::Forbidden, false), (Kind::Invalid, true)] {
            let refused = judged(&target(), of(kind), &found(), false).err();
            assert_eq!(refused.as_ref().map(|refused| refused.may_pass), Some(may_pass));
            let codes: Vec<&str> = refused
                .iter()
                .flat_map(|refused| refused.findings.iter().map(|finding| finding.code.as_str()))
                .collect();
            assert_eq!(codes, ["LF1308", "LF1303"]);
            assert!(judged(&target(), of(kind), &found(), true).is_ok());
            assert!(judged(&target(), of(kind), &Discovered::default(), false).is_ok());
            let confirmed = Elsewhere { confirmed: true, ..of(kind) };
            assert!(judged(&target(), confirmed, &found(), false).is_ok());
        }
        assert!(judged(&target(), here(), &found(), false).is_ok());
    }
}
