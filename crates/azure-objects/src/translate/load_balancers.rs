//! The load balancers: the public one for the API and the way out, the internal one for the API within.

use std::net::IpAddr;

use serde_json::{Value, json};

use super::network::{in_group, public_address};
use super::set::{Family, Object, Set, by_id, reference};

/// Minutes after which a quiet connection is forgotten.
const IDLE_MINUTES: u8 = 30;

/// What a load balancer passes on, and how it looks whether a machine takes it.
struct Service {
    rule: &'static str,
    probe: &'static str,
    port: u16,
    path: &'static str,
}

const PUBLIC_API: Service = Service { rule: "api", probe: "api-probe", port: 6443, path: "/readyz" };
const INTERNAL: [Service; 2] = [
    Service { rule: "api-internal", probe: "api-internal-probe", port: 6443, path: "/readyz" },
    Service { rule: "sint", probe: "sint-probe", port: 22623, path: "/healthz" },
];

/// A part of a load balancer that its other parts, and other resources, refer to.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// An address.
    Frontend,
    /// The machines behind it.
    Pool,
    /// A look at these machines.
    Probe,
}

/// The reference to a part of a load balancer of the cluster.
pub(super) fn part(set: &Set<'_>, balancer: &str, part: Part, name: &str) -> Value {
    let parts = match part {
        Part::Frontend => "frontendIPConfigurations",
        Part::Pool => "backendAddressPools",
        Part::Probe => "probes",
    };
    by_id(&set.id(&format!("Microsoft.Network/loadBalancers/{balancer}/{parts}/{name}")))
}

/// Adds the load balancers, with the public one's address.
pub(super) fn add(set: &mut Set<'_>) {
    if set.has_public_balancer() {
        add_public(set);
    }
    add_internal(set);
}

fn add_public(set: &mut Set<'_>) {
    let id = set.infra_id();
    let mut frontends = Vec::new();
    for family in set.families() {
        let azure_name = public_address_name(set, *family);
        let mut address = public_address(set, &azure_name, *family);
        if set.external_api() {
            address["dnsSettings"] = json!({ "domainNameLabel": id });
        }
        let name = match family {
            Family::V4 => set.names.public_address.clone(),
            Family::V6 => set.name("public address", &azure_name),
        };
        frontends.push(json!({
            "name": public_frontend(*family),
            "publicIPAddress": reference("PublicIPAddress", &name),
        }));
        set.add(Object::new("PublicIPAddress", name, address));
    }
    let mut spec = balancer(set, id, frontends);
    let outbound = !set.own_routes();
    if set.external_api() {
        serve(&mut spec, set, id, public_frontend, &[PUBLIC_API]);
        if outbound && let Some(rules) = spec["loadBalancingRules"].as_array_mut() {
            for rule in rules {
                rule["disableOutboundSnat"] = true.into();
            }
        }
    }
    if outbound {
        let rules = set.families().iter().map(|family| {
            json!({
                "name": format!("outbound-rule{}", family.ending()),
                "protocol": "All",
                "idleTimeoutInMinutes": IDLE_MINUTES,
                "backendAddressPool": part(set, id, Part::Pool, &family.pool(id)),
                "frontendIPConfigurations": [part(set, id, Part::Frontend, &public_frontend(*family))],
            })
        });
        spec["outboundRules"] = rules.collect();
    }
    set.add(Object::new("LoadBalancer", set.names.public.clone(), spec));
}

/// Name of the public load balancer's address.
pub(super) fn public_address_name(set: &Set<'_>, family: Family) -> String {
    format!("{}-pip{}", set.infra_id(), family.ending())
}

/// Name of the public load balancer's frontend.
pub(super) fn public_frontend(family: Family) -> String {
    format!("public-lb-ip{}", family.ending())
}

fn add_internal(set: &mut Set<'_>) {
    let azure_name = set.azure.load_balancers.internal.as_str();
    let named = |family: Family| format!("{azure_name}-frontEnd{}", family.beside());
    let frontends = set.families().iter().map(|family| {
        let mut frontend = json!({
            "name": named(*family),
            "privateIPAddressVersion": family.version(),
            "privateIPAllocationMethod": "Dynamic",
            "subnet": reference("VirtualNetworksSubnet", &set.names.control_plane_subnet),
        });
        let address = match family {
            Family::V4 => set.internal_address().map(IpAddr::from),
            Family::V6 => set.azure.load_balancers.ipv6_address.map(IpAddr::from),
        };
        if let Some(address) = address {
            frontend["privateIPAddress"] = address.to_string().into();
            frontend["privateIPAllocationMethod"] = "Static".into();
        }
        frontend
    });
    let mut spec = balancer(set, azure_name, frontends.collect());
    serve(&mut spec, set, azure_name, named, &INTERNAL);
    set.add(Object::new("LoadBalancer", set.names.internal.clone(), spec));
}

/// A load balancer with an address and machines behind it for each family.
fn balancer(set: &Set<'_>, azure_name: &str, frontends: Vec<Value>) -> Value {
    let mut spec = in_group(set, azure_name);
    spec["sku"] = json!({ "name": "Standard", "tier": "Regional" });
    spec["frontendIPConfigurations"] = frontends.into();
    let pools = set.families().iter().map(|family| json!({ "name": family.pool(azure_name) }));
    spec["backendAddressPools"] = pools.collect();
    spec
}

/// Has a load balancer pass on what comes for these services.
fn serve(
    spec: &mut Value,
    set: &Set<'_>,
    azure_name: &str,
    frontend: impl Fn(Family) -> String,
    services: &[Service],
) {
    let (mut probes, mut rules) = (Vec::new(), Vec::new());
    for (service, family) in
        services.iter().flat_map(|service| set.families().iter().map(move |f| (service, f)))
    {
        let probe = format!("{}{}", service.probe, family.beside());
        rules.push(json!({
            "name": format!("{}{}", service.rule, family.ending()),
            "protocol": "Tcp",
            "frontendPort": service.port,
            "backendPort": service.port,
            "idleTimeoutInMinutes": IDLE_MINUTES,
            "enableFloatingIP": false,
            "loadDistribution": "Default",
            "frontendIPConfiguration": part(set, azure_name, Part::Frontend, &frontend(*family)),
            "backendAddressPool": part(set, azure_name, Part::Pool, &family.pool(azure_name)),
            "probe": part(set, azure_name, Part::Probe, &probe),
        }));
        probes.push(json!({
            "name": probe,
            "protocol": "Https",
            "port": service.port,
            "requestPath": service.path,
            "intervalInSeconds": 5,
            "numberOfProbes": 2,
        }));
    }
    spec["probes"] = probes.into();
    spec["loadBalancingRules"] = rules.into();
}
