//! One piece of work on a cluster from its beginning to its end: the lease, the ground, the objects.

use landfall_diagnostics::Finding;
use landfall_net::stop::Stop;
use serde_json::{Value, json};

use super::api::{Api, Failure, Feed};
use super::ground::{Anchor, Ground, PAUSED};
use super::lease::Lease;
use super::run::{Boot, End, Limits, Watcher, run};
use super::{Drive, Step, Work, pages};
use crate::core::{Outcome, Owner, Stage};
use crate::keys;
use crate::kinds::Kind;
use crate::translate::Translation;

/// What is to be done with a cluster.
pub enum Job<'a> {
    /// It is to be made.
    Make {
        /// Its objects.
        translation: Translation,
        /// Its anchor.
        anchor: &'a Value,
        /// The Secret with its credential, below the anchor.
        secret: &'a (dyn Fn(&Owner) -> Value + Sync),
        /// How far it is.
        stage: Stage,
        /// What creates what its machines start from; none where that exists.
        boot: Option<&'a dyn Boot>,
    },
    /// It is to go.
    Remove {
        /// Whether objects of somebody else may be deleted with it.
        takes_others: bool,
    },
    /// Nothing of it is to change in Azure for a while.
    Pause,
    /// The pause is to end.
    Resume,
    /// What the running cluster edits itself is to be left to it.
    HandOver,
}

/// How work on a cluster ended.
#[derive(Debug)]
pub enum Worked {
    /// The objects were worked on; how that ended, and how they stand.
    Ended(End, Step),
    /// There is no such cluster.
    NotThere,
    /// Nothing was done, and why.
    Refused(Box<Finding>),
    /// Something came in between; the same work goes on where it was.
    Broken(Box<Finding>),
}

/// Where a cluster is worked on, and how.
pub struct Place<'a> {
    /// The management cluster.
    pub api: &'a dyn Api,
    /// The kinds that are looked at: those that the feed tells of.
    pub kinds: &'a [&'static Kind],
    /// Where the objects stand.
    pub ground: &'a Ground,
    /// Who works, as nobody else is called.
    pub identity: String,
    /// How long it may take.
    pub limits: Limits,
    /// Who watches.
    pub watcher: &'a dyn Watcher,
    /// The wish to stop.
    pub stop: &'a Stop,
}

/// Works on a cluster as the only one who does.
pub async fn at_work(place: &Place<'_>, feed: &mut Feed, job: Job<'_>) -> Worked {
    let Place { api, ground, .. } = *place;
    if matches!(job, Job::Make { .. })
        && let Err(failure) = ground.lay_namespace(api).await
    {
        return broken(&failure);
    }
    place.alone(Box::pin(place.work(feed, job))).await
}

impl<'a> Place<'a> {
    pub(super) fn lease(&self) -> Lease<'a> {
        let Ground { infra_id, namespace } = self.ground;
        Lease::new(self.api, infra_id, namespace, self.identity.clone(), self.limits.clock)
    }

    /// Waits for the lease; how the work ended where it is not to be had.
    pub(super) async fn win(&self, lease: &Lease<'_>) -> Option<Worked> {
        let won = tokio::select! {
            won = tokio::time::timeout(self.limits.whole, lease.win(self.watcher)) => won,
            () = self.stop.asked() => return Some(Worked::Ended(End::Interrupted, Step::default())),
        };
        match won {
            Ok(Ok(_)) => None,
            // Without the namespace there is no cluster in it.
            Ok(Err(failure)) if failure.code() == Some(404) => Some(Worked::NotThere),
            Ok(Err(failure)) => Some(broken(&failure)),
            Err(_) => Some(Worked::Ended(End::TimedOut, Step::default())),
        }
    }

    async fn work(&self, feed: &mut Feed, job: Job<'_>) -> Result<Worked, Failure> {
        let boot = if let Job::Make { boot, .. } = &job { *boot } else { None };
        let drive = match self.begin(job).await? {
            Ok(drive) => drive,
            Err(ended) => return Ok(ended),
        };
        let (end, step) = self.run_with(&drive, feed, boot).await;
        // `clusterctl` may have moved the anchor alone.
        if matches!(drive.work, Work::HandOver) && end == End::Done && step.objects.is_empty() {
            return Ok(Worked::NotThere);
        }
        self.finish(&drive, end, &step).await?;
        Ok(Worked::Ended(end, step))
    }

    pub(super) async fn run(&self, drive: &Drive, feed: &mut Feed) -> (End, Step) {
        self.run_with(drive, feed, None).await
    }

    async fn run_with(&self, drive: &Drive, feed: &mut Feed, boot: Option<&dyn Boot>) -> (End, Step) {
        run(drive, self.api, (feed, self.kinds), boot, self.limits, self.watcher, self.stop).await
    }

    /// What must stand before the objects can be worked on.
    async fn begin(&self, job: Job<'_>) -> Result<Result<Drive, Worked>, Failure> {
        let (api, ground) = (self.api, self.ground);
        let drive = |anchor: &Anchor, work| Drive::new(&ground.infra_id, ground.owner(anchor), work);
        if matches!(job, Job::Make { .. }) && ground.is_taken(api).await? {
            return Ok(Err(Worked::Refused(Box::new(pages::not_ours(ground)))));
        }
        let anchor = match &job {
            Job::Make { anchor, .. } => ground.lay(api, anchor).await?,
            _ => match ground.find(api).await? {
                Some(anchor) => anchor,
                None => return Ok(Err(Worked::NotThere)),
            },
        };
        if let Some(finding) = self.stands_against(&job, &anchor) {
            return Ok(Err(Worked::Refused(Box::new(finding))));
        }
        Ok(Ok(match job {
            Job::Make { translation, secret, stage, .. } => {
                let drive = Drive { stage, ..drive(&anchor, Work::Make(translation)) };
                ground.keep_credential(api, &secret(&drive.owner)).await?;
                drive
            }
            Job::Remove { takes_others } => Drive { takes_others, ..drive(&anchor, Work::Remove) },
            Job::HandOver => drive(&anchor, Work::HandOver),
            Job::Pause => {
                let anchor = ground.annotate(api, anchor, &json!({ (PAUSED): "true" })).await?;
                drive(&anchor, Work::Pause)
            }
            Job::Resume => {
                // From here on a move would find objects that change.
                let wanted = json!({ (keys::BLOCK_MOVE): "true" });
                let anchor = ground.annotate(api, anchor, &wanted).await?;
                drive(&anchor, Work::Resume)
            }
        }))
    }

    fn stands_against(&self, job: &Job<'_>, anchor: &Anchor) -> Option<Finding> {
        let is_removal = matches!(job, Job::Remove { .. });
        let changes = matches!(job, Job::Make { .. } | Job::HandOver);
        against_touching(self.ground, anchor)
            .or_else(|| against_staying(self.ground, anchor).filter(|_| !is_removal))
            .or_else(|| against_change(self.ground, anchor).filter(|_| changes))
    }

    /// What follows once the objects are as they are to be.
    async fn finish(&self, drive: &Drive, end: End, step: &Step) -> Result<(), Failure> {
        if end != End::Done || step.outcome() != Outcome::Done {
            return Ok(());
        }
        let wanted = match drive.work {
            Work::Remove => return self.ground.clear(self.api).await,
            Work::Pause => json!({ (keys::BLOCK_MOVE): null }),
            Work::Resume => json!({ (PAUSED): null }),
            _ => return Ok(()),
        };
        if let Some(anchor) = self.ground.find(self.api).await? {
            self.ground.annotate(self.api, anchor, &wanted).await?;
        }
        Ok(())
    }
}

/// What stands against making a cluster there, so that nothing need be begun; none where nothing does.
///
/// # Errors
/// The management cluster does not answer, or does not permit to look.
pub async fn obstacle(api: &dyn Api, ground: &Ground) -> Result<Option<Finding>, Failure> {
    if ground.is_taken(api).await? {
        return Ok(Some(pages::not_ours(ground)));
    }
    let Some(anchor) = ground.find(api).await? else { return Ok(None) };
    Ok(against(ground, &anchor))
}

/// What stands against any work on a cluster that is to stay.
pub(super) fn against(ground: &Ground, anchor: &Anchor) -> Option<Finding> {
    against_touching(ground, anchor)
        .or_else(|| against_staying(ground, anchor))
        .or_else(|| against_change(ground, anchor))
}

fn against_touching(ground: &Ground, anchor: &Anchor) -> Option<Finding> {
    if !anchor.is_of(&ground.infra_id) {
        return Some(pages::not_ours(ground));
    }
    anchor.moves_away().then(|| pages::moves_away(ground))
}

fn against_staying(ground: &Ground, anchor: &Anchor) -> Option<Finding> {
    anchor.is_going().then(|| pages::is_going(ground))
}

fn against_change(ground: &Ground, anchor: &Anchor) -> Option<Finding> {
    anchor.is_paused().then(|| pages::is_paused(ground))
}

pub(super) fn broken(failure: &Failure) -> Worked {
    Worked::Broken(Box::new(pages::failure(failure)))
}
