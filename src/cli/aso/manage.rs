//! `landfall aso pause`, `resume`, `handover` and `move`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_engine_aso::core::Object;
use landfall_engine_aso::detect::{Report, Wanted, permissions};
use landfall_engine_aso::drive::{
    Anchor, Api, End, Ground, Job, Listing as _, Relocation, Side, Step, Worked, at_work, relocate as moved,
};
use landfall_engine_aso::kinds::Kind;
use landfall_model::catalogue::Catalogue;
use landfall_model::plan::{self, is_infra_id};
use landfall_net::stop::Stop;
use serde_json::{Value, json};

use super::management::{self, ASKING, KubeconfigArgs, Management, Refused, Shown, judged, stopping};
use super::reached::Reached;
use crate::cli::destroy::at_home;
use crate::cli::duration::within_a_day;
use crate::cli::namespace::namespace;
use crate::cli::{Ended, Exit, Settings, engine};
use crate::prepare::target::{Named, Unnamed};
use crate::prepare::{self, target};
use crate::ui::{json as json_form, watched};

/// Which cluster.
#[derive(Debug, clap::Args)]
pub struct NameArgs {
    /// Infrastructure ID of the cluster; default: from the cluster directory
    #[arg(long, value_name = "ID")]
    infra_id: Option<String>,

    /// Namespace of its objects; default: from the cluster directory, else the infrastructure ID
    #[arg(long, value_name = "NAME", value_parser = namespace)]
    namespace: Option<String>,
}

/// Which cluster, and how long.
#[derive(Debug, clap::Args)]
pub struct ClusterArgs {
    #[command(flatten)]
    name: NameArgs,

    /// Timeout, such as `30m` or `1h30m`
    #[arg(long, value_name = "TIME", default_value = "1h", value_parser = within_a_day)]
    timeout: Duration,
}

// The help texts are those of the verbs.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    kubeconfig: KubeconfigArgs,
}

/// Move a cluster to another management cluster
///
/// Pauses and copies the cluster. Once the other operator has reconciled every resource, ends the pause there
/// and deletes the objects here. Azure is not changed. After any stop, run the same command again to
/// continue.
#[derive(Debug, clap::Args)]
pub struct MoveArgs {
    #[command(flatten)]
    cluster: ClusterArgs,

    /// Kubeconfig of the current management cluster
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    from_kubeconfig: PathBuf,

    /// Kubeconfig of the new management cluster
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    to_kubeconfig: PathBuf,
}

/// What is to be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A pause begins.
    Pause,
    /// A pause ends.
    Resume,
    /// The cluster takes over.
    HandOver,
}

impl Change {
    /// What the cluster is once it is changed.
    fn done(self) -> &'static str {
        match self {
            Self::Pause => "is paused",
            Self::Resume => "is no longer paused",
            Self::HandOver => "is handed over",
        }
    }
}

/// Changes a cluster.
///
/// # Errors
/// A stream cannot be written, or the operating system gives no runtime.
pub fn run(args: &Args, change: Change, settings: &Settings) -> Result<Exit, Ended> {
    let ground = args.cluster.name.ground(settings)?;
    let runtime = prepare::runtime()?;
    let ended = runtime.block_on(changed(args, change, &ground, settings));
    runtime.shutdown_background();
    said(ended, &ground, change.done(), settings)
}

/// Moves a cluster.
///
/// # Errors
/// A stream cannot be written, or the operating system gives no runtime.
pub fn relocate(args: &MoveArgs, settings: &Settings) -> Result<Exit, Ended> {
    let ground = args.cluster.name.ground(settings)?;
    let runtime = prepare::runtime()?;
    let ended = runtime.block_on(relocated(args, &ground, settings));
    runtime.shutdown_background();
    if let Ok((Worked::Ended(End::Done, _), home)) = &ended {
        target::note_move(&directory(settings), &ground.infra_id, home)?;
    }
    said(ended.map(|(worked, _)| worked), &ground, "is in the other management cluster", settings)
}

/// The cluster directory.
fn directory(settings: &Settings) -> PathBuf {
    settings.dir.clone().unwrap_or_else(|| PathBuf::from("."))
}

/// Makes sure that the cluster was not moved away from a management cluster, as far as its directory says so.
async fn not_moved(api: &dyn Api, ground: &Ground, settings: &Settings) -> Result<(), Refused> {
    match target::of_cluster(&directory(settings)) {
        Ok(named) if named.target.infra_id == ground.infra_id => at_home(&named, api, ground).await,
        _ => Ok(()),
    }
}

/// What the command line and the cluster directory name.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meant {
    /// The infrastructure id of a cluster.
    pub(super) infra_id: Option<String>,
    /// The namespace of its objects; empty where nothing names one.
    pub(super) namespace: String,
    /// The cloud that the directory says.
    pub(super) cloud: Option<String>,
}

impl NameArgs {
    /// The cluster that flags or the cluster directory name.
    fn ground(&self, settings: &Settings) -> Result<Ground, Ended> {
        let Meant { infra_id, namespace, .. } = self.meant(settings)?;
        Ok(Ground { infra_id: infra_id.ok_or_else(nameless)?, namespace })
    }

    /// The cluster, or the namespace alone, that flags or the cluster directory name.
    ///
    /// # Errors
    /// The infrastructure id cannot be one, or what the directory says cannot be read.
    pub(super) fn meant(&self, settings: &Settings) -> Result<Meant, Unnamed> {
        if let Some(id) = self.infra_id.as_deref().filter(|id| !is_infra_id(id)) {
            return Err(Unnamed::Usage(Box::new(plan::pages::unusable_infra_id(id))));
        }
        let noted = match target::of_cluster(&directory(settings)) {
            Ok(named) => Some(named),
            Err(Unnamed::Nowhere(_)) => None,
            // Nobody said that the directory is the cluster's.
            Err(_) if self.infra_id.is_some() && settings.dir.is_none() => None,
            Err(why) => return Err(why),
        };
        let is_meant = |named: &Named| self.infra_id.as_ref().is_none_or(|id| *id == named.target.infra_id);
        let noted = noted.filter(is_meant);
        let noted_id = || noted.as_ref().map(|named| named.target.infra_id.clone());
        let infra_id = self.infra_id.clone().or_else(noted_id);
        let noted_namespace = || {
            let noted = noted.as_ref()?.engine()?.namespace;
            Some(noted).filter(|namespace| !namespace.is_empty())
        };
        let namespace = self.namespace.clone().or_else(noted_namespace).or_else(|| infra_id.clone());
        let cloud = noted.as_ref().and_then(|named| named.target.platform.get("cloudName")?.as_str());
        Ok(Meant { namespace: namespace.unwrap_or_default(), cloud: cloud.map(str::to_owned), infra_id })
    }
}

pub(super) fn nameless() -> Ended {
    Ended::Usage("no cluster is set: use --infra-id, or its directory with --dir".to_owned())
}

/// How work ended, or why it did not begin.
type Done = Result<Worked, Refused>;

async fn changed(args: &Args, change: Change, ground: &Ground, settings: &Settings) -> Done {
    let reached = watched(&settings.printer, ASKING, None, async {
        let reached = Reached::at(args.kubeconfig.kubeconfig.as_deref(), ground).await?;
        not_moved(&reached.management.live, ground, settings).await?;
        Ok(reached)
    });
    let reached = reached.await?;
    let job = match change {
        Change::Pause => Job::Pause,
        Change::Resume => Job::Resume,
        Change::HandOver => Job::HandOver,
    };
    let (shown, stop) = (Shown::new(settings, args.cluster.timeout), Stop::default());
    let place = reached.place(ground, &shown, &stop);
    let mut feed = reached.feed(ground);
    Ok(shown.during(stopping(&stop, at_work(&place, &mut feed, job))).await)
}

/// The two management clusters of a move.
struct Both {
    from: Reached,
    to: Reached,
    /// Which one the new one is.
    home: String,
    /// What was found of the operator of the new one; none where the cluster is not in the old one any more.
    report: Option<Report>,
}

/// Looks at both management clusters.
async fn both(args: &MoveArgs, ground: &Ground) -> Result<Both, Refused> {
    let from = Reached::at(Some(&args.from_kubeconfig), ground).await?;
    let to = Reached::at(Some(&args.to_kubeconfig), ground).await?;
    let home = to.home().await?;
    if from.home().await? == home {
        return Err((vec![target::pages::same_place()], Exit::Unfit));
    }
    // Nothing is paused before it is known that the cluster can live there. A cluster that is not here any more lives
    // there already, or nowhere.
    let report = if let Some(anchor) = from.anchor(ground).await? {
        let cloud = anchor.object()["data"]["cloudName"].as_str().unwrap_or_default();
        let needed = from.used(ground, &anchor).await?;
        let machines = permissions::has_machines(&needed);
        let wanted = Wanted { cloud, namespace: &ground.namespace, kinds: &needed };
        let report = to.management.check(&wanted, &ground.infra_id, machines, Catalogue::embedded()).await;
        Some(report.map_err(|findings| (findings, Exit::Unfit))?)
    } else {
        None
    };
    Ok(Both { from, to, home, report })
}

/// How the move ended, and which management cluster it led to.
async fn relocated(
    args: &MoveArgs,
    ground: &Ground,
    settings: &Settings,
) -> Result<(Worked, String), Refused> {
    let looked = watched(&settings.printer, "asking both management clusters", None, both(args, ground));
    let Both { from, to, home, report } = looked.await?;
    if let Some(report) = report {
        management::warn(&report, settings);
    }
    let (shown, stop) = (Shown::new(settings, args.cluster.timeout), Stop::default());
    let (here, there) = (|| from.feed(ground), || to.feed(ground));
    let relocation = Relocation {
        from: Side { place: from.place(ground, &shown, &stop), feed: &here },
        to: Side { place: to.place(ground, &shown, &stop), feed: &there },
    };
    let worked = Box::pin(shown.during(stopping(&stop, moved(&relocation)))).await;
    if matches!(worked, Worked::NotThere) {
        not_moved(&from.management.live, ground, settings).await?;
    }
    Ok((worked, home))
}

impl Reached {
    async fn at(kubeconfig: Option<&Path>, ground: &Ground) -> Result<Self, Refused> {
        // An object that is not seen would be left out: a pause or a move must have all.
        Self::of(Management::of(kubeconfig)?, ground, |_| true).await
    }

    /// Which management cluster it is.
    async fn home(&self) -> Result<String, Refused> {
        let home = Ground::home(&self.management.live).await;
        home.map_err(|failure| self.management.unfit(&failure))
    }

    /// The kinds that every cluster needs, and others of which this one has an object.
    async fn used(&self, ground: &Ground, anchor: &Anchor) -> Result<Vec<&'static Kind>, Refused> {
        let live = &self.management.live;
        let owner = ground.owner(anchor);
        let mut used = Vec::new();
        for kind in &self.kinds {
            let is_used = kind.core || {
                let objects = live.list(kind, &ground.namespace).await;
                let objects = objects.map_err(|failure| self.management.unfit(&failure))?;
                objects.iter().any(|object| owner.owns(Object(object), &ground.infra_id))
            };
            used.extend(is_used.then_some(*kind));
        }
        Ok(used)
    }

    /// The anchor of the cluster, which says its cloud; none where there is no cluster.
    async fn anchor(&self, ground: &Ground) -> Result<Option<Anchor>, Refused> {
        let anchor = ground.find(&self.management.live).await;
        anchor.map_err(|failure| self.management.unfit(&failure))
    }
}

/// Says how it ended, and what the cluster is where all is done.
fn said(ended: Done, ground: &Ground, done: &str, settings: &Settings) -> Result<Exit, Ended> {
    let (step, (findings, exit)) = match ended {
        Ok(worked) => {
            let judged = judged(&worked, ground);
            let step = if let Worked::Ended(_, step) = worked { step } else { Step::default() };
            (step, judged)
        }
        Err(refused) => (Step::default(), refused),
    };
    let value = json!({
        "outcome": management::outcome(exit),
        "infraID": ground.infra_id,
        "namespace": ground.namespace,
        "work": step.objects.iter().map(management::described).collect::<Vec<Value>>(),
        "findings": json_form::placeless(&findings),
    });
    let advises = exit == Exit::PartWay || exit == Exit::Interrupted;
    let line = format!("{} {done}", ground.infra_id);
    engine::concluded(&value, (&findings, exit), &line, advises, settings)
}
