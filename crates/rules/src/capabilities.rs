//! `capabilities`: `docs/install-config.md`, section 7.11.

use landfall_diagnostics::{Code, Finding, Findings, Kind};
use landfall_model::config::capability_sets::{NAMES, all, members};
use landfall_model::config::{Capabilities, InstallConfig};

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
    let enabled = |wanted: &str| is_enabled(capabilities, wanted);
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
        out.push(disabled(component));
    }
}

/// Reports a cluster without the component `MachineAPI`, which manages the machines that landfall creates. The
/// installer accepts such a config, also for manifests, and fails before it creates a cluster (`assets.md`, F.1).
pub fn check_machine_api(config: &InstallConfig, out: &mut Findings) {
    const COMPONENT: &str = "MachineAPI";
    if config.capabilities.as_ref().is_some_and(|capabilities| !is_enabled(capabilities, COMPONENT)) {
        out.push(disabled(COMPONENT));
    }
}

/// Whether a component is in the set, which is `vCurrent` unless given, or added to it.
fn is_enabled(capabilities: &Capabilities, component: &str) -> bool {
    let set = capabilities.baseline_capability_set.as_str();
    let set = if set.is_empty() { "vCurrent" } else { set };
    let mut additional = capabilities.additional_enabled_capabilities.iter();
    members(set).any(|member| member == component) || additional.any(|added| added == component)
}

fn disabled(component: &str) -> Finding {
    let message = format!("the component `{component}` must be enabled on this platform");
    let help = format!("add {component} to `additionalEnabledCapabilities`");
    Finding::error(&NEEDED, Kind::Invalid, "capabilities", message).help(help)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_api_is_enabled_by_a_set_or_by_itself() {
        let found = |set: &str, additional: &[&str]| {
            let capabilities = Capabilities {
                baseline_capability_set: set.to_owned(),
                additional_enabled_capabilities: additional.iter().map(|name| (*name).to_owned()).collect(),
            };
            let config = InstallConfig { capabilities: Some(capabilities), ..InstallConfig::default() };
            let mut out = Findings::default();
            check_machine_api(&config, &mut out);
            let findings = out.into_vec();
            let at = |finding: &Finding| format!("{} {}", finding.code.as_str(), finding.field);
            findings.iter().map(at).collect::<Vec<String>>()
        };
        assert_eq!(found("None", &["Ingress"]), ["LF0143 capabilities"]);
        for (set, additional) in [("None", &["MachineAPI"][..]), ("v4.11", &[]), ("vCurrent", &[]), ("", &[])]
        {
            assert!(found(set, additional).is_empty(), "{set} {additional:?}");
        }
        let mut out = Findings::default();
        check_machine_api(&InstallConfig::default(), &mut out);
        assert!(out.into_vec().is_empty());
    }
}
