//! `landfall destroy find`.

mod listing;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::stream::{self, StreamExt};
use landfall_diagnostics::Finding;
use landfall_install_config::platforms;
use landfall_model::catalogue;
use landfall_model::config::InstallConfig;
use landfall_platform::cloud::{Asked, Cloud, Verdict};
use landfall_platform::removal::{Account, FoundCluster, GivenTarget, Target};
use landfall_platform::{Platform, World, pages};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{asking, basis, no_cloud, unless_stopped};
use crate::cli::duration::within_a_day;
use crate::cli::{Ended, Exit, Output, Settings, engine};
use crate::prepare::target::Unnamed;
use crate::prepare::{self, Basis, Environment, Profiled, target};
use crate::ui::{Waiting, beating, json as json_form};
use listing::{Entry, listing};

/// List an account's clusters in a region
///
/// Finds clusters by their tags, whoever created them, and changes nothing. Destroy one with `landfall
/// destroy cluster --infra-id ID --region REGION`.
///
/// Regions that the account has not enabled are named. Exit code 4 if a region refused the search, 5 if a region
/// did not answer: the same command may find more another time.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Region to search
    #[arg(long, value_name = "REGION", required_unless_present = "all_regions")]
    region: Option<String>,

    /// Search all known regions of the cloud of --region, else of the region in the environment
    #[arg(long)]
    all_regions: bool,

    /// AWS profile whose account to search; repeatable
    #[arg(long, value_name = "NAME")]
    profile: Vec<String>,

    /// Platform of the region, if it does not follow from its name
    #[arg(long, value_name = "PLATFORM", value_parser = clap::builder::PossibleValuesParser::new(catalogue::PLATFORMS))]
    platform: Option<String>,

    /// Endpoint of an AWS service, such as `ec2=https://ec2.us-hidden-1.example.com`; repeatable
    #[arg(long = "endpoint", value_name = "NAME=URL", value_parser = super::flags::endpoint)]
    endpoints: Vec<(String, String)>,

    /// Cloud on Azure; default: the public cloud
    #[arg(long, value_name = "NAME")]
    cloud_name: Option<String>,

    /// Resource manager of an Azure Stack Hub
    #[arg(long, value_name = "URL", value_hint = clap::ValueHint::Url)]
    arm_endpoint: Option<String>,

    /// Catalogue overlay file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    catalogue: Option<PathBuf>,

    /// Timeout, such as `90s`
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = within_a_day)]
    timeout: Duration,

    /// Maximum number of parallel requests
    #[arg(long, value_name = "NUMBER", default_value_t = 24, value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,
}

/// The id of the cluster that a session is made for. Nothing is looked for by it.
const NOBODY: &str = "none-00000";

/// The most regions and accounts that are looked at a time.
const AT_A_TIME: usize = 8;

/// One account in one region.
struct Place {
    profile: Option<Profiled>,
    region: String,
    target: Target,
    config: InstallConfig,
}

/// What was found in one place.
struct Seen<'p> {
    place: &'p Place,
    account: Option<String>,
    clusters: Vec<FoundCluster>,
    /// Why there may be more.
    missed: Option<Missed>,
}

impl Seen<'_> {
    /// Whether the place was searched, if not wholly.
    fn is_searched(&self) -> bool {
        self.missed.is_none() || !self.clusters.is_empty()
    }
}

/// Why a place was not searched, or not wholly.
#[derive(Clone, Debug)]
enum Missed {
    /// The account has not enabled the region: there is nothing to search.
    Off,
    /// The cloud refuses it, now and later.
    Refused(Box<Finding>),
    /// There was no usable answer; another time there may be one.
    Unanswered(Box<Finding>),
}

impl Missed {
    /// What is to be said of it, if anything.
    fn finding(&self) -> Option<&Finding> {
        match self {
            Self::Off => None,
            Self::Refused(finding) | Self::Unanswered(finding) => Some(finding),
        }
    }

    /// The words in the table, in the place of a number.
    fn words(&self) -> &'static str {
        match self {
            Self::Off => "not enabled",
            Self::Refused(_) => "search refused",
            Self::Unanswered(_) => "no answer",
        }
    }
}

/// Lists the clusters.
///
/// # Errors
/// Standard output cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = basis(args.catalogue.as_ref(), &directory)?;
    let first = args.region.clone().or_else(|| region_of_environment(args));
    let first = first.ok_or_else(|| Ended::Usage("the cloud is unknown: set --region REGION".to_owned()))?;
    let platform = target::platform_of(
        args.platform.as_deref(),
        &first,
        !args.endpoints.is_empty(),
        (&basis.catalogue, &basis.release),
    )?;
    if !args.profile.is_empty() && !platform.has_profiles() {
        return Err(Ended::Usage(format!("platform {} has no profiles", platform.name())));
    }
    let cloud = platform.cloud().ok_or_else(|| no_cloud(platform))?;
    let regions = if args.all_regions {
        platform.regions_beside(&basis.catalogue, &basis.release, &first)
    } else {
        vec![first]
    };
    let places = places(args, platform, &regions, &directory)?;
    let seen = look(args, cloud, &basis, &places, settings)?.ok_or(Ended::Interrupted)?;
    tell(args, platform, &seen, settings)
}

/// The region that the environment is set to.
fn region_of_environment(args: &Args) -> Option<String> {
    let wanted = args.platform.as_deref();
    let platforms = catalogue::PLATFORMS.iter().filter(|name| wanted.is_none_or(|wanted| wanted == **name));
    let mut surveys = platforms.filter_map(|name| platforms::named(name)?.survey());
    surveys.find_map(|survey| survey.environment_region(&Environment))
}

/// Every account in every region.
fn places(
    args: &Args,
    platform: &'static dyn Platform,
    regions: &[String],
    directory: &Path,
) -> Result<Vec<Place>, Unnamed> {
    let text = |given: Option<&str>| given.unwrap_or_default().to_owned();
    let mut profiles: Vec<Option<Profiled>> = args.profile.iter().cloned().map(Profiled).map(Some).collect();
    if profiles.is_empty() {
        profiles.push(None);
    }
    let mut places = Vec::new();
    for profile in profiles {
        for region in regions {
            let given = GivenTarget {
                infra_id: NOBODY.to_owned(),
                region: region.clone(),
                endpoints: args.endpoints.clone(),
                cloud_name: text(args.cloud_name.as_deref()),
                arm_endpoint: text(args.arm_endpoint.as_deref()),
                ..GivenTarget::default()
            };
            let target = target::of_given(platform, &given)?;
            let mut config = platform.config_of(&target).map_err(Unnamed::Usage)?;
            config.additional_trust_bundle = target::trust_bundle_of(directory);
            places.push(Place { profile: profile.clone(), region: region.clone(), target, config });
        }
    }
    Ok(places)
}

/// Looks everywhere, at several places at a time; none where the user stops it.
fn look<'p>(
    args: &Args,
    cloud: &dyn Cloud,
    basis: &Basis,
    places: &'p [Place],
    settings: &Settings,
) -> Result<Option<Vec<Seen<'p>>>, prepare::Error> {
    let runtime = prepare::runtime()?;
    let limit = Some(args.timeout);
    let what = match places {
        [_] => "looking for clusters".to_owned(),
        places => format!("looking for clusters in {} places", places.len()),
    };
    let line = Waiting::new(&what, limit, settings.printer.draws());
    let looks = places.iter().map(|place| one(args, cloud, basis, place));
    let all = stream::iter(looks).buffered(AT_A_TIME).collect::<Vec<Seen<'p>>>();
    let seen = runtime.block_on(beating(&settings.printer, &what, limit, unless_stopped(all)));
    drop(line);
    runtime.shutdown_background();
    Ok(seen)
}

/// Looks at one place.
async fn one<'p>(args: &Args, cloud: &dyn Cloud, basis: &Basis, place: &'p Place) -> Seen<'p> {
    let world: &(dyn World + Sync) = match &place.profile {
        Some(profile) => profile,
        None => &Environment,
    };
    let asking = asking(&place.config, basis, world, args.parallel, args.timeout);
    let removal = cloud.removal(asking, &place.target);
    let is_one = !args.all_regions && args.profile.is_empty();
    let looked = timeout(args.timeout, async {
        let found = removal.clusters().await;
        let account = if is_one && found.is_ok() { None } else { Some(removal.account().await) };
        let (clusters, missed) = match found {
            Ok(found) => (found.clusters, found.missed.map(|verdict| why(verdict, account.as_ref()))),
            Err(_) if removal.is_off().await => (Vec::new(), Some(Missed::Off)),
            Err(verdict) => (Vec::new(), Some(why(verdict, account.as_ref()))),
        };
        (clusters, missed, account.and_then(Result::ok))
    });
    let late = || Missed::Unanswered(Box::new(target::pages::late(args.timeout.as_secs())));
    let (clusters, missed, account) = looked.await.unwrap_or_else(|_| (Vec::new(), Some(late()), None));
    Seen { place, account: account.map(|account| account.id), clusters, missed }
}

/// Why a place was not searched, given what came of the search and of the question whose credentials these are.
fn why(verdict: Verdict, account: Option<&Asked<Account>>) -> Missed {
    let may_pass = |finding: &Finding| landfall_destroy::may_pass(std::slice::from_ref(finding));
    match (verdict, account) {
        (Verdict::Found(finding), _) if !may_pass(&finding) => Missed::Refused(finding),
        // Credentials that are not accepted are not accepted later either.
        (_, Some(Err(Verdict::Found(account)))) if !may_pass(account) => Missed::Refused(account.clone()),
        (Verdict::Found(finding), _) => Missed::Unanswered(finding),
        (Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why), _) => {
            Missed::Unanswered(Box::new(pages::not_gathered("clusters", &why)))
        }
    }
}

/// How the search ended: with 4 where a place refused it, with 5 where only answers are missing.
fn exit(seen: &[Seen<'_>]) -> Exit {
    let missed = || seen.iter().filter_map(|one| one.missed.as_ref());
    if missed().any(|one| matches!(one, Missed::Refused(_))) {
        return Exit::Unfit;
    }
    let unanswered = missed().any(|one| matches!(one, Missed::Unanswered(_)));
    if unanswered { Exit::PartWay } else { Exit::Done }
}

/// What could not be looked at, with the places; the same is said once.
fn missed(seen: &[Seen<'_>]) -> Vec<Finding> {
    let mut missed: Vec<(Finding, Vec<&Place>)> = Vec::new();
    for one in seen {
        let Some(finding) = one.missed.as_ref().and_then(Missed::finding) else { continue };
        // Other credentials may be refused for another reason.
        let is_same = |known: &Finding, places: &[&Place]| {
            let of_profile = places.iter().any(|place| place.profile_name() == one.place.profile_name());
            known.code == finding.code && (of_profile || known.message == finding.message)
        };
        match missed.iter_mut().find(|(known, places)| is_same(known, places)) {
            Some((_, places)) => places.push(one.place),
            None => missed.push((finding.clone(), vec![one.place])),
        }
    }
    let searched: Vec<&Place> = seen.iter().map(|one| one.place).collect();
    let named = missed.into_iter().map(|(mut finding, places)| {
        if searched.len() > 1 {
            finding.message = format!("{}: {}", named(&places, &searched), finding.message);
        }
        finding
    });
    named.collect()
}

/// The names of some places. The regions of a profile are counted where they are all that were searched with it.
fn named(places: &[&Place], searched: &[&Place]) -> String {
    let mut names: Vec<String> = Vec::new();
    for place in places {
        let is_same = |other: &&&Place| other.profile_name() == place.profile_name();
        let (count, all) = (places.iter().filter(is_same).count(), searched.iter().filter(is_same).count());
        let name = match &place.profile {
            _ if count < all || all == 1 => place.name(),
            Some(profile) => format!("all {all} regions of profile {}", profile.0),
            None => format!("all {all} regions"),
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn tell<'s>(
    args: &Args,
    platform: &dyn Platform,
    seen: &'s [Seen<'_>],
    settings: &Settings,
) -> Result<Exit, Ended> {
    let (findings, exit) = (missed(seen), exit(seen));
    let is_searched = seen.iter().any(Seen::is_searched);
    if !is_searched && !findings.is_empty() {
        return Err(Ended::Findings(findings, exit));
    }
    let off = seen.iter().filter(|one| matches!(one.missed, Some(Missed::Off)));
    let off: Vec<String> = off.map(|one| one.place.name()).collect();
    if !off.is_empty() {
        settings.printer.talk(&format!("not enabled in the account, so not searched: {}", off.join(", ")));
    }
    let mut rows: Vec<(&'s Seen<'_>, &'s FoundCluster)> = Vec::new();
    for one in seen {
        rows.extend(one.clusters.iter().map(|cluster| (one, cluster)));
    }
    rows.sort_by(|(a, left), (b, right)| {
        (&a.place.profile_name(), left).cmp(&(&b.place.profile_name(), right))
    });
    if settings.output == Output::Json {
        let mut text = String::new();
        for (one, cluster) in &rows {
            let mut value: Value = json!(cluster);
            value["platform"] = platform.name().into();
            if let Some(account) = &one.account {
                value["account"] = account.as_str().into();
            }
            if let Some(profile) = &one.place.profile {
                value["profile"] = profile.0.as_str().into();
            }
            let _ = writeln!(text, "{value}");
        }
        settings.printer.data(&text)?;
        if !findings.is_empty() {
            let value = json!({ "outcome": "partial", "findings": json_form::placeless(&findings) });
            settings.printer.data(&format!("{value}\n"))?;
        }
        return Ok(exit);
    }
    engine::report(&findings, settings);
    if rows.is_empty() {
        settings.printer.talk(match exit {
            Exit::Done => "no cluster was found",
            _ => "no cluster was found where the search was possible",
        });
        return Ok(exit);
    }
    let has_accounts = seen.iter().any(|one| one.account.is_some());
    let entry = |one: &'s Seen<'_>, region, infra_id, seen| Entry {
        profile: Some(one.place.profile_name()).filter(|_| !args.profile.is_empty()),
        account: one.account.as_deref(),
        infra_id,
        region,
        seen,
    };
    let found = rows.into_iter().map(|(one, cluster)| {
        entry(one, cluster.region.as_str(), Some(cluster.infra_id.as_str()), cluster.things.to_string())
    });
    let missed = seen.iter().filter_map(|one| {
        // Those that are not enabled are many, and have been named.
        let missed = one.missed.as_ref().filter(|missed| missed.finding().is_some())?;
        let words = if one.clusters.is_empty() { missed.words() } else { "incomplete" };
        Some(entry(one, one.place.region.as_str(), None, words.to_owned()))
    });
    let entries: Vec<Entry<'_>> = found.chain(missed).collect();
    settings.printer.data(&listing(&entries, has_accounts, settings.printer.styles().data))?;
    Ok(exit)
}

impl Place {
    /// The region, behind the profile if one was named.
    fn name(&self) -> String {
        let profile = self.profile.as_ref().map(|profile| format!("{}/", profile.0)).unwrap_or_default();
        format!("{profile}{}", self.region)
    }

    fn profile_name(&self) -> &str {
        self.profile.as_ref().map(|profile| profile.0.as_str()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_found_something_and_missed_something_is_partial() {
        let place = Place {
            profile: None,
            region: "r-1".to_owned(),
            target: Target::default(),
            config: InstallConfig::default(),
        };
        let seen = |things: &[usize], missed: Option<Missed>| {
            let cluster = |things: &usize| FoundCluster {
                infra_id: "demo-bcd24".to_owned(),
                region: "r-1".to_owned(),
                things: *things,
            };
            Seen { place: &place, account: None, clusters: things.iter().map(cluster).collect(), missed }
        };
        let finding = || Box::new(pages::not_gathered("clusters", "no"));
        let refused = || Some(Missed::Refused(finding()));
        let unanswered = Some(Missed::Unanswered(finding()));
        assert!(seen(&[1], refused()).is_searched() && seen(&[], None).is_searched());
        assert!(!seen(&[], refused()).is_searched());
        for (missed, wanted) in [(refused(), Exit::Unfit), (unanswered, Exit::PartWay)] {
            let all = [seen(&[1], missed)];
            assert_eq!((exit(&all), super::missed(&all).len()), (wanted, 1));
        }
        assert_eq!(exit(&[seen(&[1], None)]), Exit::Done);
    }

    #[test]
    fn all_regions_of_a_profile_are_counted() {
        let place = |profile: Option<&str>, region: &str| Place {
            profile: profile.map(|profile| Profiled(profile.to_owned())),
            region: region.to_owned(),
            target: Target::default(),
            config: InstallConfig::default(),
        };
        let pairs = [("a", "r-1"), ("a", "r-2"), ("b", "r-1"), ("b", "r-2")];
        let places: Vec<Place> =
            pairs.into_iter().map(|(profile, region)| place(Some(profile), region)).collect();
        let all: Vec<&Place> = places.iter().collect();
        assert_eq!(named(&all[..3], &all), "all 2 regions of profile a, b/r-1");
        assert_eq!(named(&all, &all), "all 2 regions of profile a, all 2 regions of profile b");
        let alone: Vec<Place> = ["r-1", "r-2"].into_iter().map(|region| place(None, region)).collect();
        let alone: Vec<&Place> = alone.iter().collect();
        assert_eq!(named(&alone, &alone), "all 2 regions");
        assert_eq!(named(&alone[..1], &alone), "r-1");
    }
}
