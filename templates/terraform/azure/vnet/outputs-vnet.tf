# Later stages take these as variables of the same name. What does not exist is an
# empty string, because terraform drops outputs that are null.

output "resource_group_name" {
  value = local.resource_group_name
}

output "storage_account_name" {
  value = azurerm_storage_account.cluster.name
}

output "identity" {
  value = join("", azurerm_user_assigned_identity.cluster[*].id)
}

output "vm_image" {
  value = local.make_image ? azurerm_shared_image_version.cluster[var.azure_hypervgeneration_version].id : ""
}

output "outbound_type" {
  value = var.azure_outbound_routing_type
}

output "virtual_network_id" {
  value = local.virtual_network_id
}

output "master_subnet_id" {
  value = local.master_subnet_id
}

output "worker_subnet_id" {
  value = local.worker_subnet_id
}

output "subnet_id" {
  value = local.master_subnet_id
}

output "nsg_name" {
  value = azurerm_network_security_group.cluster.name
}

output "elb_backend_pool_v4_id" {
  value = local.public_lb && var.use_ipv4 ? azurerm_lb_backend_address_pool.public["v4"].id : ""
}

output "elb_backend_pool_v6_id" {
  value = local.public_lb && var.use_ipv6 ? azurerm_lb_backend_address_pool.public["v6"].id : ""
}

output "ilb_backend_pool_v4_id" {
  value = var.use_ipv4 ? azurerm_lb_backend_address_pool.internal["v4"].id : ""
}

output "ilb_backend_pool_v6_id" {
  value = var.use_ipv6 ? azurerm_lb_backend_address_pool.internal["v6"].id : ""
}

output "public_lb_pip_v4_fqdn" {
  value = local.public_lb && var.use_ipv4 ? azurerm_public_ip.public["v4"].fqdn : ""
}

output "public_lb_pip_v6_fqdn" {
  value = local.public_lb && var.use_ipv6 ? azurerm_public_ip.public["v6"].fqdn : ""
}

output "internal_lb_ip_v4_address" {
  value = join("", [
    for front_end in azurerm_lb.internal.frontend_ip_configuration :
    front_end.private_ip_address if front_end.name == "internal-lb-ip-v4"
  ])
}

output "internal_lb_ip_v6_address" {
  value = join("", [
    for front_end in azurerm_lb.internal.frontend_ip_configuration :
    front_end.private_ip_address if front_end.name == "internal-lb-ip-v6"
  ])
}
