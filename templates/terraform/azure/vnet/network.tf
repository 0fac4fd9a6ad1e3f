locals {
  # The first machine network of a family is split between the two subnets: IPv4
  # in halves, IPv6 in networks that are 16 bits longer (Azure wants a /64).
  # IPv4 does not ask use_ipv4: no Azure subnet goes without it.
  subnet_cidrs = var.azure_preexisting_network ? [] : concat(
    [for cidr in slice(var.machine_v4_cidrs, 0, min(1, length(var.machine_v4_cidrs))) : {
      master = cidrsubnet(cidr, 1, 0)
      worker = cidrsubnet(cidr, 1, 1)
    }],
    [for cidr in slice(var.machine_v6_cidrs, 0, min(1, length(var.machine_v6_cidrs))) : {
      master = cidrsubnet(cidr, 16, 0)
      worker = cidrsubnet(cidr, 16, 1)
    } if var.use_ipv6],
  )
}

resource "azurerm_virtual_network" "cluster" {
  count = var.azure_preexisting_network ? 0 : 1

  name                = var.azure_virtual_network
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  address_space       = concat(var.machine_v4_cidrs, var.machine_v6_cidrs)
}

resource "azurerm_subnet" "master" {
  count = var.azure_preexisting_network ? 0 : 1

  name                 = var.azure_control_plane_subnet
  resource_group_name  = local.resource_group_name
  virtual_network_name = azurerm_virtual_network.cluster[0].name
  address_prefixes     = local.subnet_cidrs[*].master
}

resource "azurerm_subnet" "worker" {
  count = var.azure_preexisting_network ? 0 : 1

  name                 = var.azure_compute_subnet
  resource_group_name  = local.resource_group_name
  virtual_network_name = azurerm_virtual_network.cluster[0].name
  address_prefixes     = length(var.azure_compute_subnets) > 0 ? var.azure_compute_subnets[0].addresses : local.subnet_cidrs[*].worker
}

# Where zones have subnets of their own: those besides the first.
locals {
  zone_subnets = {
    for subnet in var.azure_compute_subnets : subnet.name => subnet.addresses if subnet.name != var.azure_compute_subnet
  }
}

resource "azurerm_subnet" "zone" {
  for_each = local.zone_subnets

  name                 = each.key
  resource_group_name  = local.resource_group_name
  virtual_network_name = azurerm_virtual_network.cluster[0].name
  address_prefixes     = each.value
}
