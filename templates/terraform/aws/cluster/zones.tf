# Which zones there are, and how a new VPC's address range is split among them.

locals {
  zones      = sort(distinct(concat(var.aws_master_availability_zones, var.aws_worker_availability_zones)))
  edge_zones = var.aws_edge_local_zones
  has_edge   = length(local.edge_zones) > 0

  vpc_cidr     = var.machine_v4_cidrs[0]
  private_half = cidrsubnet(local.vpc_cidr, 1, 0)
  public_half  = cidrsubnet(local.vpc_cidr, 1, 1)

  # Local zones take the second half of the public half: private subnets first, public ones after them.
  edge_half         = cidrsubnet(local.public_half, 1, 1)
  private_edge_half = cidrsubnet(local.edge_half, 1, 0)
  public_edge_half  = cidrsubnet(local.edge_half, 1, 1)

  # What is split among the zones. A single zone leaves the second half of it free, as room for more zones.
  lone_zone      = length(local.zones) == 1 ? 1 : 0
  lone_edge_zone = length(local.edge_zones) == 1 ? 1 : 0

  private_pool      = cidrsubnet(local.private_half, local.lone_zone, 0)
  public_pool       = cidrsubnet(local.has_edge ? cidrsubnet(local.public_half, 1, 0) : local.public_half, local.lone_zone, 0)
  private_edge_pool = cidrsubnet(local.private_edge_half, local.lone_edge_zone, 0)
  public_edge_pool  = cidrsubnet(local.public_edge_half, local.lone_edge_zone, 0)

  # Subnets are equally large, so each takes as many more bits as it needs to number the zones.
  zone_bits      = ceil(log(length(local.zones), 2))
  edge_zone_bits = ceil(log(max(1, length(local.edge_zones)), 2))

  # Zone to address range; empty when the subnets exist already.
  new_network        = var.aws_vpc == null
  private_cidrs      = { for i, zone in local.zones : zone => cidrsubnet(local.private_pool, local.zone_bits, i) if local.new_network }
  public_cidrs       = { for i, zone in local.zones : zone => cidrsubnet(local.public_pool, local.zone_bits, i) if local.new_network }
  private_edge_cidrs = { for i, zone in local.edge_zones : zone => cidrsubnet(local.private_edge_pool, local.edge_zone_bits, i) if local.new_network }
  public_edge_cidrs  = { for i, zone in local.edge_zones : zone => cidrsubnet(local.public_edge_pool, local.edge_zone_bits, i) if local.new_network }
}
