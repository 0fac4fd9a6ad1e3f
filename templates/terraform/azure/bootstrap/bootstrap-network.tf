locals {
  bootstrap_public_families = { for key, family in local.ip_families : key => family if !var.azure_private }

  elb_backend_pools = {
    for key, id in { v4 = var.elb_backend_pool_v4_id, v6 = var.elb_backend_pool_v6_id } : key => id if id != ""
  }
  ilb_backend_pools = {
    for key, id in { v4 = var.ilb_backend_pool_v4_id, v6 = var.ilb_backend_pool_v6_id } : key => id if id != ""
  }
}

resource "azurerm_public_ip" "bootstrap" {
  for_each = local.bootstrap_public_families

  name                = "${var.cluster_id}-bootstrap-pip-${each.key}"
  location            = var.azure_region
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags
  sku                 = "Standard"
  allocation_method   = "Static"
  ip_version          = each.value.version
}

resource "azurerm_network_interface" "bootstrap" {
  name                = "${var.cluster_id}-bootstrap-nic"
  location            = var.azure_region
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags

  dynamic "ip_configuration" {
    for_each = local.nic_families

    content {
      name                          = "bootstrap-nic-ip-${ip_configuration.key}"
      primary                       = ip_configuration.key == "v4"
      subnet_id                     = var.master_subnet_id
      private_ip_address_allocation = "Dynamic"
      private_ip_address_version    = ip_configuration.value
      public_ip_address_id          = try(azurerm_public_ip.bootstrap[ip_configuration.key].id, null)
    }
  }
}

resource "azurerm_network_interface_backend_address_pool_association" "bootstrap_public" {
  for_each = local.elb_backend_pools

  network_interface_id    = azurerm_network_interface.bootstrap.id
  ip_configuration_name   = "bootstrap-nic-ip-${each.key}"
  backend_address_pool_id = each.value
}

resource "azurerm_network_interface_backend_address_pool_association" "bootstrap_internal" {
  for_each = local.ilb_backend_pools

  network_interface_id    = azurerm_network_interface.bootstrap.id
  ip_configuration_name   = "bootstrap-nic-ip-${each.key}"
  backend_address_pool_id = each.value
}

# Logs are gathered from outside; goes away with the bootstrap machine.
resource "azurerm_network_security_rule" "bootstrap_ssh" {
  count = var.azure_private ? 0 : 1

  name                        = "bootstrap_ssh_in"
  resource_group_name         = var.resource_group_name
  network_security_group_name = var.nsg_name
  priority                    = 103
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_address_prefix       = "*"
  source_port_range           = "*"
  destination_address_prefix  = "*"
  destination_port_range      = "22"
}
