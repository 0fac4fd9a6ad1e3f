//! The public DNS zones of the account that a draft is for, asked while its user waits.

use std::time::Duration;

use landfall_install_config::verdict::{Strictness, active, judge_keeping};
use landfall_model::plan::Engine;
use landfall_platform::Platform;
use landfall_platform::cloud::{Asked, Asking, Patience, PublicZone, Verdict};
use tokio::runtime::Builder;
use tokio::signal::ctrl_c;
use tokio::time::timeout;

use super::{Basis, Environment};

/// Threads that wait for the network.
const THREADS: usize = 2;
/// The longest that the user waits.
const LONGEST: Duration = Duration::from_secs(10);
/// How long to wait for one thing: less than for all, so that what went wrong is told.
const PATIENCE: Patience =
    Patience { connect: Duration::from_secs(3), call: Duration::from_secs(8), at_once: 4 };

/// Why the zones are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoZones {
    /// The user stopped with Ctrl-C.
    Stopped,
    /// The cloud does not answer, or cannot be asked; the sentence says why, without a full stop.
    Unknown(String),
}

/// The public zones of the account, for the draft of a config that names a platform and a region.
///
/// # Errors
/// The user stopped, or the zones cannot be known.
pub fn public_zones(draft: &str, basis: &Basis) -> Result<Vec<PublicZone>, NoZones> {
    let verdict = judge_keeping(draft.as_bytes(), Strictness::default(), &basis.catalogue);
    let unknown = |why: &str| Err(NoZones::Unknown(why.to_owned()));
    let (Some(config), Some(given)) = (verdict.config, verdict.given) else {
        return unknown("there is no config");
    };
    let Some(cloud) = active(&config).and_then(Platform::cloud) else {
        return unknown("landfall cannot query this platform's cloud");
    };
    let world = Environment;
    let session = cloud.session(Asking {
        config: &config,
        given: &given,
        catalogue: &basis.catalogue,
        release: &basis.release,
        installed: false,
        own_records: &[],
        checked: false,
        engine: Engine::default(),
        world: &world,
        patience: PATIENCE,
    });
    let Ok(runtime) = Builder::new_multi_thread().worker_threads(THREADS).enable_all().build() else {
        return unknown("the operating system cannot wait for the network");
    };
    let zones = runtime.block_on(async {
        tokio::select! {
            biased;
            Ok(()) = ctrl_c() => Err(NoZones::Stopped),
            asked = timeout(LONGEST, session.public_zones()) => match asked {
                Ok(asked) => known(asked),
                Err(_) => Err(NoZones::Unknown(format!("no response in {} s", LONGEST.as_secs()))),
            },
        }
    });
    // What is still under way is of no use any more.
    runtime.shutdown_background();
    zones
}

fn known(asked: Asked<Vec<PublicZone>>) -> Result<Vec<PublicZone>, NoZones> {
    asked.map_err(|why| {
        NoZones::Unknown(match why {
            Verdict::Found(finding) => finding.message,
            Verdict::Skipped(why) | Verdict::Unanswered(why) | Verdict::Passed(why) => why,
        })
    })
}
