//! The findings of a cloud provider's configuration, each with its page.

use landfall_diagnostics::{Base, Finding, Kind, Page, Severity, shortened};

use super::Fault;

/// A page without an example, as no install config shows it.
const fn page(code: &'static str, title: &'static str, text: &'static str) -> Page {
    Page { code, title, text, severity: Severity::Error, fields: &[], base: Base::Whole, bad: "", good: "" }
}

const TYPE: &str = "status.platformStatus.type";
const REGION: &str = "status.platformStatus.aws.region";
const ENDPOINTS: &str = "status.platformStatus.aws.serviceEndpoints";
const CLOUD_NAME: &str = "status.platformStatus.azure.cloudName";

static PLATFORM_MISMATCH: Page = page(
    "LF1400",
    "the Infrastructure object is of the platform whose text is made",
    "What the text needs of the cluster is in the part of the object that belongs to its platform. The object of \
     another cluster is the usual reason.",
);
static REGION_REQUIRED: Page = page(
    "LF1401",
    "service endpoints have a region that signs for them",
    "A service at an endpoint of one's own is asked with signatures of a region, which the name of the endpoint \
     does not tell.",
);
static CONFIG_UNREADABLE: Page = page(
    "LF1402",
    "the cloud provider's configuration is in the format of its platform",
    "AWS reads an INI dialect with quotes and escapes of its own, Azure JSON (YAML is accepted and becomes JSON), \
     OpenStack INI, vSphere YAML or its older INI. The message says where reading had to stop.",
);
static OVERRIDE_CONFLICT: Page = page(
    "LF1403",
    "the user's configuration of AWS has no service overrides",
    "Overrides are made of the service endpoints of the Infrastructure object. With some in both places it would \
     be left to chance which of them count.",
);
static CLOUD_NAME_UNSUPPORTED: Page = page(
    "LF1404",
    "the cloud of the Infrastructure object is one of Azure's",
    "The name decides which endpoints the provider asks. The names are those of the install config, and letter \
     case counts.",
);
static CLOUD_NOT_STRING: Page = page(
    "LF1405",
    "`cloud` in the configuration of Azure is a text",
    "Without it, or with an empty one, the cloud of the Infrastructure object is put there.",
);
static CLOUD_CONFLICT: Page = page(
    "LF1406",
    "the configuration of Azure names the cloud that the cluster is in",
    "The cloud of a cluster does not change. A provider that asks another cloud finds nothing of it.",
);
static LEGACY_SETTING_CHANGED: Page = page(
    "LF1407",
    "older settings of OpenStack are as the cluster made them",
    "Credentials come from a file `clouds.yaml` now, and the settings that named a secret go. One that somebody \
     changed would be lost without a word.",
);
static KEY_MISSING: Page = page(
    "LF1408",
    "the ConfigMap has the key that the Infrastructure object names",
    "`spec.cloudConfig.key` names the entry that is the configuration; under another key it is not found. For the \
     cloud controller manager it must be in `data`; `binaryData` is not looked at.",
);
static NO_SOURCE_MAP: Page = page(
    "LF1409",
    "there is a ConfigMap to take the configuration from",
    "It is the managed map, or the one that `spec.cloudConfig.name` names in `openshift-config`.",
);
static PLATFORM_UNSUPPORTED: Page = page(
    "LF1410",
    "the platform has a cloud controller manager",
    "Only platforms with one have a configuration to be made.",
);
static INFRASTRUCTURE_UNREADABLE: Page = page(
    "LF1411",
    "the file of the Infrastructure object holds one",
    "It is YAML or JSON, as the installer writes it in `manifests/cluster-infrastructure-02-config.yml`. Fields \
     that are not needed are passed over.",
);
static MANIFEST_UNREADABLE: Page = page(
    "LF1412",
    "the file of the user's ConfigMap holds one",
    "It is YAML or JSON, as the installer writes it in `manifests/cloud-provider-config.yaml`. Entries of `data` \
     are text, those of `binaryData` base64.",
);
static NETWORK_UNREADABLE: Page = page(
    "LF1413",
    "the file of the Network object holds one",
    "It is YAML or JSON, as the installer writes it in `manifests/cluster-network-02-config.yml`.",
);
static ENDPOINT_INVALID: Page = page(
    "LF1414",
    "a service endpoint has a name and a URL that can be written down",
    "An override without a service or without a URL would send nothing anywhere, and control characters have no \
     form in the provider's text. A URL that names a user may have a password in it, which everybody who reads \
     the text would see.",
);
static INFRASTRUCTURE_FILE_EMPTY: Page = page(
    "LF1415",
    "the file of the Infrastructure object is not empty",
    "A file that was never filled is the usual reason: nothing can be told of its cluster.",
);
static OUTPUT_IS_INPUT: Page = page(
    "LF1416",
    "the result goes to another file than those that it is made of",
    "These files are only read. They are needed again, by whoever installs the objects, and a configuration that \
     is made of its own result is not the user's any more.",
);
static GATE_NOT_KNOWN: Page = Page {
    severity: Severity::Warning,
    ..page(
        "LF1417",
        "a feature gate that is given is one that counts for the text",
        "Of the gates of a cluster only few change the configuration of its cloud provider. Another name changes \
         nothing; it may be misspelt.",
    )
};
static ANOTHER_MAP: Page = Page {
    severity: Severity::Warning,
    ..page(
        "LF1418",
        "the ConfigMap is the one that the Infrastructure object names",
        "A cluster reads the map that `spec.cloudConfig.name` names in the namespace `openshift-config`, and no \
         other. What is made of another map here is not what would be made there.",
    )
};

/// Every page of this room.
pub static ALL: &[&Page] = &[
    &PLATFORM_MISMATCH,
    &REGION_REQUIRED,
    &CONFIG_UNREADABLE,
    &OVERRIDE_CONFLICT,
    &CLOUD_NAME_UNSUPPORTED,
    &CLOUD_NOT_STRING,
    &CLOUD_CONFLICT,
    &LEGACY_SETTING_CHANGED,
    &KEY_MISSING,
    &NO_SOURCE_MAP,
    &PLATFORM_UNSUPPORTED,
    &INFRASTRUCTURE_UNREADABLE,
    &MANIFEST_UNREADABLE,
    &NETWORK_UNREADABLE,
    &ENDPOINT_INVALID,
    &INFRASTRUCTURE_FILE_EMPTY,
    &OUTPUT_IS_INPUT,
    &GATE_NOT_KNOWN,
    &ANOTHER_MAP,
];

/// The fault as a finding.
#[must_use]
pub fn finding(fault: &Fault) -> Finding {
    let (page, kind, field, help) = match fault {
        Fault::PlatformMismatch { .. } => {
            (&PLATFORM_MISMATCH, Kind::Invalid, TYPE, "name the object of a cluster of this platform")
        }
        Fault::RegionRequired => (&REGION_REQUIRED, Kind::Required, REGION, "set the region of the cluster"),
        Fault::ConfigUnreadable(_) => {
            (&CONFIG_UNREADABLE, Kind::Parse, "", "put the text right at that place")
        }
        Fault::OverrideConflict(_) => (
            &OVERRIDE_CONFLICT,
            Kind::Forbidden,
            "",
            "move the overrides to `spec.platformSpec.aws.serviceEndpoints` of the Infrastructure object",
        ),
        Fault::CloudNameUnsupported(_) => {
            (&CLOUD_NAME_UNSUPPORTED, Kind::NotSupported, CLOUD_NAME, "name a cloud of Azure")
        }
        Fault::CloudNotString(_) => {
            (&CLOUD_NOT_STRING, Kind::TypeInvalid, "cloud", "leave `cloud` out; the cluster's is put there")
        }
        Fault::CloudConflict { .. } => {
            (&CLOUD_CONFLICT, Kind::Invalid, "cloud", "leave `cloud` out; the cluster's is put there")
        }
        Fault::LegacySettingChanged(_) => (
            &LEGACY_SETTING_CHANGED,
            Kind::Invalid,
            "",
            "take the setting back, or move what it was for to the secret `openstack-credentials`",
        ),
        Fault::KeyMissing(_) => {
            (&KEY_MISSING, Kind::Required, "spec.cloudConfig.key", "name a key that the ConfigMap has")
        }
        Fault::NoSourceMap => (
            &NO_SOURCE_MAP,
            Kind::Required,
            "spec.cloudConfig.name",
            "make the ConfigMap that is named there",
        ),
        Fault::PlatformUnsupported(_) => {
            (&PLATFORM_UNSUPPORTED, Kind::NotSupported, TYPE, "there is nothing to be made on this platform")
        }
        Fault::InfrastructureUnreadable(_) => {
            (&INFRASTRUCTURE_UNREADABLE, Kind::Parse, "", "name the file of an Infrastructure object")
        }
        Fault::ManifestUnreadable(_) => {
            (&MANIFEST_UNREADABLE, Kind::Parse, "", "name the file of a ConfigMap")
        }
        Fault::NetworkUnreadable(_) => {
            (&NETWORK_UNREADABLE, Kind::Parse, "", "name the file of a Network object")
        }
        Fault::EndpointInvalid { .. } => (
            &ENDPOINT_INVALID,
            Kind::Invalid,
            ENDPOINTS,
            "give each endpoint the name of a service and a URL without user and password",
        ),
        Fault::InfrastructureFileEmpty => {
            (&INFRASTRUCTURE_FILE_EMPTY, Kind::Required, "", "name a file with an Infrastructure object")
        }
    };
    Finding::error(page, kind, field, fault.to_string()).help(help)
}

/// That the user's map does not have the key that is named: a warning, as the rest of the map is passed on.
#[must_use]
pub fn key_not_there(key: &str) -> Finding {
    Finding { severity: Severity::Warning, ..finding(&Fault::KeyMissing(shortened(key))) }
}

/// The result would replace the file of this object, of which it is made.
#[must_use]
pub fn output_is_input(path: &str, object: &str) -> Finding {
    let message = format!("{path} is the file of the {object}, which is only read");
    Finding::error(&OUTPUT_IS_INPUT, Kind::Forbidden, "", message).help("name another file with --out")
}

/// A feature gate that changes nothing.
#[must_use]
pub fn gate_not_known(gate: &str, known: &[&str]) -> Finding {
    let message = format!("`{}` is no feature gate that counts here", shortened(gate));
    let known = known.join("`, `");
    Finding::warning(&GATE_NOT_KNOWN, Kind::NotSupported, "", message)
        .help(format!("leave it out, or name one of `{known}`"))
}

/// The user's map is not the one that is named.
#[must_use]
pub fn another_map(found: &str, named: &str) -> Finding {
    let (found, named) = (shortened(found), shortened(named));
    let message = format!("the ConfigMap is `{found}`, and the Infrastructure object names `{named}`");
    Finding::warning(&ANOTHER_MAP, Kind::Invalid, "metadata", message)
        .help("name the file of that ConfigMap, or put its name into `spec.cloudConfig.name`")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

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
            assert_eq!(finding.page.code, code, "{finding:?}");
            assert!(!finding.message.is_empty() && finding.help.is_some(), "{finding:?}");
            assert!(covered.insert(code), "{code} is the page of two faults");
        }
        assert_eq!(covered, ALL.iter().map(|page| page.code).collect());
        assert!(!key_not_there("config").is_error());
    }
}
