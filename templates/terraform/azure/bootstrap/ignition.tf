# Custom data is limited to 64 kB, so the full config is put into the storage
# account and the machine gets a stub that fetches it.

data "azurerm_storage_account" "cluster" {
  name                = var.storage_account_name
  resource_group_name = var.resource_group_name
}

resource "azurerm_storage_container" "ignition" {
  name                  = "ignition"
  storage_account_id    = data.azurerm_storage_account.cluster.id
  container_access_type = "private"
}

# By file: the content has keys in it and would otherwise be in the state. The hash
# makes a changed file go up again; on destroy the file may be gone.
resource "azurerm_storage_blob" "ignition" {
  name                 = "bootstrap.ign"
  storage_container_id = azurerm_storage_container.ignition.id
  type                 = "Block"
  source               = var.ignition_bootstrap_file
  content_md5          = try(filemd5(var.ignition_bootstrap_file), null)
}

# A new signature in each run; the machine ignores it once it exists.
data "azurerm_storage_account_sas" "ignition" {
  count = var.azure_storage_without_access_keys ? 0 : 1

  connection_string = data.azurerm_storage_account.cluster.primary_connection_string
  https_only        = true
  # A clock that is ahead of Azure's must not make the signature one of the future.
  start  = timeadd(timestamp(), "-15m")
  expiry = timeadd(timestamp(), "24h")

  services {
    blob  = true
    file  = false
    queue = false
    table = false
  }

  resource_types {
    object    = true
    container = false
    service   = false
  }

  permissions {
    read    = true
    list    = true
    add     = false
    create  = false
    delete  = false
    filter  = false
    process = false
    tag     = false
    update  = false
    write   = false
  }
}

locals {
  # Without a signature the machine reads the blob as its identity.
  ignition_url = sensitive(join("", concat(
    [azurerm_storage_blob.ignition.url], data.azurerm_storage_account_sas.ignition[*].sas,
  )))

  ignition_stub = sensitive(jsonencode({
    ignition = {
      version = "3.2.0"
      config  = { replace = { source = local.ignition_url } }
    }
  }))
}
