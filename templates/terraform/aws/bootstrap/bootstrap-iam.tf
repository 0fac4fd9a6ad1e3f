# A role or an instance profile that the user names serves the bootstrap machine as well as the control plane.

locals {
  make_profile = var.aws_master_iam_instance_profile == null
  make_role    = local.make_profile && var.aws_master_iam_role_name == null

  bootstrap_profile = local.make_profile ? aws_iam_instance_profile.bootstrap[0].name : var.aws_master_iam_instance_profile
}

resource "aws_iam_role" "bootstrap" {
  count = local.make_role ? 1 : 0

  name = "${var.cluster_id}-bootstrap-role"
  path = "/"
  tags = merge(local.tags, { Name = "${var.cluster_id}-bootstrap-role" })

  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = var.aws_ec2_service_principal }
      Action    = "sts:AssumeRole"
    }]
  })
}

resource "aws_iam_role_policy" "bootstrap" {
  count = local.make_role ? 1 : 0

  name = "${var.cluster_id}-bootstrap-policy"
  role = aws_iam_role.bootstrap[0].id

  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect   = "Allow"
        Action   = ["ec2:AttachVolume", "ec2:Describe*", "ec2:DetachVolume"]
        Resource = "*"
      },
      {
        # Its own Ignition config and no other object.
        Effect   = "Allow"
        Action   = "s3:GetObject"
        Resource = "arn:${var.aws_partition_id}:s3:::${var.aws_ignition_bucket}/${local.ignition_object_key}"
      },
    ]
  })
}

resource "aws_iam_instance_profile" "bootstrap" {
  count = local.make_profile ? 1 : 0

  name = "${var.cluster_id}-bootstrap-profile"
  role = local.make_role ? aws_iam_role.bootstrap[0].name : var.aws_master_iam_role_name
}
