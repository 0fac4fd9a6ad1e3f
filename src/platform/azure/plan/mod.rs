//! What is decided for Azure: cloud, image, sizes, zones, network (`assets.md`, A.3, B.10, C.6, D.8).

mod account;
mod cloud;
mod image;
mod network;
pub(super) mod pages;
mod pools;
mod sizes;
mod unmade;

use super::catalogue::Catalogue;
use super::config::Platform;
use super::facts::Facts;
use super::planned;
use crate::finding::Findings;
use crate::plan::{Case, Cluster, Platforms};

/// Routes of the user's own: no load balancer carries the machines' outbound traffic.
const OWN_ROUTES: &str = "UserDefinedRouting";
/// The name of a single NAT gateway in an install config, and in terraform's variables.
const NAT_GATEWAY: (&str, &str) = ("NATGatewaySingleZone", "NatGateway");

/// What every part of the planning looks at.
#[derive(Clone, Copy)]
struct Planning<'a> {
    case: &'a Case<'a>,
    platform: &'a Platform,
    facts: &'a Facts,
}

impl<'a> Planning<'a> {
    fn catalogue(&self) -> &'a Catalogue {
        &self.case.catalogue.azure
    }

    fn location(&self) -> &'a str {
        &self.platform.region
    }

    fn id(&self) -> &'a str {
        &self.case.identity.infra_id
    }

    /// Whether the cloud is a Stack Hub.
    fn stack(&self) -> bool {
        self.catalogue().cloud(&self.platform.cloud_name).is_some_and(|(_, cloud)| cloud.stack)
    }

    /// The cluster's resource group: the user's, or one that is made.
    fn group(&self) -> String {
        match self.platform.resource_group_name.as_str() {
            "" => format!("{}-rg", self.id()),
            given => given.to_owned(),
        }
    }
}

/// Decides everything on Azure, or says in `out` what stands against it, all at once.
pub(super) fn plan(case: &Case<'_>, out: &mut Findings) -> Option<Platforms> {
    let platform = case.config.platform.azure.as_ref()?;
    let none = Facts::default();
    let facts = case.facts.azure.as_ref().unwrap_or(&none);
    let planning = Planning { case, platform, facts };
    let before = out.errors();
    let account = account::choose(&planning, out);
    unmade::check(&planning, out);
    let cluster = Cluster::of(case.config);
    let cloud = cloud::choose(&planning, out);
    let image = image::choose(&planning, &cluster.architecture, out);
    let pools = pools::choose(&planning, out);
    let network = network::choose(&planning, out);
    if out.errors() > before {
        return None;
    }
    let (control_plane, compute) = pools?;
    let account = account?;
    let plan = planned::Plan {
        dns: dns(&planning, &cluster, &account.subscription_id),
        cloud: cloud?,
        account,
        location: platform.region.clone(),
        groups: planned::Groups {
            cluster: planning.group(),
            existing: platform.resource_group_name.clone(),
            base_domain: platform.base_domain_resource_group_name.clone(),
        },
        network: network?,
        outbound_type: outbound_type(platform).to_owned(),
        load_balancers: load_balancers(&planning),
        identity: if planning.stack() { String::new() } else { format!("{}-identity", planning.id()) },
        image: image?,
        control_plane,
        compute,
        user_tags: platform.user_tags.clone(),
    };
    Some(Platforms { azure: Some(Box::new(plan)), ..Platforms::default() })
}

/// The zones in which the cluster's names are. The public one is used by the cluster for the names of its
/// applications.
fn dns(planning: &Planning<'_>, cluster: &Cluster, subscription: &str) -> planned::Dns {
    let zone = |group: &str, kind: &str, domain: &str| {
        let network = "providers/Microsoft.Network";
        format!("/subscriptions/{subscription}/resourceGroups/{group}/{network}/{kind}/{domain}")
    };
    let public =
        || zone(&planning.platform.base_domain_resource_group_name, "dnszones", &cluster.base_domain);
    let private = || zone(&planning.group(), "privateDnsZones", &cluster.domain);
    planned::Dns {
        public_zone: cluster.external_ingress.then(public),
        private_zone: (!planning.stack()).then(private),
    }
}

/// How the machines reach the outside, in the words of the terraform variables.
fn outbound_type(platform: &Platform) -> &str {
    let given = platform.outbound_type.as_str();
    if given == NAT_GATEWAY.0 { NAT_GATEWAY.1 } else { given }
}

fn load_balancers(planning: &Planning<'_>) -> planned::LoadBalancers {
    let own_routes = planning.platform.outbound_type == OWN_ROUTES;
    planned::LoadBalancers {
        internal: format!("{}-internal", planning.id()),
        public: if own_routes { String::new() } else { planning.id().to_owned() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use crate::config::{InstallConfig, MachineNetwork, MachinePool, Network, Networking};
    use crate::finding::Finding;
    use crate::plan::Identity;
    use crate::platform::azure::config::MachinePool as Settings;
    use crate::platform::azure::facts::Size;
    use crate::platform::azure::values;

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
        ];
        let capabilities = capabilities.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let zones = vec!["2".to_owned(), "1".to_owned()];
        let size = Size { zones, capabilities, ..Size::default() };
        let mut facts =
            Facts { subscription_id: "s".to_owned(), tenant_id: "t".to_owned(), ..Facts::default() };
        facts.sizes.insert("Standard_D8s_v3".to_owned(), size.clone());
        facts.sizes.insert("Standard_D4s_v3".to_owned(), size);
        facts
    }

    fn planned(config: &InstallConfig, facts: Facts) -> (Option<planned::Plan>, Vec<Finding>) {
        let facts = crate::facts::Facts { azure: Some(facts), ..crate::facts::Facts::default() };
        let catalogue = catalogue::Catalogue::embedded();
        let identity = Identity { infra_id: "demo-bcd24".to_owned(), cluster_id: String::new() };
        let identity = &identity;
        let case = Case { config, given: config, facts: &facts, catalogue, release: "4.14", identity };
        let mut out = Findings::default();
        let found = plan(&case, &mut out).and_then(|platforms| platforms.azure);
        (found.map(|plan| *plan), out.into_vec())
    }

    fn codes(config: &InstallConfig, facts: Facts) -> Vec<&'static str> {
        let (plan, findings) = planned(config, facts);
        assert!(plan.is_none());
        findings.iter().map(|finding| finding.page.code).collect()
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
    fn names_the_sizes_that_would_do() {
        let mut facts = facts();
        facts.sizes.remove("Standard_D8s_v3");
        let (_, findings) = planned(&config(), facts);
        let help = findings.first().and_then(|finding| finding.help.clone()).unwrap_or_default();
        assert_eq!(help, "set controlPlane.platform.azure.type; the location offers Standard_D4s_v3");
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
    fn a_stack_hub_has_fewer_services_and_tells_its_own_endpoints() {
        let mut config = config();
        if let Some(platform) = &mut config.platform.azure {
            values::STACK.clone_into(&mut platform.cloud_name);
        }
        let mut facts = facts();
        let size = facts.sizes.get("Standard_D8s_v3").cloned().unwrap_or_default();
        facts.sizes =
            ["Standard_DS4_v2", "Standard_DS3_v2"].map(|name| (name.to_owned(), size.clone())).into();
        let (plan, findings) = planned(&config, facts.clone());
        let codes = |findings: &[Finding]| findings.iter().map(|f| f.page.code).collect::<Vec<_>>();
        assert_eq!(codes(&findings), ["LF0762", "LF0761"]);
        assert!(
            plan.as_ref().is_some_and(|plan| plan.identity.is_empty() && plan.dns.private_zone.is_none())
        );
        let resource_id = "/resourceGroups/demo-bcd24-rg/providers/Microsoft.Compute/images/demo-bcd24";
        let image = planned::PoolImage::Cluster { resource_id: resource_id.to_owned() };
        assert_eq!(plan.map(|plan| plan.control_plane.image), Some(image));
        facts.environment = Some(serde_json::Map::new());
        assert_eq!(codes(&planned(&config, facts).1), ["LF0761"]);
    }
}
