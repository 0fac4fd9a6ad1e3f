locals {
  # An IPv6 front end has a fixed address, the last but one of the subnet. The IPv4 one has the address by which machines
  # find the API, where the user provides the DNS records.
  internal_front_ends = {
    for key, family in local.ip_families : key => {
      name    = "internal-lb-ip-${key}"
      version = family.version
      address = key == "v6" ? cidrhost([for prefix in local.master_prefixes : prefix if strcontains(prefix, ":")][0], -2) : var.azure_api_address
    }
  }
}

resource "azurerm_lb" "internal" {
  name                = "${var.cluster_id}-internal"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  sku                 = "Standard"

  dynamic "frontend_ip_configuration" {
    for_each = local.internal_front_ends

    content {
      name                          = frontend_ip_configuration.value.name
      subnet_id                     = local.master_subnet_id
      private_ip_address            = frontend_ip_configuration.value.address
      private_ip_address_allocation = frontend_ip_configuration.value.address == null ? "Dynamic" : "Static"
      private_ip_address_version    = frontend_ip_configuration.value.version
    }
  }
}

resource "azurerm_lb_backend_address_pool" "internal" {
  for_each = local.ip_families

  name            = "${var.cluster_id}${each.value.pool_suffix}"
  loadbalancer_id = azurerm_lb.internal.id
}

resource "azurerm_lb_probe" "internal_api" {
  for_each = local.ip_families

  name                = "api-internal-probe${each.value.probe_suffix}"
  loadbalancer_id     = azurerm_lb.internal.id
  protocol            = "Https"
  port                = 6443
  request_path        = "/readyz"
  interval_in_seconds = 5
  number_of_probes    = 2
}

resource "azurerm_lb_rule" "internal_api" {
  for_each = local.ip_families

  name                           = "api-internal-${each.key}"
  loadbalancer_id                = azurerm_lb.internal.id
  frontend_ip_configuration_name = local.internal_front_ends[each.key].name
  backend_address_pool_ids       = [azurerm_lb_backend_address_pool.internal[each.key].id]
  probe_id                       = azurerm_lb_probe.internal_api[each.key].id
  protocol                       = "Tcp"
  frontend_port                  = 6443
  backend_port                   = 6443
  idle_timeout_in_minutes        = 30
  load_distribution              = "Default"
}

# The machine config server, which new machines take their Ignition config from.
resource "azurerm_lb_probe" "internal_sint" {
  for_each = local.ip_families

  name                = "sint-probe${each.value.probe_suffix}"
  loadbalancer_id     = azurerm_lb.internal.id
  protocol            = "Https"
  port                = 22623
  request_path        = "/healthz"
  interval_in_seconds = 5
  number_of_probes    = 2
}

resource "azurerm_lb_rule" "internal_sint" {
  for_each = local.ip_families

  name                           = "sint-${each.key}"
  loadbalancer_id                = azurerm_lb.internal.id
  frontend_ip_configuration_name = local.internal_front_ends[each.key].name
  backend_address_pool_ids       = [azurerm_lb_backend_address_pool.internal[each.key].id]
  probe_id                       = azurerm_lb_probe.internal_sint[each.key].id
  protocol                       = "Tcp"
  frontend_port                  = 22623
  backend_port                   = 22623
  idle_timeout_in_minutes        = 30
  load_distribution              = "Default"
}
