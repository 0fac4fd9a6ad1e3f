//! `platform`: which one is active, and what else is named: `docs/install-config.md`, section 7.6.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::sections::{SUPPORTED, UNSUPPORTED};

use super::Case;

/// No platform is named.
const NONE: Code = Code::new("LF0112");
/// Two clouds are named.
const SEVERAL: Code = Code::new("LF0113");
/// The platform is known and not supported.
const UNSUPPORTED_PAGE: Code = Code::new("LF0114");
/// A platform is named and not used.
const IGNORED: Code = Code::new("LF0115");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    let named = case.config.platform.present();
    let Some(first) = named.first() else {
        let message = format!("no platform is set; supported: {}", SUPPORTED.join(", "));
        let help = "add one of them, such as `aws:` with `region:` below it";
        out.push(Finding::error(&NONE, Kind::Invalid, "platform", message).help(help));
        return;
    };
    for name in named.iter().filter(|name| UNSUPPORTED.contains(name)) {
        let message = format!(
            "landfall does not support `{name}`, which openshift-install does; supported: {}",
            SUPPORTED.join(", ")
        );
        let help = "use openshift-install for this platform";
        out.push(
            Finding::error(&UNSUPPORTED_PAGE, Kind::NotSupported, format!("platform.{name}"), message)
                .help(help),
        );
    }
    for platform in case.present.iter().filter(|platform| platform.name != *first) {
        let at = format!("platform.{}", platform.name);
        if platform.exclusive {
            let message = format!("`{}` and `{first}` cannot both be the platform", platform.name);
            let help = "keep the platform that the cluster is for";
            out.push(Finding::error(&SEVERAL, Kind::Invalid, "platform", message).help(help).at(at));
        } else {
            let message = format!("`{}` is ignored, because the platform is `{first}`", platform.name);
            out.push(Finding::warning(&IGNORED, Kind::Invalid, at, message).help("remove it"));
        }
    }
}
