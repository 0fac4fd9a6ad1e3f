//! What planning judges of the facts of Azure, as subjects of checks: what belongs to each, and what is to be
//! said of it where planning has nothing to say.

use std::collections::BTreeSet;

use landfall_diagnostics::few;
use landfall_model::azure::config::{MachinePool, Platform};
use landfall_model::azure::facts::{self, Size};
use landfall_model::config::InstallConfig;
use landfall_model::facts::Facts;
use landfall_model::plan::Cluster;
use landfall_platform::cloud::{Answer, Judged};
use serde_json::{Map, Value, json};

/// The most names in a sentence.
const MOST: usize = 6;

/// The subjects, in the order in which one is looked at after the other.
pub(super) const JUDGED: &[Judged] = landfall_platform::judged! {
    "azure.account" at "platform.azure" needs ["subscription"] => account,
        ["LF0750"];
    // What the config and the catalogue say of the cloud holds whether it answers or not.
    "azure.cloud.choice" at "platform.azure.cloudName" needs [] => |_, _| None,
        ["LF0780", "LF0787", "LF0791"];
    "azure.location" at "platform.azure.region" needs ["location", "subscription"] => location,
        ["LF0751", "LF0752", "LF0753", "LF0762", "LF0765", "LF0785"];
    "azure.sizes" at "controlPlane.platform.azure.type" needs ["sizes", "location"] => sizes,
        ["LF0754", "LF0755", "LF0756", "LF0757", "LF0758", "LF0759", "LF0766", "LF0767", "LF0768",
         "LF0769", "LF0784", "LF0786", "LF0788", "LF0789", "LF0790", "LF0792", "LF1464"];
    // Of a config it is one of these two. Of a new network the cloud knows nothing.
    "azure.network" at "networking.machineNetwork" needs [] => new_network,
        ["LF0763"];
    "azure.network" at "platform.azure.virtualNetwork" needs ["network", "location"] => existing_network,
        ["LF0770", "LF0771", "LF0772", "LF0773", "LF0793", "LF0794"];
    "azure.resource-group" at "platform.azure.resourceGroupName"
        needs ["resource-group", "location"] => resource_group,
        ["LF0774", "LF0775", "LF0776", "LF0777"];
    "azure.dns-zone" at "platform.azure.baseDomainResourceGroupName" needs ["dns-zone"] => dns_zone,
        ["LF0778", "LF0779"];
    // The image is the catalogue's, and on a Stack Hub the user's: no cloud is asked.
    "azure.image" at "controlPlane.architecture" needs [] => image,
        ["LF0760", "LF0761"];
};

type Parts<'a> = (&'a Platform, &'a facts::Facts);

fn parts<'a>(config: &'a InstallConfig, facts: &'a Facts) -> Option<Parts<'a>> {
    config.platform.azure.as_ref().zip(facts.azure.as_ref())
}

fn account(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (_, facts) = parts(config, facts)?;
    let (subscription, tenant) = (facts.subscription_id.as_str(), facts.tenant_id.as_str());
    let answer = Answer::passed(format!("the cluster goes into the subscription {subscription} of {tenant}"));
    Some(
        answer
            .with("subscription", subscription)
            .with("tenant", tenant)
            .with("client", facts.client_id.as_str()),
    )
}

fn location(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    let found = &facts.location;
    let cloud = facts.cloud_name.as_str();
    let answer = if found.name.is_empty() {
        Answer::skipped(format!("the cloud does not report the location {}", platform.region))
    } else {
        let people = if found.display_name.is_empty() { &found.name } else { &found.display_name };
        Answer::passed(format!("{cloud} offers the location {} ({people}) to the subscription", found.name))
    };
    Some(
        answer
            .with("cloud", cloud)
            .with("location", found.name.as_str())
            .with("displayName", found.display_name.as_str()),
    )
}

fn sizes(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (_, facts) = parts(config, facts)?;
    let offered: Map<String, Value> =
        facts.sizes.iter().map(|(name, size)| (name.clone(), shown(size))).collect();
    let named = settings(config).map(|pool| pool.vm_size.as_str());
    let named: BTreeSet<&str> = named.filter(|name| facts.sizes.contains_key(*name)).collect();
    let named: Vec<&str> = named.into_iter().collect();
    let all: Vec<&String> = facts.sizes.keys().collect();
    let answer = if all.is_empty() {
        Answer::skipped("the cloud lists no machine sizes of the location, so nothing can be compared")
    } else if named.is_empty() {
        Answer::passed(format!("the location offers {} of the default sizes", few(&all, MOST)))
    } else {
        Answer::passed(format!("the location offers {}", few(&named, MOST)))
    };
    Some(answer.with("sizes", offered))
}

fn shown(size: &Size) -> Value {
    let capability = |name: &str| size.capabilities.get(name);
    json!({
        "zones": size.zones,
        "family": size.family,
        "vCPUs": capability("vCPUsAvailable").or_else(|| capability("vCPUs")),
        "memoryGB": capability("MemoryGB"),
        "hyperVGenerations": capability("HyperVGenerations"),
        "restriction": size.restriction,
    })
}

fn new_network(config: &InstallConfig, _: &Facts) -> Option<Answer> {
    config.platform.azure.as_ref().filter(|platform| platform.virtual_network.is_empty())?;
    let networks = config.networking.iter().flat_map(|networking| &networking.machine_network);
    let cidr = networks.filter_map(|network| network.cidr.given()).find(|net| net.is_ipv4())?.to_string();
    let message = format!("{cidr} has room for the subnets of the control plane and of compute machines");
    Some(Answer::passed(message).with("cidr", cidr))
}

fn existing_network(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    if platform.virtual_network.is_empty() {
        return None;
    }
    let Some(found) = &facts.network else {
        let message = format!("the virtual network {} is unknown", platform.virtual_network);
        return Some(Answer::skipped(message));
    };
    let named: Vec<&str> = platform.subnets.iter().map(|subnet| subnet.name.as_str()).collect();
    let message =
        format!("the virtual network {} exists with {}", platform.virtual_network, few(&named, MOST));
    Some(
        Answer::passed(message)
            .with("resourceGroup", found.resource_group.as_str())
            .with("location", found.location.as_str())
            .with("addressPrefixes", json!(found.address_prefixes))
            .with("subnets", json!(found.subnets)),
    )
}

fn resource_group(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    let name = platform.resource_group_name.as_str();
    if name.is_empty() {
        return None;
    }
    let Some(found) = &facts.resource_group else {
        return Some(Answer::skipped(format!("the resource group {name} is unknown")));
    };
    let state = if found.resources == 0 { "is empty" } else { "is the cluster's own" };
    Some(
        Answer::passed(format!("the resource group {name} {state}"))
            .with("location", found.location.as_str())
            .with("tags", json!(found.tags.keys().collect::<Vec<_>>()))
            .with("resources", found.resources)
            .with("first", json!(found.first)),
    )
}

fn dns_zone(config: &InstallConfig, facts: &Facts) -> Option<Answer> {
    let (platform, facts) = parts(config, facts)?;
    let cluster = Cluster::of(config);
    let group = platform.base_domain_resource_group_name.as_str();
    let Some(zone) = &facts.dns_zone else {
        let used = !platform.has_user_dns() && (cluster.external_api || cluster.external_ingress);
        let why = || format!("the DNS zone {} in the group {group} is not known", cluster.base_domain);
        return (used && !group.is_empty()).then(|| Answer::skipped(why()));
    };
    Some(
        Answer::passed(format!("the DNS zone {} is in the group {group}", cluster.base_domain))
            .with("id", zone.id.as_str())
            .with("name", zone.name.as_str())
            .with("records", json!(zone.records)),
    )
}

fn image(config: &InstallConfig, _: &Facts) -> Option<Answer> {
    let platform = config.platform.azure.as_ref()?;
    // Only a Stack Hub has such an endpoint.
    if !platform.arm_endpoint.is_empty() {
        return Some(Answer::skipped(
            "clusterOSImage is the image of a Stack Hub's machines: see azure.image.source",
        ));
    }
    let architecture = Cluster::of(config).architecture;
    let mut named: Vec<String> = settings(config)
        .map(|pool| &pool.os_image)
        .filter(|image| !image.publisher.is_empty())
        .map(|image| format!("{}:{}:{}:{}", image.publisher, image.offer, image.sku, image.version))
        .collect();
    let all = named.len() == config.pools().count();
    named.sort_unstable();
    named.dedup();
    let message = if all && !named.is_empty() {
        format!("the config sets the image of every pool: {}", few(&named, MOST))
    } else {
        format!("there is an image of the machines for {architecture}")
    };
    Some(Answer::passed(message).with("architecture", architecture).with("named", json!(named)))
}

/// The settings of all pools that have any.
fn settings(config: &InstallConfig) -> impl Iterator<Item = &MachinePool> {
    config.pools().filter_map(|(_, pool)| pool.platform.azure.as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;
    use landfall_model::azure::config::Subnet as Given;
    use landfall_model::azure::facts::{DnsZone, Location, Network, ResourceGroup};
    use landfall_model::config::{MachineNetwork, MachinePool as Pool, Network as Cidr, Networking};
    use landfall_platform::cloud::Verdict;
    use landfall_testing::{assert_names, codes_between};

    /// What is judged of the config alone.
    const WITHOUT_FACTS: &[&str] = &["LF0764", "LF0781", "LF0782", "LF0783", "LF0795"];

    #[test]
    fn every_code_of_planning_belongs_to_one_subject() {
        let codes: Vec<&str> = JUDGED.iter().flat_map(|judged| judged.codes).copied().collect();
        let unique: BTreeSet<&str> = codes.iter().copied().collect();
        assert_eq!(unique.len(), codes.len());
        let of_planning = codes_between("LF0750", "LF0799");
        for code in &of_planning {
            assert!(unique.contains(code) != WITHOUT_FACTS.contains(code), "{code}");
        }
        // One code is of a rule, and said again by planning.
        assert_eq!(codes.len() + WITHOUT_FACTS.len(), of_planning.len() + 1);
    }

    #[test]
    fn a_gap_in_any_part_is_told_once() {
        let first: Vec<&str> = JUDGED.iter().filter_map(|judged| judged.parts.first()).copied().collect();
        let parts = ["subscription", "location", "sizes", "network", "resource-group", "dns-zone"];
        assert_eq!(first, parts);
        let others = JUDGED.iter().flat_map(|judged| judged.parts);
        assert!(others.copied().all(|part| parts.contains(&part)));
    }

    fn config(change: impl FnOnce(&mut Platform)) -> InstallConfig {
        let mut config = InstallConfig { base_domain: "example.com".to_owned(), ..InstallConfig::default() };
        config.metadata.name = "demo".to_owned();
        let mut platform = Platform {
            region: "eastus".to_owned(),
            base_domain_resource_group_name: "dns-rg".to_owned(),
            ..Platform::default()
        };
        change(&mut platform);
        config.platform.azure = Some(platform);
        let settings = MachinePool { vm_size: "Standard_D8s_v5".to_owned(), ..MachinePool::default() };
        let mut pool = Pool { architecture: "amd64".to_owned(), ..Pool::default() };
        pool.platform.azure = Some(settings);
        config.control_plane = Some(pool);
        config
    }

    fn said(judged: &str, config: &InstallConfig, azure: facts::Facts) -> Option<String> {
        let facts = Facts { azure: Some(azure), ..Facts::default() };
        let mut subjects = JUDGED.iter().filter(|subject| subject.id == judged);
        match subjects.find_map(|subject| (subject.passed)(config, &facts))?.verdict {
            Verdict::Passed(message) => Some(message),
            Verdict::Skipped(why) | Verdict::Unanswered(why) => Some(format!("skipped: {why}")),
            Verdict::Found(finding) => Some(format!("found: {}", finding.message)),
        }
    }

    fn answers() -> facts::Facts {
        let mut azure = facts::Facts {
            cloud_name: "AzurePublicCloud".to_owned(),
            subscription_id: "s".to_owned(),
            tenant_id: "t".to_owned(),
            location: Location { name: "eastus".to_owned(), display_name: "East US".to_owned() },
            ..facts::Facts::default()
        };
        azure.sizes.insert("Standard_D4s_v3".to_owned(), Size::default());
        azure.sizes.insert("Standard_D8s_v5".to_owned(), Size::default());
        azure
    }

    #[test]
    fn says_what_was_found() {
        let config = config(|_| {});
        let said = |judged: &str| said(judged, &config, answers()).unwrap_or_default();
        let cases: [(&str, &[&str]); 5] = [
            ("azure.account", &[" s ", " t"]),
            ("azure.location", &["AzurePublicCloud", "eastus (East US)"]),
            ("azure.sizes", &["Standard_D8s_v5"]),
            ("azure.dns-zone", &["skipped: ", "example.com", "dns-rg"]),
            ("azure.image", &["amd64"]),
        ];
        for (subject, values) in cases {
            assert_names(&said(subject), values);
            assert_eq!(said(subject).starts_with("skipped: "), subject == "azure.dns-zone");
        }
        assert_eq!(said("azure.resource-group"), "");
        let sentences = cases.map(|(subject, _)| (subject.to_owned(), said(subject)));
        landfall_testing::assert_sentences("azure-facts", sentences);
    }

    #[test]
    fn says_nothing_for_sure_of_empty_facts() {
        let config = config(|_| {});
        for judged in ["azure.location", "azure.sizes"] {
            let said = said(judged, &config, facts::Facts::default()).unwrap_or_default();
            assert!(said.starts_with("skipped: "), "{judged}: {said}");
        }
    }

    #[test]
    fn a_new_network_needs_nothing_of_the_cloud() {
        let of = |platform: &str| {
            let mut own = config(|own| platform.clone_into(&mut own.virtual_network));
            let machine_network = vec![MachineNetwork { cidr: Cidr::known([10, 0, 0, 0], 16) }];
            own.networking = Some(Networking { machine_network, ..Networking::default() });
            let facts = Facts { azure: Some(answers()), ..Facts::default() };
            let subjects = JUDGED.iter().filter(|subject| subject.id == "azure.network");
            let seen = subjects.filter(|subject| (subject.passed)(&own, &facts).is_some());
            seen.map(|subject| subject.parts.len()).collect::<Vec<_>>()
        };
        assert_eq!(of(""), [0]);
        assert_eq!(of("vnet"), [2]);
    }

    #[test]
    fn the_image_of_a_hub_is_looked_at_elsewhere() {
        let config = config(|platform| {
            let endpoint = "https://management.local.example.com".to_owned();
            platform.arm_endpoint = landfall_diagnostics::secret::SecretUrl::new(endpoint);
        });
        let said = said("azure.image", &config, answers()).unwrap_or_default();
        assert!(said.starts_with("skipped: ") && said.contains("clusterOSImage"), "{said}");
    }

    #[test]
    fn shows_what_was_there_before() {
        let config = config(|platform| {
            "rg".clone_into(&mut platform.resource_group_name);
            "vnet".clone_into(&mut platform.virtual_network);
            let subnet = |name: &str| Given { name: name.to_owned(), ..Given::default() };
            platform.subnets = vec![subnet("masters"), subnet("workers")];
        });
        let unknown = |judged: &str| said(judged, &config, answers()).unwrap_or_default();
        for (subject, name) in [("azure.network", " vnet"), ("azure.resource-group", " rg")] {
            assert!(unknown(subject).starts_with("skipped: "), "{}", unknown(subject));
            assert_names(&unknown(subject), &[name]);
        }
        let mut azure = answers();
        azure.network = Some(Network::default());
        azure.resource_group = Some(ResourceGroup::default());
        azure.dns_zone = Some(DnsZone::default());
        let said = |judged: &str| said(judged, &config, azure.clone()).unwrap_or_default();
        let cases: [(&str, &[&str]); 3] = [
            ("azure.network", &[" vnet ", "masters, workers"]),
            ("azure.resource-group", &[" rg "]),
            ("azure.dns-zone", &["example.com", "dns-rg"]),
        ];
        for (subject, values) in cases {
            assert!(!said(subject).starts_with("skipped: "), "{}", said(subject));
            assert_names(&said(subject), values);
        }
    }
}
