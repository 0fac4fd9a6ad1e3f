# The cloud, the region and what everything is filed under.

variable "azure_environment" {
  type        = string
  default     = ""
  nullable    = false
  description = "The provider's name of the cloud (public, usgovernment, china, german); empty for Azure Stack Hub."
}

variable "azure_arm_endpoint" {
  type        = string
  default     = ""
  nullable    = false
  description = "Resource Manager endpoint of an Azure Stack Hub; empty elsewhere."
}

variable "azure_region" {
  type        = string
  default     = ""
  nullable    = false
  description = "Region of the cluster."
}

variable "azure_resource_group_name" {
  type        = string
  default     = ""
  nullable    = false
  description = "Existing, empty resource group for the cluster; empty creates <cluster id>-rg."
}

variable "azure_base_domain_resource_group_name" {
  type        = string
  default     = ""
  nullable    = false
  description = "Resource group of the public DNS zone of the base domain; unused when the cluster is private."
}

variable "azure_extra_tags" {
  type        = map(string)
  default     = {}
  nullable    = false
  description = "Tags of every resource: the ownership tag and the user's tags."
}

variable "random_storage_account_suffix" {
  type        = string
  description = "Letters for a unique name of the storage account in its cloud."
}
