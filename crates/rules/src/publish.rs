//! `publish`, `operatorPublishingStrategy` and `credentialsMode`: `docs/install-config.md`, sections 7.9
//! and 7.10.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity, shortened};

use super::{Case, Subject};

pub(super) const SUBJECT: Subject =
    Subject { check, pages: &[&PUBLISH, &REACH, &STRATEGY, &PART, &BOTH_INTERNAL, &CREDENTIALS] };

/// Accepted values of `publish`.
const ACCEPTED: &[&str] = &["External", "Internal", "Mixed"];
const PARTS: &[&str] = &["External", "Internal"];

/// The value is not known.
const PUBLISH: Page = Page {
    code: "LF0130",
    title: "`publish` is `External`, `Internal` or `Mixed`",
    text: "External makes the API and the applications reachable from the internet, Internal from the \
           cluster's network only, Mixed lets `operatorPublishingStrategy` decide for each of the two.",
    severity: Severity::Error,
    fields: &["publish"],
    base: Base::Aws,
    bad: "publish: Public\n",
    good: "publish: Internal\n",
};
/// The platform cannot do it.
const REACH: Page = Page {
    code: "LF0131",
    title: "the platform has the reach that `publish` asks for",
    text: "Internal needs a platform where the installer makes the network and the load balancers: aws or \
           azure. Mixed is for azure.",
    severity: Severity::Error,
    fields: &["publish"],
    base: Base::None,
    bad: "publish: Internal\n",
    good: "publish: External\n",
};
/// `Mixed` and the strategy go together.
const STRATEGY: Page = Page {
    code: "LF0132",
    title: "`operatorPublishingStrategy` is given with `publish: Mixed`, and only then",
    text: "Mixed without the strategy says nothing; the strategy beside another value would be ignored.",
    severity: Severity::Error,
    fields: &["publish", "operatorPublishingStrategy"],
    base: Base::Azure,
    bad: "publish: Mixed\n",
    good: "publish: Mixed\noperatorPublishingStrategy:\n  ingress: Internal\n",
};
/// A part's value is not known.
const PART: Page = Page {
    code: "LF0133",
    title: "the parts of `operatorPublishingStrategy` are `External` or `Internal`",
    text: "A part that is not given is External.",
    severity: Severity::Error,
    fields: &["operatorPublishingStrategy.apiserver", "operatorPublishingStrategy.ingress"],
    base: Base::Azure,
    bad: "publish: Mixed\noperatorPublishingStrategy:\n  ingress: Private\n",
    good: "publish: Mixed\noperatorPublishingStrategy:\n  ingress: Internal\n",
};
/// Nothing is mixed.
const BOTH_INTERNAL: Page = Page {
    code: "LF0134",
    title: "with `publish: Mixed` one part is external",
    text: "A cluster of which both the API and the applications are internal has `publish: Internal`.",
    severity: Severity::Error,
    fields: &["publish", "operatorPublishingStrategy"],
    base: Base::Azure,
    bad: "publish: Mixed\noperatorPublishingStrategy:\n  apiserver: Internal\n  ingress: Internal\n",
    good: "publish: Internal\n",
};
/// The mode does not fit the platform.
const CREDENTIALS: Page = Page {
    code: "LF0135",
    title: "`credentialsMode` is one that the platform has",
    text: "Mint makes credentials for each component and is for aws; Passthrough hands on the installer's \
           own and is for aws and azure; Manual leaves it to the user. Azure Stack Hub has Manual only; \
           platforms without a cloud take none.",
    severity: Severity::Error,
    fields: &["credentialsMode"],
    base: Base::Azure,
    bad: "credentialsMode: Mint\n",
    good: "credentialsMode: Passthrough\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
    check_publish(case, out);
    check_strategy(case, out);
    check_credentials(case, out);
}

fn check_publish(case: &Case<'_>, out: &mut Findings) {
    let publish = case.config.publish.as_str();
    if !ACCEPTED.contains(&publish) {
        // The OpenShift installer reports this twice; text output shows equal findings once.
        for _ in 0..2 {
            out.push(Finding::not_supported(&PUBLISH, "publish", publish, ACCEPTED));
        }
        return;
    }
    let possible = case.active.map_or(&["External"][..], |platform| platform.publish);
    if !possible.contains(&publish) {
        let platform = case.active.map_or("this platform", |platform| platform.name);
        let message =
            format!("`publish: {publish}` cannot be had on {platform}; possible: {}", possible.join(", "));
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
            "`operatorPublishingStrategy` has no meaning with `publish: {}`",
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
    if mode.is_empty() || accepted.contains(&mode) {
        return;
    }
    if accepted.is_empty() {
        let message = "this platform has no cloud credentials, so no mode can be set";
        let finding = Finding::error(&CREDENTIALS, Kind::Invalid, "credentialsMode", message);
        out.push(finding.help("remove `credentialsMode`"));
    } else {
        out.push(Finding::not_supported(&CREDENTIALS, "credentialsMode", mode, accepted));
    }
}
