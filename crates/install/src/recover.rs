//! Going on after terraform was killed: what the cloud has and the state lacks is imported or removed, with the
//! user's consent, before anything is created.
//!
//! Terraform itself plans what it would create, landfall's removal finds what there is, and `import` blocks beside
//! the module bring the two together. Parts of other resources, such as routes, carry no tag: each that would be
//! created is tried, and terraform tells which of them exist.

#![allow(clippy::disallowed_methods, reason = "the file with import blocks is written and removed here")]

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_destroy::{Outcome, Pace, Unwatched};
use landfall_diagnostics::secret::Secret;
use landfall_engine_terraform::{Cause, Changes, Preview, Stage, Work};
use landfall_model::plan;
use landfall_platform::cloud::{Asked, Waiting};
use landfall_platform::removal::{
    self, Account, Discovered, FoundClusters, Holder, Removal, Resource, Target,
};
use landfall_platform::untracked::Modules;

use super::files::{Files, step};
use super::untracked::{Import, blocks, finding, lines, parts, refused, untracked};
use super::{Fault, Site};
use landfall_workdir::{Step, StepResult, Steps};

/// The file with the `import` blocks, beside the module of a stage.
const IMPORTS: &str = "landfall-import.tf";
/// What the journal of steps notes where terraform did not end in order.
const LOST: &str = "resources may not be in its state";
/// How often a plan is repeated, if the only thing wrong with it is that calls were not answered.
const PLANS: usize = 3;
/// How long what cannot be imported may take to go.
const LONGEST_REMOVAL: Duration = Duration::from_mins(30);

/// What resources that are not in terraform's state are found and removed with.
#[derive(Clone, Copy)]
pub struct Recovery<'a> {
    /// Finds and removes what the cluster owns.
    pub removal: &'a dyn Removal,
    /// The cluster.
    pub target: &'a Target,
    /// Whether the user has consented to imports and removals.
    pub allowed: bool,
}

/// The note in the journal of steps for a fault after which resources may not be in the state.
pub(super) fn note_of(fault: &Fault) -> Option<String> {
    let Fault::Engine { fault, .. } = fault else { return None };
    let is_lost = match &**fault {
        landfall_engine_terraform::Fault::Killed { .. } => true,
        // A provider that crashed knows as little, and a name is taken where an earlier run was killed.
        landfall_engine_terraform::Fault::Failed(failed) => {
            let causes = [Cause::Crashed, Cause::Provider, Cause::NameTaken];
            failed.troubles.iter().any(|trouble| causes.contains(&trouble.cause))
        }
        _ => false,
    };
    is_lost.then(|| format!("{fault}; {LOST}"))
}

/// Whether the last run on a stage ended so that terraform's state does not tell what exists.
pub(super) fn is_cut_short(last: Option<&Step>, modules: &Modules) -> bool {
    last.is_some_and(|last| match last.result {
        StepResult::Began => true,
        StepResult::Failed => modules.gives_up || last.detail.ends_with(LOST),
        StepResult::Interrupted => modules.gives_up,
        StepResult::Done => false,
    })
}

/// Whether runs on a stage since the last complete one may have left resources that are not in the state: a run that
/// was killed, and one that failed, as the answer to one of its calls may have been lost.
pub(super) fn may_have_lost(steps: &Steps, step: &str, modules: &Modules) -> bool {
    let of_stage = steps.iter().rev().filter(|known| known.step == step).map(|known| known.result);
    let mut is_ended = false;
    for result in of_stage.take_while(|result| *result != StepResult::Done) {
        let has_lost = match result {
            StepResult::Began => !is_ended,
            StepResult::Failed => true,
            StepResult::Interrupted => modules.gives_up,
            StepResult::Done => false,
        };
        if has_lost {
            return true;
        }
        is_ended = result != StepResult::Began;
    }
    false
}

/// What a stage is looked at with.
struct Look<'l> {
    described: &'l Stage<'l>,
    modules: Modules,
    account: &'l str,
    file: &'l Path,
    /// The resources whose creation earlier runs began, by address; none where that is not known. Terraform has created
    /// nothing else.
    started: Option<BTreeSet<String>>,
}

impl Site<'_> {
    /// The file with the `import` blocks of a stage.
    fn import_file(&self, stage: &plan::Stage) -> PathBuf {
        Files { root: self.cluster.root(), platform: self.platform }.folder(stage).join(IMPORTS)
    }

    /// Removes the `import` blocks of a stage.
    pub(super) fn forget_imports(&self, stage: &plan::Stage) -> Result<(), Fault> {
        forget(&self.import_file(stage))
    }

    /// Has terraform keep what it would remove and create again, if the provider cannot remove it.
    ///
    /// # Errors
    /// The state cannot be read or written.
    pub(super) async fn keep(&self, stage: &plan::Stage) -> Result<(), Fault> {
        let folder = self.files().folder(stage);
        let (kept, failed) = (self.platform.modules().kept, |fault| engine(stage.name, fault));
        let tainted = landfall_engine_terraform::tainted(&folder).map_err(failed)?;
        let log = self.cluster.logs();
        let described =
            Stage { name: stage.name, folder: &folder, variables: &[], environment: &[], log: &log };
        for (_, address) in tainted.iter().filter(|(sort, _)| kept.contains(&sort.as_str())) {
            self.terraform.untaint(&described, address).await.map_err(failed)?;
        }
        Ok(())
    }

    /// Looks for resources that earlier runs on a stage created and the state lacks, if one of them did not end
    /// in order. With consent what can be imported gets an `import` block, and the rest is removed.
    ///
    /// # Errors There are such resources and no consent; or the cloud, terraform or the directory does not
    /// let landfall look.
    pub(super) async fn recover(&mut self, stage: &plan::Stage, variables: &[PathBuf]) -> Result<(), Fault> {
        self.forget_imports(stage)?;
        let steps = self.cluster.steps()?;
        let modules = self.platform.modules();
        let Some(recovery) = self.recovery.filter(|_| !modules.is_empty()) else { return Ok(()) };
        if !may_have_lost(&steps, &step(stage, Work::Apply), &modules) {
            return Ok(());
        }
        self.watcher.told(&format!(
            "stage {}: an earlier run did not end normally; searching for resources that are missing in the \
             state",
            stage.name
        ));
        let needs = self.needs(stage).await?;
        let environment = self.environment(&needs)?;
        let found = self.reconcile(stage, variables, &environment, recovery).await;
        self.clear(&needs)?;
        found
    }

    async fn reconcile(
        &mut self,
        stage: &plan::Stage,
        variables: &[PathBuf],
        environment: &[(String, Secret<String>)],
        recovery: Recovery<'_>,
    ) -> Result<(), Fault> {
        let folder = Files { root: self.cluster.root(), platform: self.platform }.folder(stage);
        let (log, file) = (self.cluster.logs(), self.import_file(stage));
        let described = Stage { name: stage.name, folder: &folder, variables, environment, log: &log };
        let account = recovery.target.account.as_deref().unwrap_or_default();
        let step = step(stage, Work::Apply);
        let is_run = |known: &&Step| known.step == step && known.result == StepResult::Began;
        let runs = self.cluster.steps()?.iter().filter(is_run).count();
        let started = landfall_engine_terraform::started(&log, stage.name, runs)
            .map_err(|fault| engine(stage.name, fault))?;
        let modules = self.platform.modules();
        let look = Look { described: &described, modules, account, file: &file, started };
        self.terraform.init(&described, self.stop).await.map_err(|fault| engine(stage.name, fault))?;
        let changes = match self.preview(&look).await? {
            Preview::Changes(changes) => changes,
            Preview::Refused { fault, .. } => return Err(engine(stage.name, *fault)),
        };
        let discovered = recovery.removal.discover().await;
        if !discovered.unseen.is_empty() {
            return Err(Fault::Unseen(discovered.unseen));
        }
        let found = untracked(look.modules, &changes.managed, &discovered.things);
        let first = found.iter().filter_map(|one| one.import.clone()).collect();
        let imports = match self.confirmed(&look, first, changes).await {
            Ok(imports) => imports,
            Err(fault) => {
                forget(&file)?;
                return Err(fault);
            }
        };
        let lines = lines(&found, &imports);
        if lines.is_empty() {
            return forget(&file);
        }
        if !recovery.allowed {
            forget(&file)?;
            return Err(Fault::Untracked(Box::new(finding(stage.name, &lines))));
        }
        for line in &lines {
            self.watcher.told(&format!("stage {}: {line}", stage.name));
        }
        let removed: Vec<&Resource> =
            found.iter().filter(|one| one.import.is_none()).map(|one| one.thing).collect();
        self.remove(stage, recovery, &removed).await?;
        self.cluster.note(&Step {
            time: (self.now)(),
            step: format!("{}.recover", stage.name),
            result: StepResult::Done,
            detail: format!("{} to import, {} removed", imports.len(), removed.len()),
            inputs: String::new(),
        })?;
        Ok(())
    }

    async fn preview(&self, look: &Look<'_>) -> Result<Preview, Fault> {
        let preview = self.terraform.preview(look.described, self.stop).await;
        preview.map_err(|fault| engine(look.described.name, fault))
    }

    /// The imports that terraform accepts, written into the file: those of `imports`, and every part of
    /// another resource that exists and may be of an earlier run. Each plan knows more of what the next one can try.
    async fn confirmed(
        &self,
        look: &Look<'_>,
        mut imports: Vec<Import>,
        mut changes: Changes,
    ) -> Result<Vec<Import>, Fault> {
        let mut missing: BTreeSet<String> = BTreeSet::new();
        let mut is_settled = imports.is_empty();
        let mut unanswered = 0;
        loop {
            let mut more = parts(look.modules, look.account, &changes);
            more.retain(|part| {
                !missing.contains(&part.address)
                    && !imports.iter().any(|known| known.address == part.address)
                    && look.started.as_ref().is_none_or(|started| started.contains(&part.address))
            });
            if more.is_empty() && is_settled {
                return Ok(imports);
            }
            imports.extend(more);
            write(look.file, &imports)?;
            is_settled = false;
            match self.preview(look).await? {
                Preview::Changes(now) => {
                    changes = now;
                    is_settled = true;
                }
                Preview::Refused { said, fault } => {
                    let wrong = refused(&imports, &said);
                    if wrong.is_empty() {
                        unanswered += 1;
                        if unanswered >= PLANS || !fault.may_pass(false, false) {
                            return Err(engine(look.described.name, *fault));
                        }
                        continue;
                    }
                    imports.retain(|import| !wrong.contains(&import.address));
                    missing.extend(wrong);
                    is_settled = imports.is_empty();
                    write(look.file, &imports)?;
                }
            }
        }
    }

    /// Removes resources, and waits until they are gone.
    pub(super) async fn remove(
        &self,
        stage: &plan::Stage,
        recovery: Recovery<'_>,
        things: &[&Resource],
    ) -> Result<(), Fault> {
        if things.is_empty() {
            return Ok(());
        }
        let ids: BTreeSet<String> = things.iter().map(|thing| thing.id.clone()).collect();
        let things = only(&ids, things.iter().map(|thing| (*thing).clone()).collect());
        let first = Discovered { things, ..Discovered::default() };
        let only = Only { removal: recovery.removal, ids, inside: false };
        let pace = Pace { timeout: LONGEST_REMOVAL, ..Pace::default() };
        let report = landfall_destroy::run(&only, recovery.target, first, &pace, &Unwatched, self.stop).await;
        match report.outcome {
            Outcome::Gone => Ok(()),
            Outcome::Interrupted => {
                let fault =
                    landfall_engine_terraform::Fault::Interrupted(landfall_engine_terraform::Interrupted {
                        engine: self.terraform.name(),
                        stage: stage.name.to_owned(),
                        work: Work::Apply.name().to_owned(),
                        earlier: None,
                        done: 0,
                        total: None,
                    });
                Err(engine(stage.name, fault))
            }
            Outcome::Left | Outcome::TimedOut | Outcome::Refused => Err(Fault::Unseen(report.findings)),
        }
    }
}

fn engine(stage: &str, fault: landfall_engine_terraform::Fault) -> Fault {
    Fault::Engine { stage: stage.to_owned(), fault: Box::new(fault) }
}

fn write(file: &Path, imports: &[Import]) -> Result<(), Fault> {
    let written = std::fs::write(file, blocks(imports));
    written.map_err(|cause| landfall_workdir::Error::Write(file.to_owned(), cause).into())
}

fn forget(file: &Path) -> Result<(), Fault> {
    match std::fs::remove_file(file) {
        Err(cause) if cause.kind() != ErrorKind::NotFound => {
            Err(landfall_workdir::Error::Write(file.to_owned(), cause).into())
        }
        _ => Ok(()),
    }
}

/// A removal of a few resources of a cluster, in which nothing else is found.
pub(super) struct Only<'a> {
    pub(super) removal: &'a dyn Removal,
    pub(super) ids: BTreeSet<String>,
    /// Whether they are in the cluster's resource groups.
    pub(super) inside: bool,
}

/// Those of some resources that are removed. They wait for each other alone: what would take them along, such as a
/// group, stays.
fn only(ids: &BTreeSet<String>, mut things: Vec<Resource>) -> Vec<Resource> {
    things.retain(|thing| ids.contains(&thing.id));
    for thing in &mut things {
        thing.after.retain(|id| ids.contains(id));
    }
    things
}

impl Removal for Only<'_> {
    fn account(&self) -> Waiting<'_, Asked<Account>> {
        self.removal.account()
    }

    fn discover(&self) -> Waiting<'_, Discovered> {
        Box::pin(async {
            let removal = self.removal;
            let found = if self.inside { removal.discover_inside() } else { removal.discover() };
            let mut found = found.await;
            found.things = only(&self.ids, found.things);
            // Nothing else is said of what is not removed here.
            Discovered { notes: Vec::new(), unproven: Vec::new(), ..found }
        })
    }

    fn remove<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<removal::Outcome>> {
        self.removal.remove(things)
    }

    fn look<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<removal::Outcome>> {
        self.removal.look(things)
    }

    fn holders<'s>(&'s self, thing: &'s Resource) -> Waiting<'s, Vec<Holder>> {
        self.removal.holders(thing)
    }

    fn holders_of<'s>(&'s self, things: &'s [&'s Resource]) -> Waiting<'s, Vec<Vec<Holder>>> {
        self.removal.holders_of(things)
    }

    fn clusters(&self) -> Waiting<'_, Asked<FoundClusters>> {
        self.removal.clusters()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(result: StepResult, detail: &str) -> Step {
        let text = String::new;
        Step { time: text(), step: text(), result, detail: detail.to_owned(), inputs: text() }
    }

    fn engine_fault(fault: landfall_engine_terraform::Fault) -> Fault {
        engine("cluster", fault)
    }

    fn failed(cause: Cause) -> Fault {
        let trouble =
            landfall_engine_terraform::Trouble { cause, address: None, said: "it said so".to_owned() };
        engine_fault(landfall_engine_terraform::Fault::Failed(landfall_engine_terraform::Failed {
            engine: "Terraform",
            stage: "cluster".to_owned(),
            work: "apply",
            troubles: vec![trouble],
            code: Some(1),
            log: PathBuf::new(),
        }))
    }

    const STEADY: Modules = Modules { tracked: &[], parts: &[], gives_up: false, kept: &[] };

    #[test]
    fn a_run_without_an_end_and_one_that_was_killed_are_looked_at() {
        let killed = engine_fault(landfall_engine_terraform::Fault::Killed {
            engine: "Terraform",
            stage: "cluster".to_owned(),
            work: "apply".to_owned(),
            signal: 9,
        });
        let noted = note_of(&killed).unwrap_or_default();
        assert!(is_cut_short(Some(&last(StepResult::Failed, &noted)), &STEADY), "{noted}");
        assert!(is_cut_short(Some(&last(StepResult::Began, "")), &STEADY));
        for cause in [Cause::Crashed, Cause::Provider, Cause::NameTaken] {
            assert!(note_of(&failed(cause)).is_some_and(|noted| noted.ends_with(LOST)));
        }
    }

    /// Whether these runs on a stage may have left something that is not in the state.
    fn lost(results: &[StepResult], modules: &Modules) -> Result<bool, Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        let cluster =
            landfall_workdir::ClusterDir::open_with(root.path(), landfall_workdir::Durability::Process)?;
        for result in results {
            cluster.note(&Step { step: "cluster.apply".to_owned(), ..last(*result, "") })?;
            // What happens to another stage does not count.
            cluster.note(&Step { step: "bootstrap.apply".to_owned(), ..last(StepResult::Began, "") })?;
        }
        Ok(may_have_lost(&cluster.steps()?, "cluster.apply", modules))
    }

    #[test]
    fn all_runs_since_the_last_complete_one_count() -> Result<(), Box<dyn std::error::Error>> {
        use StepResult::{Began, Done, Failed, Interrupted};
        let in_order: [&[StepResult]; 4] =
            [&[], &[Began, Done], &[Began, Interrupted], &[Began, Failed, Began, Done, Began, Interrupted]];
        for runs in in_order {
            assert!(!lost(runs, &STEADY)?, "{runs:?}");
        }
        // A later run that was stopped does not make up for one that was killed or failed.
        let cut_short: [&[StepResult]; 4] =
            [&[Began], &[Began, Failed], &[Began, Began, Interrupted], &[Began, Failed, Began, Interrupted]];
        for runs in cut_short {
            assert!(lost(runs, &STEADY)?, "{runs:?}");
        }
        assert!(lost(&[Began, Interrupted], &Modules { gives_up: true, ..STEADY })?);
        Ok(())
    }

    /// On Azure, what lies in a group of the cluster waits for the group's removal.
    #[test]
    fn what_is_removed_alone_waits_for_nothing_that_stays() {
        static KIND: removal::Kind =
            removal::Kind { name: "virtual machine", batch: 1, help: "", last: false };
        let thing = |id: &str, after: &[&str]| Resource {
            id: id.to_owned(),
            kind: &KIND,
            name: String::new(),
            fate: removal::Disposition::Removed,
            after: after.iter().map(|id| (*id).to_owned()).collect(),
        };
        let things =
            vec![thing("group", &[]), thing("machine", &["group"]), thing("disk", &["group", "machine"])];
        let ids = ["machine", "disk"].map(str::to_owned).into();
        let left = only(&ids, things);
        let left: Vec<(&str, &[String])> =
            left.iter().map(|thing| (thing.id.as_str(), thing.after.as_slice())).collect();
        assert_eq!(left, [("machine", &[][..]), ("disk", &["machine".to_owned()][..])]);
    }

    #[test]
    fn a_run_that_ended_in_order_has_all_in_its_state() {
        assert_eq!(note_of(&failed(Cause::Quota)), None);
        assert!(!is_cut_short(None, &STEADY));
        for (result, detail) in
            [(StepResult::Done, ""), (StepResult::Interrupted, ""), (StepResult::Failed, "it has failed")]
        {
            assert!(!is_cut_short(Some(&last(result, detail)), &STEADY), "{result:?}");
        }
    }

    #[test]
    fn a_provider_that_gives_up_leaves_what_it_was_creating() {
        let modules = Modules { gives_up: true, ..STEADY };
        for (result, expected) in
            [(StepResult::Interrupted, true), (StepResult::Failed, true), (StepResult::Done, false)]
        {
            assert_eq!(is_cut_short(Some(&last(result, "it has failed")), &modules), expected, "{result:?}");
        }
    }
}
