locals {
  # Machines find the API by the addresses of its load balancer, and the cluster answers for its own names.
  has_user_dns = length(var.aws_api_addresses) > 0
}

resource "aws_route53_zone" "private" {
  provider = aws.private_zone
  count    = var.aws_internal_zone == null && !local.has_user_dns ? 1 : 0

  name          = var.cluster_domain
  force_destroy = true # cluster components add records
  tags          = merge(local.tags, { Name = "${var.cluster_id}-int" })

  vpc {
    vpc_id = local.vpc_id
  }
}

data "aws_route53_zone" "public" {
  count = local.is_external && !local.has_user_dns ? 1 : 0

  name         = var.base_domain
  private_zone = false

  depends_on = [aws_route53_record.private["api"]]
}

locals {
  private_zone_id = var.aws_internal_zone == null ? one(aws_route53_zone.private[*].zone_id) : var.aws_internal_zone

  # Not every partition has aliases of these load balancers.
  use_alias  = var.aws_api_record_type == "A"
  record_ttl = local.use_alias ? null : 10
}

resource "aws_route53_record" "private" {
  provider = aws.private_zone
  for_each = toset(local.has_user_dns ? [] : ["api", "api-int"])

  zone_id = local.private_zone_id
  name    = "${each.key}.${var.cluster_domain}"
  type    = var.aws_api_record_type
  ttl     = local.record_ttl
  records = local.use_alias ? null : [aws_lb.internal.dns_name]

  dynamic "alias" {
    for_each = local.use_alias ? [aws_lb.internal] : []

    content {
      name                   = alias.value.dns_name
      zone_id                = alias.value.zone_id
      evaluate_target_health = false
    }
  }
}

resource "aws_route53_record" "public" {
  count = local.is_external && !local.has_user_dns ? 1 : 0

  zone_id = data.aws_route53_zone.public[0].zone_id
  name    = "api.${var.cluster_domain}"
  type    = var.aws_api_record_type
  ttl     = local.record_ttl
  records = local.use_alias ? null : [aws_lb.external[0].dns_name]

  dynamic "alias" {
    for_each = local.use_alias ? [aws_lb.external[0]] : []

    content {
      name                   = alias.value.dns_name
      zone_id                = alias.value.zone_id
      evaluate_target_health = false
    }
  }
}

# Aliases are records of one family each. A CNAME is of both.
locals {
  has_ipv6_aliases = local.is_dual_stack && local.use_alias && !local.has_user_dns
}

resource "aws_route53_record" "private_ipv6" {
  provider = aws.private_zone
  for_each = toset(local.has_ipv6_aliases ? ["api", "api-int"] : [])

  zone_id = local.private_zone_id
  name    = "${each.key}.${var.cluster_domain}"
  type    = "AAAA"

  alias {
    name                   = aws_lb.internal.dns_name
    zone_id                = aws_lb.internal.zone_id
    evaluate_target_health = false
  }
}

resource "aws_route53_record" "public_ipv6" {
  count = local.has_ipv6_aliases && local.is_external ? 1 : 0

  zone_id = data.aws_route53_zone.public[0].zone_id
  name    = "api.${var.cluster_domain}"
  type    = "AAAA"

  alias {
    name                   = aws_lb.external[0].dns_name
    zone_id                = aws_lb.external[0].zone_id
    evaluate_target_health = false
  }
}
