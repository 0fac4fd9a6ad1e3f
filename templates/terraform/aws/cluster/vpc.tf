resource "aws_vpc" "new" {
  count = local.new_network ? 1 : 0

  cidr_block           = local.vpc_cidr
  enable_dns_hostnames = true
  enable_dns_support   = true
  tags                 = merge(local.role_tags["common"], { Name = "${var.cluster_id}-vpc" })

  assign_generated_ipv6_cidr_block = local.is_dual_stack ? true : null
}

data "aws_vpc" "given" {
  count = local.new_network ? 0 : 1

  id = var.aws_vpc
}

locals {
  vpc_id = local.new_network ? aws_vpc.new[0].id : data.aws_vpc.given[0].id

  is_dual_stack = var.aws_ip_family != "IPv4"
  # The IPv6 addresses of the VPC, from AWS or of the user's.
  vpc_ipv6_cidrs = (local.is_dual_stack
    ? compact(concat(aws_vpc.new[*].ipv6_cidr_block, data.aws_vpc.given[*].ipv6_cidr_block))
    : []
  )
}

resource "aws_vpc_dhcp_options" "new" {
  count = local.new_network ? 1 : 0

  domain_name         = var.aws_dhcp_domain_name
  domain_name_servers = ["AmazonProvidedDNS"]
  tags                = local.tags
}

resource "aws_vpc_dhcp_options_association" "new" {
  count = local.new_network ? 1 : 0

  vpc_id          = local.vpc_id
  dhcp_options_id = aws_vpc_dhcp_options.new[0].id
}

resource "aws_internet_gateway" "new" {
  count = local.new_network ? 1 : 0

  vpc_id = local.vpc_id
  tags   = merge(local.role_tags["common"], { Name = "${var.cluster_id}-igw" })

  timeouts {
    create = "2m"
  }
}

# The way out of private subnets for IPv6, which needs no translation of addresses.
resource "aws_egress_only_internet_gateway" "new" {
  count = local.new_network && local.is_dual_stack ? 1 : 0

  vpc_id = local.vpc_id
  tags   = merge(local.role_tags["common"], { Name = "${var.cluster_id}-eigw" })
}

# Keeps the image registry's traffic, much of it, off the NAT gateways.
resource "aws_vpc_endpoint" "s3" {
  count = local.new_network && var.aws_s3_endpoint_service != "" ? 1 : 0

  vpc_id            = local.vpc_id
  vpc_endpoint_type = "Gateway"
  service_name      = var.aws_s3_endpoint_service
  route_table_ids   = concat(aws_route_table.public[*].id, values(aws_route_table.private)[*].id)
  tags              = local.tags
}
