# Always in the cluster's group; the cloud provider adds its rules for services.
resource "azurerm_network_security_group" "cluster" {
  name                = "${var.cluster_id}-nsg"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
}

# Also for a private cluster: its clients may come from peered networks.
resource "azurerm_network_security_rule" "api" {
  count = var.azure_preexisting_network ? 0 : 1

  name                        = "apiserver_in"
  resource_group_name         = local.resource_group_name
  network_security_group_name = azurerm_network_security_group.cluster.name
  priority                    = 101
  direction                   = "Inbound"
  access                      = "Allow"
  protocol                    = "Tcp"
  source_address_prefix       = "*"
  source_port_range           = "*"
  destination_address_prefix  = "*"
  destination_port_range      = "6443"
}

resource "azurerm_subnet_network_security_group_association" "master" {
  count = var.azure_preexisting_network ? 0 : 1

  subnet_id                 = azurerm_subnet.master[0].id
  network_security_group_id = azurerm_network_security_group.cluster.id
}

resource "azurerm_subnet_network_security_group_association" "zone" {
  for_each = local.zone_subnets

  subnet_id                 = azurerm_subnet.zone[each.key].id
  network_security_group_id = azurerm_network_security_group.cluster.id
}

resource "azurerm_subnet_network_security_group_association" "worker" {
  count = var.azure_preexisting_network ? 0 : 1

  subnet_id                 = azurerm_subnet.worker[0].id
  network_security_group_id = azurerm_network_security_group.cluster.id
}
