//! What the modules make of a plan on Azure, stage by stage: `assets.md`, D.8 to D.11.
//!
//! The counts follow `templates/terraform/azure`; a test evaluates the modules and compares.

mod charges;

use landfall_model::plan::Plan;
use landfall_model::plan::outline::{Adopted, Item, Later, Outline, number};

use super::STAGES;
use super::planned::{self, NatGateway, Pool};
pub(super) use charges::charges;

/// The stages: network and image, the bootstrap machine, control plane and names.
const VNET: &str = STAGES[0].name;
const BOOTSTRAP: &str = STAGES[1].name;
const CLUSTER: &str = STAGES[2].name;

/// The outbound types that change what is made.
const OWN_ROUTES: &str = "UserDefinedRouting";
const NAT_GATEWAY: &str = "NatGateway";

/// What is open where the API is public.
const OPEN_PORTS: &str = "TCP 6443 and 22623 inside, TCP 6443 outside";
/// The type of a machine's membership in a pool of a load balancer.
const POOL_MEMBER: &str = "azurerm_network_interface_backend_address_pool_association";

/// What a plan comes to; nothing for a plan of another platform.
pub(super) fn outline(plan: &Plan) -> Outline {
    let Some(making) = Making::of(plan) else {
        return Outline::default();
    };
    let parts = [
        making.group(),
        making.image(),
        making.network(),
        making.security_group(),
        making.load_balancing(),
        making.nat_gateway(),
        making.bootstrap(),
        making.machines(),
        making.names(),
    ];
    Outline::new(STAGES, parts.into_iter().flatten().collect(), making.adopted(), making.later())
}

/// Something of the stage of the network.
fn base(resource: &'static str, kind: &'static str, count: u32) -> Item {
    Item::new(VNET, resource, kind, count)
}

/// Something of the stage of the bootstrap machine.
fn passing(resource: &'static str, kind: &'static str, count: u32) -> Item {
    Item::new(BOOTSTRAP, resource, kind, count)
}

/// Something of the stage of the control plane.
fn cluster(resource: &'static str, kind: &'static str, count: u32) -> Item {
    Item::new(CLUSTER, resource, kind, count)
}

/// What the counts depend on.
struct Making<'a> {
    plan: &'a Plan,
    azure: &'a planned::Plan,
    id: &'a str,
    /// The address families of the services: `v4`, `v6` or both.
    families: Vec<&'static str>,
}

impl<'a> Making<'a> {
    fn of(plan: &'a Plan) -> Option<Self> {
        // There are no modules for a Stack Hub.
        let azure = plan.platform.azure.as_deref().filter(|azure| !azure.cloud.stack)?;
        let mut families = Vec::new();
        for (family, v4) in [("v4", true), ("v6", false)] {
            let mut services = plan.config.networking.iter().flat_map(|n| &n.service_network);
            if services.any(|network| network.is_ipv4() == v4) {
                families.push(family);
            }
        }
        Some(Self { plan, azure, id: &plan.identity.infra_id, families })
    }

    /// One for each address family.
    fn per_family(&self) -> u32 {
        number(self.families.len())
    }

    /// Whether the API is kept inside the network.
    fn is_private(&self) -> bool {
        !self.plan.cluster.external_api
    }

    /// Whether the network is made.
    fn is_new(&self) -> bool {
        self.azure.network.new.is_some()
    }

    /// Whether there is a public load balancer: for the API, or as the way out.
    fn has_public_balancer(&self) -> bool {
        !self.is_private() || self.azure.outbound_type != OWN_ROUTES
    }

    /// One for each family of the public load balancer.
    fn public_families(&self) -> u32 {
        if self.has_public_balancer() { self.per_family() } else { 0 }
    }

    /// The gateway of a whole new network.
    fn network_gateways(&self) -> u32 {
        u32::from(self.azure.outbound_type == NAT_GATEWAY && self.is_new())
    }

    /// Gateways of single subnets.
    fn subnet_gateways(&self) -> impl Iterator<Item = &NatGateway> {
        self.azure.network.nat_gateways.iter()
    }

    /// The names of a new network's subnets, that of the control plane first.
    fn subnets(&self) -> Vec<String> {
        let network = &self.azure.network;
        let others = network.compute_subnets.iter().map(|subnet| &subnet.name);
        let others = others.filter(|name| **name != network.compute_subnet);
        let first = [&network.control_plane_subnet, &network.compute_subnet].into_iter();
        first.chain(others).cloned().collect()
    }

    fn masters(&self) -> u32 {
        self.plan.cluster.control_plane_replicas
    }

    /// A name for each address family.
    fn of_families(&self, name: &str) -> Vec<String> {
        self.families.iter().map(|family| format!("{}-{name}-{family}", self.id)).collect()
    }

    fn group(&self) -> Vec<Item> {
        let (groups, network) = (&self.azure.groups, &self.azure.network);
        let identities = u32::from(!self.azure.identity.is_empty());
        let mut scopes = vec![groups.cluster.as_str()];
        if !self.is_new() {
            scopes.push(&network.resource_group);
        }
        let readers = u32::from(self.azure.storage.without_access_keys);
        let roles = [
            (identities, format!("Contributor on {}", scopes.join(", "))),
            (readers, "Storage Blob Data Reader on the storage account".to_owned()),
        ];
        let told: Vec<String> =
            roles.into_iter().filter(|(count, _)| *count > 0).map(|(_, role)| role).collect();
        vec![
            base("azurerm_resource_group", "Resource group", u32::from(groups.existing.is_empty()))
                .named([groups.cluster.clone()])
                .detailed(&self.azure.location),
            base("azurerm_user_assigned_identity", "User-assigned identity", identities)
                .named([self.azure.identity.clone()]),
            base("azurerm_role_assignment", "Role assignment", identities * number(scopes.len()) + readers)
                .detailed(told.join("; ")),
        ]
    }

    /// The machines' image, and the storage account that it comes through.
    fn image(&self) -> Vec<Item> {
        let (id, image, letters) = (self.id, &self.azure.image, self.plan.identity.letters());
        let made = u32::from(!image.url.is_empty());
        let definitions = [id.to_owned(), format!("{id}-gen2")];
        vec![
            base("azurerm_storage_account", "Storage account", 1)
                .named([format!("cluster{letters}")])
                .detailed(self.storage()),
            base("azurerm_storage_container", "Storage container", made).named(["vhd".to_owned()]),
            base("azurerm_storage_blob", "Storage blob", made)
                .named([format!("rhcos{letters}.vhd")])
                .detailed("copy of the machines' image"),
            base("azurerm_shared_image_gallery", "Image gallery", made)
                .named([format!("gallery_{}", id.replace('-', "_"))]),
            base("azurerm_shared_image", "Image definition", 2 * made).named(definitions),
            base("azurerm_shared_image_version", "Image version", 2 * made).detailed(&image.release),
        ]
    }

    /// What is special about the storage account.
    fn storage(&self) -> String {
        let storage = &self.azure.storage;
        let key = storage.encryption.as_ref().map(|key| format!("encrypted with {}", key.address));
        let closed = storage.without_access_keys.then(|| "without access keys".to_owned());
        key.into_iter().chain(closed).collect::<Vec<_>>().join(", ")
    }

    fn network(&self) -> Vec<Item> {
        let network = &self.azure.network;
        let Some(addresses) = &network.new else {
            return Vec::new();
        };
        let zoned = network.compute_subnets.iter().flat_map(|subnet| &subnet.addresses);
        let zoned: Vec<&str> = zoned.map(String::as_str).collect();
        let compute = if zoned.is_empty() { addresses.compute.join(", ") } else { zoned.join(", ") };
        let control_plane = addresses.control_plane.join(", ");
        vec![
            base("azurerm_virtual_network", "Virtual network", 1)
                .named([network.name.clone()])
                .detailed(addresses.network.join(", ")),
            base("azurerm_subnet", "Subnet", number(self.subnets().len()))
                .named(self.subnets())
                .detailed(format!("{control_plane} for the control plane, {compute} for compute machines")),
        ]
    }

    fn security_group(&self) -> Vec<Item> {
        let (new, group) = (u32::from(self.is_new()), self.azure.network.security_group.clone());
        vec![
            base("azurerm_network_security_group", "Network security group", 1).named([group]),
            base("azurerm_network_security_rule", "Network security rule", new)
                .named(["apiserver_in".to_owned()])
                .detailed("TCP 6443 from anywhere"),
            base(
                "azurerm_subnet_network_security_group_association",
                "Security group association",
                new * number(self.subnets().len()),
            ),
        ]
    }

    fn load_balancing(&self) -> Vec<Item> {
        let (families, public) = (self.per_family(), self.public_families());
        // The public load balancer carries the API of a public cluster and lets a private one out.
        let (api, out) = if self.is_private() { (0, public) } else { (public, 0) };
        let public_name = self.has_public_balancer().then(|| self.id.to_owned());
        let balancers: Vec<String> =
            [self.azure.load_balancers.internal.clone()].into_iter().chain(public_name).collect();
        let mut addresses = if self.has_public_balancer() { self.of_families("pip") } else { Vec::new() };
        if self.network_gateways() > 0 {
            addresses.push(format!("{}-natgw-pip-v4", self.id));
        }
        addresses.extend(self.subnet_gateways().map(|gateway| format!("{}-pip", gateway.name)));
        let ports = if self.is_private() { "TCP 6443 and 22623 inside" } else { OPEN_PORTS };
        vec![
            base("azurerm_public_ip", "Public IP address", number(addresses.len())).named(addresses),
            base("azurerm_lb", "Load balancer", number(balancers.len())).named(balancers),
            base("azurerm_lb_backend_address_pool", "Load balancer backend pool", families + public),
            base("azurerm_lb_probe", "Load balancer probe", 2 * families + api),
            base("azurerm_lb_rule", "Load balancer rule", 2 * families + api).detailed(ports),
            base("azurerm_lb_outbound_rule", "Load balancer outbound rule", out)
                .detailed("the machines' way out of the network"),
        ]
    }

    fn nat_gateway(&self) -> Vec<Item> {
        let whole = self.network_gateways();
        let names: Vec<String> = self.subnet_gateways().map(|gateway| gateway.name.clone()).collect();
        let single = number(names.len());
        let names = if whole > 0 { vec![format!("{}-natgw", self.id)] } else { names };
        let details = self.subnet_gateways().map(|gateway| match gateway.zone.as_str() {
            "" => format!("for {}", gateway.subnet),
            zone => format!("in zone {zone} for {}", gateway.subnet),
        });
        let details: Vec<String> = details.collect();
        vec![
            base("azurerm_nat_gateway", "NAT gateway", whole + single)
                .named(names)
                .detailed(details.join(", ")),
            base("azurerm_nat_gateway_public_ip_association", "NAT gateway IP association", whole + single),
            base("azurerm_subnet_nat_gateway_association", "NAT gateway association", 2 * whole + single),
        ]
    }

    fn bootstrap(&self) -> Vec<Item> {
        let (id, families) = (self.id, self.per_family());
        let open = u32::from(!self.is_private());
        let pool = &self.azure.control_plane;
        vec![
            passing("azurerm_storage_container", "Storage container", 1).named(["ignition".to_owned()]),
            passing("azurerm_storage_blob", "Storage blob", 1).named(["bootstrap.ign".to_owned()]),
            passing("azurerm_public_ip", "Public IP address", open * families)
                .named(self.of_families("bootstrap-pip")),
            passing("azurerm_network_security_rule", "Network security rule", open)
                .named(["bootstrap_ssh_in".to_owned()])
                .detailed("TCP 22 from anywhere"),
            passing("azurerm_network_interface", "Network interface", 1)
                .named([format!("{id}-bootstrap-nic")]),
            passing(POOL_MEMBER, "Backend pool association", self.public_families() + families),
            passing("azurerm_linux_virtual_machine", "Virtual machine", 1)
                .named([format!("{id}-bootstrap")])
                .detailed(format!("{}, 100 GB {}", pool.size, pool.disk.kind)),
        ]
    }

    fn machines(&self) -> Vec<Item> {
        let (id, masters) = (self.id, self.masters());
        let pools = self.public_families() + self.per_family();
        let described = if self.azure.control_plane.data_disks.is_empty() { 0 } else { masters };
        let named = |count: u32| (0..count).map(|n| format!("{id}-master-{n}"));
        vec![
            cluster("azurerm_network_interface", "Network interface", masters)
                .named((0..masters).map(|n| format!("{id}-master-{n}-nic"))),
            cluster(POOL_MEMBER, "Backend pool association", masters * pools),
            cluster("azurerm_linux_virtual_machine", "Virtual machine", masters - described)
                .named(named(masters - described))
                .detailed(machines(&self.azure.control_plane)),
            cluster("azurerm_resource_group_template_deployment", "Virtual machine with disks", described)
                .named(named(described))
                .detailed(machines(&self.azure.control_plane)),
        ]
    }

    /// The names of the API: a public one, and those inside.
    fn names(&self) -> Vec<Item> {
        if self.azure.load_balancers.api_address.is_some() {
            return Vec::new();
        }
        let domain = &self.plan.cluster.domain;
        let public: Vec<String> = self
            .families
            .iter()
            .filter(|_| !self.is_private())
            .map(|family| format!("{}.{domain}", if *family == "v4" { "api" } else { "v6-api" }))
            .collect();
        let inside = [format!("api.{domain}"), format!("api-int.{domain}")];
        let records = |family: &'static str| 2 * u32::from(self.families.contains(&family));
        vec![
            cluster("azurerm_dns_cname_record", "Public DNS CNAME record", number(public.len()))
                .named(public),
            cluster("azurerm_private_dns_zone", "Private DNS zone", 1).named([domain.clone()]),
            cluster("azurerm_private_dns_a_record", "Private DNS A record", records("v4"))
                .named(inside.clone()),
            cluster("azurerm_private_dns_aaaa_record", "Private DNS AAAA record", records("v6"))
                .named(inside),
            cluster("azurerm_private_dns_zone_virtual_network_link", "Private DNS zone network link", 1)
                .named([format!("{}-network-link", self.id)]),
        ]
    }

    /// The user's own resource group becomes the cluster's.
    fn adopted(&self) -> Vec<Adopted> {
        let group = &self.azure.groups.existing;
        let names: Vec<String> = Some(group.clone()).filter(|name| !name.is_empty()).into_iter().collect();
        let detail = format!(
            "tag kubernetes.io_cluster.{}=owned; `destroy cluster` keeps it, and removes what the cluster owns in it",
            self.id
        );
        vec![Adopted { kind: "Resource group", names, detail }]
    }

    fn later(&self) -> Vec<Later> {
        let (cluster, dns) = (&self.plan.cluster, &self.azure.dns);
        let pools = self.azure.compute.iter().map(|pool| Later {
            names: vec![pool.name.clone()],
            ..Later::new("Compute machine", pool.replicas).detailed(machines(pool))
        });
        let reach = if cluster.external_ingress { "public" } else { "internal" };
        let apps = format!("*.apps.{}", cluster.domain);
        let zones = u32::from(dns.public_zone.is_some()) + u32::from(dns.private_zone.is_some());
        let address = Later::new("Ingress address", 1).detailed(format!("{reach}, for {apps}"));
        let records = Later::new("Ingress DNS record", zones).detailed(apps);
        pools.chain([address, records]).collect()
    }
}

/// The machines of a pool in words: size, zones and disk.
fn machines(pool: &Pool) -> String {
    let used = pool.zones.iter().take(usize::try_from(pool.replicas).unwrap_or(usize::MAX));
    let zones: Vec<&str> = used.map(String::as_str).filter(|zone| !zone.is_empty()).collect();
    let place = match zones.as_slice() {
        [] => String::new(),
        [only] => format!(" in zone {only}"),
        several => format!(" in zones {}", several.join(", ")),
    };
    let disks: Vec<String> = pool.data_disks.iter().map(|disk| format!("{} GB", disk.size_gb)).collect();
    let disks =
        if disks.is_empty() { String::new() } else { format!(", data disks of {}", disks.join(", ")) };
    format!("{}{place}, {} GB {}{disks}", pool.size, pool.disk.size_gb, pool.disk.kind)
}
