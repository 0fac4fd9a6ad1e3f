//! The objects of a cluster that Azure Service Operator made: they go first, and their resources with them. What
//! follows asks Azure itself and proves that nothing is left.

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_aso::detect::permissions;
use landfall_engine_aso::drive::{
    Api, Ground, Job, Listing as _, OfOtherKinds, Others, Place, Worked, at_work, listed, of_other_kinds,
    pages,
};
use landfall_engine_aso::kinds::Kind;
use landfall_net::stop::Stop;
use landfall_platform::removal::Removal;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::cluster::Args;
use super::consent::Consent;
use super::{ended, unless_stopped, whereabouts};
use crate::cli::aso::management::{ASKING, Management, Shown, identity, judged, limits, outcome, stopping};
use crate::cli::{Exit, Settings, engine};
use crate::prepare::target::{self, Named};
use crate::ui;

/// The name of the engine.
pub(super) const NAME: &str = "aso";

/// How long the cloud may take to say whose credentials these are.
const ACCOUNT: Duration = Duration::from_mins(1);

/// What became of the objects of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Objects {
    /// It has none, or they are not to be touched: the cloud alone is gone through.
    None,
    /// They are gone.
    Gone,
    /// The run ended with them.
    Ended(Exit),
}

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
        Err(failure) => Err((vec![pages::failure(&failure)], Exit::Unfit)),
    }
}

/// Removes the objects of a cluster, where it has any, unless the credentials are another account's.
///
/// # Errors
/// A stream cannot be written.
pub(super) fn remove(
    args: &Args,
    named: &Named,
    settings: &Settings,
    runtime: &Runtime,
    removal: &dyn Removal,
) -> anyhow::Result<Objects> {
    let Some(made) = named.engine().filter(|engine| engine.name == NAME && !args.plan) else {
        return Ok(Objects::None);
    };
    let Some(kubeconfig) = args.management.file() else {
        engine::report(&[pages::by_tag()], settings);
        return Ok(Objects::None);
    };
    if let Some(exit) = other_account(named, settings, runtime, removal)? {
        return Ok(Objects::Ended(exit));
    }
    let ground = Ground { infra_id: named.target.infra_id.clone(), namespace: made.namespace };
    let connected = async {
        let management =
            Management::of(Some(kubeconfig.as_path())).map_err(|(finding, exit)| (vec![*finding], exit))?;
        at_home(named, &management.live, &ground).await?;
        let served = management.served(&permissions::kinds(true), &ground.namespace).await;
        let (mut kinds, report) = served.map_err(|findings| (findings, Exit::Unfit))?;
        // What others have of kinds that landfall does not use may be in the cluster's resource group.
        let others = async {
            let kinds = management.live.other_kinds().await?;
            of_other_kinds(&management.live, &kinds, &ground.namespace).await
        };
        let others = match others.await {
            // All of it may go.
            Err(_) if args.remove_user_objects => OfOtherKinds::default(),
            others => others.map_err(|failure| (vec![management.unanswered(&failure)], Exit::Unfit))?,
        };
        kinds.extend(others.objects.iter().map(|(kind, _)| *kind));
        Ok::<_, Refused>((management, kinds, report, others.closed))
    };
    let connected = runtime.block_on(ui::watched(&settings.printer, ASKING, None, connected));
    let (management, kinds, report, closed) = match connected {
        Ok(connected) => connected,
        Err((findings, exit)) => {
            return ended(outcome(exit), &findings, exit, settings).map(Objects::Ended);
        }
    };
    let stop = Stop::default();
    let takes_others = args.remove_user_objects;
    // Its progress ends before the question.
    let others = runtime.block_on(async {
        let shown = Shown::new(settings, args.timeout);
        let place = place(&management, &kinds, &ground, &shown, &stop);
        let feed = management.feed(&kinds, &report, &ground);
        shown.during(stopping(&stop, place.others(feed, takes_others))).await
    });
    if stop.is_asked() {
        return ended("interrupted", &[], Exit::Interrupted, settings).map(Objects::Ended);
    }
    let others = match others {
        Ok(others) => told(&others, &closed),
        Err(failure) => {
            let findings = [management.unanswered(&failure)];
            return ended(outcome(Exit::Unfit), &findings, Exit::Unfit, settings).map(Objects::Ended);
        }
    };
    if args.yes {
        others.lines().for_each(|line| settings.printer.talk(line));
    } else {
        let Ground { infra_id, namespace } = &ground;
        let directory = settings.dir.clone().unwrap_or_else(|| ".".into());
        let whereabouts = whereabouts(named, None, &directory);
        let question = format!(
            "Remove the objects of {infra_id} from namespace {namespace}, and everything that they created \
             in {whereabouts}?\n{others}Type {infra_id} to confirm"
        );
        match Consent::asked(&question, infra_id, settings)? {
            Consent::Given => {}
            Consent::Declined => return ended("declined", &[], Exit::Failed, settings).map(Objects::Ended),
            Consent::Stopped => {
                return ended("interrupted", &[], Exit::Interrupted, settings).map(Objects::Ended);
            }
        }
    }
    let worked = runtime.block_on(async {
        let shown = Shown::new(settings, args.timeout);
        let place = place(&management, &kinds, &ground, &shown, &stop);
        let mut feed = management.feed(&kinds, &report, &ground);
        shown.during(stopping(&stop, at_work(&place, &mut feed, Job::Remove { takes_others }))).await
    });
    let (findings, exit) = match worked {
        // What an earlier run removed there is looked for in Azure all the same.
        Worked::NotThere => {
            settings
                .printer
                .talk(&format!("no object of {} is in namespace {}", ground.infra_id, ground.namespace));
            return Ok(Objects::Gone);
        }
        worked => judged(&worked, &ground),
    };
    if exit == Exit::Done {
        settings.printer.talk(&format!("the objects of {} are gone", ground.infra_id));
        return Ok(Objects::Gone);
    }
    ended(outcome(exit), &findings, exit, settings).map(Objects::Ended)
}

/// What the work on the objects of a cluster needs.
fn place<'a>(
    management: &'a Management,
    kinds: &'a [&'static Kind],
    ground: &'a Ground,
    shown: &'a Shown<'_>,
    stop: &'a Stop,
) -> Place<'a> {
    Place {
        api: &management.live,
        kinds,
        ground,
        identity: identity(),
        limits: limits(shown.limit()),
        watcher: shown,
        stop,
    }
}

/// The lines about the user's own objects: those that landfall waits for, those that it removes, and the kinds that it
/// may not list.
fn told(others: &Others, closed: &[&Kind]) -> String {
    let Others { waited_for, removed } = others;
    let stay = (!waited_for.is_empty()).then(|| {
        format!(
            "Your objects {} use the cluster's resources, and landfall waits for them: delete them, or run \
             again with --remove-user-objects\n",
            listed(waited_for)
        )
    });
    let go = (!removed.is_empty()).then(|| format!("Your objects {} are removed as well\n", listed(removed)));
    let unseen = closed.first().map(|kind| {
        format!(
            "{}.{}{} cannot be listed: what you have of them in the cluster's resource group is removed with it\n",
            kind.plural,
            kind.group,
            match closed.len() {
                1 => String::new(),
                more => format!(" and {} more kinds", more - 1),
            }
        )
    });
    stay.into_iter().chain(go).chain(unseen).collect()
}

/// How the run ends where the credentials are of another account than the cluster. The objects go without
/// any, so a cloud that does not say whose they are stands in nobody's way.
///
/// # Errors
/// Standard output cannot be written.
fn other_account(
    named: &Named,
    settings: &Settings,
    runtime: &Runtime,
    removal: &dyn Removal,
) -> anyhow::Result<Option<Exit>> {
    let asked = unless_stopped(async { timeout(ACCOUNT, landfall_destroy::account(removal, ACCOUNT)).await });
    let what = "asking whose credentials these are";
    let why = match runtime.block_on(ui::watched(&settings.printer, what, Some(ACCOUNT), asked)) {
        Some(Ok(Ok(account))) => match landfall_destroy::same_account(&named.target, &account) {
            Ok(()) => return Ok(None),
            Err(finding) => return ended("refused", &[*finding], Exit::Unfit, settings).map(Some),
        },
        Some(Ok(Err(fault))) => fault.to_string(),
        Some(Err(_)) => format!("no response within {} s", ACCOUNT.as_secs()),
        None => {
            settings.printer.talk("stopped; nothing was removed");
            return ended("interrupted", &[], Exit::Interrupted, settings).map(Some);
        }
    };
    settings.printer.talk(&ui::printable(&format!(
        "Azure does not say whose credentials these are: {why}; the operator removes the objects with its \
         own credentials, and landfall cannot prove afterwards that everything is gone"
    )));
    Ok(None)
}
