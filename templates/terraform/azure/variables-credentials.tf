# Credentials. landfall writes no secret into a var file: the client secret and the certificate's password come
# from the provider's ARM_* environment variables. These two variables exist for var files of other tools.

variable "azure_subscription_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "Subscription to install into."
}

variable "azure_tenant_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "Tenant of the subscription."
}

variable "azure_client_id" {
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  description = "Client id of the service principal."
}

variable "azure_client_secret" {
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  description = "Secret of the service principal."
}

variable "azure_certificate_path" {
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  description = "Path of the client certificate of the service principal (PKCS #12)."
}

variable "azure_certificate_password" {
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  description = "Password of the client certificate."
}

variable "azure_use_msi" {
  type        = bool
  default     = false
  nullable    = false
  description = "Authenticate with the managed identity of the machine landfall runs on."
}
