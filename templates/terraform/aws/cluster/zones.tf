# Which zones there are. Landfall has cut a new VPC's address range among them.

locals {
  new_network = var.aws_vpc == null
  vpc_cidr    = var.machine_v4_cidrs[0]

  # Zone to address range; empty when the subnets exist already.
  private_cidrs      = { for zone, cidr in var.aws_private_cidrs : zone => cidr if !contains(var.aws_edge_local_zones, zone) }
  public_cidrs       = { for zone, cidr in var.aws_public_cidrs : zone => cidr if !contains(var.aws_edge_local_zones, zone) }
  private_edge_cidrs = { for zone, cidr in var.aws_private_cidrs : zone => cidr if contains(var.aws_edge_local_zones, zone) }
  public_edge_cidrs  = { for zone, cidr in var.aws_public_cidrs : zone => cidr if contains(var.aws_edge_local_zones, zone) }

  # Of a new VPC, sorted, as keys() sorts.
  zones = keys(local.private_cidrs)
}
