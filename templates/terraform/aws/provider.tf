terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.100, < 7.0"
    }
  }
}

locals {
  # Null leaves the provider's own address. The tagging endpoint is left out: only landfall itself calls that service.
  endpoints = {
    ec2     = lookup(var.custom_endpoints, "ec2", null)
    elb     = lookup(var.custom_endpoints, "elasticloadbalancing", null)
    elbv2   = lookup(var.custom_endpoints, "elbv2", lookup(var.custom_endpoints, "elasticloadbalancing", null))
    iam     = lookup(var.custom_endpoints, "iam", null)
    kms     = lookup(var.custom_endpoints, "kms", null)
    route53 = lookup(var.custom_endpoints, "route53", null)
    s3      = lookup(var.custom_endpoints, "s3", null)
    sts     = lookup(var.custom_endpoints, "sts", null)
  }

  # With custom endpoints but none for STS, its default address may not exist or not be reachable from here. Nothing
  # below depends on its answer: landfall's preflight has checked the credentials, and no ARN with an account is built.
  skip_sts = length(var.custom_endpoints) > 0 && local.endpoints.sts == null
}

provider "aws" {
  region = var.aws_region

  # The provider knows only the regions of its own release.
  skip_region_validation      = true
  skip_credentials_validation = local.skip_sts
  skip_requesting_account_id  = local.skip_sts
  s3_use_path_style           = var.aws_s3_use_path_style
  # skip_metadata_api_check stays unset: on an EC2 instance the credentials may come from there.

  endpoints {
    ec2     = local.endpoints.ec2
    elb     = local.endpoints.elb
    elbv2   = local.endpoints.elbv2
    iam     = local.endpoints.iam
    kms     = local.endpoints.kms
    route53 = local.endpoints.route53
    s3      = local.endpoints.s3
    sts     = local.endpoints.sts
  }
}

# For the private zone, which may belong to another account.
provider "aws" {
  alias  = "private_zone"
  region = var.aws_region

  # No ARN in Route 53 has an account.
  skip_region_validation      = true
  skip_credentials_validation = true
  skip_requesting_account_id  = true

  dynamic "assume_role" {
    for_each = var.aws_internal_zone_role == null ? [] : [var.aws_internal_zone_role]

    content {
      role_arn = assume_role.value
    }
  }

  endpoints {
    ec2     = local.endpoints.ec2
    elb     = local.endpoints.elb
    elbv2   = local.endpoints.elbv2
    iam     = local.endpoints.iam
    kms     = local.endpoints.kms
    route53 = local.endpoints.route53
    s3      = local.endpoints.s3
    sts     = local.endpoints.sts
  }
}
