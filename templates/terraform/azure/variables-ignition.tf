variable "azure_bootstrap_ignition_stub" {
  type        = string
  default     = ""
  nullable    = false
  sensitive   = true
  description = "Variable of openshift-install for Azure Stack Hub; not used."
}

variable "azure_bootstrap_ignition_url_placeholder" {
  type        = string
  default     = ""
  nullable    = false
  description = "Variable of openshift-install for Azure Stack Hub; not used."
}
