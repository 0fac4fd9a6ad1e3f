locals {
  # The machine controller looks for these names.
  master_ip_configurations = { v4 = "pipConfig", v6 = "pipConfig-v6" }

  elb_backend_pools = {
    for key, id in { v4 = var.elb_backend_pool_v4_id, v6 = var.elb_backend_pool_v6_id } : key => id if id != ""
  }
  ilb_backend_pools = {
    for key, id in { v4 = var.ilb_backend_pool_v4_id, v6 = var.ilb_backend_pool_v6_id } : key => id if id != ""
  }

  # One entry per machine and pool.
  elb_members = {
    for pair in setproduct(range(var.master_count), keys(local.elb_backend_pools)) :
    "${pair[0]}-${pair[1]}" => { master = tonumber(pair[0]), family = pair[1] }
  }
  ilb_members = {
    for pair in setproduct(range(var.master_count), keys(local.ilb_backend_pools)) :
    "${pair[0]}-${pair[1]}" => { master = tonumber(pair[0]), family = pair[1] }
  }
}

resource "azurerm_network_interface" "master" {
  count = var.master_count

  name                           = "${var.cluster_id}-master-${count.index}-nic"
  location                       = var.azure_region
  resource_group_name            = var.resource_group_name
  tags                           = var.azure_extra_tags
  accelerated_networking_enabled = var.azure_control_plane_vm_networking_type

  dynamic "ip_configuration" {
    for_each = local.nic_families

    content {
      name                          = local.master_ip_configurations[ip_configuration.key]
      primary                       = ip_configuration.key == "v4"
      subnet_id                     = var.master_subnet_id
      private_ip_address_allocation = "Dynamic"
      private_ip_address_version    = ip_configuration.value
    }
  }
}

resource "azurerm_network_interface_backend_address_pool_association" "master_public" {
  for_each = local.elb_members

  network_interface_id    = azurerm_network_interface.master[each.value.master].id
  ip_configuration_name   = local.master_ip_configurations[each.value.family]
  backend_address_pool_id = local.elb_backend_pools[each.value.family]
}

resource "azurerm_network_interface_backend_address_pool_association" "master_internal" {
  for_each = local.ilb_members

  network_interface_id    = azurerm_network_interface.master[each.value.master].id
  ip_configuration_name   = local.master_ip_configurations[each.value.family]
  backend_address_pool_id = local.ilb_backend_pools[each.value.family]
}
