//! `pullSecret`: `docs/install-config.md`, section 7.5. Nothing of it but registries' names is ever put
//! into a message.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};
use landfall_model::config::pull_secret;

use super::{Case, Subject};

pub(super) const SUBJECT: Subject = Subject { check, pages: &[&SHAPE, &ENTRY] };

const FIELD: &str = "pullSecret";
const HELP: &str = "paste the pull secret as one line in single quotes, as it was downloaded";

/// The text is not a pull secret.
const SHAPE: Page = Page {
    code: "LF0110",
    title: "the pull secret is a JSON object with registries under `auths`",
    text: "The JSON text that the registry's operator hands out (for Red Hat's: \
           <https://console.redhat.com/openshift/install/pull-secret>), on one line between single quotes.",
    severity: Severity::Error,
    fields: &["pullSecret"],
    base: Base::None,
    bad: "pullSecret: '{\"auths\":{}}'\n",
    good: "pullSecret: '{\"auths\":{\"registry.example.com\":{\"auth\":\"ZmFrZTpmYWtl\"}}}'\n",
};
/// A registry has no credentials.
const ENTRY: Page = Page {
    code: "LF0111",
    title: "every registry of the pull secret has `auth` or `credsStore`",
    text: "A registry without either could never be logged in to.",
    severity: Severity::Error,
    fields: &["pullSecret"],
    base: Base::None,
    bad: "pullSecret: '{\"auths\":{\"registry.example.com\":{\"email\":\"me@example.com\"}}}'\n",
    good: "pullSecret: '{\"auths\":{\"registry.example.com\":{\"auth\":\"ZmFrZTpmYWtl\"}}}'\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
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
