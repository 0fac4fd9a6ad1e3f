//! What the objects of a finished cluster say of its infrastructure.

use landfall_engine_aso::drive::ObservedState;
use serde_json::Value;

use super::resource::Outputs;

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
        public_addresses: texts("PublicIPAddress", |object| text(object, "/status/ipAddress")),
        internal_addresses: texts("LoadBalancer", internal),
        resource_group_ids: texts("ResourceGroup", id),
        network_ids: texts("VirtualNetwork", id),
        subnet_ids: texts("VirtualNetworksSubnet", id),
        zone_ids: texts("PrivateDnsZone", id),
    }
}

fn text<'v>(object: &'v Value, pointer: &str) -> Vec<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).into_iter().collect()
}

fn id(object: &Value) -> Vec<&str> {
    text(object, "/status/id")
}

/// The addresses of a load balancer within its network.
fn internal(object: &Value) -> Vec<&str> {
    let frontends = object.pointer("/status/frontendIPConfigurations").and_then(Value::as_array);
    frontends.into_iter().flatten().flat_map(|frontend| text(frontend, "/privateIPAddress")).collect()
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
}
