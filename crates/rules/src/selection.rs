//! `platform`: which one is active, and what else is named: `docs/install-config.md`, section 7.6.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};
use landfall_model::sections::{SUPPORTED, UNSUPPORTED};

use super::{Case, Subject};

pub(super) const SUBJECT: Subject = Subject { check, pages: &[&NONE, &SEVERAL, &UNSUPPORTED_PAGE, &IGNORED] };

/// No platform is named.
const NONE: Page = Page {
    code: "LF0112",
    title: "a platform is named",
    text: "`platform` holds one key, the platform's name, with its settings below it; `none: {}` for \
           machines that the user makes.",
    severity: Severity::Error,
    fields: &["platform"],
    base: Base::None,
    bad: "platform: {}\n",
    good: "platform:\n  none: {}\n",
};
/// Two clouds are named.
const SEVERAL: Page = Page {
    code: "LF0113",
    title: "only one cloud is named",
    text: "A cluster is on one platform. The first of aws, azure, none and external that is there would \
           be taken, so a second cloud can only be a mistake.",
    severity: Severity::Error,
    fields: &["platform"],
    base: Base::None,
    bad: "platform:\n  aws:\n    region: us-east-1\n  azure:\n    region: eastus\n    \
          baseDomainResourceGroupName: dns-rg\n",
    good: "platform:\n  aws:\n    region: us-east-1\n",
};
/// The platform is known and not supported.
const UNSUPPORTED_PAGE: Page = Page {
    code: "LF0114",
    title: "landfall supports the platform",
    text: "The OpenShift installer knows more platforms than landfall does. landfall installs on aws, \
           azure, none and external.",
    severity: Severity::Error,
    fields: &["platform"],
    base: Base::None,
    bad: "platform:\n  gcp:\n    projectID: p\n    region: us-east1\n",
    good: "platform:\n  external:\n    platformName: acme\n",
};
/// A platform is named and not used.
const IGNORED: Page = Page {
    code: "LF0115",
    title: "a platform beside the active one is ignored",
    text: "`none` or `external` beside another platform has no effect, except that some rules become \
           milder because it is there. The OpenShift installer says nothing of it.",
    severity: Severity::Warning,
    fields: &["platform"],
    base: Base::None,
    bad: "platform:\n  aws:\n    region: us-east-1\n  none: {}\n",
    good: "platform:\n  aws:\n    region: us-east-1\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
    let named = case.config.platform.present();
    let Some(first) = named.first() else {
        let message = format!("no platform is named; supported: {}", SUPPORTED.join(", "));
        let help = "add one of them, such as `aws:` with `region:` below it";
        out.push(Finding::error(&NONE, Kind::Invalid, "platform", message).help(help));
        return;
    };
    for name in named.iter().filter(|name| UNSUPPORTED.contains(name)) {
        let message = format!(
            "landfall does not install on `{name}`, which the OpenShift installer does; supported: {}",
            SUPPORTED.join(", ")
        );
        out.push(Finding::error(&UNSUPPORTED_PAGE, Kind::NotSupported, format!("platform.{name}"), message));
    }
    for platform in case.present.iter().filter(|platform| platform.name != *first) {
        let at = format!("platform.{}", platform.name);
        if platform.exclusive {
            let message = format!("`{}` and `{first}` cannot both be the platform", platform.name);
            let help = "keep the platform that the cluster is for";
            out.push(Finding::error(&SEVERAL, Kind::Invalid, "platform", message).help(help).at(at));
        } else {
            let message = format!("`{}` is ignored, as the platform is `{first}`", platform.name);
            out.push(Finding::warning(&IGNORED, Kind::Invalid, at, message).help("remove it"));
        }
    }
}
