//! Settings that not every release has.

use landfall_model::plan::check_introduced;

use landfall_model::config::Capabilities;

use super::*;

/// What is said of settings that a release does not have.
pub(super) fn of_release(release: [u64; 2], config: &InstallConfig) -> Vec<Finding> {
    let mut out = Findings::default();
    check_introduced(crate::introduced::INTRODUCED, config, release, &mut out);
    out.into_vec()
}

#[test]
fn a_cluster_without_the_machine_api_is_not_planned() {
    let capabilities = Capabilities { baseline_capability_set: "None".to_owned(), ..Capabilities::default() };
    let findings = found(&InstallConfig { capabilities: Some(capabilities), ..base_config() }, base_facts());
    assert_eq!(places(&findings), [("LF0143", "capabilities")]);
    assert_names(message(&findings), &["`MachineAPI`"]);
}
