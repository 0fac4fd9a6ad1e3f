# Roles of the nodes. Where the user names a role nothing but the instance profile is made.

locals {
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
  count = var.aws_master_iam_role_name == null ? 1 : 0

  name               = "${var.cluster_id}-master-role"
  description        = local.description
  path               = "/"
  assume_role_policy = local.trust_policy
  tags               = merge(local.tags, { Name = "${var.cluster_id}-master-role" })
}

resource "aws_iam_role_policy" "master" {
  count = var.aws_master_iam_role_name == null ? 1 : 0

  name = "${var.cluster_id}-master-policy"
  role = aws_iam_role.master[0].id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = local.master_actions, Resource = "*" }]
  })
}

resource "aws_iam_instance_profile" "master" {
  name = "${var.cluster_id}-master-profile"
  role = var.aws_master_iam_role_name == null ? aws_iam_role.master[0].name : var.aws_master_iam_role_name
}

resource "aws_iam_role" "worker" {
  count = var.aws_worker_iam_role_name == null ? 1 : 0

  name               = "${var.cluster_id}-worker-role"
  description        = local.description
  path               = "/"
  assume_role_policy = local.trust_policy
  tags               = merge(local.tags, { Name = "${var.cluster_id}-worker-role" })
}

resource "aws_iam_role_policy" "worker" {
  count = var.aws_worker_iam_role_name == null ? 1 : 0

  name = "${var.cluster_id}-worker-policy"
  role = aws_iam_role.worker[0].id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = local.worker_actions, Resource = "*" }]
  })
}

resource "aws_iam_instance_profile" "worker" {
  name = "${var.cluster_id}-worker-profile"
  role = var.aws_worker_iam_role_name == null ? aws_iam_role.worker[0].name : var.aws_worker_iam_role_name
}
