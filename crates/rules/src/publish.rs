//! `publish`, `operatorPublishingStrategy` and `credentialsMode`: `docs/install-config.md`, sections 7.9
//! and 7.10.

use landfall_diagnostics::{Code, Finding, Findings, Kind, shortened};

use super::Case;

/// Accepted values of `publish`.
const ACCEPTED: &[&str] = &["External", "Internal", "Mixed"];
const PARTS: &[&str] = &["External", "Internal"];

/// The value is not known.
const PUBLISH: Code = Code::new("LF0130");
/// The platform cannot do it.
const REACH: Code = Code::new("LF0131");
/// `Mixed` and the strategy go together.
const STRATEGY: Code = Code::new("LF0132");
/// A part's value is not known.
const PART: Code = Code::new("LF0133");
/// Nothing is mixed.
const BOTH_INTERNAL: Code = Code::new("LF0134");
/// The mode does not fit the platform.
const CREDENTIALS: Code = Code::new("LF0135");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
    check_publish(case, out);
    check_strategy(case, out);
    check_credentials(case, out);
}

fn check_publish(case: &Case<'_>, out: &mut Findings) {
    let publish = case.config.publish.as_str();
    if !ACCEPTED.contains(&publish) {
        // The OpenShift installer reports this twice; the output has equal findings once.
        for _ in 0..2 {
            out.push(Finding::not_supported(&PUBLISH, "publish", publish, ACCEPTED));
        }
        return;
    }
    let possible = case.active.map_or(&["External"][..], |platform| platform.publish);
    if !possible.contains(&publish) && !case.is_foreign() {
        let platform = case
            .active
            .map_or("this platform".to_owned(), |platform| format!("platform `{}`", platform.name));
        let message =
            format!("{platform} does not support `publish: {publish}`; accepted: {}", possible.join(", "));
        let help = format!("write `publish: {}`", possible.first().unwrap_or(&"External"));
        out.push(Finding::error(&REACH, Kind::Invalid, "publish", message).help(help));
    }
    let strategy = case.config.operator_publishing_strategy.is_some();
    if publish == "Mixed" && !strategy {
        let message = "`publish: Mixed` needs `operatorPublishingStrategy`";
        let help =
            "add `operatorPublishingStrategy:` with `ingress: Internal` or `apiserver: Internal` below it";
        out.push(Finding::error(&STRATEGY, Kind::Invalid, "publish", message).help(help));
    }
}

fn check_strategy(case: &Case<'_>, out: &mut Findings) {
    let Some(strategy) = &case.config.operator_publishing_strategy else {
        return;
    };
    if case.config.publish != "Mixed" {
        let message = format!(
            "`operatorPublishingStrategy` does not apply to `publish: {}`",
            shortened(&case.config.publish)
        );
        let help = "write `publish: Mixed`, or remove the strategy";
        out.push(Finding::error(&STRATEGY, Kind::Invalid, "operatorPublishingStrategy", message).help(help));
    }
    for (name, value) in [("apiserver", &strategy.apiserver), ("ingress", &strategy.ingress)] {
        if !value.is_empty() && !PARTS.contains(&value.as_str()) {
            let finding = Finding::not_supported(&PART, name, value, PARTS);
            out.push(finding.at(format!("operatorPublishingStrategy.{name}")));
        }
    }
    if strategy.apiserver == "Internal" && strategy.ingress == "Internal" {
        let message = "both the API and the applications are internal, which is not mixed";
        let help = "write `publish: Internal` and remove the strategy";
        out.push(Finding::error(&BOTH_INTERNAL, Kind::Invalid, "publish", message).help(help));
    }
}

fn check_credentials(case: &Case<'_>, out: &mut Findings) {
    let mode = case.config.credentials_mode.as_str();
    let accepted = case.active.map_or(&[][..], |platform| platform.credentials_modes);
    if mode.is_empty() || accepted.contains(&mode) || case.is_foreign() {
        return;
    }
    if accepted.is_empty() {
        let message = "this platform has no cloud credentials, so `credentialsMode` does not apply";
        let finding = Finding::error(&CREDENTIALS, Kind::Invalid, "credentialsMode", message);
        out.push(finding.help("remove `credentialsMode`"));
    } else {
        out.push(Finding::not_supported(&CREDENTIALS, "credentialsMode", mode, accepted));
    }
}
