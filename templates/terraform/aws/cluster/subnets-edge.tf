# Subnets of local zones in a new VPC. A local zone has no NAT gateway of its own and uses that of its parent zone.

resource "aws_subnet" "public_edge" {
  for_each = local.public_edge_cidrs

  vpc_id                  = local.vpc_id
  cidr_block              = each.value
  availability_zone       = each.key
  map_public_ip_on_launch = local.cluster_api
  tags                    = merge(local.role_tags["public"], { Name = "${var.cluster_id}-${local.subnet_name}public-${each.key}" })

  timeouts {
    create = "2m"
  }
}

resource "aws_route_table_association" "public_edge" {
  for_each = local.public_edge_cidrs

  subnet_id      = aws_subnet.public_edge[each.key].id
  route_table_id = aws_route_table.public[0].id

  timeouts {
    create = "2m"
  }
}

resource "aws_subnet" "private_edge" {
  for_each = local.private_edge_cidrs

  vpc_id            = local.vpc_id
  cidr_block        = each.value
  availability_zone = each.key
  # Load balancers of services belong into the region's own zones, which the older tag does not say.
  tags = merge(
    local.cluster_api ? local.role_tags["private"] : local.private_tags,
    { Name = "${var.cluster_id}-${local.subnet_name}private-${each.key}" },
  )

  timeouts {
    create = "2m"
  }
}

resource "aws_route_table_association" "private_edge" {
  for_each = local.private_edge_cidrs

  subnet_id      = aws_subnet.private_edge[each.key].id
  route_table_id = aws_route_table.private[local.zones[lookup(var.aws_edge_parent_zones_index, each.key, 0)]].id

  timeouts {
    create = "2m"
  }
}
