# What landfall has decided, and what its catalogue knows about the cloud (landfall.auto.tfvars.json).
# Modules ask these and never compare the name of a cloud or region.

variable "azure_metadata_host" {
  type        = string
  default     = ""
  nullable    = false
  description = "Host that describes the cloud to the provider. Catalogue: Resource Manager host of clouds the provider has no name for."
}

variable "azure_storage_min_tls_version" {
  type        = string
  default     = ""
  nullable    = false
  description = "Oldest TLS version of the storage account, empty for the provider's default. Catalogue: storageMinTLSSet."
}

variable "azure_image_protection" {
  type        = string
  default     = ""
  nullable    = false
  description = "Protection that machines of any pool have: TrustedLaunch, ConfidentialVM or none. The image must allow it."

  validation {
    condition     = contains(["", "TrustedLaunch", "ConfidentialVM"], var.azure_image_protection)
    error_message = "The protection is TrustedLaunch, ConfidentialVM or empty."
  }
}

variable "azure_boot_diagnostics" {
  type        = string
  default     = "Default"
  description = "Where the machines write their boot diagnostics: Disabled, Managed, Default (managed where Azure can), or the address of a storage account's blobs."
}

variable "azure_master_identities" {
  type        = list(string)
  default     = null
  description = "Ids of the user's managed identities for the control plane and the bootstrap machine; null for the one that is created."
}

variable "azure_make_identity" {
  type        = bool
  default     = true
  nullable    = false
  description = "Create a managed identity for the machines. False if all pools name identities of the user's."
}

variable "azure_api_address" {
  type        = string
  default     = null
  description = "IPv4 address of the internal load balancer of the API, where the user provides the DNS records. Null lets Azure choose it, and creates the records."
}

variable "azure_compute_subnets" {
  type        = list(object({ name = string, addresses = list(string) }))
  default     = []
  nullable    = false
  description = "Subnets of the compute machines in a new network where there are several, azure_compute_subnet first."
}

variable "azure_nat_gateways" {
  type        = list(object({ name = string, zone = string, subnet = string }))
  default     = []
  nullable    = false
  description = "NAT gateways of single subnets, each with its zone; an empty zone lets Azure choose."
}

variable "azure_storage_key" {
  type        = object({ address = string, identity = string })
  default     = null
  description = "The user's key that encrypts the storage account, and the id of the identity that may use it; null for the cloud's own keys."
}

variable "azure_storage_without_access_keys" {
  type        = bool
  default     = false
  nullable    = false
  description = "The storage account refuses its access keys: terraform and the bootstrap machine have roles on it."
}
