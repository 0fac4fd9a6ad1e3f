//! The checks of a cloud before anything is made in it.

use landfall_diagnostics::Finding;
use landfall_platform::cloud::Asking;

use super::{Ended, Going, Job};
use crate::cli::create::outcome;
use crate::cli::{Exit, Output};
use crate::preflight::Report;
use crate::prepare::{FactsFrom, Said};
use crate::ui::{Judged, beating, checks};
use crate::{preflight, prepare, ui};

impl Job<'_> {
    /// The facts, and with them the word of the cloud that nothing stands in the way.
    pub(super) fn facts(&self, asking: &Asking<'_>, ask: &prepare::Ask<'_>) -> Going<FactsFrom<'static>> {
        if let Some(given) = self.args.facts.given() {
            self.settings.printer.talk("the cloud is not checked for conflicts");
            return Ok(given);
        }
        let no_cloud = || prepare::Error::NoCloud { platform: self.examined.platform() };
        let session = self.session.ok_or_else(no_cloud)?;
        let identity = prepare::likely_identity(self.directory, self.examined);
        let run = preflight::run(session, asking, &identity, ask.pace, ask.watcher);
        let preflight::Asked { mut report, facts } =
            self.runtime.block_on(beating(&self.settings.printer, "preflight", Some(ask.pace.deadline), run));
        ask.watcher.over();
        report.place(&self.examined.config, &self.examined.said.text);
        self.args.accept.say_unused(&report.accept(&self.args.accept.accept), self.settings);
        self.accepted.replace(report.accepted());
        if let Some(facts) = facts.filter(|_| report.passed()) {
            self.passed(&report);
            return Ok(FactsFrom::Given(Box::new(facts)));
        }
        self.failed(&report)?;
        // Without a failed check, the facts are missing because the cloud did not answer.
        let is_unanswered = report.passed() && report.accepted().is_empty();
        Err(Ended::Said(Exit::of_cloud(is_unanswered || report.may_pass())))
    }

    /// Says in a few lines that nothing stands in the way.
    fn passed(&self, report: &Report) {
        let findings = report.findings();
        let said = outcome::judged(&self.examined.said);
        if self.settings.output != Output::Json && !findings.is_empty() {
            self.told
                .replace(findings.iter().map(|finding| (finding.code, finding.message.clone())).collect());
            let judged = Judged { findings: &findings, ..said };
            let text = ui::text::findings(&judged, self.settings.printer.styles().talk);
            self.settings.printer.aside(&text);
        }
        self.settings.printer.talk(&format!("preflight: {}", checks::summary(report)));
    }

    /// Findings of a plan that the checks have not told yet: planning judges the same facts.
    pub(super) fn left_to_tell(&self, said: &Said) -> Said {
        let told = self.told.borrow();
        let is_told = |finding: &Finding| {
            told.iter().any(|(code, message)| *code == finding.code && *message == finding.message)
        };
        let mut left = said.again();
        left.findings.retain(|finding| !is_told(finding));
        left
    }

    /// Says what stands in the way.
    fn failed(&self, report: &Report) -> anyhow::Result<()> {
        let said = &self.examined.said;
        if self.settings.output == Output::Json {
            self.settings.printer.data(&checks::json(report, &said.text))?;
            return Ok(());
        }
        let findings = report.findings();
        let judged = Judged { findings: &findings, ..outcome::judged(said) };
        let style = self.settings.printer.styles().talk;
        self.settings.printer.report(&checks::text(report, &judged, style));
        self.settings.printer.talk(&format!("preflight: {}; nothing was created", checks::summary(report)));
        Ok(())
    }
}
