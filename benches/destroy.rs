//! Time and calls of destroying clusters in a cloud that is played: each call takes 50 ms, however many are under way.
//!
//! The clock is played as well, so that the time is the scheduler's alone; the processor time that a run costs stands
//! beside it. `tools/destroy-figures` measures the whole program. `docs/performance.md` has the figures.
#![allow(missing_docs, reason = "nobody uses it as a library")]
#![allow(clippy::print_stdout, clippy::disallowed_macros, reason = "a table is printed")]
#![allow(clippy::disallowed_methods, reason = "real time is what a played run costs")]

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant as RealInstant};

use landfall_destroy::{Pace, Stop, Unwatched, run};
use landfall_platform::cloud::{Asked, Waiting};
use landfall_platform::removal::{
    Account, Discovered, Disposition, FoundClusters, Holder, Kind, Outcome, Removal, Resource, Target,
};
use tokio::runtime::Builder;
use tokio::time::{Instant, sleep};

/// How long a call takes.
const LATENCY: Duration = Duration::from_millis(50);
/// How long machines and load balancers are on their way.
const TAKES: Duration = Duration::from_millis(400);
/// The sizes of the clusters. The smallest has hardly more than its longest chain.
const SIZES: [usize; 3] = [40, 300, 1000];

static MACHINE: Kind = Kind { name: "machine", batch: 50, help: "", last: false };
static BALANCER: Kind = Kind { name: "load balancer", batch: 1, help: "", last: false };
static TARGETS: Kind = Kind { name: "target group", batch: 1, help: "", last: false };
static INTERFACE: Kind = Kind { name: "network interface", batch: 1, help: "", last: false };
static GROUP: Kind = Kind { name: "security group", batch: 1, help: "", last: false };
static SUBNET: Kind = Kind { name: "subnet", batch: 1, help: "", last: false };
static NETWORK: Kind = Kind { name: "network", batch: 1, help: "", last: false };
static OPTIONS: Kind = Kind { name: "options", batch: 1, help: "", last: false };
static DISK: Kind = Kind { name: "disk", batch: 1, help: "", last: false };

/// A thing, and when it has gone or will have.
type Standing = (Resource, Option<Instant>);

/// Things by their ids.
struct Cloud(Mutex<BTreeMap<String, Standing>>);

/// Takes in a thing that waits for others; its id.
fn put(things: &mut Vec<Resource>, kind: &'static Kind, after: &[String]) -> String {
    let id = format!("{} {}", kind.name, things.len());
    things.push(Resource {
        id: id.clone(),
        kind,
        name: String::new(),
        fate: Disposition::Removed,
        after: after.to_vec(),
    });
    id
}

/// A cluster of at least so many things, with the shares of kinds that one on AWS has.
fn cluster(size: usize) -> Vec<Resource> {
    let mut things = Vec::new();
    let mut inside = Vec::new();
    for number in 0.. {
        if things.len() + 3 >= size {
            break;
        }
        match number % 8 {
            0..=4 => {
                put(&mut things, &DISK, &[]);
            }
            5 | 6 => inside.push(put(&mut things, &MACHINE, &[])),
            _ => {
                let balancer = [put(&mut things, &BALANCER, &[])];
                put(&mut things, &TARGETS, &balancer);
                let interface = [put(&mut things, &INTERFACE, &balancer)];
                inside.push(put(&mut things, &GROUP, &interface));
                inside.extend(interface);
            }
        }
    }
    let subnet = [put(&mut things, &SUBNET, &inside)];
    inside.extend(subnet);
    let network = [put(&mut things, &NETWORK, &inside)];
    put(&mut things, &OPTIONS, &network);
    things
}

impl Cloud {
    fn new(size: usize) -> Self {
        let things = cluster(size).into_iter();
        Self(Mutex::new(things.map(|thing| (thing.id.clone(), (thing, None))).collect()))
    }

    fn things(&self) -> MutexGuard<'_, BTreeMap<String, Standing>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remove_one(&self, thing: &Resource) -> Outcome {
        let takes = if [&MACHINE, &BALANCER].contains(&thing.kind) { TAKES } else { Duration::ZERO };
        if let Some((_, gone)) = self.things().get_mut(&thing.id) {
            gone.get_or_insert(Instant::now() + takes);
        }
        self.look_at(thing)
    }

    fn look_at(&self, thing: &Resource) -> Outcome {
        let is_gone = self.things().get(&thing.id).is_none_or(is_gone);
        if is_gone { Outcome::Gone } else { Outcome::Going }
    }
}

fn is_gone((_, gone): &Standing) -> bool {
    gone.is_some_and(|at| at <= Instant::now())
}

impl Removal for Cloud {
    fn account(&self) -> Waiting<'_, Asked<Account>> {
        Box::pin(async { Ok(Account { id: String::new(), caller: String::new() }) })
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(async move {
            sleep(LATENCY).await;
            let left = self.things();
            let left = left.values().filter(|standing| !is_gone(standing));
            Discovered { things: left.map(|(thing, _)| thing.clone()).collect(), ..Discovered::default() }
        })
    }

    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(async move {
            sleep(LATENCY).await;
            things.iter().map(|thing| self.remove_one(thing)).collect()
        })
    }

    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Outcome>> {
        Box::pin(async move {
            sleep(LATENCY).await;
            things.iter().map(|thing| self.look_at(thing)).collect()
        })
    }

    fn holders<'s>(&'s self, _: &'s Resource) -> Waiting<'s, Vec<Holder>> {
        Box::pin(async { Vec::new() })
    }

    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
        Box::pin(async { Ok(FoundClusters::default()) })
    }
}

/// Destroys a cluster and prints a row; how long it took by the played clock.
fn row(size: usize, parallel: usize, chain: Option<Duration>) -> Option<Duration> {
    let runtime = Builder::new_current_thread().enable_time().start_paused(true).build().ok()?;
    let cloud = Cloud::new(size);
    let pace = Pace { parallel, ..Pace::default() };
    let began = RealInstant::now();
    let report = runtime.block_on(async {
        let first = cloud.discover().await;
        run(&cloud, &Target::default(), first, &pace, &Unwatched, &Stop::default()).await
    });
    let real = began.elapsed();
    assert!(report.is_gone(), "the benchmark measures clusters that go");
    let times = chain.map(|chain| format!("{:.2}", report.took.as_secs_f64() / chain.as_secs_f64()));
    let (things, calls) = (report.removed.len(), report.calls);
    println!(
        "| {parallel} | {things} | {:.2} s | {} | {calls} | {} ms |",
        report.took.as_secs_f64(),
        times.unwrap_or_default(),
        real.as_millis()
    );
    Some(report.took)
}

fn main() {
    println!("The scheduler alone, in a cloud that answers each call within {} ms:", LATENCY.as_millis());
    println!();
    println!("| calls at a time | things | time | times the chain | calls | real time |");
    println!("|---|---|---|---|---|---|");
    let parallel = Pace::default().parallel;
    let chain = row(SIZES[0], parallel, None);
    for parallel in [parallel, 2 * parallel, 1] {
        for size in &SIZES[1..] {
            row(*size, parallel, chain);
        }
    }
}
