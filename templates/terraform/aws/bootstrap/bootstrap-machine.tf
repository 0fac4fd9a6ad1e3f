locals {
  is_external = var.aws_publish_strategy == "External"
  from_pool   = local.is_external && var.aws_public_ipv4_pool != null

  is_dual_stack   = var.aws_ip_family != "IPv4"
  is_ipv6_primary = var.aws_ip_family == "DualStackIPv6Primary"

  first_subnet = local.is_external ? var.public_subnet_ids[0] : var.private_subnet_ids[0]

  security_groups = var.aws_layout == "4.14" ? [] : var.aws_master_security_groups
}

resource "aws_eip" "bootstrap" {
  count = local.from_pool ? 1 : 0

  domain           = "vpc"
  instance         = aws_instance.bootstrap.id
  public_ipv4_pool = var.aws_public_ipv4_pool
  tags             = merge(local.tags, { Name = "${var.cluster_id}-bootstrap-eip" })

  timeouts {
    read = "2m"
  }
}

resource "aws_instance" "bootstrap" {
  ami                         = var.ami_id
  instance_type               = coalesce(var.aws_bootstrap_instance_type, var.aws_master_instance_type)
  iam_instance_profile        = local.bootstrap_profile
  user_data                   = local.bootstrap_user_data
  subnet_id                   = coalesce(var.aws_bootstrap_subnet, var.bootstrap_subnet_id, local.first_subnet)
  vpc_security_group_ids      = concat(var.master_sg_ids, [aws_security_group.bootstrap.id], local.security_groups)
  associate_public_ip_address = local.is_external && !local.from_pool
  tags                        = merge(local.tags, { Name = "${var.cluster_id}-bootstrap" })
  volume_tags                 = merge(local.tags, { Name = "${var.cluster_id}-bootstrap-vol" })
  ipv6_address_count          = local.is_dual_stack ? 1 : null
  enable_primary_ipv6         = local.is_ipv6_primary ? true : null

  metadata_options {
    http_endpoint      = "enabled"
    http_tokens        = var.aws_bootstrap_instance_metadata_authentication
    http_protocol_ipv6 = local.is_dual_stack ? "enabled" : null
  }

  root_block_device {
    volume_type = "gp2"
    volume_size = 30
    encrypted   = true
    kms_key_id  = var.aws_master_root_volume_kms_key_id
  }

  # Ignition runs once, at the first start: the object and the right to read it must be there by then.
  depends_on = [aws_s3_object.ignition, aws_iam_role_policy.bootstrap]

  # A run that resumes must leave a working machine alone. It signs a new URL, which only the first start reads, but
  # changed user data would stop the machine; and one that is stopped has no public address, which would replace it.
  lifecycle {
    ignore_changes = [user_data, associate_public_ip_address, root_block_device[0].kms_key_id]
  }
}

resource "aws_lb_target_group_attachment" "bootstrap" {
  count = length(var.lb_target_group_arns)

  target_group_arn = var.lb_target_group_arns[count.index]
  target_id        = local.is_ipv6_primary ? aws_instance.bootstrap.ipv6_addresses[0] : aws_instance.bootstrap.private_ip
}
