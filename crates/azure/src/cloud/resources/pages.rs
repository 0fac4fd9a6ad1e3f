//! What stands against creating a resource.

use landfall_diagnostics::{Code, Finding, Kind};

use crate::cloud::fault::Fault;

static REFUSED: Code = Code::new("LF1430");

static NOT_THERE: Code = Code::new("LF1431");

static STORAGE: Code = Code::new("LF1432");

/// A call that Azure refuses.
pub(super) fn refused(fault: &Fault) -> Finding {
    let told = fault.finding("");
    let finding = Finding::error(&REFUSED, told.kind, "", fault.sentence());
    finding.help(told.help.unwrap_or_default() + "; then run the same command again")
}

/// A resource of the user's that does not exist.
pub(super) fn not_there(id: &str) -> Finding {
    let message = format!("`{id}` does not exist, and the install config names it as existing");
    Finding::error(&NOT_THERE, Kind::Invalid, "platform.azure", message)
        .help("create it, or correct the install config; then run the same command again")
}

/// A resource that Azure Service Operator has created and Azure does not show yet.
pub(super) fn not_shown(id: &str) -> Finding {
    let message = format!("Azure Service Operator has created `{id}`, and Azure does not show it");
    Finding::error(&NOT_THERE, Kind::Invalid, "", message).help(
        "check that the credentials are of the same cloud and subscription as those of the operator; then run the same \
         command again",
    )
}

/// A call to the storage account that failed.
pub(super) fn storage(call: &str, why: &str) -> Finding {
    let message = format!("{call} failed: {why}");
    Finding::error(&STORAGE, Kind::Invalid, "", message).help(
        "check the network and the proxy to the storage account's endpoint, whether a policy forbids its keys, and \
         with `allowSharedKeyAccess: false` whether the caller may read and write blobs; then run the same command again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_a_page_of_its_own() {
        for finding in [not_there("/subscriptions/s/x"), not_shown("/subscriptions/s/x")] {
            assert_eq!(finding.code.as_str(), "LF1431");
            assert!(finding.message.contains("/s/x") && finding.help.is_some());
        }
        let finding = storage("PUT blob ignition/bootstrap.ign", "HTTP 403");
        assert_eq!(finding.code.as_str(), "LF1432");
        assert!(finding.message.contains("bootstrap.ign") && finding.help.is_some());
    }
}
