//! Whether the cluster's operators can work with the credentials that the cluster is made with: `assets.md`,
//! F.1.

use landfall_diagnostics::{Finding, Kind};
use landfall_platform::cloud::{Answer, Check, check as early};

use super::pages;
use crate::cloud::session::Session;
use crate::cloud::sources::Source;

/// The field of the mode.
const FIELD: &str = "credentialsMode";

/// The mode in which operators have credentials of their own.
const MANUAL: &str = "Manual";

const HELP: &str = "set credentialsMode: Manual, and create the operators' credentials with ccoctl azure \
                    create-all; or install with the secret of an application (AZURE_CLIENT_SECRET)";

/// The check of the mode.
pub(super) fn check<'s>(session: &'s Session<'_>) -> Check<'s> {
    early("azure.permissions.credentials-mode", FIELD, async move {
        let mode = session.asking.config.credentials_mode.as_str();
        if mode == MANUAL {
            return Ok(Answer::passed("the operators get their own credentials").with("mode", mode));
        }
        session.caller().await?;
        let Ok(found) = session.found().await else {
            return Err(Answer::skipped("there are no credentials"));
        };
        Ok(judge(&found.source).with("mode", mode).with("source", found.source.shown()))
    })
}

/// What operators can do with a source that is not meant for them alone.
fn judge(source: &Source) -> Answer {
    let who = source.shown();
    match source {
        Source::Secret => Answer::passed("the operators use the client secret of the installation"),
        Source::Certificate(_) | Source::ManagedIdentity => {
            let message = format!("the operators cannot use {who}, and credentialsMode is not Manual");
            Answer::found(Finding::error(&pages::OPERATORS, Kind::Required, FIELD, message).help(HELP))
        }
        Source::Federated(_) | Source::AzureCli => {
            let message = format!("landfall cannot create a secret for the operators from {who}");
            Answer::found(Finding::warning(&pages::WITHOUT_SECRET, Kind::Required, FIELD, message).help(HELP))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_platform::cloud::Verdict;

    #[test]
    fn operators_need_a_secret() {
        let told = |source: Source| match judge(&source).verdict {
            Verdict::Found(finding) => (finding.code.as_str(), finding.is_error()),
            Verdict::Passed(_) | Verdict::Skipped(_) | Verdict::Unanswered(_) => ("", false),
        };
        assert_eq!(told(Source::Secret), ("", false));
        assert_eq!(told(Source::Certificate("/c.pfx".to_owned())), ("LF1147", true));
        assert_eq!(told(Source::ManagedIdentity), ("LF1147", true));
        assert_eq!(told(Source::Federated("/token".to_owned())), ("LF1148", false));
        assert_eq!(told(Source::AzureCli), ("LF1148", false));
    }
}
