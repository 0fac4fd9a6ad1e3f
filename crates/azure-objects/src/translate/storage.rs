//! The storage account, from which the bootstrap machine takes its config.

use landfall_model::azure::config::CustomerManagedKey;
use landfall_model::azure::planned::MANAGED_IDENTITY;
use serde_json::{Value, json};

use super::set::{Object, Set, owner};
use crate::names::{resource_id, storage_account};

/// Adds the account with a container for the config.
pub(super) fn add(set: &mut Set<'_>) {
    let name = set.names.account.clone();
    let spec = account(set);
    set.add(Object::new("StorageAccount", name.clone(), spec));
    let service = set.name_within("blob service", &name, "default");
    set.add(Object::new("StorageAccountsBlobService", service.clone(), json!({ "owner": owner(&name) })));
    let spec = json!({ "azureName": "ignition", "owner": owner(&service), "publicAccess": "None" });
    let container = set.name_within("container", &name, "ignition");
    // Whether it was managed before is the account's to say, as the service itself never is.
    let container = Object::new("StorageAccountsBlobServicesContainer", container, spec);
    set.add(container.needing("StorageAccount", &name));
}

fn account(set: &Set<'_>) -> Value {
    let key = set.platform.customer_managed_key.as_ref();
    // The ignition config is uploaded with a key: by landfall itself, or by the user of the operator.
    let is_keyless = set.by_operator() && set.azure.account.identity == MANAGED_IDENTITY;
    let by_key = !is_keyless && set.platform.allow_shared_key_access != Some(false);
    let keys = format!("{}-storage-keys", set.infra_id());
    let secret = |key: &str| json!({ "name": keys, "key": key });
    // The account that the OpenShift installer encrypts takes page blobs alone. landfall uploads block blobs.
    let for_page_blobs = key.is_some() && set.by_operator();
    let mut spec = json!({
        "azureName": storage_account(set.infra_id()),
        "owner": set.in_group(),
        "location": set.location(),
        "kind": "StorageV2",
        "sku": { "name": if for_page_blobs { "Premium_LRS" } else { "Standard_LRS" } },
        "allowBlobPublicAccess": for_page_blobs,
        "allowSharedKeyAccess": by_key,
        "allowCrossTenantReplication": false,
        "isLocalUserEnabled": true,
        "largeFileSharesState": "Enabled",
        "publicNetworkAccess": "Enabled",
        "operatorSpec": {
            "secrets": { "key1": secret("key1"), "blobEndpoint": secret("blobEndpoint") },
        },
    });
    let tls = &set.azure.cloud.storage_min_tls;
    if !tls.is_empty() {
        spec["minimumTlsVersion"] = tls.as_str().into();
    }
    if let Some(key) = key {
        encrypt(&mut spec, set, key);
    }
    spec
}

/// Has the account encrypted with a key of the user's own. The identity that reads it is in the vault's
/// group.
fn encrypt(spec: &mut Value, set: &Set<'_>, key: &CustomerManagedKey) {
    let vault = &key.key_vault;
    let identity =
        format!("Microsoft.ManagedIdentity/userAssignedIdentities/{}", key.user_assigned_identity_key);
    let identity = json!({ "armId": resource_id(set.subscription(), &vault.resource_group, &identity) });
    spec["identity"] =
        json!({ "type": "UserAssigned", "userAssignedIdentities": [{ "reference": identity }] });
    spec["encryption"] = json!({
        "keySource": "Microsoft.Keyvault",
        "keyvaultproperties": {
            "keyname": vault.key_name,
            "keyvaulturi": format!("https://{}.{}/", vault.name, set.input.cloud.key_vaults),
        },
        "identity": { "userAssignedIdentityReference": identity },
    });
}
