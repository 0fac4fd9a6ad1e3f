//! `landfall destroy find`.

use std::fmt::Write;
use std::path::PathBuf;
use std::time::Duration;

use comfy_table::Table;
use landfall_model::catalogue;
use landfall_platform::cloud::Verdict;
use landfall_platform::removal::{FoundCluster, GivenTarget};
use landfall_platform::{Platform, pages};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{asking, basis, ended, unless_stopped, unnamed};
use crate::cli::duration::within_a_day;
use crate::cli::{Exit, Output, Settings};
use crate::prepare;
use crate::prepare::Environment;
use crate::prepare::target;
use crate::prepare::target::Unnamed;
use crate::ui::{Waiting, beating, printable};

/// List an account's clusters in a region
///
/// Finds clusters by their tags, whoever created them, and changes nothing. Destroy one with `landfall
/// destroy cluster --infra-id ID --region REGION`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Region to search
    #[arg(long, value_name = "REGION")]
    region: String,

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

/// Lists the clusters.
///
/// # Errors
/// Standard output cannot be written, or something outside of the input went wrong.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let basis = match basis(args.catalogue.as_ref(), &directory) {
        Ok(basis) => basis,
        Err(refusal) => return crate::cli::create::refused(refusal, settings),
    };
    let platform = target::platform_of(
        args.platform.as_deref(),
        &args.region,
        !args.endpoints.is_empty(),
        (&basis.catalogue, &basis.release),
    );
    let platform = match platform {
        Ok(platform) => platform,
        Err(why) => return unnamed(why, settings),
    };
    let Some(cloud) = platform.cloud() else {
        return ended("refused", &[target::pages::no_cloud(platform.name())], Exit::Failed, settings);
    };
    let text = |given: Option<&str>| given.unwrap_or_default().to_owned();
    let given = GivenTarget {
        infra_id: NOBODY.to_owned(),
        region: args.region.clone(),
        endpoints: args.endpoints.clone(),
        cloud_name: text(args.cloud_name.as_deref()),
        arm_endpoint: text(args.arm_endpoint.as_deref()),
        ..GivenTarget::default()
    };
    let named = match target::of_given(platform, &given) {
        Ok(named) => named,
        Err(why) => return unnamed(why, settings),
    };
    let config = match platform.config_of(&named) {
        Ok(mut config) => {
            config.additional_trust_bundle = target::trust_bundle_of(&directory);
            config
        }
        Err(finding) => return unnamed(Unnamed::Usage(finding), settings),
    };
    let world = Environment;
    let asking = asking(&config, &basis, &world, args.parallel, args.timeout);
    let runtime = prepare::runtime()?;
    let removal = cloud.removal(asking, &named);
    let (what, limit) = ("looking for clusters", Some(args.timeout));
    let line = Waiting::new(what, limit, settings.printer.draws());
    let look = unless_stopped(async { timeout(args.timeout, removal.clusters()).await });
    let found = runtime.block_on(beating(&settings.printer, what, limit, look));
    drop(line);
    drop(removal);
    runtime.shutdown_background();
    let finding = match found {
        None => return ended("interrupted", &[], Exit::Interrupted, settings),
        Some(Ok(Ok(clusters))) => return tell(platform, clusters, settings),
        Some(Ok(Err(Verdict::Found(finding)))) => *finding,
        Some(Ok(Err(Verdict::Skipped(why) | Verdict::Passed(why)))) => pages::not_gathered("clusters", &why),
        Some(Err(_)) => target::pages::late(args.timeout.as_secs()),
    };
    ended("refused", &[finding], Exit::Unfit, settings)
}

fn tell(
    platform: &dyn Platform,
    mut clusters: Vec<FoundCluster>,
    settings: &Settings,
) -> anyhow::Result<Exit> {
    clusters.sort();
    if settings.output == Output::Json {
        let mut text = String::new();
        for cluster in &clusters {
            let mut value: Value = json!(cluster);
            value["platform"] = platform.name().into();
            let _ = writeln!(text, "{value}");
        }
        settings.printer.data(&text)?;
        return Ok(Exit::Done);
    }
    if clusters.is_empty() {
        settings.printer.talk("no cluster was found");
        return Ok(Exit::Done);
    }
    let mut table = Table::new();
    table.load_preset(comfy_table::presets::NOTHING).set_header(["INFRA ID", "REGION", "RESOURCES SEEN"]);
    for cluster in &clusters {
        table.add_row([printable(&cluster.infra_id), printable(&cluster.region), cluster.things.to_string()]);
    }
    settings.printer.data(&format!("{table}\n"))?;
    Ok(Exit::Done)
}
