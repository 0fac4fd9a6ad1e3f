//! Checks whose failure the user accepts.

use landfall_diagnostics::{Finding, Severity};

use super::Settings;

/// Which failed checks do not stop a run.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct AcceptArgs {
    /// Failed check that does not stop the run, by its id or the code of its finding; repeatable
    #[arg(long, value_name = "CHECK")]
    pub accept: Vec<String>,
}

impl AcceptArgs {
    /// Says which of the flags' values are of no failed check.
    pub fn say_unused(&self, accepted: &[String], settings: &Settings) {
        for name in self.accept.iter().filter(|name| !accepted.contains(name)) {
            settings.printer.talk(&format!("--accept {name}: no check of that name failed"));
        }
    }
}

/// Which findings do not stop a run whose checks have no ids.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct AcceptCodeArgs {
    /// Failed check that does not stop the run, by the code of its finding; repeatable
    #[arg(long, value_name = "CODE", value_parser = code)]
    pub accept: Vec<String>,
}

/// The code of a finding.
///
/// # Errors
/// No finding has this code.
fn code(text: &str) -> Result<String, String> {
    let is_known = landfall_diagnostics::pages().iter().any(|page| page.code == text);
    is_known.then(|| text.to_owned()).ok_or_else(|| "use the code of a finding, such as LF1304".to_owned())
}

impl AcceptCodeArgs {
    /// Takes errors whose code is accepted for warnings; gives those codes.
    pub fn apply(&self, findings: &mut [Finding]) -> Vec<String> {
        let mut accepted = Vec::new();
        for finding in findings.iter_mut().filter(|finding| finding.is_error()) {
            let code = finding.code.as_str();
            if self.accept.iter().any(|known| known == code) {
                finding.severity = Severity::Warning;
                accepted.push(code.to_owned());
            }
        }
        accepted.sort_unstable();
        accepted.dedup();
        accepted
    }

    /// Whether there are findings, and the code of each is accepted.
    pub fn covers(&self, findings: &[Finding]) -> bool {
        !findings.is_empty()
            && findings.iter().all(|finding| self.accept.iter().any(|known| known == finding.code.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use landfall_platform::pages;

    use super::*;

    #[test]
    fn only_the_code_of_a_finding_is_accepted_as_one() {
        assert_eq!(code("LF1420").as_deref(), Ok("LF1420"));
        for other in ["foo", "aws.quota.vpcs", "lf1420", "LF9999", ""] {
            assert!(code(other).is_err(), "{other}");
        }
    }

    #[test]
    fn an_error_whose_code_is_accepted_is_a_warning() {
        let error = || pages::not_native("moon");
        let args = |name: &str| AcceptCodeArgs { accept: vec![name.to_owned()] };
        let mut findings = vec![error(), error()];
        assert_eq!(args("LF0001").apply(&mut findings), Vec::<String>::new());
        assert!(findings.iter().all(Finding::is_error) && !args("LF0001").covers(&findings));
        assert!(args("LF1420").covers(&findings) && !args("LF1420").covers(&[]));
        assert_eq!(args("LF1420").apply(&mut findings), ["LF1420"]);
        assert!(!findings.iter().any(Finding::is_error));
    }
}
