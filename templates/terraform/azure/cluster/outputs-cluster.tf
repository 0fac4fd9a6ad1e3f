# Where logs are gathered from.
output "control_plane_ips" {
  value = azurerm_linux_virtual_machine.master[*].private_ip_address
}
