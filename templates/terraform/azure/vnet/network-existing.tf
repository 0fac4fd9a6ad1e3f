# The user's network is read and never changed.

data "azurerm_resource_group" "network" {
  count = var.azure_preexisting_network ? 1 : 0

  name = var.azure_network_resource_group_name
}

data "azurerm_virtual_network" "existing" {
  count = var.azure_preexisting_network ? 1 : 0

  name                = var.azure_virtual_network
  resource_group_name = var.azure_network_resource_group_name
}

data "azurerm_subnet" "master" {
  count = var.azure_preexisting_network ? 1 : 0

  name                 = var.azure_control_plane_subnet
  resource_group_name  = var.azure_network_resource_group_name
  virtual_network_name = var.azure_virtual_network
}

data "azurerm_subnet" "worker" {
  count = var.azure_preexisting_network ? 1 : 0

  name                 = var.azure_compute_subnet
  resource_group_name  = var.azure_network_resource_group_name
  virtual_network_name = var.azure_virtual_network
}

# The network of the cluster, whichever it is.
locals {
  virtual_network_id = one(concat(azurerm_virtual_network.cluster[*].id, data.azurerm_virtual_network.existing[*].id))
  master_subnet_id   = one(concat(azurerm_subnet.master[*].id, data.azurerm_subnet.master[*].id))
  worker_subnet_id   = one(concat(azurerm_subnet.worker[*].id, data.azurerm_subnet.worker[*].id))

  master_prefixes = var.azure_preexisting_network ? data.azurerm_subnet.master[0].address_prefixes : local.subnet_cidrs[*].master
}
