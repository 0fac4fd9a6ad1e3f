//! The load balancers: the public one for the API and the way out, the internal one for the API within.

use serde_json::{Value, json};

use super::network::{in_group, public_address};
use super::set::{Object, Set, by_id, reference};

/// Minutes after which a quiet connection is forgotten.
const IDLE_MINUTES: u8 = 30;
/// Name of the public load balancer's frontend.
pub(super) const PUBLIC_FRONTEND: &str = "public-lb-ip-v4";

/// What a load balancer passes on, and how it looks whether a machine takes it.
struct Service {
    rule: &'static str,
    probe: &'static str,
    port: u16,
    path: &'static str,
}

const PUBLIC_API: Service = Service { rule: "api-v4", probe: "api-probe", port: 6443, path: "/readyz" };
const INTERNAL: [Service; 2] = [
    Service { rule: "api-internal-v4", probe: "api-internal-probe", port: 6443, path: "/readyz" },
    Service { rule: "sint-v4", probe: "sint-probe", port: 22623, path: "/healthz" },
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
    let mut address = public_address(set, &format!("{id}-pip-v4"));
    if set.external_api() {
        address["dnsSettings"] = json!({ "domainNameLabel": id });
    }
    let address_name = set.names.public_address.clone();
    set.add(Object::new("PublicIPAddress", address_name.clone(), address));

    let frontend = json!({
        "name": PUBLIC_FRONTEND,
        "publicIPAddress": reference("PublicIPAddress", &address_name),
    });
    let mut spec = balancer(set, id, &frontend);
    let outbound = !set.own_routes();
    if set.external_api() {
        serve(&mut spec, set, id, PUBLIC_FRONTEND, &[PUBLIC_API]);
        if outbound {
            spec["loadBalancingRules"][0]["disableOutboundSnat"] = true.into();
        }
    }
    if outbound {
        spec["outboundRules"] = json!([{
            "name": "outbound-rule-v4",
            "protocol": "All",
            "idleTimeoutInMinutes": IDLE_MINUTES,
            "backendAddressPool": part(set, id, Part::Pool, id),
            "frontendIPConfigurations": [part(set, id, Part::Frontend, PUBLIC_FRONTEND)],
        }]);
    }
    set.add(Object::new("LoadBalancer", set.names.public.clone(), spec));
}

fn add_internal(set: &mut Set<'_>) {
    let azure_name = set.azure.load_balancers.internal.as_str();
    let frontend_name = format!("{azure_name}-frontEnd");
    let mut frontend = json!({
        "name": frontend_name,
        "privateIPAddressVersion": "IPv4",
        "privateIPAllocationMethod": "Dynamic",
        "subnet": reference("VirtualNetworksSubnet", &set.names.control_plane_subnet),
    });
    if let Some(address) = set.internal_address() {
        frontend["privateIPAddress"] = address.to_string().into();
        frontend["privateIPAllocationMethod"] = "Static".into();
    }
    let mut spec = balancer(set, azure_name, &frontend);
    serve(&mut spec, set, azure_name, &frontend_name, &INTERNAL);
    set.add(Object::new("LoadBalancer", set.names.internal.clone(), spec));
}

/// A load balancer with one address, and machines behind it.
fn balancer(set: &Set<'_>, azure_name: &str, frontend: &Value) -> Value {
    let mut spec = in_group(set, azure_name);
    spec["sku"] = json!({ "name": "Standard", "tier": "Regional" });
    spec["frontendIPConfigurations"] = json!([frontend]);
    spec["backendAddressPools"] = json!([{ "name": azure_name }]);
    spec
}

/// Has a load balancer pass on what comes for these services.
fn serve(spec: &mut Value, set: &Set<'_>, azure_name: &str, frontend: &str, services: &[Service]) {
    let probes = services.iter().map(|service| {
        json!({
            "name": service.probe,
            "protocol": "Https",
            "port": service.port,
            "requestPath": service.path,
            "intervalInSeconds": 5,
            "numberOfProbes": 2,
        })
    });
    spec["probes"] = probes.collect();
    let rules = services.iter().map(|service| {
        json!({
            "name": service.rule,
            "protocol": "Tcp",
            "frontendPort": service.port,
            "backendPort": service.port,
            "idleTimeoutInMinutes": IDLE_MINUTES,
            "enableFloatingIP": false,
            "loadDistribution": "Default",
            "frontendIPConfiguration": part(set, azure_name, Part::Frontend, frontend),
            "backendAddressPool": part(set, azure_name, Part::Pool, azure_name),
            "probe": part(set, azure_name, Part::Probe, service.probe),
        })
    });
    spec["loadBalancingRules"] = rules.collect();
}
