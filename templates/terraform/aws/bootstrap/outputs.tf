output "bootstrap_ip" {
  description = "Address of the bootstrap machine, for gathering logs: the public one of a published cluster."
  value       = local.is_external ? aws_instance.bootstrap.public_ip : aws_instance.bootstrap.private_ip
}
