//! From the files of a cluster to its infrastructure, stage by stage, and the removal of what only the
//! installation needs.
//!
//! An edge between the cluster directory, the platform's cloud and the engine. Every step is noted in the
//! journal of steps before it begins and after it ends, so that a later run goes on where this one stopped;
//! every step is safe to repeat.
//!
//! ```
//! use landfall_install::Drift;
//!
//! let missing = vec!["aws_vpc.new[0]".to_owned()];
//! let findings = Drift { stage: "cluster".to_owned(), missing, ..Drift::default() }.findings(true);
//! assert_eq!(findings[0].code.as_str(), "LF1427");
//! ```

#![forbid(unsafe_code)]

mod drift;
mod existing;
mod files;
mod fitting;
mod named;
mod native;
mod recover;
mod stages;
mod standing;
mod untracked;

pub use drift::{Drift, NativeLook};
pub use existing::{Existing, existing, existing_native, existing_with_replaced};
pub use native::{
    BootSite, Booted, Confirmation, Confirmed, NativeRemoval, NativeSite, apply_native, boot_notes,
    destroy_kinds, destroy_native_bootstrap, is_bootstrap_unknown, secrets,
};
pub use recover::Recovery;
pub use stages::{Site, apply, destroy_bootstrap, refused};
pub use standing::{
    Standing, Verification, has_begun, never_begun, note_verified, standing, standing_so_far, verification,
};

use std::time::Duration;

use landfall_diagnostics::Finding;
use landfall_engine_terraform::{Progress, Work};

/// Somebody who watches the stages.
pub trait Watcher: Sync {
    /// Work on a stage begins.
    fn began(&self, stage: &str, work: Work);

    /// Something happened in the stage that is being worked on.
    fn changed(&self, stage: &str, work: Work, progress: &Progress);

    /// Work on a stage has ended, well or not.
    fn ended(&self, done: &StageDone);

    /// Something worth a line.
    fn told(&self, line: &str);
}

/// What came of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageDone {
    /// Name of the stage.
    pub stage: String,
    /// What was done with it.
    pub work: Work,
    /// How it ended.
    pub end: End,
}

/// How work on a stage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// It is done.
    Done {
        /// Resources that were made.
        added: usize,
        /// Resources that were changed.
        changed: usize,
        /// Resources that were removed.
        removed: usize,
        /// How long it took.
        took: Duration,
    },
    /// An earlier run did it, and nothing has changed since.
    Before {
        /// When, as RFC 3339 writes it.
        time: String,
    },
    /// It did not come to its end.
    Stopped,
}

/// Why the infrastructure is not complete.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The cluster directory cannot be read or written.
    #[error(transparent)]
    Directory(#[from] landfall_workdir::Error),
    /// The cloud refuses what is done before the engine is at work.
    #[error("{}", .0.message)]
    Refused(Box<Finding>),
    /// The engine did not do all of its work.
    #[error("stage {stage} was not finished")]
    Engine {
        /// The stage.
        stage: String,
        /// What the engine says.
        #[source]
        fault: Box<landfall_engine_terraform::Fault>,
    },
    /// Terraform was killed before, and has lost track of resources that it created.
    #[error("{}", .0.message)]
    Untracked(Box<Finding>),
    /// Not everything of the cluster could be looked at, or removed, that terraform may have lost track of.
    #[error("{}", .0.first().map_or("some resources of the cluster could not be read", |one| one.message.as_str()))]
    Unseen(Vec<Finding>),
    /// The removal of the bootstrap machine began, so that it must not be made again.
    #[error(
        "the removal of the bootstrap machine began at {since} and has not ended: end it with \
         `landfall destroy bootstrap`"
    )]
    BootstrapGoes {
        /// When it began.
        since: String,
    },
    /// The native engine did not do all of its work.
    #[error("{}", .findings.first().map_or("the native engine was stopped", |one| one.message.as_str()))]
    Native {
        /// Why.
        findings: Vec<Finding>,
        /// Whether the user stopped it.
        interrupted: bool,
    },
    /// The journal of steps cannot be written.
    #[error("stage {stage} was not finished: {cause}")]
    Note {
        /// The stage.
        stage: String,
        /// Why.
        cause: landfall_engine_native::NoteFault,
    },
    /// There is no module of a stage.
    #[error("there is no module {}: run `landfall create manifests` first", path.display())]
    NoModule {
        /// Where it should be.
        path: std::path::PathBuf,
    },
}

impl Fault {
    /// Whether the user stopped the work.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        if let Self::Native { interrupted, .. } = self {
            return *interrupted;
        }
        matches!(self, Self::Engine { fault, .. } if matches!(**fault, landfall_engine_terraform::Fault::Interrupted { .. }))
    }
}
