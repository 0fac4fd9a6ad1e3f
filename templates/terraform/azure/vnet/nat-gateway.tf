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
