locals {
  # The zone of the base domain holds the cluster's records: api.<cluster name>.
  cluster_subdomain = trimsuffix(var.cluster_domain, ".${var.base_domain}")

  public_api_names = {
    for name, fqdn in {
      "api"    = var.public_lb_pip_v4_fqdn
      "v6-api" = var.public_lb_pip_v6_fqdn
    } : "${name}.${local.cluster_subdomain}" => fqdn if fqdn != "" && !var.azure_private && var.azure_api_address == null
  }

  # Without private zones the internal names are in the public zone as well. The
  # tags on them are how destroy finds them there.
  stack_api_names = [
    for name in var.azure_private ? ["api", "api-int"] : ["api-int"] : "${name}.${local.cluster_subdomain}" if var.azure_stack
  ]
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

resource "azurerm_dns_a_record" "stack_api" {
  for_each = toset(local.stack_api_names)

  name                = each.value
  zone_name           = var.base_domain
  resource_group_name = var.azure_base_domain_resource_group_name
  tags                = var.azure_extra_tags
  ttl                 = 300
  records             = [var.internal_lb_ip_v4_address]
}
