locals {
  # A private cluster keeps a public load balancer as its way out, unless the user
  # routes outbound traffic.
  public_lb = !var.azure_private || var.azure_outbound_routing_type != "UserDefinedRouting"

  public_families   = { for key, family in local.ip_families : key => family if local.public_lb }
  api_families      = { for key, family in local.public_families : key => family if !var.azure_private }
  outbound_families = { for key, family in local.public_families : key => family if var.azure_private }
}

resource "azurerm_public_ip" "public" {
  for_each = local.public_families

  name                = "${var.cluster_id}-pip-${each.key}"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  sku                 = "Standard"
  allocation_method   = "Static"
  ip_version          = each.value.version
  domain_name_label   = var.cluster_id
}

resource "azurerm_lb" "public" {
  count = local.public_lb ? 1 : 0

  name                = var.cluster_id
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
  sku                 = "Standard"

  dynamic "frontend_ip_configuration" {
    for_each = local.public_families

    content {
      name                 = "public-lb-ip-${frontend_ip_configuration.key}"
      public_ip_address_id = azurerm_public_ip.public[frontend_ip_configuration.key].id
    }
  }
}

resource "azurerm_lb_backend_address_pool" "public" {
  for_each = local.public_families

  name            = "${var.cluster_id}${each.value.pool_suffix}"
  loadbalancer_id = azurerm_lb.public[0].id
}

resource "azurerm_lb_probe" "public_api" {
  for_each = local.api_families

  name                = "api-internal-probe${each.value.probe_suffix}"
  loadbalancer_id     = azurerm_lb.public[0].id
  protocol            = "Https"
  port                = 6443
  request_path        = "/readyz"
  interval_in_seconds = 5
  number_of_probes    = 2
}

# This rule also carries the outbound traffic of the machines in the pool.
resource "azurerm_lb_rule" "public_api" {
  for_each = local.api_families

  name                           = "api-internal-${each.key}"
  loadbalancer_id                = azurerm_lb.public[0].id
  frontend_ip_configuration_name = "public-lb-ip-${each.key}"
  backend_address_pool_ids       = [azurerm_lb_backend_address_pool.public[each.key].id]
  probe_id                       = azurerm_lb_probe.public_api[each.key].id
  protocol                       = "Tcp"
  frontend_port                  = 6443
  backend_port                   = 6443
  idle_timeout_in_minutes        = 30
  load_distribution              = "Default"
}

resource "azurerm_lb_outbound_rule" "public" {
  for_each = local.outbound_families

  name                    = "outbound-rule-${each.key}"
  loadbalancer_id         = azurerm_lb.public[0].id
  backend_address_pool_id = azurerm_lb_backend_address_pool.public[each.key].id
  protocol                = "All"

  frontend_ip_configuration {
    name = "public-lb-ip-${each.key}"
  }
}
