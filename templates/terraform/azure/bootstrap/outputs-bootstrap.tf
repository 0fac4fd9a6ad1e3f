# Where logs are gathered from.
output "bootstrap_ip" {
  value = (
    var.azure_private
    ? azurerm_linux_virtual_machine.bootstrap.private_ip_address
    : values(azurerm_public_ip.bootstrap)[0].ip_address
  )
}
