//! Asking the cloud: one session, a runtime to wait in, and what comes back as findings in the config.

use std::path::Path;
use std::pin::pin;
use std::time::Duration;

use landfall_diagnostics::{Finding, Findings, Kind, sort};
use landfall_install_config::verdict::{Outcome, active};
use landfall_model::facts::Facts;
use landfall_model::plan::{Engine, Identity};
use landfall_model::prices::{self, Prices};
use landfall_platform::cloud::{Answer, Asking, Cloud, Patience, Verdict};
use landfall_platform::{Platform, pages};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, sleep, timeout};

use super::{
    Basis, Environment, Error, Examined, FactsFrom, Options, Refusal, Said, identity, inputs, outlook,
};
use landfall_preflight as preflight;
use landfall_preflight::{Asked, Checked, Pace, Report, Watcher};

/// How a cloud is asked.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'w> {
    /// How long to wait for one thing.
    pub patience: Patience,
    /// How to go about all of them.
    pub pace: Pace,
    /// Who watches.
    pub watcher: &'w dyn Watcher,
}

/// How often a watcher hears that the cloud is being asked.
const BEAT: Duration = Duration::from_secs(1);
/// What is shown while prices are gathered.
const PRICES: &str = "prices";
/// Threads that wait for the network.
const THREADS: usize = 2;

/// The facts of a config; none where landfall cannot ask its platform's cloud. What is worth saying of what
/// they rest on goes into `out`.
///
/// # Errors
/// The cloud refuses something, or cannot be reached.
pub fn facts_of_cloud(
    directory: &Path,
    examined: &Examined,
    basis: &Basis,
    ask: &Ask<'_>,
    out: &mut Findings,
) -> Result<Option<Facts>, Refusal> {
    let Some(cloud) = cloud(examined) else {
        return Ok(None);
    };
    let world = Environment;
    let asking = asking(directory, examined, basis, ask, &world);
    let session = cloud.session(asking);
    match wait(ask.watcher, preflight::gather(&*session, ask.pace, ask.watcher))? {
        Ok(known) => {
            for warning in known.warnings {
                out.push(warning);
            }
            Ok(Some(known.facts))
        }
        Err(missing) => {
            let mut said = examined.said.again();
            said.outcome = Outcome::Rejected;
            let fields: Vec<String> = missing.findings.iter().map(|f| f.field.clone()).collect();
            let spans = landfall_install_config::assets::spans(&fields, &examined.config, &said.text);
            for (mut finding, span) in missing.findings.into_iter().zip(spans) {
                finding.span = finding.span.or(span);
                said.findings.push(finding);
            }
            sort(&mut said.findings);
            Err(Refusal::NoFacts(Box::new(said)))
        }
    }
}

/// The prices of what the plan of a config is charged for. What has none is a warning in `out`.
///
/// # Errors
/// There is no plan, or the cloud refuses something or cannot be reached.
pub fn prices_of_cloud(
    directory: &Path,
    examined: &Examined,
    basis: &Basis,
    ask: &Ask<'_>,
    out: &mut Findings,
) -> Result<Prices, Refusal> {
    let platform = active(&examined.config);
    let missing = || Error::NoCloud { platform: examined.platform() };
    let (platform, cloud) = platform.zip(cloud(examined)).ok_or_else(missing)?;
    let facts =
        facts_of_cloud(directory, examined, basis, ask, &mut Findings::default())?.ok_or_else(missing)?;
    let options = Options::reading(FactsFrom::Given(Box::new(facts)));
    let plan = outlook(directory, basis, examined, &options, Environment)?.plan;
    let keys = platform.charges(&plan).keys();
    let world = Environment;
    let session = cloud.session(Asking { checked: false, ..asking(directory, examined, basis, ask, &world) });
    let deadline = ask.pace.deadline;
    ask.watcher.more(1);
    ask.watcher.began(PRICES);
    let began = Instant::now();
    let priced = wait(ask.watcher, async { timeout(deadline, session.prices(&keys)).await })?;
    let priced = priced.unwrap_or_else(|_| Err(Verdict::Found(Box::new(pages::late("", deadline)))));
    let answer = if priced.is_ok() { Answer::passed("gathered") } else { Answer::skipped("not gathered") };
    ask.watcher.ended(&Checked::new(PRICES, "", answer, began.elapsed()));
    let priced = priced.map_err(|why| {
        let finding = match why {
            Verdict::Found(finding) => *finding,
            Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => {
                pages::not_gathered("prices", &why)
            }
        };
        let said = Said { outcome: Outcome::Rejected, findings: vec![finding], ..examined.said.again() };
        Refusal::NoFacts(Box::new(said))
    })?;
    for (key, why) in &priced.gaps {
        let message = format!("no price of {key}: {why}");
        let finding = Finding::warning(&prices::NOT_FOUND, Kind::Invalid, "", message);
        out.push(finding.help("add the price to the file; without it there is no total"));
    }
    Ok(Prices {
        version: prices::VERSION,
        platform: platform.name().to_owned(),
        region: platform.placement(&examined.config).region,
        currency: priced.currency,
        source: format!("{}, {}", priced.source, super::now()),
        prices: priced.prices,
    })
}

/// Everything that could stop an installation; none where landfall cannot ask the platform's cloud. Nothing
/// is written, in the cloud or here.
///
/// # Errors
/// The operating system does not let us wait for the network.
pub fn preflight(
    directory: &Path,
    examined: &Examined,
    basis: &Basis,
    ask: &Ask<'_>,
) -> Result<Option<Report>, Refusal> {
    let Some(cloud) = cloud(examined) else {
        return Ok(None);
    };
    let identity = likely_identity(directory, examined);
    let world = Environment;
    let asking = asking(directory, examined, basis, ask, &world);
    let session = cloud.session(asking);
    let Asked { mut report, .. } =
        wait(ask.watcher, preflight::run(&*session, &asking, &identity, ask.pace, ask.watcher))?;
    report.place(&examined.config, &examined.said.text);
    Ok(Some(report))
}

/// The cloud of a config; none where landfall can ask none.
#[must_use]
pub fn cloud(examined: &Examined) -> Option<&'static dyn Cloud> {
    active(&examined.config).and_then(Platform::cloud)
}

/// What a session with the cloud of a config needs.
#[must_use]
pub fn asking<'a>(
    directory: &Path,
    examined: &'a Examined,
    basis: &'a Basis,
    ask: &Ask<'_>,
    world: &'a Environment,
) -> Asking<'a> {
    Asking {
        config: &examined.config,
        given: &examined.given,
        catalogue: &basis.catalogue,
        release: &basis.release,
        installed: inputs::is_installed(directory),
        own_records: &examined.own_records,
        checked: true,
        engine: noted_engine(directory, examined),
        world,
        patience: ask.patience,
    }
}

/// The identity that a cluster has, or might get.
#[must_use]
pub fn likely_identity(directory: &Path, examined: &Examined) -> Identity {
    let metadata = inputs::read(&directory.join(identity::METADATA)).ok();
    identity::likely(metadata.as_deref(), &examined.config)
}

/// What makes the cluster of a directory, as far as an earlier run noted that.
fn noted_engine(directory: &Path, examined: &Examined) -> Engine {
    let metadata = inputs::read(&directory.join(identity::METADATA)).ok();
    let cluster = identity::likely(metadata.as_deref(), &examined.config);
    let noted = identity::engine(directory, metadata.as_deref(), &cluster, None);
    noted.and_then(|engine| Engine::named(&engine.name)).unwrap_or_default()
}

/// What waits for the network.
///
/// # Errors
/// The operating system does not let us wait for the network.
pub fn runtime() -> Result<Runtime, Error> {
    Builder::new_multi_thread().worker_threads(THREADS).enable_all().build().map_err(Error::Network)
}

/// Waits for work in a runtime of its own, and calls the watcher's `beat` every second. What is still under way when the
/// work is done, such as a DNS query whose answer is no longer needed, is dropped.
fn wait<T>(watcher: &dyn Watcher, work: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                result = &mut work => break result,
                () = sleep(BEAT) => watcher.beat(),
            }
        }
    });
    runtime.shutdown_background();
    Ok(result)
}

impl Examined {
    /// Refuses an engine that cannot create clusters where the config wants one.
    ///
    /// # Errors
    /// It cannot.
    pub fn refuse_engine(&self, basis: &Basis, engine: Engine) -> Result<(), Refusal> {
        let platform = active(&self.config);
        let fault = platform.and_then(|one| one.engine_fault(&self.config, &basis.catalogue, engine));
        let Some(mut finding) = fault else { return Ok(()) };
        let fields = [finding.at.clone().unwrap_or_else(|| finding.field.clone())];
        finding.span = landfall_install_config::assets::spans(&fields, &self.config, &self.said.text)
            .into_iter()
            .flatten()
            .next();
        let said = Said { outcome: Outcome::Rejected, findings: vec![*finding], ..self.said.again() };
        Err(Refusal::Unfit(Box::new(said)))
    }
}
