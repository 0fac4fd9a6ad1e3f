//! The objects of a cluster that Azure Service Operator made: they go first, and their resources with them. What
//! follows asks Azure itself and proves that nothing is left.

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_aso::detect::permissions;
use landfall_engine_aso::drive::{
    Api, Ground, Job, Listing as _, OfOtherKinds, Others, Worked, at_work, listed, of_other_kinds, pages,
};
use landfall_engine_aso::kinds::Kind;
use landfall_net::stop::Stop;
use landfall_platform::removal::Removal;
use tokio::runtime::Runtime;
use tokio::time::timeout;

use super::cluster::Args;
use super::consent::Consent;
use super::{ended, unless_stopped, whereabouts};
use crate::cli::aso::management::{ASKING, Management, Refused, Shown, judged, outcome, stopping};
use crate::cli::{Ended, Exit, Settings, engine};
use crate::prepare::target::{self, Named};
use crate::ui;

/// The name of the engine.
pub(super) const NAME: &str = "aso";

/// How long the cloud may take to say whose credentials these are.
const ACCOUNT: Duration = Duration::from_mins(1);

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

/// Removes the objects of a cluster, where it has any that are not to stay, and says whether it had.
///
/// # Errors
/// The credentials are another account's, the user does not want it, or not all of them are gone.
pub(super) fn remove(
    args: &Args,
    named: &Named,
    settings: &Settings,
    runtime: &Runtime,
    removal: &dyn Removal,
) -> Result<bool, Ended> {
    let Some(made) = named.engine().filter(|engine| engine.name == NAME && !args.plan) else {
        return Ok(false);
    };
    let Some(kubeconfig) = args.management.file() else {
        engine::report(&[pages::by_tag()], settings);
        return Ok(false);
    };
    same_account(named, settings, runtime, removal)?;
    let ground = Ground { infra_id: named.target.infra_id.clone(), namespace: made.namespace };
    let connected = async {
        let management = Management::of(Some(kubeconfig.as_path()))?;
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
            others => others.map_err(|failure| management.unfit(&failure))?,
        };
        kinds.extend(others.objects.iter().map(|(kind, _)| *kind));
        Ok::<_, Refused>((management, kinds, report, others.closed))
    };
    let connected = runtime.block_on(ui::watched(&settings.printer, ASKING, None, connected));
    let (management, kinds, report, closed) = match connected {
        Ok(connected) => connected,
        Err((findings, exit)) => return Err(stopped(&findings, exit, settings)?),
    };
    let stop = Stop::default();
    let takes_others = args.remove_user_objects;
    // Its progress ends before the question.
    let others = runtime.block_on(async {
        let shown = Shown::new(settings, args.timeout);
        let place = management.place(&kinds, &ground, &shown, &stop);
        let feed = management.feed(&kinds, &report, &ground);
        shown.during(stopping(&stop, place.others(feed, takes_others))).await
    });
    if stop.is_asked() {
        return Err(Ended::Interrupted);
    }
    let others = others.map_err(|failure| management.unfit(&failure))?;
    let others = told(&others, &closed);
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
            Consent::Declined => return Err(Ended::Said(ended("declined", &[], Exit::Failed, settings)?)),
            Consent::Stopped => return Err(Ended::Interrupted),
        }
    }
    let worked = runtime.block_on(async {
        let shown = Shown::new(settings, args.timeout);
        let place = management.place(&kinds, &ground, &shown, &stop);
        let mut feed = management.feed(&kinds, &report, &ground);
        shown.during(stopping(&stop, at_work(&place, &mut feed, Job::Remove { takes_others }))).await
    });
    let (findings, exit) = match worked {
        // What an earlier run removed there is looked for in Azure all the same.
        Worked::NotThere => {
            settings
                .printer
                .talk(&format!("no object of {} is in namespace {}", ground.infra_id, ground.namespace));
            return Ok(true);
        }
        worked => judged(&worked, &ground),
    };
    if exit == Exit::Done {
        settings.printer.talk(&format!("the objects of {} are gone", ground.infra_id));
        return Ok(true);
    }
    Err(stopped(&findings, exit, settings)?)
}

/// Says how the work ended before its time.
fn stopped(findings: &[Finding], exit: Exit, settings: &Settings) -> anyhow::Result<Ended> {
    ended(outcome(exit), findings, exit, settings).map(Ended::Said)
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

/// Makes sure that the credentials are not of another account than the cluster. The objects go without
/// any, so a cloud that does not say whose they are stands in nobody's way.
///
/// # Errors
/// They are, or the user stopped it.
fn same_account(
    named: &Named,
    settings: &Settings,
    runtime: &Runtime,
    removal: &dyn Removal,
) -> Result<(), Ended> {
    let asked = unless_stopped(async { timeout(ACCOUNT, landfall_destroy::account(removal, ACCOUNT)).await });
    let what = "asking whose credentials these are";
    let why = match runtime.block_on(ui::watched(&settings.printer, what, Some(ACCOUNT), asked)) {
        Some(Ok(Ok(account))) => match landfall_destroy::same_account(&named.target, &account) {
            Ok(()) => return Ok(()),
            Err(finding) => return Err(Ended::finding(*finding, Exit::Unfit)),
        },
        Some(Ok(Err(fault))) => fault.to_string(),
        Some(Err(_)) => format!("no response within {} s", ACCOUNT.as_secs()),
        None => {
            settings.printer.talk("stopped; nothing was removed");
            return Err(Ended::Interrupted);
        }
    };
    settings.printer.talk(&ui::printable(&format!(
        "Azure does not say whose credentials these are: {why}; the operator removes the objects with its \
         own credentials, and landfall cannot prove afterwards that everything is gone"
    )));
    Ok(())
}
