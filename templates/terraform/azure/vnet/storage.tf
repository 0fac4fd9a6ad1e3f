resource "azurerm_storage_account" "cluster" {
  name                = "cluster${var.random_storage_account_suffix}"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags

  account_tier                    = "Standard"
  account_replication_type        = "LRS"
  allow_nested_items_to_be_public = false
  min_tls_version                 = var.azure_storage_min_tls_version != "" ? var.azure_storage_min_tls_version : null
  shared_access_key_enabled       = !var.azure_storage_without_access_keys

  dynamic "identity" {
    for_each = local.storage_keys

    content {
      type         = "UserAssigned"
      identity_ids = [identity.value.identity]
    }
  }

  # Without a version: Azure takes the newest, also after the key was rotated.
  dynamic "customer_managed_key" {
    for_each = local.storage_keys

    content {
      key_vault_key_id          = customer_managed_key.value.address
      user_assigned_identity_id = customer_managed_key.value.identity
    }
  }
}

locals {
  storage_keys = var.azure_storage_key == null ? [] : [var.azure_storage_key]

  # Where no signature opens the account, the bootstrap machine reads its config as its identity: the one that
  # is created, or the only one of the user's.
  storage_readers  = var.azure_storage_without_access_keys ? 1 : 0
  given_identities = var.azure_master_identities == null ? [] : var.azure_master_identities
  given_readers    = var.azure_storage_without_access_keys ? length(local.given_identities) : 0
}

data "azurerm_user_assigned_identity" "reader" {
  count = local.given_readers

  name                = split("/", local.given_identities[0])[8]
  resource_group_name = split("/", local.given_identities[0])[4]
}

locals {
  reader_principal_id = one(concat(
    data.azurerm_user_assigned_identity.reader[*].principal_id,
    local.given_readers == 0 ? azurerm_user_assigned_identity.cluster[*].principal_id : [],
  ))
}

resource "azurerm_role_assignment" "reader" {
  count = local.storage_readers

  name = uuidv5("url", join("|", [
    azurerm_storage_account.cluster.id, "Storage Blob Data Reader", local.reader_principal_id,
  ]))
  scope                = azurerm_storage_account.cluster.id
  role_definition_name = "Storage Blob Data Reader"
  principal_id         = local.reader_principal_id
  principal_type       = "ServicePrincipal"
}

resource "azurerm_storage_container" "vhd" {
  count = local.make_image ? 1 : 0

  name                  = "vhd"
  storage_account_id    = azurerm_storage_account.cluster.id
  container_access_type = "private"
}

# Copied by the storage service itself, nothing passes through this machine.
resource "azurerm_storage_blob" "image" {
  count = local.make_image ? 1 : 0

  name                 = "rhcos${var.random_storage_account_suffix}.vhd"
  storage_container_id = azurerm_storage_container.vhd[0].id
  type                 = "Page"
  source_uri           = var.azure_image_url
  metadata             = { source_uri = var.azure_image_url }

  # The source may be in another cloud on another continent.
  timeouts {
    create = "120m"
  }
}
