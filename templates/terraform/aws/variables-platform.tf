# What terraform.platform.auto.tfvars.json holds. A variable with a default may be missing there.

# Region and endpoints

variable "aws_region" {
  type        = string
  default     = null
  description = "Region of the cluster."
}

variable "custom_endpoints" {
  type        = map(string)
  default     = {}
  description = "Service name to URL, for the services that are not at their default address."
}

# Images

variable "aws_ami" {
  type        = string
  description = "Image of the machines, in the region aws_ami_region."
}

variable "aws_ami_region" {
  type        = string
  description = "Region of aws_ami. The image is copied if this is not the cluster's region."
}

# Tags

variable "aws_extra_tags" {
  type        = map(string)
  default     = {}
  description = "Tags for everything created; among them the ownership tag."
}

# Network

variable "aws_vpc" {
  type        = string
  default     = null
  description = "Existing VPC. Null creates one, with subnets and gateways."
}

variable "aws_private_subnets" {
  type        = list(string)
  default     = null
  description = "Existing private subnets. Null in a new VPC."
}

variable "aws_public_subnets" {
  type        = list(string)
  default     = null
  description = "Existing public subnets, an empty list if there are none. Null in a new VPC."
}

variable "aws_edge_local_zones" {
  type        = list(string)
  default     = []
  description = "Local zones that get subnets. Only for a new VPC."
}

variable "aws_edge_parent_zones_index" {
  type        = map(number)
  default     = {}
  description = "Local zone to the index of its parent zone in the sorted list of all zones."
}

variable "aws_worker_availability_zones" {
  type        = list(string)
  description = "Zones of the worker machines, without local zones."
}

variable "aws_publish_strategy" {
  type        = string
  default     = "External"
  description = "External: the API is also reachable from the internet. Internal: from the VPC only."

  validation {
    condition     = contains(["External", "Internal"], var.aws_publish_strategy)
    error_message = "The publish strategy is External or Internal."
  }
}

variable "aws_internal_zone" {
  type        = string
  default     = null
  description = "Id of an existing private zone. Null creates one."
}

variable "aws_internal_zone_role" {
  type        = string
  default     = null
  description = "ARN of the role to assume for changes to aws_internal_zone, when another account owns it."
}

# Control plane machines

variable "aws_master_instance_type" {
  type        = string
  default     = null
  description = "Instance type of the control plane machines."
}

variable "aws_master_availability_zones" {
  type        = list(string)
  description = "Zone of each control plane machine, in order, repeats kept."
}

variable "aws_master_root_volume_type" {
  type        = string
  default     = null
  description = "Type of the root volumes."
}

variable "aws_master_root_volume_size" {
  type        = number
  default     = null
  description = "Size of the root volumes in GiB."
}

variable "aws_master_root_volume_iops" {
  type        = number
  description = "Provisioned IOPS of the root volumes; 0 leaves the choice to AWS."
}

variable "aws_master_root_volume_encrypted" {
  type        = bool
  description = "Whether the root volumes are encrypted."
}

variable "aws_master_root_volume_kms_key_id" {
  type        = string
  default     = null
  description = "Id or ARN of the key for the root volumes. Null uses the account's default key for EBS."
}

variable "aws_master_iam_role_name" {
  type        = string
  default     = null
  description = "Existing role for the control plane machines and the bootstrap machine. Null creates roles."
}

variable "aws_master_instance_metadata_authentication" {
  type        = string
  default     = "optional"
  description = "Whether the instance metadata service of the control plane machines asks for a token: required or optional."
}

variable "aws_master_security_groups" {
  type        = list(string)
  default     = []
  description = "Further security groups of the control plane machines."
}

variable "aws_master_use_spot_instance" {
  type        = bool
  default     = false
  description = "Whether the control plane machines are spot instances."
}

# Worker machines

variable "aws_worker_iam_role_name" {
  type        = string
  default     = null
  description = "Existing role for the worker machines. Null creates one."
}

# Bootstrap machine

variable "aws_bootstrap_instance_type" {
  type        = string
  default     = null
  description = "Instance type of the bootstrap machine. Null uses that of the control plane machines."
}

variable "aws_bootstrap_instance_metadata_authentication" {
  type        = string
  default     = "optional"
  description = "As aws_master_instance_metadata_authentication, for the bootstrap machine."
}

variable "aws_ignition_bucket" {
  type        = string
  description = "Name of the bucket for the bootstrap machine's Ignition config."
}

variable "aws_bootstrap_stub_ignition" {
  type        = string
  sensitive   = true
  description = "User data of the bootstrap machine: an Ignition config that points to the bucket. Its proxy URLs may hold passwords."
}

variable "aws_preserve_bootstrap_ignition" {
  type        = bool
  description = "Whether the Ignition config stays in the bucket when the bootstrap machine is removed."
}
