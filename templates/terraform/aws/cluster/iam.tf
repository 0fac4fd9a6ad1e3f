# Roles of the nodes. Where the user names a role nothing but the instance profile is made, and with a profile of theirs
# nothing at all.

locals {
  make_master_profile = var.aws_master_iam_instance_profile == null
  make_worker_profile = var.aws_worker_iam_instance_profile == null
  make_master_role    = local.make_master_profile && var.aws_master_iam_role_name == null
  make_worker_role    = local.make_worker_profile && var.aws_worker_iam_role_name == null

  master_profile = local.make_master_profile ? aws_iam_instance_profile.master[0].name : var.aws_master_iam_instance_profile

  trust_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = var.aws_ec2_service_principal }
      Action    = "sts:AssumeRole"
    }]
  })
}

resource "aws_iam_role" "master" {
  count = local.make_master_role ? 1 : 0

  name               = "${var.cluster_id}-master-role"
  description        = local.description
  path               = "/"
  assume_role_policy = local.trust_policy
  tags               = merge(local.tags, { Name = "${var.cluster_id}-master-role" })
}

resource "aws_iam_role_policy" "master" {
  count = local.make_master_role ? 1 : 0

  name = "${var.cluster_id}-master-policy"
  role = aws_iam_role.master[0].id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = local.master_actions, Resource = "*" }]
  })
}

resource "aws_iam_instance_profile" "master" {
  count = local.make_master_profile ? 1 : 0

  name = "${var.cluster_id}-master-profile"
  role = local.make_master_role ? aws_iam_role.master[0].name : var.aws_master_iam_role_name
}

resource "aws_iam_role" "worker" {
  count = local.make_worker_role ? 1 : 0

  name               = "${var.cluster_id}-worker-role"
  description        = local.description
  path               = "/"
  assume_role_policy = local.trust_policy
  tags               = merge(local.tags, { Name = "${var.cluster_id}-worker-role" })
}

resource "aws_iam_role_policy" "worker" {
  count = local.make_worker_role ? 1 : 0

  name = "${var.cluster_id}-worker-policy"
  role = aws_iam_role.worker[0].id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = local.worker_actions, Resource = "*" }]
  })
}

resource "aws_iam_instance_profile" "worker" {
  count = local.make_worker_profile ? 1 : 0

  name = "${var.cluster_id}-worker-profile"
  role = local.make_worker_role ? aws_iam_role.worker[0].name : var.aws_worker_iam_role_name
}
