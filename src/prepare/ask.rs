//! Asking the cloud: one session, a runtime to wait in, and what comes back as findings in the config.

use std::path::Path;

use tokio::runtime::Builder;

use super::{Basis, Environment, Error, Examined, Refusal, identity, inputs};
use crate::facts::Facts;
use crate::finding::sort;
use crate::platform::Platform;
use crate::platform::cloud::{Asking, Cloud, Patience};
use crate::preflight::{self, Pace, Report, Watcher};
use crate::verdict::{Outcome, active};

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

/// Threads that wait for the network.
const THREADS: usize = 2;

/// The facts of a config; none where landfall cannot ask its platform's cloud.
///
/// # Errors
/// The cloud refuses something, or cannot be reached.
pub fn facts_of_cloud(
    directory: &Path,
    examined: &Examined,
    basis: &Basis,
    ask: &Ask<'_>,
) -> Result<Option<Facts>, Refusal> {
    let Some(cloud) = cloud(examined) else {
        return Ok(None);
    };
    let world = Environment;
    let asking = asking(directory, examined, basis, ask, &world);
    let session = cloud.session(asking);
    match wait(preflight::gather(&*session, ask.pace, ask.watcher))? {
        Ok(facts) => Ok(Some(facts)),
        Err(missing) => {
            let mut said = examined.said.again();
            said.outcome = Outcome::Rejected;
            let fields: Vec<String> = missing.findings.iter().map(|f| f.field.clone()).collect();
            let spans = crate::assets::spans(&fields, &examined.config, &said.text);
            for (mut finding, span) in missing.findings.into_iter().zip(spans) {
                finding.span = finding.span.or(span);
                said.findings.push(finding);
            }
            sort(&mut said.findings);
            Err(Refusal::NoFacts(Box::new(said)))
        }
    }
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
    let metadata = inputs::read(&directory.join(identity::METADATA)).ok();
    let identity = identity::likely(metadata.as_deref(), &examined.config);
    let world = Environment;
    let asking = asking(directory, examined, basis, ask, &world);
    let session = cloud.session(asking);
    let mut report = wait(preflight::run(&*session, &asking, &identity, ask.pace, ask.watcher))?;
    report.place(&examined.config, &examined.said.text);
    Ok(Some(report))
}

fn cloud(examined: &Examined) -> Option<&'static dyn Cloud> {
    active(&examined.config).and_then(Platform::cloud)
}

fn asking<'a>(
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
        world,
        patience: ask.patience,
    }
}

/// Waits for work in a runtime of its own. What is still under way when the work is done, such as the
/// search for a name that nobody waits for any more, is left behind.
fn wait<T>(work: impl Future<Output = T>) -> Result<T, Error> {
    let runtime = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build();
    let runtime = runtime.map_err(Error::Network)?;
    let result = runtime.block_on(work);
    runtime.shutdown_background();
    Ok(result)
}
