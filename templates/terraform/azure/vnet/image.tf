locals {
  # Also with a marketplace image: the compute pools may still use this one.
  make_image = var.azure_image_url != ""
}

# Both generations are offered, because the sizes of the pools can differ in what
# they boot. Machines name the generation by the suffix of the definition.
locals {
  image_generations = {
    for generation, image in {
      V1 = { name = var.cluster_id, publisher = "RedHat", offer = "rhcos", sku = "basic", secured = false }
      V2 = { name = "${var.cluster_id}-gen2", publisher = "RedHat-gen2", offer = "rhcos-gen2", sku = "gen2", secured = true }
    } : generation => image if local.make_image
  }
}

resource "azurerm_shared_image_gallery" "cluster" {
  count = local.make_image ? 1 : 0

  name                = "gallery_${replace(var.cluster_id, "-", "_")}"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
}

resource "azurerm_shared_image" "cluster" {
  for_each = local.image_generations

  name                = each.value.name
  gallery_name        = azurerm_shared_image_gallery.cluster[0].name
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags

  os_type            = "Linux"
  architecture       = var.azure_vm_architecture
  hyper_v_generation = each.key

  # Generation 2 only. The first two exclude each other, even when one is false. Newer sizes have NVMe disks alone.
  confidential_vm_supported         = each.value.secured && var.azure_image_protection == "ConfidentialVM" ? true : null
  trusted_launch_supported          = each.value.secured && var.azure_image_protection == "TrustedLaunch" ? true : null
  disk_controller_type_nvme_enabled = each.value.secured ? true : null

  identifier {
    publisher = each.value.publisher
    offer     = each.value.offer
    sku       = each.value.sku
  }
}

resource "azurerm_shared_image_version" "cluster" {
  for_each = local.image_generations

  name                = var.azure_image_release
  gallery_name        = azurerm_shared_image_gallery.cluster[0].name
  image_name          = azurerm_shared_image.cluster[each.key].name
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags

  blob_uri           = azurerm_storage_blob.image[0].url
  storage_account_id = azurerm_storage_account.cluster.id

  target_region {
    name                   = var.azure_region
    regional_replica_count = 1
  }

  timeouts {
    create = "60m"
  }
}
