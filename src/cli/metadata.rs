//! `landfall metadata`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall_kube::objects::{ObjectRef, Objects};
use landfall_kube::{Access, Bad, Fault, Live, kinds};
use landfall_platform::World;
use serde_json::{Value, json};
use tokio::runtime::Builder;

use super::{Ended, Exit, Output, Settings};
use crate::prepare::Environment;
use crate::prepare::target::{self, Refreshed};
use crate::wait::pages;

/// Manage a cluster's `metadata.json`
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

// Help texts are the doc comments of each verb's arguments.
#[derive(Debug, clap::Subcommand)]
enum What {
    Refresh(RefreshArgs),
}

/// Update the service endpoints in `metadata.json`
///
/// `destroy` calls a cloud's services at the endpoints in `metadata.json`. If they changed after the
/// installation, this command reads them from the cluster's `Infrastructure` object and writes them to
/// `metadata.json`. It changes nothing else.
#[derive(Debug, clap::Args)]
struct RefreshArgs {
    /// Kubeconfig of the cluster; default: `auth/kubeconfig` in the cluster directory
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,
}

const KUBECONFIG: &str = "auth/kubeconfig";
/// The name of the one object of its kind.
const CLUSTER: &str = "cluster";
/// The longest that the cluster may take to answer.
const LIMIT: Duration = Duration::from_secs(20);

/// Does what the arguments name.
///
/// # Errors
/// A file cannot be written, or the operating system cannot wait for the network.
pub fn run(args: &Args, settings: &Settings) -> Result<Exit, Ended> {
    let What::Refresh(args) = &args.what;
    let directory = settings.dir.clone().unwrap_or_else(|| PathBuf::from("."));
    let path = args.kubeconfig.clone().unwrap_or_else(|| directory.join(KUBECONFIG));
    let access = Access::read(&path, &|name: &str| Environment.variable(name)).map_err(|bad| {
        let exit = if bad.bad == Bad::Unreadable { Exit::Failed } else { Exit::NotValid };
        Ended::finding(pages::kubeconfig(&bad), exit)
    })?;
    let refreshed = target::refresh(&directory, &ask(&access)?)?;
    tell(&directory, &refreshed, settings)
}

/// The cluster's object `Infrastructure`; null where there is none.
fn ask(access: &Access) -> Result<Value, Ended> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let place = ObjectRef::in_cluster(&kinds::INFRASTRUCTURE, CLUSTER);
    let found: Result<Option<Value>, Fault> = runtime.block_on(async {
        let live = Live::new(access.client(LIMIT)?).within(LIMIT);
        live.get(&place).await
    });
    let found = found.map_err(|fault| Ended::finding(pages::setup(&fault.why()), Exit::Failed))?;
    Ok(found.unwrap_or_default())
}

fn tell(directory: &Path, refreshed: &Refreshed, settings: &Settings) -> Result<Exit, Ended> {
    let endpoints: Vec<Value> =
        refreshed.endpoints.iter().map(|(name, url)| json!({ "name": name, "url": url })).collect();
    if settings.output == Output::Json {
        let value = json!({ "changed": refreshed.changed, "serviceEndpoints": endpoints });
        settings.printer.data(&format!("{value}\n"))?;
        return Ok(Exit::Done);
    }
    let file = directory.join("metadata.json");
    let count = crate::ui::counted(endpoints.len(), "service endpoint");
    let word = if refreshed.changed { "updated" } else { "is up to date" };
    settings.printer.data(&format!("{} {word}: {count}\n", file.display()))?;
    Ok(Exit::Done)
}
