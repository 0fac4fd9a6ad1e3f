//! The engine in a process of its own, which is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use landfall_engine_terraform::{Stop, Work, resources};

use super::fixture::{Fixture, SLOW, Seen, block_on, slow_runs, terraform, this_program};

const FOLDER: &str = "LANDFALL_TEST_BED";
const SIGN: &str = "the slow one is being made";

#[test]
#[ignore = "started by another test"]
fn child_applies_until_it_is_killed() {
    let root = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let mut fixture = Fixture::at(root.clone());
    fixture.variables.push(root.join("0.tfvars.json"));
    let told = AtomicBool::new(false);
    let seen = Seen::reacting(|progress| {
        if slow_runs(progress) && !told.swap(true, Ordering::SeqCst) {
            let mut out = std::io::stdout();
            writeln!(out, "{SIGN}").unwrap();
            out.flush().unwrap();
        }
    });
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();
        fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap();
    });
}

#[test]
#[ignore = "needs terraform"]
fn terraform_outlives_a_killed_landfall_and_the_next_one_waits_for_it() {
    let fixture = Fixture::new(SLOW).with_gate();
    let command = this_program("engine::gone::child_applies_until_it_is_killed");
    let mut other = Command::new(&command[0])
        .args(&command[1..])
        .env(FOLDER, fixture.root())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(other.stdout.take().unwrap()).lines();
    let told = lines.map_while(Result::ok).any(|line| line.contains(SIGN));
    assert!(told, "the other process ended before");
    other.kill().unwrap();
    other.wait().unwrap();

    let earlier = fixture.noted().unwrap();
    let process = PathBuf::from(format!("/proc/{earlier}"));
    if Path::new("/proc/self").exists() {
        assert!(process.exists(), "terraform ended with landfall");
    }
    let gate = Mutex::new(None);
    let seen = Seen::reacting(|progress| {
        if progress.waiting_for_earlier == Some(earlier) {
            gate.lock().unwrap().get_or_insert_with(|| fixture.open());
        }
    });
    block_on(async {
        let (terraform, stop) = (terraform().await, Stop::default());
        fixture.init(&terraform, &stop).await.unwrap();
        let done = fixture.run(&terraform, Work::Apply, &seen, &stop).await.unwrap();
        assert_eq!((done.added, done.changed, done.removed), (0, 0, 0));
    });
    assert_eq!(seen.all()[0].waiting_for_earlier, Some(earlier));
    assert_eq!(resources(&fixture.folder()).unwrap().len(), 3);
    assert_eq!(fixture.readable_by_others(), Vec::<String>::new());
}
