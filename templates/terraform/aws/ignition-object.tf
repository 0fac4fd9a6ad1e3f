# The bootstrap machine's Ignition config is too large for user data, so it lies in a bucket. The bucket belongs to the
# stage that says so in local.holds_ignition: to stage bootstrap, so that it goes with that machine, or to stage
# cluster when it is to be preserved.

locals {
  ignition_object_key = "bootstrap.ign"
}

resource "aws_s3_bucket" "ignition" {
  count = local.holds_ignition ? 1 : 0

  bucket = var.aws_ignition_bucket
  tags   = merge(local.tags, { Name = "${var.cluster_id}-bootstrap" })

  lifecycle {
    ignore_changes = all
  }
}

resource "aws_s3_object" "ignition" {
  count = local.holds_ignition ? 1 : 0

  bucket                 = aws_s3_bucket.ignition[0].id
  key                    = local.ignition_object_key
  source                 = coalesce(var.completed_ignition_file, var.ignition_bootstrap_file)
  server_side_encryption = "AES256"
  tags                   = merge(local.object_tags, { Name = "${var.cluster_id}-bootstrap" })

  # The file is gone in later runs, such as the removal of the bootstrap machine.
  lifecycle {
    ignore_changes = all
  }
}
