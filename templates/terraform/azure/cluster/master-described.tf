# A machine of the provider gets data disks only after it has started, which is too late for Ignition: it partitions
# them at the first boot, and Azure takes a machine for started only after that. Such machines are described to the
# resource manager, with all of their disks.

locals {
  described_caching = { for disk in var.azure_master_data_disks : disk.lun => disk.caching != "" ? disk.caching : "None" }

  # Without properties that are null, which not every one may be.
  described_data_disks = [
    for disk in var.azure_master_data_disks : {
      suffix = disk.name_suffix
      disk = {
        lun          = disk.lun
        createOption = "Empty"
        deleteOption = "Delete"
        diskSizeGB   = disk.size_gb
        caching      = local.described_caching[disk.lun]
        managedDisk = merge(
          disk.kind != "" ? { storageAccountType = disk.kind } : {},
          disk.encryption_set != "" ? { diskEncryptionSet = { id = disk.encryption_set } } : {},
        )
      }
    }
  ]

  described_security = merge(
    local.guest_encryption != null ? { securityType = "ConfidentialVM" } : (
      local.secure_boot == true || local.vtpm == true ? { securityType = "TrustedLaunch" } : {}
    ),
    local.secure_boot == true || local.vtpm == true ? {
      uefiSettings = { secureBootEnabled = local.secure_boot == true, vTpmEnabled = local.vtpm == true }
    } : {},
    var.azure_master_encryption_at_host_enabled ? { encryptionAtHost = true } : {},
  )

  described_os_disk = merge(
    { storageAccountType = var.azure_master_root_volume_type },
    local.disk_encryption_set != null ? { diskEncryptionSet = { id = local.disk_encryption_set } } : {},
    local.guest_encryption != null ? {
      securityProfile = merge(
        { securityEncryptionType = local.guest_encryption },
        local.guest_encryption_set != null ? { diskEncryptionSet = { id = local.guest_encryption_set } } : {},
      )
    } : {},
  )

  described_image = merge(
    var.azure_use_marketplace_image ? {} : { id = var.vm_image },
    var.azure_use_marketplace_image ? {
      publisher = var.azure_marketplace_image_publisher
      offer     = var.azure_marketplace_image_offer
      sku       = var.azure_marketplace_image_sku
      version   = var.azure_marketplace_image_version
    } : {},
  )

  described_plan = length(local.marketplace_plans) > 0 ? {
    plan = {
      publisher = var.azure_marketplace_image_publisher
      product   = var.azure_marketplace_image_offer
      name      = var.azure_marketplace_image_sku
    }
  } : {}

  described_identity = length(local.identity_ids) > 0 ? {
    identity = { type = "UserAssigned", userAssignedIdentities = { for id in local.identity_ids : id => {} } }
  } : {}

  described_diagnostics = merge(
    { enabled = !local.without_diagnostics },
    local.diagnostics_account != null ? { storageUri = local.diagnostics_account } : {},
  )
}

resource "azurerm_resource_group_template_deployment" "master" {
  count = length(var.azure_master_data_disks) > 0 ? var.master_count : 0

  name                = "${var.cluster_id}-master-${count.index}"
  resource_group_name = var.resource_group_name
  deployment_mode     = "Incremental"
  tags                = var.azure_extra_tags

  # The ignition config of a machine has a token in it: secure parameters are not kept by the resource manager.
  parameters_content = jsonencode({ customData = { value = base64encode(var.ignition_master) } })

  template_content = jsonencode({
    "$schema"      = "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#"
    contentVersion = "1.0.0.0"
    parameters     = { customData = { type = "securestring" } }

    resources = [merge(local.described_plan, local.described_identity, {
      type       = "Microsoft.Compute/virtualMachines"
      apiVersion = "2024-03-01"
      name       = "${var.cluster_id}-master-${count.index}"
      location   = var.azure_region
      tags       = var.azure_extra_tags
      zones      = [for zone in [var.azure_master_availability_zones[count.index]] : zone if zone != ""]

      properties = merge(
        length(local.described_security) > 0 ? { securityProfile = local.described_security } : {},
        var.azure_control_plane_ultra_ssd_enabled ? { additionalCapabilities = { ultraSSDEnabled = true } } : {},
        {
          hardwareProfile    = { vmSize = var.azure_master_vm_type }
          diagnosticsProfile = { bootDiagnostics = local.described_diagnostics }
          networkProfile = {
            networkInterfaces = [{ id = azurerm_network_interface.master[count.index].id, properties = { primary = true } }]
          }

          osProfile = {
            computerName       = "${var.cluster_id}-master-${count.index}"
            adminUsername      = local.admin_username
            adminPassword      = local.unused_password
            customData         = "[parameters('customData')]"
            linuxConfiguration = { disablePasswordAuthentication = false }
          }

          storageProfile = {
            imageReference = local.described_image
            osDisk = {
              name         = "${var.cluster_id}-master-${count.index}_OSDisk"
              createOption = "FromImage"
              deleteOption = "Delete"
              caching      = "ReadOnly"
              diskSizeGB   = var.azure_master_root_volume_size
              managedDisk  = local.described_os_disk
            }
            dataDisks = [
              for each in local.described_data_disks :
              merge(each.disk, { name = "${var.cluster_id}-master-${count.index}_${each.suffix}" })
            ]
          }
        },
      )
    })]
  })

  # The way out of the network may be the public load balancer.
  depends_on = [
    azurerm_network_interface_backend_address_pool_association.master_public,
    azurerm_network_interface_backend_address_pool_association.master_internal,
  ]
}
