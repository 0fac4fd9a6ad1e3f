//! What planning decides, and what it finds.

mod cloud_profile;
mod data_disks;
mod disks;
mod existing;
mod gateways;
mod machines;
mod names;
mod network;
mod storage;
mod unmade;

use landfall_diagnostics::Finding;
use landfall_model::azure::config::{DataDisk, MachinePool as Settings};
use landfall_model::azure::facts::{DnsZone, Location, Size};
use landfall_model::azure::values;
use landfall_model::catalogue;
use landfall_model::config::{InstallConfig, MachineNetwork, MachinePool, Network, Networking};
use landfall_model::plan::{Engine, Identity};
use landfall_testing::assert_names;

use super::*;

fn pool(name: &str, replicas: i64) -> MachinePool {
    let (name, architecture) = (name.to_owned(), "amd64".to_owned());
    MachinePool { name, architecture, replicas: Some(replicas), ..MachinePool::default() }
}

fn config() -> InstallConfig {
    let mut config = InstallConfig { base_domain: "example.com".to_owned(), ..InstallConfig::default() };
    config.metadata.name = "demo".to_owned();
    config.platform.azure = Some(Platform {
        region: "eastus".to_owned(),
        base_domain_resource_group_name: "dns-rg".to_owned(),
        cloud_name: values::PUBLIC.to_owned(),
        outbound_type: "Loadbalancer".to_owned(),
        ..Platform::default()
    });
    let machine_network = vec![MachineNetwork { cidr: Network::known([10, 0, 0, 0], 16) }];
    config.networking = Some(Networking { machine_network, ..Networking::default() });
    config.control_plane = Some(pool("master", 3));
    config.compute = vec![pool("worker", 2)];
    config
}

fn facts() -> Facts {
    let capabilities = [
        ("vCPUs", "8"),
        ("MemoryGB", "32"),
        ("HyperVGenerations", "V1,V2"),
        ("PremiumIO", "True"),
        ("AcceleratedNetworkingEnabled", "True"),
        ("CpuArchitectureType", "x64"),
    ];
    let capabilities = capabilities.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let zones = vec!["2".to_owned(), "1".to_owned()];
    let size = Size { zones, capabilities, ..Size::default() };
    let mut facts = Facts { subscription_id: "s".to_owned(), tenant_id: "t".to_owned(), ..Facts::default() };
    facts.sizes.insert("Standard_D8s_v3".to_owned(), size.clone());
    facts.sizes.insert("Standard_D4s_v3".to_owned(), size);
    facts
}

/// What the cloud answers where all is well.
fn answers() -> Facts {
    let zone = DnsZone { name: "example.com".to_owned(), ..DnsZone::default() };
    Facts {
        cloud_name: values::PUBLIC.to_owned(),
        location: Location { name: "eastus".to_owned(), display_name: "East US".to_owned() },
        dns_zone: Some(zone),
        ..facts()
    }
}

/// The config with settings for the control plane.
fn with_settings(settings: Settings) -> InstallConfig {
    let mut config = config();
    if let Some(pool) = &mut config.control_plane {
        pool.platform.azure = Some(settings);
    }
    config
}

/// A disk of 64 GiB.
fn data_disk(name: &str, lun: Option<i32>) -> DataDisk {
    DataDisk { name_suffix: name.to_owned(), disk_size_gb: 64, lun, ..DataDisk::default() }
}

/// The config with something else about its platform.
fn with_platform(change: impl FnOnce(&mut Platform)) -> InstallConfig {
    let mut config = config();
    if let Some(platform) = &mut config.platform.azure {
        change(platform);
    }
    config
}

fn planned_from(
    config: &InstallConfig,
    facts: Facts,
    source: Source,
) -> (Option<planned::Plan>, Vec<Finding>) {
    planned_with(catalogue::Catalogue::embedded(), config, facts, source)
}

fn planned_with(
    catalogue: &catalogue::Catalogue,
    config: &InstallConfig,
    facts: Facts,
    source: Source,
) -> (Option<planned::Plan>, Vec<Finding>) {
    planned_for(Engine::default(), catalogue, config, facts, source)
}

fn planned_for(
    engine: Engine,
    catalogue: &catalogue::Catalogue,
    config: &InstallConfig,
    facts: Facts,
    source: Source,
) -> (Option<planned::Plan>, Vec<Finding>) {
    planned_of("4.14", engine, catalogue, config, facts, source)
}

fn planned_of(
    release: &str,
    engine: Engine,
    catalogue: &catalogue::Catalogue,
    config: &InstallConfig,
    facts: Facts,
    source: Source,
) -> (Option<planned::Plan>, Vec<Finding>) {
    let facts = landfall_model::facts::Facts {
        source,
        azure: Some(facts),
        ..landfall_model::facts::Facts::default()
    };
    let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
    let identity = &identity;
    let case = Case {
        config,
        given: config,
        facts: &facts,
        catalogue,
        release,
        identity,
        installed: false,
        own_records: &[],
        engine,
    };
    let mut out = Findings::default();
    let found = plan(&case, &mut out).and_then(|platforms| platforms.azure);
    assert_eq!(found.is_none(), out.errors() > 0, "a plan, or a reason for none");
    (found.map(|plan| *plan), out.into_vec())
}

fn planned(config: &InstallConfig, facts: Facts) -> (Option<planned::Plan>, Vec<Finding>) {
    planned_from(config, facts, Source::Cloud)
}

/// What is found of answers of the cloud.
fn found(config: &InstallConfig, facts: Facts) -> Vec<Finding> {
    planned(config, facts).1
}

/// Codes and fields.
fn places(findings: &[Finding]) -> Vec<(&str, &str)> {
    findings.iter().map(|finding| (finding.code.as_str(), finding.field.as_str())).collect()
}

fn message(findings: &[Finding]) -> &str {
    findings.first().map(|finding| finding.message.as_str()).unwrap_or_default()
}

fn help(findings: &[Finding]) -> &str {
    findings.first().and_then(|finding| finding.help.as_deref()).unwrap_or_default()
}

/// Whether a code is found of facts from somewhere.
fn is_said(code: &str, config: &InstallConfig, facts: Facts, source: Source) -> bool {
    planned_from(config, facts, source).1.iter().any(|finding| finding.code.as_str() == code)
}

/// Nothing is said of what is missing where the catalogue alone was asked, or where facts were put together
/// by hand.
fn is_for_the_cloud_only(code: &str, config: &InstallConfig, facts: &Facts) {
    assert!(is_said(code, config, facts.clone(), Source::Cloud), "{code}");
    assert!(!is_said(code, config, facts.clone(), Source::Catalogue), "{code}");
    let mut by_hand = facts.clone();
    by_hand.location.display_name.clear();
    by_hand.quotas.clear();
    assert!(!is_said(code, config, by_hand, Source::Cloud), "{code}");
}

#[test]
fn what_fits_is_not_spoken_of() {
    let findings = found(&config(), answers());
    assert!(findings.is_empty(), "{findings:?}");
}

fn codes(config: &InstallConfig, facts: Facts) -> Vec<&'static str> {
    let (plan, findings) = planned(config, facts);
    assert!(plan.is_none());
    findings.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn decides_zones_images_and_names() {
    let (plan, findings) = planned(&config(), facts());
    assert!(findings.is_empty(), "{findings:?}");
    let master = plan.as_ref().map(|plan| plan.control_plane.clone());
    assert!(master.as_ref().is_some_and(|pool| pool.zones == ["1", "2"] && pool.accelerated_networking));
    let compute = "/resourceGroups/demo-bcd24-rg/providers/Microsoft.Compute";
    let image = format!("{compute}/galleries/gallery_demo_bcd24/images/demo-bcd24-gen2/versions/latest");
    let image = planned::PoolImage::Cluster { resource_id: image };
    assert_eq!(master.map(|pool| pool.image), Some(image));
    let zone = plan.and_then(|plan| plan.dns.public_zone);
    let id = "/subscriptions/s/resourceGroups/dns-rg/providers/Microsoft.Network/dnszones/example.com";
    assert_eq!(zone.as_deref(), Some(id));
}

#[test]
fn says_everything_at_once() {
    let mut config = config();
    let settings = Settings { vm_size: "Standard_Moon".to_owned(), ..Settings::default() };
    if let Some(pool) = &mut config.control_plane {
        pool.platform.azure = Some(settings);
    }
    config.networking = Some(Networking::default());
    let mut facts = facts();
    facts.tenant_id.clear();
    facts.location.name = "westus".to_owned();
    assert_eq!(codes(&config, facts), ["LF0752", "LF0750", "LF0755", "LF0763"]);
}

#[test]
fn says_where_the_ids_are_to_come_from() {
    let mut facts = answers();
    facts.subscription_id.clear();
    facts.tenant_id.clear();
    let findings = found(&config(), facts.clone());
    assert_eq!(places(&findings), [("LF0750", "platform.azure")]);
    let help_of = |findings: &[Finding], word: &str| help(findings).contains(word);
    for field in ["azure.subscriptionId", "azure.tenantId"] {
        assert!(help_of(&findings, field), "{findings:?}");
    }
    assert!(!help_of(&findings, "--offline"), "{findings:?}");
    let (_, findings) = planned_from(&config(), facts, Source::Catalogue);
    assert!(help_of(&findings, " --offline;"), "{findings:?}");
}

#[test]
fn a_closed_cloud_is_warned_of() {
    let config = with_platform(|platform| {
        "AzureGermanCloud".clone_into(&mut platform.cloud_name);
        "germanycentral".clone_into(&mut platform.region);
    });
    let (plan, findings) = planned_from(&config, facts(), Source::Catalogue);
    assert!(plan.is_some(), "{findings:?}");
    assert_eq!(places(&findings), [("LF0780", "platform.azure.cloudName")]);
}

#[test]
fn names_the_sizes_that_would_do() {
    let mut facts = facts();
    facts.sizes.remove("Standard_D8s_v3");
    let (_, findings) = planned(&config(), facts);
    let field = "controlPlane.platform.azure.type";
    assert_eq!(places(&findings).first(), Some(&("LF0754", field)));
    assert_names(help(&findings), &[field, "Standard_D4s_v3"]);
}

#[test]
fn an_unknown_cloud_or_location_is_said_once() {
    let mut config = config();
    if let Some(platform) = &mut config.platform.azure {
        platform.cloud_name = "AzureSunCloud".to_owned();
    }
    let known = Facts { sizes: std::collections::BTreeMap::new(), ..facts() };
    assert_eq!(codes(&config, known), ["LF0751", "LF0753"]);
}

#[test]
fn terraform_cannot_create_clusters_in_every_cloud() {
    let catalogue = catalogue::Catalogue::embedded();
    let told = |name: &str, engine: Engine| {
        let mut config = config();
        config.platform.azure = Some(Platform { cloud_name: name.to_owned(), ..Platform::default() });
        let fault = landfall_platform::Platform::engine_fault(&crate::PLATFORM, &config, catalogue, engine);
        fault.map(|finding| finding.code.as_str())
    };
    for name in ["AzurePublicCloud", "AzureUSGovernmentCloud", "AzureChinaCloud"] {
        assert_eq!(told(name, Engine::Terraform), None, "{name}");
        assert_eq!(told(name, Engine::Native), None, "{name}");
    }
    for name in ["AzureStackCloud", "AzureGermanCloud"] {
        assert_eq!(told(name, Engine::Terraform), Some("LF0791"), "{name}");
        assert_eq!(told(name, Engine::Native), Some("LF0791"), "{name}");
        assert_eq!(told(name, Engine::Aso), None, "{name}");
    }
}

#[test]
fn terraform_must_find_a_cloud_of_an_overlay() {
    let mut catalogue = catalogue::Catalogue::embedded().clone();
    let row = |host: &str| super::super::catalogue::Cloud {
        metadata_host: host.to_owned(),
        ..super::super::catalogue::Cloud::default()
    };
    let config = with_platform(|platform| "AzureUSSecCloud".clone_into(&mut platform.cloud_name));
    catalogue.azure.clouds.insert("AzureUSSecCloud".to_owned(), row(""));
    let (_, findings) = planned_with(&catalogue, &config, facts(), Source::Cloud);
    assert_eq!(places(&findings), [("LF0785", "platform.azure.cloudName")]);
    assert!(help(&findings).contains("azure.clouds.AzureUSSecCloud"), "{}", help(&findings));
    catalogue.azure.clouds.insert("AzureUSSecCloud".to_owned(), row("management.sec.example"));
    assert!(planned_with(&catalogue, &config, facts(), Source::Cloud).1.is_empty());
    // A cluster's API server would refuse the object with another name.
    let config = with_platform(|platform| "AzureMoonCloud".clone_into(&mut platform.cloud_name));
    catalogue.azure.clouds.insert("AzureMoonCloud".to_owned(), row("management.moon.example"));
    let (_, findings) = planned_with(&catalogue, &config, facts(), Source::Cloud);
    assert_eq!(places(&findings), [("LF0787", "platform.azure.cloudName")]);
}

#[test]
fn a_stack_hub_has_fewer_services_and_tells_its_own_endpoints() {
    let mut config = config();
    if let Some(platform) = &mut config.platform.azure {
        values::STACK.clone_into(&mut platform.cloud_name);
    }
    let mut facts = facts();
    let size = facts.sizes.get("Standard_D8s_v3").cloned().unwrap_or_default();
    facts.sizes = ["Standard_DS4_v2", "Standard_DS3_v2"].map(|name| (name.to_owned(), size.clone())).into();
    let (plan, findings) = planned(&config, facts.clone());
    let codes = |findings: &[Finding]| findings.iter().map(|f| f.code.as_str()).collect::<Vec<_>>();
    assert_eq!(codes(&findings), ["LF0762", "LF0761"]);
    assert!(plan.as_ref().is_some_and(|plan| plan.identity.is_empty() && plan.dns.private_zone.is_none()));
    let resource_id = "/resourceGroups/demo-bcd24-rg/providers/Microsoft.Compute/images/demo-bcd24";
    let image = planned::PoolImage::Cluster { resource_id: resource_id.to_owned() };
    assert_eq!(plan.map(|plan| plan.control_plane.image), Some(image));
    facts.environment = Some(serde_json::Map::new());
    assert_eq!(codes(&planned(&config, facts).1), ["LF0761"]);
}
