# What the bootstrap machine needs on top of the control plane's group: access for whoever looks into a failed install.

resource "aws_security_group" "bootstrap" {
  name        = "${var.cluster_id}-bootstrap-sg"
  description = local.description
  vpc_id      = var.vpc_id
  tags        = merge(local.tags, { Name = "${var.cluster_id}-bootstrap-sg" })

  timeouts {
    create = "2m"
  }
}

resource "aws_security_group_rule" "bootstrap" {
  for_each = {
    ssh             = 22
    journal-gateway = 19531
  }

  security_group_id = aws_security_group.bootstrap.id
  description       = local.description
  type              = "ingress"
  protocol          = "tcp"
  from_port         = each.value
  to_port           = each.value
  cidr_blocks       = local.is_external ? ["0.0.0.0/0"] : var.machine_v4_cidrs
  ipv6_cidr_blocks  = local.is_external && local.is_dual_stack ? ["::/0"] : null

  timeouts {
    create = "2m"
  }
}
