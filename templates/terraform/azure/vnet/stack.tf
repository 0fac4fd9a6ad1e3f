# What Azure Stack Hub needs in place of the gallery and of zones.

resource "azurerm_image" "cluster" {
  count = local.make_image && var.azure_stack ? 1 : 0

  name                = var.cluster_id
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  hyper_v_generation  = "V1"

  os_disk {
    os_type      = "Linux"
    os_state     = "Generalized"
    storage_type = var.azure_master_root_volume_type
    blob_uri     = azurerm_storage_blob.image[0].url
  }
}

# A pool of a Basic load balancer takes machines of one availability set only, so
# the bootstrap machine is in the set of the control plane.
resource "azurerm_availability_set" "cluster" {
  count = var.azure_stack ? 1 : 0

  name                = "${var.cluster_id}-cluster"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
}
