//! Subnets of the user's that use gateways, security groups or route tables of a cluster. None of these can be
//! removed before the subnet lets go of it.

use std::collections::BTreeMap;

use futures::future::join_all;
use landfall_platform::removal::{Discovered, Resource};
use serde::Deserialize;
use serde_json::Value;

use super::holdings::Holdings;
use super::kinds::{NAT_GATEWAYS, ROUTE_TABLES, SECURITY_GROUPS, SUBNET_USE};
use super::names::{name_of, type_of};
use super::{Ask, unseen};
use crate::cloud::api_versions::Api;
use crate::cloud::arm::Arm;
use crate::cloud::described::{Described, Reference};
use crate::cloud::fault::Fault;
use crate::cloud::operations::Begun;

/// Types that subnets use, and how subnets name them.
const USED: &[(&str, &str)] =
    &[(NAT_GATEWAYS, "natGateway"), (SECURITY_GROUPS, "networkSecurityGroup"), (ROUTE_TABLES, "routeTable")];

/// Between the id of what is used and that of the subnet; no id has it.
const BETWEEN: char = '#';

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Properties {
    subnets: Vec<Reference>,
}

/// The subnets of others that use something of the cluster.
pub(super) async fn subnet_uses(ask: &Ask<'_>, found: &Holdings) -> Discovered {
    let mut out = Discovered::default();
    let used = found.own.iter().filter(|own| USED.iter().any(|(name, _)| own.is_of(name)));
    let asked = used.map(|own| {
        Box::pin(
            async move { (own, ask.arm.find::<Described<Properties>>(Api::NETWORKS, &own.id, &[]).await) },
        )
    });
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    for (own, answer) in join_all(asked).await {
        match answer {
            Ok(described) => {
                let subnets = described.unwrap_or_default().properties.subnets;
                let others = subnets.iter().filter(|subnet| !subnet.id.is_empty() && !found.has(&subnet.id));
                for subnet in others {
                    let mut thing = thing(&own.id, &subnet.id);
                    // A subnet is written as a whole, so that it lets go of one after the other.
                    thing.after.extend(last.insert(subnet.id.to_ascii_lowercase(), thing.id.clone()));
                    out.things.push(thing);
                }
            }
            Err(fault) => out.unseen.push(unseen(&format!("what uses `{}`", own.name), &fault)),
        }
    }
    out
}

fn thing(used: &str, subnet: &str) -> Resource {
    let name = format!("{} by the subnet {}", name_of(used), name_of(subnet));
    Resource::removed(&SUBNET_USE, format!("{used}{BETWEEN}{subnet}"), name)
}

/// Begins to make a subnet let go of what it uses. One that does not use it any more is left as it is.
pub(super) async fn let_go(arm: &Arm, id: &str) -> Result<Begun, Fault> {
    let Some((used, subnet)) = id.split_once(BETWEEN) else {
        return Ok(Begun::Ended);
    };
    let Some(mut document) = arm.find_in::<Value>(arm.version(Api::NETWORKS), subnet).await? else {
        return Ok(Begun::Ended);
    };
    if !take_out(&mut document, used) {
        return Ok(Begun::Ended);
    }
    arm.begin_put(Api::NETWORKS, subnet, &document).await
}

/// Whether a subnet still uses it.
pub(super) async fn is_used(arm: &Arm, id: &str) -> Result<bool, Fault> {
    let Some((used, subnet)) = id.split_once(BETWEEN) else {
        return Ok(false);
    };
    let document = arm.find_in::<Value>(arm.version(Api::NETWORKS), subnet).await?;
    Ok(document.is_some_and(|mut document| take_out(&mut document, used)))
}

/// Takes what is used out of the description of a subnet; whether it was there.
fn take_out(document: &mut Value, used: &str) -> bool {
    let name = type_of(used).unwrap_or_default();
    let Some((_, key)) = USED.iter().find(|(known, _)| *known == name) else {
        return false;
    };
    let Some(properties) = document.get_mut("properties").and_then(Value::as_object_mut) else {
        return false;
    };
    let own = properties.get(*key).and_then(|value| value.get("id")).and_then(Value::as_str);
    if !own.is_some_and(|id| id.eq_ignore_ascii_case(used)) {
        return false;
    }
    properties.remove(*key).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::holdings::Holding;
    use super::*;
    use crate::cloud::scripted::{Scripted, scripted};

    type Outcome = Result<(), Box<dyn std::error::Error>>;

    const GATEWAY: &str =
        "/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/natGateways/demo-natgw";
    const SUBNET: &str =
        "/subscriptions/s/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/a";

    #[tokio::test]
    async fn a_subnet_lets_go_once() -> Outcome {
        const USING: Scripted = (
            200,
            &[],
            r#"{"name": "a", "etag": "W/\"1\"", "properties": {"addressPrefix": "10.0.0.0/24", "natGateway": {"id":
                "/subscriptions/s/resourceGroups/RG/providers/Microsoft.Network/natGateways/demo-natgw"}}}"#,
        );
        const FREE: Scripted = (200, &[], r#"{"name": "a", "properties": {"addressPrefix": "10.0.0.0/24"}}"#);
        const BEGUN: Scripted =
            (201, &[("azure-asyncoperation", "https://management.example.com/operations/1")], "{}");
        let (arm, script) = scripted(&[USING, BEGUN, FREE])?;
        let id = thing(GATEWAY, SUBNET).id;
        let begun = let_go(&arm, &id).await.map_err(|fault| fault.message)?;
        assert!(matches!(begun, Begun::Going(Some(_))));
        let again = let_go(&arm, &id).await.map_err(|fault| fault.message)?;
        assert!(matches!(again, Begun::Ended));
        let asked = script.asked();
        let methods: Vec<&str> = asked.iter().filter_map(|asked| asked.split(' ').next()).collect();
        assert_eq!(methods, ["GET", "PUT", "GET"]);
        // Nothing that somebody else changes meanwhile is lost.
        assert!(asked.iter().filter(|asked| asked.ends_with(" if W/\"1\"")).count() == 1, "{asked:?}");
        Ok(())
    }

    #[tokio::test]
    async fn a_subnet_lets_go_of_one_after_the_other() -> Outcome {
        const USED_BY: Scripted =
            (200, &[], r#"{"properties": {"subnets": [{"id": "/n/subnets/A"}, {"id": "/n/subnets/b"}]}}"#);
        const USED_BY_ONE: Scripted =
            (200, &[], r#"{"properties": {"subnets": [{"id": "/n/subnets/a"}, {"id": ""}]}}"#);
        let (arm, _) = scripted(&[USED_BY, USED_BY_ONE])?;
        let own = [("/g/nat", NAT_GATEWAYS), ("/g/table", ROUTE_TABLES)];
        let own =
            own.map(|(id, kind)| Holding { id: id.to_owned(), kind: kind.to_owned(), ..Holding::default() });
        let found = Holdings { own: own.to_vec(), ..Holdings::default() };
        let out = subnet_uses(&Ask::of_test(&arm), &found).await;
        let told: Vec<(&str, &[String])> =
            out.things.iter().map(|thing| (thing.id.as_str(), thing.after.as_slice())).collect();
        let first = ["/g/nat#/n/subnets/A".to_owned()];
        let all: [(&str, &[String]); 3] =
            [("/g/nat#/n/subnets/A", &[]), ("/g/nat#/n/subnets/b", &[]), ("/g/table#/n/subnets/a", &first)];
        assert_eq!(told, all);
        Ok(())
    }

    #[test]
    fn only_what_is_the_cluster_s_is_taken_out() {
        let subnet = |id: &str| serde_json::json!({ "properties": { "natGateway": { "id": id }, "x": 1 } });
        let mut own = subnet(GATEWAY);
        assert!(take_out(&mut own, GATEWAY));
        assert_eq!(own, serde_json::json!({ "properties": { "x": 1 } }));
        let mut other =
            subnet("/subscriptions/s/resourceGroups/rg/providers/Microsoft.Network/natGateways/x");
        assert!(!take_out(&mut other, GATEWAY));
        assert!(!take_out(&mut subnet(GATEWAY), SUBNET));
    }
}
