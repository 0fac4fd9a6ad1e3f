//! Interrupts and kills, and what comes after them.

use std::fs::File;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use landfall_engine_terraform::{Fault, Progress, Stop, Work, resources};
use rustix::process::{Pid, Signal, kill_process};

use super::fixture::{Fixture, SLOW, Seen, block_on, slow_runs, terraform};

/// Goes on after a stop, and sees that everything is made and can be removed.
async fn resumes(fixture: &Fixture) {
    let _gate: File = fixture.open();
    let (terraform, stop) = (terraform().await, Stop::default());
    fixture.init(&terraform, &stop).await.unwrap();
    let seen = Seen::default();
    fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap();
    let made = resources(&fixture.folder()).unwrap();
    assert_eq!(made, ["terraform_data.first", "terraform_data.last", "terraform_data.slow"]);
    fixture.run(&terraform, Work::Destroy, &Seen::default(), &stop).await.unwrap();
    assert_eq!(resources(&fixture.folder()).unwrap(), Vec::<String>::new());
    assert_eq!(fixture.readable_by_others(), Vec::<String>::new());
}

#[test]
#[ignore = "needs terraform"]
fn an_interrupt_keeps_what_was_made() {
    let fixture = Fixture::new(SLOW).with_gate();
    let stop = Stop::default();
    block_on(async {
        let terraform = terraform().await;
        fixture.init(&terraform, &stop).await.unwrap();
        let seen = Seen::reacting(|progress| {
            if slow_runs(progress) {
                stop.ask();
                stop.ask();
            }
        });
        let fault = fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap_err();
        let Fault::Interrupted(interrupted) = &fault else { panic!("{fault:?}") };
        assert_eq!((interrupted.done, interrupted.total, interrupted.earlier), (1, Some(3), None));
        let help = fault.finding().pop().unwrap().help.unwrap();
        assert!(help.contains("again") && help.contains("landfall destroy cluster"), "{help}");
        assert!(resources(&fixture.folder()).unwrap().iter().any(|made| made == "terraform_data.first"));
        assert_eq!(fixture.noted(), None);
        resumes(&fixture).await;
    });
}

#[test]
#[ignore = "needs terraform"]
fn who_wishes_to_stop_before_it_begins_changes_nothing() {
    let fixture = Fixture::new(SLOW);
    let stop = Stop::default();
    block_on(async {
        let terraform = terraform().await;
        fixture.init(&terraform, &stop).await.unwrap();
        stop.ask();
        let fault = fixture.run(&terraform, Work::Apply, &Seen::default(), &stop).await.unwrap_err();
        assert!(matches!(fault, Fault::Interrupted(_)), "{fault:?}");
        assert!(!fixture.folder().join("terraform.tfstate").exists());
        assert!(!fixture.logs().iter().any(|name| name.contains("apply")));
    });
}

/// A name, and when it is.
type Moment = (&'static str, fn(&Progress) -> bool);

#[test]
#[ignore = "needs terraform"]
fn a_kill_at_any_event_is_resumed() {
    let moments: [Moment; 4] = [
        ("at the beginning", |_| true),
        ("once it is planned", |progress| progress.total.is_some()),
        ("once something is made", |progress| progress.done > 0),
        ("while something is made", slow_runs),
    ];
    for (when, is_now) in moments {
        let fixture = Fixture::new(SLOW).with_gate();
        let killed = AtomicBool::new(false);
        block_on(async {
            let (terraform, stop) = (terraform().await, Stop::default());
            fixture.init(&terraform, &stop).await.unwrap();
            let seen = Seen::reacting(|progress| {
                if is_now(progress) && !killed.swap(true, Ordering::SeqCst) {
                    let pid = fixture.noted().and_then(|pid| Pid::from_raw(pid.try_into().unwrap())).unwrap();
                    kill_process(pid, Signal::KILL).unwrap();
                }
            });
            let fault = fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap_err();
            assert!(matches!(fault, Fault::Killed { signal: 9, .. }), "{when}: {fault:?}");
            assert!(fault.finding()[0].help.as_deref().unwrap_or_default().contains("again"));
            resumes(&fixture).await;
        });
    }
}

#[test]
#[ignore = "needs terraform"]
fn a_run_that_nobody_waits_for_goes_on_and_the_next_one_waits() {
    let fixture = Fixture::new(SLOW).with_gate();
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();

        let slow = Stop::default();
        let seen = Seen::reacting(|progress| {
            if slow_runs(progress) {
                slow.ask();
            }
        });
        tokio::select! {
            ended = fixture.run(&terraform, Work::Apply, &seen, &stop) => panic!("{ended:?}"),
            () = slow.asked() => {}
        }
        let earlier = fixture.noted().unwrap();

        // One that does not want to wait leaves the earlier one alone.
        let tired = Stop::default();
        let seen = Seen::reacting(|_| tired.ask());
        let fault = fixture.run(&terraform, Work::Apply, &seen, &tired).await.unwrap_err();
        let Fault::Interrupted(interrupted) = &fault else { panic!("{fault:?}") };
        assert_eq!(interrupted.earlier, Some(earlier));
        assert!(fault.finding()[0].message.contains(&earlier.to_string()));
        assert_eq!(fixture.noted(), Some(earlier));

        let gate = Mutex::new(None);
        let seen = Seen::reacting(|progress| {
            if progress.waiting_for_earlier == Some(earlier) && slow_runs(progress) {
                gate.lock().unwrap().get_or_insert_with(|| fixture.open());
            }
        });
        let done = fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap();
        // The earlier one has made everything.
        assert_eq!((done.added, done.changed, done.removed), (0, 0, 0));
        let waited = seen.all();
        assert_eq!(waited[0].waiting_for_earlier, Some(earlier));
        assert_eq!((waited[0].total, waited[0].done), (Some(3), 1));
        assert_eq!(resources(&fixture.folder()).unwrap().len(), 3);
    });
}
