resource "aws_security_group" "master" {
  name        = "${var.cluster_id}-master-sg"
  description = local.description
  vpc_id      = local.vpc_id
  tags        = merge(local.tags, { Name = "${var.cluster_id}-master-sg" })

  timeouts {
    create = "20m"
  }
}

resource "aws_security_group" "worker" {
  name        = "${var.cluster_id}-worker-sg"
  description = local.description
  vpc_id      = local.vpc_id
  tags        = merge(local.tags, { Name = "${var.cluster_id}-worker-sg" })

  timeouts {
    create = "20m"
  }
}

locals {
  security_group_ids = {
    master = aws_security_group.master.id
    worker = aws_security_group.worker.id
  }
}

# Rules are resources of their own because the two groups refer to each other. They have no tags, since they go with
# their group and destroy looks for tagged things; so the newer kind of rule resource, one per address range, gains
# nothing, and changing one needs a permission (ec2:ModifySecurityGroupRules) that installers are not granted.
resource "aws_security_group_rule" "nodes" {
  for_each = local.security_group_rules

  security_group_id        = local.security_group_ids[each.value.group]
  description              = local.description
  type                     = each.value.type
  protocol                 = each.value.protocol
  from_port                = each.value.from
  to_port                  = each.value.to
  cidr_blocks              = each.value.cidrs
  self                     = each.value.source == each.value.group ? true : null
  source_security_group_id = contains([each.value.group, ""], each.value.source) ? null : local.security_group_ids[each.value.source]
}
