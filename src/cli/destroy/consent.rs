//! What somebody types who is asked whether a cluster is to go.

use crate::cli::Settings;
use crate::ui::prompt::{NoAnswer, Prompts};

/// What the user says to what would be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Consent {
    /// It is to go.
    Given,
    /// Something else than the infrastructure id was typed.
    Declined,
    /// The user stopped.
    Stopped,
}

impl Consent {
    /// Asks for the infrastructure id.
    pub(super) fn asked(question: &str, id: &str, settings: &Settings) -> Result<Self, NoAnswer> {
        let prompts = Prompts::new(settings.printer.colours().talk);
        Self::of(prompts.and_then(|prompts| prompts.confirming(question, id)), id)
    }

    /// What an answer means for the cluster of an id.
    fn of(answer: Result<String, NoAnswer>, id: &str) -> Result<Self, NoAnswer> {
        match answer {
            Ok(typed) if typed == id => Ok(Self::Given),
            Ok(_) => Ok(Self::Declined),
            Err(NoAnswer::Stopped) => Ok(Self::Stopped),
            Err(fault) => Err(fault),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn only_the_infrastructure_id_is_consent() {
        let of = |typed: &str| Consent::of(Ok(typed.to_owned()), "demo-bcd24").ok();
        assert_eq!(of("demo-bcd24"), Some(Consent::Given));
        for other in ["", "y", "demo", "DEMO-BCD24", "demo-bcd24x"] {
            assert_eq!(of(other), Some(Consent::Declined), "{other}");
        }
        assert_eq!(Consent::of(Err(NoAnswer::Stopped), "demo-bcd24").ok(), Some(Consent::Stopped));
        let lost = NoAnswer::Lost(io::Error::other("gone"));
        assert!(Consent::of(Err(lost), "demo-bcd24").is_err());
    }
}
