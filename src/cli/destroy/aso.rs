//! The objects of a cluster that Azure Service Operator made: they go first, and their resources with them. What
//! follows asks Azure itself and proves that nothing is left.

use super::cluster::Args;
use super::consent::Consent;
use super::ended;
use crate::cli::aso::management::{Management, Shown, identity, judged, limits, outcome, stopping};
use crate::cli::{Exit, Settings, engine};
use crate::engine::aso::detect::permissions;
use crate::engine::aso::drive::{Api, Ground, Job, Place, Worked, at_work, pages};
use crate::finding::Finding;
use crate::prepare;
use crate::prepare::target::{self, Named};
use crate::stop::Stop;
use crate::ui::prompt::Prompts;

/// The name of the engine.
pub(super) const NAME: &str = "aso";

/// What stands against work in a management cluster, and the exit code for it.
pub type Refused = (Vec<Finding>, Exit);

/// Makes sure that a management cluster is the one that a cluster was moved to, if it was moved.
///
/// # Errors
/// It is another one, and nothing of the cluster is there, or it does not say which it is.
pub async fn at_home(named: &Named, api: &dyn Api, ground: &Ground) -> Result<(), Refused> {
    let Some(home) = named.management_cluster() else { return Ok(()) };
    match ground.is_elsewhere(api, &home).await {
        Ok(false) => Ok(()),
        Ok(true) => Err((vec![target::pages::moved(&ground.infra_id)], Exit::Unfit)),
        Err(failure) => Err((vec![pages::failure(&failure)], Exit::PartWay)),
    }
}

/// Removes the objects of a cluster, where it has any; how the run ended, unless it goes on with Azure itself.
///
/// # Errors
/// A stream cannot be written, or the operating system gives no runtime.
pub(super) fn remove(args: &Args, named: &Named, settings: &Settings) -> anyhow::Result<Option<Exit>> {
    let Some(made) = named.engine().filter(|engine| engine.name == NAME && !args.plan) else {
        return Ok(None);
    };
    let Some(kubeconfig) = args.management.file() else {
        engine::report(&[pages::by_tag()], settings);
        return Ok(None);
    };
    let ground = Ground { infra_id: named.target.infra_id.clone(), namespace: made.namespace };
    if !args.yes {
        let Ground { infra_id, namespace } = &ground;
        let question = format!(
            "Type {infra_id} to remove its objects from namespace {namespace}, and all that they made in Azure"
        );
        let prompts = Prompts::new(settings.printer.colours().talk);
        let answer = prompts.and_then(|prompts| prompts.text(&question, None, &|_: &str| Ok(())));
        match Consent::of(answer, infra_id)? {
            Consent::Given => {}
            Consent::Declined => return ended("declined", &[], Exit::Failed, settings).map(Some),
            Consent::Stopped => return ended("interrupted", &[], Exit::Interrupted, settings).map(Some),
        }
    }
    let runtime = prepare::runtime()?;
    let worked = runtime.block_on(async {
        let management =
            Management::of(Some(kubeconfig.as_path())).map_err(|(finding, exit)| (vec![*finding], exit))?;
        at_home(named, &management.live, &ground).await?;
        let served = management.served(&permissions::kinds(true), &ground.namespace).await;
        let (kinds, report) = served.map_err(|findings| (findings, Exit::PartWay))?;
        let (shown, stop) = (Shown::new(settings), Stop::default());
        let place = Place {
            api: &management.live,
            kinds: &kinds,
            ground: &ground,
            identity: identity(),
            limits: limits(args.timeout),
            watcher: &shown,
            stop: &stop,
        };
        let mut feed = management.feed(&kinds, &report, &ground);
        let worked = stopping(&stop, at_work(&place, &mut feed, Job::Remove)).await;
        Ok::<Worked, Refused>(worked)
    });
    runtime.shutdown_background();
    let (findings, exit) = match worked {
        // What an earlier run removed there is looked for in Azure all the same.
        Ok(Worked::NotThere) => {
            settings
                .printer
                .talk(&format!("no object of {} is in namespace {}", ground.infra_id, ground.namespace));
            return Ok(None);
        }
        Ok(worked) => judged(&worked, &ground),
        Err(refused) => refused,
    };
    if exit == Exit::Done {
        settings.printer.talk(&format!("the objects of {} are gone", ground.infra_id));
        return Ok(None);
    }
    ended(outcome(exit), &findings, exit, settings).map(Some)
}
