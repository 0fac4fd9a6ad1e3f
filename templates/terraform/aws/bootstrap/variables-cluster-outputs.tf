# Outputs of stage cluster.

variable "ami_id" {
  type        = string
  description = "Image of the machines, in the cluster's region."
}

variable "vpc_id" {
  type        = string
  description = "VPC of the cluster."
}

variable "aws_vpc_ipv6_cidr" {
  type        = string
  default     = null
  description = "IPv6 addresses of the VPC in a dual-stack cluster. Landfall writes them into the Ignition config."
}

variable "public_subnet_ids" {
  type        = list(string)
  description = "Public subnets. The first one is for the bootstrap machine of a published cluster."
}

variable "private_subnet_ids" {
  type        = list(string)
  description = "Private subnets. The first one is for the bootstrap machine of an internal cluster."
}

variable "bootstrap_subnet_id" {
  type        = string
  default     = null
  description = "Subnet of the bootstrap machine, in the zone of the first control plane machine."
}

variable "master_sg_ids" {
  type        = list(string)
  description = "Security groups of the control plane machines; the bootstrap machine gets them too."
}

variable "lb_target_group_arns" {
  type        = list(string)
  description = "Target groups that the bootstrap machine joins."
}
