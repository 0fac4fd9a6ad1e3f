variable "azure_bootstrap_ignition_stub" {
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  description = "Ignition config of the bootstrap machine with a placeholder for the address of the full one; empty creates one here."
}

variable "azure_bootstrap_ignition_url_placeholder" {
  type        = string
  default     = ""
  nullable    = false
  description = "Text in the stub that is replaced by the address."
}
