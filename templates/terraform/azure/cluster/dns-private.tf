locals {
  private_zones = var.azure_stack ? 0 : 1

  private_v4_names = toset(local.private_zones == 1 && var.use_ipv4 ? ["api", "api-int"] : [])
  private_v6_names = toset(local.private_zones == 1 && var.use_ipv6 ? ["api", "api-int"] : [])
}

# After the public record: when that fails, for a name that is taken, nothing of
# the cluster answers for the domain yet.
resource "azurerm_private_dns_zone" "cluster" {
  count = local.private_zones

  name                = var.cluster_domain
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags

  depends_on = [azurerm_dns_cname_record.api]
}

resource "azurerm_private_dns_a_record" "api" {
  for_each = local.private_v4_names

  name                = each.value
  zone_name           = azurerm_private_dns_zone.cluster[0].name
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags
  ttl                 = 300
  records             = [var.internal_lb_ip_v4_address]
}

resource "azurerm_private_dns_aaaa_record" "api" {
  for_each = local.private_v6_names

  name                = each.value
  zone_name           = azurerm_private_dns_zone.cluster[0].name
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags
  ttl                 = 300
  records             = [var.internal_lb_ip_v6_address]
}

# A zone that was only just made may be unknown to the service that links it. The
# records come first and so prove that it is there, without a pause of fixed length
# and a provider for it; azurerm itself waits for the zone and the link to be done.
resource "azurerm_private_dns_zone_virtual_network_link" "cluster" {
  count = local.private_zones

  name                  = "${var.cluster_id}-network-link"
  private_dns_zone_name = azurerm_private_dns_zone.cluster[0].name
  resource_group_name   = var.resource_group_name
  virtual_network_id    = var.virtual_network_id
  tags                  = var.azure_extra_tags

  depends_on = [
    azurerm_private_dns_a_record.api,
    azurerm_private_dns_aaaa_record.api,
  ]
}
