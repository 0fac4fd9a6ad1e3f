//! The engine with a session that needs no cloud.

use landfall_model::catalogue::Catalogue;
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::Engine;
use landfall_platform::World;
use landfall_platform::cloud::{Asked, EngineNeeds, Patience, PublicZone, Waiting};

use super::*;

/// A world without anything in it.
#[derive(Debug)]
struct Nothing;

impl World for Nothing {
    fn variable(&self, _: &str) -> Option<String> {
        None
    }

    fn file(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

/// A session that answers, never answers, or could not ask.
#[derive(Default)]
struct Scripted {
    gap: Option<Verdict>,
    endless: bool,
    endless_facts: bool,
}

const SUBJECTS: &[Judged] = &[
    Judged {
        id: "own",
        field: "a",
        parts: &["zones"],
        codes: &[],
        passed: |_, _| Some(Answer::passed("all is well")),
    },
    Judged {
        id: "other",
        field: "b",
        parts: &["caller", "zones"],
        codes: &[],
        passed: |_, _| Some(Answer::passed("all is well")),
    },
];

impl Session for Scripted {
    fn foundations(&self) -> Vec<Check<'_>> {
        vec![Check::new("first", "", async { Answer::passed("there") })]
    }

    fn checks(&self) -> Vec<Check<'_>> {
        let endless = self.endless;
        let work = async move {
            if endless {
                futures::future::pending::<()>().await;
            }
            Answer::passed("there").with("seen", 1)
        };
        vec![Check::new("second", "a", work), Check::new("third", "", async { Answer::skipped("no need") })]
    }

    fn facts(&self) -> Waiting<'_, Gathered> {
        let gaps = self.gap.clone().map(|why| Gap { part: "zones", why }).into_iter().collect();
        let endless = self.endless_facts;
        Box::pin(async move {
            if endless {
                futures::future::pending::<()>().await;
            }
            Gathered { facts: Facts::default(), gaps }
        })
    }

    fn judged(&self) -> &'static [Judged] {
        SUBJECTS
    }

    fn checks_of_plan<'s>(&'s self, _: &'s Plan) -> Vec<Check<'s>> {
        Vec::new()
    }

    fn checks_without_plan(&self) -> Vec<(String, String)> {
        vec![("quota".to_owned(), String::new())]
    }

    fn public_zones(&self) -> Waiting<'_, Asked<Vec<PublicZone>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn adopt<'s>(&'s self, _: &'s Plan) -> Waiting<'s, Asked<Vec<String>>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn engine<'s>(&'s self, _: &'s str, _: &'s str) -> Waiting<'s, Asked<EngineNeeds>> {
        Box::pin(async { Ok(EngineNeeds::default()) })
    }
}

fn pace(parallel: usize) -> Pace {
    Pace { parallel, deadline: Duration::from_secs(30) }
}

fn wait<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    runtime.ok().map(|runtime| runtime.block_on(work))
}

fn report(session: &Scripted, pace: Pace) -> Vec<(String, Status, String)> {
    let config = InstallConfig::default();
    let asking = Asking {
        config: &config,
        given: &config,
        catalogue: Catalogue::embedded(),
        release: "4.19",
        installed: false,
        own_records: &[],
        checked: true,
        engine: Engine::default(),
        world: &Nothing,
        patience: Patience { connect: Duration::from_secs(3), call: Duration::from_secs(9), at_once: 1 },
    };
    let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
    let report = wait(run(session, &asking, &identity, pace, &Unwatched));
    let checks = report.map(|asked| asked.report.checks).unwrap_or_default();
    checks.into_iter().map(|checked| (checked.id, checked.status, checked.message)).collect()
}

#[test]
fn tells_every_check_in_its_order() {
    let checks = report(&Scripted::default(), pace(1));
    let ids: Vec<&str> = checks.iter().map(|(id, _, _)| id.as_str()).collect();
    // An empty config cannot be planned, which is told of no subject, and its quotas are not known.
    assert_eq!(ids, ["first", "second", "third", "own", "other", "plan", "quota"]);
    let status: Vec<Status> = checks.iter().map(|(_, status, _)| *status).collect();
    let passed = Status::Passed;
    let expected = [passed, passed, Status::Skipped, passed, passed, Status::Failed, Status::Skipped];
    assert_eq!(status, expected);
}

#[test]
fn a_gap_is_told_once_and_nothing_is_judged_on_it() {
    let denied = Verdict::Skipped("the credentials are refused".to_owned());
    let checks = report(&Scripted { gap: Some(denied), ..Scripted::default() }, pace(4));
    let of = |wanted: &str| checks.iter().find(|(id, _, _)| id == wanted).map(|(_, s, m)| (*s, m.as_str()));
    assert_eq!(of("own"), Some((Status::Skipped, "the credentials are refused")));
    assert!(matches!(of("other"), Some((Status::Skipped, why)) if why.contains("zones")), "{checks:?}");
    // What rests on the config alone is told all the same.
    assert_eq!(of("plan").map(|(status, _)| status), Some(Status::Failed));
}

#[test]
fn what_does_not_end_is_broken_off_and_what_waits_for_it_is_not_begun() {
    let soon = Pace { parallel: 1, deadline: Duration::from_millis(500) };
    let checks = report(&Scripted { endless: true, ..Scripted::default() }, soon);
    let of = |wanted: &str| checks.iter().find(|(id, _, _)| id == wanted).map(|(_, s, m)| (*s, m.as_str()));
    assert!(matches!(of("second"), Some((Status::Failed, why)) if why.contains("0.5 s")), "{checks:?}");
    assert!(matches!(of("third"), Some((Status::Skipped, why)) if why.contains("0.5 s")), "{checks:?}");
}

#[test]
fn facts_that_do_not_come_in_time_fail_the_run() {
    let soon = Pace { parallel: 4, deadline: Duration::from_millis(200) };
    let session = Scripted { endless_facts: true, ..Scripted::default() };
    let checks = report(&session, soon);
    let late: Vec<&str> = checks
        .iter()
        .filter(|(_, status, message)| *status == Status::Failed && message.contains("0.2 s"))
        .map(|(id, _, _)| id.as_str())
        .collect();
    assert_eq!(late, ["own", "other"]);
    let missing = wait(gather(&session, soon, &Unwatched)).and_then(Result::err);
    let codes: Vec<&str> = missing.iter().flat_map(|m| m.findings.iter().map(|f| f.code.as_str())).collect();
    assert_eq!(codes, ["LF1090"]);
}

#[test]
fn what_nobody_could_ask_for_is_told() {
    let skipped = Verdict::Skipped("nobody knows why".to_owned());
    let session = Scripted { gap: Some(skipped), ..Scripted::default() };
    let missing = wait(gather(&session, pace(4), &Unwatched)).and_then(Result::err);
    let findings = missing.map(|missing| missing.findings).unwrap_or_default();
    let told: Vec<&str> = findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(told, ["LF1091"]);
    let named = ["zones", "nobody knows why"];
    assert!(findings.iter().all(|f| named.iter().all(|name| f.message.contains(name))), "{findings:?}");
    let session = Scripted::default();
    assert!(wait(gather(&session, pace(4), &Unwatched)).is_some_and(|facts| facts.is_ok()));
}
