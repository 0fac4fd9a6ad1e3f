# What the bootstrap machine and the control plane have in common.
locals {
  # The provider insists on a password or a key. CoreOS takes its users from
  # Ignition and never looks at either, so this opens nothing and is no secret.
  admin_username       = "core"
  unused_password      = "Never-Applied-By-CoreOS-0"
  disk_encryption_set  = var.azure_master_disk_encryption_set_id != "" ? var.azure_master_disk_encryption_set_id : null
  guest_encryption     = var.azure_master_security_encryption_type != "" ? var.azure_master_security_encryption_type : null
  guest_encryption_set = var.azure_master_secure_vm_disk_encryption_set_id != "" ? var.azure_master_secure_vm_disk_encryption_set_id : null
  secure_boot          = var.azure_master_secure_boot == "Enabled" ? true : null
  vtpm                 = var.azure_master_virtualized_trusted_platform_module == "Enabled" ? true : null

  # One element or none, for the blocks that exist only with such an image.
  marketplace_images = var.azure_use_marketplace_image ? [1] : []
  marketplace_plans  = var.azure_use_marketplace_image && var.azure_marketplace_image_has_plan ? [1] : []

  # Diagnostics without a storage account of the user's are a managed service.
  without_diagnostics = var.azure_boot_diagnostics == "Disabled"
  diagnostics_account = startswith(var.azure_boot_diagnostics, "https://") ? var.azure_boot_diagnostics : null
  boot_diagnostics    = local.without_diagnostics ? [] : [local.diagnostics_account]
}
