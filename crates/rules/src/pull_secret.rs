//! `pullSecret`: `docs/install-config.md`, section 7.5. Nothing of it but registries' names is ever put
//! into a message.

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};
use landfall_model::config::pull_secret;

use super::Case;

const FIELD: &str = "pullSecret";
const HELP: &str = "paste the pull secret as one line in single quotes, as it was downloaded";

/// The text is not a pull secret.
const SHAPE: Code = Code::new("LF0110");
/// A registry has no credentials.
const ENTRY: Code = Code::new("LF0111");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let registries = match pull_secret::parse(case.config.pull_secret.expose()) {
        Ok(registries) => registries,
        Err(fault) => {
            out.push(Finding::error(&SHAPE, Kind::Invalid, FIELD, fault).help(HELP));
            return;
        }
    };
    let usable = |keys: &[String]| keys.iter().any(|key| key == "auth" || key == "credsStore");
    let without: Vec<String> = registries
        .0
        .iter()
        .filter(|(_, keys)| !usable(keys))
        .map(|(registry, _)| format!("`{}`", shortened(registry)))
        .collect();
    if !without.is_empty() {
        let message = format!("no `auth` and no `credsStore` for {}", without.join(", "));
        let help = "download the pull secret again, or add the registry's credentials";
        out.push(Finding::error(&ENTRY, Kind::Invalid, FIELD, message).help(help));
    }
}
