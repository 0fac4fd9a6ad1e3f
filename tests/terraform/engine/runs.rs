//! Success, failure half-way, resume and removal.

use std::sync::Mutex;

use landfall_engine_terraform::{Action, Cause, Fault, Stop, Work, resources};
use serde_json::json;

use super::fixture::{Fixture, SLOW, Seen, block_on, terraform};

#[test]
#[ignore = "needs terraform"]
fn a_stage_is_made_and_removed() {
    let fixture = Fixture::new(SLOW);
    assert_eq!(resources(&fixture.folder()).unwrap(), Vec::<String>::new());
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        assert!(terraform.version().major >= 1, "{}", terraform.name());
        fixture.init(&terraform, &stop).await.unwrap();

        let seen = Seen::default();
        let done = fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap();
        assert_eq!((done.added, done.changed, done.removed), (3, 0, 0));
        let all = seen.all();
        let last = all.last().unwrap();
        assert_eq!((last.total, last.done, last.running.len()), (Some(3), 3, 0));
        assert!(all.is_sorted_by_key(|progress| progress.done));
        assert!(all.iter().all(|progress| progress.waiting_for_earlier.is_none()));

        let made = resources(&fixture.folder()).unwrap();
        assert_eq!(made, ["terraform_data.first", "terraform_data.last", "terraform_data.slow"]);
        let outputs = fixture.outputs(&terraform).await;
        assert_eq!(outputs["first"], "one");
        assert_eq!(outputs["token"], "canary-of-the-output");

        // Nothing is left to do.
        let again = fixture.run(&terraform, Work::Apply, &Seen::default(), &stop).await.unwrap();
        assert_eq!((again.added, again.changed, again.removed), (0, 0, 0));

        let gone = fixture.run(&terraform, Work::Destroy, &Seen::default(), &stop).await.unwrap();
        assert_eq!((gone.added, gone.changed, gone.removed), (0, 0, 3));
    });
    assert_eq!(resources(&fixture.folder()).unwrap(), Vec::<String>::new());
    let logs = fixture.logs();
    for log in
        ["cluster-init-1.log", "cluster-apply-1.jsonl", "cluster-apply-2.jsonl", "cluster-destroy-1.jsonl"]
    {
        assert!(logs.iter().any(|name| name == log), "{log} is not in {logs:?}");
    }
    assert_eq!(fixture.noted(), None);
}

#[test]
#[ignore = "needs terraform"]
fn a_failure_half_way_names_the_resource_and_is_resumed() {
    let failing = Fixture::new(SLOW).with(&json!({"fail": true}));
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        failing.init(&terraform, &stop).await.unwrap();
        let seen = Seen::default();
        let fault = failing.run(&terraform, Work::Apply, &seen, &stop).await.unwrap_err();
        let Fault::Failed(failed) = &fault else { panic!("{fault:?}") };
        assert_eq!((failed.stage.as_str(), failed.work, failed.code), ("cluster", "apply", Some(1)));
        assert_eq!(failed.troubles.len(), 1, "{failed:?}");
        assert_eq!(failed.troubles[0].address.as_deref(), Some("terraform_data.last"));
        assert_eq!(failed.troubles[0].cause, Cause::Other);
        let findings = fault.finding();
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("`terraform_data.last`"), "{}", findings[0].message);
        assert!(findings[0].message.contains("exit status 3"), "{}", findings[0].message);
        assert_eq!(seen.all().last().map(|progress| (progress.total, progress.done)), Some((Some(3), 2)));

        // What failed is made anew: removed, and added.
        let mended = Fixture::at(failing.root().to_owned());
        let mended = mended.with(&json!({"fail": false}));
        let done = mended.run(&terraform, Work::Apply, &Seen::default(), &stop).await.unwrap();
        assert_eq!((done.added, done.changed, done.removed), (1, 0, 1));
    });
}

#[test]
#[ignore = "needs terraform"]
fn a_configuration_that_is_wrong_is_reported() {
    let fixture = Fixture::new("resource \"terraform_data\" \"x\" {\n  no_such_argument = 1\n}\n");
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();
        let fault = fixture.run(&terraform, Work::Apply, &Seen::default(), &stop).await.unwrap_err();
        let findings = fault.finding();
        assert!(findings.iter().any(|finding| finding.message.contains("no_such_argument")), "{findings:?}");
        assert_eq!(resources(&fixture.folder()).unwrap(), Vec::<String>::new());
    });
}

#[test]
#[ignore = "needs terraform"]
fn what_is_written_is_for_its_owner_alone_at_any_time() {
    let fixture = Fixture::new(SLOW);
    let open = Mutex::new(Vec::new());
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();
        let look = || Seen::reacting(|_| open.lock().unwrap().extend(fixture.readable_by_others()));
        for work in [Work::Apply, Work::Destroy] {
            fixture.run(&terraform, work, &look(), &stop).await.unwrap();
            open.lock().unwrap().extend(fixture.readable_by_others());
        }
    });
    assert_eq!(open.into_inner().unwrap(), Vec::<String>::new());
    for name in ["terraform.tfstate", "terraform.tfstate.backup"] {
        assert!(fixture.folder().join(name).is_file(), "{name}");
    }
}

#[test]
#[ignore = "needs terraform"]
fn what_takes_longest_is_named_first() {
    let fixture = Fixture::new(SLOW).with_gate();
    let gate = Mutex::new(None);
    // Two seconds are seen on its clock before it may go on.
    let seen = Seen::reacting(|progress| {
        if progress.running.first().is_some_and(|running| running.seconds >= 2) {
            gate.lock().unwrap().get_or_insert_with(|| fixture.open());
        }
    });
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();
        fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap();
    });
    let all = seen.all();
    let longest =
        all.iter().filter_map(|progress| progress.running.first()).max_by_key(|r| r.seconds).unwrap();
    assert_eq!((longest.address.as_str(), longest.action), ("terraform_data.slow", Action::Create));
}
