resource "azurerm_storage_account" "cluster" {
  name                = "cluster${var.random_storage_account_suffix}"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags

  account_kind                    = var.azure_stack ? "Storage" : null
  account_tier                    = "Standard"
  account_replication_type        = "LRS"
  allow_nested_items_to_be_public = false
  min_tls_version                 = var.azure_storage_min_tls_version != "" ? var.azure_storage_min_tls_version : null
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
