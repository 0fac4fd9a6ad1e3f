# Control plane machines; the bootstrap machine follows them.

variable "azure_master_vm_type" {
  type        = string
  default     = ""
  nullable    = false
  description = "Size of the control plane machines."
}

variable "azure_bootstrap_vm_type" {
  type        = string
  default     = ""
  nullable    = false
  description = "Size of the bootstrap machine; empty takes the size of the control plane."
}

variable "azure_master_availability_zones" {
  type        = list(string)
  description = "Zone of each control plane machine, an empty string for a machine without one."
}

variable "azure_master_data_disks" {
  type = list(object({
    name_suffix    = string
    size_gb        = number
    lun            = number
    caching        = string
    kind           = string
    encryption_set = string
  }))
  default     = []
  nullable    = false
  description = "Disks of each control plane machine besides the one that it starts from. Empty texts are the cloud's defaults."
}

variable "azure_control_plane_vm_networking_type" {
  type        = bool
  default     = false
  nullable    = false
  description = "Accelerated networking on the control plane."
}

variable "azure_control_plane_ultra_ssd_enabled" {
  type        = bool
  default     = false
  nullable    = false
  description = "Allow ultra disks on the control plane machines."
}

variable "azure_master_root_volume_type" {
  type        = string
  description = "Storage type of the OS disks."
}

variable "azure_master_root_volume_size" {
  type        = number
  description = "Size of the control plane OS disks in GB."
}
