//! NAT gateways that are attached to subnets of the user's. Such an attachment is a property of the subnet, which is read
//! and written as a whole.

use landfall_platform::native::Failure;
use serde_json::{Map, Value};

use super::failure::failure;
use super::{Made, pages};
use crate::cloud::arm::Arm;
use crate::cloud::fault::Fault;
use crate::resources::NAT_GATEWAY;

/// The subnet of an attachment; none for the id of anything else.
fn subnet(id: &str) -> Option<&str> {
    id.strip_suffix(NAT_GATEWAY)?.strip_suffix('/')
}

/// Whether an id is that of an attachment.
pub(super) fn is(id: &str) -> bool {
    subnet(id).is_some()
}

/// The subnet as it is, if a NAT gateway is attached to it, whichever it is.
pub(super) async fn find(arm: &Arm, version: &str, id: &str) -> Result<Option<Value>, Fault> {
    let found = arm.find_in::<Value>(version, subnet(id).unwrap_or(id)).await?;
    Ok(found.filter(|subnet| subnet.pointer("/properties/natGateway/id").is_some_and(Value::is_string)))
}

/// The path of the subnet, and the subnet with the attachment that `wanted` has.
pub(super) async fn whole<'i>(
    arm: &Arm,
    version: &str,
    id: &'i str,
    wanted: &Value,
) -> Made<(&'i str, Value)> {
    let path = subnet(id).unwrap_or(id);
    let found = arm.find_in::<Map<String, Value>>(version, path).await.map_err(|fault| failure(&fault))?;
    let mut whole = found.ok_or_else(|| Failure::Refused(Box::new(pages::not_there(path))))?;
    let properties = whole.entry("properties").or_insert_with(|| Map::new().into());
    if let (Some(properties), Some(attached)) =
        (properties.as_object_mut(), wanted.pointer("/properties/natGateway"))
    {
        properties.insert(NAT_GATEWAY.to_owned(), attached.clone());
    }
    Ok((path, whole.into()))
}
