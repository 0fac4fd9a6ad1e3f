resource "azurerm_resource_group" "cluster" {
  count = var.azure_resource_group_name == "" ? 1 : 0

  name     = "${var.cluster_id}-rg"
  location = var.azure_region
  tags     = var.azure_extra_tags
}

# landfall has put the ownership tag on the user's group before terraform runs.
data "azurerm_resource_group" "cluster" {
  count = var.azure_resource_group_name == "" ? 0 : 1

  name = var.azure_resource_group_name
}

locals {
  resource_group_name = one(concat(azurerm_resource_group.cluster[*].name, data.azurerm_resource_group.cluster[*].name))
  resource_group_id   = one(concat(azurerm_resource_group.cluster[*].id, data.azurerm_resource_group.cluster[*].id))
}
