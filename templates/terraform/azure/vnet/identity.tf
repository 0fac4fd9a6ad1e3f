# The machines act on Azure (disks, load balancers, routes) as this identity.
resource "azurerm_user_assigned_identity" "cluster" {
  count = var.azure_make_identity ? 1 : 0

  name                = "${var.cluster_id}-identity"
  location            = var.azure_region
  resource_group_name = local.resource_group_name
  tags                = var.azure_extra_tags
}

# The name follows from scope, role and identity, as the assignment itself does: a second one is the same one.
resource "azurerm_role_assignment" "cluster" {
  count = var.azure_make_identity ? 1 : 0

  name = uuidv5("url", join("|", [
    local.resource_group_id, "Contributor", azurerm_user_assigned_identity.cluster[0].principal_id,
  ]))
  scope                = local.resource_group_id
  role_definition_name = "Contributor"
  principal_id         = azurerm_user_assigned_identity.cluster[0].principal_id
  # With the type named, Azure does not look up a principal that its directory
  # may not have copied everywhere yet.
  principal_type = "ServicePrincipal"

  # Those of earlier releases have names that Azure drew.
  lifecycle {
    ignore_changes = [name]
  }
}

# An existing network lies in a group of its own: the cluster's group was empty.
resource "azurerm_role_assignment" "network" {
  count = var.azure_preexisting_network && var.azure_make_identity ? 1 : 0

  name = uuidv5("url", join("|", [
    data.azurerm_resource_group.network[0].id, "Contributor", azurerm_user_assigned_identity.cluster[0].principal_id,
  ]))
  scope                = data.azurerm_resource_group.network[0].id
  role_definition_name = "Contributor"
  principal_id         = azurerm_user_assigned_identity.cluster[0].principal_id
  principal_type       = "ServicePrincipal"

  lifecycle {
    ignore_changes = [name]
  }
}
