locals {
  made_identity = var.identity != "" ? [var.identity] : []
  identity_ids  = var.azure_master_identities == null ? local.made_identity : var.azure_master_identities
}

resource "azurerm_linux_virtual_machine" "master" {
  count = length(var.azure_master_data_disks) == 0 ? var.master_count : 0

  name                = "${var.cluster_id}-master-${count.index}"
  computer_name       = "${var.cluster_id}-master-${count.index}"
  location            = var.azure_region
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags

  size                  = var.azure_master_vm_type
  zone                  = var.azure_master_availability_zones[count.index] != "" ? var.azure_master_availability_zones[count.index] : null
  network_interface_ids = [azurerm_network_interface.master[count.index].id]
  custom_data           = base64encode(var.ignition_master)

  admin_username                  = local.admin_username
  admin_password                  = local.unused_password
  disable_password_authentication = false

  encryption_at_host_enabled = var.azure_master_encryption_at_host_enabled
  secure_boot_enabled        = local.secure_boot
  vtpm_enabled               = local.vtpm

  os_disk {
    name                             = "${var.cluster_id}-master-${count.index}_OSDisk"
    caching                          = "ReadOnly"
    storage_account_type             = var.azure_master_root_volume_type
    disk_size_gb                     = var.azure_master_root_volume_size
    disk_encryption_set_id           = local.disk_encryption_set
    security_encryption_type         = local.guest_encryption
    secure_vm_disk_encryption_set_id = local.guest_encryption_set
  }

  source_image_id = var.azure_use_marketplace_image ? null : var.vm_image

  dynamic "source_image_reference" {
    for_each = local.marketplace_images

    content {
      publisher = var.azure_marketplace_image_publisher
      offer     = var.azure_marketplace_image_offer
      sku       = var.azure_marketplace_image_sku
      version   = var.azure_marketplace_image_version
    }
  }

  dynamic "plan" {
    for_each = local.marketplace_plans

    content {
      publisher = var.azure_marketplace_image_publisher
      product   = var.azure_marketplace_image_offer
      name      = var.azure_marketplace_image_sku
    }
  }

  dynamic "additional_capabilities" {
    for_each = var.azure_control_plane_ultra_ssd_enabled ? [1] : []

    content {
      ultra_ssd_enabled = true
    }
  }

  dynamic "identity" {
    for_each = length(local.identity_ids) > 0 ? [local.identity_ids] : []

    content {
      type         = "UserAssigned"
      identity_ids = identity.value
    }
  }

  dynamic "boot_diagnostics" {
    for_each = local.boot_diagnostics

    content {
      storage_account_uri = boot_diagnostics.value
    }
  }

  # The way out of the network may be the public load balancer.
  depends_on = [
    azurerm_network_interface_backend_address_pool_association.master_public,
    azurerm_network_interface_backend_address_pool_association.master_internal,
  ]
}
