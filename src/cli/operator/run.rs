//! `landfall operator run`.

use std::cell::OnceCell;
use std::future::pending;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use landfall_controllers::admission::{self, Address, Webhook};
use landfall_controllers::operator::{
    Candidacy, Ended, Judging, Kit, Metrics, PORT, SecureMetrics, Seen, WEBHOOK_PORT, WEBHOOK_SERVICE,
    operate, returned, rivals, scope,
};
use landfall_diagnostics::Finding;
use landfall_install_config::verdict::Outcome;
use landfall_kube::{ACCOUNT, Access, Bad, BadKubeconfig, Fault, Live};
use landfall_net::stop::Stop;
use landfall_platform::World;
use landfall_source::Mask;

use super::super::signals::Signals;
use super::super::{Exit, Settings};
use super::{CLOUD_CONFIG_SYNC, Common, boot, logs};
use crate::prepare::Environment;
use crate::ui::{Judged, text};
use crate::wait::pages;

/// How long a connection, and each part of an answer, may take.
const PATIENCE: Duration = Duration::from_secs(15);
/// The same for the lease, which must be renewed in time.
const LEASE_PATIENCE: Duration = Duration::from_secs(4);

/// Run controllers until a signal
///
/// With several replicas, only the holder of the lease `landfall-operator` works. A replica that loses the
/// lease ends with 1, and so does an operator that waits two minutes for one with other controllers. On SIGTERM
/// or SIGINT, the operator finishes its work, releases the lease and ends with 0.
///
/// The cluster is that of --kubeconfig, of `KUBECONFIG`, or of the pod. `/healthz`, `/readyz` and, without
/// --metrics-listen, `/metrics` are served over HTTP. The log on standard error is one JSON object a line.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    common: Common,

    /// Kubeconfig of the cluster
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    kubeconfig: Option<PathBuf>,

    /// Address for health, readiness and metrics
    #[arg(long, value_name = "ADDRESS", default_value_t = SocketAddr::from((Ipv4Addr::UNSPECIFIED, PORT)))]
    listen: SocketAddr,

    /// HTTPS address for metrics, instead of --listen; readers need a token of the cluster
    #[arg(long, value_name = "ADDRESS", requires = "metrics_cert_dir")]
    metrics_listen: Option<SocketAddr>,

    /// Directory with `tls.crt` and `tls.key` for --metrics-listen
    #[arg(long, value_name = "DIR", requires = "metrics_listen", value_hint = clap::ValueHint::DirPath)]
    metrics_cert_dir: Option<PathBuf>,

    /// Whether to work only as holder of the lease; without it, run one replica only
    #[arg(
        long,
        value_name = "BOOL",
        default_value_t = true,
        action = clap::ArgAction::Set,
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    leader_elect: bool,

    /// HTTPS address of `cloud-profile-admission`
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value_t = SocketAddr::from((Ipv4Addr::UNSPECIFIED, WEBHOOK_PORT))
    )]
    webhook_listen: SocketAddr,

    /// Webhook for the API server: a service in --namespace with port 443, or an https URL
    #[arg(long, value_name = "SERVICE|URL", default_value = WEBHOOK_SERVICE)]
    webhook_service: Address,
}

/// Runs them.
///
/// # Errors
/// The address cannot be listened on, the operating system gives no runtime, or the log cannot begin.
pub fn run(args: &Args, settings: &Settings) -> anyhow::Result<Exit> {
    let variable = |name: &str| Environment.variable(name);
    let access = match Access::of_run(args.kubeconfig.as_deref(), &variable) {
        Ok(access) => access,
        Err((path, bad)) => return Ok(refused(&path, &bad, settings)),
    };
    logs::begin(&settings.printer)?;
    // One thread does: controllers wait for the cluster nearly all of the time.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(begin(args, &access));
    // What still resolves a name must not hold the end.
    runtime.shutdown_background();
    Ok(match ended? {
        Ended::Stopped => Exit::Done,
        Ended::Lost => {
            tracing::error!("the lease is lost, and another replica may lead");
            Exit::Failed
        }
        Ended::Refused(why) => {
            tracing::error!(%why, "refused");
            Exit::Failed
        }
    })
}

async fn begin(args: &Args, access: &Access) -> anyhow::Result<Ended> {
    let variable = |name: &str| Environment.variable(name);
    let usable = |fault: Fault| anyhow::anyhow!("the cluster cannot be queried: {}", fault.why());
    let Common { namespace, target_namespace, .. } = &args.common;
    let host = variable("HOSTNAME").unwrap_or_else(|| "landfall".to_owned());
    let metrics = Arc::new(Metrics::new());
    let client = access.client(PATIENCE).map_err(usable)?;
    let objects = Live::new(client.clone());
    let others = others(&args.common, &objects).await?;
    let kit = Kit {
        client,
        metrics: Arc::clone(&metrics),
        instance: host.clone(),
        namespace: namespace.clone(),
        target_namespace: target_namespace.clone(),
        maps: args.common.maps(),
        watch_namespace: args.common.watch_namespace.clone(),
        unique_infra_ids: args.common.unique_infra_ids,
        watch_labels: args.common.watch_label_selector.clone(),
        profiles: args.common.profiles.profiles,
        workers: args.common.workers,
        rollout_limit: args.common.rollout_limit,
        admission_policies: args.common.admission_policies,
        release: release(variable("RELEASE_VERSION"), &others),
        variable: Arc::new(|name| Environment.variable(name)),
        file: Arc::new(|path| Environment.file(path)),
        expiry: args.common.expiry.of_profiles(),
        is_judged: is_judged(args),
        webhook: args.webhook_service.clone(),
        boots: boot::creator(),
    };
    let judging = judging(args, &kit).await?;
    let secure = secure(args, &kit).await?;
    let controllers = args.common.controllers().iter().map(|one| one.make(&kit)).collect();
    let syncs = args.common.controllers().iter().any(|one| one.name == CLOUD_CONFIG_SYNC);
    if syncs && variable("RELEASE_VERSION").is_none() {
        tracing::warn!(
            controller = CLOUD_CONFIG_SYNC,
            "RELEASE_VERSION is not set: a new ClusterOperator cloud-controller-manager reports the version \
             `unknown`, and upgrades of the cluster wait"
        );
    }
    let candidacy = if args.leader_elect {
        let client = access.client(LEASE_PATIENCE).map_err(usable)?;
        let identity = format!("{host}_{:016x}", rand::random::<u64>());
        Some(Candidacy {
            objects: Arc::new(Live::new(client)),
            namespace: namespace.clone(),
            identity,
            scope: scope(kit.watch_namespace.as_deref(), kit.watch_labels.as_ref(), kit.profiles),
        })
    } else {
        None
    };
    let watching = access.watching_client(PATIENCE).map_err(usable)?;
    let stop = Stop::default();
    let mut signals = Signals::new().context("signals cannot be handled")?;
    let wished = async {
        signals.next().await;
        tracing::info!("stopping after a signal");
        stop.ask();
        pending::<()>().await;
    };
    let refusal = OnceCell::new();
    let looking = async {
        if !args.common.take_over {
            let why = refusing(&returned(&objects, &args.common.controllers()).await);
            tracing::error!(%why, "stopping beside another operator");
            let _ = refusal.set(why);
            stop.ask();
        }
        pending::<()>().await;
    };
    tracing::info!(server = %access.server(), listen = %args.listen, "begins");
    let ended = tokio::select! {
        ended = operate(controllers, watching, candidacy, (args.listen, judging, secure), metrics, stop.clone()) => {
            ended.with_context(|| format!("cannot listen on {}", args.listen))?
        }
        () = wished => Ended::Stopped,
        () = looking => Ended::Stopped,
    };
    match refusal.get() {
        Some(why) => anyhow::bail!("{why}"),
        None => Ok(ended),
    }
}

/// The operators that do what the controllers do when they begin. With --take-over alone there may be some: each would
/// undo what the other writes.
async fn others(common: &Common, objects: &Live) -> anyhow::Result<Vec<(&'static str, Seen)>> {
    let found = rivals(objects, &common.controllers(), &common.maps(), &common.target_namespace).await;
    if common.take_over {
        return Ok(found.unwrap_or_default());
    }
    let found = found.map_err(|fault| {
        anyhow::anyhow!("it is unknown whether other operators do the same here: {}", fault.why())
    })?;
    if found.is_empty() {
        return Ok(found);
    }
    anyhow::bail!("{}", refusing(&found))
}

/// The release that `cloud-config-sync` reports. Beside another operator that reports its own, it is unknown, which
/// leaves the other's version as it is: upgrades of the cluster wait for it.
fn release(configured: Option<String>, others: &[(&'static str, Seen)]) -> String {
    let is_reported = others.iter().any(|(controller, _)| *controller == CLOUD_CONFIG_SYNC);
    configured.filter(|_| !is_reported).unwrap_or_else(|| "unknown".to_owned())
}

/// Why controllers do not run beside these operators, and what to do.
fn refusing(found: &[(&str, Seen)]) -> String {
    let reasons: Vec<String> =
        found.iter().map(|(controller, seen)| format!("{controller} is done by {seen}")).collect();
    format!(
        "other operators do this already: {}. Remove these controllers from --controllers, or run them anyway \
         with --take-over",
        reasons.join(", ")
    )
}

/// Whether the judge of profiles is among the controllers.
fn is_judged(args: &Args) -> bool {
    args.common.controllers().iter().any(|one| one.name == admission::CONTROLLER)
}

/// The judge of profiles, if it is among the controllers.
async fn judging(args: &Args, kit: &Kit) -> anyhow::Result<Option<Judging>> {
    if !is_judged(args) {
        return Ok(None);
    }
    let objects = Arc::new(Live::new(kit.client.clone()));
    let namespace = kit.namespace.clone();
    let bound = Webhook::bind(args.webhook_listen, kit.judge(), objects.clone(), namespace.clone()).await;
    let webhook = bound.with_context(|| format!("cannot listen on {}", args.webhook_listen))?;
    Ok(Some(Judging { webhook, objects, namespace }))
}

/// The server of the metrics over TLS, if one is wished.
async fn secure(args: &Args, kit: &Kit) -> anyhow::Result<Option<SecureMetrics>> {
    let (Some(listen), Some(folder)) = (args.metrics_listen, &args.metrics_cert_dir) else { return Ok(None) };
    let folder = folder.to_string_lossy().into_owned();
    let questions = Arc::new(Live::new(kit.client.clone()));
    let bound = SecureMetrics::bind(listen, folder, Arc::clone(&kit.file), questions).await;
    bound.map(Some).with_context(|| format!("cannot listen on {listen}"))
}

/// Says why there is no way to the cluster.
fn refused(path: &Path, bad: &BadKubeconfig, settings: &Settings) -> Exit {
    let finding = unusable(path, bad);
    let judged = Judged {
        file: &path.display().to_string(),
        text: "",
        outcome: Outcome::Rejected,
        findings: std::slice::from_ref(&finding),
        mask: &Mask::default(),
    };
    settings.printer.report(&text::findings(&judged, settings.printer.styles().talk));
    if bad.bad == Bad::Unreadable { Exit::Failed } else { Exit::NotValid }
}

/// What is wrong with the kubeconfig, or with the service account of a pod, and how an operator is given one.
fn unusable(path: &Path, bad: &BadKubeconfig) -> Finding {
    let mut finding = pages::kubeconfig(bad);
    if path == Path::new(ACCOUNT) {
        finding.message = format!("the service account {}", bad.why);
    }
    match bad.bad {
        Bad::Unreadable => finding.help(
            "outside of a cluster, set a kubeconfig with --kubeconfig or KUBECONFIG; in a pod, mount its \
             service account",
        ),
        Bad::Invalid => {
            finding.help("use a kubeconfig whose current context has the cluster's server and a user")
        }
        Bad::Insecure => finding,
    }
}

#[cfg(test)]
mod tests {
    use landfall_kube::kinds::CONFIG_MAP;
    use landfall_kube::objects::ObjectRef;

    use super::*;

    #[test]
    fn the_release_of_another_operator_stays() {
        let beside = |controller| {
            let object = ObjectRef::in_namespace(&CONFIG_MAP, "n".to_owned(), "m");
            let seen = Seen::FieldManager { manager: "operator".to_owned(), object };
            release(Some("4.20.1".to_owned()), &[(controller, seen)])
        };
        assert_eq!(release(Some("4.20.1".to_owned()), &[]), "4.20.1");
        assert_eq!(release(None, &[]), "unknown");
        assert_eq!([beside("kube-cloud-config"), beside(CLOUD_CONFIG_SYNC)], ["4.20.1", "unknown"]);
    }

    #[test]
    fn an_operator_without_a_cluster_is_told_how_to_get_one() {
        let bad = BadKubeconfig { bad: Bad::Unreadable, why: "is not there".to_owned() };
        let told = |path: &str| unusable(Path::new(path), &bad);
        assert_eq!([told("a").code.as_str(), told(ACCOUNT).code.as_str()], ["LF1240", "LF1240"]);
        assert!(told("a").message.contains("kubeconfig"), "{:?}", told("a"));
        assert!(told(ACCOUNT).message.contains("service account"), "{:?}", told(ACCOUNT));
        assert!(told("a").help.is_some_and(|help| help.contains("KUBECONFIG") && !help.contains("--dir")));
    }
}
