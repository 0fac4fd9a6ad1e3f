//! `capabilities`: `docs/install-config.md`, section 7.11.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::config::capability_sets::{NAMES, all, members};

use super::Case;

/// The set is not known.
const SET: Code = Code::new("LF0140");
/// The component is not known.
const COMPONENT: Code = Code::new("LF0141");
/// A component needs another one.
const DEPENDENCY: Code = Code::new("LF0142");
/// The cluster needs a component.
const NEEDED: Code = Code::new("LF0143");

pub(super) fn check(case: &Case<'_>, out: &mut Findings) {
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
    if case.is_foreign() {
        return needed;
    }
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
