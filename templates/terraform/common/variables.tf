# What terraform.tfvars.json holds: the same for every platform.

variable "cluster_id" {
  type        = string
  description = "Infrastructure id: the prefix of every name and part of the ownership tag. At most 27 characters."
}

variable "cluster_domain" {
  type        = string
  description = "Domain of the cluster without a trailing dot. The names api and api-int lie directly in it."
}

variable "base_domain" {
  type        = string
  description = "Domain of the public zone, without a trailing dot."
}

variable "master_count" {
  type        = number
  description = "Number of control plane machines."
}

variable "masters_schedulable" {
  type        = bool
  default     = false
  description = "Whether the control plane machines also run ordinary workloads."
}

variable "machine_v4_cidrs" {
  type        = list(string)
  description = "IPv4 machine networks. The first one is the address range of a new network."
}

variable "machine_v6_cidrs" {
  type        = list(string)
  description = "IPv6 machine networks."
}

variable "use_ipv4" {
  type        = bool
  description = "Whether the service networks have an IPv4 range."
}

variable "use_ipv6" {
  type        = bool
  description = "Whether the service networks have an IPv6 range."
}

variable "ignition_bootstrap" {
  type        = string
  sensitive   = true
  description = "Ignition config of the bootstrap machine. It holds private keys."
}

variable "ignition_bootstrap_file" {
  type        = string
  description = "Path of a file with the text of ignition_bootstrap."
}

variable "ignition_master" {
  type        = string
  sensitive   = true
  description = "Ignition config of a control plane machine: a pointer to the machine config server."
}
