# What landfall.auto.tfvars.json holds: what landfall has decided, and facts from its catalogue. They take the place of
# tests on the release, the region or the partition, so that a new region needs new data and no change to a module.

variable "aws_layout" {
  type        = string
  default     = "4.14"
  description = "Names, tags and rules: 4.14, or 4.16 as the Cluster API provider creates them from that release on."

  validation {
    condition     = contains(["4.14", "4.16"], var.aws_layout)
    error_message = "The layout is 4.14 or 4.16."
  }
}

variable "aws_ip_family" {
  type        = string
  default     = "IPv4"
  description = "IPv4, DualStackIPv4Primary or DualStackIPv6Primary."

  validation {
    condition     = contains(["IPv4", "DualStackIPv4Primary", "DualStackIPv6Primary"], var.aws_ip_family)
    error_message = "The IP family is IPv4, DualStackIPv4Primary or DualStackIPv6Primary."
  }
}

variable "aws_private_cidrs" {
  type        = map(string)
  default     = {}
  description = "Zone, local zones among them, to the addresses of its private subnet in a new VPC."
}

variable "aws_public_cidrs" {
  type        = map(string)
  default     = {}
  description = "Zone, local zones among them, to the addresses of its public subnet in a new VPC."
}

variable "aws_partition_id" {
  type        = string
  description = "Partition of the region, as ARNs spell it: aws, aws-us-gov, aws-cn, ..."
}

variable "aws_ec2_service_principal" {
  type        = string
  description = "Service principal of EC2 in a trust policy: ec2.amazonaws.com, ec2.amazonaws.com.cn, ..."
}

variable "aws_api_record_type" {
  type        = string
  description = "A: the API's records are aliases of the load balancers. CNAME: for partitions without aliases."

  validation {
    condition     = contains(["A", "CNAME"], var.aws_api_record_type)
    error_message = "The type of the API's records is A or CNAME."
  }
}

variable "aws_load_balancer_security_groups" {
  type        = bool
  default     = true
  description = "Whether load balancers have security groups: some regions refuse them."
}

variable "aws_dhcp_domain_name" {
  type        = string
  description = "Domain of the machines' host names in a new VPC, e.g. ec2.internal."
}

variable "aws_s3_endpoint_service" {
  type        = string
  description = "Service name for the S3 gateway endpoint of a new VPC, e.g. com.amazonaws.us-east-1.s3. Empty: no endpoint."
}

variable "aws_s3_use_path_style" {
  type        = bool
  description = "Whether to use path-style S3 URLs: for endpoints without a host name per bucket."
}

variable "aws_master_iam_instance_profile" {
  type        = string
  default     = null
  description = "Existing instance profile of the control plane machines and the bootstrap machine. Null creates profiles."
}

variable "aws_worker_iam_instance_profile" {
  type        = string
  default     = null
  description = "Existing instance profile of the compute machines. Null creates one."
}

variable "aws_master_root_volume_throughput" {
  type        = number
  default     = null
  description = "Throughput of the control plane's root volumes in MiB/s; null leaves the choice to AWS."
}

variable "aws_master_amd_sev_snp" {
  type        = string
  default     = null
  description = "AMD SEV-SNP of the control plane machines: enabled, disabled, or null for the default of AWS."
}

variable "aws_public_ipv4_pool" {
  type        = string
  default     = null
  description = "Public IPv4 pool from which addresses are taken. Null takes addresses of AWS."
}

variable "aws_internal_balancer_subnets" {
  type        = list(string)
  default     = null
  description = "Existing subnets of the internal load balancer of the API. Null takes the private subnets."
}

variable "aws_bootstrap_subnet" {
  type        = string
  default     = null
  description = "Existing subnet of the bootstrap machine. Null takes the first public or private subnet."
}

variable "aws_api_addresses" {
  type        = map(string)
  default     = {}
  description = "Addresses of the internal load balancer of the API, where the user provides the DNS records: zone of a new subnet or id of an existing one, and address. Empty lets AWS choose them, and creates the records."
}

variable "aws_cluster_api_image" {
  type        = string
  default     = null
  description = "Name of the copied image in the templates of Cluster API's machine sets. Landfall replaces it by the id of the image."
}

# The next two come from the environment (TF_VAR_...) and from no file. The first one names a file that exists while
# terraform runs; whoever has the URL can read the Ignition config, with the keys in it, until its signature expires.
variable "completed_ignition_file" {
  type        = string
  default     = null
  description = "Path of the Ignition config with what is known after stage cluster. Null uses ignition_bootstrap_file."
}

variable "aws_bootstrap_ignition_url" {
  type        = string
  default     = null
  sensitive   = true
  description = "Presigned URL of the Ignition config. It replaces the source in aws_bootstrap_stub_ignition."
}
