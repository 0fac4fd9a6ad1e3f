# Outputs of the stage vnet.

variable "resource_group_name" {
  type        = string
  description = "Resource group of the cluster."
}

variable "storage_account_name" {
  type        = string
  description = "Storage account of the cluster."
}

variable "identity" {
  type        = string
  default     = ""
  nullable    = false
  description = "ID of the managed identity of the machines; empty if the cloud does not support it."
}

variable "vm_image" {
  type        = string
  default     = ""
  nullable    = false
  description = "Id of the machine image."
}

variable "master_subnet_id" {
  type        = string
  description = "Subnet of the control plane."
}

variable "nsg_name" {
  type        = string
  description = "Network security group of the cluster."
}

variable "elb_backend_pool_v4_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "IPv4 pool of the public load balancer; empty without one."
}

variable "elb_backend_pool_v6_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "IPv6 pool of the public load balancer; empty without one."
}

variable "ilb_backend_pool_v4_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "IPv4 pool of the internal load balancer."
}

variable "ilb_backend_pool_v6_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "IPv6 pool of the internal load balancer."
}
