# Where logs are gathered from.
output "control_plane_ips" {
  value = azurerm_network_interface.master[*].private_ip_address
}
