locals {
  nat_gateways = var.azure_outbound_routing_type == "NatGateway" && !var.azure_preexisting_network ? 1 : 0
}

# IPv4 only: a gateway of this SKU takes no IPv6 address.
resource "azurerm_public_ip" "nat_gateway" {
  count = local.nat_gateways

  name                = "${var.cluster_id}-natgw-pip-v4"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  sku                 = "Standard"
  allocation_method   = "Static"
}

resource "azurerm_nat_gateway" "cluster" {
  count = local.nat_gateways

  name                    = "${var.cluster_id}-natgw"
  location                = var.azure_region
  resource_group_name     = local.resource_group_name
  tags                    = var.azure_extra_tags
  sku_name                = "Standard"
  idle_timeout_in_minutes = 10
}

resource "azurerm_nat_gateway_public_ip_association" "cluster" {
  count = local.nat_gateways

  nat_gateway_id       = azurerm_nat_gateway.cluster[0].id
  public_ip_address_id = azurerm_public_ip.nat_gateway[0].id
}

resource "azurerm_subnet_nat_gateway_association" "master" {
  count = local.nat_gateways

  subnet_id      = azurerm_subnet.master[0].id
  nat_gateway_id = azurerm_nat_gateway.cluster[0].id
}

resource "azurerm_subnet_nat_gateway_association" "worker" {
  count = local.nat_gateways

  subnet_id      = azurerm_subnet.worker[0].id
  nat_gateway_id = azurerm_nat_gateway.cluster[0].id
}

# Gateways of single subnets of compute machines: one in each zone, or one in a network of the user's. The control
# plane goes out through the public load balancer.
locals {
  subnet_gateways = { for gateway in var.azure_nat_gateways : gateway.name => gateway }
}

data "azurerm_subnet" "compute" {
  for_each = { for name, gateway in local.subnet_gateways : name => gateway.subnet if var.azure_preexisting_network }

  name                 = each.value
  resource_group_name  = var.azure_network_resource_group_name
  virtual_network_name = var.azure_virtual_network
}

resource "azurerm_public_ip" "subnet_gateway" {
  for_each = local.subnet_gateways

  name                = "${each.key}-pip"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  sku                 = "Standard"
  allocation_method   = "Static"
  zones               = each.value.zone != "" ? [each.value.zone] : null
}

resource "azurerm_nat_gateway" "subnet" {
  for_each = local.subnet_gateways

  name                    = each.key
  location                = var.azure_region
  resource_group_name     = local.resource_group_name
  tags                    = var.azure_extra_tags
  sku_name                = "Standard"
  idle_timeout_in_minutes = 10
  zones                   = each.value.zone != "" ? [each.value.zone] : null
}

resource "azurerm_nat_gateway_public_ip_association" "subnet" {
  for_each = local.subnet_gateways

  nat_gateway_id       = azurerm_nat_gateway.subnet[each.key].id
  public_ip_address_id = azurerm_public_ip.subnet_gateway[each.key].id
}

resource "azurerm_subnet_nat_gateway_association" "subnet" {
  for_each = local.subnet_gateways

  subnet_id = try(
    data.azurerm_subnet.compute[each.key].id,
    azurerm_subnet.zone[each.value.subnet].id,
    azurerm_subnet.worker[0].id,
  )
  nat_gateway_id = azurerm_nat_gateway.subnet[each.key].id
}
