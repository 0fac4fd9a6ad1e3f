# Subnets of a new VPC: a public and a private one per zone. A zone's private subnet reaches the internet through the
# NAT gateway in its public one.

locals {
  subnet_name = local.cluster_api ? "subnet-" : ""
  table_name  = local.cluster_api ? "rt-" : ""

  # The cluster's cloud controller puts load balancers of services into the subnets with these tags.
  private_tags = merge(local.role_tags["private"], { "kubernetes.io/role/internal-elb" = local.cluster_api ? "1" : "" })
  public_tags  = merge(local.role_tags["public"], local.cluster_api ? { "kubernetes.io/role/elb" = "1" } : {})
}

resource "aws_route_table" "public" {
  count = local.new_network ? 1 : 0

  vpc_id = local.vpc_id
  tags   = merge(local.role_tags["common"], { Name = "${var.cluster_id}-${local.table_name}public" })

  timeouts {
    create = "2m"
  }
}

resource "aws_main_route_table_association" "public" {
  count = local.new_network ? 1 : 0

  vpc_id         = local.vpc_id
  route_table_id = aws_route_table.public[0].id

  timeouts {
    create = "2m"
  }
}

resource "aws_route" "public_internet" {
  count = local.new_network ? 1 : 0

  route_table_id         = aws_route_table.public[0].id
  destination_cidr_block = "0.0.0.0/0"
  gateway_id             = aws_internet_gateway.new[0].id

  timeouts {
    create = "2m"
  }
}

resource "aws_route" "public_internet_ipv6" {
  count = local.new_network && local.is_dual_stack ? 1 : 0

  route_table_id              = aws_route_table.public[0].id
  destination_ipv6_cidr_block = "::/0"
  gateway_id                  = aws_internet_gateway.new[0].id

  timeouts {
    create = "2m"
  }
}

locals {
  # Zone to IPv6 addresses: a /64 of the VPC's /56 for each subnet, those of private subnets first.
  private_ipv6 = {
    for index, zone in local.zones : zone => cidrsubnet(local.vpc_ipv6_cidrs[0], 8, index) if local.is_dual_stack
  }
  public_ipv6 = {
    for index, zone in local.zones : zone => cidrsubnet(local.vpc_ipv6_cidrs[0], 8, length(local.zones) + index)
    if local.is_dual_stack
  }
}

resource "aws_subnet" "public" {
  for_each = local.public_cidrs

  vpc_id                  = local.vpc_id
  cidr_block              = each.value
  availability_zone       = each.key
  map_public_ip_on_launch = local.cluster_api
  ipv6_cidr_block         = lookup(local.public_ipv6, each.key, null)
  tags                    = merge(local.public_tags, { Name = "${var.cluster_id}-${local.subnet_name}public-${each.key}" })

  assign_ipv6_address_on_creation = local.is_dual_stack ? true : null

  timeouts {
    create = "2m"
  }
}

resource "aws_route_table_association" "public" {
  for_each = local.public_cidrs

  subnet_id      = aws_subnet.public[each.key].id
  route_table_id = aws_route_table.public[0].id

  timeouts {
    create = "2m"
  }
}

resource "aws_eip" "nat" {
  for_each = local.public_cidrs

  domain           = "vpc"
  public_ipv4_pool = var.aws_public_ipv4_pool
  tags             = merge(local.role_tags["common"], { Name = "${var.cluster_id}-eip-${each.key}" })

  timeouts {
    read = "2m"
  }

  # An address of a VPC can be used, and released, only while the VPC has an internet gateway.
  depends_on = [aws_internet_gateway.new]
}

resource "aws_nat_gateway" "new" {
  for_each = local.public_cidrs

  allocation_id = aws_eip.nat[each.key].id
  subnet_id     = aws_subnet.public[each.key].id
  tags          = merge(local.role_tags["common"], { Name = "${var.cluster_id}-nat-${each.key}" })
}

resource "aws_route_table" "private" {
  for_each = local.private_cidrs

  vpc_id = local.vpc_id
  tags   = merge(local.role_tags["common"], { Name = "${var.cluster_id}-${local.table_name}private-${each.key}" })

  timeouts {
    create = "2m"
  }
}

resource "aws_route" "private_nat" {
  for_each = local.private_cidrs

  route_table_id         = aws_route_table.private[each.key].id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.new[each.key].id

  timeouts {
    create = "2m"
  }
}

resource "aws_route" "private_egress_ipv6" {
  for_each = { for zone, cidr in local.private_cidrs : zone => cidr if local.is_dual_stack }

  route_table_id              = aws_route_table.private[each.key].id
  destination_ipv6_cidr_block = "::/0"
  egress_only_gateway_id      = aws_egress_only_internet_gateway.new[0].id

  timeouts {
    create = "2m"
  }
}

resource "aws_subnet" "private" {
  for_each = local.private_cidrs

  vpc_id            = local.vpc_id
  cidr_block        = each.value
  availability_zone = each.key
  ipv6_cidr_block   = lookup(local.private_ipv6, each.key, null)
  tags              = merge(local.private_tags, { Name = "${var.cluster_id}-${local.subnet_name}private-${each.key}" })

  assign_ipv6_address_on_creation = local.is_dual_stack ? true : null

  timeouts {
    create = "2m"
  }
}

resource "aws_route_table_association" "private" {
  for_each = local.private_cidrs

  subnet_id      = aws_subnet.private[each.key].id
  route_table_id = aws_route_table.private[each.key].id

  timeouts {
    create = "2m"
  }
}
