variable "azure_preexisting_network" {
  type        = bool
  default     = false
  nullable    = false
  description = "The virtual network and its subnets exist already and are not changed."
}

variable "azure_network_resource_group_name" {
  type        = string
  description = "Resource group of the virtual network; only read for an existing network."
}

variable "azure_virtual_network" {
  type        = string
  description = "Name of the virtual network."
}

variable "azure_control_plane_subnet" {
  type        = string
  description = "Name of the subnet of the control plane."
}

variable "azure_compute_subnet" {
  type        = string
  description = "Name of the subnet of the compute machines."
}

variable "azure_private" {
  type        = bool
  default     = false
  nullable    = false
  description = "Publish the cluster only inside its network."
}

variable "azure_outbound_routing_type" {
  type        = string
  default     = "Loadbalancer"
  nullable    = false
  description = "Way out of the network: Loadbalancer, NatGateway, NATGatewayMultiZone or UserDefinedRouting."

  validation {
    condition = contains(
      ["Loadbalancer", "NatGateway", "NATGatewayMultiZone", "UserDefinedRouting"], var.azure_outbound_routing_type,
    )
    error_message = "The outbound type is Loadbalancer, NatGateway, NATGatewayMultiZone or UserDefinedRouting."
  }
}
