# A region without a published image gets a copy of one from another region.

resource "aws_ami_copy" "image" {
  count = var.aws_ami_region == var.aws_region ? 0 : 1

  name              = "${var.cluster_id}-master"
  source_ami_id     = var.aws_ami
  source_ami_region = var.aws_ami_region
  encrypted         = true # with the account's default key

  # Machine sets find the copy by these tags.
  tags = merge(local.tags, {
    Name         = "${var.cluster_id}-ami-${var.aws_region}"
    sourceAMI    = var.aws_ami
    sourceRegion = var.aws_ami_region
  })
}

locals {
  ami_id = var.aws_ami_region == var.aws_region ? var.aws_ami : aws_ami_copy.image[0].id
}
