locals {
  # Azure Stack Hub and clouds the provider does not know by name describe
  # themselves on their Resource Manager host; the provider wants a bare host name.
  metadata_host = (
    var.azure_metadata_host != ""
    ? var.azure_metadata_host
    : split("/", trimprefix(var.azure_arm_endpoint, "https://"))[0]
  )
}

# An empty variable is handed over as null, so that the provider reads its own
# environment variables (ARM_CLIENT_ID, ARM_CLIENT_SECRET, ARM_TENANT_ID, ...).
provider "azurerm" {
  features {
    # What is being created when the provider is stopped, or what Azure fails to
    # create, stays in the state: the next run continues with it or replaces it.
    persist_id_on_create_before_polling_for_completion = true

    # Releases 4.x wait for the queue and file services of a storage account
    # otherwise, which nothing here uses and private clouds may not reach.
    storage {
      data_plane_available = false
    }
  }

  environment   = var.azure_environment != "" ? var.azure_environment : null
  metadata_host = local.metadata_host != "" ? local.metadata_host : null

  subscription_id             = var.azure_subscription_id != "" ? var.azure_subscription_id : null
  tenant_id                   = var.azure_tenant_id != "" ? var.azure_tenant_id : null
  client_id                   = var.azure_client_id != "" ? var.azure_client_id : null
  client_secret               = var.azure_client_secret != "" ? var.azure_client_secret : null
  client_certificate_path     = var.azure_certificate_path != "" ? var.azure_certificate_path : null
  client_certificate_password = var.azure_certificate_password != "" ? var.azure_certificate_password : null
  use_msi                     = var.azure_use_msi ? true : null

  # Blobs of an account without access keys are uploaded with a role on it.
  storage_use_azuread = var.azure_storage_without_access_keys ? true : null

  # By default the provider registers several dozen resource providers on the
  # subscription. Installer identities often have no right to do that, and not
  # every cloud offers all of them.
  resource_provider_registrations = "none"
}
