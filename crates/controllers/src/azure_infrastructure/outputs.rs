//! What the objects of a finished cluster say of its infrastructure.

use landfall_engine_aso::desired::Need;
use landfall_engine_aso::drive::ObservedState;
use serde_json::Value;

use super::resource::Outputs;

/// The port of the API.
const API_PORT: u16 = 6443;

/// What these objects offer.
pub(super) fn of(world: &ObservedState) -> Outputs {
    let texts = |kind: &str, find: fn(&Value) -> Vec<&str>| {
        let objects = world.iter().filter(|(id, _)| id.kind == kind).map(|(_, object)| object);
        let mut found: Vec<String> = objects.flat_map(find).map(str::to_owned).collect();
        found.sort();
        found.dedup();
        found
    };
    Outputs {
        api_addresses: api(world),
        public_addresses: texts("PublicIPAddress", |object| text(object, "/status/ipAddress")),
        internal_addresses: texts("LoadBalancer", internal),
        resource_group_ids: texts("ResourceGroup", id),
        network_ids: texts("VirtualNetwork", id),
        subnet_ids: texts("VirtualNetworksSubnet", id),
        zone_ids: texts("PrivateDnsZone", id),
    }
}

/// The addresses at which load balancers take connections for the API: the public ones, or else those within the network.
fn api(world: &ObservedState) -> Vec<String> {
    let (mut public, mut internal) = (Vec::new(), Vec::new());
    for (_, balancer) in world.iter().filter(|(id, _)| id.kind == "LoadBalancer") {
        let rules =
            list(balancer, "/spec/loadBalancingRules").filter(|rule| rule["frontendPort"] == API_PORT);
        let named: Vec<&str> = rules
            .flat_map(|rule| text(rule, "/frontendIPConfiguration/reference/armId"))
            .filter_map(|id| id.rsplit('/').next())
            .collect();
        let is_named = |frontend: &&Value| text(frontend, "/name").iter().any(|name| named.contains(name));
        for frontend in list(balancer, "/spec/frontendIPConfigurations").filter(is_named) {
            let name = |name: &str| Need { kind: "PublicIPAddress", name: name.to_owned() };
            let address = text(frontend, "/publicIPAddress/reference/name").into_iter().next().map(name);
            let address = address.and_then(|address| world.get(&address));
            public.extend(address.into_iter().flat_map(|address| text(address, "/status/ipAddress")));
        }
        for frontend in list(balancer, "/status/frontendIPConfigurations").filter(is_named) {
            internal.extend(text(frontend, "/privateIPAddress"));
        }
    }
    let mut found: Vec<String> =
        if public.is_empty() { internal } else { public }.into_iter().map(str::to_owned).collect();
    found.sort();
    found.dedup();
    found
}

fn list<'v>(object: &'v Value, pointer: &str) -> impl Iterator<Item = &'v Value> {
    object.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(object: &'v Value, pointer: &str) -> Vec<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).into_iter().collect()
}

fn id(object: &Value) -> Vec<&str> {
    text(object, "/status/id")
}

/// The addresses of a load balancer within its network.
fn internal(object: &Value) -> Vec<&str> {
    let frontends = list(object, "/status/frontendIPConfigurations");
    frontends.flat_map(|frontend| text(frontend, "/privateIPAddress")).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;

    #[test]
    fn addresses_and_ids_come_from_the_status_of_objects() {
        let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
        assert_eq!(of(&world), Outputs::default());
        let objects = [
            (
                "LoadBalancer",
                "in",
                json!({ "frontendIPConfigurations": [{ "privateIPAddress": "10.0.0.4" }, {}] }),
            ),
            ("LoadBalancer", "out", json!({ "frontendIPConfigurations": [{ "name": "a" }] })),
            ("PublicIPAddress", "a", json!({ "ipAddress": "192.0.2.1" })),
            ("VirtualNetworksSubnet", "b", json!({ "id": "/b" })),
            ("VirtualNetworksSubnet", "a", json!({ "id": "/a" })),
            ("VirtualNetwork", "n", json!({ "id": "/n" })),
            ("ResourceGroup", "g", json!({ "id": "/g" })),
            ("PrivateDnsZone", "z", json!({ "id": "/z" })),
        ];
        for (kind, name, status) in objects {
            world.insert(kind, json!({ "metadata": { "name": name }, "status": status }));
        }
        let found = of(&world);
        assert_eq!(
            (found.internal_addresses, found.public_addresses),
            (vec!["10.0.0.4".into()], vec!["192.0.2.1".into()])
        );
        assert_eq!(found.subnet_ids, ["/a", "/b"]);
        let rest = [found.network_ids, found.resource_group_ids, found.zone_ids].concat();
        assert_eq!(rest, ["/n", "/g", "/z"]);
    }

    #[test]
    fn the_api_is_where_its_rules_are() {
        let frontend = |of: &str, name: &str| {
            format!("/subscriptions/s/loadBalancers/{of}/frontendIPConfigurations/{name}")
        };
        let rule = |of: &str, name: &str, port: u16| {
            json!({
                "frontendPort": port, "frontendIPConfiguration": { "reference": { "armId": frontend(of, name) } },
            })
        };
        let address =
            |name: &str| json!({ "publicIPAddress": { "reference": { "name": name } }, "name": name });
        let mut world = ObservedState::new(Timestamp::UNIX_EPOCH);
        world.insert("LoadBalancer", json!({
            "metadata": { "name": "in" },
            "spec": { "frontendIPConfigurations": [{ "name": "i" }], "loadBalancingRules": [rule("in", "i", 6443)] },
            "status": { "frontendIPConfigurations": [{ "name": "i", "privateIPAddress": "10.0.0.4" }] },
        }));
        // A private cluster has a public address for its way out.
        world.insert(
            "LoadBalancer",
            json!({
                "metadata": { "name": "out" },
                "spec": { "frontendIPConfigurations": [address("way-out")], "loadBalancingRules": [] },
            }),
        );
        for (name, ip) in [("way-out", "192.0.2.1"), ("pip", "192.0.2.2")] {
            world.insert(
                "PublicIPAddress",
                json!({ "metadata": { "name": name }, "status": { "ipAddress": ip } }),
            );
        }
        assert_eq!(of(&world).api_addresses, ["10.0.0.4"]);
        world.insert(
            "LoadBalancer",
            json!({
                "metadata": { "name": "out" },
                "spec": {
                    "frontendIPConfigurations": [address("way-out"), address("pip")],
                    "loadBalancingRules": [rule("out", "pip", 6443), rule("out", "way-out", 80)],
                },
            }),
        );
        let found = of(&world);
        assert_eq!((found.api_addresses, found.public_addresses.len()), (vec!["192.0.2.2".to_owned()], 2));
    }
}
