# Subnets of local zones in a new VPC. A local zone has no NAT gateway of its own and uses that of its parent zone.

resource "aws_subnet" "public_edge" {
  for_each = local.public_edge_cidrs

  vpc_id            = local.vpc_id
  cidr_block        = each.value
  availability_zone = each.key
  tags              = merge(local.tags, { Name = "${var.cluster_id}-public-${each.key}" })
}

resource "aws_route_table_association" "public_edge" {
  for_each = local.public_edge_cidrs

  subnet_id      = aws_subnet.public_edge[each.key].id
  route_table_id = aws_route_table.public[0].id
}

resource "aws_subnet" "private_edge" {
  for_each = local.private_edge_cidrs

  vpc_id            = local.vpc_id
  cidr_block        = each.value
  availability_zone = each.key

  tags = merge(local.tags, {
    Name                              = "${var.cluster_id}-private-${each.key}"
    "kubernetes.io/role/internal-elb" = ""
  })
}

resource "aws_route_table_association" "private_edge" {
  for_each = local.private_edge_cidrs

  subnet_id      = aws_subnet.private_edge[each.key].id
  route_table_id = aws_route_table.private[local.zones[lookup(var.aws_edge_parent_zones_index, each.key, 0)]].id
}
