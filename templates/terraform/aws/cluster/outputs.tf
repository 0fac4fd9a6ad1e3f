# Variables of stage bootstrap, by the same names.

output "ami_id" {
  description = "Image of the machines, in the cluster's region."
  value       = local.ami_id
}

output "vpc_id" {
  description = "VPC of the cluster."
  value       = local.vpc_id
}

output "public_subnet_ids" {
  description = "Public subnets, in the order of their zones or as given."
  value       = local.public_subnet_ids
}

output "private_subnet_ids" {
  description = "Private subnets, in the order of their zones or as given."
  value       = local.private_subnet_ids
}

output "bootstrap_subnet_id" {
  description = "Subnet of the bootstrap machine, in the zone of the first control plane machine."
  value       = local.bootstrap_subnet_id
}

output "master_sg_ids" {
  description = "Security groups of the control plane machines."
  value       = local.master_security_group_ids
}

output "lb_target_group_arns" {
  description = "Target groups: internal API, machine config server, and external API if there is one."
  value       = [for name in local.target_group_order : aws_lb_target_group.api[name].arn]
}

output "aws_vpc_ipv6_cidr" {
  description = "IPv6 addresses of the VPC in a dual-stack cluster."
  value       = try(local.vpc_ipv6_cidrs[0], null)
}

# Read by others than the next stage.

output "lb_target_group_arns_length" {
  description = "Always 3, also without an external load balancer: other tools expect this text."
  value       = "3"
}

output "edge_public_subnet_ids" {
  description = "Public subnets of the local zones."
  value       = values(aws_subnet.public_edge)[*].id
}

output "edge_private_subnet_ids" {
  description = "Private subnets of the local zones."
  value       = values(aws_subnet.private_edge)[*].id
}

output "control_plane_ips" {
  description = "Addresses of the control plane machines, for gathering logs."
  value       = aws_network_interface.master[*].private_ip
}
