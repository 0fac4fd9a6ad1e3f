# The subnets that everything else uses, whether they are new or the user's.

locals {
  given_private_subnets = var.aws_private_subnets == null ? [] : var.aws_private_subnets
  given_public_subnets  = var.aws_public_subnets == null ? [] : var.aws_public_subnets
}

data "aws_subnet" "private" {
  for_each = local.new_network ? [] : toset(local.given_private_subnets)

  id     = each.value
  vpc_id = local.vpc_id
}

data "aws_subnet" "public" {
  for_each = local.new_network ? [] : toset(local.given_public_subnets)

  id     = each.value
  vpc_id = local.vpc_id
}

locals {
  private_subnet_ids = (local.new_network
    ? [for zone in local.zones : aws_subnet.private[zone].id]
    : [for id in local.given_private_subnets : data.aws_subnet.private[id].id]
  )
  public_subnet_ids = (local.new_network
    ? [for zone in local.zones : aws_subnet.public[zone].id]
    : [for id in local.given_public_subnets : data.aws_subnet.public[id].id]
  )

  internal_balancer_subnet_ids = (var.aws_internal_balancer_subnets == null
    ? local.private_subnet_ids
    : var.aws_internal_balancer_subnets
  )

  # Zone to private subnet; in the user's VPC the first one listed, if a zone has several.
  given_private_subnets_by_zone = { for subnet in local.given_private_subnets : data.aws_subnet.private[subnet].availability_zone => subnet... }
  private_subnet_of_zone = (local.new_network
    ? { for zone, subnet in aws_subnet.private : zone => subnet.id }
    : { for zone, ids in local.given_private_subnets_by_zone : zone => ids[0] }
  )

  given_public_subnets_by_zone = { for subnet in local.given_public_subnets : data.aws_subnet.public[subnet].availability_zone => subnet... }
  public_subnet_of_zone = (local.new_network
    ? { for zone, subnet in aws_subnet.public : zone => subnet.id }
    : { for zone, ids in local.given_public_subnets_by_zone : zone => ids[0] }
  )

  # Layout 4.16: other zones may not offer the type of the bootstrap machine.
  bootstrap_subnet_id = (local.cluster_api
    ? lookup(local.is_external ? local.public_subnet_of_zone : local.private_subnet_of_zone, var.aws_master_availability_zones[0], null)
    : null
  )
}
