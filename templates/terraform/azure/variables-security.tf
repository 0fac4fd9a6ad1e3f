# Encryption and measured boot of the control plane.

variable "azure_master_encryption_at_host_enabled" {
  type        = bool
  default     = false
  nullable    = false
  description = "Encrypt the disks on the host that runs the machine."
}

variable "azure_master_disk_encryption_set_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "Disk encryption set of the OS disks."
}

variable "azure_master_security_encryption_type" {
  type        = string
  default     = ""
  nullable    = false
  description = "Confidential machines: VMGuestStateOnly or DiskWithVMGuestState; empty for any other machine."
}

variable "azure_master_secure_vm_disk_encryption_set_id" {
  type        = string
  default     = ""
  nullable    = false
  description = "Disk encryption set of confidential OS disks."
}

variable "azure_master_secure_boot" {
  type        = string
  default     = ""
  nullable    = false
  description = "Secure boot: Enabled, Disabled or empty."
}

variable "azure_master_virtualized_trusted_platform_module" {
  type        = string
  default     = ""
  nullable    = false
  description = "Virtual TPM: Enabled, Disabled or empty."
}
