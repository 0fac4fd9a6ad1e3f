# Subnets of local and Wavelength zones in a new VPC. Such a zone has no NAT gateway of its own and uses that of its
# parent zone. Public subnets of Wavelength zones reach the internet through a carrier gateway.

locals {
  carrier_zones = [for zone in keys(local.public_edge_cidrs) : zone if replace(zone, "-wlz-", "") != zone]
}

resource "aws_ec2_carrier_gateway" "new" {
  count = length(local.carrier_zones) > 0 ? 1 : 0

  vpc_id = local.vpc_id
  tags   = merge(local.role_tags["common"], { Name = "${var.cluster_id}-cagw" })
}

resource "aws_route_table" "carrier" {
  count = length(local.carrier_zones) > 0 ? 1 : 0

  vpc_id = local.vpc_id
  tags   = merge(local.role_tags["common"], { Name = "${var.cluster_id}-${local.table_name}carrier" })

  timeouts {
    create = "2m"
  }
}

resource "aws_route" "public_carrier" {
  count = length(local.carrier_zones) > 0 ? 1 : 0

  route_table_id         = aws_route_table.carrier[0].id
  destination_cidr_block = "0.0.0.0/0"
  carrier_gateway_id     = aws_ec2_carrier_gateway.new[0].id

  timeouts {
    create = "2m"
  }
}

resource "aws_subnet" "public_edge" {
  for_each = local.public_edge_cidrs

  vpc_id                  = local.vpc_id
  cidr_block              = each.value
  availability_zone       = each.key
  map_public_ip_on_launch = local.cluster_api && !contains(local.carrier_zones, each.key)
  tags                    = merge(local.role_tags["public"], { Name = "${var.cluster_id}-${local.subnet_name}public-${each.key}" })

  timeouts {
    create = "2m"
  }
}

resource "aws_route_table_association" "public_edge" {
  for_each = local.public_edge_cidrs

  subnet_id      = aws_subnet.public_edge[each.key].id
  route_table_id = contains(local.carrier_zones, each.key) ? aws_route_table.carrier[0].id : aws_route_table.public[0].id

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
