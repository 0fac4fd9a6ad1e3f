variable "azure_image_url" {
  type        = string
  default     = ""
  nullable    = false
  description = "VHD the machine image is created from; empty creates no image."
}

variable "azure_image_release" {
  type        = string
  default     = ""
  nullable    = false
  description = "Version of the gallery images, three numbers with dots."
}

variable "azure_hypervgeneration_version" {
  type        = string
  default     = "V2"
  nullable    = false
  description = "Hypervisor generation of the control plane: V1 or V2."
}

variable "azure_vm_architecture" {
  type        = string
  default     = "x64"
  nullable    = false
  description = "Architecture of the image: x64 or Arm64."
}

variable "azure_use_marketplace_image" {
  type        = bool
  default     = false
  nullable    = false
  description = "Boot the control plane from a marketplace image instead."
}

variable "azure_marketplace_image_has_plan" {
  type        = bool
  default     = true
  nullable    = false
  description = "The marketplace image has a purchase plan."
}

variable "azure_marketplace_image_publisher" {
  type        = string
  default     = ""
  nullable    = false
  description = "Publisher of the marketplace image."
}

variable "azure_marketplace_image_offer" {
  type        = string
  default     = ""
  nullable    = false
  description = "Offer of the marketplace image."
}

variable "azure_marketplace_image_sku" {
  type        = string
  default     = ""
  nullable    = false
  description = "SKU of the marketplace image."
}

variable "azure_marketplace_image_version" {
  type        = string
  default     = ""
  nullable    = false
  description = "Version of the marketplace image."
}
