locals {
  made_identity = var.identity != "" ? [var.identity] : []
  identity_ids  = var.azure_master_identities == null ? local.made_identity : var.azure_master_identities
}

resource "azurerm_linux_virtual_machine" "bootstrap" {
  name                = "${var.cluster_id}-bootstrap"
  computer_name       = "${var.cluster_id}-bootstrap-vm"
  location            = var.azure_region
  resource_group_name = var.resource_group_name
  tags                = var.azure_extra_tags

  size                  = var.azure_bootstrap_vm_type != "" ? var.azure_bootstrap_vm_type : var.azure_master_vm_type
  network_interface_ids = [azurerm_network_interface.bootstrap.id]
  custom_data           = base64encode(local.ignition_stub)

  admin_username                  = local.admin_username
  admin_password                  = local.unused_password
  disable_password_authentication = false

  # The size is that of the control plane, and some sizes start only with these.
  encryption_at_host_enabled = var.azure_master_encryption_at_host_enabled
  secure_boot_enabled        = local.secure_boot
  vtpm_enabled               = local.vtpm

  os_disk {
    name                             = "${var.cluster_id}-bootstrap_OSDisk"
    caching                          = "ReadWrite"
    storage_account_type             = var.azure_master_root_volume_type
    disk_size_gb                     = 100
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

  # The stub has a new signature in each run: a repeated apply must not replace a
  # machine that has long read it.
  lifecycle {
    ignore_changes = [custom_data]
  }

  # The first boot fetches the config and the release image at once, and the way
  # out of the network may be the public load balancer.
  depends_on = [
    azurerm_network_interface_backend_address_pool_association.bootstrap_public,
    azurerm_network_interface_backend_address_pool_association.bootstrap_internal,
  ]
}
