//! All resources of a stage, as soon as their inputs are known.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

use aws_lc_rs::digest;
use futures::future::{Either, pending, select};
use futures::stream::{FuturesUnordered, StreamExt};
use landfall_diagnostics::Finding;
use landfall_net::stop::Stop;
use landfall_platform::cloud::Waiting;
use landfall_platform::native::{Api, Graph, Node, Properties, Wanted, needs};
use tokio::time::{Instant, sleep};

use crate::limit::Limit;
use crate::look::wanted;
use crate::settle::{Journal, NoteFault, Past, Settled, Tools, Trouble};
use crate::waits::{Underway, Waits};
use crate::{Pace, Watcher, pages};

/// How often the watcher hears of what takes long.
const TICK: Duration = Duration::from_secs(1);

/// What a stage is worked on with.
#[derive(Clone, Copy)]
pub struct Run<'r> {
    /// The calls.
    pub api: &'r dyn Api,
    /// The resources of all stages.
    pub graph: &'r Graph,
    /// The stage.
    pub stage: &'r str,
    /// What makes the tokens of this cluster different from those of any other.
    pub cluster_id: &'r str,
    /// Where each call is noted.
    pub journal: &'r dyn Journal,
    /// Who watches.
    pub watcher: &'r dyn Watcher,
    /// Ends the work early.
    pub stop: &'r Stop,
    /// How it goes about it.
    pub pace: &'r Pace,
    /// Whether resources that nothing waits for may become ready in a later stage: [`Report::pending`].
    pub leaves: bool,
    /// Whether the cluster is installed, and so manages the machines of its control plane itself. Of what is handed
    /// over to it, nothing is created again or set back.
    pub installed: bool,
}

/// A resource that was created and is not ready yet.
#[derive(Clone, Debug)]
pub struct Pending(Wanted);

/// What came of a stage.
#[derive(Debug, Default)]
pub struct Report {
    /// Resources that were created.
    pub created: usize,
    /// Resources that existed before.
    pub existing: usize,
    /// Resources of the stage.
    pub total: usize,
    /// Resources that existed and were set back to the plan.
    pub repaired: usize,
    /// What differs from the plan or was set back to it, as warnings.
    pub differences: Vec<Finding>,
    /// Why it is not complete.
    pub findings: Vec<Finding>,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// What is not ready yet, for the run of the next stage.
    pub pending: Vec<Pending>,
}

impl Report {
    /// Whether everything is ready, or left to become so.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.findings.is_empty() && !self.interrupted
    }
}

/// A part of the work on a resource that has ended.
enum Event {
    Settled(Result<Settled, Trouble>),
    Ready(Result<Properties, Trouble>),
}

/// The resources of a stage and how far each is.
struct Board<'r> {
    run: Run<'r>,
    nodes: Vec<&'r Node>,
    /// Those that are waited for until they are ready, those of earlier stages among them.
    waiting: BTreeMap<String, Wanted>,
    /// Those that were begun, with the time, until they are ready.
    running: BTreeMap<&'r str, Instant>,
    settling: usize,
    started: BTreeSet<&'r str>,
    /// Those that others may use.
    usable: BTreeSet<&'r str>,
    done: usize,
    report: Report,
}

/// Finds or creates every resource of a stage, and waits for those that earlier stages left. `outputs` has the outputs of
/// earlier stages, and gets those of this one.
///
/// # Errors
/// The journal cannot be written.
pub async fn run(
    run: &Run<'_>,
    pending: Vec<Pending>,
    outputs: &mut BTreeMap<String, Properties>,
) -> Result<Report, NoteFault> {
    let (limit, halt) = (Limit::new(run.pace.parallel), Stop::default());
    let waits = Waits::default();
    let (api, journal, pace) = (run.api, run.journal, run.pace);
    let tools = Tools { api, journal, pace, limit: &limit, waits: &waits, halt: &halt };
    let nodes: Vec<&Node> = run.graph.resources.iter().filter(|node| node.stage == run.stage).collect();
    let report = Report { total: nodes.len(), ..Report::default() };
    let mut board = Board {
        run: *run,
        nodes,
        waiting: BTreeMap::new(),
        running: BTreeMap::new(),
        settling: 0,
        started: BTreeSet::new(),
        usable: BTreeSet::new(),
        done: 0,
        report,
    };
    let mut work: FuturesUnordered<Waiting<'_, (&Node, Wanted, Event)>> = FuturesUnordered::new();
    if run.installed {
        board.hand_over(outputs);
    }
    for Pending(wanted) in pending {
        let Some(node) = run.graph.resources.iter().find(|node| node.name == wanted.name) else { continue };
        board.running.insert(&node.name, Instant::now());
        board.waiting.insert(node.name.clone(), wanted.clone());
        work.push(waited(&tools, node, wanted));
    }
    let mut fault = None;
    loop {
        if !halt.is_asked() && board.leaves_rest() {
            break;
        }
        if run.stop.is_asked() {
            board.report.interrupted = true;
            halt.ask();
        }
        if !halt.is_asked() {
            for (node, wanted, past) in board.due(&limit, outputs) {
                let tools = &tools;
                work.push(Box::pin(async move {
                    let settled = tools.settle(&wanted, &past).await;
                    (node, wanted, Event::Settled(settled))
                }));
            }
        }
        board.tell(&waits);
        let Some((node, wanted, event)) = next(&mut work, run.stop, &board).await else {
            if !work.is_empty() {
                continue;
            }
            break;
        };
        waits.ends(&node.name);
        match board.note(node, event, outputs) {
            Ok(true) => {
                board.waiting.insert(node.name.clone(), wanted.clone());
                work.push(waited(&tools, node, wanted));
            }
            Err(Trouble::Found(finding)) => {
                board.report.findings.push(*finding);
                halt.ask();
            }
            Ok(false) | Err(Trouble::Stopped) => {}
            Err(Trouble::Note(cause)) => {
                fault.get_or_insert(cause);
                halt.ask();
            }
        }
    }
    drop(work);
    if let Some(fault) = fault {
        return Err(fault);
    }
    let left = board.nodes.iter().find(|node| !board.started.contains(node.name.as_str()));
    if let Some(left) = left.filter(|_| !halt.is_asked()) {
        board.report.findings.push(pages::stuck(&left.name));
    }
    board.report.pending = board.waiting.into_values().map(Pending).collect();
    Ok(board.report)
}

/// The work of waiting for a resource.
fn waited<'f>(
    tools: &'f Tools<'f>,
    node: &'f Node,
    wanted: Wanted,
) -> Waiting<'f, (&'f Node, Wanted, Event)> {
    Box::pin(async move {
        let ready = tools.wait(&wanted).await;
        (node, wanted, Event::Ready(ready))
    })
}

/// The next part of the work that ends; none where there is none, or it is time to look around.
async fn next<'f>(
    work: &mut FuturesUnordered<Waiting<'f, (&'f Node, Wanted, Event)>>,
    stop: &Stop,
    board: &Board<'_>,
) -> Option<(&'f Node, Wanted, Event)> {
    if work.is_empty() {
        return None;
    }
    let stopped = async { if board.report.interrupted { pending().await } else { stop.asked().await } };
    let interval = Box::pin(async {
        tokio::select! {
            () = sleep(TICK) => {}
            () = stopped => {}
        }
    });
    match select(work.next(), interval).await {
        Either::Left((event, _)) => event,
        Either::Right(_) => None,
    }
}

impl<'r> Board<'r> {
    /// Whether all that is left to do is to wait for what nothing waits for, and a later stage may do that.
    fn leaves_rest(&self) -> bool {
        let told = self.run.graph.outputs.get(self.run.stage).map(needs).unwrap_or_default();
        let is_free = |wanted: &Wanted| {
            !self.run.api.traits(wanted.kind).blocks && !told.contains(wanted.name.as_str())
        };
        self.run.leaves
            && self.settling == 0
            && self.started.len() == self.nodes.len()
            && self.waiting.values().all(is_free)
    }

    /// Leaves alone what was created and belongs to the installed cluster now.
    fn hand_over(&mut self, outputs: &mut BTreeMap<String, Properties>) {
        for node in &self.nodes {
            let past = self.run.journal.past(&node.name);
            let Some(noted) = past.outputs.filter(|_| self.run.api.traits(node.kind).is_handed_over) else {
                continue;
            };
            outputs.insert(node.name.clone(), noted);
            self.started.insert(&node.name);
            self.usable.insert(&node.name);
            self.report.existing += 1;
            self.done += 1;
        }
    }

    /// The resources whose inputs are known, as many as may be worked on.
    fn due(
        &mut self,
        limit: &Limit,
        outputs: &BTreeMap<String, Properties>,
    ) -> Vec<(&'r Node, Wanted, Past)> {
        let mut due = Vec::new();
        for node in &self.nodes {
            if self.settling >= limit.current() {
                break;
            }
            let is_known = |name: &str| {
                self.usable.contains(name)
                    || (outputs.contains_key(name) && !self.nodes.iter().any(|node| node.name == name))
            };
            if self.started.contains(node.name.as_str()) || !node.needs().into_iter().all(is_known) {
                continue;
            }
            let past = self.run.journal.past(&node.name);
            let Some(wanted) = wanted(node, outputs, &past) else { continue };
            let token = token(self.run.cluster_id, &node.name, past.created);
            let wanted = Wanted { token, begun: past.begun, ..wanted };
            self.started.insert(&node.name);
            self.running.insert(&node.name, Instant::now());
            self.settling += 1;
            due.push((*node, wanted, past));
        }
        due
    }

    /// Takes note of what has ended; whether the resource is still to be waited for.
    fn note(
        &mut self,
        node: &Node,
        event: Event,
        outputs: &mut BTreeMap<String, Properties>,
    ) -> Result<bool, Trouble> {
        let mut all = self.run.graph.resources.iter();
        let Some(node) = all.find(|known| known.name == node.name) else { return Ok(false) };
        let is_of_stage = node.stage == self.run.stage;
        let (is_ready, given) = match event {
            Event::Settled(settled) => {
                self.settling -= 1;
                let settled = settled.inspect_err(|_| {
                    self.running.remove(node.name.as_str());
                })?;
                if settled.created {
                    self.report.created += 1;
                } else {
                    self.report.existing += 1;
                }
                self.report.repaired += usize::from(settled.repaired);
                self.report.differences.extend(settled.findings);
                (settled.is_ready, settled.outputs)
            }
            Event::Ready(ready) => {
                self.waiting.remove(&node.name);
                self.running.remove(node.name.as_str());
                (true, ready?)
            }
        };
        let known = outputs.entry(node.name.clone()).or_default();
        known.extend(given);
        if is_ready {
            self.done += usize::from(is_of_stage);
            self.running.remove(node.name.as_str());
        }
        if is_ready || !self.run.api.traits(node.kind).blocks {
            self.usable.insert(&node.name);
        }
        Ok(!is_ready)
    }

    fn tell(&self, waits: &Waits) {
        let now = Instant::now();
        let underway = |(name, since): (&&'r str, &Instant)| Underway {
            name,
            since: now - *since,
            wait: waits.of(name),
        };
        let mut running: Vec<Underway<'_>> = self.running.iter().map(underway).collect();
        running.sort_by_key(|one| std::cmp::Reverse(one.since));
        self.run.watcher.progress(self.done, self.report.total, &running);
    }
}

/// The token of a resource: the same for each try, another once it was created and is created anew.
fn token(cluster_id: &str, name: &str, created: usize) -> String {
    let digest = digest::digest(&digest::SHA256, format!("{cluster_id}/{name}/{created}").as_bytes());
    let mut token = "landfall-".to_owned();
    for byte in digest.as_ref().iter().take(16) {
        let _ = write!(token, "{byte:02x}");
    }
    token
}
