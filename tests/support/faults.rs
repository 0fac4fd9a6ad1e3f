//! Faults between a program and a cloud, by a seed: refusals, connections that end, answers that come late, cut short
//! or from something else on the way.
//!
//! A call fails by what it asks for and how often it was asked before, so that a run with the same calls has the same
//! faults, in whatever order they come.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::front::{Asked, Sent, refusal};

/// What goes wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Unavailable,
    Internal,
    Throttled,
    /// The connection ends, and the cloud has not seen the call.
    ResetBefore,
    /// The connection ends, and the cloud has done what was asked.
    ResetAfter,
    Late,
    /// The cloud has done what was asked, and half of its answer arrives.
    CutShort,
    /// A page with status 200, from something on the way.
    Page,
    /// Nothing, with status 200.
    Nothing,
}

const ALL: [Fault; 9] = [
    Fault::Unavailable,
    Fault::Internal,
    Fault::Throttled,
    Fault::ResetBefore,
    Fault::ResetAfter,
    Fault::Late,
    Fault::CutShort,
    Fault::Page,
    Fault::Nothing,
];

/// How much later an answer comes, in milliseconds: from the first to the second.
const LATE: (u64, u64) = (100, 1500);

/// The end of the head of an answer.
const HEAD: &[u8] = b"\r\n\r\n";

/// Faults of so many calls in a hundred.
pub struct Faults {
    percent: u64,
    seed: u64,
    is_over: AtomicBool,
    drawn: Mutex<Drawn>,
}

#[derive(Default)]
struct Drawn {
    calls: usize,
    asked: BTreeMap<u64, u64>,
    faults: BTreeMap<Fault, usize>,
}

/// How a cloud refuses, by fault.
pub type Refuse = fn(&Asked, Fault) -> Vec<u8>;

impl Faults {
    pub fn new(seed: u64, percent: u64) -> Arc<Self> {
        Arc::new(Self { percent, seed, is_over: AtomicBool::new(false), drawn: Mutex::default() })
    }

    /// No call has a fault from now on.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// How many calls came.
    pub fn calls(&self) -> usize {
        self.drawn.lock().unwrap().calls
    }

    /// How many of them had a fault.
    pub fn count(&self) -> usize {
        self.drawn.lock().unwrap().faults.values().sum()
    }

    /// What a client gets in place of what the cloud answers.
    pub fn send(&self, asked: &Asked, refuse: Refuse, pass: &dyn Fn() -> Vec<u8>) -> Sent {
        let Some((fault, chance)) = self.draw(asked) else { return Sent::Whole(pass()) };
        match fault {
            Fault::Unavailable | Fault::Internal | Fault::Throttled => Sent::Whole(refuse(asked, fault)),
            Fault::ResetBefore => Sent::Nothing,
            Fault::ResetAfter => {
                pass();
                Sent::Nothing
            }
            Fault::Late => {
                std::thread::sleep(Duration::from_millis(LATE.0 + chance % (LATE.1 - LATE.0)));
                Sent::Whole(pass())
            }
            Fault::CutShort => {
                let mut answer = pass();
                let head = answer.windows(HEAD.len()).position(|four| four == HEAD).unwrap_or_default();
                let body = answer.len() - head - HEAD.len();
                // Without a body the head itself is cut.
                answer.truncate(if body > 1 { answer.len() - body / 2 - 1 } else { head / 2 });
                Sent::Cut(answer)
            }
            Fault::Page => Sent::Whole(ok("text/html", "<!DOCTYPE html><html><body>Sign in</body></html>")),
            Fault::Nothing => Sent::Whole(ok("text/plain", "")),
        }
    }

    /// The fault of a call, if it has one, and a number by chance.
    fn draw(&self, asked: &Asked) -> Option<(Fault, u64)> {
        let mut drawn = self.drawn.lock().unwrap();
        drawn.calls += 1;
        let action = asked.action();
        let what = [asked.method.as_str(), asked.path.as_str(), action.as_str(), asked.body.as_str()];
        let call = what.iter().fold(self.seed, |sum, text| mixed(sum ^ hash(text)));
        let times = drawn.asked.entry(call).or_default();
        *times += 1;
        let chance = mixed(call ^ mixed(*times));
        if chance % 100 >= self.percent || self.is_over.load(Ordering::Relaxed) {
            return None;
        }
        let chance = mixed(chance);
        let fault = ALL[usize::try_from(chance % ALL.len() as u64).unwrap()];
        *drawn.faults.entry(fault).or_default() += 1;
        Some((fault, mixed(chance)))
    }
}

/// How AWS refuses.
pub fn refuse_as_aws(asked: &Asked, fault: Fault) -> Vec<u8> {
    let (status, code, message) = match fault {
        Fault::Throttled => (400, "Throttling", "Rate exceeded"),
        Fault::Internal => (500, "InternalError", "An internal error has occurred"),
        _ => (503, "ServiceUnavailable", "Service is unable to handle request"),
    };
    refusal(asked, status, code, message).bytes()
}

/// An answer with status 200 that is not the cloud's.
fn ok(kind: &str, body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The mixing step of `SplitMix64`.
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// The runs that were asked for: seeds and rates in percent, by `SEEDS` (such as `1-250`) and `RATES` (such as `0 10`);
/// without them few.
pub fn runs() -> Vec<(u64, u64)> {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "1-1".to_owned());
    let (first, last) = seeds.split_once('-').unwrap_or((&seeds, &seeds));
    let seeds: Vec<u64> = (first.trim().parse().unwrap()..=last.trim().parse().unwrap()).collect();
    let rates = std::env::var("RATES").unwrap_or_else(|_| "0 2 10 30".to_owned());
    let rates: Vec<u64> = rates.split_whitespace().map(|rate| rate.parse().unwrap()).collect();
    seeds.iter().flat_map(|seed| rates.iter().map(|rate| (*seed, *rate))).collect()
}

/// Says a line that the tool reads.
#[allow(clippy::print_stdout, clippy::disallowed_macros, reason = "the tool reads what a test prints")]
fn say(line: &str) {
    println!("{line}");
}

/// What came of a run, for a table.
#[derive(Clone, Debug)]
pub struct Row {
    /// The command and its cloud, such as `destroy-aws`.
    pub what: &'static str,
    pub percent: u64,
    pub seed: u64,
    pub code: Option<i32>,
    pub calls: usize,
    pub faults: usize,
    pub seconds: f64,
    /// What is wrong where the command ends with 0: after a destroy, resources that remain; after a create, resources
    /// that are missing, doubled or different; after a preflight, claims that are not true.
    pub wrong: usize,
    /// Resources of others that are gone or changed.
    pub touched: usize,
}

impl Row {
    /// One line that `tools/fault-front` reads.
    pub fn print(&self) {
        let Self { what, percent, seed, calls, faults, seconds, wrong, touched, .. } = self;
        let code = self.code.unwrap_or(-1);
        say(&format!("run {what} {percent} {seed} {code} {calls} {faults} {seconds:.1} {wrong} {touched}"));
    }

    /// The last lines of what a run said that did not end with 0.
    #[allow(dead_code, reason = "not every group of tests has long runs")]
    pub fn tell(&self, said: &str) {
        const TOLD: usize = 40;
        let lines: Vec<&str> = said.lines().collect();
        say(&format!("{self:?} ended with\n{}", lines[lines.len().saturating_sub(TOLD)..].join("\n")));
    }

    /// Fails where something false was claimed, or something of others was touched, or the command did not end with 0
    /// or one of these codes.
    #[track_caller]
    pub fn is_true(&self, codes: &[i32], what: &dyn std::fmt::Display) {
        assert_eq!(self.touched, 0, "{self:?}: {what}");
        assert!(self.code.is_some_and(|code| code == 0 || codes.contains(&code)), "{self:?}: {what}");
        assert!(self.code != Some(0) || self.wrong == 0, "{self:?}: {what}");
    }
}

/// Makes all runs, as many at a time as `JOBS` says. All of them end before one that failed fails the test.
pub fn all(run: impl Fn(u64, u64) + Sync) {
    let jobs: usize = std::env::var("JOBS").ok().and_then(|jobs| jobs.parse().ok()).unwrap_or(2);
    let left = Mutex::new(runs().into_iter());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some((seed, percent)) = next else { return };
                    let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(seed, percent)));
                    if made.is_err() {
                        say(&format!("failed: seed {seed} at {percent} %"));
                        failed.lock().unwrap().push((seed, percent));
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "seeds and rates that failed: {failed:?}");
}
