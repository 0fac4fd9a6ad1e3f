//! The resource group, and who the machines are in it.

use serde_json::json;

use super::set::{Object, Set, object};
use crate::desired::Mode;
use crate::names::{CONTRIBUTOR, group_id, role_assignment};

/// The keys of the `ConfigMap` into which the operator writes who an identity is.
const PRINCIPAL: &str = "principalId";
const CLIENT: &str = "clientId";

/// Adds the cluster's group, and an identity with its role where the machines have none of the user's.
pub(super) fn add(set: &mut Set<'_>) {
    let groups = &set.azure.groups;
    let mode = if groups.existing.is_empty() { Mode::Managed } else { Mode::Claimable };
    let spec = json!({ "azureName": groups.cluster, "location": set.location() });
    set.add(Object::new("ResourceGroup", set.names.group.clone(), spec).mode(mode));
    if !set.azure.identity.is_empty() {
        add_identity(set);
        add_role(set);
    }
}

fn add_identity(set: &mut Set<'_>) {
    let azure_name = set.azure.identity.as_str();
    let destination = |key: &str| json!({ "name": azure_name, "key": key });
    let spec = json!({
        "azureName": azure_name,
        "owner": set.in_group(),
        "location": set.location(),
        "operatorSpec": {
            "configMaps": { PRINCIPAL: destination(PRINCIPAL), CLIENT: destination(CLIENT) },
        },
    });
    set.add(Object::new("UserAssignedIdentity", set.names.identity.clone(), spec));
}

fn add_role(set: &mut Set<'_>) {
    let azure_name = set.azure.identity.as_str();
    let subscription = set.subscription();
    let scope = group_id(subscription, &set.azure.groups.cluster);
    let identity = set.id(&format!("Microsoft.ManagedIdentity/userAssignedIdentities/{azure_name}"));
    let role = format!(
        "/subscriptions/{subscription}/providers/Microsoft.Authorization/roleDefinitions/{CONTRIBUTOR}"
    );
    let spec = json!({
        "azureName": role_assignment(&scope, CONTRIBUTOR, &identity),
        "owner": object("ResourceGroup", &set.names.group),
        "principalIdFromConfig": { "name": azure_name, "key": PRINCIPAL },
        "principalType": "ServicePrincipal",
        "roleDefinitionReference": { "armId": role },
    });
    let parent = set.names.identity.clone();
    let name = set.name_within("role assignment", &parent, "contributor");
    set.add(Object::new("RoleAssignment", name, spec).needing("UserAssignedIdentity", &parent));
}
