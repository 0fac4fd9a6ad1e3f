resource "azurerm_private_dns_a_record" "api" {
  for_each = local.private_v4_names

  name                = each.value
  private_dns_zone_id = azurerm_private_dns_zone.cluster[0].id
  tags                = var.azure_extra_tags
  ttl                 = 300
  records             = [var.internal_lb_ip_v4_address]
}

resource "azurerm_private_dns_aaaa_record" "api" {
  for_each = local.private_v6_names

  name                = each.value
  private_dns_zone_id = azurerm_private_dns_zone.cluster[0].id
  tags                = var.azure_extra_tags
  ttl                 = 300
  records             = [var.internal_lb_ip_v6_address]
}

# A zone that was only just made may be unknown to the service that links it. The
# records come first and so prove that it is there, without a pause of fixed length
# and a provider for it; azurerm itself waits for the zone and the link to be done.
resource "azurerm_private_dns_zone_virtual_network_link" "cluster" {
  count = local.private_zones

  name                = "${var.cluster_id}-network-link"
  private_dns_zone_id = azurerm_private_dns_zone.cluster[0].id
  virtual_network_id  = var.virtual_network_id
  tags                = var.azure_extra_tags

  depends_on = [
    azurerm_private_dns_a_record.api,
    azurerm_private_dns_aaaa_record.api,
  ]
}
