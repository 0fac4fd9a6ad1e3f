locals {
  private_zones = var.azure_api_address == null ? 1 : 0

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
