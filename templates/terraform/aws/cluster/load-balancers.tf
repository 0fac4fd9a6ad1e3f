resource "aws_lb" "internal" {
  name                             = "${var.cluster_id}-int"
  load_balancer_type               = "network"
  internal                         = true
  subnets                          = local.has_user_dns ? null : local.internal_balancer_subnet_ids
  enable_cross_zone_load_balancing = true
  security_groups                  = local.load_balancer_security_group_ids
  ip_address_type                  = local.is_dual_stack ? "dualstack" : null
  tags                             = merge(local.role_tags["apiserver"], { Name = "${var.cluster_id}-int" })

  dynamic "subnet_mapping" {
    for_each = var.aws_api_addresses

    content {
      subnet_id            = local.new_network ? aws_subnet.private[subnet_mapping.key].id : subnet_mapping.key
      private_ipv4_address = subnet_mapping.value
    }
  }

  timeouts {
    create = "20m"
  }

  depends_on = [aws_internet_gateway.new]
}

# With a pool of the user's own, the load balancer has an address of it in each subnet.
resource "aws_eip" "api" {
  count = local.is_external && var.aws_public_ipv4_pool != null ? length(local.public_subnet_ids) : 0

  domain           = "vpc"
  public_ipv4_pool = var.aws_public_ipv4_pool
  tags             = merge(local.role_tags["apiserver"], { Name = "${var.cluster_id}-eip-apiserver-${count.index}" })

  timeouts {
    read = "2m"
  }

  depends_on = [aws_internet_gateway.new]
}

resource "aws_lb" "external" {
  count = local.is_external ? 1 : 0

  name                             = "${var.cluster_id}-ext"
  load_balancer_type               = "network"
  internal                         = false
  subnets                          = var.aws_public_ipv4_pool == null ? local.public_subnet_ids : null
  enable_cross_zone_load_balancing = true
  security_groups                  = local.load_balancer_security_group_ids
  ip_address_type                  = local.is_dual_stack ? "dualstack" : null
  tags                             = merge(local.role_tags["apiserver"], { Name = "${var.cluster_id}-ext" })

  dynamic "subnet_mapping" {
    for_each = aws_eip.api

    content {
      subnet_id     = local.public_subnet_ids[subnet_mapping.key]
      allocation_id = subnet_mapping.value.id
    }
  }

  timeouts {
    create = "20m"
  }

  # A load balancer that faces the internet is refused in a VPC without a gateway.
  depends_on = [aws_internet_gateway.new]
}

locals {
  is_external     = var.aws_publish_strategy == "External"
  is_ipv6_primary = var.aws_ip_family == "DualStackIPv6Primary"

  api_check     = { port = 6443, path = "/readyz" }
  service_check = { port = 22623, path = "/healthz" }

  # Key: end of the target group's name.
  target_groups = merge(
    {
      aint = merge(local.api_check, { balancer = aws_lb.internal.arn })
      sint = merge(local.service_check, { balancer = aws_lb.internal.arn })
    },
    { for balancer in aws_lb.external : "aext" => merge(local.api_check, { balancer = balancer.arn }) },
  )

  # The order in which stage bootstrap, too, gets the groups.
  target_group_order = local.is_external ? ["aint", "sint", "aext"] : ["aint", "sint"]
}

resource "aws_lb_target_group" "api" {
  for_each = local.target_groups

  name        = "${var.cluster_id}-${each.key}"
  vpc_id      = local.vpc_id
  protocol    = "TCP"
  port        = each.value.port
  target_type = "ip"
  tags        = merge(local.tags, { Name = "${var.cluster_id}-${each.key}" })

  ip_address_type = local.is_ipv6_primary ? "ipv6" : null

  health_check {
    protocol            = "HTTPS"
    port                = each.value.port
    path                = each.value.path
    interval            = 10
    healthy_threshold   = 2
    unhealthy_threshold = 2
  }
}

# Without tags: a listener goes with its load balancer.
resource "aws_lb_listener" "api" {
  for_each = local.target_groups

  load_balancer_arn = each.value.balancer
  protocol          = "TCP"
  port              = each.value.port

  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.api[each.key].arn
  }
}

locals {
  # Machine and group to attach it to; numbers and names only, so that the keys are known before anything exists.
  master_targets = {
    for pair in setproduct(range(var.master_count), local.target_group_order) :
    "${pair[0]}-${pair[1]}" => { master = pair[0], group = pair[1] }
  }
}

resource "aws_lb_target_group_attachment" "master" {
  for_each = local.master_targets

  target_group_arn = aws_lb_target_group.api[each.value.group].arn
  target_id = (local.is_ipv6_primary
    ? one(aws_network_interface.master[each.value.master].ipv6_addresses)
    : aws_network_interface.master[each.value.master].private_ip
  )
}
