data "aws_ebs_default_kms_key" "account" {
  count = var.aws_master_root_volume_encrypted && var.aws_master_root_volume_kms_key_id == null ? 1 : 0
}

locals {
  default_key_arn = one(data.aws_ebs_default_kms_key.account[*].key_arn)
  root_volume_key = var.aws_master_root_volume_kms_key_id == null ? local.default_key_arn : var.aws_master_root_volume_kms_key_id
}

# The interface comes before the machine, so that load balancers have an address to send to as early as may be.
resource "aws_network_interface" "master" {
  count = var.master_count

  subnet_id       = local.private_subnet_of_zone[var.aws_master_availability_zones[count.index]]
  description     = local.description
  security_groups = concat(local.master_security_group_ids, var.aws_master_security_groups)
  tags            = merge(local.role_tags["control-plane"], { Name = "${var.cluster_id}-master-${count.index}" })

  ipv6_address_count  = local.is_dual_stack ? 1 : null
  enable_primary_ipv6 = local.is_ipv6_primary ? true : null
}

resource "aws_instance" "master" {
  count = var.master_count

  ami                  = local.ami_id
  instance_type        = var.aws_master_instance_type
  iam_instance_profile = local.master_profile
  user_data            = var.ignition_master
  tags                 = merge(local.role_tags["control-plane"], { Name = "${var.cluster_id}-master-${count.index}" })
  volume_tags          = merge(local.tags, { Name = "${var.cluster_id}-master-${count.index}-vol" })

  network_interface {
    network_interface_id = aws_network_interface.master[count.index].id
    device_index         = 0
  }

  metadata_options {
    http_endpoint      = "enabled"
    http_tokens        = var.aws_master_instance_metadata_authentication
    http_protocol_ipv6 = local.is_dual_stack ? "enabled" : null
  }

  root_block_device {
    volume_type = var.aws_master_root_volume_type
    volume_size = var.aws_master_root_volume_size
    iops        = var.aws_master_root_volume_iops == 0 ? null : var.aws_master_root_volume_iops
    encrypted   = var.aws_master_root_volume_encrypted
    throughput  = var.aws_master_root_volume_throughput
    kms_key_id  = local.root_volume_key
  }

  dynamic "cpu_options" {
    for_each = var.aws_master_amd_sev_snp == null ? [] : [var.aws_master_amd_sev_snp]

    content {
      amd_sev_snp = cpu_options.value
    }
  }

  dynamic "instance_market_options" {
    for_each = var.aws_master_use_spot_instance ? ["spot"] : []

    content {
      market_type = instance_market_options.value
    }
  }

  # A difference in either would replace a running machine. Machines update their own system, so a newer image is none
  # of terraform's business; and AWS answers with the ARN of the key, whatever name it was given by.
  lifecycle {
    ignore_changes = [ami, root_block_device[0].kms_key_id]
  }
}
