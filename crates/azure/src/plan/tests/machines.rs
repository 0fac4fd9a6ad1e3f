//! The location and the machines in it.

use landfall_diagnostics::Severity;
use landfall_model::azure::config::{DiskSecurityProfile, Launch, SecuritySettings, UefiSettings};

use super::*;

/// The size of the control plane.
const MASTER: &str = "Standard_D8s_v3";

fn in_region(region: &str) -> InstallConfig {
    with_platform(|platform| region.clone_into(&mut platform.region))
}

/// What the cloud answers of a location that it does not offer.
fn nowhere() -> Facts {
    Facts { location: Location::default(), sizes: std::collections::BTreeMap::new(), ..answers() }
}

/// The answers with another word on the control plane's size.
fn with_size(change: impl FnOnce(&mut Size)) -> Facts {
    let mut facts = answers();
    if let Some(size) = facts.sizes.get_mut(MASTER) {
        change(size);
    }
    facts
}

fn with_capabilities(capabilities: &[(&str, &str)]) -> Facts {
    with_size(|size| {
        for (name, value) in capabilities {
            size.capabilities.insert((*name).to_owned(), (*value).to_owned());
        }
    })
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_location_is_one_that_the_subscription_has() {
    let helps = [
        ("mooneast", &["`az account list-locations -o table`"][..]),
        ("East  US", &["`eastus`"]),
        ("eatsus2", &["`eastus2`", "`az account list-locations -o table`"]),
        ("usgovvirginia", &["AzureUSGovernmentCloud", "platform.azure.cloudName"]),
        ("eastus", &["support"]),
    ];
    for (region, expected) in helps {
        let findings = found(&in_region(region), nowhere());
        assert_eq!(places(&findings), [("LF0765", "platform.azure.region")], "{region}");
        assert_names(help(&findings), expected);
    }
    let config = in_region("mooneast");
    assert_names(message(&found(&config, nowhere())), &["`mooneast`", "AzurePublicCloud"]);
    assert!(is_said("LF0753", &config, nowhere(), Source::Catalogue));
    let by_hand = Facts { cloud_name: String::new(), ..nowhere() };
    assert!(is_said("LF0753", &config, by_hand, Source::Cloud));
}

#[test]
fn a_location_is_written_as_the_resource_manager_does() {
    let findings = found(&in_region("East US"), answers());
    assert_eq!(places(&findings), [("LF0765", "platform.azure.region")]);
    assert!(help(&findings).ends_with(" `region: eastus`"), "{findings:?}");
    let findings = found(&in_region("westus"), answers());
    assert_eq!(places(&findings), [("LF0752", "platform.azure.region")]);
}

#[test]
fn a_named_size_is_offered() {
    let named = |name: &str| with_settings(Settings { vm_size: name.to_owned(), ..Settings::default() });
    let at = [("LF0755", "controlPlane.platform.azure.type")];
    let findings = found(&named("Standard_D8s_v33"), answers());
    assert_eq!(places(&findings), at);
    assert_names(message(&findings), &["Standard_D8s_v33", "`eastus`"]);
    assert_names(help(&findings), &["`Standard_D8s_v3`"]);
    let findings = found(&named("Custom"), answers());
    assert_eq!(places(&findings), at);
    assert_names(help(&findings), &["Standard_D4s_v3, Standard_D8s_v3"]);
    let restricted = with_size(|size| "NotAvailableForSubscription".clone_into(&mut size.restriction));
    let findings = found(&named(MASTER), restricted);
    assert_eq!(places(&findings), at);
    assert!(message(&findings).ends_with("NotAvailableForSubscription"), "{}", message(&findings));
}

#[test]
fn a_size_is_found_in_any_capitals_and_planned_in_its_own() {
    let config = with_settings(Settings { vm_size: "standard_d8S_V3".to_owned(), ..Settings::default() });
    let (plan, findings) = planned(&config, answers());
    assert!(findings.is_empty(), "{findings:?}");
    assert_eq!(plan.map(|plan| plan.control_plane.size).as_deref(), Some(MASTER));
}

/// What there is in place of a size without capacity.
#[test]
fn sizes_that_fit_the_control_plane_are_offered_with_their_zones() {
    let mut facts = answers();
    let add = |facts: &mut Facts, name: &str, change: fn(&mut Size)| {
        let mut size = facts.sizes[MASTER].clone();
        change(&mut size);
        facts.sizes.insert(name.to_owned(), size);
    };
    add(&mut facts, "Standard_A8_large", |size| size.zones = owned(&["3"]));
    add(&mut facts, "Standard_A2_small", |size| {
        size.capabilities.insert("vCPUs".to_owned(), "2".to_owned());
    });
    add(&mut facts, "Standard_A8_closed", |size| size.restriction = "NotAvailable".to_owned());
    add(&mut facts, "Standard_A8_arm", |size| {
        size.capabilities.insert("CpuArchitectureType".to_owned(), "Arm64".to_owned());
    });
    add(&mut facts, "Standard_A8_plain", |size| {
        size.capabilities.insert("PremiumIO".to_owned(), "False".to_owned());
    });
    let (plan, _) = planned(&config(), facts);
    let offers = plan.map(|plan| plan.control_plane.offers).unwrap_or_default();
    let offers: Vec<(&str, String)> =
        offers.iter().map(|offer| (offer.name.as_str(), offer.zones.join(" "))).collect();
    let fits = |name, zones: &str| (name, zones.to_owned());
    assert_eq!(offers, [fits(MASTER, "1 2"), fits("Standard_A8_large", "3"), fits("Standard_D4s_v3", "1 2")]);
}

#[test]
fn what_the_cloud_does_not_tell_of_a_size_is_a_warning() {
    let without = |names: &[&str]| {
        with_size(|size| size.capabilities.retain(|name, _| !names.contains(&name.as_str())))
    };
    let silent = without(&["vCPUs", "MemoryGB", "CpuArchitectureType"]);
    let (plan, findings) = planned(&config(), silent.clone());
    assert!(plan.is_some());
    assert_eq!(places(&findings), [("LF0786", "controlPlane.platform.azure.type")]);
    assert_names(message(&findings), &["vCPUs, MemoryGB, CpuArchitectureType", MASTER]);
    is_for_the_cloud_only("LF0786", &config(), &silent);
    let findings = found(&config(), without(&["MemoryGB"]));
    assert_names(message(&findings), &["MemoryGB", MASTER]);
    assert!(!message(&findings).contains("vCPUs"), "{findings:?}");
}

#[test]
fn the_zones_of_a_pool_offer_its_size() {
    let config = with_settings(Settings { zones: owned(&["1", "3"]), ..Settings::default() });
    let findings = found(&config, answers());
    assert_eq!(places(&findings), [("LF0766", "controlPlane.platform.azure.zones")]);
    assert_names(message(&findings), &[MASTER, "zone 3"]);
    assert_names(help(&findings), &["2, 1"]);
    is_for_the_cloud_only("LF0766", &config, &answers());
    let (plan, findings) = planned_from(&config, answers(), Source::Catalogue);
    assert!(plan.is_some());
    assert_eq!(places(&findings), [("LF0759", "controlPlane.platform.azure.zones")]);
    assert!(findings.iter().all(|finding| finding.severity == Severity::Warning));
}

#[test]
fn ultra_disks_are_in_every_zone() {
    let wish = |zones: &[&str]| {
        let zones = owned(zones);
        with_settings(Settings { zones, ultra_ssd_capability: "Enabled".to_owned(), ..Settings::default() })
    };
    let field = "controlPlane.platform.azure.type";
    let some = || with_capabilities(&[("UltraSSDAvailable", "True"), ("UltraSSDAvailable@zones", "1")]);
    assert!(found(&wish(&["1"]), some()).is_empty());
    let findings = found(&wish(&[]), some());
    assert_eq!(places(&findings), [("LF0767", field)]);
    assert_names(message(&findings), &[MASTER, "ultra disks", "zone 2"]);
    assert_names(help(&findings), &["controlPlane.platform.azure.zones", " 1,"]);
    assert_eq!(places(&found(&wish(&["1", "2"]), some())), [("LF0767", field)]);
    let findings = found(&wish(&[]), answers());
    assert_eq!(places(&findings), [("LF0758", field)]);
    let asked = "controlPlane.platform.azure.ultraSSDCapability";
    let related = findings.first().and_then(|finding| finding.related.as_ref());
    assert_eq!(related.map(|related| related.at.as_str()), Some(asked));
    is_for_the_cloud_only("LF0758", &wish(&[]), &answers());
    let zoneless = with_size(|size| {
        size.zones.clear();
        size.capabilities.insert("UltraSSDAvailable".to_owned(), "True".to_owned());
    });
    assert_eq!(places(&found(&wish(&[]), zoneless)), [("LF0767", field)]);
}

#[test]
fn pools_of_one_image_have_one_kind_of_protection() {
    let with = |compute: &str| {
        let mut config = config();
        let settings =
            |kind: &str| SecuritySettings { security_type: kind.to_owned(), ..SecuritySettings::default() };
        let pools = config.control_plane.iter_mut().chain(&mut config.compute);
        for (pool, kind) in pools.zip(["TrustedLaunch", compute]) {
            let azure = pool.platform.azure.get_or_insert_default();
            azure.settings = Some(settings(kind));
            if kind == "ConfidentialVM" {
                "Standard_DC4as_v5".clone_into(&mut azure.vm_size);
            }
        }
        config
    };
    let mut facts = answers();
    let mut size = facts.sizes[MASTER].clone();
    size.capabilities.insert("ConfidentialComputingType".to_owned(), "SNP".to_owned());
    facts.sizes.insert("Standard_DC4as_v5".to_owned(), size);
    let findings = found(&with("ConfidentialVM"), facts.clone());
    assert_eq!(places(&findings), [("LF0788", "compute[0].platform.azure.settings.securityType")]);
    let protection = |kind: &str| {
        let plan = planned(&with(kind), facts.clone()).0;
        plan.map(|plan| plan.image.protection)
    };
    // One pool alone is enough, whichever it is.
    assert_eq!(protection("TrustedLaunch").as_deref(), Some("TrustedLaunch"));
    assert_eq!(protection("").as_deref(), Some("TrustedLaunch"));
}

#[test]
fn a_protected_start_is_one_that_the_size_has() {
    let wish = |kind: &str| {
        let security = SecuritySettings { security_type: kind.to_owned(), ..SecuritySettings::default() };
        with_settings(Settings { settings: Some(security), ..Settings::default() })
    };
    let field = "controlPlane.platform.azure.settings.securityType";
    let (confidential, trusted) = (wish("ConfidentialVM"), wish("TrustedLaunch"));
    let snp = with_capabilities(&[("ConfidentialComputingType", "SNP")]);
    assert!(found(&confidential, snp.clone()).is_empty());
    assert_eq!(places(&found(&confidential, answers())), [("LF0768", field)]);
    is_for_the_cloud_only("LF0768", &confidential, &answers());
    let enclaves = with_capabilities(&[("ConfidentialComputingType", "SGX")]);
    assert_eq!(places(&found(&confidential, enclaves)), [("LF0768", field)]);
    assert!(found(&trusted, answers()).is_empty());
    assert_eq!(places(&found(&trusted, snp)), [("LF0769", field)]);
    let without = with_capabilities(&[("TrustedLaunchDisabled", "True")]);
    assert_eq!(places(&found(&trusted, without)), [("LF0769", field)]);
    assert!(found(&config(), with_capabilities(&[("TrustedLaunchDisabled", "True")])).is_empty());
    let first = with_capabilities(&[("HyperVGenerations", "V1")]);
    assert_eq!(places(&found(&trusted, first)), [("LF0758", field)]);
}

#[test]
fn a_confidential_vm_is_planned_with_the_switches_that_are_left_out() {
    let launch = Launch { uefi_settings: Some(UefiSettings::default()) };
    let security = SecuritySettings {
        security_type: "ConfidentialVM".to_owned(),
        confidential_vm: Some(launch),
        ..SecuritySettings::default()
    };
    let mut settings = Settings { settings: Some(security), ..Settings::default() };
    settings.os_disk.security_profile = Some(DiskSecurityProfile {
        security_encryption_type: "DiskWithVMGuestState".to_owned(),
        ..DiskSecurityProfile::default()
    });
    let snp = with_capabilities(&[("ConfidentialComputingType", "SNP")]);
    let (plan, findings) = planned(&with_settings(settings), snp);
    assert!(findings.is_empty(), "{findings:?}");
    let firmware = plan.and_then(|plan| plan.control_plane.security.firmware);
    let on = planned::Firmware { secure_boot: "Enabled".to_owned(), tpm: "Enabled".to_owned() };
    assert_eq!(firmware, Some(on));
}

#[test]
fn a_host_that_encrypts_says_so() {
    let config = with_settings(Settings { encryption_at_host: true, ..Settings::default() });
    let field = "controlPlane.platform.azure.encryptionAtHost";
    assert_eq!(places(&found(&config, answers())), [("LF0758", field)]);
    is_for_the_cloud_only("LF0758", &config, &answers());
    assert!(found(&config, with_capabilities(&[("EncryptionAtHostSupported", "True")])).is_empty());
}

#[test]
fn findings_of_machines_read_as_they_are_kept() {
    let settings = |change: fn(&mut Settings)| {
        let mut settings = Settings::default();
        change(&mut settings);
        with_settings(settings)
    };
    let ultra = settings(|settings| "Enabled".clone_into(&mut settings.ultra_ssd_capability));
    let some = with_capabilities(&[("UltraSSDAvailable", "True"), ("UltraSSDAvailable@zones", "1")]);
    let silent = with_size(|size| size.capabilities.retain(|name, _| name != "MemoryGB"));
    let cases = vec![
        (in_region("mooneast"), nowhere()),
        (in_region("eatsus2"), nowhere()),
        (in_region("usgovvirginia"), nowhere()),
        (in_region("eastus"), nowhere()),
        (in_region("East US"), answers()),
        (in_region("westus"), answers()),
        (settings(|settings| "Standard_D8s_v33".clone_into(&mut settings.vm_size)), answers()),
        (settings(|settings| "Custom".clone_into(&mut settings.vm_size)), answers()),
        (settings(|settings| settings.zones = owned(&["1", "3"])), answers()),
        (settings(|settings| settings.encryption_at_host = true), answers()),
        (ultra.clone(), some),
        (ultra, answers()),
        (config(), silent),
    ];
    let findings: Vec<Finding> =
        cases.into_iter().flat_map(|(config, facts)| found(&config, facts)).collect();
    landfall_testing::assert_findings("azure-plan-machines", &findings);
}
