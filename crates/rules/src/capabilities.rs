//! `capabilities`: `docs/install-config.md`, section 7.11.

use landfall_diagnostics::{Base, Finding, Findings, Kind, Page, Severity};
use landfall_model::config::capability_sets::{NAMES, all, members};

use super::{Case, Subject};

pub(super) const SUBJECT: Subject = Subject { check, pages: &[&SET, &COMPONENT, &DEPENDENCY, &NEEDED] };

/// The set is not known.
const SET: Page = Page {
    code: "LF0140",
    title: "`baselineCapabilitySet` is given and known",
    text: "It must be given whenever `capabilities` is: `None`, `vCurrent`, or a release such as `v4.18`.",
    severity: Severity::Error,
    fields: &["capabilities.baselineCapabilitySet"],
    base: Base::None,
    bad: "capabilities:\n  additionalEnabledCapabilities: [Console]\n",
    good: "capabilities:\n  baselineCapabilitySet: vCurrent\n",
};
/// The component is not known.
const COMPONENT: Page = Page {
    code: "LF0141",
    title: "an additional capability is a known component",
    text: "Names are those of the ClusterVersion object, case and all.",
    severity: Severity::Error,
    fields: &["capabilities.additionalEnabledCapabilities[]"],
    base: Base::None,
    bad: "capabilities:\n  baselineCapabilitySet: vCurrent\n  additionalEnabledCapabilities: [console]\n",
    good: "capabilities:\n  baselineCapabilitySet: vCurrent\n  additionalEnabledCapabilities: [Console]\n",
};
/// A component needs another one.
const DEPENDENCY: Page = Page {
    code: "LF0142",
    title: "the component `marketplace` comes with `OperatorLifecycleManager`",
    text: "The marketplace's catalogues are installed by the Operator Lifecycle Manager.",
    severity: Severity::Error,
    fields: &["capabilities.additionalEnabledCapabilities[]"],
    base: Base::None,
    bad: "capabilities:\n  baselineCapabilitySet: v4.11\n  additionalEnabledCapabilities: [Ingress]\n",
    good: "capabilities:\n  baselineCapabilitySet: v4.11\n  additionalEnabledCapabilities: \
           [Ingress, OperatorLifecycleManager]\n",
};
/// The cluster needs a component.
const NEEDED: Page = Page {
    code: "LF0143",
    title: "the components that the platform needs are enabled",
    text: "Every cluster needs `Ingress`; a cluster in a cloud needs `CloudCredential` and \
           `CloudControllerManager`; one on platform external with its own cloud controller manager needs \
           `CloudControllerManager`.",
    severity: Severity::Error,
    fields: &["capabilities"],
    base: Base::Aws,
    bad: "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: [CloudCredential, Ingress]\n",
    good: "capabilities:\n  baselineCapabilitySet: None\n  additionalEnabledCapabilities: \
           [CloudCredential, Ingress, CloudControllerManager]\n",
};

fn check(case: &Case<'_>, out: &mut Findings) {
    let Some(capabilities) = &case.config.capabilities else {
        return;
    };
    let set = capabilities.baseline_capability_set.as_str();
    if !NAMES.contains(&set) {
        let field = "capabilities.baselineCapabilitySet";
        let mut finding = Finding::not_supported(&SET, field, set, NAMES);
        if set.is_empty() {
            finding = finding.help("add `baselineCapabilitySet: vCurrent`");
        }
        out.push(finding);
    }
    for (i, component) in capabilities.additional_enabled_capabilities.iter().enumerate() {
        if !all().any(|known| known == component) {
            let mut accepted: Vec<&str> = all().collect();
            accepted.sort_unstable();
            let field = format!("capabilities.additionalEnabledCapabilities[{i}]");
            out.push(Finding::not_supported(&COMPONENT, field, component, &accepted));
        }
    }
    let of_set = if set.is_empty() { "vCurrent" } else { set };
    let additional = &capabilities.additional_enabled_capabilities;
    let enabled =
        |wanted: &str| members(of_set).any(|c| c == wanted) || additional.iter().any(|c| c == wanted);
    if enabled("marketplace") && !enabled("OperatorLifecycleManager") {
        // The OpenShift installer reports this twice with the set None.
        for _ in 0..if set == "None" { 2 } else { 1 } {
            let message = "the component `marketplace` needs `OperatorLifecycleManager`";
            out.push(
                Finding::error(&DEPENDENCY, Kind::Invalid, "additionalEnabledCapabilities", message)
                    .help("add OperatorLifecycleManager to `additionalEnabledCapabilities`")
                    .at("capabilities.additionalEnabledCapabilities"),
            );
        }
    }
    for component in needed(case).into_iter().filter(|component| !enabled(component)) {
        let message = format!("the component `{component}` must be enabled on this platform");
        let help = format!("add {component} to `additionalEnabledCapabilities`");
        out.push(Finding::error(&NEEDED, Kind::Invalid, "capabilities", message).help(help));
    }
}

/// The components that a cluster like this cannot do without, one entry for each reason.
fn needed(case: &Case<'_>) -> Vec<&'static str> {
    let mut needed = vec!["Ingress"];
    if !case.any(|p| p.without_cloud_credential) {
        needed.push("CloudCredential");
    }
    if !case.any(|p| p.without_cloud_controller) {
        needed.push("CloudControllerManager");
    }
    if case.any(|p| p.needs_cloud_controller) {
        needed.push("CloudControllerManager");
    }
    needed
}
