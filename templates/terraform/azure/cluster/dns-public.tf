locals {
  # The zone of the base domain holds the cluster's records: api.<cluster name>.
  cluster_subdomain = trimsuffix(var.cluster_domain, ".${var.base_domain}")

  public_api_names = {
    for name, fqdn in {
      "api"    = var.public_lb_pip_v4_fqdn
      "v6-api" = var.public_lb_pip_v6_fqdn
    } : "${name}.${local.cluster_subdomain}" => fqdn if fqdn != "" && !var.azure_private && var.azure_api_address == null
  }
}

resource "azurerm_dns_cname_record" "api" {
  for_each = local.public_api_names

  name                = each.key
  zone_name           = var.base_domain
  resource_group_name = var.azure_base_domain_resource_group_name
  tags                = var.azure_extra_tags
  ttl                 = 300
  record              = each.value
}
