# Layout 4.14 has a group for each kind of node. Layout 4.16 has groups by what is done: being a node, being of the
# control plane, being in front of the API servers, and the one whose rules the cluster's cloud controller writes. That
# one alone has the ownership tag, as the controller refuses a machine with two tagged groups.
locals {
  # Role to the end of the name.
  security_groups = (local.cluster_api
    ? { for role in ["apiserver-lb", "controlplane", "lb", "node"] : role => role }
    : { for role in ["master", "worker"] : role => "${role}-sg" }
  )

  security_group_tags = {
    for role in keys(local.security_groups) : role => {
      for key, value in local.role_tags[role] : key => value
      if !local.cluster_api || role == "lb" || key != local.ownership_key
    }
  }
}

resource "aws_security_group" "nodes" {
  for_each = local.security_groups

  name        = "${var.cluster_id}-${each.value}"
  description = local.description
  vpc_id      = local.vpc_id
  tags        = merge(local.security_group_tags[each.key], { Name = "${var.cluster_id}-${each.value}" })

  # After an unreadable response, the provider looks for the resource as long, and landfall then applies again.
  timeouts {
    create = "2m"
  }
}

moved {
  from = aws_security_group.master
  to   = aws_security_group.nodes["master"]
}

moved {
  from = aws_security_group.worker
  to   = aws_security_group.nodes["worker"]
}

locals {
  security_group_ids = { for role, group in aws_security_group.nodes : role => group.id }

  master_security_group_ids = [
    for role in { "4.14" = ["master"], "4.16" = ["node", "lb", "controlplane"] }[var.aws_layout] :
    local.security_group_ids[role]
  ]
  load_balancer_security_group_ids = (local.cluster_api && var.aws_load_balancer_security_groups
    ? [local.security_group_ids["apiserver-lb"]]
    : null
  )
}

# Rules are resources of their own because the groups refer to each other. They have no tags, since they go with
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
  ipv6_cidr_blocks         = each.value.cidrs6
  self                     = each.value.source == each.value.group ? true : null
  source_security_group_id = contains([each.value.group, ""], each.value.source) ? null : local.security_group_ids[each.value.source]

  timeouts {
    create = "2m"
  }
}
