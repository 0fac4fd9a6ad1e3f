//! landfall itself as an engine: a graph of resources becomes infrastructure, with the calls of a platform's
//! [`Api`](landfall_platform::native::Api) and nothing else.
//!
//! Everything whose inputs are known runs at once, within a bound that follows throttling. Each creating call is noted
//! before and after it, so that a run that was killed anywhere is continued by the next one. Resources that exist are
//! looked at and never replaced. No file is touched and no cloud is named here.
//!
//! ```
//! # use std::collections::BTreeMap;
//! # use std::sync::Mutex;
//! use landfall_engine_native::{Journal, NoteFault, Pace, Past, Run, Stop, Underway, Watcher, run};
//! use landfall_platform::cloud::Waiting;
//! use landfall_platform::native::{Api, Existing, Failure, Graph, Node, Properties, Traits, Wanted, output};
//! use serde_json::json;
//!
//! /// A cloud that creates whatever it is asked for.
//! #[derive(Default)]
//! struct Cloud(Mutex<Vec<String>>);
//!
//! impl Api for Cloud {
//!     fn find<'s>(&'s self, _: &'s Wanted, _: bool) -> Waiting<'s, Result<Option<Existing>, Failure>> {
//!         Box::pin(async { Ok(None) })
//!     }
//!
//!     fn create<'s>(&'s self, wanted: &'s Wanted) -> Waiting<'s, Result<Properties, Failure>> {
//!         Box::pin(async {
//!             self.0.lock().unwrap().push(format!("{} {}", wanted.name, wanted.text("vpc")));
//!             Ok(Properties::from_iter([("id".to_owned(), json!(format!("{}-1", wanted.kind)))]))
//!         })
//!     }
//! #
//! #     fn complete<'s>(&'s self, _: &'s Wanted, _: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
//! #         Box::pin(async { Ok(()) })
//! #     }
//! #
//! #     fn traits(&self, _: &str) -> Traits {
//! #         Traits::default()
//! #     }
//! #
//! #     fn release<'s>(&'s self, _: &'s str, _: &'s Properties) -> Waiting<'s, Result<(), Failure>> {
//! #         Box::pin(async { Ok(()) })
//! #     }
//! }
//! #
//! # struct Quiet;
//! #
//! # impl Journal for Quiet {
//! #     fn past(&self, _: &str) -> Past {
//! #         Past::default()
//! #     }
//! #
//! #     fn begins(&self, _: &str, _: &Properties) -> Result<(), NoteFault> {
//! #         Ok(())
//! #     }
//! #
//! #     fn refused(&self, _: &str) -> Result<(), NoteFault> {
//! #         Ok(())
//! #     }
//! #
//! #     fn exists(&self, _: &str, _: &Properties) -> Result<(), NoteFault> {
//! #         Ok(())
//! #     }
//! #
//! #     fn completed(&self, _: &str) -> Result<(), NoteFault> {
//! #         Ok(())
//! #     }
//! # }
//! #
//! # impl Watcher for Quiet {
//! #     fn progress(&self, _: usize, _: usize, _: &[Underway<'_>]) {}
//! # }
//!
//! let node = |name: &str, kind, properties| Node {
//!     name: name.to_owned(),
//!     kind,
//!     stage: "cluster",
//!     properties: Properties::from_iter([properties]),
//!     after: Vec::new(),
//! };
//! let vpc = node("vpc/new", "vpc", ("cidr".to_owned(), json!("10.0.0.0/16")));
//! let subnet = node("subnet/a", "subnet", ("vpc".to_owned(), output("vpc/new", "id")));
//! let graph = Graph { resources: vec![vpc, subnet], ..Graph::default() };
//! let cloud = Cloud::default();
//! let stage = Run {
//!     api: &cloud,
//!     graph: &graph,
//!     stage: "cluster",
//!     cluster_id: "00000000-0000-0000-0000-000000000001",
//!     journal: &Quiet,
//!     watcher: &Quiet,
//!     stop: &Stop::default(),
//!     pace: &Pace::default(),
//!     leaves: false,
//!     installed: false,
//! };
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let report = runtime.block_on(run(&stage, Vec::new(), &mut BTreeMap::new()))?;
//! assert!(report.is_complete());
//! assert_eq!(*cloud.0.lock().unwrap(), ["vpc/new ", "subnet/a vpc-1"]);
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

#![forbid(unsafe_code)]

mod drive;
mod limit;
mod look;
mod notes;
mod pages;
mod settle;
mod waits;

pub use drive::{Pending, Report, Run, run};
pub use landfall_net::stop::Stop;
pub use look::{Look, Looked, look};
pub use notes::MemoryNotes;
pub use pages::interrupted;
pub use settle::{Journal, NoteFault, Past};
pub use waits::{Underway, Wait};

use std::time::Duration;

/// How a run goes about its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The most resources that are worked on at a time.
    pub parallel: usize,
    /// The first pause before something is asked again; each one is longer than the one before.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// How long the cloud may take to see what was created just before, or to answer.
    pub visible: Duration,
    /// How long a resource may take to become ready.
    pub ready: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            parallel: 32,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(10),
            visible: Duration::from_mins(5),
            ready: Duration::from_mins(40),
        }
    }
}

/// Somebody who watches a run.
pub trait Watcher: Sync {
    /// So many of so many resources are ready, and these are worked on, that which takes longest first.
    fn progress(&self, done: usize, total: usize, running: &[Underway<'_>]);
}

#[cfg(test)]
mod tests;
