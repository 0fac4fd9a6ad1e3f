//! The findings of a cloud provider's configuration, each with its page.

use landfall_diagnostics::{Code, Finding, Kind, Severity, shortened};

use super::Fault;

const TYPE: &str = "status.platformStatus.type";
const REGION: &str = "status.platformStatus.aws.region";
const ENDPOINTS: &str = "status.platformStatus.aws.serviceEndpoints";
const CLOUD_NAME: &str = "status.platformStatus.azure.cloudName";

static PLATFORM_MISMATCH: Code = Code::new("LF1400");
static REGION_REQUIRED: Code = Code::new("LF1401");
static CONFIG_UNREADABLE: Code = Code::new("LF1402");
static OVERRIDE_CONFLICT: Code = Code::new("LF1403");
static CLOUD_NAME_UNSUPPORTED: Code = Code::new("LF1404");
static CLOUD_NOT_STRING: Code = Code::new("LF1405");
static CLOUD_CONFLICT: Code = Code::new("LF1406");
static LEGACY_SETTING_CHANGED: Code = Code::new("LF1407");
static KEY_MISSING: Code = Code::new("LF1408");
static NO_SOURCE_MAP: Code = Code::new("LF1409");
static PLATFORM_UNSUPPORTED: Code = Code::new("LF1410");
static INFRASTRUCTURE_UNREADABLE: Code = Code::new("LF1411");
static MANIFEST_UNREADABLE: Code = Code::new("LF1412");
static NETWORK_UNREADABLE: Code = Code::new("LF1413");
static ENDPOINT_INVALID: Code = Code::new("LF1414");
static INFRASTRUCTURE_FILE_EMPTY: Code = Code::new("LF1415");
static OUTPUT_IS_INPUT: Code = Code::new("LF1416");
static GATE_NOT_KNOWN: Code = Code::new("LF1417");
static ANOTHER_MAP: Code = Code::new("LF1418");

/// The fault as a finding.
#[must_use]
pub fn finding(fault: &Fault) -> Finding {
    let (page, kind, field, help) = match fault {
        Fault::PlatformMismatch { .. } => {
            (&PLATFORM_MISMATCH, Kind::Invalid, TYPE, "use the object of a cluster on this platform")
        }
        Fault::RegionRequired => (&REGION_REQUIRED, Kind::Required, REGION, "set the region of the cluster"),
        Fault::ConfigUnreadable(_) => {
            (&CONFIG_UNREADABLE, Kind::Parse, "", "correct the text at that position")
        }
        Fault::OverrideConflict(_) => (
            &OVERRIDE_CONFLICT,
            Kind::Forbidden,
            "",
            "move the overrides to `spec.platformSpec.aws.serviceEndpoints` of the Infrastructure object",
        ),
        Fault::CloudNameUnsupported(_) => {
            (&CLOUD_NAME_UNSUPPORTED, Kind::NotSupported, CLOUD_NAME, "use an Azure cloud")
        }
        Fault::CloudNotString(_) => {
            (&CLOUD_NOT_STRING, Kind::TypeInvalid, "cloud", "remove `cloud`; landfall sets the cluster's")
        }
        Fault::CloudConflict { .. } => {
            (&CLOUD_CONFLICT, Kind::Invalid, "cloud", "remove `cloud`; landfall sets the cluster's")
        }
        Fault::LegacySettingChanged(_) => (
            &LEGACY_SETTING_CHANGED,
            Kind::Invalid,
            "",
            "revert the setting, or move it to the secret `openstack-credentials`",
        ),
        Fault::KeyMissing(_) => {
            (&KEY_MISSING, Kind::Required, "spec.cloudConfig.key", "use a key of the ConfigMap")
        }
        Fault::NoSourceMap => {
            (&NO_SOURCE_MAP, Kind::Required, "spec.cloudConfig.name", "create the ConfigMap with this name")
        }
        Fault::PlatformUnsupported(_) => {
            (&PLATFORM_UNSUPPORTED, Kind::NotSupported, TYPE, "nothing is generated for this platform")
        }
        Fault::InfrastructureUnreadable(_) => {
            (&INFRASTRUCTURE_UNREADABLE, Kind::Parse, "", "use the file of an Infrastructure object")
        }
        Fault::ManifestUnreadable(_) => {
            (&MANIFEST_UNREADABLE, Kind::Parse, "", "use the file of a ConfigMap")
        }
        Fault::NetworkUnreadable(_) => {
            (&NETWORK_UNREADABLE, Kind::Parse, "", "use the file of a Network object")
        }
        Fault::EndpointInvalid { .. } => (
            &ENDPOINT_INVALID,
            Kind::Invalid,
            ENDPOINTS,
            "set the name of a service and a URL without user and password for each endpoint",
        ),
        Fault::InfrastructureFileEmpty => {
            (&INFRASTRUCTURE_FILE_EMPTY, Kind::Required, "", "use a file with an Infrastructure object")
        }
    };
    Finding::error(page, kind, field, fault.to_string()).help(help)
}

/// That the user's map does not have the key that is named: a warning, as the rest of the map is passed on.
#[must_use]
pub fn key_not_there(key: &str) -> Finding {
    Finding { severity: Severity::Warning, ..finding(&Fault::KeyMissing(shortened(key))) }
}

/// The result would replace the file of this object, which is its source.
#[must_use]
pub fn output_is_input(path: &str, object: &str) -> Finding {
    let message = format!("{path} is the file of the {object}, which is only read");
    Finding::error(&OUTPUT_IS_INPUT, Kind::Forbidden, "", message).help("set another file with --out")
}

/// A feature gate that changes nothing.
#[must_use]
pub fn gate_not_known(gate: &str, known: &[&str]) -> Finding {
    let message = format!("the feature gate `{}` has no effect here", shortened(gate));
    let known = known.join("`, `");
    Finding::warning(&GATE_NOT_KNOWN, Kind::NotSupported, "", message)
        .help(format!("remove it, or use one of `{known}`"))
}

/// The user's map is not the one that is named.
#[must_use]
pub fn another_map(found: &str, named: &str) -> Finding {
    let (found, named) = (shortened(found), shortened(named));
    let message = format!("the ConfigMap is `{found}`, and the Infrastructure object refers to `{named}`");
    Finding::warning(&ANOTHER_MAP, Kind::Invalid, "metadata", message)
        .help("use the file of that ConfigMap, or set its name in `spec.cloudConfig.name`")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use landfall_testing::codes_between;

    #[test]
    fn each_fault_has_a_page_of_its_own() {
        let text = || "it".to_owned();
        let faults = [
            (Fault::PlatformMismatch { wanted: "AWS", found: text() }, "LF1400"),
            (Fault::RegionRequired, "LF1401"),
            (Fault::ConfigUnreadable(text()), "LF1402"),
            (Fault::OverrideConflict(text()), "LF1403"),
            (Fault::CloudNameUnsupported(text()), "LF1404"),
            (Fault::CloudNotString("a list"), "LF1405"),
            (Fault::CloudConflict { given: text(), cloud: text() }, "LF1406"),
            (Fault::LegacySettingChanged("secret-name"), "LF1407"),
            (Fault::KeyMissing(text()), "LF1408"),
            (Fault::NoSourceMap, "LF1409"),
            (Fault::PlatformUnsupported(text()), "LF1410"),
            (Fault::InfrastructureUnreadable(text()), "LF1411"),
            (Fault::ManifestUnreadable(text()), "LF1412"),
            (Fault::NetworkUnreadable(text()), "LF1413"),
            (Fault::EndpointInvalid { at: text(), why: "names a user" }, "LF1414"),
            (Fault::InfrastructureFileEmpty, "LF1415"),
        ];
        let others = [
            (output_is_input("cluster.yaml", "ConfigMap"), "LF1416"),
            (gate_not_known("Nope", &["Known"]), "LF1417"),
            (another_map("a/b", "c/d"), "LF1418"),
        ];
        let all = faults.iter().map(|(fault, code)| (finding(fault), *code)).chain(others);
        let mut covered = BTreeSet::new();
        for (finding, code) in all {
            assert_eq!(finding.code.as_str(), code, "{finding:?}");
            assert!(!finding.message.is_empty() && finding.help.is_some(), "{finding:?}");
            assert!(covered.insert(code), "{code} is the page of two faults");
        }
        assert_eq!(covered, codes_between("LF1400", "LF1419").into_iter().collect());
        assert!(!key_not_there("config").is_error());
    }
}
