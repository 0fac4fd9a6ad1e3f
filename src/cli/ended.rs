//! How a command ends before its time.

use landfall_diagnostics::Finding;

use super::create::refused;
use super::{Exit, Settings, engine};
use crate::prepare::Refusal;
use crate::prepare::target::Unnamed;
use crate::ui::prompt::NoAnswer;
use crate::{install, prepare, workdir};

/// Why a command ends before its time, with what is still to be said of it.
pub enum Ended {
    /// Everything has been said.
    Said(Exit),
    /// The command line is wrong, for this reason.
    Usage(String),
    /// The user stopped it before anything began.
    Interrupted,
    /// Findings that are about no file stand against it.
    Findings(Vec<Finding>, Exit),
    /// An input or the cloud stands against it.
    Refused(Refusal),
    /// Something outside of the input went wrong.
    Failed(anyhow::Error),
}

impl Ended {
    /// A finding that is about no file stands against it.
    #[must_use]
    pub fn finding(finding: Finding, exit: Exit) -> Self {
        Self::Findings(vec![finding], exit)
    }

    /// Says what is still to be said, and gives the exit code.
    ///
    /// # Errors
    /// Something outside of the input went wrong, or standard output cannot be written.
    pub fn tell(self, settings: &Settings) -> anyhow::Result<Exit> {
        match self {
            Self::Said(exit) => Ok(exit),
            Self::Usage(why) => {
                settings.printer.report(&format!("error: {why}\n"));
                Ok(Exit::Usage)
            }
            Self::Interrupted => engine::ended("interrupted", &[], Exit::Interrupted, settings),
            Self::Findings(findings, exit) => engine::ended("refused", &findings, exit, settings),
            Self::Refused(refusal) => refused(refusal, settings),
            Self::Failed(fault) => Err(fault),
        }
    }
}

impl From<Refusal> for Ended {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<(Vec<Finding>, Exit)> for Ended {
    fn from((findings, exit): (Vec<Finding>, Exit)) -> Self {
        Self::Findings(findings, exit)
    }
}

/// It is not known which cluster is meant.
impl From<Unnamed> for Ended {
    fn from(why: Unnamed) -> Self {
        match why {
            Unnamed::Nowhere(finding) => Self::finding(*finding, Exit::Failed),
            Unnamed::Invalid(finding) => Self::finding(*finding, Exit::NotValid),
            Unnamed::Usage(finding) => Self::finding(*finding, Exit::Usage),
            Unnamed::Failed(fault) => fault.into(),
        }
    }
}

macro_rules! failed {
    ($($fault:ty),*) => {$(
        impl From<$fault> for Ended {
            fn from(fault: $fault) -> Self {
                Self::Failed(fault.into())
            }
        }
    )*};
}

failed!(NoAnswer, prepare::Error, install::Fault, workdir::Error, serde_json::Error, std::io::Error);

impl From<anyhow::Error> for Ended {
    fn from(fault: anyhow::Error) -> Self {
        Self::Failed(fault)
    }
}
